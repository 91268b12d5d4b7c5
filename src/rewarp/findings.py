"""Finding, the one currency of rewarp, and the outcomes of looking at a file.

A finding from Python, CUDA C++, CMake, Cargo, requirements or a Dockerfile is the same
type; every output format is a view of it. An outcome is a type, never a string:
``Scanned`` (looked at, whatever was found), ``Skipped`` (not looked at, on purpose) or
``Failed`` (could not be looked at). Only ``Scanned`` says anything about the code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Union

from rewarp.edits import Edit, Safety


class Severity(str, Enum):
    """What happens on the target if nothing is done, mildest first."""

    WORKS = "works-as-is"
    INFO = "info"
    PERF = "perf"
    ON_CPU = "runs-on-cpu"
    """It runs, and the accelerator stays idle."""
    WRONG = "wrong-result"
    BUILD = "build-fail"
    CRASH = "crash"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    @property
    def level(self) -> Level:
        return _LEVELS[self]


class Level(str, Enum):
    """The three levels that tools around rewarp (SARIF viewers, CI) know, and good news."""

    NONE = "none"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}
_LEVELS = {
    Severity.WORKS: Level.NONE,
    Severity.INFO: Level.NOTE,
    Severity.PERF: Level.WARNING,
    Severity.ON_CPU: Level.ERROR,
    Severity.WRONG: Level.ERROR,
    Severity.BUILD: Level.ERROR,
    Severity.CRASH: Level.ERROR,
}


class Effort(str, Enum):
    """The size of the work a finding asks for."""

    NONE = "none"
    MINUTES = "minutes"
    HOURS = "hours"
    REWRITE = "rewrite"


class Phase(str, Enum):
    """The phases of a port, in order."""

    ENVIRONMENT = "environment"
    DETECTION = "detection"
    TRANSLATION = "source translation"
    ARCHITECTURE = "architecture"
    BUILD = "build"
    LIBRARIES = "libraries"
    COMPILE = "torch.compile"
    GRAPHS = "graphs"
    VERIFICATION = "verification"


@dataclass(frozen=True, slots=True)
class Finding:
    """What, where, why, how bad, how to fix."""

    rule: str
    path: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    phase: Phase
    effort: Effort
    safety: Safety
    message: str
    fix: str
    symbol: str = ""
    snippet: str = ""
    cell: int | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        return (self.path, self.start, self.end, self.rule)

    @property
    def fingerprint(self) -> str:
        """Identity that survives edits elsewhere in the file: rule, path and the line's text."""
        import hashlib  # late: slow to load, and not everybody asks

        text = "\0".join((self.rule, self.path, " ".join(self.snippet.split()), self.symbol))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Scanned:
    """The file was read and every rule that could match was tried."""

    path: str
    kind: str
    lines: int
    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    """Findings silenced by a comment in the file."""
    gated: int = 0
    """Places that a platform gate already keeps off the target."""
    parsed: bool = True
    """False where the file holds no word that any rule looks for, so that its syntax was not looked into."""
    unread: tuple[str, ...] = ()
    """Parts of it that could not be read, such as a cell of a notebook, each with the reason."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The file was left out on purpose."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The file could not be read, decoded or parsed: nothing is known about it."""

    path: str
    reason: str
    line: int | None = None


DIED = "the process scanning this file died (out of memory, or a parser crash)"
"""Why a scan failed that may go well the next time."""

Outcome = Union[Scanned, Skipped, Failed]


@dataclass(frozen=True)
class ScanResult:
    """All outcomes of one scan, in path order."""

    root: str
    target: str
    outcomes: tuple[Outcome, ...]
    versions: dict[str, str | None] = field(default_factory=dict)

    @property
    def scanned(self) -> list[Scanned]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Scanned)]

    @property
    def skipped(self) -> list[Skipped]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Skipped)]

    @property
    def failed(self) -> list[Failed]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Failed)]

    @property
    def unread_parts(self) -> list[Failed]:
        """Parts of files that could not be read, where the rest of the file was."""
        return [Failed(outcome.path, reason) for outcome in self.scanned for reason in outcome.unread]

    @property
    def findings(self) -> list[Finding]:
        """Everything that asks for attention, in path and line order."""
        return [f for outcome in self.scanned for f in outcome.findings if f.severity is not Severity.WORKS]

    @property
    def works(self) -> list[Finding]:
        """The good news: what runs on the target as it is."""
        return [f for outcome in self.scanned for f in outcome.findings if f.severity is Severity.WORKS]
