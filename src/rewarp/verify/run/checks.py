"""What was seen, as answers: did it end well, stay finite, use what it should, and stay as it was?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from rewarp.verdict import plural
from rewarp.verify.checks import Check, Level, Outcome
from rewarp.verify.run.backends import backend_of_kernel
from rewarp.verify.run.devices import device_check, fallback_check
from rewarp.verify.run.process import Ran
from rewarp.verify.run.request import Request
from rewarp.verify.run.seen import Seen
from rewarp.verify.run.stability import FEWEST, Growth, drift, growth

_SHOWN = 3


def checks_of(seen: Seen, request: Request) -> Iterator[Check]:
    yield ended_well(seen.runs)
    yield finite_check(seen, request)
    yield device_check(seen)
    fallback = fallback_check(seen, request.max_cpu_share)
    if fallback is not None:
        yield fallback
    for name in request.expected_backends:
        yield backend_check(seen, name)
    for pattern in request.expected_kernels:
        yield kernel_check(seen, pattern)
    yield memory_check(seen, request.max_memory_growth)
    if request.iterations > 1 or request.same_output:
        yield stability_check(seen, request)


def ended_well(runs: Sequence[Ran]) -> Check:
    what = "it ended well"
    evidence = {
        "codes": [ran.code for ran in runs],
        "seconds": [round(ran.seconds, 3) for ran in runs],
        "peak_bytes": [ran.peak_bytes for ran in runs],
    }
    for number, ran in enumerate(runs, 1):
        if ran.code != 0:
            said = [line for line in (ran.stderr.tail or ran.stdout.tail).splitlines() if line.strip()]
            run = f"run {number}: " if len(runs) > 1 else ""
            why = f"{run}{ran.ending}" + (f"; its last line: {said[-1].strip()[:200]}" if said else "")
            return Check(Level.RUN, what, Outcome.FAILED, why, evidence=evidence)
    left = sum(ran.left_running for ran in runs)
    words = f"exit status 0 after {runs[0].seconds:.1f} s" if len(runs) == 1 else f"exit status 0, {len(runs)} times"
    if left:
        words += f"; {left} of its processes outlived it and had to be ended"
    return Check(Level.RUN, what, Outcome.PASSED, words, evidence=evidence)


def finite_check(seen: Seen, request: Request) -> Check:
    what = "no NaN" if request.allow_inf else "no NaN or Inf"
    if request.allow_nan:
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, "NaN is allowed here (--allow-nan)", excused=True)
    wanted = ("NaN",) if request.allow_inf else ("NaN", "Inf")
    bad = [row for process in seen.processes for row in process.finite.get("bad") or () if row["kind"] in wanted]
    printed = [line for ran in seen.runs for said in (ran.stdout, ran.stderr) for line in said.losses.bad]
    if request.allow_inf:
        printed = [line for line in printed if "nan" in line.lower()]
    results = [number for number, call in enumerate(_calls(seen), 1) if call["not_finite"] in wanted]
    looked_at = sum(process.finite.get("looked_at") or 0 for process in seen.processes)
    losses = sum(said.losses.finite for ran in seen.runs for said in (ran.stdout, ran.stderr))
    evidence = {"tensors_looked_at": looked_at, "finite_losses_printed": losses, "bad": bad, "printed": printed}
    if bad:
        first = bad[0]
        why = f"{first['kind']} in {first['what']} on {first['device']}, forward call {first['call']}"
        return Check(Level.RUN, what, Outcome.FAILED, why, evidence=evidence)
    if printed:
        return Check(Level.RUN, what, Outcome.FAILED, f"it printed: {printed[0]}", evidence=evidence)
    if results:
        return Check(
            Level.RUN, what, Outcome.FAILED, f"call {results[0]} returned {_calls(seen)[results[0] - 1]['not_finite']}"
        )
    cut_off = [process.name for process in seen.processes if not process.complete]
    if not looked_at and not losses:
        why = f"{cut_off[0]} left no last report" if cut_off else "no module, parameter or printed loss was seen"
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, why)
    forwards = sum(process.finite.get("forwards") or 0 for process in seen.processes)
    looked = sum(process.finite.get("forwards_seen") or 0 for process in seen.processes)
    parts = []
    if looked_at:
        calls = f" in {looked:,} of {forwards:,} calls of a model" if forwards else ""
        parts.append(f"{plural(looked_at, 'tensor')} looked at{calls}")
    if losses:
        parts.append(f"{losses:,} of the losses it printed read")
    if cut_off:
        parts.append(f"{cut_off[0]} left no last report")
    return Check(Level.RUN, what, Outcome.PASSED, ", ".join(parts), evidence=evidence)


def backend_check(seen: Seen, name: str) -> Check:
    what = f"the back end {name} ran"
    if not seen.kernels_were_watched:
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, "no operator and no kernel was watched")
    ran = ", ".join(sorted(seen.backends)) or "none that is known by name"
    evidence = {"attention": seen.attention, "kernels": _backends(seen)}
    there = name.lower() in {backend.lower() for backend in seen.backends}
    outcome = Outcome.PASSED if there else Outcome.FAILED
    return Check(Level.RUN, what, outcome, f"back ends that ran: {ran}", evidence=evidence)


def _backends(seen: Seen) -> dict[str, int]:
    """How many kernels each back end ran."""
    counts: dict[str, int] = {}
    for kernel, (count, _) in seen.kernels.items():
        name = backend_of_kernel(kernel) or "other"
        counts[name] = counts.get(name, 0) + count
    return counts


def kernel_check(seen: Seen, pattern: str) -> Check:
    what = f"a kernel named /{pattern}/ ran"
    if not seen.kernels_were_watched:
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, "no kernel was watched")
    found = [name for name in seen.kernels if re.search(pattern, name)]
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        return Check(Level.RUN, what, Outcome.PASSED, ", ".join(name[:80] for name in found[:_SHOWN]) + more)
    return Check(Level.RUN, what, Outcome.FAILED, f"not among {plural(len(seen.kernels), 'name')} of kernels that ran")


def memory_check(seen: Seen, limit: float) -> Check:
    what = f"memory grows by no more than {limit:.0%}"
    series = dict(_series(seen))
    fits = {name: fit for name, rows in series.items() if (fit := growth(rows)) is not None}
    if not fits:
        why = "too few calls or optimizer steps to tell (--iterations with a function, or a longer run)"
        forwards = max((process.finite.get("forwards") or 0 for process in seen.processes), default=0)
        if forwards >= FEWEST:
            why = f"there were {forwards:,} calls of a model and no optimizer steps, and a cache may grow with them"
        return Check(Level.RUN, what, Outcome.NOT_CHECKED, why)
    worst = max(fits, key=lambda name: fits[name].share)
    evidence = {name: _growth_figures(fit) for name, fit in fits.items()}
    fit = fits[worst]
    words = f"{worst}: {fit.share:+.1%} over {fit.steps} steps ({fit.bytes_per_step / 1024:,.1f} KiB a step)"
    outcome = Outcome.FAILED if fit.share > limit else Outcome.PASSED
    return Check(Level.RUN, what, outcome, words, evidence=evidence)


def _series(seen: Seen) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Memory by step: of the host and of the devices; of the calls where a function was called."""
    sources = [("", seen.calls["memory"])] if seen.calls else []
    if not sources:
        sources = [(f" of {process.name}", process.memory) for process in seen.processes]
    for owner, rows in sources:
        for column, kind in ((1, "host memory"), (2, "device memory")):
            yield f"{kind}{owner}", [(row[0], float(row[column])) for row in rows if row[column] is not None]


def _growth_figures(fit: Growth) -> dict[str, float]:
    return {
        "samples": fit.samples,
        "steps": fit.steps,
        "first_bytes": round(fit.first_bytes),
        "bytes_per_step": round(fit.bytes_per_step, 1),
        "share": round(fit.share, 4),
    }


def stability_check(seen: Seen, request: Request) -> Check:
    what = f"{request.iterations} iterations give the same" if request.same_output else "it can be run again and again"
    calls = _calls(seen)
    digests = [call["digest"] for call in calls] if request.function else [ran.stdout.digest for ran in seen.runs]
    seconds = [call["seconds"] for call in calls] if request.function else [ran.seconds for ran in seen.runs]
    if len(seconds) < request.iterations or any(ran.code != 0 for ran in seen.runs):
        done = len(seconds) if request.function else sum(ran.code == 0 for ran in seen.runs)
        why = f"{done} of {request.iterations} iterations ended well"
        return Check(Level.RUN, what, Outcome.FAILED, why)
    slower = drift(seconds)
    evidence = {"seconds": seconds[:1000], "drift": slower, "same": None if None in digests else len(set(digests)) == 1}
    words = {True: "the same bits each time", False: "the bits differ", None: "results have no bits to compare"}
    bits = words[evidence["same"]]  # type: ignore[index]
    time = f"{median(seconds):.3f} s each" + (f", the later half {slower:+.0%}" if slower is not None else "")
    outcome = Outcome.PASSED
    if request.same_output and evidence["same"] is not True:
        outcome = Outcome.FAILED if evidence["same"] is False else Outcome.NOT_CHECKED
    return Check(Level.RUN, what, outcome, f"{plural(len(seconds), 'iteration')}, {bits}; {time}", evidence=evidence)


def _calls(seen: Seen) -> list[dict[str, Any]]:
    return list(seen.calls["calls"]) if seen.calls else []
