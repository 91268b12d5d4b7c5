"""Was the expected device used, and did the CPU do its work? What was not seen is not passed."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.host import Backend
from rewarp.verdict import plural
from rewarp.verify.checks import Check, Level, Outcome
from rewarp.verify.run import profilers
from rewarp.verify.run.reports import TorchProcess, calls_of
from rewarp.verify.run.seen import Seen

_ENOUGH_LOOKS = 5
"""Looks at a program's processes that never found a device: a device once reached stays open until the end."""
_NO_ACCELERATOR = "no accelerator here, and none was asked for (--expect-device)"


def device_check(seen: Seen) -> Check:
    expected = seen.expected
    if expected is None:
        return Check(Level.RUN, "the expected device was used", Outcome.NOT_CHECKED, _NO_ACCELERATOR)
    outcome, why = _on_the_cpu(seen) if expected is Backend.CPU else _on_a_device(seen, expected)
    evidence = {
        "processes": [_figures(process) for process in seen.processes],
        "looks": sum(ran.sightings.looks for ran in seen.runs),
        "seen": {backend.value: words for backend in Backend if (words := _sighted(seen, backend))},
    }
    what = "nothing but the CPU was used" if expected is Backend.CPU else f"{expected.label} was used"
    return Check(Level.RUN, what, outcome, why, evidence=evidence)


def _on_a_device(seen: Seen, expected: Backend) -> tuple[Outcome, str]:
    if seen.vendor_kernels is not None and not seen.workers:
        return _by_vendor(seen)
    if not seen.workers:
        return _by_sight(seen, expected)
    others = sorted({backend.label for worker in seen.workers for backend in worker.devices if backend is not expected})
    idle = [worker for worker in seen.workers if not (worker.kernel_count and expected in worker.devices)]
    if not idle:
        count = sum(worker.kernel_count for worker in seen.workers)
        milliseconds = sum(worker.kernel_ns for worker in seen.workers) / 1e6
        names = ", ".join(sorted({worker.devices[expected] for worker in seen.workers}))
        return Outcome.PASSED, f"{plural(count, 'kernel')}, {milliseconds:.1f} ms of work on {names}"
    worker = idle[0]
    if others and expected not in worker.devices:
        return Outcome.FAILED, f"{worker.name} used {', '.join(others)}"
    if expected not in worker.devices:
        return _never_initialised(seen, worker, expected)
    if not worker.was_profiled:
        return Outcome.NOT_CHECKED, f"{worker.name} initialised it, but {_why_not_profiled(worker)}"
    return (
        Outcome.FAILED,
        f"{worker.name} initialised it and gave it no kernel in the {_seconds(worker)} that were watched",
    )


def _never_initialised(seen: Seen, worker: TorchProcess, expected: Backend) -> tuple[Outcome, str]:
    if not worker.complete:
        return Outcome.NOT_CHECKED, f"{worker.name} left no last report: it was killed, or it never ended"
    words = f"{worker.name} ran on the CPU: {worker.build} never initialised a device there"
    if not seen.machine.platform(expected).devices:
        words += "; this machine shows none of that kind"
    return Outcome.FAILED, words


def _by_vendor(seen: Seen) -> tuple[Outcome, str]:
    kernels = seen.vendor_kernels or {}
    count = sum(count for count, _ in kernels.values())
    if not count:
        return Outcome.FAILED, f"no kernel ran, by {seen.vendor_tool} in a run of its own"
    milliseconds = sum(nanoseconds for _, nanoseconds in kernels.values()) / 1e6
    words = f"{plural(count, 'kernel')}, {milliseconds:.1f} ms of work, by {seen.vendor_tool} in a run of its own"
    return Outcome.PASSED, words


def _by_sight(seen: Seen, expected: Backend) -> tuple[Outcome, str]:
    """Files and libraries can speak against a device; that kernels ran they cannot show."""
    words = _sighted(seen, expected)
    if expected is Backend.XPU or any(ran.sightings.files.get(expected) for ran in seen.runs):
        seen_so_far = words or "nothing of it was seen"
        return Outcome.NOT_CHECKED, f"{seen_so_far}; whether a kernel ran was not seen ({_no_profiler(expected)})"
    looks = sum(ran.sightings.looks for ran in seen.runs)
    if looks < _ENOUGH_LOOKS:
        return Outcome.NOT_CHECKED, f"it ended too soon to be looked at ({plural(looks, 'look')})"
    # A library is mapped by whoever links it; a device is not used without its file.
    mapped = f"{words}, and" if words else "its library was not mapped, and"
    return Outcome.FAILED, f"{mapped} in {looks} looks its device file was never open"


def _no_profiler(expected: Backend) -> str:
    tools = profilers.names(expected)
    return f"{tools} was not found, not asked, or left nothing" if tools else "there is no profiler for it"


def _on_the_cpu(seen: Seen) -> tuple[Outcome, str]:
    for process in seen.processes:
        if process.devices:
            return Outcome.FAILED, f"{process.name} initialised {', '.join(process.devices.values())}"
    reached = [words for backend in Backend if (words := _sighted(seen, backend, files_only=True))]
    if reached:
        return Outcome.FAILED, "; ".join(reached)
    if seen.processes and all(process.complete for process in seen.processes):
        return Outcome.PASSED, f"{seen.processes[0].build} never initialised a device"
    looks = sum(ran.sightings.looks for ran in seen.runs)
    if looks < _ENOUGH_LOOKS:
        return Outcome.NOT_CHECKED, f"it ended too soon to be looked at ({plural(looks, 'look')})"
    return Outcome.PASSED, f"in {looks} looks no device file was open"


def fallback_check(seen: Seen, limit: float) -> Check | None:
    """How much of the heavy work was the CPU's, by time. None where the CPU is what was expected."""
    what = "the CPU did not do the device's work"
    if seen.expected is Backend.CPU:
        return None
    if seen.expected is None:
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, _NO_ACCELERATOR)
    profiled = [worker for worker in seen.workers if worker.was_profiled]
    if not profiled:
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, _nothing_profiled(seen))
    on_cpu = sum(worker.heavy_cpu_ns for worker in profiled)
    on_device = sum(worker.kernel_ns for worker in profiled)
    calls = calls_of(worker.heavy(on_cpu=True) for worker in profiled)
    if not on_device and not calls:
        why = "neither a kernel nor a heavy operator ran while the profiler watched"
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, why)
    share = on_cpu / (on_cpu + on_device) if on_device else 1.0
    kernels = sum(worker.kernel_count for worker in profiled)
    words = f"{plural(calls, 'heavy operator')} on the CPU, {plural(kernels, 'kernel')} on the device"
    if on_device:
        words = f"{share:.1%} of {(on_cpu + on_device) / 1e6:.1f} ms: {words}"
    evidence = {
        "cpu_share": round(share, 4),
        "limit": limit,
        "on_cpu": _merged(worker.heavy(on_cpu=True) for worker in profiled),
        "on_device": _merged(worker.heavy(on_cpu=False) for worker in profiled),
    }
    outcome = Outcome.FAILED if share > limit else Outcome.PASSED
    return Check(Level.RUN, what, outcome, words, evidence=evidence)


def _nothing_profiled(seen: Seen) -> str:
    if not seen.processes:
        return "no process imported torch where it could be watched"
    worker = (seen.workers or seen.processes)[0]
    return f"{worker.name}: {_why_not_profiled(worker)}"


def _why_not_profiled(process: TorchProcess) -> str:
    trouble = [line for line in process.problems if "profile" in line or "device" in line]
    if trouble:
        return f"the profiler did not work ({trouble[0]})"
    if not process.complete:
        return "the process left no last report: it was killed, or it never ended"
    return "nothing was profiled"


def _merged(tables: Iterable[dict[str, list[int]]]) -> dict[str, dict[str, float]]:
    merged: dict[str, dict[str, float]] = {}
    for table in tables:
        for name, (count, nanoseconds, _) in table.items():
            entry = merged.setdefault(name, {"calls": 0, "ms": 0.0})
            entry["calls"] += count
            entry["ms"] = round(entry["ms"] + nanoseconds / 1e6, 3)
    return merged


def _figures(process: TorchProcess) -> dict[str, object]:
    return {
        "process": process.name,
        "torch": process.build,
        "devices": {backend.value: name for backend, name in process.devices.items()},
        "kernels": process.kernel_count,
        "kernel_ms": round(process.kernel_ns / 1e6, 3),
        "profiled_seconds": process.profile.get("seconds"),
        "complete": process.complete,
    }


def _sighted(seen: Seen, backend: Backend, files_only: bool = False) -> str:
    found = [ran.sightings for ran in seen.runs]
    with_backend = [sightings for sightings in found if not files_only or sightings.files.get(backend)]
    return next((words for sightings in with_backend if (words := sightings.of(backend))), "")


def _seconds(process: TorchProcess) -> str:
    return f"{float(process.profile.get('seconds') or 0):.1f} s"
