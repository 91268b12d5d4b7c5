"""Compare runs with a baseline: only what can be compared, with intervals, and a verdict that follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewarp.bench import stats
from rewarp.bench.comparability import Banner, FieldCheck, Likeness, banners, check_allowed, checks
from rewarp.bench.compare_figures import Figure, FigureVerdict, compare_figures, judge
from rewarp.bench.compare_inputs import Benchmark, Run, Unmatched
from rewarp.bench.result import Result

MARGIN = 0.01
_LOSS_MARGIN = 0.01
_SAME_WORK = ("kind", "model", "parameters", "sequence", "global_batch")
"""Where these are alike, a step is the same work in both runs."""


@dataclass(frozen=True)
class Settings:
    """What the user asked for."""

    margin: float = MARGIN
    """A difference within it counts as the same."""
    allowed: frozenset[str] = frozenset()
    """Fields that may be unlike."""
    fail_slower: float | None = None
    """Slower than this is a regression."""
    figure: str | None = None
    """What the verdict is about; None: what the kind of benchmark measures."""


@dataclass(frozen=True)
class Loss:
    """Two loss curves over the steps they share."""

    steps: int
    """How many steps both have."""
    compared: int
    """Of these, the later ones that the difference is of."""
    baseline: float
    run: float
    """Means over the compared steps."""
    difference: float | None
    """Relative to the baseline."""
    low: float | None
    high: float | None
    verdict: str
    """`same`, `lower`, `higher`, `can't tell`."""
    why: str


@dataclass(frozen=True)
class Pair:
    """One run against the baseline."""

    run: int
    """Its place among the runs of the benchmark; the baseline is the first."""
    fields: tuple[FieldCheck, ...]
    figures: tuple[Figure, ...] = ()
    """The one the verdict is about first."""
    loss: Loss | None = None

    @property
    def refused(self) -> tuple[FieldCheck, ...]:
        """What stands in the way; nothing was compared then."""
        return tuple(check for check in self.fields if check.refuses)

    @property
    def banners(self) -> tuple[Banner, ...]:
        return banners(self.fields)

    @property
    def main(self) -> Figure | None:
        return next((figure for figure in self.figures if figure.verdict is not None), None)

    @property
    def verdict(self) -> FigureVerdict:
        return self.main.verdict if self.main and self.main.verdict else FigureVerdict.CANNOT_TELL

    def regression(self, limit: float) -> FigureVerdict:
        """SLOWER where the whole interval lies beyond the limit, SAME where it does not reach it."""
        figure = self.main
        if figure is None or figure.low is None or figure.high is None or self.refused:
            return FigureVerdict.CANNOT_TELL
        if figure.high < 1 - limit:
            return FigureVerdict.SLOWER
        return FigureVerdict.SAME if figure.low >= 1 - limit else FigureVerdict.CANNOT_TELL


@dataclass(frozen=True)
class Compared:
    """One benchmark of all the runs that have it."""

    name: str
    kind: str
    runs: tuple[Run, ...]
    """The baseline first."""
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Comparison:
    """Everything that was compared, and what was not."""

    settings: Settings
    level: float
    """Of each interval: so high that all of them together hold in 95 of 100 cases."""
    groups: tuple[Compared, ...]
    unmatched: tuple[Unmatched, ...] = ()

    @property
    def pairs(self) -> Iterator[tuple[Compared, Pair]]:
        return ((group, pair) for group in self.groups for pair in group.pairs)

    def exit_code(self, strict: bool) -> int:
        """1 a regression is shown; 2 refused (strict: or it cannot be told); else 0."""
        limit = self.settings.fail_slower
        pairs = [pair for _, pair in self.pairs]
        told = [pair.verdict if limit is None else pair.regression(limit) for pair in pairs]
        if limit is not None and FigureVerdict.SLOWER in told:
            return 1
        if any(pair.refused for pair in pairs):
            return 2
        unsure = FigureVerdict.CANNOT_TELL in told or self.unmatched or any(pair.banners for pair in pairs)
        return 2 if strict and unsure else 0


def compare(benchmarks: Sequence[Benchmark], settings: Settings, unmatched: Sequence[Unmatched] = ()) -> Comparison:
    """Every run of every benchmark against its baseline."""
    check_allowed(settings.allowed, [run.result for benchmark in benchmarks for run in benchmark.runs])
    fields = [
        [checks(benchmark.runs[0].result, run.result, settings.allowed) for run in benchmark.runs[1:]]
        for benchmark in benchmarks
    ]
    # Bonferroni: one unlucky interval among many must not become a verdict.
    count = sum(not any(check.refuses for check in found) for group in fields for found in group)
    level = 1 - (1 - stats.LEVEL) / max(1, count)
    groups = tuple(_compared(benchmark, found, settings, level) for benchmark, found in zip(benchmarks, fields))
    return Comparison(settings, level, groups, tuple(unmatched))


def _compared(
    benchmark: Benchmark, fields: Sequence[tuple[FieldCheck, ...]], settings: Settings, level: float
) -> Compared:
    first, *others = benchmark.runs
    pairs = tuple(
        _pair(place, first.result, run.result, found, settings, level)
        for place, (run, found) in enumerate(zip(others, fields), start=1)
    )
    return Compared(benchmark.name, benchmark.kind, tuple(benchmark.runs), pairs)


def _pair(
    place: int, baseline: Result, run: Result, fields: tuple[FieldCheck, ...], settings: Settings, level: float
) -> Pair:
    pair = Pair(place, fields)
    if pair.refused:
        return pair
    same_step = not any(check.field in _SAME_WORK and check.likeness is Likeness.DIFFERS for check in fields)
    figures = compare_figures(
        baseline, run, same_step=same_step, margin=settings.margin, level=level, main=settings.figure
    )
    return replace(pair, figures=tuple(figures), loss=compare_losses(baseline, run, level))


def compare_losses(baseline: Result, run: Result, level: float) -> Loss | None:
    """Over the later half of the steps both have; None where they share none."""
    ours = {step: loss for step, loss in zip(baseline.series.step, baseline.series.figures("loss")) if loss is not None}
    shared = [
        (ours[step], loss)
        for step, loss in zip(run.series.step, run.series.figures("loss"))
        if loss is not None and step in ours
    ]
    if not shared:
        return None
    later = shared[len(shared) // 2 :]
    first, second = (math.fsum(side) / len(later) for side in zip(*later))
    found = Loss(len(shared), len(later), first, second, None, None, None, FigureVerdict.CANNOT_TELL.value, "")
    if len(later) < stats.FEWEST_FOR_INTERVAL:
        return replace(found, why=f"{len(later)} steps are too few, it takes {stats.FEWEST_FOR_INTERVAL}")
    if first <= 0 or second <= 0:
        return replace(found, why="a loss that is not above zero has no relative difference")
    # Step by step: what both curves owe to the same data cancels.
    drawn = sorted(value / first for value in stats.mean_replicates([two - one for one, two in later]))
    low, high = (stats.percentile(drawn, (1 + sign * level) / 2) for sign in (-1, 1))
    words = {FigureVerdict.FASTER: "higher", FigureVerdict.SLOWER: "lower"}
    verdict = judge(1 + low, 1 + high, _LOSS_MARGIN)
    why = f"mean of the later {len(later)} steps that both have; the same order of the data is assumed, not known"
    return replace(
        found, difference=second / first - 1, low=low, high=high, verdict=words.get(verdict, verdict.value), why=why
    )
