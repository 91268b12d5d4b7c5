"""The steps of one rank in one run: each once, in order, in bounded memory."""

from __future__ import annotations

import math
import statistics
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from rewarp.bench.logs.steps import Layout, number
from rewarp.bench.model import Series, Warn

KEPT = 1 << 13
"""Of more steps than twice this, the times are all kept, the other figures of every other one, and so on."""
_NOT_COLUMNS = ("step", "of", "epoch", "rank", "stamp", "memory_total_bytes")
_MOST_WARNINGS = 20
_LIKELY_RANKS = 8
"""How far lines of ranks that say no rank may run ahead of each other, in steps."""

Row = Mapping[str, bytes]


@dataclass(frozen=True)
class Thinned(Series):
    """A series of which only the times are there in full."""

    whole: Series = field(default_factory=Series)


class Where(Enum):
    """Where a line belongs whose step does not follow the last one."""

    SAME_RUN = "same run"
    NEW_RUN = "new run"


class Track:
    """One rank's steps."""

    def __init__(self, main: str, first_line: int) -> None:
        self.main = main
        """The column that is kept in full: what the time of a step comes from."""
        self.steps = array("q")
        self.values = array("d")
        self.kept: list[tuple[int, Layout, bytes]] = []
        self.every = 1
        self.last = -1
        self.first_line = self.last_line = first_line
        self.duplicates = 0
        self.warnings: list[Warn] = []

    def append(self, step: int, layout: Layout, row: Row, line: bytes) -> None:
        self.extend((step,), (self._value(layout, row),), layout, (line,))

    def extend(self, steps: Sequence[int], values: Sequence[float], layout: Layout, lines: Sequence[bytes]) -> None:
        """Steps that follow each other and the last one."""
        first = len(self.steps)
        self.steps.extend(steps)
        self.values.extend(values)
        self.last = steps[-1]
        for place in range(-(-first // self.every) * self.every, len(self.steps), self.every):
            self.kept.append((place, layout, lines[place - first]))
        while len(self.kept) >= 2 * KEPT:
            self.thin()

    def _value(self, layout: Layout, row: Row) -> float:
        """Of the main column; NaN where the line has none."""
        try:
            return math.nan if layout.scale is None else number(row[self.main]) * layout.scale
        except ValueError:
            return math.nan

    def thin(self) -> None:
        self.every *= 2
        del self.kept[1::2]

    def place(self, step: int, number_: int, layout: Layout, row: Row, line: bytes) -> Where:
        """Take in a step that may be a repetition, or the first after a restart."""
        if step > self.last:
            self.append(step, layout, row, line)
        elif step == self.last or self._is_repetition(step, layout, row):
            self.duplicates += 1
        elif self._begins_anew(step):
            return Where.NEW_RUN
        else:
            self._restart(step, number_)
            self.append(step, layout, row, line)
        self.last_line = number_
        return Where.SAME_RUN

    def _is_repetition(self, step: int, layout: Layout, row: Row) -> bool:
        """A step that was there before, printed again: late, by another file, or by a rank that does not say which."""
        at = bisect_left(self.steps, step)
        if at < len(self.steps) and self.steps[at] == step and self._value(layout, row) == self.values[at]:
            return True
        often = self.duplicates >= len(self.steps) / 2
        return often and self.last - step <= _LIKELY_RANKS * self.interval

    def _begins_anew(self, step: int) -> bool:
        """Whether this is the first line of a run from its very start, rather than from a checkpoint."""
        return step <= self.interval

    def _restart(self, step: int, line: int) -> None:
        at = bisect_left(self.steps, step)
        again = len(self.steps) - at
        if len(self.warnings) < _MOST_WARNINGS:
            what = (
                f"the step goes back from {self.last} to {step}: a restart from a checkpoint; "
                f"{again} steps done twice count once, as done last"
            )
            self.warnings.append(Warn("restart", what, "info", f"log line {line}"))
        del self.steps[at:], self.values[at:]
        while self.kept and self.kept[-1][0] >= at:
            self.kept.pop()

    @property
    def interval(self) -> int:
        """Steps from one line to the next, as a rule."""
        gaps = [two - one for one, two in zip(self.steps[:200], self.steps[1:200])]
        return int(statistics.median_low(gaps)) if gaps else 1

    # --- as a series --------------------------------------------------------------------

    def series(self) -> Series:
        """All figures; of very many steps every n-th, with the times of all."""
        columns: dict[str, list[float | None]] = {}
        steps: list[int] = []
        for place, layout, line in self.kept:
            for column, value in layout.figures(line).items():
                if column in _NOT_COLUMNS:
                    continue
                if column not in columns:
                    columns[column] = [None] * len(self.kept)
                columns[column][len(steps)] = value
            steps.append(self.steps[place])
        given = {column: values for column, values in columns.items() if any(value is not None for value in values)}
        if self.every == 1 or self.main not in given:
            return Series(steps, given, self.every)
        return Thinned(steps, given, self.every, Series(self.steps, {self.main: self.values}))

    def first_of(self, column: str) -> float | None:
        """The first figure of a column that is not kept as a series."""
        for _, layout, line in self.kept[:100]:
            value = layout.figures(line).get(column)
            if value is not None:
                return value
        return None

    def planned(self) -> int | None:
        """How many steps there were to be, as the last line says."""
        if not self.kept:
            return None
        _, layout, line = self.kept[-1]
        value = layout.figures(line).get("of")
        return int(value) if value is not None and math.isfinite(value) else None
