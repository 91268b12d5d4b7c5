"""The steps of one rank in one run: each once, in order, in bounded memory."""

from __future__ import annotations

import math
import re
import statistics
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from rewarp.bench.logs.launches import LAUNCHED
from rewarp.bench.logs.running_sums import is_running_sum
from rewarp.bench.logs.steps import Layout, number
from rewarp.bench.result import Series, Warn

KEPT = 1 << 13
"""Of more steps than twice this, the times are all kept, the other figures of every other one, and so on."""
_NOT_COLUMNS = ("step", "of", "epoch", "rank", "stamp", "memory_total_bytes")
_MOST_WARNINGS = 20
_LOOKED_AT = 2000
_SAMPLE = 20
_HABIT = 5
"""Stretches of as many steps each."""
_LIKELY_RANKS = 8
"""How far lines of ranks that say no rank may run ahead of each other, in steps."""

OF_EPOCHS = re.compile(rb"(?i)(?<![a-z])epoch\W{0,4}\d+ ?(?:/|of) ?(?P<of>\d+)")
"""Of a line that names its epoch, how many there are."""

_FIRST = attrgetter("first")

Row = Mapping[str, bytes]


@dataclass(frozen=True)
class Thinned(Series):
    """A series of which only the times are there in full."""

    whole: Series = field(default_factory=Series)


class Pass(NamedTuple):
    """An epoch within a run whose steps are counted through all of them."""

    first: int
    """The first step, of the run."""
    done: int
    """Steps before the epoch."""
    epoch: int


class Where(Enum):
    """Where a line belongs whose step does not follow the last one."""

    SAME_RUN = "same run"
    NEW_RUN = "new run"


class Track:
    """One rank's steps."""

    def __init__(self, main: str, first_line: int, launch: int | None = None) -> None:
        self.main = main
        """The column that is kept in full: what the time of a step comes from."""
        self.steps = array("q")
        self.values = array("d")
        self.kept: list[tuple[int, Layout, bytes]] = []
        self.every = 1
        self.last = -1
        self.first_line = self.last_line = first_line
        self.duplicates = 0
        self.done = 0
        """Steps of the epochs before, of a run put together from them."""
        self.warnings: list[Warn] = []
        self.launch = launch
        """The line that says the start it began with, where there was another before."""
        self.passes: list[Pass] = []
        """Where steps are counted within epochs."""
        self._headlines = set[tuple[int, int | None]]()
        if launch is not None:
            self.warnings.append(Warn("launch", LAUNCHED, "info", f"log line {launch}"))

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
                f"the step goes back from {self.called(self.last)} to {self.called(step)}: a restart from a checkpoint; "
                f"{again} steps done twice count once, as done last"
            )
            self.warnings.append(Warn("restart", what, "info", f"log line {line}"))
        del self.steps[at:], self.values[at:]
        while self.kept and self.kept[-1][0] >= at:
            self.kept.pop()
        while self.passes and self.passes[-1].first >= step:
            self.passes.pop()

    def within(self, first: int, done: int, epoch: int) -> None:
        """The epoch that the step ``first`` of the run is of, with ``done`` steps before that."""
        if not self.passes or (self.passes[-1].done, self.passes[-1].epoch) != (done, epoch):
            self.passes.append(Pass(first, done, epoch))

    def called(self, step: int) -> str:
        """A step as the log calls it."""
        at = bisect_right(self.passes, step, key=_FIRST) - 1
        if at < 0 or not any(one.done for one in self.passes):
            return str(step)
        return f"{step - self.passes[at].done} of epoch {self.passes[at].epoch}"

    def go_on(self, track: Track, length: int, epoch: int) -> None:
        """Take in a track whose steps begin anew where this one's end, ``length`` of them in an epoch. None is thinned."""
        first, done = len(self.steps), max(self.done + length, self.last + (track.steps[0] == 0))
        self.done = done
        self.within(done + track.steps[0], done, epoch)
        self.steps.extend(done + step for step in track.steps)
        self.values.extend(track.values)
        self.kept += [(first + place, layout, line) for place, layout, line in track.kept]
        self.last, self.last_line = self.steps[-1], track.last_line
        self.duplicates += track.duplicates
        self.warnings += track.warnings

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

    def absorb(self, track: Track) -> None:
        """Take in a track whose steps follow this one's. None is thinned."""
        first = len(self.steps)
        self.steps.extend(track.steps)
        self.values.extend(track.values)
        self.kept += [(first + place, layout, line) for place, layout, line in track.kept]
        self.last, self.last_line = track.last, track.last_line
        self.duplicates += track.duplicates
        self.warnings += [one for one in track.warnings if one.code != "launch"]

    def below(self, headline: tuple[int, int | None] | None) -> None:
        """The epoch, and of how many, that a line of its own has said to begin."""
        if headline is not None and len(self._headlines) < _MOST_WARNINGS:
            self._headlines.add(headline)

    def sums_losses(self) -> bool:
        """Whether what is called loss is summed up over each epoch."""
        figures = [layout.figures(line) for _, layout, line in self.kept[:_LOOKED_AT]]
        said = [(one["step"], one["loss"]) for one in figures if "loss" in one and "step" in one]
        return is_running_sum([step for step, _ in said], [loss for _, loss in said])

    def has_times(self) -> bool:
        """Whether lines say more than losses."""
        said = {column for _, layout, line in self.kept[:_SAMPLE] for column in layout.figures(line)}
        return not said <= {"loss", "learning_rate", "validation_loss", *_NOT_COLUMNS}

    def is_of_one_epoch(self) -> bool:
        """Whether all steps are of one epoch, and it is not said to be the only one."""
        epochs = set(self._headlines)
        for _, layout, line in (*self.kept[:1], *self.kept[-1:]):
            epoch = layout.figures(line).get("epoch")
            if epoch is not None and math.isfinite(epoch):
                of = OF_EPOCHS.search(line)
                epochs.add((int(epoch), int(of["of"]) if of and of["of"] else None))
        return len(epochs) == 1 and epochs.isdisjoint({(0, 1), (1, 1)})

    def planned(self) -> int | None:
        """How many steps there were to be, as the last line says."""
        if not self.kept:
            return None
        _, layout, line = self.kept[-1]
        value = layout.figures(line).get("of")
        return int(value) if value is not None and math.isfinite(value) else None


def without_habits(tracks: Sequence[Track]) -> list[Track]:
    """What looks like a start after every so many steps, from which these go on, is a habit of the program and no start."""
    counts = {len(track.steps) for track in tracks[:-1]}
    goes_on = all(one.last < two.steps[0] and two.launch is not None for one, two in pairwise(tracks))
    if len(tracks) < _HABIT or len(counts) != 1 or not goes_on or any(track.every > 1 for track in tracks):
        return list(tracks)
    for track in tracks[1:]:
        tracks[0].absorb(track)
    return [tracks[0]]


@dataclass(frozen=True)
class Stretch:
    """Steps of one rank that follow each other, each perhaps more than once."""

    track: Track
    layout: Layout
    steps: Sequence[int]
    values: Sequence[float]
    lines: Sequence[bytes]
    last_line: int

    def take(self) -> None:
        before = [self.track.last, *self.steps]
        new = [place for place, step in enumerate(self.steps) if step != before[place]]
        self.track.duplicates += len(self.steps) - len(new)
        self.track.last_line = self.last_line
        if len(new) == len(self.steps):
            self.track.extend(self.steps, self.values, self.layout, self.lines)
        elif new:
            steps, values, lines = (
                [column[place] for place in new] for column in (self.steps, self.values, self.lines)
            )
            self.track.extend(steps, values, self.layout, lines)  # type: ignore[arg-type]


def believed(tracks: Sequence[Track], fewest: int, *, doubts_losses: bool) -> list[Track]:
    """Those with steps enough; beside such a one also a start that the log names, however short it was."""
    tracks = [track for track in tracks if not doubts_losses or track.has_times() or not track.sums_losses()]
    if not any(len(track.steps) >= fewest for track in tracks):
        return []
    ended = [track.launch is not None for track in tracks[1:]] + [False]
    return [
        track
        for track, is_ended in zip(tracks, ended)
        if len(track.steps) >= fewest or track.launch is not None or is_ended
    ]
