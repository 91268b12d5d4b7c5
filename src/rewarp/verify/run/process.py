"""One run of a command: how it ended, how long it took, what it held and what it said. It always comes back."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rewarp import processes
from rewarp.verify.run.tree import ProcessTree, Sightings

_TAIL = 64_000
_LINE = 10_000
_LOSS = re.compile(
    rb"\b(?:\w*loss|perplexity|ppl|grad_norm)\b['\"]?\s*(?:is\s|[:=|,(\[]|\s)\s*(?:tensor\()?\s*"
    rb"([-+]?(?:nan|inf(?:inity)?)\b|[-+]?\d[\d_]*\.?\d*(?:e[-+]?\d+)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Losses:
    """Losses in a program's output."""

    finite: int = 0
    bad: tuple[str, ...] = ()
    """The first lines that tell of a NaN or Inf."""


@dataclass(frozen=True)
class Said:
    """One of the two output streams."""

    digest: str
    size: int
    tail: str
    losses: Losses


@dataclass(frozen=True)
class Ran:
    code: int | None
    """The exit status; below zero the signal that ended it; None where the time limit did."""
    seconds: float
    stdout: Said
    stderr: Said
    peak_bytes: int | None
    """The most that any one process held, by the kernel's account."""
    sightings: Sightings
    left_running: int
    """Processes that outlived the first one, and were ended."""

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self.code is None:
            return f"the time limit of {self.seconds:.0f} s ended it"
        if self.code >= 0:
            return f"exit status {self.code}"
        with contextlib.suppress(ValueError):
            return f"ended by {signal.Signals(-self.code).name}"
        return f"ended by signal {-self.code}"


class _Stream:
    """One stream: passed on, hashed, looked through for losses, its last part kept."""

    def __init__(self, stream: IO[bytes], echo: Callable[[bytes], None]) -> None:
        self._echo = echo
        self._hash, self._size, self._tail, self._line = hashlib.sha256(), 0, b"", b""
        self._finite = 0
        self._bad: list[str] = []
        self._reader = processes.Reader(stream, self._take)

    def _take(self, chunk: bytes) -> None:
        self._echo(chunk)
        self._hash.update(chunk)
        self._size += len(chunk)
        self._tail = (self._tail + chunk)[-_TAIL:]
        *lines, self._line = re.split(rb"[\r\n]", self._line + chunk)
        for line in lines:
            self._look_for_losses(line)
        self._line = self._line[-_LINE:]

    def _look_for_losses(self, line: bytes) -> None:
        for found in _LOSS.finditer(line[:_LINE]):
            if found[1].lstrip(b"+-")[:1].isdigit():
                self._finite += 1
            elif len(self._bad) < 5:
                self._bad.append(line.decode("utf-8", "replace").strip()[:200])

    def said(self) -> Said:
        if self._reader.has_ended(5.0):
            self._look_for_losses(self._line)
        losses = Losses(self._finite, tuple(self._bad))
        return Said(self._hash.hexdigest(), self._size, self._tail.decode("utf-8", "replace"), losses)


def _drop(chunk: bytes) -> None:
    """For nobody."""


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    timeout: float,
    folder: Path | None = None,
    echo: Callable[[bytes], None] = _drop,
    keep_stdout: Callable[[bytes], object] = _drop,
) -> Ran:
    """Run a command in a session of its own. Whatever it leaves behind is ended with it.

    ``echo`` gets both streams as they come, ``keep_stdout`` the one that is compared."""
    started = time.monotonic()
    process = processes.start(command, environment=environment, folder=folder)
    assert process.stdout is not None
    assert process.stderr is not None

    def keep_and_echo(chunk: bytes) -> None:
        keep_stdout(chunk)
        echo(chunk)

    readers = [_Stream(process.stdout, keep_and_echo), _Stream(process.stderr, echo)]
    tree = ProcessTree(process.pid)
    code, peak = None, None
    try:
        code, peak = _wait(process, tree, started + timeout)
        seconds = time.monotonic() - started
    finally:
        if process.returncode is None:
            tree.look()
            processes.tell_group(process.pid)
        left = tree.kill()
        if process.returncode is None:
            process.wait()
    out, err = (reader.said() for reader in readers)
    return Ran(code, seconds, out, err, peak, tree.sightings, left if code is not None else 0)


def _wait(process: subprocess.Popen[bytes], tree: ProcessTree, until: float) -> tuple[int | None, int | None]:
    """Wait for the end, looking at the processes meanwhile: often at first, for a short program must be seen, too."""
    pause = 0.01
    while time.monotonic() < until:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        tree.look()
        time.sleep(pause)
        pause = min(pause * 1.1, 0.25)
    return None, None
