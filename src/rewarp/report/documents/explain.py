"""What `rewarp explain --json` writes as JSON: one rule, or all."""

from __future__ import annotations

from typing import Annotated, TypedDict

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.schema import OneOf

Degree = Annotated[str, OneOf(Severity)]


class Target(TypedDict):
    severity: Degree
    why: str
    fix: str
    safety: Annotated[str, OneOf(Safety)]
    effort: Annotated[str, OneOf(Effort)]
    when: Annotated[str | None, "the versions for which it holds; null where for all"]
    port: Annotated[list[str], "what `rewarp port` does about it"]
    change: Annotated[str | None, "an example of that, as a diff"]


class Rule(TypedDict):
    id: str
    title: str
    what: str
    kinds: Annotated[list[Annotated[str, OneOf(Kind)]], "of the files that it looks at"]
    phase: Annotated[str, OneOf(Phase)]
    example: str
    versions: str
    source: str
    plugin: Annotated[str | None, "the package that brings it; null for rewarp's own"]
    targets: dict[str, Target]


class Seen(TypedDict):
    id: str
    title: str
    what: str
    severity: Degree
    example: str
    fix: str


Document = Annotated[
    Rule | Seen | list[Rule | Seen],
    "The output of `rewarp explain --json`: a rule, or something that `rewarp run` sees; without a name, all of them.",
]
