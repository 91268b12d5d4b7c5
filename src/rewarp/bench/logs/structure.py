"""Lines of programs that nobody knows, by how their numbers go on: which of them counts, the run tells, and not its name.

Lines that differ in nothing but numbers are of one kind. Among the whole numbers of a kind one that only rises is the counter; one
that begins anew whenever another rises counts within epochs. Where two could be it, none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from rewarp.bench.logs.base import EVERYONE, LineDialect
from rewarp.bench.logs.epoch_lines import begun, without_stamps
from rewarp.bench.logs.launches import Launches
from rewarp.bench.logs.named import (
    AVERAGE_LOSS,
    LOSSES,
    NOT_TRAINED,
    OTHERS,
    RATES,
    SAID_OF_VALIDATION,
    TIMES,
    VALIDATION_LOSS,
    named_losses,
    only_loss,
    parts_of_a_loss,
)
from rewarp.bench.logs.passes import NOT_COUNTED_ON, apart
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.shapes import named_figures, without_twins
from rewarp.bench.logs.steps import number
from rewarp.bench.logs.tracks import Pass
from rewarp.bench.result import Result, Warn

_LONGEST = 1000
_MOST_ROWS = 1 << 18
_MOST_KINDS = 256
_FEWEST = 5
_SHOWN = 240
_BEGINS = rb"(?i:(?<=step)|(?<=iter)|(?<=batch)|(?<=epoch))"
"""A number that is written to its name: `step50`."""
_NUMBER = re.compile(rb"(?:(?<![\w.])|" + _BEGINS + rb")-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?")
_WHOLE = re.compile(
    rb"(?i)(?:(?<![\w.\-])|(?<=step)|(?<=iter)|(?<=batch)|(?<=epoch))(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w.]*\w|%)"
)
_EPOCH = re.compile(rb"(?i)(?<![a-z])ep(?:och)?s?\W{0,4}$")
_STEP = re.compile(
    rb"(?i)(?<![a-z])(?:(?:global|train(?:ing)?|mini)[ _-]?)?(?:step|iter|iteration|it|i|batch|update)(?:s|_?id|_?idx|_?num)?\W{0,4}$"
)
_NO_COUNTER_BEFORE = re.compile(
    rb"(?i)(?:seed|rank|lr|gpus?|size|eta|correct|images?|imgs|samples?|tokens?|mem(?:ory)?|acc(?:uracy)?|rewards?|scores?|episodes?"
    rb"|games?|params?|workers?|node|port|pid|layers?|time|took|elapsed|patience|fold|trial|run|stage|phase|level|best|num\w*|version)\W{0,4}$"
)
_NO_COUNTER_AFTER = re.compile(
    rb"(?i)^\s{0,2}(?:images?|imgs|samples?|examples?|tokens?|words?|s|secs?|seconds?|ms|min|minutes?|hours?|h|gi?b|mi?b|ki?b|params?|x|episodes?|games?)\b"
)
_FIGURES = (
    *LOSSES,
    AVERAGE_LOSS,
    VALIDATION_LOSS,
    *TIMES,
    *RATES,
    *(one for one in OTHERS if one.column == "learning_rate"),
)
_ALONE_NOTHING = {"learning_rate", "validation_loss"}
_COLUMNS = tuple(dict.fromkeys(one.column for one in _FIGURES))
_UNNAMED = Warn(
    "counter-unnamed",
    "what the counter counts the log does not say: batches, iterations or samples; it is given as it stands there",
    "info",
)


class _Slot(NamedTuple):
    """A whole number of a kind of lines: what stands around it."""

    is_total: bool
    is_epoch: bool
    is_step: bool
    may_count: bool


class _Row(NamedTuple):
    line: int
    numbers: tuple[int, ...]
    figures: dict[str, float]
    text: bytes


@dataclass
class _Kind:
    slots: tuple[_Slot, ...]
    parts: tuple[bytes, ...] = ()
    """What the losses are called, where there is nothing but losses that are not the training's."""
    rows: list[_Row] = field(default_factory=list)


class _Reading(NamedTuple):
    steps: list[int]
    planned: int | None
    warnings: list[Warn]
    passes: Sequence[Pass] = ()
    """Of epochs whose length is not said."""


class _Fold:
    anchors = (b"oss", b"OSS", b"poch", b"s/", b"/s", b"ime", b"/ s", b"per s")

    def __init__(self) -> None:
        self.launches = Launches()
        self._kinds: dict[bytes, _Kind] = {}
        self._epoch: int | None = None
        self._seen = 0

    def feed(self, number_: int, line: bytes) -> bool:
        """Looks on, and leaves the line to others: only all lines together tell what it is."""
        if len(line) > _LONGEST or self._seen > _MOST_ROWS or b"%|" in line or SAID_OF_VALIDATION.search(line):
            return False
        line = without_stamps(line)
        if (head := begun(line)) is not None:
            self._epoch = int(head["epoch"])
            return False
        places = {place.column: place for figure in reversed(_FIGURES) if (place := figure.find(line)) is not None}
        parts = () if places.keys() - _ALONE_NOTHING else named_losses(line)
        if not places.keys() - _ALONE_NOTHING and not parts:
            return False
        figures, taken = {}, [(place.start, place.end) for place in places.values()]
        if NOT_TRAINED.search(line[: min((start for start, _ in taken), default=line.find(parts[0]) if parts else 0)]):
            return False
        if parts and (only := only_loss(line)) is not None:
            figures["only_loss"] = only
        for column, place in places.items():
            try:
                figures[column] = number(line[place.start : place.end]) * place.scale
            except ValueError:
                continue
        whole = [
            found
            for found in _WHOLE.finditer(line)
            if not any(one < found.end() and found.start() < two for one, two in taken)
        ]
        if not taken and not whole:
            return False  # nothing counts
        end = max([end for _, end in taken] + [found.end() for found in whole])
        key = b"".join(_NUMBER.sub(b"#", line[:end]).split())
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= _MOST_KINDS:
                return False
            head_slot = _Slot(is_total=False, is_epoch=True, is_step=False, may_count=False)
            kind = self._kinds[key] = _Kind((*(_slot(line, found) for found in whole), head_slot), parts)
        said = tuple(int(found[0].replace(b",", b"")) for found in whole)
        if len(said) + 1 == len(kind.slots):
            figures = {**named_figures(line), **figures}
            kind.rows.append(_Row(number_, (*said, -1 if self._epoch is None else self._epoch), figures, line[:_SHOWN]))
            self._seen += 1
        return False

    def results(self, name: str) -> list[Result]:
        if self._seen > _MOST_ROWS:
            return []
        kinds = [kind for kind in self._kinds.values() if len(kind.rows) >= _FEWEST]
        for kind in sorted(kinds, key=lambda kind: -len(kind.rows)):
            runs = [(rows, _reading(kind.slots, rows)) for rows in _runs(kind, self.launches)]
            # A counter that begins anew beside nothing else that counts may be that of epochs, or of runs.
            many = len(runs) > 1
            if runs and all(reading for _, reading in runs) and not (many and _is_alone(kind)):
                return [
                    _result(f"{name}#{place}" if many else name, kind, rows, reading)
                    for place, (rows, reading) in enumerate(runs, 1)
                    if reading is not None
                ]
        return []


def _slot(line: bytes, found: re.Match[bytes]) -> _Slot:
    before, after = line[max(0, found.start() - 40) : found.start()], line[found.end() : found.end() + 12]
    is_total = re.search(rb"\d(?:\.0)? ?(?:/|of|out of) ?$", before) is not None
    bare = re.sub(rb"[\s\[(]+$", b" ", before)
    may = not is_total and not _NO_COUNTER_BEFORE.search(bare) and not _NO_COUNTER_AFTER.match(after)
    return _Slot(is_total, _EPOCH.search(bare) is not None, _STEP.search(bare) is not None, may)


def _runs(kind: _Kind, launches: Launches) -> Iterable[list[_Row]]:
    """The rows of a kind, cut where the program was started, or everything that counts goes back: there another run begins."""
    places = [place for place, slot in enumerate(kind.slots) if slot.may_count or slot.is_epoch]
    start = 0
    moving = [place for place in places if len({row.numbers[place] for row in kind.rows}) > 1]
    for at, (one, two) in enumerate(pairwise(kind.rows), 1):
        back = moving and all(two.numbers[place] < one.numbers[place] for place in moving)
        if back or launches.between(one.line, two.line) is not None:
            if at - start >= _FEWEST:
                yield kind.rows[start:at]
            start = at
    if len(kind.rows) - start >= _FEWEST:
        yield kind.rows[start:]


def _is_alone(kind: _Kind) -> bool:
    """Whether no more than one number of a kind of lines moves, and none is an epoch's, which would have told."""
    if any(slot.is_epoch for slot in kind.slots[:-1]):
        return False
    moving = [place for place, column in enumerate(zip(*(row.numbers for row in kind.rows))) if len(set(column)) > 1]
    return sum(kind.slots[place].may_count or kind.slots[place].is_epoch for place in moving) < 2


def _reading(slots: Sequence[_Slot], rows: Sequence[_Row]) -> _Reading | None:
    """The steps of a run by what its numbers do; None where that does not tell."""
    columns = list(zip(*(row.numbers for row in rows)))
    rising = [
        place
        for place, column in enumerate(columns)
        if slots[place].may_count and all(one < two for one, two in pairwise(column))
    ]
    outer = [
        place
        for place, column in enumerate(columns)
        if (slots[place].may_count or slots[place].is_epoch)
        and all(one <= two for one, two in pairwise(column))
        and len(set(column)) > 1
        and place not in rising
    ]
    own = [place for place in outer if slots[place].is_epoch and place != len(slots) - 1]
    outer = own or outer
    counted = [place for place in rising if not slots[place].is_epoch]
    if any(slots[place].is_epoch for place in rising):
        return None  # a line for each epoch has no steps
    if counted:
        named = [place for place in counted if slots[place].is_step]
        if len(counted) > 1 and len(named) != 1:
            return None
        place = (named or counted)[0]
        return _Reading(list(columns[place]), _total(slots, columns, place), [] if slots[place].is_step else [_UNNAMED])
    inner = [
        (place, around)
        for place, column in enumerate(columns)
        if slots[place].may_count and not slots[place].is_epoch and place not in outer and len(set(column)) > 1
        for around in outer
        if _is_within(column, columns[around])
    ]
    if len({place for place, _ in inner}) != 1:
        return None
    place, around = inner[0]
    return _joined(slots, columns, place, around)


def _is_within(column: Sequence[int], around: Sequence[int]) -> bool:
    """Whether numbers rise, and begin anew whenever another one rises, and only then."""
    return all(
        (two > one) if outside == before else (two <= one)
        for (one, two), (before, outside) in zip(pairwise(column), pairwise(around))
    )


def _total(slots: Sequence[_Slot], columns: Sequence[Sequence[int]], place: int) -> int | None:
    after = place + 1
    if (
        after < len(slots)
        and slots[after].is_total
        and len(set(columns[after])) == 1
        and columns[after][0] >= columns[place][-1]
    ):
        return columns[after][0]
    return None


def _joined(slots: Sequence[_Slot], columns: Sequence[Sequence[int]], place: int, around: int) -> _Reading:
    """Steps counted through all epochs, where they are counted within one."""
    after = place + 1
    totals = columns[after] if after < len(slots) and slots[after].is_total else None
    says_length = totals is not None and all(here <= total for here, total in zip(columns[place], totals))
    steps, done = [columns[place][0]], 0
    passes = [Pass(steps[0], 0, columns[around][0])]
    for at in range(1, len(columns[place])):
        if columns[around][at] != columns[around][at - 1]:
            length = totals[at - 1] if totals is not None and says_length else columns[place][at - 1]
            done += length
        # The last step of an epoch and the first of the next may bear one number where they are counted from zero.
        done = max(done, steps[-1] + 1 - columns[place][at])
        steps.append(done + columns[place][at])
        if columns[around][at] != columns[around][at - 1]:
            passes.append(Pass(steps[-1], done, columns[around][at]))
    unnamed = [] if slots[place].is_step else [_UNNAMED]
    if not says_length:
        return _Reading(steps, None, [NOT_COUNTED_ON, *unnamed], passes)
    what = "steps begin anew with every epoch, and are counted on from the first line"
    return _Reading(steps, None, [Warn("epochs-joined", what, "info"), *unnamed])


def _result(name: str, kind: _Kind, rows: Sequence[_Row], reading: _Reading) -> Result:
    kept = Rows(most=_MOST_ROWS + 1)  # every step counts
    for row, step in zip(rows, reading.steps):
        kept.add(row.line, row.text, {**row.figures, "step": float(step)})
    steps = [int(step) for step in kept.column("step") if step is not None]
    names = dict.fromkeys((*_COLUMNS, *(name for row in rows[:_FEWEST] for name in row.figures if name != "only_loss")))
    columns, warnings = kept.columns(list(names)), list(reading.warnings)
    if kind.parts:
        only = kept.column("only_loss")
        if len(set(kind.parts)) == 1 and None not in only:
            columns["loss"] = only
            warnings.append(_only(kind.parts[0]))
        else:
            warnings.append(parts_of_a_loss(kind.parts))
    made = result(
        name,
        STRUCTURE.name,
        STRUCTURE.title,
        kept,
        steps,
        without_twins(columns),
        warnings,
        planned=reading.planned,
    )
    return replace(made, series=apart(made.series, reading.passes)) if reading.passes else made


def _only(name: bytes) -> Warn:
    called = name.decode("ascii", "replace")
    return Warn("which-loss", f"the only loss of these lines is called {called}; it is given as the loss", "info")


class Structure(LineDialect):
    name = "structure"
    title = "lines that differ in nothing but numbers, one of which counts"
    looks_for = "epoch=3 i=91/530 total_loss=2.6, or any line with a loss or a rate and a whole number that rises from line to line"
    anchors = _Fold.anchors
    yields_to = EVERYONE
    rank = 3

    def fold(self) -> _Fold:
        return _Fold()


STRUCTURE = Structure()
