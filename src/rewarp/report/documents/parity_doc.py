"""What `rewarp parity check-doc --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.parity.claims.checking import Answer
from rewarp.schema import AtLeast, EachOf, OneOf, opened


@opened
class Evidence(TypedDict):
    path: str
    line: int
    text: str


@opened
class Claims(TypedDict):
    line: Annotated[int, AtLeast(1)]
    text: str
    backend: Annotated[str | None, "whose it is; null where the document does not say: then it is held against b"]
    names: list[str]
    topic: str | None
    state: Annotated[str | None, OneOf("done", "partial", "missing")]
    dtype: str | None
    percent: float | None
    ratio: list[int] | None
    count: int | None
    counted: str | None
    answer: Annotated[str, OneOf("true", "false", "cannot tell")]
    why: str
    evidence: list[Evidence]


@opened
class Document(TypedDict):
    """Claims of a document held against the code, of `rewarp parity check-doc --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.parity-doc/1"]
    rewarp: Annotated[str, "version of rewarp"]
    document: str
    root: str
    a: str
    b: str
    counts: Annotated[dict[str, int], EachOf(Answer)]
    score_blocked_by: Annotated[list[str], "why no score can be computed; empty where one can"]
    claims: Annotated[list[Claims], "in the order of the document"]
