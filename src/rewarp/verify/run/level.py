"""The run level: run it, watch it, say what was seen."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewarp import __version__
from rewarp.errors import UsageError
from rewarp.host import Backend, Host, Machine, examine
from rewarp.verify.checks import Evidence, Level
from rewarp.verify.run import process, profilers
from rewarp.verify.run.checks import checks_of
from rewarp.verify.run.child.call import NOT_FOUND
from rewarp.verify.run.inject import Injection
from rewarp.verify.run.reports import TorchProcess
from rewarp.verify.run.request import Request
from rewarp.verify.run.seen import Seen

Echo = Callable[[bytes], None]


def verify_run(request: Request, *, host: Host | None = None, echo: Echo = lambda chunk: None) -> Evidence:
    """Run a command or a function under watch. ``echo`` gets what it prints, as it comes."""
    start = time.perf_counter()
    host = host or Host()
    machine = examine(host, ask_torch=False)
    seen = _watch(request, host, machine, echo)
    return Evidence(
        Level.RUN,
        tuple(checks_of(seen, request)),
        provenance={
            "tool": f"rewarp {__version__}",
            "command": request.title,
            "machine": machine.backend.label,
            "devices": [device.name.value for device in machine.devices if device.name],
            "torch": sorted({worker.build for worker in seen.processes}),
        },
        details=_details(seen),
        seconds=time.perf_counter() - start,
    )


def _watch(request: Request, host: Host, machine: Machine, echo: Echo) -> Seen:
    expected = request.expected_device
    if expected is None and machine.backend is not Backend.CPU:
        expected = machine.backend
    runs: list[process.Ran] = []
    processes: list[TorchProcess] = []
    calls: dict[str, Any] | None = None
    for _ in range(1 if request.function else request.iterations):
        with tempfile.TemporaryDirectory(prefix="rewarp-run-") as folder:
            injection = Injection.into(Path(folder))
            runs.append(
                _run(
                    request,
                    _command(request, injection),
                    injection.environment(host.environ, request.profile_seconds),
                    echo,
                )
            )
            processes += map(TorchProcess.of, injection.processes())
            calls = injection.calls()
        if request.function and runs[-1].code == NOT_FOUND:
            said = runs[-1].stderr.tail.strip().splitlines()
            raise UsageError(f"cannot call {said[-1] if said else request.function}")
    seen = Seen(tuple(runs), tuple(processes), calls, machine, expected)
    return _with_vendor_profiler(seen, request, host)


def _command(request: Request, injection: Injection) -> list[str]:
    if request.function:
        return injection.call(request.python, request.function, request.iterations)
    return list(request.command)


def _run(request: Request, command: list[str], environment: dict[str, str], echo: Echo) -> process.Ran:
    return process.run(command, environment=environment, timeout=request.timeout, folder=request.folder, echo=echo)


def _with_vendor_profiler(seen: Seen, request: Request, host: Host) -> Seen:
    """Where torch told nothing, the vendor's profiler is asked, in one more run: under it a program may end otherwise."""
    if seen.workers or seen.expected is None or not request.use_vendor_profiler or seen.runs[-1].code != 0:
        return seen
    tool = profilers.find(host, seen.expected)
    if tool is None or not seen.machine.platform(seen.expected).devices:
        return seen
    with tempfile.TemporaryDirectory(prefix="rewarp-run-") as name:
        folder = Path(name)
        injection = Injection.into(folder / "watch")
        environment = injection.environment(host.environ, profile_seconds=0)
        _run(request, tool.command(folder, _command(request, injection)), environment, lambda chunk: None)
        return replace(seen, vendor_tool=tool.tool, vendor_kernels=tool.kernels(host, folder))


def _details(seen: Seen) -> dict[str, Any]:
    last = seen.runs[-1]
    return {
        "runs": [
            {
                "code": ran.code,
                "ending": ran.ending,
                "seconds": round(ran.seconds, 3),
                "peak_bytes_of_a_process": ran.peak_bytes,
                "peak_bytes_together": ran.sightings.peak_bytes or None,
                "stdout_sha256": ran.stdout.digest,
                "stdout_bytes": ran.stdout.size,
            }
            for ran in seen.runs
        ],
        "stdout_tail": last.stdout.tail[-4000:],
        "stderr_tail": last.stderr.tail[-4000:],
        "attention": seen.attention,
        "backends": sorted(seen.backends),
        "kernels": profilers.as_table(seen.kernels),
        "problems": seen.problems,
    }


def folder_of(name: str | None) -> Path | None:
    """A folder to run in; an error where it is none."""
    if name is None:
        return None
    if not os.path.isdir(name):
        raise UsageError(f"{name} is no folder")
    return Path(name)
