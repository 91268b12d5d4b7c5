"""What `rewarp scan --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.edits import Safety
from rewarp.findings import Effort as EffortEnum
from rewarp.findings import Level
from rewarp.findings import Phase as PhaseEnum
from rewarp.findings import Severity as SeverityEnum
from rewarp.project.support.evidence import Way
from rewarp.schema import AtLeast, EachOf, Keys, OneOf
from rewarp.verdict.answer import Approach, Conclusion, Standing

Severity = Annotated[str, OneOf(SeverityEnum)]
Phase = Annotated[str, OneOf(PhaseEnum)]


class Edits(TypedDict):
    start_byte: int
    end_byte: int
    text: str


class Counted(TypedDict, total=False):
    standing: Annotated[str, "whether it counts in the verdict; what works has none", OneOf(Standing)]
    role: Annotated[str | None, "of what is aside: what its file is for"]


class Finding(Counted):
    rule: str
    severity: Severity
    level: Annotated[str, OneOf(Level)]
    path: Annotated[str, "relative to root, with forward slashes"]
    line: Annotated[int, AtLeast(1)]
    column: Annotated[int, "in characters", AtLeast(1)]
    end_line: Annotated[int, AtLeast(1)]
    end_column: Annotated[int, AtLeast(1)]
    start_byte: Annotated[int, "offset in the file as it is on disk", AtLeast(0)]
    end_byte: Annotated[int, AtLeast(0)]
    cell: Annotated[int | None, "notebook cell, counted from 1"]
    symbol: str
    message: str
    fix: str
    safety: Annotated[str, OneOf(Safety)]
    effort: Annotated[str, OneOf(EffortEnum)]
    phase: Phase
    snippet: str
    fingerprint: str
    edits: list[Edits]


class Versions(TypedDict):
    torch: str | None
    rocm: str | None
    arch: str | None


class Evidence(TypedDict):
    way: Annotated[str, OneOf(Way)]
    path: str
    line: Annotated[int, AtLeast(1)]
    text: str


class Support(TypedDict):
    is_there: bool
    device_code: Annotated[bool, "whether the project has CUDA sources of its own"]
    evidence: list[Evidence]


class Phases(TypedDict):
    phase: Phase
    findings: Annotated[int, AtLeast(0)]
    blocking: Annotated[int, "of level error", AtLeast(0)]
    lines: Annotated[int, "left after the automatic port", AtLeast(0)]
    minutes: Annotated[float, "derived from lines", AtLeast(0)]


class WithoutPort(TypedDict):
    lines: Annotated[int, AtLeast(0)]
    files: Annotated[int, AtLeast(0)]


class Effort(TypedDict):
    lines: Annotated[int, "left for a person after the automatic port", AtLeast(0)]
    low_lines: Annotated[int, AtLeast(0)]
    high_lines: Annotated[int, "lines times the median error", AtLeast(0)]
    files: Annotated[int, "with something left", AtLeast(0)]
    without_port: WithoutPort
    median_error: Annotated[float, "a factor, on human ports that the model was not fitted on", AtLeast(1)]
    minutes: Annotated[float, "derived from lines, and so are the next two", AtLeast(0)]
    low_minutes: Annotated[float, AtLeast(0)]
    high_minutes: Annotated[float, AtLeast(0)]
    by_size: dict[str, int]
    basis: Annotated[str, "how the figure is made"]


class Rewrite(TypedDict):
    rule: str
    path: str


class Strategy(TypedDict):
    approach: Annotated[str, OneOf(Approach)]
    reasons: list[str]


class Verdict(TypedDict):
    conclusion: Annotated[str, OneOf(Conclusion)]
    headline: str
    reasons: list[str]
    better: Annotated[str, "what would have to be true for the next better conclusion"]
    standings: Annotated[
        dict[str, Annotated[int, AtLeast(0)]],
        EachOf(Standing),
        "findings that stand in the way: how many count, and how many do not",
    ]
    apart: Annotated[
        dict[str, Annotated[int, AtLeast(0)]],
        "of those that are aside, how many lie in tests, examples, benchmarks and so on",
    ]
    phases: list[Phases]
    effort: Effort
    rewrite: list[Rewrite]
    strategy: Strategy | None


class Summary(TypedDict):
    files_scanned: int
    lines: int
    files_not_parsed: Annotated[
        int, "of the scanned files, those that hold no word any rule looks for; their syntax was not looked into"
    ]
    files_by_kind: dict[str, int]
    findings: int
    findings_by_standing: Annotated[dict[str, Annotated[dict[str, int], Keys(Severity)]], EachOf(Standing)]
    findings_by_severity: Annotated[dict[str, int], "of any standing", Keys(Severity)]
    works_as_is: int
    already_gated: Annotated[int, "places that the code's own platform gates keep off the target"]
    suppressed: Annotated[int, "silenced by comments"]
    hidden_by_baseline: int
    failed: int
    skipped: int
    files_of_other_kinds: Annotated[int, "files of kinds that rewarp does not read"]
    diff_base: str | None
    config: Annotated[str | None, "the pyproject.toml in force"]
    ignored_rules: list[str]
    excluded: list[str]


class Failed(TypedDict):
    path: str
    reason: str
    line: int | None


class Skipped(TypedDict):
    path: str
    reason: str


class Rules(TypedDict):
    title: str
    why: str
    fix: str
    versions: str
    source: str
    plugin: Annotated[str | None, "the package it comes from; null: rewarp itself"]


class Document(TypedDict):
    """The output of `rewarp scan --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.scan/1"]
    rewarp: Annotated[str, "version of rewarp"]
    root: Annotated[str, "the path that was scanned, as given"]
    target: Annotated[str, OneOf("rocm", "gaudi")]
    plugins: Annotated[list[str], "packages whose rules took part besides those of rewarp, each with its version"]
    versions: Annotated[Versions, "what was said of the target machine; null is unknown"]
    support: Annotated[
        Support | None, "what shows that the project supports the target already; null where a single file was scanned"
    ]
    verdict: Verdict
    summary: Summary
    findings: list[Finding]
    works: Annotated[list[Finding], "places that need no change"]
    failed: Annotated[list[Failed], "files about which nothing is known"]
    skipped: Annotated[list[Skipped], "files left out on purpose"]
    unread: Annotated[
        list[Skipped], "parts of files that could not be read, such as a notebook's cell; the rest of the file was"
    ]
    rules: Annotated[dict[str, Rules], "the rules that the findings name"]
