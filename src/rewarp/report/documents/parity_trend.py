"""What `rewarp parity trend --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import AtLeast, AtMost, opened

Percent = Annotated[float | None, "null where it cannot be computed", AtLeast(0), AtMost(100)]


@opened
class Points(TypedDict):
    commit: str
    date: str
    subject: str
    lowest: Percent
    percent: dict[str, Percent]
    gaps: int | None
    why_not: Annotated[str | None, "why there is no score"]


@opened
class Document(TypedDict):
    """Scores over history, of `rewarp parity trend --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.parity-trend/1"]
    rewarp: Annotated[str, "version of rewarp"]
    root: str
    range: Annotated[str, "as given, A..B"]
    a: str
    b: str
    commits_touching: Annotated[int, "commits of the range that touch either side, with its two ends", AtLeast(1)]
    stopped: Annotated[bool, "whether it was ended before all of them were compared"]
    kinds: list[str]
    points: Annotated[list[Points], "oldest first"]
