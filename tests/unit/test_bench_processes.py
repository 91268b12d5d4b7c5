"""Several processes measure one benchmark: every one of them counts as one measurement."""

from __future__ import annotations

import random
import statistics
from dataclasses import replace

import pytest
from bench_results import codes, training

from rewarp.bench import json_file, processes
from rewarp.bench.compare import Settings, compare
from rewarp.bench.compare_figures import FigureVerdict
from rewarp.bench.compare_inputs import Benchmark, Run
from rewarp.bench.derive import derive
from rewarp.bench.result import Result
from rewarp.bench.summary import summarise


def measured(seed: int, count: int = 3, mean: float = 0.5, between: float = 0.01, within: float = 0.001) -> Result:
    """Processes whose levels differ by more than their steps do."""
    chooser = random.Random(seed)
    parts = []
    for _ in range(count):
        level = mean * (1 + chooser.gauss(0, between))
        steps = [5 * level, *(level * (1 + chooser.gauss(0, within)) for _ in range(30))]
        parts.append(derive(summarise(training(steps))))
    return derive(summarise(processes.joined(parts)))


def verdict(first: Result, second: Result) -> FigureVerdict:
    runs = tuple(Run(name, name, result, name, name) for name, result in (("a", first), ("b", second)))
    return next(pair for _, pair in compare([Benchmark("x", "training", runs)], Settings()).pairs).verdict


def test_each_process_has_a_warm_up_of_its_own() -> None:
    result = measured(1)
    assert result.summary["steps"] == 93
    assert result.summary["warm_up"]["steps"] == 3
    assert result.summary["used"] == 90
    assert result.summary["time_s"]["max"] < 0.6
    assert result.summary["processes"]["count"] == 3


def test_the_interval_is_that_of_the_processes() -> None:
    result = measured(2)
    means = result.summary["processes"]["means"]
    interval = result.summary["time_s"]["mean_interval"]
    reach = 4.303 * statistics.stdev(means) / 3**0.5
    assert interval["high"] - interval["low"] == pytest.approx(2 * reach)
    assert "3 processes" in interval["method"]


def test_rates_are_of_all_processes() -> None:
    result = measured(3)
    assert result.derived["tokens_per_s"].value == pytest.approx(32 * 4096 * 90 / result.summary["total_s"])


def test_statistics_are_the_same_after_a_file() -> None:
    result = measured(4)
    again = json_file.results_of(json_file.document([result]))[0]
    assert summarise(again).summary == result.summary


def test_of_100_comparisons_of_a_thing_with_itself_at_most_5_differ() -> None:
    """Levels of processes differ by 1 %, steps within them by 0.1 %: an interval of steps alone is wrong nearly always."""
    verdicts = [verdict(measured(seed), measured(1000 + seed)) for seed in range(100)]
    assert sum(word in (FigureVerdict.FASTER, FigureVerdict.SLOWER) for word in verdicts) <= 5


def test_a_slowdown_of_10_percent_is_found() -> None:
    verdicts = [verdict(measured(seed), measured(1000 + seed, mean=0.55)) for seed in range(50)]
    assert verdicts.count(FigureVerdict.SLOWER) >= 40


def test_a_warning_of_some_processes_says_of_how_many() -> None:
    good, bad = training([0.5] * 30), training([0.5] * 15 + [-1.0] + [0.5] * 15)
    result = summarise(processes.joined([good, bad, good]))
    assert codes(result).count("bad-step-time") == 1
    assert next(w.what for w in result.warnings if w.code == "bad-step-time").startswith("in 1 of 3 processes")
    assert result.summary["left_out"]["bad"] == 1


def test_one_process_is_a_plain_result() -> None:
    one = summarise(processes.joined([training([0.5] * 30)]))
    assert "processes" not in one.summary
    assert replace(one).summary["used"] == 30
