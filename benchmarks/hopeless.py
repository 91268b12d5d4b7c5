"""Runs a program and stops it early where the runtime's own estimate says that a launch cannot end in time."""

from __future__ import annotations

import os
import pty
import re
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_PROGRESS = re.compile(rb"\r(?:\x1b\[K)?rewarp: [^\r]{0,200}?: (\d+) of (\d+) workgroups after (\d+) s[^\r]*")
_CLEARED = re.compile(rb"\r\x1b\[K")
_SURELY = 3
"""How many times the limit a launch must seem to take."""
_LOOKED = 10.0
"""Seconds of the processor before an estimate counts: first workgroups wait for what the others share."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class End:
    status: int
    printed: int
    """Bytes of its standard output; its errors follow in the stream."""
    needs: float | None = None
    """Seconds that the launch would take, where that ended it."""


def run(command: Sequence[str], place: Path, environment: Mapping[str, str], stream: BinaryIO, limit: int) -> End:
    """What it prints goes to ``stream``; errors through a terminal of its own, on which the runtime tells how far it is."""
    terminal, errors = pty.openpty()
    process = subprocess.Popen(
        command, cwd=place, stdout=stream, stderr=errors, stdin=subprocess.DEVNULL, env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 30)),
    )  # fmt: skip
    os.close(errors)
    os.set_blocking(terminal, False)
    said, needs = b"", None
    before, last = 0.0, 0
    while True:
        status = process.poll()
        try:
            while more := os.read(terminal, 65536):
                said = (said + more)[-200_000:]
        except (BlockingIOError, OSError):
            pass
        if status is not None:
            break
        if needs is None and (line := list(_PROGRESS.finditer(said[-2000:]))):
            done, groups, after = (int(number) for number in line[-1].groups())
            used = _used(process.pid)
            if after < last or not last:
                before = used - min(used, after)  # another launch, and what was used before it
            last, spent = after, used - before
            if spent > _LOOKED and groups and spent * groups / max(done, 1) > _SURELY * limit:
                needs = spent * groups / max(done, 1)
                process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    os.close(terminal)
    printed = os.fstat(stream.fileno()).st_size
    stream.write(_CLEARED.sub(b"", _PROGRESS.sub(b"", said)))
    return End(status, printed, needs)


def _used(process: int) -> float:
    """Seconds of the processor: its own, and those of what it started and still waits for."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0
    own = (int(words[11]) + int(words[12])) / _TICKS
    return own + sum(_used(int(child)) for child in children)
