"""Lines that stand for unequal numbers of steps: what each counts, and what the statistics make of it."""

from __future__ import annotations

import json
import math
import statistics
from array import array
from dataclasses import replace

import jsonschema
import pytest
from bench_results import codes, training
from hypothesis import given
from hypothesis import strategies as st

from rewarp.bench import stats
from rewarp.bench.derive import derive
from rewarp.bench.json_file import dump
from rewarp.bench.result import Result, Series
from rewarp.bench.summary import summarise
from rewarp.bench.weights import evened, line_weights, normalised
from rewarp.report.documents.schemas import SCHEMAS


def test_every_line_counts_the_same_where_the_interval_does_not_change() -> None:
    for steps in ((), (7,), range(1, 9), range(10, 100, 10), array("q", range(0, 50, 5))):
        assert line_weights(steps) is None


def test_a_line_counts_the_steps_since_the_line_before() -> None:
    assert line_weights([1, 2, 3, 4, 14, 24, 34]) == [1, 1, 1, 1, 10, 10, 10]
    assert line_weights([0, 10, 20, 25]) == [10, 10, 10, 5]


def test_lines_that_were_lost_are_not_steps_that_one_line_stands_for() -> None:
    assert line_weights([1, 2, 3, 500, 501, 502]) is not None
    assert line_weights([1, 2, 3, 500, 501, 502]) == [1.0] * 6


def test_steps_that_go_back_have_no_weights() -> None:
    assert line_weights([1, 5, 3, 8]) is None


def test_lines_of_few_steps_are_gathered() -> None:
    values, ends = evened([3.0, 1.0, 1.0, 3.0, 2.0, 2.0, 4.0, 5.0, 9.0], [10, 5, 5, 5, 5, 10, 10, 10, 1])
    assert (list(values), list(ends)) == ([3.0, 1.0, 2.5, 2.0, 4.0, 5.0], [1, 3, 5, 6, 7, 8])
    assert evened([1.0, 2.0], None) == ([1.0, 2.0], range(1, 3))


@given(st.lists(st.tuples(st.floats(0.1, 10), st.integers(1, 100)), min_size=2, max_size=40))
def test_weighted_values_have_the_weighted_mean(rows: list[tuple[float, int]]) -> None:
    values, counts = [value for value, _ in rows], [float(count) for _, count in rows]
    weights = normalised(counts)
    expected = sum(value * count for value, count in zip(values, counts)) / sum(counts)
    found = stats.weighted(values, weights) if weights else values
    assert statistics.fmean(found) == pytest.approx(expected)


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=60))
def test_noise_is_the_median_distance_from_the_median(values: list[float]) -> None:
    middle = statistics.median(values)
    apart = 1.4826 * statistics.median([abs(value - middle) for value in values])
    assert stats.noise(values) == pytest.approx(max(apart, 0.003 * middle))


# --- in a result ----------------------------------------------------------------------------


def run(series: Series, **provenance: object) -> Result:
    return replace(training(), series=series, provenance=provenance)


def test_the_mean_is_that_of_all_steps() -> None:
    """Five hundred steps of which every tenth line tells the mean, then fifty longer ones in a line each."""
    steps = [*range(10, 501, 10), *range(501, 551)]
    times = [1.5 + place % 7 * 0.001 for place in range(50)] + [2.0 + place % 3 * 0.01 for place in range(50)]
    result = summarise(run(Series(steps, {"time_s": times})))
    whole = 10 * sum(times[:50]) + sum(times[50:])
    assert result.summary["warm_up"]["steps"] == 0
    assert result.summary["time_s"]["mean"] == pytest.approx(whole / 550)
    assert "total_s" not in result.summary  # lines that stand for several steps add up to nobody's time
    assert stats.time_of_used(result.summary) == pytest.approx(whole / 550 * 100)


def test_no_more_than_half_of_the_steps_are_warm_up() -> None:
    """Three thousand steps in lines of a hundred, then a hundred one by one, of which every fifth is long."""
    steps = [*range(100, 3001, 100), *range(3001, 3101)]
    times = [0.38 + place % 3 * 0.001 for place in range(30)] + [0.352 if step % 5 else 0.49 for step in range(100)]
    result = summarise(run(Series(steps, {"time_s": times})))
    assert result.summary["warm_up"]["steps"] == 0
    assert not set(codes(result)) & {"late-change", "drift", "fast-start"}


def test_tokens_by_line_weigh_as_their_times_do() -> None:
    steps = [*range(1, 31), *range(40, 331, 10)]
    times = [1.0 + step % 3 * 0.01 for step in range(60)]
    tokens = [100.0] * 30 + [200.0] * 30
    result = derive(summarise(run(Series(steps, {"time_s": times, "tokens": tokens}))))
    counts = [1] * 30 + [10] * 30
    expected = sum(t * c for t, c in zip(tokens, counts)) / sum(t * c for t, c in zip(times, counts))
    assert result.derived["tokens_per_s"].value == pytest.approx(expected)


@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize(("each", "code"), [(1.0, None), (2.0, "time-outside-steps"), (0.5, "clock-disagrees")])
def test_the_wall_clock_between_lines_is_that_of_many_steps(averaged: bool, each: float, code: str | None) -> None:
    steps = list(range(10, 501, 10))
    columns = {"time_s": [1.0] * 50, "stamp_s": [1e9 + each * step for step in steps]}
    result = run(Series(steps, columns), averaged_over_interval=averaged)
    found = set(codes(summarise(result))) & {"time-outside-steps", "clock-disagrees"}
    # Where a line times one step of ten, what the others took is not known.
    assert found == ({code} if code and averaged else set())


@pytest.mark.parametrize("column", ["samples_per_s", "tokens_per_s_per_device"])
def test_rates_without_a_batch_or_a_device_count_have_statistics_too(column: str) -> None:
    rates = [10.0] + [100.0 + step % 7 for step in range(40)]
    result = derive(summarise(run(Series(range(1, 42), {column: rates}))))
    assert result.summary["basis"] == column
    assert result.summary["warm_up"]["steps"] == 1
    assert result.summary[column]["mean"] == pytest.approx(statistics.harmonic_mean(rates[1:]))
    jsonschema.validate(json.loads(dump([result])), json.loads((SCHEMAS / "bench-1.json").read_text("utf-8")))


def test_times_of_all_steps_beside_a_series_of_some() -> None:
    times = array("d", [3.0] + [1.0 + step % 5 * 0.01 for step in range(9999)])
    thin = Series(range(1, 10_001, 100), {"loss": [2.0] * 100}, 100)
    result = summarise(run(thin), Series(range(1, 10_001), {"time_s": times}))
    assert (result.summary["steps"], result.summary["used"]) == (10_000, 9999)
    assert result.summary["time_s"]["mean"] == pytest.approx(math.fsum(times[1:]) / 9999)
    assert result.summary["loss"]["steps"] == 100
