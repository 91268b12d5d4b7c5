"""What `rewarp parity --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.parity.scoring.scores import Columns, GateVerdict
from rewarp.parity.units import Status as StatusEnum
from rewarp.schema import AtLeast, AtMost, OneOf, Text

Status = Annotated[str, OneOf(StatusEnum)]
Count = Annotated[int, AtLeast(0)]
Percent = Annotated[float, AtLeast(0), AtMost(100)]


class _Lowest(TypedDict, total=False):
    counted: Count
    unknown: Annotated[int, "of these, units that could not be told", AtLeast(0)]


class Lowest(_Lowest):
    kind: str
    percent: Percent


class Kinds(TypedDict):
    kind: str
    percent: Annotated[
        Percent | None,
        "rounded down to a tenth; null where A does nothing of the kind, or nothing can be scored",
    ]
    counted: Annotated[Count, "units that A does, or may do"]
    guessed: Annotated[Count, "units counted half: done in part, and how much of what A does that is cannot be told"]
    columns: Columns


class _Score(TypedDict, total=False):
    too_little_seen: Annotated[bool, "whether the only reason against a score is that too little was seen"]


class Score(_Score):
    computable: bool
    blocked_by: Annotated[list[str], "why there is no score; empty where there is one"]
    lowest: Annotated[Lowest | None, "the score that counts; null where none can be computed"]
    kinds: list[Kinds]


class Coverage(TypedDict):
    what: str
    total: Count
    seen: Count
    unseen: Annotated[list[str], "the first of those that no unit stands for"]


class Place(TypedDict):
    path: str
    line: Count
    text: str


class Edges(TypedDict):
    resolved: Count
    guessed: Count
    external: Count


class Side(TypedDict):
    status: Status
    why: str
    evidence: Annotated[list[Place], "the call chain that shows it, outermost first"]
    dtypes: Annotated[dict[str, Status], "status by data type over the calls; empty where data types play no part"]
    kernels: Annotated[list[str], "asked for by the host code"]
    missing_kernels: Annotated[list[str], "of these, the ones that exist nowhere"]
    edges: Annotated[Edges, "how the calls were followed"]


class Unit(TypedDict):
    key: Annotated[str, "kind:owner::name"]
    kind: str
    owner: str
    name: str
    scored: bool
    users: Annotated[Count, "places outside the back ends that reach it"]
    verdict: Annotated[str, OneOf(GateVerdict)]
    share: Annotated[tuple[Count, Annotated[int, AtLeast(1)]], "how much of what A does B does: numerator, denominator"]
    share_is_guess: bool
    lacking: Annotated[list[str], "data types that A does and B does not"]
    waived: bool
    code: Annotated[str | None, "fingerprint of the code behind a gap, for a waiver"]
    a: Side
    b: Side


class Priorities(TypedDict):
    unit: Annotated[str, "a unit's key"]
    weight: Annotated[float, AtLeast(0)]
    reason: str


class Held(TypedDict):
    unit: str
    reason: str
    owner: str
    expires: Annotated[str, Text(format="date")]


class Void(TypedDict):
    unit: str
    owner: str
    why: str


class Waivers(TypedDict):
    held: list[Held]
    void: list[Void]


class Change(TypedDict):
    unit: str
    before: Status
    now: Status


class Delta(TypedDict):
    new_gaps: list[str]
    worse: list[Change]
    better: list[Change]
    closed: list[Change]
    gone: Annotated[list[str], "gaps of units that are no more: renamed or removed, not closed"]


class Problems(TypedDict):
    path: Annotated[str, "empty where no file is to blame"]
    line: Annotated[Count, "0 where no line is meant"]
    what: str
    blocks_score: bool


class _Document(TypedDict, total=False):
    coverage: Annotated[list[Coverage], "how much of what the leading back end has the units stand for"]


class Document(_Document):
    """The output of `rewarp parity --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.parity/1"]
    rewarp: Annotated[str, "version of rewarp"]
    claim: Annotated[str, "what this says and what it does not"]
    root: Annotated[str, "the folder, or the revision"]
    a: Annotated[str, "the back end that leads"]
    b: Annotated[str, "the back end that follows"]
    found_by: Annotated[list[str], "how the pairs were found"]
    score: Score
    units: list[Unit]
    priorities: Annotated[list[Priorities], "gaps, those that users hit first in front"]
    waivers: Waivers
    delta: Annotated[Delta | None, "since the baseline; null without one"]
    problems: list[Problems]
    unread: Annotated[dict[str, str], "files that were not read, with the reason"]
