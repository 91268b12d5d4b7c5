"""One call is one process: a command of rewarp, confined, that can be ended whole. Nothing is kept between two of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from rewarp.errors import RewarpError
from rewarp.escape import visible
from rewarp.files import CACHE_VARIABLE, cache_folder
from rewarp.mcp.roots import Roots

Progress = Callable[[float, str], Awaitable[None]]
_SYSTEM = (
    "/usr /bin /sbin /lib /lib64 /opt /nix /proc /sys /dev/null /dev/zero /dev/urandom /dev/random /dev/full /dev/kfd /dev/dri "
    "/etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/alternatives /etc/localtime /etc/os-release /etc/passwd "
    "/etc/group /etc/nsswitch.conf"
).split()
"""What every program reads; nothing of anybody's in it."""
_KEPT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "ROCM_PATH",
    "HIP_PATH",
    "CUDA_HOME",
    "TZ",
)
"""Variables that a command gets, besides those of rewarp. Others may hold secrets."""
_BEAT = 1.0
_MOST_TEXT = 64 << 10
_GRACE = 10.0


class CallError(RewarpError):
    """A call that did not come to a result, and why."""


@dataclass(frozen=True)
class Job:
    """What a call does: words for rewarp, with OUT in them where files go that it writes."""

    command: Sequence[str]
    roots: Roots
    runs_code: bool = False
    """Code of the project runs: it shares no cache with other calls."""
    writes: str | None = None
    """A folder of the roots that may be written to."""


@dataclass(frozen=True)
class Done:
    exit_code: int
    files: dict[str, bytes]
    """What the command wrote to OUT, by name."""
    printed: str
    """The end of what was printed."""

    def report(self) -> dict[str, Any]:
        """The JSON that the command wrote. Raises CallError where it has none, with what the command said."""
        if "report.json" not in self.files:
            said = visible(self.printed.strip().splitlines()[-1]) if self.printed.strip() else "it said nothing"
            raise CallError(f"exit code {self.exit_code}; untrusted text: {said.removeprefix('rewarp: error: ')}")
        found: dict[str, Any] = json.loads(self.files["report.json"])
        return found


OUT = "{OUT}"


async def call(job: Job, confined: bool, progress: Progress) -> Done:
    """Runs it to its end; cancelled, nothing of it is left, neither processes nor files."""
    with tempfile.TemporaryDirectory(prefix="rewarp-mcp-", ignore_cleanup_errors=True) as folder:
        own = os.path.realpath(folder)
        for name in ("out", "home", "tmp"):
            os.mkdir(os.path.join(own, name))
        order = os.path.join(own, "order.json")
        Path(order).write_text(json.dumps(_order(job, own, confined)), "utf-8")
        process = await anyio.open_process(
            [sys.executable, "-m", "rewarp.mcp.worker", order],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=os.path.join(own, "tmp"),
            env=_environment(own, job.runs_code),
            start_new_session=True,
        )
        try:
            printed = await _attend(process, job.command[0], progress)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await _end(process)
            raise
        written = {f.name: f.read_bytes() for f in Path(own, "out").iterdir() if f.is_file() and not f.is_symlink()}
        return Done(process.returncode or 0, written, printed)


def _order(job: Job, own: str, confined: bool) -> dict[str, object]:
    words = [word.replace(OUT, os.path.join(own, "out")) for word in job.command]
    writable = [own, "/dev/null", *([job.writes] if job.writes else [])]
    if not job.runs_code:
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        writable += [os.path.realpath(cache), "/dev/shm"]
    python = [sys.prefix, sys.base_prefix, *(path for path in sys.path if path), *sysconfig.get_paths().values()]
    kept = [os.environ[name] for name in os.environ if name.startswith("REWARP_") and os.path.isabs(os.environ[name])]
    readable = [*_SYSTEM, *map(os.path.realpath, (*python, *kept)), *python, *job.roots.folders]
    folders = [*job.roots.folders, *([job.writes] if job.writes else [])]
    return {"command": words, "confined": confined, "readable": readable, "writable": writable, "folders": folders}


def _environment(own: str, runs_code: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("REWARP_")}
    kept |= {"HOME": os.path.join(own, "home"), "TMPDIR": os.path.join(own, "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    kept["GIT_CONFIG_NOSYSTEM"] = "1"  # it cannot be read, and git would give up
    return kept | {CACHE_VARIABLE: os.path.join(own, "home") if runs_code else str(cache_folder())}


async def _attend(process: Any, doing: str, progress: Progress) -> str:
    """Until it ends; tells every second that it is alive, and gives the end of what it prints."""
    tail = bytearray()

    async def read() -> None:
        async for chunk in process.stdout:
            tail.extend(chunk)
            del tail[:-_MOST_TEXT]

    async def beat() -> None:
        start = anyio.current_time()
        while True:
            await anyio.sleep(_BEAT)
            passed = anyio.current_time() - start
            await progress(round(passed, 1), f"{doing}: {passed:.0f} s")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beat)
        await read()
        await process.wait()
        tasks.cancel_scope.cancel()
    return tail.decode("utf-8", "replace")


async def _end(process: Any) -> None:
    """The worker ends all that is below it; a worker that does not is killed."""
    if process.returncode is None:
        with anyio.move_on_after(_GRACE):
            process.send_signal(signal.SIGTERM)
            await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()
    await process.aclose()
