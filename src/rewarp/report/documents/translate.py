"""What `rewarp translate --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import AtLeast, OneOf

Count = Annotated[int, AtLeast(0)]
Names = list[str]


class Finding(TypedDict):
    kind: Annotated[str, OneOf("noted", "unsupported", "unknown", "decision", "refused")]
    name: Annotated[str, "the CUDA name it is about, where there is one"]
    rule: str
    line: Annotated[int, AtLeast(1)]
    column: Annotated[int, "in characters", AtLeast(1)]
    end_line: Annotated[int, AtLeast(1)]
    end_column: Annotated[int, AtLeast(1)]
    message: str
    fix: str
    snippet: str


class Totals(TypedDict):
    files: Count
    changed: Count
    unchanged: Count
    skipped: Count
    failed: Count
    mapped: Count
    noted: Count
    unsupported: Count
    unknown: Count
    left: Annotated[int, "findings of kind unsupported, unknown or refused that --allow does not cover", AtLeast(0)]


class ByKind(TypedDict):
    renamed: Annotated[dict[str, str], "CUDA name to HIP name"]
    noted: Names
    unsupported: Names
    unknown: Names


class Units(TypedDict):
    unit: str
    outcome: Annotated[str, OneOf("passed", "failed", "not checked")]
    why: str


class Compiled(TypedDict):
    arch: str
    compiler: str
    passed: Count
    refused: Count
    not_checked: Count
    units: list[Units]


class Counts(TypedDict):
    mapped: Count
    noted: Count
    unsupported: Count
    unknown: Count


class Files(TypedDict):
    path: Annotated[str, "relative to root, with forward slashes; empty for standard input"]
    new_path: str
    status: Annotated[str, OneOf("changed", "unchanged", "skipped", "failed")]
    reason: Annotated[str | None, "why a file was skipped or failed"]
    counts: Counts | None
    edits: Count
    needs_support: bool
    findings: list[Finding]


class _Document(TypedDict, total=False):
    compiled: Annotated[Compiled | None, "with --compile: what HIP's compiler said of the result; else null"]


class Document(_Document):
    """The output of `rewarp translate --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.translate/1"]
    rewarp: Annotated[str, "version of rewarp"]
    root: Annotated[str, "the path that was translated, as given; - for standard input"]
    way: Annotated[str, "where the result went", OneOf("stdout", "mirror", "beside", "in-place", "shim", "nowhere")]
    complete: Annotated[bool, "nothing is left that was not allowed, and every file could be read"]
    totals: Totals
    names: Annotated[ByKind, "distinct CUDA names of the whole tree, by what became of them"]
    needs_support: Annotated[bool, "some file includes rewarp_hip.h"]
    written: Annotated[list[str], "paths on disk; files that were the same already are not among them"]
    files: list[Files]
