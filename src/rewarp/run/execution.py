"""One run of a program: what it finds around it, the limits it has, and how it ended."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp import processes
from rewarp.errors import UsageError
from rewarp.files import cache_folder
from rewarp.run.results import NO_LIMITS, Ended, Limits, Request

_LOOK = 0.25
"""Seconds between looks at whether an interrupt came: a signal that another thread takes wakes nobody."""
_GRACE = 3.0
"""Seconds from the request to end to the end: time to write down what was seen."""


@dataclass(frozen=True)
class Settings:
    """How the runtime library is told what to do."""

    arch: str
    report: Path
    runtime: Path
    watch: bool = True
    cores: int | None = None
    order: int | None = None
    limits: Limits = NO_LIMITS

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (str(self.runtime), base.get("LD_LIBRARY_PATH", ""))))
        said = {
            "LD_LIBRARY_PATH": path,
            "REWARP_MACHINE_ARCH": self.arch,
            "REWARP_MACHINE_WATCH": str(int(self.watch)),
            "REWARP_MACHINE_REPORT": str(self.report),
            "REWARP_MACHINE_PROGRESS": 1 if os.isatty(2) else None,
            "REWARP_MACHINE_CORES": self.cores,
            "REWARP_MACHINE_ORDER": self.order,
            "REWARP_MACHINE_MEMORY": self.limits.memory,
            "REWARP_MACHINE_TIME": self.limits.seconds,
        }
        known = {name for name in said if name.startswith("REWARP_")}
        rest = {name: value for name, value in base.items() if name not in known}
        return rest | {name: str(value) for name, value in said.items() if value is not None}


def settings_of(request: Request, arch: str, order: int | None, runtime: Path, report: Path) -> Settings:
    return Settings(arch, report, runtime, request.watch, request.cores, order, request.limits)


def sandboxed(command: Sequence[str], work: Path) -> list[str]:
    """The command without network, and with nothing to write to but its working folder. Raises UsageError where there is
    no bubblewrap."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise UsageError("--sandbox needs bubblewrap (bwrap), which is not here: install it, or run without --sandbox")
    # What a stranger's program writes into a cache may not be run outside of a sandbox later.
    cache = sandbox_cache()
    cache.mkdir(parents=True, exist_ok=True)
    writable = [word for place in (work, cache) for word in ("--bind", str(place), str(place))]
    options = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *writable, "--chdir", os.getcwd()]
    options += ["--unshare-all", "--die-with-parent", "--new-session"]
    return [bubblewrap, *options, "--", *command]


def sandbox_cache() -> Path:
    return cache_folder() / "sandbox"


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    limits: Limits = NO_LIMITS,
    *,
    keep_output: Callable[[bytes], object] | None = None,
) -> Ended:
    """Run it to its end, or to a limit's. Standard output is ours, untouched, unless ``keep_output`` takes it."""
    started = time.monotonic()
    kept: list[bytes] = []
    with _interrupts() as asked:
        process = processes.start(
            command,
            environment=environment,
            stdin=None,
            stdout=subprocess.PIPE if keep_output else None,
            stderr=None,
            prepare=_before_start(limits),
        )
        reader = None
        try:
            if keep_output and process.stdout:
                reader = processes.Reader(process.stdout, _kept(kept, keep_output))
            timed_out = not _waited(process, limits.seconds, asked)
            interrupted = asked.is_set() and not timed_out
            if process.returncode is None:
                _end(process, signal.SIGTERM if timed_out else signal.SIGINT)
        except KeyboardInterrupt:  # where interrupts are not ours to take, in a thread for instance
            timed_out, interrupted = False, True
            _end(process, signal.SIGINT)
        finally:
            seconds = time.monotonic() - started
            _kill_group(process)  # what it left behind goes with it
            if reader:
                reader.has_ended(5.0)
    code = None if timed_out or interrupted else process.returncode
    return Ended(code, seconds, timed_out, interrupted, b"".join(kept) if keep_output else None)


@contextlib.contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Set by Ctrl-C, whichever thread the signal reaches: an exception could come while the program has begun and nobody
    holds it yet. Only the main thread may say what a signal does."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)
    if before not in (signal.default_int_handler, signal.SIG_DFL):  # ignored, or somebody else's
        yield asked
        return
    signal.signal(signal.SIGINT, lambda number, frame: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _waited(process: subprocess.Popen[bytes], seconds: float | None, asked: threading.Event) -> bool:
    """Whether it ended, or was to end, within its time."""
    until = None if seconds is None else time.monotonic() + seconds
    while not asked.is_set():
        left = _LOOK if until is None else min(_LOOK, until - time.monotonic())
        if left <= 0:
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(left)
            return True
    return True


def _kept(kept: list[bytes], pass_on: Callable[[bytes], object]) -> Callable[[bytes], None]:
    def take(chunk: bytes) -> None:
        kept.append(chunk)
        pass_on(chunk)

    return take


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    processes.tell_group(process.pid, how)
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        process.wait(_GRACE)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    processes.tell_group(process.pid)
    process.wait()


def _before_start(limits: Limits) -> Callable[[], None]:
    """In the child: it ends when its parent is killed, and has the limits that were asked for."""
    die_with_parent = processes.dying_with_parent()

    def prepare() -> None:
        die_with_parent()
        if limits.memory:
            # Not of the address space, of which the machine takes more than it uses.
            resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))

    return prepare
