"""Running a compiler: with a time limit, without leftovers, and telling its own trouble from the source's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rewarp import processes
from rewarp.errors import GaveUp
from rewarp.toolchain.diagnostics import Diagnostic, Severity, parse_diagnostics

_CRASH = re.compile(
    r"PLEASE submit a bug report|Stack dump:|UNREACHABLE executed|LLVM ERROR:|Assertion .* failed|internal compiler error"
    r"|frontend command failed (?:with exit code|due to signal)|error in backend:|unable to execute command: .*(?:Segm|Abort|Ill|Bus)"
)
_NO_MEMORY = re.compile(
    r"LLVM ERROR: out of memory|std::bad_alloc|Cannot allocate memory|error: OutOfMemory|unable to execute command: Killed"
)


@dataclass(frozen=True)
class TimeLimit:
    """One limit for all the steps of a compilation."""

    seconds: float
    start: float = field(default_factory=time.monotonic)

    @property
    def passed(self) -> float:
        return time.monotonic() - self.start

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - self.passed)


def run(
    command: Sequence[str], folder: str, limit: TimeLimit, *, kept: Path | None = None
) -> tuple[bool, tuple[Diagnostic, ...]]:
    """Whether a compiler, assembler or linker did its work, and what it said.

    Where it did not, there is always an error among its messages; the first one tells a crash, a lack of memory or
    an unanswered call from an error in the source. ``kept`` is for what zig builds once and then uses again: the
    libraries that host programs are linked with.
    """
    try:
        return _judged(*output_of(command, folder, limit, kept=kept))
    except NoAnswer as error:
        return False, (_fatal(str(error)),)


class NoAnswer(GaveUp):
    """A command that could not be started, or did not end in time."""


def output_of(command: Sequence[str], folder: str, limit: TimeLimit, *, kept: Path | None = None) -> tuple[int, str]:
    """The status of a compiler or linker and what it said, word for word; raises NoAnswer."""
    # Zig would otherwise make its caches in the home folder and in the working folder.
    environment = {**os.environ, "ZIG_LOCAL_CACHE_DIR": folder, "LC_ALL": "C.UTF-8"}
    environment["ZIG_GLOBAL_CACHE_DIR"] = str(kept or folder)
    # A crash report would be written beside the system's temporary files, and stay there.
    environment |= {"TMPDIR": folder}
    try:
        process = processes.start(command, environment=environment, stdout=subprocess.DEVNULL)
    except processes.NotStarted as found:
        raise NoAnswer(f"the compiler could not be started: {found.error}") from None
    try:
        text = process.communicate(timeout=limit.left)[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"the compiler gave no answer in {limit.seconds:g} s") from None
    finally:
        # The driver starts children; on a time limit or Ctrl-C they must go with it.
        if process.poll() is None:
            processes.tell_group(process.pid)
            process.communicate()
    return process.returncode, text


def _judged(status: int, text: str) -> tuple[bool, tuple[Diagnostic, ...]]:
    diagnostics = parse_diagnostics(text)
    if status == 0:
        return True, diagnostics
    trouble = _trouble(status, text)
    if trouble:
        return False, (_fatal(trouble), *diagnostics)
    if not any(found.severity.is_error for found in diagnostics):
        lines = text.strip().splitlines()
        reason = f"the compiler ended with status {status}" + (f": {lines[0]}" if lines else "")
        diagnostics += (_fatal(reason),)
    return False, diagnostics


def _trouble(status: int, text: str) -> str | None:
    """What befell the compiler itself, where it did not simply find errors in the source."""
    sign = _NO_MEMORY.search(text)
    if sign or status == -signal.SIGKILL:
        return "the compiler ran out of memory: " + (_line_with(text, sign) if sign else "it was killed")
    sign = _CRASH.search(text)
    if sign:
        return f"the compiler crashed: {_line_with(text, sign)}"
    if status < 0:
        return f"the compiler crashed: {signal.Signals(-status).name}"
    return None


def _line_with(text: str, sign: re.Match[str]) -> str:
    start = text.rfind("\n", 0, sign.start()) + 1
    return text[start:].splitlines()[0].strip()


def _fatal(message: str) -> Diagnostic:
    return Diagnostic(None, None, None, Severity.FATAL, message)
