"""AMD machine code on an x86-64 CPU: assembly as clang and Triton write it, run as a wave of 64 lanes would run it.

>>> from rewarp import machine
>>> program = machine.compile_source("saxpy.hip", "gfx942")
>>> program.launch("saxpy", grid=(4096,), block=(256,), arguments=(2.0, x, y, n))

>>> machine.launch("ops.hip::saxpy", 4096, 256, (2.0, x, y, n))
>>> with machine.triton("gfx942"):
...     kernel[grid](x, y, n, BLOCK=1024)

Nothing of a GPU's timing, caches or faults is modelled. An instruction that is not known stops the kernel that comes to it.
"""

from __future__ import annotations

from rewarp.machine.launch import LaunchError
from rewarp.machine.library import MachineError
from rewarp.machine.program import LoadedProgram, compile_source, load
from rewarp.machine.shapes import Unsupported
from rewarp.machine.single import LoadedKernel, kernel_of, launch
from rewarp.machine.triton import tensor, triton

__all__ = [
    "LaunchError",
    "LoadedKernel",
    "LoadedProgram",
    "MachineError",
    "Unsupported",
    "compile_source",
    "kernel_of",
    "launch",
    "load",
    "tensor",
    "triton",
]
