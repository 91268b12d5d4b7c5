"""Which steps of a series have a time that can be one."""

from __future__ import annotations

import math
import statistics
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from rewarp.bench.hardware import highest_possible_tflops
from rewarp.bench.result import Result, Series
from rewarp.bench.work import flops_per_step_and_device

_BASES = ("time_s", "tokens_per_s", "tokens_per_s_per_device", "samples_per_s", "tflops_per_device")
"""What times are taken from, the best first."""
_SMALLEST = 1e-15
"""A time, or a rate, below this or above its inverse is no figure but a mistake."""
_FAR_TOO_FAST = 0.01
"""Of the median: where the work of a step or the peak is not known, a step this short is worth a word."""


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
    doubtful: int = 0
    """Steps far below the median that stay: no peak is known that would rule them out."""


def measured_of(result: Result, series: Series) -> Measured:
    """Times by step: as logged, else from a column of rates, whose means must not be arithmetic."""
    for basis in _BASES:
        places, values, given = _sensible(series.columns.get(basis, ()))
        if not values:
            continue
        if basis != "time_s":
            values = array("d", [1 / value for value in values])
        kept = _possible(result, series, places, values, basis)
        if len(kept) == len(values):
            return Measured(
                basis, places, values, given - len(values), 0, _doubtful(values) if basis == "time_s" else 0
            )
        times = array("d", [values[at] for at in kept])
        return Measured(basis, [places[at] for at in kept], times, given - len(values), len(values) - len(kept))
    return Measured("none", (), (), sum(1 for value in series.columns.get("time_s", ()) if value is not None), 0)


def _sensible(column: Sequence[float | None]) -> tuple[Sequence[int], array[float], int]:
    """Where there is a figure that can be one, those figures, and how many figures there are in all."""
    if isinstance(column, array) and column and math.isfinite(sum(column)) and _is_figure(min(column), max(column)):
        return range(len(column)), column, len(column)
    places, values, given = array("q"), array("d"), 0
    for place, value in enumerate(column):
        if value is not None and math.isfinite(value):
            given += 1
            if _is_figure(value, value):
                places.append(place)
                values.append(value)
    return places, values, given


def _is_figure(least: float, most: float) -> bool:
    return least > _SMALLEST and most < 1 / _SMALLEST


def _possible(
    result: Result, series: Series, places: Sequence[int], times: Sequence[float], basis: str
) -> Sequence[int]:
    """Which of the times are none of steps that beat the peak of the device: asynchronous work, not waited for."""
    peak, flops = highest_possible_tflops(result), flops_per_step_and_device(result)
    shortest = 0.0
    if peak and basis == "time_s" and flops:
        shortest = flops / (peak * 1e12)
    rates = series.figures("tflops_per_device") if peak and "tflops_per_device" in series.columns else None
    if rates is None and min(times) >= shortest:
        return range(len(times))
    possible = [
        at
        for at, (place, time) in enumerate(zip(places, times))
        if time >= shortest and not (peak and rates and (rate := rates[place]) is not None and rate > peak)
    ]
    # Where most steps beat the peak, it is the device, the precision or the model that is not what it is said to be.
    return possible if 2 * len(possible) > len(times) else range(len(times))


def _doubtful(times: Sequence[float]) -> int:
    """How many are so far below the median that their work may not have been waited for."""
    # The median is wanted only where something is far below the longest.
    if len(times) < 5 or min(times) >= _FAR_TOO_FAST * max(times):
        return 0
    shortest = _FAR_TOO_FAST * statistics.median(times)
    return sum(time < shortest for time in times)
