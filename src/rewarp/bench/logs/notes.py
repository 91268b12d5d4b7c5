"""What a log says beside its steps, line by line, and which run it says it of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rewarp.bench.logs.facts import TROUBLE, Fact, Trouble, said
from rewarp.bench.logs.tracks import Track
from rewarp.bench.result import Sourced, Warn

_MOST_NOTES = 20_000


@dataclass
class Notes:
    """What was found beside the steps, each with its line."""

    facts: list[tuple[int, Fact, Any]] = field(default_factory=list)
    troubles: list[tuple[int, Trouble]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    _latest: dict[str, tuple[int, Any]] = field(default_factory=dict)

    def of_run(self, before: int, first: int, last: int, after: float) -> Notes:
        """What belongs to the run with steps from line ``first`` to ``last``, between the steps of two others.

        Between two runs the second describes itself, the first says how it ended; of a figure said twice there, the
        first word is the first run's.
        """
        facts, closing = [], set()
        for line, fact, value in self.facts:
            if not fact.name.startswith("reported."):
                if before < line <= last or (line > last and after == math.inf):
                    facts.append((line, fact, value))
            elif first < line <= last:
                facts.append((line, fact, value))
            elif last < line < after and (after == math.inf or fact.name not in closing):
                closing.add(fact.name)
                facts.append((line, fact, value))
        return Notes(
            facts,
            [note for note in self.troubles if first < note[0] < after],
            [line for line in self.ends if first < line < after],
        )

    def by_weight(self, first_step: int) -> list[tuple[int, Fact, Any]]:
        """What counts most first: the last word before the first step, then the first one after it."""

        def order(note: tuple[int, Fact, Any]) -> tuple[bool, bool, int]:
            later = note[0] > first_step
            return not note[1].surer, later, note[0] if later else -note[0]

        return sorted(self.facts, key=order)

    def add_fact(self, line: int, fact: Fact, value: Any, last_step_line: int) -> None:
        """What is said again and again before the next step counts once."""
        before = self._latest.get(fact.name)
        if before and before[1] == value and before[0] > last_step_line:
            return
        self._latest[fact.name] = (line, value)
        self.facts.append((line, fact, value))
        if len(self.facts) > _MOST_NOTES:
            del self.facts[_MOST_NOTES // 4 : _MOST_NOTES // 2]

    def add_trouble(self, line: int, trouble: Trouble) -> None:
        self.troubles.append((line, trouble))
        if len(self.troubles) > _MOST_NOTES:
            del self.troubles[_MOST_NOTES // 4 : _MOST_NOTES // 2]


def reported(notes: Notes) -> dict[str, Sourced]:
    """Figures that the log claims for the run as a whole; the last word counts."""
    return {
        fact.name.removeprefix("reported."): Sourced(value, f"log line {line}")
        for line, fact, value in notes.facts
        if fact.name.startswith("reported.")
    }


def troubles(notes: Notes, track: Track) -> Iterable[Warn]:
    """The surest word for what went wrong after the last step, and one for what was survived."""
    survived = [note for note in notes.troubles if note[0] < track.last_line]
    fatal = [note for note in notes.troubles if note[0] > track.last_line]
    for group, went_on in ((survived, True), (fatal, False)):
        if group:
            line, trouble = surest(group)
            before = None if line < track.first_line else track.called(track.last)
            if went_on and before is not None:
                # Which step it came after is not kept; that it came between two is what counts.
                yield Warn(trouble.code, f"{trouble.what}, and the run went on", "info", f"log line {line}")
            else:
                ended = any(track.last_line <= end < line for end in notes.ends)
                yield said(trouble, line, before, went_on, has_ended=ended)


def surest(troubles: Iterable[tuple[int, Trouble]]) -> tuple[int, Trouble]:
    """The one that says most, and of those the first."""
    return min(troubles, key=lambda note: (TROUBLE.index(note[1]), note[0]))
