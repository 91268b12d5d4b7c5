"""A whole program, CUDA or HIP, as AMD machine code on this CPU.

staging      the sources where they are compiled: CUDA as rewarp translates it, in a folder of its own
building     device code as assembly, host code with it inside, linked with the runtime's libraries
linking      the host's linker, and what stands for functions that no library has
execution    one run: surroundings, limits, sandbox, how it ended
records      what the runtime noted: kernels, alarms, what it lacks
comparison   several runs of one program: other architectures, other orders of waves
elsewhere    a real AMD GPU, or AMD's own emulator, where there is one
verb         all of it together
"""

from __future__ import annotations

from rewarp.run.results import Limits, NotBuilt, ProgramResult, Ran, Request
from rewarp.run.torch import torch_extension
from rewarp.run.verb import run_program

__all__ = ["Limits", "NotBuilt", "ProgramResult", "Ran", "Request", "run_program", "torch_extension"]
