"""Dialects of one line per step: which figures a line has, and how the next million lines like it are read fast.

A dialect is a list of figures, each with the pattern that finds its number. That is slow, and needed once: where the
numbers stood becomes a layout, one expression for all lines that differ from the first in nothing but their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from rewarp.bench.logs.base import LineDialect
from rewarp.bench.logs.facts import Fact
from rewarp.bench.result import Series, Warn

if TYPE_CHECKING:
    from rewarp.bench.logs.runs import StepFold

CLOCK = "clock"
"""The column of a time since the start as hours, minutes and whole seconds; it becomes ``clock_s``."""
GIB = float(1 << 30)
MIB = float(1 << 20)
NUMBER = rb"[-+]?(?:\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?|NaN|Infinity)"

_THOUSANDS = re.compile(rb"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_LONGEST_STEP_LINE = 1 << 13
_UNCAPTURED = re.compile(rb"[-+]?\d[-+\d.,:eE]*")
# With 0-9, and not \d, a set of characters is one look into a table.
_LIKE_UNCAPTURED = rb"[-+0-9.,:eE]+"
_LIKE_NUMBER = rb"[-+0-9.,eE]+"
_LIKE_STAMP = rb"[-0-9:., T]+"
_LIKE_CLOCK = rb"(?:[0-9]+ days?, )?[0-9:]+"
_LIKE = {"stamp": _LIKE_STAMP, CLOCK: _LIKE_CLOCK}
_BLANKS = re.compile(rb"(?:\\ |\\\t| )+")

_STAMP = re.compile(rb"(\d{4})-?(\d\d)-?(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
_RANK = re.compile(
    rb"^ {0,3}(?P<srun>\d{1,5}): "
    rb"|^\[\d+,(?P<mpi>\d+)\]<std"
    rb"|\[(?:[Rr]ank|default|RANK)[ _-]?(?P<torch>\d{1,9})(?:/\d+)?\]"
    rb"|\[rank-(?P<primus>\d{1,9})/\d+"
)


@dataclass(frozen=True)
class Figure:
    """One figure of a step line. Group 1 of the pattern is its number; a group ``unit`` says what to multiply with."""

    column: str
    pattern: re.Pattern[bytes]
    scale: float = 1.0

    UNITS: ClassVar[Mapping[bytes, float]] = {
        b"ms": 1e-3,
        b"s": 1.0,
        b"sec": 1.0,
        b"secs": 1.0,
        b"seconds": 1.0,
        b"us": 1e-6,
        b"GB": GIB,
        b"GiB": GIB,
        b"MB": MIB,
        b"MiB": MIB,
        b"k": 1e3,
        b"K": 1e3,
        b"M": 1e6,
    }
    """GB is GiB: every one of these programs divides by 1024**3."""

    def find(self, line: bytes) -> Place | None:
        found = self.pattern.search(line)
        if found is None:
            return None
        unit = found["unit"] if "unit" in self.pattern.groupindex else None
        scale = self.UNITS.get(unit, 1.0) if unit else 1.0
        return Place(found.start(1), found.end(1), self.column, self.scale * scale)


def figure(column: str, pattern: bytes, scale: float = 1.0) -> Figure:
    """``#`` in the pattern stands for the number."""
    return Figure(column, re.compile(pattern.replace(b"#", b"(" + NUMBER + b")")), scale)


@dataclass(frozen=True, order=True)
class Place:
    """Where a number stands in a line."""

    start: int
    end: int
    column: str
    scale: float = 1.0


def number(text: bytes) -> float:
    """A comma is one between thousands, or a decimal comma. Raises ValueError."""
    if b"," not in text:
        return float(text)
    text = text.rstrip(b",")
    if _THOUSANDS.fullmatch(text):
        return float(text.replace(b",", b""))
    return float(text.replace(b",", b".", 1))


def numbers(texts: Sequence[bytes]) -> list[float]:
    """Raises ValueError."""
    try:
        return list(map(float, texts))
    except ValueError:
        return list(map(number, texts))


class Layout:
    """All lines that differ from one that was read in nothing but numbers and blanks."""

    def __init__(self, line: bytes, dialect: StepDialect, places: Sequence[Place], main: str) -> None:
        self._dialect = dialect
        self._columns = {place.column: place.scale for place in places}
        self.match = re.compile(_expression(line, places, tuple(self._columns)) + rb"\Z").match
        self.scanned = tuple(column for column in self._columns if column in ("step", "rank", main))
        """What every step needs; the rest is taken apart only of lines that are kept."""
        self.scale = self._columns.get(main)
        """Of the main column; None where these lines have none."""
        self._scan = re.compile(rb"^(?:(" + _beginning(line, places, self.scanned) + rb".*)|(.*))$", re.MULTILINE)

    def scan(self, block: bytes) -> list[tuple[bytes, ...]]:
        """One row per line: the line, ``scanned`` columns, nothing; or nothing of all that, and the line at the end."""
        rows = self._scan.findall(block)
        if block.endswith(b"\n"):
            rows.pop()
        return rows

    def row(self, line: bytes) -> dict[str, bytes] | None:
        """The numbers of a line of this layout, as they stand there."""
        found = self.match(line)
        return dict(zip(self._columns, found.groups())) if found else None

    def figures(self, line: bytes) -> dict[str, float]:
        """The figures of a line that begins like this layout, whatever follows."""
        row = self.row(line)
        if row is not None:
            return _figures(row, self._columns)
        places = self._dialect.figures_in(line) or []
        row = {place.column: line[place.start : place.end] for place in places}
        return _figures(row, {place.column: place.scale for place in places})


def _figures(row: Mapping[str, bytes], scales: Mapping[str, float]) -> dict[str, float]:
    found = {}
    for column, text in row.items():
        if column == "stamp":
            seconds = seconds_of(text)
            if seconds is not None:
                found["stamp_s"] = seconds
            continue
        if column == CLOCK:
            found["clock_s"] = seconds_gone(text)
            continue
        try:
            found[column] = number(text) * scales[column]
        except ValueError:
            continue
    return found


def seconds_of(stamp: bytes) -> float | None:
    """Of a date and time. Which zone is not said; only differences are used."""
    found = _STAMP.match(stamp)
    if found is None:
        return None
    year, month, day, hour, minute, second, part = found.groups()
    midnight = _midnight(int(year), int(month), int(day))
    if midnight is None:
        return None
    return midnight + int(hour) * 3600 + int(minute) * 60 + int(second) + (float(b"0." + part) if part else 0.0)


def seconds_gone(clock: bytes) -> float:
    """`0:01:32`, `1 day, 3:29:34`."""
    days, _, rest = clock.rpartition(b", ")
    total = 0
    for part in rest.split(b":"):
        total = total * 60 + int(part or 0)
    return float(total + 86_400 * int(days.split()[0] if days else 0))


@lru_cache(maxsize=64)
def _midnight(year: int, month: int, day: int) -> float | None:
    try:
        return datetime(year, month, day, tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _beginning(line: bytes, places: Sequence[Place], wanted: Sequence[str]) -> bytes:
    """A line up to the last number that is wanted, and the words that must stand behind it."""
    last = max((place for place in places if place.column in wanted), key=lambda place: place.end)
    after = _UNCAPTURED.search(line, last.end)
    words = line[last.end : after.start() if after else len(line)]
    upto = [place for place in places if place.end <= last.end]
    return _expression(line[: last.end], upto, wanted) + _literal(words)


def _expression(line: bytes, places: Sequence[Place], wanted: Sequence[str]) -> bytes:
    parts, at = [], 0
    for place in places:
        like = _LIKE.get(place.column, _LIKE_NUMBER)
        parts += [_literal(line[at : place.start]), b"(" + like + b")" if place.column in wanted else like]
        at = place.end
    return b"".join([*parts, _literal(line[at:])])


def _literal(text: bytes) -> bytes:
    parts, at = [], 0
    for found in _UNCAPTURED.finditer(text):
        parts += [_blanks(text[at : found.start()]), _LIKE_UNCAPTURED]
        at = found.end()
    return b"".join([*parts, _blanks(text[at:])])


def _blanks(text: bytes) -> bytes:
    return _BLANKS.sub(lambda found: rb"[ \t]+" if b"\t" in found[0] else b" +", re.escape(text))


@dataclass(frozen=True)
class StepDialect(LineDialect):
    """A dialect whose runs are lines of figures, one line per step or per few steps."""

    name: str
    title: str
    looks_for: str
    anchors: tuple[bytes, ...]
    step: re.Pattern[bytes]
    """What makes a line one of this dialect. Groups: ``step``; ``of`` where the line says how many there will be;
    ``global`` where ``step`` begins anew with every epoch and another number goes on."""
    figures: tuple[Figure, ...]
    before: re.Pattern[bytes] | None = None
    """What must stand somewhere before the step, where its name alone is not enough."""
    never_before: re.Pattern[bytes] | None = None
    """What makes a line none of a training where it stands before the step: the program prints its validations alike."""
    then: tuple[re.Pattern[bytes], ...] = ()
    """What must follow the step, in this order. Looked for one after the other: as one expression with ``.*`` between
    them, it would try every place of the first with every place of the second."""
    facts: tuple[Fact, ...] = ()
    finished: tuple[bytes, ...] = ()
    """Texts that a run prints when it is done."""
    averaged: bool = False
    """Whether a line's time and rates are means over the steps since the line before."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What a reader of a column must know, by column."""
    yields_to: tuple[str, ...] = ()
    counts_from_zero: bool = False
    """Whether the last of N steps is called N - 1."""
    has_headlines: bool = False
    """Whether a line of its own may say which epoch the steps below it are of. It must hold an anchor."""
    fewest: int = 1
    """Steps without which a run is not believed to be one."""
    adjust: Callable[[Series], tuple[Series, list[Warn]]] | None = None
    """Puts right what this program is known to print wrongly."""

    doubts_losses: bool = False
    """Whether what is called loss may be a running sum: of a program that is known it is known."""

    def fold(self) -> StepFold:
        from rewarp.bench.logs.runs import StepFold

        return StepFold(self)

    def figures_in(self, line: bytes) -> list[Place] | None:
        """Where the figures of a step line stand; None for any other line."""
        found = self._find(line, 0) if len(line) <= _LONGEST_STEP_LINE else None
        # Two steps in one line: two processes wrote at once, and whose figure is whose cannot be told.
        if found is None or self._find(line, found.end()):
            return None
        head = found.start("step")
        group = "global" if "global" in self.step.groupindex and found["global"] else "step"
        places = [Place(*found.span(group), "step")]
        if "of" in self.step.groupindex and found["of"]:
            places.append(Place(*found.span("of"), "of"))
        stamps = list(_STAMP.finditer(line, 0, head))
        if stamps:
            # The last one is the program's own; launchers put theirs before it.
            places.append(Place(*stamps[-1].span(), "stamp"))
        ranks = list(_RANK.finditer(line, 0, head))
        if ranks:
            # So it is here: before the rank a launcher puts the node's number.
            places.append(Place(*ranks[-1].span(ranks[-1].lastgroup or 0), "rank"))
        places += [place for figure in self.figures if (place := figure.find(line))]
        return _apart(places)

    def _find(self, line: bytes, start: int) -> re.Match[bytes] | None:
        """The first step from there on that stands between what must be around it."""
        if self.before is not None:
            around = self.before.search(line)
            if around is None:
                return None
            start = max(start, around.end())
        if (found := self.step.search(line, start)) is None:
            return None
        if self.never_before is not None and self.never_before.search(line, 0, found.start("step")):
            return None
        # What does not follow the first step does not follow any later one.
        at = found.end()
        for pattern in self.then:
            following = pattern.search(line, at)
            if following is None:
                return None
            at = following.end()
        return found


def _apart(places: list[Place]) -> list[Place]:
    """In order; of two in the same place, and of two for one column, the first that was named stays."""
    kept: list[Place] = []
    for place in places:
        clash = any(
            place.column == other.column or (place.start < other.end and other.start < place.end) for other in kept
        )
        if not clash:
            kept.append(place)
    return sorted(kept)
