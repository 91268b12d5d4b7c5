"""What `rewarp port --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.report.documents.verify import Checks
from rewarp.schema import AtLeast, AtMost, EachOf, OneOf, Text
from rewarp.verdict.answer import Approach
from rewarp.verify.checks import Level, Outcome


class Gate(TypedDict):
    module: str
    path: str
    name: str
    function: bool


class Unproved(TypedDict):
    path: str
    verdict: Annotated[str, OneOf("not provable", "different")]
    why: str


class Changes(TypedDict):
    path: str
    kind: Annotated[str, OneOf("added", "changed", "deleted")]
    why: str
    rules: list[str]


class Manual(TypedDict):
    path: str
    line: Annotated[int | None, AtLeast(1)]
    what: str
    why: Annotated[str, "why it was not changed"]
    rule: str


class Phases(TypedDict):
    number: Annotated[int, AtLeast(0), AtMost(8)]
    title: str
    changes: list[Changes]
    manual: Annotated[list[Manual], "left to a person"]


class Before(TypedDict):
    count: Annotated[int, AtLeast(0)]
    effort_minutes: Annotated[
        float, "derived from changed lines, for what stands in the way; see docs/scan-json.md", AtLeast(0)
    ]


class Blocking(TypedDict):
    rule: str
    path: str
    line: Annotated[int, AtLeast(1)]
    severity: str
    message: str


class Findings(TypedDict):
    before: Before
    after: Before
    blocking: Annotated[list[Blocking], "what still stands in the way"]


class Verification(TypedDict):
    level: Annotated[str, OneOf(Level)]
    outcome: Annotated[str, OneOf(Outcome)]
    counts: Annotated[dict[str, Annotated[int, AtLeast(0)]], EachOf(Outcome)]
    checks: list[Checks]
    provenance: dict[str, Any]


class Document(TypedDict):
    """The output of `rewarp port --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.port/1"]
    rewarp: Annotated[str, "version of rewarp"]
    root: Annotated[str, "the folder that was ported, as given"]
    plugins: Annotated[list[str], "packages whose rules took part besides those of rewarp, each with its version"]
    target: Annotated[str, OneOf("rocm", "gaudi")]
    way: Annotated[str, "where the port went", OneOf("patch", "in-place", "branch")]
    plan: Annotated[
        str,
        "the hash of what was planned and of the tree it was planned for; --plan takes it",
        Text(pattern="^[0-9a-f]{64}$"),
    ]
    done: Annotated[bool, "nothing is left to a person, nothing stands in the way, and NVIDIA is proved untouched"]
    gate: Annotated[Gate | None, "what conditions ask; null where the project has none and none could be made"]
    approach: Annotated[str | None, "what became of CUDA C++; null where there was nothing to do", OneOf(Approach)]
    added_lines: Annotated[
        dict[str, Annotated[int, AtLeast(0)]],
        "The lines that the port adds, by what they are: build, Python, alias headers, HIP versions, helpers, …",
    ]
    unproved: Annotated[list[Unproved], "files that may have changed for NVIDIA users, the certain ones first"]
    phases: Annotated[list[Phases], "the phases that had something to do or to say"]
    findings: Findings
    verification: Annotated[list[Verification] | None, "null where it was left out"]
    written: Annotated[list[str], "files written in place"]
    commits: Annotated[list[str], "commits of the branch, the first one first"]
