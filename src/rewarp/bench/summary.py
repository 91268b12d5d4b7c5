"""The statistics of a result: which steps count, how long they take, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import mul
from typing import cast

from rewarp.bench import processes, stats
from rewarp.bench.document import Interval, LateChange, Statistics, Summary
from rewarp.bench.hardware import with_specs
from rewarp.bench.measured import Measured, measured_of
from rewarp.bench.result import Result, Series, Warn
from rewarp.bench.weights import evened, gaps, line_weights, normalised

_CODES = (
    "bad-step-time",
    "impossible-step",
    "doubtful-step",
    "no-step-times",
    "short-run",
    "fast-start",
    "drift",
    "late-change",
    "clock-backwards",
    "clock-disagrees",
    "time-outside-steps",
    "loss-not-finite",
)
_NAMED_OUTLIERS = 50
_FAST_START = 0.02
_LATE_STEPS = 5
_STAMP_RESOLUTION_S = 2.0
_CLOCK_MARGIN = 0.05
_ASIDE = 0.2
"""The part of the wall clock outside the steps that is worth a word."""


def summarise(result: Result, whole: Series | None = None, *, is_settled: bool = False) -> Result:
    """The result with its ``summary``, and warnings about its series.

    ``whole`` has the times of all steps, where ``result.series`` has only some. ``is_settled``: there is no warm-up in it.
    """
    result = with_specs(result)
    warnings = [warning for warning in result.warnings if warning.code not in _CODES]
    if processes.count_in(result.series) > 1 and whole is None:
        return _of_processes(result, warnings)
    timed = whole or result.series
    measured = measured_of(result, timed)
    warnings += _left_out(measured, result)
    summary: Summary = {
        "steps": len(timed.step),
        "basis": measured.basis,
        "left_out": {"bad": measured.bad, "impossible": measured.impossible},
    }
    if measured.times:
        summary.update(_of_times(timed, measured, is_settled=is_settled, most=result.provenance.get("warm_up_at_most")))
        warnings += _about_times(summary)
    summary.update(_of_columns(result, summary))
    warnings += _about_clock(result, summary, measured) + _about_loss(result)
    return replace(result, summary=summary, warnings=tuple(warnings))


def _of_processes(result: Result, warnings: Sequence[Warn]) -> Result:
    """Each process has a warm-up of its own, and counts as one measurement."""
    each = [summarise(part) for part in processes.apart(result)]
    summary = processes.summary_of([cast(Summary, part.summary) for part in each])
    summary.update(_of_columns(result, summary))
    about = processes.gathered([part.warnings for part in each])
    return replace(result, summary=summary, warnings=(*warnings, *about))


def _left_out(measured: Measured, result: Result) -> list[Warn]:
    found = []
    if measured.bad:
        what = f"{measured.bad} step times or rates are zero, negative or beyond all bounds; they are left out"
        found.append(Warn("bad-step-time", what))
    if measured.impossible:
        what = (
            f"{measured.impossible} steps are faster than the device can be (work not waited for?); they are left out"
        )
        found.append(Warn("impossible-step", what))
    if measured.doubtful:
        what = f"{measured.doubtful} steps took under a hundredth of the median (work not waited for?); they count, for no peak"
        found.append(Warn("doubtful-step", f"{what} of the device is known that would rule them out"))
    if not measured.times and result.series.step:
        found.append(Warn("no-step-times", "no step has a usable time or rate", "info"))
    return found


def _of_times(series: Series, measured: Measured, *, is_settled: bool, most: int | None) -> Summary:
    times, steps = measured.times, series.step
    counts = _weights(series, measured)
    even, ends = evened(times, counts)
    warm_up = stats.WarmUp(0, "there is none") if is_settled else stats.find_warm_up(even, most)
    settled = even[warm_up.steps :]
    warm_up = replace(warm_up, steps=ends[warm_up.steps - 1] if warm_up.steps else 0)
    used, places = times[warm_up.steps :], measured.places[warm_up.steps :]
    weights = normalised(counts[warm_up.steps :]) if counts else None
    ordered, middles = sorted(used), stats.middles(used)
    far = stats.outliers(used, ordered)
    all_tokens = series.figures("tokens") if "tokens" in series.columns else None
    dropped = [steps[place] for place in measured.places[: warm_up.steps]]
    early = times[: warm_up.steps]
    was_fast = bool(early) and math.fsum(early) / len(early) < (1 - _FAST_START) * math.fsum(used) / len(used)
    found: Summary = {
        "used": len(used),
        "first_step": steps[places[0]],
        "last_step": steps[places[-1]],
        "warm_up": {
            "steps": warm_up.steps,
            "first": dropped[0] if dropped else None,
            "last": dropped[-1] if dropped else None,
            "why": warm_up.why,
            "sure": warm_up.sure,
            "ratio": warm_up.ratio,
            "was_fast": was_fast,
        },
        "outliers": {
            "count": len(far),
            "steps": [steps[places[place]] for place in far[:_NAMED_OUTLIERS]],
            "share_of_time": math.fsum(used[place] for place in far) / math.fsum(used),
        },
        "autocorrelation": stats.autocorrelation(used),
        "drift": stats.drift(settled if counts else middles),
        "late_change": _late_change(settled),
    }
    figures = describe(used, ordered, middles, weights)
    if measured.basis == "time_s":
        found["time_s"] = figures
        before = steps[places[0] - 1] if places[0] else min(steps[0] - 1, 0)
        is_one_step = len(used) > 1 or steps[places[0]] - before == 1
        if steps[places[-1]] - steps[places[0]] == len(used) - 1 and is_one_step:
            # Where a line stands for several steps, the sum of what its lines say is nobody's time.
            found["total_s"] = math.fsum(used)
        tokens = [value for place in places if (value := all_tokens[place]) is not None] if all_tokens else []
        if len(tokens) == len(used):
            found["total_tokens"] = math.fsum(map(mul, tokens, weights) if weights else tokens)
    else:
        found |= _by_basis(measured.basis, _rates(figures))
    return found


def _weights(series: Series, measured: Measured) -> list[float] | None:
    """A line without a time stands for no steps: those before it are of the next one that has a time."""
    column = series.columns.get(measured.basis)
    timed = [place for place, value in enumerate(column or ()) if value is not None]
    if len(timed) in (0, len(series.step)):
        every = line_weights(series.step)
        return [every[place] for place in measured.places] if every else None
    every = line_weights([series.step[place] for place in timed])
    weights = dict(zip(timed, every or ()))
    return [weights[place] for place in measured.places] if weights else None


def _by_basis(basis: str, rates: Statistics) -> Summary:
    if basis == "tokens_per_s":
        return {"tokens_per_s": rates}
    if basis == "tokens_per_s_per_device":
        return {"tokens_per_s_per_device": rates}
    return {"samples_per_s": rates} if basis == "samples_per_s" else {"tflops_per_device": rates}


def _late_change(settled: Sequence[float]) -> LateChange | None:
    """Another level at the end: a power limit that came late, another job on the machine."""
    tail = stats.find_warm_up(settled[::-1])
    if tail.steps < _LATE_STEPS or tail.ratio is None:
        return None
    return {"steps": tail.steps, "ratio": tail.ratio}


def describe(
    values: Sequence[float], ordered: Sequence[float], middles: Sequence[float], weights: Sequence[float] | None
) -> Statistics:
    """Mean, median, spread, and the intervals of the first two. Weights, where lines differ in how many steps they stand
    for, count in the mean alone."""
    meant = stats.weighted(values, weights) if weights else values
    middle = math.fsum(meant) / len(meant)
    mean, median = stats.mean_interval(meant), stats.median_interval(middles, steps=len(values))
    few = f"{len(values)} steps are too few: an interval needs {stats.FEWEST_FOR_INTERVAL}"
    return {
        "mean": middle,
        "median": stats.percentile(ordered, 0.5),
        "p5": stats.percentile(ordered, 0.05),
        "p95": stats.percentile(ordered, 0.95),
        "min": ordered[0],
        "max": ordered[-1],
        "standard_deviation": _deviation(values) if len(values) > 1 else None,
        "level": stats.LEVEL,
        "mean_interval": _interval(mean),
        "median_interval": _interval(median),
        "interval_unknown": None if mean else few,
    }


def _interval(found: stats.Interval | None) -> Interval | None:
    return {"low": found.low, "high": found.high, "method": found.method} if found else None


def _deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    apart = [value - mean for value in values]
    return math.sqrt(math.fsum(map(mul, apart, apart)) / (len(values) - 1))


def _rates(turned: Statistics) -> Statistics:
    """Statistics of rates from those of their inverses: equal work in every step, so the mean rate is the harmonic one."""
    return {
        "min": 1 / turned["max"],
        "max": 1 / turned["min"],
        "p5": 1 / turned["p95"],
        "p95": 1 / turned["p5"],
        "mean": 1 / turned["mean"],
        "median": 1 / turned["median"],
        "standard_deviation": None,
        "mean_interval": _inverse(turned["mean_interval"]),
        "median_interval": _inverse(turned["median_interval"]),
        "level": turned["level"],
        "interval_unknown": turned["interval_unknown"],
    }


def _inverse(interval: Interval | None) -> Interval | None:
    # An interval of the inverse that reaches zero has no upper end as a rate.
    if interval is None or interval["low"] <= 0:
        return None
    return {"low": 1 / interval["high"], "high": 1 / interval["low"], "method": interval["method"]}


def _about_times(summary: Summary) -> list[Warn]:
    found = []
    if not summary["warm_up"]["sure"]:
        found.append(Warn("short-run", f"{summary['warm_up']['why']}; the first steps are in the figures"))
    elif summary["used"] < stats.FEWEST_FOR_INTERVAL:
        what = f"{summary['used']} steps after the warm-up are too few for an interval"
        found.append(Warn("short-run", what, "info"))
    ratio = summary["warm_up"]["ratio"]
    if ratio is not None and ratio < 1 - _FAST_START and summary["warm_up"]["was_fast"]:
        less = f"{1 - ratio:.0%} less time than the others (before a power or heat limit?)"
        what = f"the first {summary['warm_up']['steps']} steps that are logged took {less}; they are left out"
        found.append(Warn("fast-start", what, "info"))
    late = summary["late_change"]
    if late is not None:
        what = f"the last {late['steps']} steps take {late['ratio']:.2f} times as long as those before"
        found.append(Warn("late-change", what))
    if summary["drift"] is not None:
        more = "longer" if summary["drift"] > 0 else "shorter"
        share = abs(summary["drift"])
        what = f"steps of the last third are {share:.1%} {more} than those of the first: the run did not settle"
        found.append(Warn("drift", what, "warning" if share > 0.02 else "info"))
    return found


def _of_columns(result: Result, summary: Summary) -> Summary:
    """Loss, memory and power; power of the steps that count alone."""
    series, found = result.series, Summary()
    losses = [value for value in series.figures("loss") if value is not None]
    if losses:
        found["loss"] = {"first": losses[0], "last": losses[-1], "min": min(losses), "steps": len(losses)}
    memory = [value for value in series.figures("memory_bytes") if value is not None]
    if memory:
        found["memory_bytes"] = {"max": max(memory), "last": memory[-1]}
    first = summary.get("first_step")
    watts = [
        value
        for step, value in zip(series.step, series.figures("power_w"))
        if value is not None and value > 0 and (first is None or step >= first)
    ]
    if watts:
        found["power_w"] = {"mean": math.fsum(watts) / len(watts), "steps": len(watts)}
    return found


def _about_clock(result: Result, summary: Summary, measured: Measured) -> list[Warn]:
    """Whether the wall clock, where it is logged, bears the step times out."""
    stamps = [(place, value) for place, value in enumerate(result.series.figures("stamp_s")) if value is not None]
    back = next((place for (_, one), (place, two) in zip(stamps, stamps[1:]) if two < one), None)
    if back is not None:
        where = f"step {result.series.step[back]}"
        return [Warn("clock-backwards", "the wall clock goes backwards; it is not used", where=where)]
    if measured.basis != "time_s" or len(stamps) < 2 or result.series.thinned > 1:
        return []
    times = dict(zip(measured.places, measured.times))
    start, end = stamps[0][0], stamps[-1][0]
    if end == start or any(place not in times for place in range(start + 1, end + 1)):
        return []
    between = gaps(result.series.step[start : end + 1])
    counted = math.fsum(times[place] * gap for place, gap in enumerate(between, start + 1))
    wall = stamps[-1][1] - stamps[0][1]
    summary["wall_s"] = wall
    if max(between) > 1 and not result.provenance.get("averaged_over_interval"):
        # Of each so many steps one is timed: what the others took is not known.
        return []
    if counted > wall * (1 + _CLOCK_MARGIN) + _STAMP_RESOLUTION_S:
        what = f"step times add up to {counted:.1f} s, the wall clock says {wall:.1f} s: one of them is wrong"
        return [Warn("clock-disagrees", what)]
    if counted < wall * (1 - _ASIDE) - _STAMP_RESOLUTION_S:
        what = f"{1 - counted / wall:.0%} of the wall clock lies outside the timed steps (evaluation, data, saving?)"
        return [Warn("time-outside-steps", what, "info")]
    return []


def _about_loss(result: Result) -> list[Warn]:
    losses = result.series.columns.get("loss", ())
    bad = [step for step, loss in zip(result.series.step, losses) if loss is not None and not math.isfinite(loss)]
    # In an array of doubles NaN may also stand for a step without a loss: then the log reader speaks.
    if not bad or (not isinstance(losses, (tuple, list))):
        return []
    return [Warn("loss-not-finite", f"the loss is NaN or infinite in {len(bad)} steps", where=f"step {bad[0]}")]


def steps_that_count(result: Result) -> list[float]:
    """The times of the steps after the warm-up, as the summary took them; of several processes the mean of each; empty
    where there are none."""
    if processes.count_in(result.series) > 1:
        return list(result.summary.get("processes", {}).get("means", ()))
    measured = measured_of(with_specs(result), result.series)
    if measured.basis != "time_s":
        return []
    dropped = result.summary.get("warm_up", {}).get("steps", 0) if result.series.thinned == 1 else 0
    first = result.summary.get("first_step")
    if result.series.thinned > 1 and first is not None:
        return [time for place, time in zip(measured.places, measured.times) if result.series.step[place] >= first]
    return list(measured.times[dropped:])
