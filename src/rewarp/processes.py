"""Other programs: each started in a session of its own, so that what it starts can be ended with it; its output read aside.

What a program is started for, how long one waits and what its end means stand with those who start it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from rewarp.errors import UsageError

_DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


class NotStarted(UsageError):
    """A program that the system did not start."""

    def __init__(self, program: str, error: OSError | ValueError) -> None:
        super().__init__(f"cannot run {program}: {error.strerror if isinstance(error, OSError) else error}")
        self.error = error


def start(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    stdin: int | None = subprocess.DEVNULL,
    stdout: int | None = subprocess.PIPE,
    stderr: int | None = subprocess.PIPE,
    folder: Path | None = None,
    prepare: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """The program in a session of its own: Ctrl-C at the terminal does not reach it. Raises NotStarted."""
    try:
        return subprocess.Popen(
            list(command),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            preexec_fn=prepare,
        )
    except (OSError, ValueError) as error:
        raise NotStarted(command[0], error) from None


def tell_group(process: int, what: signal.Signals = signal.SIGKILL) -> None:
    """The signal to the leader of a session and to its children, as far as they are there."""
    with contextlib.suppress(OSError):
        os.killpg(process, what)


class Reader:
    """Reads a stream to its end beside the program that writes, ``take`` getting each part: once that says no, no more is
    read, and the program waits."""

    def __init__(self, stream: IO[bytes], take: Callable[[bytes], bool | None]) -> None:
        self._stream, self._take = stream, take
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._stream.fileno(), 65536)
                if not chunk or self._take(chunk) is False:
                    return
            except (OSError, ValueError):
                return

    def has_ended(self, seconds: float) -> bool:
        """Whether all was read in that time: a process that got away may hold the pipe open for ever."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            return False
        self._stream.close()
        return True


def dying_with_parent(how: signal.Signals = signal.SIGKILL) -> Callable[[], None]:
    """What a process does, on Linux, to get that signal when its parent is killed. Made before a fork, for nothing can be
    imported safely right after it."""
    if sys.platform != "linux":
        return lambda: None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return lambda: libc.prctl(_DIE_WITH_PARENT, how, 0, 0, 0)
