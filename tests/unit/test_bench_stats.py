"""Statistics of step times, on series of which the truth is known."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.bench import stats

SEEDS = 300


def steps(count: int, seed: int, repeats: float = 0.0, noise: float = 0.02, outliers: float = 0.0) -> list[float]:
    """Times around 1 s that resemble their neighbours (AR(1)); some are three times as long."""
    chooser = random.Random(seed)
    apart = chooser.gauss(0, 1) / math.sqrt(1 - repeats**2)
    found = []
    for _ in range(count):
        apart = repeats * apart + chooser.gauss(0, 1)
        found.append((1 + noise * apart) * (3 if chooser.random() < outliers else 1))
    return found


def coverage(interval: Callable[..., stats.Interval | None], count: int, repeats: float) -> float:
    hits = 0
    for seed in range(SEEDS):
        found = interval(steps(count, seed * 7919 + count, repeats), seed)
        assert found is not None
        hits += found.low <= 1 <= found.high
    return hits / SEEDS


@pytest.mark.parametrize(("count", "repeats"), [(30, 0.0), (100, 0.3), (100, 0.6), (200, 0.8)])
def test_interval_of_the_mean_holds_the_truth_as_often_as_it_says(count: int, repeats: float) -> None:
    assert 0.90 <= coverage(stats.mean_interval, count, repeats) <= 0.98


@pytest.mark.parametrize(("count", "repeats"), [(30, 0.0), (80, 0.6)])
def test_interval_of_the_median_holds_the_truth_as_often_as_it_says(count: int, repeats: float) -> None:
    assert 0.90 <= coverage(stats.median_interval, count, repeats) <= 0.98


def test_ignoring_likeness_of_neighbours_would_be_wrong() -> None:
    """What the block bootstrap is for: the textbook interval misses the truth half of the time."""
    hits = 0
    for seed in range(SEEDS):
        values = steps(200, seed, 0.8)
        half = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
        hits += abs(statistics.fmean(values) - 1) <= half
    assert hits / SEEDS < 0.7


def test_interval_shrinks_with_more_steps() -> None:
    few, many = (stats.mean_interval(steps(count, 1)) for count in (50, 5000))
    assert few is not None
    assert many is not None
    assert 5 < (few.high - few.low) / (many.high - many.low) < 20


def test_interval_of_a_time_is_never_negative() -> None:
    chooser = random.Random(3)
    values = [chooser.expovariate(1) ** 4 for _ in range(12)]
    found = stats.mean_interval(values)
    assert found is not None
    assert 0 < found.low < statistics.fmean(values) < found.high


def test_too_few_values_have_no_interval() -> None:
    assert stats.mean_interval([1.0] * (stats.FEWEST_FOR_INTERVAL - 1)) is None
    assert stats.median_interval([1.0] * (stats.FEWEST_FOR_INTERVAL - 1)) is None
    assert stats.mean_interval([1.0] * stats.FEWEST_FOR_INTERVAL) is not None


def test_same_seed_same_interval() -> None:
    values = steps(60, 5)
    assert stats.mean_interval(values, 1) == stats.mean_interval(values, 1)
    assert stats.mean_replicates(values, 1) != stats.mean_replicates(values, 2)


# --- warm-up ------------------------------------------------------------------------------

SHAPES: dict[str, tuple[Callable[[int], float], int]] = {
    "one compile step": (lambda step: 9.0 if step < 1 else 0.0, 1),
    "seven slower steps": (lambda step: 0.3 if step < 7 else 0.0, 7),
    "forty steps a little slower": (lambda step: 0.1 if step < 40 else 0.0, 40),
    "ten faster steps, before the power limit": (lambda step: -0.2 if step < 10 else 0.0, 10),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("repeats", [0.0, 0.5])
def test_change_point_is_found(name: str, repeats: float) -> None:
    extra, truth = SHAPES[name]
    off = 0
    for seed in range(40):
        values = [time + extra(step) for step, time in enumerate(steps(120, seed, repeats, outliers=0.02))]
        off += abs(stats.find_warm_up(values).steps - truth) > 2
    assert off <= 4


@pytest.mark.parametrize("repeats", [0.0, 0.6])
def test_no_warm_up_where_there_is_none(repeats: float) -> None:
    wrong = sum(stats.find_warm_up(steps(150, seed, repeats, outliers=0.02)).steps > 2 for seed in range(60))
    assert wrong <= 3


def test_slow_decay_is_left_out_until_it_hardly_matters() -> None:
    values = [time + 3 * math.exp(-step / 4) for step, time in enumerate(steps(120, 2))]
    assert 10 <= stats.find_warm_up(values).steps <= 40


@pytest.mark.parametrize("slope", [0.001, 0.01, -0.001])
def test_drift_is_no_warm_up(slope: float) -> None:
    values = [time + 2 + slope * step for step, time in enumerate(steps(400, 4))]
    assert stats.find_warm_up(values).steps <= 1
    found = stats.drift(values)
    assert found is not None
    assert found * slope > 0


def test_steps_cannot_become_shorter_by_more_than_all() -> None:
    values = [0.5 * 0.98**n for n in range(120)]
    assert -1 < (stats.drift(values) or 0) < -0.5
    assert (stats.drift(values[::-1]) or 0) > 1


def test_no_drift_where_there_is_none() -> None:
    assert sum(stats.drift(steps(200, seed, 0.5)) is not None for seed in range(60)) <= 2


def test_short_series() -> None:
    assert stats.find_warm_up([]).sure is False
    assert stats.find_warm_up([22.4, 0.9]) == stats.WarmUp(0, "2 steps are too few to tell a warm-up", sure=False)
    assert stats.find_warm_up([22.4, 0.89, 0.9]).steps == 1
    assert stats.find_warm_up([5.0, 5.0, 5.0, 5.0]).steps == 0


def test_a_clock_that_wanders_is_no_warm_up() -> None:
    values = [1.652 if step % 300 < 150 else 1.66 for step in range(2000)]
    assert stats.find_warm_up(values).steps == 0


def test_outliers_are_named() -> None:
    values = steps(100, 6)
    values[17] *= 4
    values[50] *= 2
    assert stats.outliers(values) == [17, 50]


def test_a_million_steps_take_seconds() -> None:
    chooser = random.Random(0)
    values = [9.0, *(chooser.uniform(0.98, 1.02) for _ in range(999_999))]
    assert stats.find_warm_up(values).steps == 1
    found = stats.mean_interval(values[1:])
    assert found is not None
    assert found.high - found.low < 0.001


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=40))
@settings(max_examples=60)
def test_any_positive_series(values: list[float]) -> None:
    warm_up = stats.find_warm_up(values)
    assert 0 <= warm_up.steps <= len(values) // 2
    mean = stats.mean_interval(values)
    assert (mean is None) == (len(values) < stats.FEWEST_FOR_INTERVAL)
    if mean is not None:
        assert 0 < mean.low <= mean.high
    stats.drift(values)
    assert 0 <= stats.autocorrelation(values) <= 0.95
