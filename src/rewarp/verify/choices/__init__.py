"""The choices of a ported tree: where its Python asks for the platform or the GPU, does it come out right on the target?

A rule sees one file, and names that it cannot follow it believes. Here gates are followed through the project's own modules, and
what each platform takes is held against the other: a device that is the CPU on AMD alone, sides that are swapped, a gate that
says the opposite of its name, code for AMD that AMD never reaches, a name that nothing binds there, an FP8 format of another GPU.
"""

from rewarp.verify.choices.checks import Choice, choices
from rewarp.verify.choices.view import View, methods_for_amd, views

__all__ = ["Choice", "View", "choices", "methods_for_amd", "views"]
