"""What goes into a translation and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from rewarp.edits import Edit, Safety
from rewarp.findings import Effort, Finding, Phase, Severity
from rewarp.lang.cpp.includes import Headers
from rewarp.source import SourceFile, Span

SUPPORT_HEADER = "rewarp_hip.h"
NOT_ON_AMD = b"#if !defined(__HIP_PLATFORM_AMD__)"
"""Opens code that stays for other compilers only."""
ON_AMD = b"#if defined(__HIP_PLATFORM_AMD__)"
"""Opens code that is HIP's only."""
LAUNCHES = ("chevron", "ggl")


class Replacement(NamedTuple):
    """An edit in the making: bytes of the view to replace."""

    start: int
    end: int
    text: bytes


class Texture(NamedTuple):
    """What stands for a texture reference."""

    is_linear: bool
    """Plain memory, for it is only read by index; else a texture object."""
    texel: bytes = b""
    """What a fetch from an object gives, where the whole project agrees on it."""


Signature = tuple[bytes, bytes, int]
"""A function: its class, its name, the number of its parameters."""


@dataclass(frozen=True)
class Project:
    """What the files around one file tell about it."""

    own_names: frozenset[bytes] = frozenset()
    """CUDA-looking names that the project declares itself."""
    unportable_macros: frozenset[bytes] = frozenset()
    """Macros that are defined for some of NVIDIA's GPUs or toolkits only, and switch on code without a meaning on AMD."""
    arch_aliases: frozenset[bytes] = frozenset()
    """Macros that the project defines as ``__CUDA_ARCH__``, and nowhere as anything that is not a number."""
    bad_places: Mapping[str, list[int]] = field(default_factory=dict)
    """Where code stands that has no meaning on AMD, in the files that test NVIDIA's macros."""
    lost_names: Mapping[str, frozenset[bytes]] = field(default_factory=dict)
    """By file, the functions and classes that only branches declare for it that AMD does not take."""
    undeclared: Mapping[str, list[Span]] = field(default_factory=dict)
    """By file, where a function template first uses a name that is declared nowhere."""
    numbers: Mapping[bytes, int] = field(default_factory=dict)
    """Macros that are plain numbers, such as names for compute capabilities."""
    files: frozenset[str] = frozenset()
    """The project's own files; an include that means one of them is not the toolkit's."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Files that get another name, old path to new; includes follow."""
    pasting_macros: frozenset[bytes] = frozenset()
    """Macros that make one name of their two arguments."""
    supplies: Mapping[str, frozenset[bytes]] = field(default_factory=dict)
    """By file, names of CUDA's that the project defines for it, so that the support header must not."""
    sides: Mapping[Signature, bytes] = field(default_factory=dict)
    """Functions that the project declares for the device, and the words that say so; empty words where it is not agreed."""
    side_macros: frozenset[bytes] = frozenset()
    """Macros that are such words."""
    wraps_cub: bool = False
    """Whether the project puts CUB into a namespace of its own, or has another that is called so."""
    vector_aliases: Mapping[str, Mapping[bytes, bytes]] = field(default_factory=dict)
    """By file, the project's other names for vector types, such as ``vec3`` for ``float4``."""
    converting: Mapping[bytes, bytes] = field(default_factory=dict)
    """Classes that are made of one object of another class: ``Diffuse`` of a ``Color``."""
    thrust_headers: Mapping[str, frozenset[bytes]] = field(default_factory=dict)
    """By file, for those that use Thrust and leave it to the project's headers to include it: what these include of it."""
    logical_warps: bool = False
    """Whether some file passes 32-bit lane masks, so that all must agree on warps of 32."""

    own_warp_size: frozenset[str] = frozenset()
    """The files that see a global variable ``warpSize`` of the project's own."""
    included_sources: frozenset[str] = frozenset()
    """Files that are named as sources of the host's, and that another file includes."""
    own_global_names: Mapping[str, frozenset[bytes]] = field(default_factory=dict)
    """By file, what the project declares outside of all namespaces for it and HIP's headers do as well."""
    compiles_at_run_time: bool = False
    """Whether some file gives NVRTC source to compile."""
    textures: Mapping[bytes, Texture] | None = None
    """The texture references that something stands for in all files; None where a file has to see for itself."""

    @cached_property
    def folds(self) -> dict[tuple[str, str, tuple[object, ...]], bool | None]:
        """Conditions that were asked before."""
        return {}

    @cached_property
    def headers(self) -> Headers:
        """The files, as includes name them."""
        return Headers(self.files)


NO_PROJECT = Project()


@dataclass(frozen=True)
class Options:
    """How to translate."""

    launch: str = "chevron"
    """``chevron`` leaves ``<<<>>>``, which HIP's compiler takes; ``ggl`` writes ``hipLaunchKernelGGL``."""
    runtime_sources: bool = False
    """Translate CUDA source inside raw strings of projects too that do not use NVRTC."""
    support: str = SUPPORT_HEADER
    """The path that includes of the support header use."""
    whole_support: bool = False
    """Write the whole support header, not only the parts that are used."""
    include_support: bool = False
    """Include the support header though nothing in the file needs it: a file that it includes in a namespace does."""
    project: Project = NO_PROJECT


DEFAULTS = Options()


@dataclass(frozen=True)
class Counts:
    """Uses of CUDA names in code, by what became of them."""

    mapped: int = 0
    noted: int = 0
    """Mapped, and the meaning or the signature differs: each has a finding."""
    unsupported: int = 0
    unknown: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.mapped + other.mapped,
            self.noted + other.noted,
            self.unsupported + other.unsupported,
            self.unknown + other.unknown,
        )


class Problem(NamedTuple):
    """A finding in the making."""

    rule: str
    where: Span
    kind: str
    """``noted``, ``unsupported``, ``unknown``, ``decision``, or ``refused``: the compiler's word against the result."""
    message: str
    fix: str
    symbol: str = ""
    effort: Effort | None = None
    """Where it is not what its kind mostly costs."""


_SEVERITIES = {
    "unsupported": (Severity.BUILD, Effort.HOURS, Safety.NONE),
    "unknown": (Severity.BUILD, Effort.MINUTES, Safety.NONE),
    "refused": (Severity.BUILD, Effort.HOURS, Safety.NONE),
    "noted": (Severity.INFO, Effort.MINUTES, Safety.UNSAFE),
    "decision": (Severity.INFO, Effort.MINUTES, Safety.UNSAFE),
}


def finding_of(source: SourceFile, problem: Problem) -> Finding:
    """A problem in the words of every report."""
    where = problem.where
    start, end = source.position(where.start), source.position(where.end)
    severity, effort, safety = _SEVERITIES[problem.kind]
    return Finding(
        rule=problem.rule,
        path=source.path,
        start=where.start,
        end=where.end,
        line=start.line,
        column=start.column,
        end_line=end.line,
        end_column=end.column,
        severity=severity,
        phase=Phase.TRANSLATION,
        effort=problem.effort or effort,
        safety=safety,
        message=problem.message,
        fix=problem.fix,
        symbol=problem.symbol,
        snippet=source.snippet(start.line),
    )


@dataclass
class Names:
    """What became of a file's names."""

    replacements: list[Replacement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    mapped: int = 0
    noted: int = 0
    unsupported: int = 0
    unknown: int = 0
    supplied: set[bytes] = field(default_factory=set)
    """Names that the support header has to bring."""


@dataclass
class Changes:
    """What one part of the translator found."""

    replacements: list[Replacement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Translation:
    """A file in HIP, how it came to be, and what is left to do."""

    source: SourceFile
    data: bytes
    """The file after translation, in its own encoding."""
    replacements: tuple[Replacement, ...]
    """What was replaced in ``source.view``, in file order."""
    counts: Counts
    needs_support: bool
    """Whether the result includes the support header."""
    problems: tuple[Problem, ...] = ()
    """The findings in short, one for each and in their order."""

    @property
    def path(self) -> str:
        return self.source.path

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is left to do or to check. Built when asked for: lines and columns take time to count."""
        return tuple(finding_of(self.source, problem) for problem in self.problems)

    @property
    def text(self) -> str:
        """The file after translation, as characters; a byte that is none in its encoding survives as a surrogate."""
        return self.data.decode(self.source.encoding, "surrogateescape")

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Edits of the original bytes; whatever lies outside them is untouched."""
        source = self.source
        return tuple(
            Edit(source.original(Span(start, end)), source.encoded(text)) for start, end, text in self.replacements
        )

    def original_line(self, line: int) -> int:
        """The line of the source that a line of the result was made of: a compiler speaks of the result."""
        view, at, here = self.source.view, 0, 1
        for start, end, text in self.replacements:
            kept = view.count(b"\n", at, start)
            begins_there = here + kept == line and (start == 0 or view[start - 1 : start] == b"\n")
            if here + kept >= line and not (begins_there and not text):  # what was taken out begins no line
                break
            here += kept + text.count(b"\n")
            at = end
            if here > line:
                return self.source.line_at(start)
        return min(self.source.line_at(at) + line - here, len(self.source.line_starts))

    @property
    def changed(self) -> bool:
        return bool(self.replacements)

    @property
    def complete(self) -> bool:
        """Whether every CUDA name found its twin."""
        return not self.counts.unsupported and not self.counts.unknown
