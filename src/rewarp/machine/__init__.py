"""AMD machine code on an x86-64 CPU: assembly as clang and Triton write it, run as a wave of 64 lanes would run it.

>>> from rewarp import machine
>>> program = machine.compile_source("saxpy.hip", "gfx942")
>>> program.launch("saxpy", grid=(4096,), block=(256,), arguments=(2.0, x, y, n))

Nothing of a GPU's timing, caches or faults is modelled. An instruction that is not known stops the kernel that comes to it.
"""

from __future__ import annotations

from rewarp.machine.launch import LaunchError
from rewarp.machine.library import MachineError
from rewarp.machine.program import LoadedProgram, compile_source, load
from rewarp.machine.shapes import Unsupported

__all__ = ["LaunchError", "LoadedProgram", "MachineError", "Unsupported", "compile_source", "load"]
