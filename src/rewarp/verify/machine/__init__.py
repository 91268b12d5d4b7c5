"""Programs of a tree, run as AMD machine code on an emulator.

programs     what there is to run: sources that have a main function, with what the build gives them
sources      which other sources belong to a program: the linker says
golden       what the CUDA original printed: a recorded run, or a file of text
level        all of it together, as evidence
"""

from __future__ import annotations

from rewarp.verify.machine.level import Wanted, list_programs, verify_machine

__all__ = ["Wanted", "list_programs", "verify_machine"]
