"""Ratios with intervals: the truth lies inside, verdicts follow from the whole interval, errors forbid figures."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import replace
from typing import Any

import pytest
from bench_compare_parts import compared, make, measured, times_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.bench.compare import Comparison, Settings, compare, compare_losses
from rewarp.bench.compare_figures import Figure, FigureVerdict, judge
from rewarp.bench.compare_inputs import Input, Unmatched, match
from rewarp.bench.compare_spread import Spread, of_run
from rewarp.bench.derive import derive
from rewarp.bench.result import Result, Sourced, Warn
from rewarp.bench.summary import summarise
from rewarp.errors import UsageError


def only(comparison: Comparison) -> Any:
    return comparison.groups[0].pairs[0]


def figure(comparison: Comparison, name: str) -> Figure:
    found: Figure = next(it for it in only(comparison).figures if it.name == name)
    return found


# --- verdicts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.02, 1.05, FigureVerdict.FASTER),
        (1.01, 1.05, FigureVerdict.FASTER),
        (1.005, 1.05, FigureVerdict.CANNOT_TELL),
        (0.995, 1.005, FigureVerdict.SAME),
        (0.98, 1.005, FigureVerdict.CANNOT_TELL),
        (0.90, 0.99, FigureVerdict.SLOWER),
        (0.90, 0.995, FigureVerdict.CANNOT_TELL),
        (0.5, 2.0, FigureVerdict.CANNOT_TELL),
    ],
)
def test_the_whole_interval_decides(low: float, high: float, verdict: FigureVerdict) -> None:
    assert judge(low, high, 0.01) is verdict


@given(st.floats(0.1, 10), st.floats(1, 2), st.floats(0, 0.5))
def test_turning_the_ratio_round_turns_the_verdict_round(low: float, width: float, margin: float) -> None:
    turned = {FigureVerdict.FASTER: FigureVerdict.SLOWER, FigureVerdict.SLOWER: FigureVerdict.FASTER}
    high = low * width
    # At the very edge of the margin rounding decides, and may decide differently.
    edges = (1 + margin, 1 / (1 + margin))
    if any(abs(end / edge - 1) < 1e-9 for end in (low, high) for edge in edges):
        return
    verdict = judge(low, high, margin)
    assert judge(1 / high, 1 / low, margin) is turned.get(verdict, verdict)


@pytest.mark.parametrize(
    ("speed", "verdict"),
    [
        (0.8, FigureVerdict.FASTER),
        (1.25, FigureVerdict.SLOWER),
        (1.0, FigureVerdict.SAME),
        (1.0005, FigureVerdict.SAME),
    ],
)
def test_known_speeds(speed: float, verdict: FigureVerdict) -> None:
    comparison = compared(measured("a", times_of(1.0, seed=1)), measured("b", times_of(speed, seed=2)))
    main = only(comparison).main
    assert main.name == "tokens_per_s"
    assert main.low < 1 / speed < main.high
    assert only(comparison).verdict is verdict
    assert figure(comparison, "median_step_s").verdict is verdict


def test_noise_makes_it_untellable_and_more_steps_help() -> None:
    few = compared(*(measured(str(seed), times_of(1.0, 40, seed, noise=0.2)) for seed in (1, 2)))
    many = compared(*(measured(str(seed), times_of(1.0, 4000, seed, noise=0.02)) for seed in (1, 2)))
    assert only(few).verdict is FigureVerdict.CANNOT_TELL
    assert only(many).verdict is FigureVerdict.SAME


def test_equal_series_have_an_interval_all_the_same() -> None:
    """The noise of two runs does not cancel because the runs look alike."""
    first = measured("a", times_of(1.0, noise=0.1))
    later = replace(first, series=replace(first.series, step=tuple(range(1001, 1121))))
    main = only(compared(first, summarise(later))).main
    assert main.ratio == 1
    assert main.high - main.low > 0.02


def test_what_both_runs_owe_to_the_step_is_no_noise() -> None:
    """Steps grow longer, one in a hundred compiles anew: in both runs alike. Step by step the ratio is sharp."""

    def grown(step: float, seed: int, first: int = 0) -> Result:
        pattern = [(30 if place % 100 == 50 else 1) * (1 + (place // 50) / 10) for place in range(400)]
        times = [step * part * time for part, time in zip(pattern, times_of(1.0, 403, seed)[3:])]
        result = measured(str(seed), times)
        return summarise(replace(result, series=replace(result.series, step=tuple(range(first, first + 400)))))

    paired = only(compared(grown(1.0, 1), grown(0.9, 2))).main
    apart = only(compared(grown(1.0, 1), grown(0.9, 2, first=5000))).main
    assert paired.low < 1 / 0.9 < paired.high
    assert paired.verdict is FigureVerdict.FASTER
    assert "step by step" in paired.why
    assert "step by step" not in apart.why
    assert apart.high - apart.low > 10 * (paired.high - paired.low)


@pytest.mark.parametrize("correlated", [False, True])
def test_intervals_hold_what_they_promise(correlated: bool) -> None:
    """95 of 100 intervals have the true ratio in them, also where neighbouring steps resemble each other."""
    chooser = random.Random(7)

    def run(name: str, step: float) -> Result:
        level, times = 0.0, []
        for _ in range(80):
            level = (0.5 * level if correlated else 0.0) + chooser.gauss(0, 0.02)
            times.append(step * (1 + level))
        return measured(name, times)

    inside = 0
    for _ in range(30):
        main = only(compared(run("a", 1.0), run("b", 0.9))).main
        inside += main.low <= 1 / 0.9 <= main.high
    assert 25 <= inside <= 30


@pytest.mark.parametrize("shift", [0, 5000], ids=["the same steps", "other steps"])
def test_the_unit_of_time_does_not_matter(shift: int) -> None:
    def run(step: float, seed: int, first: int) -> Result:
        result = measured(str(seed), times_of(step, seed=seed), gpu=None)
        return summarise(replace(result, series=replace(result.series, step=tuple(range(first, first + 120)))))

    short, long = (only(compared(run(unit, 1, 0), run(0.9 * unit, 2, shift))).main for unit in (0.01, 100.0))
    assert (short.ratio, short.low, short.high) == pytest.approx((long.ratio, long.low, long.high))


def test_a_figure_that_is_no_speed_is_run_over_baseline() -> None:
    runs = (measured(n, columns={"memory_bytes": [size * 2.0**30] * 12}) for n, size in (("a", 40), ("b", 60)))
    assert figure(compared(*runs), "memory_bytes").ratio == pytest.approx(1.5)


def test_rates_are_not_averaged() -> None:
    """Half of the steps take 1 s, half 3 s: 0.5 steps/s, where the mean of the rates would say 0.67."""
    uneven = measured("uneven", [1.0, 3.0] * 60)
    even = measured("even", [2.0, 2.02] * 60)
    found = figure(compared(even, uneven), "steps_per_s")
    assert found.run.value == pytest.approx(0.5)
    assert found.ratio == pytest.approx(1.005, abs=0.001)


def test_outliers_count_in_the_total_and_not_in_the_typical_step() -> None:
    stalls = [time * (11 if place % 20 == 19 else 1) for place, time in enumerate(times_of(1.0, 400, 2))]
    comparison = compared(measured("a", times_of(1.0, 400, 1)), measured("b", stalls))
    assert only(comparison).verdict is FigureVerdict.SLOWER
    assert only(comparison).main.ratio == pytest.approx(1 / 1.5, rel=0.02)
    assert figure(comparison, "median_step_s").verdict is FigureVerdict.SAME
    typical = compared(measured("a", times_of(1.0, 400, 1)), measured("b", stalls), figure="median_step_s")
    assert only(typical).verdict is FigureVerdict.SAME


def test_tokens_that_vary_by_step_are_no_noise() -> None:
    """Packed sequences: a step takes as long as it has tokens. The rate is constant, however the steps differ."""

    def packed(name: str, seconds: float, seed: int) -> Result:
        chooser = random.Random(seed)
        tokens = [chooser.uniform(1000, 9000) for _ in range(200)]
        return measured(name, [seconds * count for count in tokens], gpu=None, columns={"tokens": tokens})

    main = only(compared(packed("a", 1e-4, 1), packed("b", 1.1e-4, 2))).main
    assert main.name == "tokens_per_s"
    assert main.ratio == pytest.approx(1 / 1.1)
    assert main.high - main.low < 1e-6


def test_steps_that_say_no_tokens_are_compared_by_their_times() -> None:
    def run(name: str, seconds: float) -> Result:
        return measured(name, [seconds] * 40, gpu=None, columns={"tokens": [0.0] * 40})

    comparison = compared(run("a", 1.0), run("b", 2.0))
    assert figure(comparison, "median_step_s").verdict is FigureVerdict.SLOWER


def test_rates_without_times_use_their_interval() -> None:
    def rated(name: str, rate: float, seed: int) -> Result:
        chooser = random.Random(seed)
        return measured(name, columns={"tokens_per_s": [rate * (1 + chooser.gauss(0, 0.01)) for _ in range(100)]})

    main = only(compared(rated("a", 1000, 1), rated("b", 1200, 2))).main
    assert main.name == "tokens_per_s"
    assert main.low < 1.2 < main.high
    assert main.verdict is FigureVerdict.FASTER
    assert "from the interval" in main.why


def test_the_ratio_is_of_the_steps_that_count_in_both() -> None:
    """The steps are the same in both runs and grow shorter; one run leaves the long ones out, as its warm-up."""
    times = [10.0] * 6 + times_of(1.0, 123, 1)[3:]
    long, cut = measured("long", times), measured("cut", times)
    long = replace(long, summary={**long.summary, "first_step": 1, "used": 126, "total_s": sum(times)})
    long = replace(long, summary={**long.summary, "warm_up": {**long.summary["warm_up"], "steps": 0, "last": None}})
    assert cut.summary["first_step"] == 7
    main = only(compared(derive(long), cut)).main
    assert main.ratio == pytest.approx(1.0)
    assert main.baseline.value == pytest.approx(main.run.value), "the figures beside the ratio are those it is of"
    assert main.verdict is FigureVerdict.SAME


def test_a_few_repetitions_have_students_interval() -> None:
    """A benchmark that repeats itself five times, after a warm-up of its own; five steps of a training tell nothing."""
    quick, slow = (
        measured(name, [step * part for part in (1.0, 0.99, 1.01, 0.995, 1.005)], kind="inference", gpu=None)
        for name, step in (("q", 1.0), ("s", 2.0))
    )
    main = only(compared(slow, quick)).main
    assert main.low < 2 < main.high
    assert main.verdict is FigureVerdict.FASTER
    assert 0.02 < main.high - main.low < 0.3
    assert "Student's t of" in main.why


@pytest.mark.parametrize(
    ("failed", "verdict"), [(0, FigureVerdict.FASTER), (1, FigureVerdict.FASTER), (2, FigureVerdict.CANNOT_TELL)]
)
def test_mlperf_runs(failed: int, verdict: FigureVerdict) -> None:
    def submitted(name: str, minutes: float, failed: int) -> Result:
        times: list[float | None] = [60 * minutes * (1 + place / 500) for place in range(10)]
        times[:failed] = [None] * failed
        reported = {"time_to_train_s": Sourced(60 * minutes, "olympic mean")}
        return measured(name, kind="mlperf", model="bert", columns={"run_time_s": times}, reported=reported)

    main = only(compared(submitted("a", 30, failed), submitted("b", 20, 0))).main
    assert main.name == "time_to_train_s"
    assert main.ratio == pytest.approx(1.5)
    assert main.verdict is verdict


def test_the_interval_of_an_olympic_mean() -> None:
    """By hand: the standard deviation with both ends drawn in, over 0.8 x the root of ten, times Student's 2.365."""
    times = [100.0, 104.0, 106.0, 107.0, 108.0, 110.0, 111.0, 113.0, 117.0, 160.0]
    drawn_in = [104.0, *times[1:-1], 117.0]
    half = 2.365 * statistics.stdev(drawn_in) / (0.8 * math.sqrt(10))
    spread = of_run(measured("a", kind="mlperf", columns={"run_time_s": times}), "time_to_train_s")
    assert isinstance(spread, Spread)
    ends = sorted(spread.replicates)[25], sorted(spread.replicates)[974]
    mean = statistics.mean(times[1:-1])
    assert mean / ends[1] == pytest.approx(mean - half, rel=0.01)
    assert mean / ends[0] == pytest.approx(mean + half, rel=0.01)


# --- what cannot be told --------------------------------------------------------------------


def test_too_few_steps_give_no_interval() -> None:
    comparison = compared(measured("a", times_of(1.0)), measured("b", [2.0] * 6))
    main = only(comparison).main
    assert main.ratio == pytest.approx(0.5, rel=0.01)
    assert main.low is None
    assert main.verdict is FigureVerdict.CANNOT_TELL
    assert "it takes 10 steps, and there are " in main.why


def test_one_reported_value_has_no_spread() -> None:
    claims = {"tokens_per_s": Sourced(1000.0, "line 5")}
    comparison = compared(*(measured(name, kind="inference", reported=claims) for name in "ab"))
    assert only(comparison).main.ratio == 1
    assert only(comparison).verdict is FigureVerdict.CANNOT_TELL


def test_a_claim_gets_no_interval_from_steps_it_is_not_of() -> None:
    claims = {"tokens_per_s": Sourced(1000.0, "line 5")}
    runs = (measured(n, times_of(1.0, seed=s), sequence=None, reported=claims) for s, n in enumerate("ab"))
    comparison = compared(*runs)
    assert only(comparison).main.name == "steps_per_s", "what is computed goes before what is claimed"
    claimed = figure(comparison, "tokens_per_s")
    assert claimed.ratio == 1
    assert claimed.low is None
    assert claimed.verdict is FigureVerdict.CANNOT_TELL


def test_nothing_in_common() -> None:
    comparison = compared(measured("a", times_of(1.0)), measured("b"))
    assert only(comparison).verdict is FigureVerdict.CANNOT_TELL
    assert all(it.ratio is None for it in only(comparison).figures)
    assert compared(measured("a"), measured("b")).groups[0].pairs[0].figures == ()


def test_a_figure_that_was_asked_for_and_is_not_there() -> None:
    comparison = compared(*(measured(n, times_of(1.0)) for n in "ab"), figure="bandwidth_bytes_per_s")
    assert only(comparison).main.name == "bandwidth_bytes_per_s"
    assert only(comparison).verdict is FigureVerdict.CANNOT_TELL


# --- errors ---------------------------------------------------------------------------------


def test_an_error_forbids_the_figures_it_is_about() -> None:
    error = Warn("mfu-over-100", "MFU 789%", "error")
    comparison = compared(measured("a", times_of(1.0)), measured("b", times_of(0.5), warnings=(error,)))
    assert figure(comparison, "mfu").ratio is None
    assert figure(comparison, "tokens_per_s_per_device").verdict is FigureVerdict.CANNOT_TELL
    assert "MFU 789%" in figure(comparison, "tflops_per_device").why
    assert only(comparison).verdict is FigureVerdict.FASTER, "the total does not hang on the device"


def test_an_impossible_latency_says_nothing_of_the_throughput() -> None:
    latency = {"median_ttft_s": Sourced(0.05, "line 7")}
    error = Warn("latency-implausible", "seconds written as milliseconds?", "error")
    first = measured("a", times_of(1.0), kind="inference", reported=latency, gpu=None)
    second = measured("b", times_of(0.5), kind="inference", reported=latency, gpu=None, warnings=(error,))
    comparison = compared(first, second)
    assert figure(comparison, "median_ttft_s").ratio is None
    assert only(comparison).verdict is FigureVerdict.FASTER


@pytest.mark.parametrize(
    ("severity", "verdict"), [("error", FigureVerdict.CANNOT_TELL), ("warning", FigureVerdict.FASTER)]
)
def test_an_error_of_an_unknown_code_forbids_everything(severity: str, verdict: FigureVerdict) -> None:
    warning = Warn("something-new", "nothing here is right", severity)
    comparison = compared(measured("a", times_of(1.0), warnings=(warning,)), measured("b", times_of(0.5)))
    assert only(comparison).verdict is verdict


def test_what_is_merely_claimed_falls_with_any_error() -> None:
    claims = {"tokens_per_s": Sourced(1000.0, "line 5")}
    error = Warn("mfu-over-100", "MFU 789%", "error")
    comparison = compared(measured("a", reported=claims), measured("b", reported=claims, warnings=(error,)))
    assert figure(comparison, "tokens_per_s").ratio is None


# --- unlike runs ----------------------------------------------------------------------------


def test_unlike_runs_are_refused() -> None:
    comparison = compared(measured("a", times_of(1.0)), measured("b", times_of(0.5), sequence=2048))
    assert [it.field for it in only(comparison).refused] == ["sequence"]
    assert only(comparison).figures == ()
    assert comparison.exit_code(strict=False) == 2


def test_allowed_unlike_runs_are_compared_by_work_not_by_step() -> None:
    """Half the sequence in half the time is the same number of tokens per second."""
    comparison = compared(
        measured("a", times_of(1.0, seed=1)),
        measured("b", times_of(0.5, seed=2), sequence=2048),
        allowed=frozenset({"sequence"}),
    )
    assert only(comparison).main.name == "tokens_per_s"
    assert only(comparison).verdict is FigureVerdict.SAME
    assert not {"median_step_s", "steps_per_s"} & {it.name for it in only(comparison).figures}
    assert [it.text for it in only(comparison).banners] == [
        "unlike runs: sequence: 4,096 against 2,048; compared all the same, as asked"
    ]
    assert comparison.exit_code(strict=False) == 0


def test_unlike_steps_are_not_compared_where_tokens_are_unknown() -> None:
    a, b = (measured(n, times_of(1.0), sequence=None, global_batch=batch) for n, batch in (("a", 8), ("b", 16)))
    comparison = compared(a, b, allowed=frozenset({"global_batch"}))
    assert only(comparison).verdict is FigureVerdict.CANNOT_TELL
    assert all(it.ratio is None for it in only(comparison).figures if it.verdict)


def test_unknown_is_a_banner_not_a_refusal() -> None:
    comparison = compared(measured("a", times_of(1.0)), measured("b", times_of(0.5), sequence=None))
    assert not only(comparison).refused
    assert only(comparison).main.name == "steps_per_s"
    assert only(comparison).verdict is FigureVerdict.FASTER
    assert [it.kind for it in only(comparison).banners] == ["unknown"]
    assert comparison.exit_code(strict=False) == 0
    assert comparison.exit_code(strict=True) == 2


def test_a_slip_in_allow_unlike_is_no_permission() -> None:
    with pytest.raises(UsageError, match="there is no such field"):
        compared(measured("a", times_of(1.0)), measured("b", times_of(1.0)), allowed=frozenset({"batchsize"}))


# --- regressions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("speed", "noise", "limit", "code", "strict_code"),
    [
        (1.10, 0.004, 0.03, 1, 1),
        (1.02, 0.004, 0.03, 0, 0),
        (0.90, 0.004, 0.03, 0, 0),
        (1.031, 0.05, 0.03, 0, 2),
        (1.10, 0.004, None, 0, 0),
    ],
    ids=["slower", "slower within the limit", "faster", "can't tell", "not asked"],
)
def test_fail_slower(speed: float, noise: float, limit: float | None, code: int, strict_code: int) -> None:
    comparison = compared(
        measured("a", times_of(1.0, seed=1, noise=noise)),
        measured("b", times_of(speed, seed=2, noise=noise)),
        fail_slower=limit,
    )
    assert comparison.exit_code(strict=False) == code
    assert comparison.exit_code(strict=True) == strict_code


def test_a_regression_beside_a_refusal_is_a_regression() -> None:
    base, slow = measured("a", times_of(1.0, seed=1)), measured("b", times_of(1.2, seed=2))
    other = measured("c", times_of(1.0), precision="fp8")
    assert compared(base, slow, other, fail_slower=0.03).exit_code(strict=False) == 1
    assert compared(base, other, fail_slower=0.03).exit_code(strict=False) == 2


def test_strict_minds_what_was_held_against_nothing() -> None:
    run, alone = (
        measured("a", times_of(1.0)),
        Unmatched("b.json: matmul", "no other file has this benchmark", measured("m")),
    )
    comparison = replace(compared(run, run), unmatched=(alone,))
    assert comparison.exit_code(strict=False) == 0
    assert comparison.exit_code(strict=True) == 2


def test_many_comparisons_widen_the_intervals() -> None:
    runs = [measured(str(seed), times_of(1.0, seed=seed, noise=0.05)) for seed in range(6)]
    two, six = compared(*runs[:2]), compared(*runs)
    assert two.level == pytest.approx(0.95)
    assert six.level == pytest.approx(0.99)
    assert only(six).main.high - only(six).main.low > only(two).main.high - only(two).main.low
    refused = compared(*runs[:2], measured("x", times_of(1.0), precision="fp8"))
    assert refused.level == pytest.approx(0.95), "what is refused is not a comparison"


# --- losses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "same"), (1.05, "higher"), (0.95, "lower")])
def test_losses(factor: float, verdict: str) -> None:
    def curve(factor: float, seed: int) -> Result:
        chooser = random.Random(seed)
        losses = [factor * (2 + 8 * 0.97**step) + chooser.gauss(0, 0.02) for step in range(200)]
        return measured("x", columns={"loss": losses})

    found = compare_losses(curve(1.0, 1), curve(factor, 2), 0.95)
    assert found is not None
    assert found.verdict == verdict
    assert found.compared == 100
    assert found.difference == pytest.approx(factor - 1, abs=0.003)
    assert "assumed, not known" in found.why


@pytest.mark.parametrize("losses", [[1.0] * 8, [-1.0] * 100, [0.0] * 100])
def test_losses_that_tell_nothing(losses: list[float]) -> None:
    run = measured("x", columns={"loss": losses})
    found = compare_losses(run, run, 0.95)
    assert found is not None
    assert found.verdict == "can't tell"
    assert found.why
    assert compare_losses(run, measured("y", times_of(1.0)), 0.95) is None


def test_only_shared_steps_count() -> None:
    first = measured("x", columns={"loss": [5.0] * 100})
    second = replace(first, series=replace(first.series, step=tuple(range(51, 151))))
    found = compare_losses(first, second, 0.95)
    assert found is not None
    assert (found.steps, found.compared, found.difference) == (50, 25, 0)


# --- which results belong together ------------------------------------------------------------


def matched(*files: list[Result]) -> tuple[list[list[str]], list[str]]:
    benchmarks, unmatched = match([Input(str(place), str(place), tuple(it)) for place, it in enumerate(files)])
    return [[run.label for run in found.runs] for found in benchmarks], [it.label for it in unmatched]


def test_benchmarks_are_matched_by_name_then_by_likeness() -> None:
    big, small = (measured(f"matmul {n}", [1.0] * 12, kind="matmul", size=n) for n in (8192, 4096))
    renamed = replace(small, name="mm")
    train = measured("train", times_of(1.0))
    assert matched([big, small], [small, big]) == (
        [["0: matmul 8192", "1: matmul 8192"], ["0: matmul 4096", "1: matmul 4096"]],
        [],
    )
    assert matched([big, small, train], [renamed, train]) == (
        [["0: matmul 4096", "1: mm"], ["0: train", "1: train"]],
        ["0: matmul 8192"],
    )


def test_ambiguous_results_are_left_alone_and_named() -> None:
    one, two = (measured(name, times_of(1.0)) for name in ("one", "two"))
    other = replace(one, name="other")
    groups, alone = matched([one, two], [other])
    assert groups == []
    assert sorted(alone) == ["0: one", "0: two", "1"]


@given(st.integers(1, 3), st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_every_result_is_matched_or_named(first: int, second: int, chooser: random.Random) -> None:
    def file(count: int) -> list[Result]:
        kinds = ["matmul", "bandwidth", "training"]
        return [measured(f"r{place}", [1.0] * 12, kind=chooser.choice(kinds), size=place) for place in range(count)]

    groups, alone = matched(file(first), file(second))
    everything = [label for group in groups for label in group] + alone
    assert len(everything) == len(set(everything)) == first + second


# --- several runs of a side ---------------------------------------------------------------


def _side(label: str, *steps: float, **more: Any) -> Input:
    results = [
        derive(summarise(make(f"{label}.log#{place + 1}", times_of(step, seed=place, noise=0.001), **more)))
        for place, step in enumerate(steps)
    ]
    return Input(label, label, tuple(results))


def _of(*sides: Input) -> Comparison:
    return compare(match(sides)[0], Settings())


def test_several_runs_of_a_side_are_compared_by_how_runs_differ() -> None:
    figure = next(_of(_side("a", 1.00, 1.02, 0.98), _side("b", 0.90, 0.92, 0.88)).pairs)[1].main
    assert figure is not None
    assert figure.ratio == pytest.approx(1 / 0.9, rel=1e-3)
    # By hand: a spread of 2.1 % in four degrees of freedom, t = 2.776, means of three runs each.
    half = 2.776 * 0.0211 * (2 / 3) ** 0.5
    assert figure.low == pytest.approx(figure.ratio * (1 - half), rel=0.015)
    assert figure.high == pytest.approx(figure.ratio * (1 + half), rel=0.015)
    assert figure.verdict is FigureVerdict.FASTER


def test_runs_that_differ_more_than_the_sides_tell_nothing() -> None:
    # Within each run steps hardly vary: one run of each would say "faster".
    wide = _of(_side("a", 1.00, 1.10, 0.90), _side("b", 0.98, 1.08, 0.88))
    assert next(wide.pairs)[1].verdict is FigureVerdict.CANNOT_TELL
    alone = _of(_side("a", 1.00), _side("b", 0.98))
    assert next(alone.pairs)[1].verdict is FigureVerdict.FASTER


def test_one_run_against_several_varies_as_they_do() -> None:
    figure = next(_of(_side("a", 1.00, 1.02, 0.98), _side("b", 0.97)).pairs)[1].main
    assert figure is not None
    assert figure.verdict is FigureVerdict.CANNOT_TELL


def test_runs_of_two_benchmarks_are_not_one() -> None:
    mixed = Input("a", "a", (*_side("a", 1.0).results, *_side("a", 1.0, sequence=8192).results))
    assert match([mixed, _side("b", 0.9, 0.91)])[0] == []


def test_results_that_match_by_name_are_compared_one_by_one() -> None:
    first, second = _side("a", 1.0, 1.1), _side("b", 0.9, 1.0)
    named = [
        Input(side.label, side.source, tuple(replace(r, name=f"n{i}") for i, r in enumerate(side.results)))
        for side in (first, second)
    ]
    assert [benchmark.name for benchmark in match(named)[0]] == ["n0", "n1"]
