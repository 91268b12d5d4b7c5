"""A comparison of numbers as JSON has it: what evidence is made of, and what `rewarp verify compare --json` writes of it."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from rewarp.schema import AtLeast, AtMost, Items, OneOf, opened
from rewarp.verify.checks import Outcome as CheckOutcome

Outcome = Annotated[str, OneOf(CheckOutcome)]
OutcomeOrNull = Annotated[str | None, OneOf(CheckOutcome)]
Count = Annotated[int, AtLeast(0)]
Counts = dict[str, Count]
Tolerance = Annotated[list[float], Items(1, most=2)]


@opened
class Setting(TypedDict):
    """Where and how a computation ran."""

    device: str
    device_name: str | None
    platform: dict[str, Any]
    versions: dict[str, Any]
    switches: Annotated[dict[str, Any], "torch's switches that change numbers; null where it has none of that name"]
    revision: Annotated[str | None, "git commit of the working directory"]
    time: str
    target: str
    seed: int
    dtype: Annotated[str | None, "the dtype asked for; null: as the target makes it"]
    depth: int | None


class Divergence(TypedDict):
    module: str
    kind: Annotated[str, "its class"]
    how: Annotated[
        str,
        "by its own computation; by differences that grew and are no one module's own; not known",
        OneOf("own", "grown", "unknown"),
    ]
    why: str
    inherited: Annotated[int, "calls that differ because of what they were given", AtLeast(0)]


class SecondPass(TypedDict):
    ran: bool
    why_not: Annotated[str | None, "why it did not run, or not on all modules"]
    diverging: Annotated[list[str], "calls whose own computation is outside the tolerance, in order"]


@opened
class Worst(TypedDict, total=False):
    index: list[int]
    golden: str
    actual: str


class _Maybe(TypedDict, total=False):
    against_float64: Annotated[
        dict[str, float],
        "mean distance from a float64 run in units of the last place: golden, actual; empty where there was none",
    ]


class Figures(_Maybe):
    outcome: Outcome
    why: str
    dtype: str
    shape: list[Count]
    compared: Count
    error: Annotated[
        float | None,
        "the largest error above atol, in units of the element or of the typical size; null: not a size (NaN, Inf, integers)",
    ]
    tolerance: Annotated[float, "what error may be"]
    outside: Annotated[float, AtLeast(0), AtMost(1)]
    max_abs: float | None
    mean_abs: float | None
    max_rel: float | None
    mean_rel: float | None
    cosine: float | None
    scale: float | None
    not_finite: Counts
    ulp: Annotated[Counts, "elements by distance in units of the last place"]
    worst: Worst


class OwnComparison(Figures):
    what: str


class Modules(TypedDict):
    name: Annotated[str, "the module, with #2 and so on for later calls"]
    module: str
    kind: str
    parent: Annotated[str | None, "the call inside which it happened"]
    layers: Annotated[int, "layers that had ended by then; the tolerance grows with them", AtLeast(0)]
    outcome: Annotated[OutcomeOrNull, "null where there was nothing to compare"]
    why: str
    inputs_agree: bool | None
    outputs: Annotated[dict[str, Figures], "by path inside what it returned"]
    own_outcome: OutcomeOrNull
    own: Annotated[list[OwnComparison] | None, "what it did with the recorded inputs; null without a second pass"]
    skipped: Annotated[list[str], "what it took or returned that is not compared"]


class Details(TypedDict):
    """What the numbers level alone has of its evidence."""

    divergence: Divergence | None
    modules: list[Modules]
    top1: dict[str, float]
    tolerances: dict[str, list[float]]
    second_pass: SecondPass
    notes: list[str]
