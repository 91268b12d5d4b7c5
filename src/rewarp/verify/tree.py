"""A whole tree: every level that can be had here, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rewarp.verify.checks import Check, Evidence, Level, Outcome, overall

ASKED_FOR = {
    Level.MACHINE: "nothing was run: give --machine",
    Level.RUN: "nothing was run: give a command with --run",
    Level.NUMBERS: "no golden vectors given: record them with `rewarp verify record`, then give --golden",
    Level.ISOLATION: "no revision to compare with: give --base",
}
"""Why a level is left out that needs more than a tree."""


@dataclass(frozen=True)
class Verification:
    """The evidence for a tree, weakest level first."""

    root: Path
    levels: tuple[Evidence, ...]

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return tuple(check for level in self.levels for check in level.checks)

    @property
    def outcome(self) -> Outcome:
        return overall(self.checks)


def not_checked(level: Level, why: str) -> Evidence:
    """A level that was left out, and says so."""
    return Evidence(level, (Check(level, f"the {level.value} level", Outcome.NOT_CHECKED, why),))


def in_order(levels: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Every level once, weakest first; those that are not there say why."""
    found = {evidence.level: evidence for evidence in levels}
    return tuple(found.get(level) or not_checked(level, ASKED_FOR.get(level, "left out on request")) for level in Level)
