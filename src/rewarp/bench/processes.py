"""One benchmark measured by several processes, one after the other: how runs differ is part of the interval.

Steps within a process resemble each other in what the process was given: addresses, clocks, the choice of algorithms. An
interval of steps alone is too narrow for that, so every process counts as one measurement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rewarp.bench import stats
from rewarp.bench.document import Interval, LeftOut, Summary, WarmUp
from rewarp.bench.result import Result, Series, Warn

COLUMN = "process"
"""The column that says which process a step belongs to, from 1."""


def count_in(series: Series) -> int:
    """How many processes a series is of; 0 where it does not say."""
    return len({value for value in series.figures(COLUMN) if value is not None}) if COLUMN in series.columns else 0


def joined(results: Sequence[Result]) -> Result:
    """The same benchmark from several processes as one result, whose statistics are still to be made."""
    first = results[0]
    names = dict.fromkeys(name for result in results for name in result.series.columns)
    columns: dict[str, tuple[float | None, ...]] = {
        name: tuple(value for result in results for value in result.series.figures(name)) for name in names
    }
    columns[COLUMN] = tuple(
        float(place) for place, result in enumerate(results, 1) for _ in range(len(result.series.step))
    )
    count = sum(len(result.series.step) for result in results)
    return replace(first, series=Series(tuple(range(1, count + 1)), columns), summary={}, warnings=_warnings(results))


def apart(result: Result) -> list[Result]:
    """A joined result as one for each process, with the steps numbered as they are in the whole."""
    owners = result.series.figures(COLUMN)
    found = []
    for owner in sorted({value for value in owners if value is not None}):
        places = [place for place, value in enumerate(owners) if value == owner]
        columns = {
            name: tuple(values[place] for place in places)
            for name, values in result.series.columns.items()
            if name != COLUMN
        }
        steps = tuple(result.series.step[place] for place in places)
        found.append(replace(result, series=Series(steps, columns, result.series.thinned), warnings=()))
    return found


def summary_of(summaries: Sequence[Summary]) -> Summary:
    """The statistics of all processes from those of each."""
    timed = [summary for summary in summaries if summary.get("time_s")]
    first = timed[0] if timed else summaries[0]
    found: Summary = {
        **first,
        "steps": sum(summary["steps"] for summary in summaries),
        "left_out": _left_out([summary["left_out"] for summary in summaries]),
    }
    if not timed:
        return found
    used, total = sum(one["used"] for one in timed), math.fsum((stats.time_of_used(one) or 0.0) for one in timed)
    means = [one["time_s"]["mean"] for one in timed]
    times = [one["time_s"] for one in timed]
    mean, median = total / used, stats.percentile(sorted(one["median"] for one in times), 0.5)
    interval = _students(means, mean)
    found |= {
        "used": used,
        "total_s": total,
        "first_step": timed[0]["first_step"],
        "last_step": timed[-1]["last_step"],
        "warm_up": _warm_up(timed),
        "outliers": {
            "count": sum(one["outliers"]["count"] for one in timed),
            "steps": [step for one in timed for step in one["outliers"]["steps"]],
            "share_of_time": math.fsum(
                one["outliers"]["share_of_time"] * (stats.time_of_used(one) or 0.0) for one in timed
            )
            / total,
        },
        "processes": {"count": len(timed), "means": means, "spread": (max(means) - min(means)) / mean},
        "time_s": {
            **times[0],
            "mean": mean,
            "median": median,
            "p5": min(one["p5"] for one in times),
            "min": min(one["min"] for one in times),
            "p95": max(one["p95"] for one in times),
            "max": max(one["max"] for one in times),
            "mean_interval": interval,
            "median_interval": _students([one["median"] for one in times], median),
            "interval_unknown": None if interval else "one process says nothing of others",
        },
    }
    if all("total_tokens" in one for one in timed):
        found["total_tokens"] = math.fsum(one["total_tokens"] for one in timed)
    return found


def _students(values: Sequence[float], middle: float) -> Interval | None:
    if len(values) < 2:
        return None
    reach = stats.student_reach(values)
    return {"low": middle - reach, "high": middle + reach, "method": f"Student's t of {len(values)} processes"}


def _warm_up(summaries: Sequence[Summary]) -> WarmUp:
    """The first process tells the reason; all of them tell how much."""
    all_of = [summary["warm_up"] for summary in summaries]
    ratios = [one["ratio"] for one in all_of if one["ratio"] is not None]
    return {
        "steps": sum(one["steps"] for one in all_of),
        "first": all_of[0]["first"],
        "last": all_of[0]["last"],
        "why": f"in each of {len(all_of)} processes; in the first: {all_of[0]['why']}",
        "sure": all(one["sure"] for one in all_of),
        "ratio": stats.percentile(sorted(ratios), 0.5) if ratios else None,
        "was_fast": all(one["was_fast"] for one in all_of),
    }


def _left_out(tables: Sequence[LeftOut]) -> LeftOut:
    return {"bad": sum(one["bad"] for one in tables), "impossible": sum(one["impossible"] for one in tables)}


def _warnings(results: Sequence[Result]) -> tuple[Warn, ...]:
    return gathered([result.warnings for result in results])


def gathered(groups: Sequence[Sequence[Warn]]) -> tuple[Warn, ...]:
    """Of warnings of the same kind in several processes the first, and how many have it."""
    found: dict[str, list[Warn]] = {}
    for warnings in groups:
        for code in dict.fromkeys(warning.code for warning in warnings):
            found.setdefault(code, []).extend([warning for warning in warnings if warning.code == code][:1])
    return tuple(_gathered(warnings, len(groups)) for warnings in found.values())


def _gathered(warnings: Sequence[Warn], processes: int) -> Warn:
    if len(warnings) == processes or processes == 1:
        return warnings[0]
    return replace(warnings[0], what=f"in {len(warnings)} of {processes} processes: {warnings[0].what}")
