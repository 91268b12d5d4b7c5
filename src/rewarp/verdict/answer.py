"""The answer to a scan, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from rewarp.findings import Finding, Level, Phase
from rewarp.project.support import Support


class Conclusion(str, Enum):
    SUPPORTS = "supports the target already"
    AS_IS = "runs as it is"
    AUTOMATIC = "runs after automatic changes"
    MANUAL = "needs manual work"
    REWRITE = "needs parts written anew"
    UNKNOWN = "cannot be told"


class Standing(str, Enum):
    """How a finding counts."""

    COUNTS = "counts"
    INSTALL = "install"
    """About installing: packages, images, environment, CI. Told beside the verdict, never a part of it."""
    ASIDE = "aside"
    """In tests, examples, benchmarks, documentation, tools, or third-party code."""
    NOT_BUILT = "not built"
    """In a source that the build for the target leaves out, or that another build than the package's own compiles."""


class Approach(str, Enum):
    """What to do with the C++ sources."""

    SHIM = "shim header"
    BUILD_TIME = "build-time translation"
    COMMITTED = "committed HIP"


@dataclass(frozen=True)
class ProjectView:
    """What a verdict has to know of a project besides the findings."""

    roles: Mapping[str, str] = field(default_factory=dict)
    """Of files that are not the package itself: what they are for."""
    not_built: Mapping[str, str] = field(default_factory=dict)
    """Sources that the package's build for the target leaves out, each with the reason."""
    skipped: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """Lines of build files that the build does not come to, from which to which."""
    off: frozenset[str] = frozenset()
    """Macros of options that are off unless a user asks."""
    support: Support | None = None
    asked_for: frozenset[str] = frozenset()
    """Modules that nothing imports unless the code has asked for something first."""
    gate_names: frozenset[tuple[str, str, bool]] = frozenset()
    """Names by which one module tells another on which platform it runs; see ``project.gate_names``."""
    optional: frozenset[tuple[str, int, int, str]] = frozenset()
    """Findings (by their ``sort_key``) on what a function asks for when it is called: who does not call it goes without."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Submodules that are not in the tree, each with the file of the package that cannot do without it, or nothing."""
    compiled: Mapping[str, bool] = field(default_factory=dict)
    """Compiled files of the package whose sources are not in the tree: whether they hold code for NVIDIA's GPUs."""
    unread_language: tuple[str, int] = ("", 0)
    """The language of most of the package that rewarp does not read, where it speaks of NVIDIA's GPUs, and its files."""
    torch_translates: bool = False
    """Whether the package has CUDA sources that torch's build turns into HIP."""
    needing: Callable[[Iterable[str]], tuple[int, int]] = lambda paths: (0, 0)
    """How many units of device code take in one of these files, and how many there are; none: not known."""
    built_there: frozenset[str] = frozenset()
    """Where the project supports the target: device code that its own build compiles there today, with its headers."""


@dataclass(frozen=True)
class Work:
    """Lines to change, and the files they are in."""

    lines: float
    files: int


@dataclass(frozen=True)
class PhaseWork:
    phase: Phase
    findings: int
    blocking: int
    lines: float
    """Left after the automatic port."""


@dataclass(frozen=True)
class Strategy:
    approach: Approach
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    conclusion: Conclusion
    headline: str
    reasons: tuple[str, ...]
    phases: tuple[PhaseWork, ...]
    left: Work
    """What a person has to change after the automatic port."""
    whole: Work
    """What a person would have to change without it."""
    by_effort: dict[str, int]
    rewrite: tuple[tuple[str, str], ...]
    """(rule, path) of the parts that need a rewrite."""
    strategy: Strategy | None
    better: str = ""
    """What would have to be true for the next better conclusion."""
    standings: Mapping[str, int] = field(default_factory=dict)
    """How many errors count, and how many do not; of findings about installing, all. What needs a failure or a caller of its own
    first counts, and is not in the way."""
    apart: Mapping[str, int] = field(default_factory=dict)
    """Of those that are aside, how many lie in tests, examples, benchmarks and so on."""
    in_the_way: frozenset[tuple[str, int, int, str]] = frozenset()
    """The findings (by their ``sort_key``) that the conclusion rests on: every view that counts obstacles counts these."""


def blocking(finding: Finding) -> bool:
    """Whether it stands in the way: the build breaks, the program crashes, the result is wrong or the
    accelerator stays idle."""
    return finding.severity.level is Level.ERROR
