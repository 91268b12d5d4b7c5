"""What `rewarp waves --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.edits import Safety
from rewarp.schema import AtLeast, Keys, OneOf
from rewarp.waves.fixing.plan import Way
from rewarp.waves.hazards import Confidence, Consequence, Kind

Count = Annotated[int, AtLeast(0)]
Line = Annotated[int, AtLeast(1)]
HazardKind = Annotated[str, OneOf(*(kind.name.lower() for kind in Kind))]
Grade = Annotated[str, OneOf(Safety)]


class Summary(TypedDict):
    files: Count
    hazards: Count
    hazards_by_kind: Annotated[dict[str, Count], Keys(HazardKind)]
    fixes_by_safety: Annotated[dict[str, Count], Keys(Grade)]
    left: Annotated[int, "hazards that stay once the edits that were asked for are made", AtLeast(0)]


class Fixes(TypedDict):
    safety: Grade
    how: str
    edits: Annotated[int, "0 where the place itself stays as it is, or only a person can tell", AtLeast(0)]


class Hazards(TypedDict):
    kind: HazardKind
    line: Line
    column: Annotated[int, "in characters", AtLeast(1)]
    end_line: Line
    end_column: Line
    function: Annotated[str | None, "null outside of functions"]
    symbol: str
    message: str
    why: Annotated[str, "what happens on 64 lanes"]
    consequence: Annotated[str, OneOf(Consequence)]
    confidence: Annotated[str, OneOf(Confidence)]
    on_any_width: Annotated[bool, "trouble on waves of 32 lanes too"]
    fix: Fixes


class Files(TypedDict):
    path: str
    way: Annotated[str, "how its warp code is made right", OneOf(Way)]
    safety: Grade
    why: Annotated[str, "why the way is not safe, or why there is none"]
    edits: Count
    hazards: list[Hazards]


class Failed(TypedDict):
    path: str
    reason: str
    line: Annotated[int | None, AtLeast(1)]


class Document(TypedDict):
    """The output of `rewarp waves --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.waves/1"]
    rewarp: Annotated[str, "version of rewarp"]
    summary: Summary
    files: Annotated[list[Files], "files that have hazards, or change with one that has"]
    written: Annotated[list[str], "paths on disk"]
    failed: list[Failed]
