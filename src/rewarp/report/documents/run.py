"""What `rewarp run --json` writes as JSON: of a program that ran, and of one that was not built."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.run.results import ON_GPU, ON_MACHINE, ON_ROCJITSU, Step
from rewarp.schema import AtLeast, AtMost, OneOf

Count = Annotated[int, AtLeast(0)]


class Kernels(TypedDict):
    name: str
    launches: Count
    seconds: Annotated[float, AtLeast(0)]
    waves: Count


class Alarms(TypedDict):
    what: str
    text: str
    kernel: str
    file: Annotated[str, "empty where the code has no line table"]
    line: Count
    instruction: str
    group: Annotated[list[int], "the workgroup; empty where it is about none"]
    wave: int | None
    lane: int | None
    other: Annotated[dict[str, Any] | None, "the other side of a race"]
    count: Annotated[int, "how often it was seen", AtLeast(1)]
    is_remark: Annotated[bool, "worth knowing, and no mistake by itself"]


class Findings(TypedDict):
    rule: str
    path: str
    line: Annotated[int, AtLeast(1)]
    column: Annotated[int, AtLeast(1)]
    message: str
    fix: str


class Unsupported(TypedDict):
    kernel: str
    instruction: str


class OnHost(TypedDict):
    library: str
    function: str
    calls: Count


class Runs(TypedDict):
    arch: str
    order: Annotated[int | None, "of the waves; null for the plain one"]
    how: Annotated[str, "the words for what happened: an emulator is no card"]
    exit_status: Annotated[int | None, "null where a limit or Ctrl-C ended it; below zero a signal"]
    ending: str
    seconds: Annotated[float, AtLeast(0)]
    complete: Annotated[bool, "false where something is not supported, or a limit cut it short"]
    kernels: list[Kernels]
    alarms: list[Alarms]
    findings: Annotated[list[Findings], "the alarms, as findings: one each, in their order"]
    unsupported: list[Unsupported]
    missing: Annotated[list[str], "functions that were called, and that the runtime does not have"]
    limits: Annotated[list[str], "limits of the card that a launch did not keep"]
    computed_on_host: list[OnHost]
    unreadable_notes: Annotated[int, "of the runtime: a process was killed while it wrote", AtLeast(0)]


class Differences(TypedDict):
    first: str
    second: str
    words: str


class HeaderLibraries(TypedDict):
    name: str
    version: str | None
    folder: str


class _Program(TypedDict):
    schema: Literal["rewarp.run/1"]
    tool: Annotated[str, "rewarp and its version"]
    programs: Annotated[list[str], "the files that were given"]
    not_translated: Annotated[list[Findings], "what translation left undone"]


class Ran(_Program):
    on: Annotated[str, "what it ran on", OneOf(ON_MACHINE, ON_GPU, ON_ROCJITSU)]
    watched: bool
    exit_code: Annotated[int, AtLeast(0), AtMost(3)]
    runs: list[Runs]
    differences: Annotated[list[Differences], "where outputs part from the first run's"]
    notes: Annotated[list[str], "what was done otherwise than asked for"]
    toolchain: Annotated[dict[str, Any] | None, "the compiler; null where an executable was given"]
    header_libraries: Annotated[list[HeaderLibraries], "libraries compiled into its kernels"]


class Errors(TypedDict):
    file: Annotated[str | None, "null where the compiler speaks of the command line or of itself"]
    line: int | None
    column: int | None
    message: str


class Failed(_Program):
    exit_code: Literal[2]
    failed: Annotated[str, "the step", OneOf(Step)]
    reason: str
    errors: list[Errors]


Document = Annotated[
    Ran | Failed,
    "The output of `rewarp run --json`: of a program that ran, or of one that was not built. "
    "Fields may be added within version 1; none is removed or changes its meaning.",
]
