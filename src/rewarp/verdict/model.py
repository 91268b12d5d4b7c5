"""The answer to a scan, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    """In tests, examples, benchmarks, documentation, tools, or somebody else's code."""
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
    support: Support | None = None
    torch_translates: bool = False
    """Whether the package has CUDA sources that torch's build turns into HIP."""
    needing: Callable[[Iterable[str]], tuple[int, int]] = lambda paths: (0, 0)
    """How many units of device code take in one of these files, and how many there are; none: not known."""


@dataclass(frozen=True)
class PhaseWork:
    phase: Phase
    findings: int
    blocking: int
    minutes: float


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
    minutes: float
    by_effort: dict[str, int]
    rewrite: tuple[tuple[str, str], ...]
    """(rule, path) of the parts that need a rewrite."""
    strategy: Strategy | None
    better: str = ""
    """What would have to be true for the next better conclusion."""
    standings: Mapping[str, int] = field(default_factory=dict)
    """How many findings that stand in the way count, and how many do not."""

    @property
    def effort_range(self) -> tuple[float, float]:
        return self.minutes / 2, self.minutes * 2


def blocking(finding: Finding) -> bool:
    """Whether it stands in the way: the build breaks, the program crashes or the result is wrong."""
    return finding.severity.level is Level.ERROR
