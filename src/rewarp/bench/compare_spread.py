"""How sure a speed is, and a ratio of two: what the same runs could have shown as well."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rewarp.bench import processes, stats
from rewarp.bench.compare_repeats import runs_in
from rewarp.bench.result import Result
from rewarp.bench.summary import steps_that_count

MEDIAN_STEP = "median_step_s"
TIME_TO_TRAIN = "time_to_train_s"
RUN_TIME = "run_time_s"
_DRAWS = 1000
_FEWEST_REPETITIONS = 3
_SHARED = 0.9
"""The part of the steps that two runs must have in common to be compared step by step."""


@dataclass(frozen=True)
class Spread:
    """Speeds that could have been seen, in units of the one that was."""

    replicates: Sequence[float]
    method: str
    speeds: tuple[float, float] = (1.0, 1.0)
    """Of both runs over the steps that count in both, in units of their own: one may have the longer warm-up."""


def basis(name: str, *results: Result) -> str:
    """Speeds with the same basis spread alike: they follow from the same times."""
    if name in (MEDIAN_STEP, TIME_TO_TRAIN, RUN_TIME):
        return name
    counted = any("tokens" in result.series.columns for result in results)
    return "tokens" if counted and name.startswith("tokens") else "time"


def of_ratio(baseline: Result, run: Result, name: str, *, same_step: bool) -> Spread | str:
    """Of how many times as fast the run is; or why that is not known."""
    if runs_in(baseline) or runs_in(run):
        return _of_runs(baseline, run, name)
    if same_step and (paired := _step_by_step(baseline, run, name)):
        return paired
    # Seeds differ by side: with one seed the noise of two equal series would cancel in their ratio.
    spreads = []
    for words, result, seed in (("the baseline", baseline, 1), ("the run", run, 2)):
        spread = of_run(result, name, seed)
        if isinstance(spread, str):
            return f"no interval, {words}: {spread}"
        spreads.append(spread)
    first, second = spreads
    methods = "; ".join(dict.fromkeys(spread.method for spread in spreads))
    return Spread([two / one for one, two in zip(first.replicates, second.replicates)], methods)


def _of_runs(baseline: Result, run: Result, name: str) -> Spread | str:
    """Of a ratio where at least one side has several runs: how runs differ from each other is what counts.

    A side with one run is taken to vary as the runs of the other do.
    """
    if name == MEDIAN_STEP:
        return "several runs are compared by their mean times"
    sides = [_comparable_times(side, name) if runs_in(side) else [] for side in (baseline, run)]
    several = [values for values in sides if values]
    freedom = sum(len(values) - 1 for values in several)
    if not freedom or not all(map(_mean, several)):
        return "too few of the runs have a time"
    errors = [value / _mean(values) - 1 for values in several for value in values]
    spread = math.sqrt(math.fsum(error * error for error in errors) / freedom)
    error = spread * math.sqrt(math.fsum(1 / max(1, len(values)) for values in sides))
    words = " and ".join(str(max(1, len(values))) for values in sides)
    return _students(1.0, error, freedom, f"Student's t of {words} runs", 3)


def of_run(result: Result, name: str, seed: int = 0) -> Spread | str:
    """Of one run's speed; or why that is not known."""
    if runs_in(result) and name != MEDIAN_STEP:
        values = _comparable_times(result, name)
        if len(values) < 2:
            return "too few of the runs have a time"
        error = statistics.stdev(values) / math.sqrt(len(values))
        return _students(_mean(values), error, len(values) - 1, f"Student's t of {len(values)} runs", seed)
    if name == MEDIAN_STEP:
        return _from_interval(result, "time_s", "median", seed)
    if name == TIME_TO_TRAIN:
        return _from_runs(result, seed)
    if name == RUN_TIME:
        return "one run says nothing of others"
    column = result.summary.get("basis", "none")
    if column != "time_s":
        return _from_interval(result, column, "mean", seed)
    values = _comparable_times(result, name)
    count, mean = len(values), math.fsum(values) / max(1, len(values))
    fewest = stats.FEWEST_FOR_INTERVAL if result.kind == "training" else _FEWEST_REPETITIONS
    if count < fewest:
        return f"it takes {fewest} steps, and there {'is' if count == 1 else 'are'} {count}"
    if count < stats.FEWEST_FOR_INTERVAL:
        error = statistics.stdev(values) / math.sqrt(count)
        return _students(mean, error, count - 1, f"Student's t of {count} repetitions", seed)
    drawn = stats.mean_replicates(values, seed)
    if min(drawn) <= 0:
        return "the step times vary too much"
    return Spread([mean / value for value in drawn], "block bootstrap of the step times")


def _step_by_step(baseline: Result, run: Result, name: str) -> Spread | None:
    """Where both runs have the same steps: what makes a step long in both, such as a longer sequence or a recompilation,
    is no noise of their ratio."""
    if basis(name, baseline, run) not in ("tokens", "time"):
        return None
    ours, theirs = _by_step(baseline, name), _by_step(run, name)
    shared = [step for step in ours if step in theirs]
    if len(shared) < max(stats.FEWEST_FOR_INTERVAL, _SHARED * len(ours), _SHARED * len(theirs)):
        return None
    pairs = [(ours[step], theirs[step]) for step in shared]
    first, second = (math.fsum(side) for side in zip(*pairs))
    ratio, mean = first / second, first / len(pairs)
    drawn = stats.mean_replicates([one - ratio * two for one, two in pairs])
    replicates = [1 + value / mean for value in drawn]
    if min(replicates) <= 0:
        return None
    speeds = len(pairs) * _mean(ours.values()) / first, len(pairs) * _mean(theirs.values()) / second
    return Spread(replicates, f"block bootstrap, step by step over the {len(pairs)} steps that count in both", speeds)


def _mean(values: Collection[float]) -> float:
    return math.fsum(values) / len(values)


def _by_step(result: Result, name: str) -> dict[int, float]:
    """Times by step number; empty where it is not known which step a time belongs to."""
    values = _comparable_times(result, name) if result.summary.get("basis") == "time_s" else []
    steps = [step for step, _ in _counted(result, "time_s")]
    return dict(zip(steps, values)) if len(set(steps)) == len(values) == len(steps) else {}


def _counted(result: Result, column: str) -> list[tuple[int, float]]:
    """A column over the steps that count, where these have a time."""
    first, last = result.summary.get("first_step"), result.summary.get("last_step")
    if first is None or last is None:
        return []
    series = result.series
    return [
        (step, value)
        for step, value, time in zip(series.step, series.figures(column), series.figures("time_s"))
        if first <= step <= last and value is not None and time is not None and time > 0
    ]


def _comparable_times(result: Result, name: str) -> list[float]:
    """Step times; where steps differ in tokens, what their times would be with as many tokens as the mean step."""
    times = steps_that_count(result)
    is_by_step = basis(name, result) == "tokens" and not processes.count_in(result.series)
    work = [count for _, count in _counted(result, "tokens")] if is_by_step else []
    tokens = math.fsum(work)
    if tokens <= 0 or len(work) != len(times):
        return times
    mean, rate = tokens / len(work), math.fsum(times) / tokens
    return [time - rate * (count - mean) for time, count in zip(times, work)]


def _from_interval(result: Result, column: str, middle: str, seed: int) -> Spread | str:
    """Draws that have the interval the summary has, where there are no step times to draw from."""
    found = result.summary.get(column) or {}
    interval, value = found.get(f"{middle}_interval"), found.get(middle)
    if not interval or not value:
        deviation = result.reported.get("tokens_per_s_sd")
        if deviation is not None and deviation.known and not result.series.step:
            return "a standard deviation without the number of repetitions is not an interval"
        return str(found.get("interval_unknown") or "one value says nothing of its spread")
    if interval["low"] <= 0:
        return "the figure varies too much"
    width = math.log(interval["high"] / interval["low"]) / (2 * statistics.NormalDist().inv_cdf((1 + stats.LEVEL) / 2))
    chooser = random.Random(seed)
    drawn = [math.exp(chooser.gauss(0.0, width)) for _ in range(_DRAWS)]
    return Spread(drawn, f"from the interval of each side's {middle}")


def _from_runs(result: Result, seed: int) -> Spread | str:
    """Of an olympic mean: the best and the worst run are set to their neighbours, as the theory of trimmed means has it."""
    runs = [math.inf if time is None else time for time in result.series.figures("run_time_s")]
    kept = sorted(runs)[1:-1]
    if len(kept) < _FEWEST_REPETITIONS:
        return f"{len(runs)} runs are too few"
    if math.isinf(kept[-1]):
        return "more than one run did not reach the target"
    spread = statistics.stdev([kept[0], *kept, kept[-1]])
    error = spread / (len(kept) / len(runs) * math.sqrt(len(runs)))
    mean = math.fsum(kept) / len(kept)
    return _students(mean, error, len(kept) - 1, f"Student's t of {len(runs)} runs", seed)


def _students(mean: float, error: float, freedom: int, method: str, seed: int) -> Spread | str:
    chooser = random.Random(seed)
    drawn = [
        mean + error * chooser.gauss(0.0, 1.0) / math.sqrt(chooser.gammavariate(freedom / 2, 2 / freedom))
        for _ in range(_DRAWS)
    ]
    # A few wild draws of a heavy tail stand for no time at all; they lie outside every interval that is given.
    return Spread([mean / max(value, mean / 100) for value in drawn], method)
