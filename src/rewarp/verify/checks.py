"""What verification says, whatever the level: checks with an outcome, a reason and their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Level(Enum):
    """What kind of evidence a check gives; the weakest first."""

    STATIC = "static"
    BUILD = "build"
    MACHINE = "machine"
    RUN = "run"
    NUMBERS = "numbers"
    ISOLATION = "isolation"


class Outcome(Enum):
    """Not checked is neither: nothing was seen that speaks for or against."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, or should have been."""

    level: Level
    what: str
    """The subject and the question: `csrc/norm.hip for gfx942`."""
    outcome: Outcome
    why: str = ""
    """What was seen, in a line; never empty where the check did not pass."""
    path: str | None = None
    line: int | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """Figures behind the outcome, fit for JSON."""
    excused: bool = False
    """Not checked because there was nothing to check, or because the caller said so: no gap in what was asked for."""

    def __post_init__(self) -> None:
        if self.outcome is not Outcome.PASSED and not self.why:
            raise ValueError(f"{self.what}: {self.outcome.value}, and no reason given")


@dataclass(frozen=True)
class Evidence:
    """All checks of one level, with what the level alone can show."""

    level: Level
    checks: tuple[Check, ...]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """With what it was seen: tool, versions, device."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What only this level has (kernels and their registers, errors by module), fit for JSON."""
    seconds: float = 0.0

    @property
    def counts(self) -> Counter[Outcome]:
        return Counter(check.outcome for check in self.checks)

    @property
    def outcome(self) -> Outcome:
        return overall(self.checks)


def gaps(checks: Iterable[Check], asked: frozenset[Level], allowed: frozenset[Level] = frozenset()) -> list[Check]:
    """What was asked for and could not be checked."""
    return [
        check
        for check in checks
        if check.outcome is Outcome.NOT_CHECKED and not check.excused and check.level in asked - allowed
    ]


def overall(checks: Iterable[Check]) -> Outcome:
    """Failed where anything failed; passed only where everything was checked, and something was."""
    seen = {check.outcome for check in checks}
    if Outcome.FAILED in seen:
        return Outcome.FAILED
    return Outcome.PASSED if seen == {Outcome.PASSED} else Outcome.NOT_CHECKED
