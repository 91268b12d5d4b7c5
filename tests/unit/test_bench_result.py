"""The model and the summary: which steps count, and what is said about the others."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace

import pytest
from bench_results import codes, training

from rewarp.bench.result import Series
from rewarp.bench.summary import steps_that_count, summarise


def test_columns_hold_none_and_nan_for_what_is_missing() -> None:
    series = Series((1, 2, 3, 4), {"loss": (1.0, None, math.nan, math.inf), "time_s": array("d", [1, math.nan, 2, 3])})
    assert series.figures("loss") == [1.0, None, None, None]
    assert series.figures("time_s") == [1.0, None, 2.0, 3.0]
    assert series.figures("power_w") == [None] * 4


def test_thinning_keeps_columns_in_step() -> None:
    series = Series(tuple(range(100)), {"time_s": tuple(float(step) for step in range(100))})
    thin = series.thin(30)
    assert thin.thinned == 4
    assert list(thin.step) == list(thin.columns["time_s"]) == list(range(0, 100, 4))
    assert thin.thin(10).thinned == 12
    assert series.thin(100) is series


def test_warm_up_is_not_in_the_figures() -> None:
    summary = summarise(training()).summary
    assert summary["warm_up"]["steps"] == 2
    assert (summary["warm_up"]["first"], summary["warm_up"]["last"]) == (1, 2)
    assert (summary["first_step"], summary["last_step"], summary["used"]) == (3, 62, 60)
    assert summary["time_s"]["mean"] == pytest.approx(0.5, abs=0.003)
    assert summary["total_s"] == pytest.approx(60 * summary["time_s"]["mean"])
    interval = summary["time_s"]["mean_interval"]
    assert interval["low"] < summary["time_s"]["mean"] < interval["high"]


def test_bad_times_are_left_out_and_said() -> None:
    times = [0.5] * 20 + [-1.0, 0.0, math.nan, math.inf] + [0.5] * 20
    result = summarise(training(times))
    assert result.summary["used"] == 40
    assert result.summary["left_out"]["bad"] == 2
    assert "bad-step-time" in codes(result)
    assert result.summary["time_s"]["max"] == 0.5


def test_a_step_that_beats_the_device_is_left_out() -> None:
    """Work that was not waited for: 131072 tokens of 2 billion parameters are 0.15 s on eight MI300X at the least."""
    times = [0.5] * 30 + [0.1] + [0.5] * 9
    result = summarise(training(times))
    assert result.summary["left_out"]["impossible"] == 1
    assert result.summary["time_s"]["min"] == 0.5
    assert "impossible-step" in codes(result)


def test_where_every_step_beats_the_device_the_steps_are_not_to_blame() -> None:
    result = summarise(training([0.1] * 40))
    assert result.summary["left_out"]["impossible"] == 0
    assert result.summary["used"] == 40


def test_without_a_known_peak_no_step_is_left_out_as_too_fast() -> None:
    times = [11.7] * 10 + [0.002] + [11.7] * 9
    unknown_device = {"name": None, "count": None}
    result = summarise(training(times, device=unknown_device))
    assert result.summary["left_out"]["impossible"] == 0
    assert result.summary["time_s"]["min"] == 0.002
    assert "doubtful-step" in codes(result)
    slow = [11.7] * 10 + [0.8] + [11.7] * 9
    assert "doubtful-step" not in codes(summarise(training(slow, device=unknown_device)))


def test_a_ceiling_that_was_measured_rules_nothing_out() -> None:
    """A noisy CPU was slow when its matrix product was measured: the steps that follow are real all the same."""
    measured = {"name": "Some CPU", "peak_tflops": 0.001, "matmul_tflops": 0.001}
    result = summarise(training([0.5] * 30 + [0.1] + [0.5] * 9, device=measured))
    assert result.summary["left_out"]["impossible"] == 0
    assert result.summary["time_s"]["min"] == 0.1


def test_rates_are_averaged_by_time() -> None:
    """Half of the steps at 9000 tokens/s and half at 4500 are 6000 tokens/s, not 6750."""
    rates = (9000.0, 4500.0) * 20
    result = summarise(training(columns={"tokens_per_s": rates}))
    assert result.summary["basis"] == "tokens_per_s"
    figures = result.summary["tokens_per_s"]
    assert figures["mean"] == pytest.approx(6000)
    assert (figures["min"], figures["max"]) == (4500, 9000)
    assert figures["p5"] < figures["p95"]
    assert figures["mean_interval"]["low"] < 6000 < figures["mean_interval"]["high"]


def test_too_short_for_an_interval() -> None:
    result = summarise(training([0.5] * 6))
    assert result.summary["time_s"]["mean_interval"] is None
    assert result.summary["time_s"]["interval_unknown"] == "6 steps are too few: an interval needs 10"
    assert "short-run" in codes(result)


@pytest.mark.parametrize("times", [[], [0.5], [0.5, 0.5], [-1.0], [math.nan] * 3])
def test_hardly_anything(times: list[float]) -> None:
    result = summarise(training(times))
    assert result.summary["steps"] == len(times)
    assert ("time_s" in result.summary) == any(time > 0 for time in times)


def test_faster_at_first_is_said() -> None:
    result = summarise(training([0.43] * 20 + [0.5, 0.501] * 40))
    assert result.summary["warm_up"]["steps"] == 20
    assert "fast-start" in codes(result)


def test_drift_is_said() -> None:
    result = summarise(training([0.5 + 0.001 * step for step in range(100)]))
    assert "drift" in codes(result)


def test_another_level_at_the_end_is_said() -> None:
    result = summarise(training([0.5, 0.501] * 19 + [0.6, 0.601] * 6))
    assert result.summary["late_change"]["steps"] == 12
    assert "late-change" in codes(result)
    assert "late-change" not in codes(summarise(training()))


def stamps(times: list[float], scale: float = 1.0) -> tuple[float, ...]:
    found, now = [], 1e9
    for time in times:
        now += scale * time
        found.append(now)
    return tuple(found)


@pytest.mark.parametrize(
    ("scale", "code"),
    [(1.0, None), (1.1, None), (0.5, "clock-disagrees"), (2.0, "time-outside-steps"), (-1.0, "clock-backwards")],
)
def test_wall_clock_bears_the_steps_out(scale: float, code: str | None) -> None:
    times = [0.5] * 100
    result = summarise(training(times, columns={"stamp_s": stamps(times, scale)}))
    about = [name for name in codes(result) if name.startswith(("clock", "time-"))]
    assert about == ([code] if code else [])


def test_losses_that_are_not_finite_are_said() -> None:
    losses = (3.0, 2.0, math.nan, math.inf)
    result = summarise(training([0.5] * 4, columns={"loss": losses}))
    assert "loss-not-finite" in codes(result)
    assert result.summary["loss"] == {"first": 3.0, "last": 2.0, "min": 2.0, "steps": 2}


def test_summarising_twice_changes_nothing() -> None:
    once = summarise(training([-1.0, *[0.5] * 30]))
    assert summarise(once) == once


def test_steps_that_count_are_those_of_the_summary() -> None:
    result = summarise(training())
    assert sum(steps_that_count(result)) == pytest.approx(result.summary["total_s"])
    thinned = replace(result, series=result.series.thin(20))
    assert steps_that_count(thinned)
    assert max(steps_that_count(thinned)) < 0.6
