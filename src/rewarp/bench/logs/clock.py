"""A clock that runs through a whole run, read at every step: what each step took."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import replace

from rewarp.bench.logs.tracks import Thinned
from rewarp.bench.model import Series, Warn


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
