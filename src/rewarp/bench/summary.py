"""The statistics of a result: which steps count, how long they take, and how sure that is."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rewarp.bench import stats
from rewarp.bench.hardware import highest_possible_tflops, with_specs
from rewarp.bench.model import Result, Warn
from rewarp.bench.work import flops_per_step_and_device

_CODES = (
    "bad-step-time",
    "impossible-step",
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
_SMALLEST = 1e-15
"""A time, or a rate, below this or above its inverse is no figure but a mistake."""
_STAMP_RESOLUTION_S = 2.0
_CLOCK_MARGIN = 0.05
_ASIDE = 0.2
"""The part of the wall clock outside the steps that is worth a word."""
_FAR_TOO_FAST = 0.01
"""Of the median: where the work of a step or the peak is not known, only a step this short cannot be real."""


@dataclass(frozen=True)
class Measured:
    """Steps that have a time, in order, and what was left out."""

    basis: str
    """`time_s`, or the column of rates the times were made from."""
    places: Sequence[int]
    """In the series."""
    times: Sequence[float]
    """Seconds of a step; of a token or a TFLOP where only rates are known."""
    bad: int
    impossible: int


def summarise(result: Result) -> Result:
    """The result with its ``summary``, and warnings about its series."""
    result = with_specs(result)
    warnings = [warning for warning in result.warnings if warning.code not in _CODES]
    measured = _measured(result)
    warnings += _left_out(measured, result)
    summary: dict[str, Any] = {
        "steps": len(result.series.step),
        "basis": measured.basis,
        "left_out": {"bad": measured.bad, "impossible": measured.impossible},
    }
    if measured.times:
        summary.update(_of_times(result, measured))
        warnings += _about_times(summary)
    summary.update(_of_columns(result, summary))
    warnings += _about_clock(result, summary, measured) + _about_loss(result)
    return replace(result, summary=summary, warnings=tuple(warnings))


def _measured(result: Result) -> Measured:
    """Times by step: as logged, else from a column of rates, whose means must not be arithmetic."""
    series = result.series
    for basis in ("time_s", "tokens_per_s", "tflops_per_device"):
        values = series.figures(basis)
        given = [(place, value) for place, value in enumerate(values) if value is not None]
        sensible = [(place, value) for place, value in given if _SMALLEST < value < 1 / _SMALLEST]
        good = [(place, value if basis == "time_s" else 1 / value) for place, value in sensible]
        if not good:
            continue
        possible = _possible(result, good, basis)
        places, times = zip(*possible)
        return Measured(basis, places, times, len(given) - len(good), len(good) - len(possible))
    return Measured("none", (), (), sum(1 for value in series.columns.get("time_s", ()) if value is not None), 0)


def _possible(result: Result, good: list[tuple[int, float]], basis: str) -> list[tuple[int, float]]:
    """Without steps that beat the peak of the device: asynchronous work that was not waited for."""
    peak = highest_possible_tflops(result)
    rates = result.series.figures("tflops_per_device")
    flops = flops_per_step_and_device(result)
    shortest = 0.0
    if peak and basis == "time_s" and flops:
        shortest = flops / (peak * 1e12)
    elif basis == "time_s" and len(good) >= 5:
        shortest = _FAR_TOO_FAST * statistics.median(time for _, time in good)
    possible = [
        (place, time)
        for place, time in good
        if time >= shortest and not (peak and (rate := rates[place]) is not None and rate > peak)
    ]
    # Where most steps beat the peak, it is the device, the precision or the model that is not what it is said to be.
    return possible if 2 * len(possible) > len(good) else good


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
    if not measured.times and result.series.step:
        found.append(Warn("no-step-times", "no step has a usable time or rate", "info"))
    return found


def _of_times(result: Result, measured: Measured) -> dict[str, Any]:
    times = measured.times
    warm_up = stats.find_warm_up(times)
    used, places = times[warm_up.steps :], measured.places[warm_up.steps :]
    far = stats.outliers(used)
    steps = result.series.step
    dropped = [steps[place] for place in measured.places[: warm_up.steps]]
    found: dict[str, Any] = {
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
        },
        "outliers": {
            "count": len(far),
            "steps": [steps[places[place]] for place in far[:_NAMED_OUTLIERS]],
            "share_of_time": math.fsum(used[place] for place in far) / math.fsum(used),
        },
        "autocorrelation": stats.autocorrelation(used),
        "drift": stats.drift(used),
        "late_change": _late_change(used),
    }
    if measured.basis == "time_s":
        found["total_s"] = math.fsum(used)
        found["time_s"] = describe(used)
    else:
        found[measured.basis] = _rates(used)
    return found


def _late_change(used: Sequence[float]) -> dict[str, Any] | None:
    """Another level at the end: a power limit that came late, another job on the machine."""
    tail = stats.find_warm_up(used[::-1])
    if tail.steps < _LATE_STEPS or tail.ratio is None:
        return None
    return {"steps": tail.steps, "ratio": tail.ratio}


def describe(values: Sequence[float]) -> dict[str, Any]:
    """Mean, median, spread, and the intervals of the first two."""
    ordered = sorted(values)
    mean, median = stats.mean_interval(values), stats.median_interval(values)
    few = f"{len(values)} steps are too few: an interval needs {stats.FEWEST_FOR_INTERVAL}"
    return {
        "mean": math.fsum(values) / len(values),
        "median": stats.percentile(ordered, 0.5),
        "p5": stats.percentile(ordered, 0.05),
        "p95": stats.percentile(ordered, 0.95),
        "min": ordered[0],
        "max": ordered[-1],
        "standard_deviation": statistics.stdev(values) if len(values) > 1 else None,
        "level": stats.LEVEL,
        "mean_interval": asdict(mean) if mean else None,
        "median_interval": asdict(median) if median else None,
        "interval_unknown": None if mean else few,
    }


def _rates(inverse: Sequence[float]) -> dict[str, Any]:
    """Statistics of rates from their inverses: equal work in every step, so the mean rate is the harmonic one."""
    turned = describe(inverse)
    swapped = {"min": "max", "max": "min", "p5": "p95", "p95": "p5", "mean": "mean", "median": "median"}
    found: dict[str, Any] = {name: 1 / turned[other] for name, other in swapped.items()}
    found["standard_deviation"] = None
    for name in ("mean_interval", "median_interval"):
        interval = turned[name]
        # An interval of the inverse that reaches zero has no upper end as a rate.
        good = interval is not None and interval["low"] > 0
        found[name] = (
            {"low": 1 / interval["high"], "high": 1 / interval["low"], "method": interval["method"]} if good else None
        )
    return {**found, "level": turned["level"], "interval_unknown": turned["interval_unknown"]}


def _about_times(summary: dict[str, Any]) -> list[Warn]:
    found = []
    if not summary["warm_up"]["sure"]:
        found.append(Warn("short-run", f"{summary['warm_up']['why']}; the first steps are in the figures"))
    elif summary["used"] < stats.FEWEST_FOR_INTERVAL:
        what = f"{summary['used']} steps after the warm-up are too few for an interval"
        found.append(Warn("short-run", what, "info"))
    ratio = summary["warm_up"]["ratio"]
    if ratio is not None and ratio < 1 - _FAST_START:
        share = f"{1 - ratio:.0%} less time than the others (before a power or heat limit?)"
        what = f"the first {summary['warm_up']['steps']} steps took {share}; they are left out"
        found.append(Warn("fast-start", what, "info"))
    late = summary["late_change"]
    if late is not None:
        what = f"the last {late['steps']} steps take {late['ratio']:.2f} times as long as those before"
        found.append(Warn("late-change", what))
    if summary["drift"] is not None:
        more = "longer" if summary["drift"] > 0 else "shorter"
        share = abs(summary["drift"])
        what = f"steps grow {more} by {share:.1%} from the first to the last third: the run did not settle"
        found.append(Warn("drift", what, "warning" if share > 0.02 else "info"))
    return found


def _of_columns(result: Result, summary: dict[str, Any]) -> dict[str, Any]:
    """Loss, memory and power; power of the steps that count alone."""
    series, found = result.series, dict[str, Any]()
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


def _about_clock(result: Result, summary: dict[str, Any], measured: Measured) -> list[Warn]:
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
    counted = math.fsum(times[place] for place in range(start + 1, end + 1))
    wall = stamps[-1][1] - stamps[0][1]
    summary["wall_s"] = wall
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
    """The times of the steps after the warm-up, as the summary took them; empty where there are none."""
    measured = _measured(with_specs(result))
    if measured.basis != "time_s":
        return []
    dropped = result.summary.get("warm_up", {}).get("steps", 0) if result.series.thinned == 1 else 0
    first = result.summary.get("first_step")
    if result.series.thinned > 1 and first is not None:
        return [time for place, time in zip(measured.places, measured.times) if result.series.step[place] >= first]
    return list(measured.times[dropped:])
