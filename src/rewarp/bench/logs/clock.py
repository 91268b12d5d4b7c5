"""A clock that runs through a whole run, read at every step: what each step took."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import replace

from rewarp.bench.logs.tracks import Thinned
from rewarp.bench.result import Series, Warn

_LONG_S = 10.0
_STRETCHES = 8
COARSE = Warn("coarse-clock", "step times come from a clock that counts whole seconds", "info")


def with_times(series: Series) -> tuple[Series, list[Warn]]:
    """Of a clock that runs through the whole run, the time of each step."""
    if "elapsed_s" not in series.columns and not (isinstance(series, Thinned) and "elapsed_s" in series.whole.columns):
        return series, []
    if isinstance(series, Thinned):
        times, resets = _differences(series.whole.step, series.whole.columns["elapsed_s"])
        whole = Series(series.whole.step, {"time_s": times})
        thin = {name: values for name, values in series.columns.items() if name != "elapsed_s"}
        thin["time_s"] = times[:: series.thinned][: len(series.step)]
        return replace(series, columns=thin, whole=whole), _about_resets(resets)
    times, resets = _differences(series.step, series.columns["elapsed_s"])
    columns = {name: values for name, values in series.columns.items() if name != "elapsed_s"}
    known = [None if math.isnan(time) else time for time in times]
    return Series(series.step, {"time_s": known, **columns}), _about_resets(resets)


def _differences(steps: Sequence[int], clock: Sequence[float | None]) -> tuple[array[float], list[int]]:
    times = array("d")
    resets = []
    # A clock that is first read late tells nothing of the step it is read at.
    from_start = len(steps) > 1 and 1 <= steps[0] <= steps[1] - steps[0]
    before, at = 0.0, 0 if from_start else -1
    for step, now in zip(steps, clock):
        if now is None or math.isnan(now):
            times.append(math.nan)
            continue
        gone = now - before
        if gone < 0:
            resets.append(step)
        times.append(gone / (step - at) if gone >= 0 and step > at and at >= 0 else math.nan)
        before, at = now, step
    return times, resets


def _about_resets(resets: list[int]) -> list[Warn]:
    if not resets:
        return []
    what = f"the log's clock starts again at step {resets[0]}; that step's time is unknown"
    return [Warn("clock-restarted", what, "info", f"step {resets[0]}")]


def coarse_times(steps: Sequence[int], clocks: Sequence[float | None]) -> list[float | None]:
    """Seconds per step; the first line has none before it.

    The clock counts whole seconds: a line gets the mean over a stretch around it that is long enough for that not to
    matter, and one of many in any case.
    """
    found: list[float | None] = [None] * len(steps)
    known = [(place, clock) for place, clock in enumerate(clocks) if clock is not None]
    if len(known) < 2:
        return found
    stretch = max(1.0, min(_LONG_S, (known[-1][1] - known[0][1]) / _STRETCHES))
    before = start = known[0]

    def fill(first: tuple[int, float], last: tuple[int, float]) -> None:
        time = (last[1] - first[1]) / (steps[last[0]] - steps[first[0]])
        found[first[0] + 1 : last[0] + 1] = [time] * (last[0] - first[0])

    for now in known[1:]:
        if now[1] < start[1]:
            before = start = now
        elif now[1] - start[1] >= stretch:
            fill(start, now)
            before, start = start, now
    if before != start != known[-1]:
        # What is left is too short by itself.
        fill(before, known[-1])
    return found
