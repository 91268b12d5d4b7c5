"""What `rewarp verify --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.schema import AtLeast, EachOf, OneOf
from rewarp.verify.checks import Level
from rewarp.verify.checks import Outcome as CheckOutcome

Outcome = Annotated[str, OneOf(CheckOutcome)]
Count = Annotated[int, AtLeast(0)]


class Checks(TypedDict):
    what: str
    outcome: Outcome
    why: Annotated[str, "empty only where the check passed"]
    path: str | None
    line: Annotated[int | None, AtLeast(1)]
    evidence: dict[str, Any]


class Levels(TypedDict):
    level: Annotated[str, OneOf(Level)]
    outcome: Outcome
    counts: Annotated[dict[str, Count], EachOf(CheckOutcome)]
    seconds: Annotated[float, AtLeast(0)]
    provenance: Annotated[dict[str, Any], "with what it was seen: tools, versions, device"]
    checks: list[Checks]
    details: Annotated[dict[str, Any], "what only this level has"]


class Document(TypedDict):
    """The output of `rewarp verify --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.verify/1"]
    rewarp: Annotated[str, "version of rewarp"]
    root: str
    outcome: Annotated[Outcome, "failed where anything failed; passed only where everything was checked"]
    levels: list[Levels]
