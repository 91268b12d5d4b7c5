"""Statistics of step times: where the warm-up ends, and how sure a mean is when neighbours resemble each other.

Pure Python, and bounded: a million steps are sorted once, and else gathered into a few hundred cells.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice
from operator import mul
from typing import Any

LEVEL = 0.95
FEWEST_FOR_INTERVAL = 10
FEWEST_FOR_WARM_UP = 3
_Z = 1.959964
"""The normal quantile that belongs to LEVEL."""
_RESAMPLES = 1000
_MOST_CELLS = 500
_SMALLEST_NOISE = 0.003
"""Of the level. Steps that agree better than this, rounded ones say, do not make every small change significant."""
_ENOUGH = 10_000
_LOOKED_AT = 20_000
"""Steps from the start: what is longer than half of this is no warm-up."""
_SMALLEST_CHANGE = 0.01
"""Of the level: what changes less is no warm-up but a clock that wanders."""
_FARTHEST = 3.0
"""In noise widths: beyond, a step counts as no farther away, so that a few outliers cannot make a warm-up."""
_OUTLIER = 6.0
"""In noise widths from the median."""


@dataclass(frozen=True)
class Interval:
    """Where the true figure lies, in 95 of 100 such runs."""

    low: float
    high: float
    method: str


@dataclass(frozen=True)
class WarmUp:
    """How many steps at the start are not like those that follow."""

    steps: int
    why: str
    sure: bool = True
    """False where the series is too short to tell."""
    ratio: float | None = None
    """Their median over that of the steps that follow."""


def noise(values: Sequence[float]) -> float:
    """The usual distance from the median, on the scale of a standard deviation; outliers do not count."""
    return noise_of_ordered(sorted(values))


def noise_of_ordered(ordered: Sequence[float]) -> float:
    # Of very many values in order, every n-th are spread as all are.
    ordered = ordered[:: max(1, len(ordered) // _ENOUGH)]
    middle = percentile(ordered, 0.5)
    # Of values in order the distances fall and then rise: putting those in order is no work.
    apart = sorted([abs(value - middle) for value in ordered])
    return max(1.4826 * percentile(apart, 0.5), _SMALLEST_NOISE * abs(middle))


def autocorrelation(values: Sequence[float]) -> float:
    """How much of a step's deviation the next one repeats (lag one), 0 to 0.95."""
    if len(values) < 4:
        return 0.0
    mean = math.fsum(values) / len(values)
    apart = [value - mean for value in values]
    total = math.fsum(map(mul, apart, apart))
    if total == 0:
        return 0.0
    found = math.fsum(map(mul, apart, islice(apart, 1, None))) / total
    # Estimated from n values it comes out too small by about (1 + 3 r) / n.
    return min(max(found + (1 + 3 * found) / len(values), 0.0), 0.95)


# --- warm-up ----------------------------------------------------------------------------


def time_of_used(summary: Mapping[str, Any]) -> float | None:
    """As many times the mean as steps, or lines, count. It is a run's own time only where it is in the summary itself."""
    if (total := summary.get("total_s")) is not None:
        return float(total)
    times = summary.get("time_s")
    return float(times["mean"]) * float(summary["used"]) if times else None


def find_warm_up(times: Sequence[float], most: int | None = None) -> WarmUp:
    """The change point after which the series keeps its level: at most half of it, and no mere drift. ``most``: where each
    value stands for so many steps that what lasts longer is training."""
    if len(times) < FEWEST_FOR_WARM_UP:
        return WarmUp(0, f"{len(times)} steps are too few to tell a warm-up", sure=False)
    times = times[:_LOOKED_AT]
    start, last = 0, len(times) // 2
    while start < last:
        found = _change_point(times[start:], last - start)
        if not found:
            break
        start += found
    if not start:
        return WarmUp(0, "no change of level in the first half")
    if most is not None and start > most:
        return WarmUp(0, f"the level changes after {start} lines, each of many steps: too late for a warm-up")
    ratio = statistics.median(times[:start]) / statistics.median(times[start:])
    how = f"{ratio:.2f} times as long as" if ratio >= 1 else f"only {ratio:.2f} times as long as"
    return WarmUp(start, f"change point: these steps take {how} those that follow (medians)", ratio=ratio)


def _change_point(values: Sequence[float], last: int) -> int:
    """After how many values the level changes for good; 0 where it does not."""
    settled = values[len(values) // 2 :]
    ordered = sorted(settled)
    level, width = percentile(ordered, 0.5), noise_of_ordered(ordered)
    apart = [(value - level) / width for value in values]
    slow = apart[0] > 0
    leading = next((place for place, value in enumerate(apart) if (value if slow else -value) < _OUTLIER), len(apart))
    least = _SMALLEST_CHANGE * abs(level) / width
    for split in (min(leading, last), _split(apart, last)):
        if split and not _is_drift(apart, split):
            before, after = statistics.median(apart[:split]), statistics.median(apart[split:])
            # A power limit takes a while: one or two faster steps are chance, one or two slower ones a warm-up.
            if abs(before - after) > least and (before > after or split > 2):
                return split
    return 0


def _split(apart: Sequence[float], last: int) -> int:
    """Where two levels fit far better than one. An outlier counts as a moderate deviation."""
    count = len(apart)
    clipped = [min(max(value, -_FARTHEST), _FARTHEST) for value in apart]
    sums = list(accumulate(clipped))

    def gain(split: int) -> float:
        first, second = sums[split - 1] / split, (sums[-1] - sums[split - 1]) / (count - split)
        return (first - second) ** 2 * split * (count - split) / count

    # Beyond the limit, too: where the best split lies there, the one at the limit is none.
    split = max(range(1, min(last + count // 4 + 1, count)), key=gain, default=0)
    if split > last:
        return 0
    chance = (2 * math.log(count) + 4) * _slowness(clipped[count // 2 :])
    return split if split and gain(split) > chance else 0


def _slowness(apart: Sequence[float]) -> float:
    """How many times the variance of a mean exceeds that of a mean of strangers: neighbours resemble each other, and a
    clock that wanders makes whole stretches alike. ``apart`` is in noise widths."""
    repeats = autocorrelation(apart)
    by_neighbours = (1 + repeats) / (1 - repeats)
    length = math.isqrt(len(apart))
    if length < 5:
        return by_neighbours
    stretches = [_mean(apart[start : start + length]) for start in range(0, len(apart) - length + 1, length)]
    return max(by_neighbours, length * noise(stretches) ** 2)


def _is_drift(apart: Sequence[float], split: int) -> bool:
    """Whether the series goes on changing after the split, and about as much as it did there."""
    middle = (split + len(apart)) // 2
    if middle - split < 2:
        return False
    before, near, far = (statistics.median(part) for part in (apart[:split], apart[split:middle], apart[middle:]))
    allowance = 3 * math.sqrt(2 / (middle - split))
    return abs(near - far) > allowance and abs(before - near) < 3 * abs(near - far)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


# --- the settled part -------------------------------------------------------------------


_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
"""Student's t at 95 %, by degrees of freedom from 1."""


def student_reach(values: Sequence[float]) -> float:
    """How far the 95 % interval of the mean of a few independent values reaches to either side."""
    freedom = len(values) - 1
    deviation = math.sqrt(math.fsum((value - _mean(values)) ** 2 for value in values) / freedom)
    return _STUDENT[min(freedom, len(_STUDENT)) - 1] * deviation / math.sqrt(len(values))


def outliers(times: Sequence[float], ordered: Sequence[float] | None = None) -> list[int]:
    """Places of steps far from the median: checkpoints, evaluations, hiccups. They stay in the total."""
    if len(times) < FEWEST_FOR_WARM_UP:
        return []
    ordered = ordered or sorted(times)
    middle, width = percentile(ordered, 0.5), noise_of_ordered(ordered)
    low, high = middle - _OUTLIER * width, middle + _OUTLIER * width
    if low <= ordered[0] and ordered[-1] <= high:
        return []
    return [place for place, value in enumerate(times) if not low <= value <= high]


def drift(times: Sequence[float]) -> float | None:
    """The change from the first to the last third, relative to the first, where it is more than chance; else None."""
    times = middles(times)
    third = len(times) // 3
    if third < 4:
        return None
    first, last = statistics.median(times[:third]), statistics.median(times[-third:])
    slope = (last - first) / (len(times) - third)
    # Noise is what is left beside the line: the drift itself must not look like noise.
    left = [time - slope * place for place, time in enumerate(times)]
    level, width = statistics.median(left), noise(left)
    apart = [min(max((value - level) / width, -_FARTHEST), _FARTHEST) for value in left]
    chance = 3 * 1.2533 * width * math.sqrt(2 / third * _slowness(apart))
    return (last - first) / first if abs(last - first) > chance else None


def percentile(ordered: Sequence[float], part: float) -> float:
    """Of values in order, with a straight line between neighbours."""
    place = part * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# --- intervals --------------------------------------------------------------------------


def mean_replicates(values: Sequence[float], seed: int = 0) -> list[float]:
    """Means the same process could have given: a circular block bootstrap, widened for the few blocks there are.

    The ratio of two series gets its interval from the ratios of their replicates.
    """
    cells = _cells(values)
    count = len(cells)
    length = _block_length(cells)
    doubled = [0.0, *accumulate(cells + cells[:length])]
    blocks = [(doubled[start + length] - doubled[start]) / length for start in range(count)]
    drawn = max(1, round(count / length))
    chooser = random.Random(seed)
    means = [_mean(chooser.choices(blocks, k=drawn)) for _ in range(_RESAMPLES)]
    return _widened(means, _mean(cells), cells, count / length)


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval | None:
    """Of the mean; None where there are too few values."""
    if len(values) < FEWEST_FOR_INTERVAL:
        return None
    return interval_of(mean_replicates(values, seed), f"block bootstrap of the mean, {len(values)} steps")


def interval_of(replicates: Sequence[float], method: str) -> Interval:
    ordered = sorted(replicates)
    return Interval(percentile(ordered, (1 - LEVEL) / 2), percentile(ordered, (1 + LEVEL) / 2), method)


def median_interval(values: Sequence[float], seed: int = 0, steps: int | None = None) -> Interval | None:
    """Of the median; None where there are too few values. ``steps``: of how many the values are the ``middles``."""
    if len(values) < FEWEST_FOR_INTERVAL:
        return None
    cells = middles(values)
    count = len(cells)
    length = _block_length(cells)
    doubled = cells + cells[:length]
    drawn = max(1, round(count / length))
    chooser = random.Random(seed)
    blocks = [doubled[start : start + length] for start in range(count)]
    samples = (sorted(chain.from_iterable(chooser.choices(blocks, k=drawn))) for _ in range(_RESAMPLES // 2))
    medians = [percentile(sample, 0.5) for sample in samples]
    replicates = _widened(medians, statistics.median(cells), cells, count / length)
    return interval_of(replicates, f"block bootstrap of the median, {steps or len(values)} steps")


def weighted(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Values whose plain mean is the weighted one of these, and as sure. The weights have a mean of 1."""
    mean = math.fsum(map(mul, values, weights)) / len(values)
    return [mean + weight * (value - mean) for value, weight in zip(values, weights)]


def middles(values: Sequence[float]) -> list[float]:
    """Medians of equal runs of the values, where there are too many of them. Those of the result are themselves."""
    return _cells(values, statistics.median)


def _cells(values: Sequence[float], gather: Callable[[Sequence[float]], float] = _mean) -> list[float]:
    """The values, or where there are too many of them the middles of equal runs of them."""
    size = -(-len(values) // _MOST_CELLS)
    if size <= 1:
        return list(values)
    whole = len(values) // size * size
    return [gather(values[start : start + size]) for start in range(0, whole, size)]


def _block_length(values: Sequence[float]) -> int:
    """How many neighbours stay together: the best length for a process that repeats itself as much as this one."""
    repeats = autocorrelation(values)
    best = math.pow(1.5 * (2 * repeats / (1 - repeats * repeats)) ** 2 * len(values), 1 / 3)
    return max(1, min(math.ceil(best), len(values) // 4))


def _widened(replicates: list[float], middle: float, cells: Sequence[float], blocks: float) -> list[float]:
    """Replicates moved away from the middle as far as few blocks and neighbours that resemble each other demand.

    Blocks cut the resemblance off at their ends; Student's quantile is for as many blocks as are independent.
    """
    freedom = max(blocks - 1, 1.0)
    quantile = _Z + (_Z**3 + _Z) / (4 * freedom) + (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * freedom**2)
    repeats, length = autocorrelation(cells), len(cells) / blocks
    kept = 1 - 2 * repeats * (1 - repeats**length) / (length * (1 - repeats * repeats))
    factor = quantile / _Z * math.sqrt(blocks / max(blocks - 1, 0.5) / kept)
    if middle > 0 and min(replicates) > 0:
        # By ratio, not by difference: a time is never negative, however noisy.
        return [middle * (value / middle) ** factor for value in replicates]
    return [middle + factor * (value - middle) for value in replicates]
