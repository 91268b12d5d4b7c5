"""Every repository in a process of its own, with limits of time and memory: what goes wrong costs its own row only.

Processes are forked, so that each has the rules loaded; who forks must have no threads, and so has read no Parquet yet.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewarp import processes
from rewarp.files import write_whole
from rewarp.fleet.request import Ending, Limits, Request, Status
from rewarp.fleet.work import code_digest, look_at
from rewarp.registry import all_rules
from rewarp.verify.run.tree import ProcessTree

_ENDING = "ending.json"
_PAUSE = 0.05
_LOOK = 0.5
"""Seconds between two looks at the memory of all processes of a repository."""
_GRACE = 30
"""Seconds after its limit at which a process ends itself, should nobody be left to end it."""


@dataclass
class _Child:
    number: int
    request: Request
    folder: Path
    process: int
    tree: ProcessTree
    started: float
    looked: float = 0.0


def look_after(requests: Iterable[tuple[int, Request]], jobs: int, scratch: Path) -> Iterator[tuple[int, Ending]]:
    """How each repository ended, by its number, as they end; so many at a time."""
    all_rules()
    code_digest()
    waiting = iter(requests)
    running: list[_Child] = []
    try:
        more = True
        while more or running:
            while more and len(running) < jobs:
                item = next(waiting, None)
                more = item is not None
                if item is not None:
                    running.append(_start(*item, scratch))
            for child in list(running):
                ending = _ended(child)
                if ending is not None:
                    running.remove(child)
                    _remove(child.folder)
                    yield child.number, ending
                    break
            else:
                time.sleep(_PAUSE)
    finally:
        for child in running:
            _kill(child)
            _remove(child.folder)


def _start(number: int, request: Request, scratch: Path) -> _Child:
    folder = Path(tempfile.mkdtemp(prefix=f"{number}-", dir=scratch))
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            _become_child(request.limits, parent)
            _work(request, folder)
            status = 0
        finally:
            os._exit(status)
    return _Child(number, request, folder, process, ProcessTree(process), time.monotonic())


# --- in the child ---------------------------------------------------------------------------


def _become_child(limits: Limits, parent: int) -> None:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    processes.dying_with_parent()()
    if os.getppid() != parent:
        os._exit(1)
    signal.alarm(int(limits.seconds) + _GRACE)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = limits.memory + _inherited()
    for kind, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, limits.disk)):
        _, hard = resource.getrlimit(kind)
        given = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (given, given))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing too much is an error like another


def _inherited() -> int:
    """Memory that was the parent's before this process was forked: the work has not asked for it."""
    try:
        found = re.search(rb"VmData:\s+(\d+) kB", Path("/proc/self/status").read_bytes())
    except OSError:
        return 0
    return int(found[1]) << 10 if found else 0


def _work(request: Request, folder: Path) -> None:
    try:
        ending = look_at(request, folder)
    except MemoryError:
        ending = Ending(Status.MEMORY, _memory_reason(request.limits))
    except RecursionError as error:
        ending = Ending(Status.CRASHED, f"RecursionError: {error}")
    except Exception as error:
        ending = Ending(Status.CRASHED, f"{type(error).__name__}: {error} ({_place(error)})"[:2000])
    write_whole(folder / _ENDING, json.dumps(ending.data()))


def _place(error: BaseException) -> str:
    """Where in rewarp an unexpected error arose."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"


# --- in the parent --------------------------------------------------------------------------


def _ended(child: _Child) -> Ending | None:
    process, status, usage = os.wait4(child.process, os.WNOHANG)
    took = time.monotonic() - child.started
    limits = child.request.limits
    if process:
        peak = max(child.tree.sightings.peak_bytes, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        child.tree.kill()
        cpu = round(usage.ru_utime + usage.ru_stime, 3)
        return replace(_complete(_told(child.folder) or _unsaid(status, limits), took, peak), cpu_seconds=cpu)
    if took > limits.seconds:
        _kill(child)
        reason = f"not done in {limits.seconds:g} s"
        return _complete(Ending(Status.TIME, reason), took, child.tree.sightings.peak_bytes)
    if time.monotonic() - child.looked > _LOOK:
        child.looked = time.monotonic()
        if child.tree.memory() > limits.memory:
            _kill(child)
            return _complete(Ending(Status.MEMORY, _memory_reason(limits)), took, child.tree.sightings.peak_bytes)
    return None


def _complete(ending: Ending, took: float, peak: int) -> Ending:
    return replace(ending, seconds=round(took, 3), peak_bytes=peak or None, host=socket.gethostname())


def _told(folder: Path) -> Ending | None:
    try:
        told: dict[str, Any] = json.loads((folder / _ENDING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Ending.of(told)


def _unsaid(status: int, limits: Limits) -> Ending:
    """A process that ended without a word."""
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGALRM:
        return Ending(Status.TIME, f"not done in {limits.seconds:g} s")
    how = signal.Signals(-code).name if -code in {number.value for number in signal.Signals} else f"status {code}"
    return Ending(Status.CRASHED, f"its process ended with {how}")


def _memory_reason(limits: Limits) -> str:
    return f"it needs more than {limits.memory / 1e9:.1f} GB of memory"


def _kill(child: _Child) -> None:
    child.tree.memory()  # whoever came since the last look goes, too
    processes.tell_group(child.process)
    child.tree.kill()
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child.process, 0)


def _remove(folder: Path) -> None:
    """A checkout may hold folders that forbid it."""

    def permitted(function: Any, path: str, _: object) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(path), stat.S_IRWXU)
            os.chmod(path, stat.S_IRWXU)
            function(path)

    shutil.rmtree(folder, onerror=permitted)
