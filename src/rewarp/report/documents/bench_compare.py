"""What `rewarp bench compare --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.bench.comparability import Likeness
from rewarp.bench.compare_figures import FigureVerdict
from rewarp.schema import AtLeast, AtMost, Items, OneOf, opened

Share = Annotated[float, AtLeast(0), AtMost(1)]
Regression = OneOf("slower", "can't tell", "same")
Count = Annotated[int, AtLeast(0)]


class Sourced(TypedDict):
    value: Any
    source: Annotated[str, "where the value comes from, or why there is none"]


class RunFigures(TypedDict):
    value: float
    source: str
    unit: str
    interval: Annotated[Annotated[list[float], Items(2, most=2)] | None, "of 95 %, of this run alone"]
    error: Annotated[str | None, "why the figure is not to be used"]


@opened
class Warnings(TypedDict):
    code: str
    what: str
    severity: Annotated[str, OneOf("error", "warning", "info")]
    where: str | None


class Runs(TypedDict):
    label: str
    source: Annotated[str, "the file"]
    name: str
    platform: Sourced
    device: dict[str, Sourced]
    steps: Count
    used: Annotated[int, "steps after the warm-up", AtLeast(0)]
    warm_up: dict[str, Any] | None
    figures: dict[str, RunFigures]
    warnings: list[Warnings]


class Banners(TypedDict):
    kind: Annotated[str, "unlike: known to differ; unknown: cannot be shown to be alike", OneOf("unlike", "unknown")]
    text: str


class Fields(TypedDict):
    field: str
    baseline: Sourced
    run: Sourced
    likeness: Annotated[str, OneOf(Likeness)]
    must: Annotated[bool, "whether it has to be alike"]
    allowed: Annotated[bool, "named by --allow-unlike"]
    why: str


class Figures(TypedDict):
    name: str
    title: str
    unit: str
    baseline: Sourced
    run: Sourced
    ratio: Annotated[float | None, "of a speed: how many times as fast the run is; of anything else: run / baseline"]
    low: float | None
    high: float | None
    verdict: Annotated[str | None, "null: not a speed", OneOf(FigureVerdict)]
    why: Annotated[str, "how the interval was made, or why there is none"]


class Loss(TypedDict):
    steps: Annotated[int, AtLeast(1)]
    compared: Annotated[int, AtLeast(1)]
    baseline: float
    run: float
    difference: float | None
    low: float | None
    high: float | None
    verdict: Annotated[str, OneOf("same", "lower", "higher", "can't tell")]
    why: str


class Pairs(TypedDict):
    run: Annotated[int, "place among the runs", AtLeast(1)]
    verdict: Annotated[str, OneOf(FigureVerdict, "refused")]
    refused: Annotated[list[str], "fields that differ and were not allowed to"]
    regression: Annotated[str | None, Regression]
    banners: list[Banners]
    fields: list[Fields]
    figures: Annotated[list[Figures], "the one that the verdict is about first"]
    loss: Loss | None


class Benchmarks(TypedDict):
    name: str
    kind: str
    runs: Annotated[list[Runs], "the baseline first", Items(2)]
    pairs: Annotated[list[Pairs], Items(1)]


class Unmatched(TypedDict):
    label: str
    why: str


class Document(TypedDict):
    """The output of `rewarp bench compare --json`. Fields may be added within version 1; none is removed or changes its meaning. What is not known is null."""

    schema: Literal["rewarp.bench-compare/1"]
    rewarp: Annotated[str, "version of rewarp"]
    verdict: Annotated[str, "mixed: the pairs do not agree", OneOf(FigureVerdict, "refused", "mixed")]
    headline: str
    margin: Annotated[float, "a difference within it counts as the same", AtLeast(0), AtMost(1)]
    level: Annotated[
        float,
        "confidence of each interval; above 0.95 where there are several comparisons, so that all together hold with 0.95",
        AtLeast(0),
        AtMost(1),
    ]
    fail_slower: Share | None
    regression: Annotated[str | None, "slower: an interval lies wholly beyond fail_slower; null: not asked", Regression]
    benchmarks: Annotated[list[Benchmarks], Items(1)]
    unmatched: Annotated[list[Unmatched], "results that were held against nothing"]
    notes: list[str]
