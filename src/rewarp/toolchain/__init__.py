"""A HIP compiler: found on the machine or put together from Python wheels, and what it says about a source.

>>> from rewarp import toolchain
>>> done = toolchain.find().compile_device(Path("kernel.hip"), "gfx942")
>>> done.ok, done.kernels, done.diagnostics
"""

from __future__ import annotations

from rewarp.toolchain.arches import DEFAULT_ARCHES, is_arch, wave_size
from rewarp.toolchain.compiler import Compiled, Level, Toolchain
from rewarp.toolchain.diagnostics import Cause, Diagnostic, Failure, cause_of_failure
from rewarp.toolchain.discovery import candidates, find, find_for
from rewarp.toolchain.metadata import KernelResources, read_code_object

__all__ = [
    "DEFAULT_ARCHES",
    "Cause",
    "Compiled",
    "Diagnostic",
    "Failure",
    "KernelResources",
    "Level",
    "Toolchain",
    "candidates",
    "cause_of_failure",
    "find",
    "find_for",
    "is_arch",
    "read_code_object",
    "wave_size",
]
