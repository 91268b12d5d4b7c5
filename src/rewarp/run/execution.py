"""One run of a program: what it finds around it, the limits it has, and how it ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.files import cache_folder
from rewarp.run.model import NO_LIMITS, Ended, Limits, Request

_ON_PARENTS_DEATH = 1
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
    try:
        process = subprocess.Popen(
            list(command),
            env=dict(environment),
            stdout=subprocess.PIPE if keep_output else None,
            start_new_session=True,
            preexec_fn=_before_start(limits),
        )
    except OSError as error:
        raise UsageError(f"cannot run {command[0]}: {error.strerror}") from None
    kept: list[bytes] = []
    reader = threading.Thread(target=_read, args=(process, kept, keep_output), daemon=True) if keep_output else None
    if reader:
        reader.start()
    timed_out = interrupted = False
    try:
        process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end(process, signal.SIGTERM)
    except KeyboardInterrupt:
        interrupted = True
        _end(process, signal.SIGINT)
    finally:
        seconds = time.monotonic() - started
        _kill_group(process)  # what it left behind goes with it
        if reader:
            reader.join(5.0)
    code = None if timed_out or interrupted else process.returncode
    return Ended(code, seconds, timed_out, interrupted, b"".join(kept) if keep_output else None)


def _read(process: subprocess.Popen[bytes], kept: list[bytes], pass_on: Callable[[bytes], object]) -> None:
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        while chunk := os.read(process.stdout.fileno(), 65536):
            kept.append(chunk)
            pass_on(chunk)


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, how)
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        process.wait(_GRACE)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _before_start(limits: Limits) -> Callable[[], None]:
    """In the child: it ends when its parent is killed, and has the limits that were asked for."""
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        libc.prctl(_ON_PARENTS_DEATH, signal.SIGKILL)
        if limits.memory:
            # Not of the address space, of which the machine takes more than it uses.
            resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))

    return prepare
