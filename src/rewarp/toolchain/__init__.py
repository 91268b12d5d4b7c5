"""A HIP compiler: found on the machine or put together from Python wheels, and what it says about a source.

>>> from rewarp import toolchain
>>> done = toolchain.find().compile_device(Path("kernel.hip"), "gfx942")
>>> done.ok, done.kernels, done.diagnostics
"""

from __future__ import annotations

from rewarp.toolchain.compiler import Compiled, Level, Toolchain
from rewarp.toolchain.diagnostics import Cause, Diagnostic, Failure, cause_of_failure
from rewarp.toolchain.discovery import find

__all__ = ["Cause", "Compiled", "Diagnostic", "Failure", "Level", "Toolchain", "cause_of_failure", "find"]
