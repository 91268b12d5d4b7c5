"""What `rewarp fleet report --json` writes as JSON. Rows of runs and repositories have the columns of fleet/tables."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.fleet.request import Status
from rewarp.schema import AtLeast, EachOf, Items, OneOf, Text
from rewarp.verdict import Conclusion

Count = Annotated[int, AtLeast(0)]
CountOrNull = Annotated[int | None, AtLeast(0)]
Amount = Annotated[float, AtLeast(0)]
AmountOrNull = Annotated[float | None, AtLeast(0)]
Time = Annotated[str, Text(format="date-time")]


class Run(TypedDict):
    run: str
    started: Time
    finished: Time
    rewarp: str
    code: str
    target: str
    options: str
    place: str
    repositories: Count
    done: Count
    reused: Count
    seconds: Amount


class Rules(TypedDict):
    rule: str
    title: str
    repositories: Count
    places: Count
    severities: list[str]


class Unblocked(TypedDict):
    rule: str
    title: str
    repositories: Annotated[list[str], Items(1)]
    places: Count


class Changes(TypedDict):
    repository: str
    before: str | None
    after: str | None
    lines_before: AmountOrNull
    lines_after: AmountOrNull
    new: CountOrNull
    gone: CountOrNull


class Repositories(TypedDict):
    run: str
    repository: str
    source: str
    revision: str | None
    commit: str | None
    status: Annotated[str, OneOf(Status)]
    reason: str
    reused: bool
    key: str | None
    host: str | None
    seconds: Amount
    cpu_seconds: AmountOrNull
    peak_bytes: CountOrNull
    submodules: CountOrNull
    conclusion: str | None
    headline: str | None
    better: str | None
    support: bool | None
    approach: str | None
    files: CountOrNull
    lines: CountOrNull
    unread: CountOrNull
    findings: CountOrNull
    in_the_way: CountOrNull
    rewrites: CountOrNull
    left_lines: AmountOrNull
    left_files: CountOrNull
    whole_lines: AmountOrNull
    port_done: bool | None
    port_files: CountOrNull
    port_left: CountOrNull
    patch: str | None
    verify_static: str | None
    verify_build: str | None
    verify_isolation: str | None
    verify_machine: str | None
    checks_passed: CountOrNull
    checks_failed: CountOrNull
    checks_not_made: CountOrNull
    verify_why: str | None


class Document(TypedDict):
    """The output of `rewarp fleet report --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.fleet/1"]
    rewarp: str
    run: Run
    previous: str | None
    verdicts: Annotated[dict[str, Count], EachOf(Conclusion)]
    not_looked_at: Count
    rules: list[Rules]
    unblocked: list[Unblocked]
    changes: list[Changes]
    repositories: list[Repositories]
