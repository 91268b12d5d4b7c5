"""What to run, and what is expected of it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.host import Backend

DEVICES = {
    "cuda": Backend.CUDA,
    "rocm": Backend.ROCM,
    "hpu": Backend.GAUDI,
    "xpu": Backend.XPU,
    "cpu": Backend.CPU,
}


@dataclass(frozen=True)
class Request:
    """A command, or a function (`pkg.module:name`, `file.py:name`) that takes no arguments."""

    command: tuple[str, ...] = ()
    function: str | None = None
    iterations: int = 1
    timeout: float = 3600.0
    """Seconds for one run of a command, or for all calls of a function together."""
    folder: Path | None = None
    """Where it runs; the present folder by default."""
    python: str = sys.executable
    """For a function."""
    expected_device: Backend | None = None
    """None: an accelerator, where this machine has one."""
    expected_backends: tuple[str, ...] = ()
    expected_kernels: tuple[str, ...] = ()
    """Regular expressions, each of which must be found in the name of a kernel that ran."""
    allow_nan: bool = False
    """Inf, too: where there is NaN, it cannot be told."""
    allow_inf: bool = False
    same_output: bool = False
    max_memory_growth: float = 0.05
    max_cpu_share: float = 0.10
    """The part of the time in heavy operators that may be the CPU's."""
    profile_seconds: float = 10.0
    use_vendor_profiler: bool = True

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.function):
            raise UsageError("give a command after --, or one function as pkg.module:name or file.py:name")
        if self.function and not re.fullmatch(r"[^:]+:[A-Za-z_][\w.]*", self.function):
            raise UsageError(f"{self.function} is no function: pkg.module:name or file.py:name is expected")
        if self.iterations < 1:
            raise UsageError("--iterations must be at least 1")
        if not self.timeout > 0:
            raise UsageError("--timeout must be above 0")
        if self.profile_seconds < 0 or self.max_memory_growth < 0 or self.max_cpu_share < 0:
            raise UsageError("limits must not be below 0")
        for pattern in self.expected_kernels:
            try:
                re.compile(pattern)
            except re.error as error:
                raise UsageError(f"--expect-kernel {pattern}: {error}") from None

    @property
    def title(self) -> str:
        import shlex

        return self.function or shlex.join(self.command)
