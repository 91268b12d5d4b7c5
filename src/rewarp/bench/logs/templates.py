"""Lines of epochs or iterations with a loss that no other reader knows: text that comes again with other numbers in the same
places. It says which lines it read, and by what names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from rewarp.bench.logs.base import EVERYONE, LineDialect
from rewarp.bench.logs.epoch_lines import without_stamps
from rewarp.bench.logs.launches import Launches
from rewarp.bench.logs.passes import NOT_COUNTED_ON, apart
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.shapes import Counter, Shape, is_of_others, shape_of
from rewarp.bench.logs.tracks import Pass
from rewarp.bench.result import Result, Warn

_LONGEST = 600
_MOST_LINES = 1 << 16
_MOST_KINDS = 256
_MOST_COLUMNS = 16
_FEWEST = 3
_NEAR = 6
"""Lines behind the headline that counts."""
_OF_EPOCHS = Warn(
    "epochs",
    "the lines are of whole epochs, and do not say how many steps these have, so no time of a step is given",
    "info",
)
_JOINED = Warn(
    "epochs-joined", "steps begin anew with every epoch, and are counted on by the length that the lines say", "info"
)


_RULED = re.compile(rb"\s*[-=*#~]{3,}\s*(\d{1,9})\s*[-=*#~]{3,}\s*")
"""A headline that is nothing but a number between rules: `-----12-----`."""
_TRAINING = re.compile(r"(?i)(?<![a-z])train(?:ing)?(?![a-z])")
_TRAINING_PART, _OTHERS_PART = "training", "others"


_ENGLISH = "oss OSS ccura poch POCH ter ITER tep STEP pisode ound atch"
_OTHERS = "损失 損失 손실 отери 轮 迭代 поха 에폭 エポック"
_WORDS = tuple(word.encode() for word in f"{_ENGLISH} {_OTHERS}".split())
_RULES = (b"---", b"===", b"***", b"###", b"~~~")
_ANCHORS = (*_WORDS, *_RULES)


class _Row(NamedTuple):
    line: int
    counters: tuple[Counter, ...]
    figures: dict[str, float]
    text: bytes

    @property
    def place(self) -> tuple[int, ...]:
        return tuple(counter.value for counter in self.counters)


@dataclass
class _Kind:
    rows: list[_Row] = field(default_factory=list)

    @property
    def weight(self) -> tuple[bool, int]:
        return any("loss" in row.figures for row in self.rows), len(self.rows)


class _Fold:
    anchors = _ANCHORS

    def __init__(self) -> None:
        self.launches = Launches()
        self._kinds: dict[tuple[str, ...], _Kind] = {}
        self._head: tuple[int, Counter] | None = None
        self._used: set[tuple[str, ...]] = set()
        """Shapes of losses that stood below the last headline."""
        self._unclear: set[tuple[str, ...]] = set()
        self._lines: list[tuple[int, bytes]] = []
        self._part: str | None = None
        """Of what the lines are, where headlines say it: `training epoch 3`, then `validation epoch 3`."""
        self._row: _Row | None = None
        """The last, as long as lines may say more of it."""

    def feed(self, number: int, line: bytes) -> bool:
        """Keeps the line, and leaves it to others: only where nobody knows any line it is looked at."""
        if len(line) <= _LONGEST and len(self._lines) <= _MOST_LINES and b"%|" not in line:
            if not line.lstrip().startswith(_RULES) or _RULED.fullmatch(line) or any(word in line for word in _WORDS):
                self._lines.append((number, line))
        return False

    def _look_at(self, number: int, line: bytes) -> None:
        text = without_stamps(line).decode("utf-8", "replace")
        if (ruled := _RULED.fullmatch(line)) is not None:
            self._head, self._used, self._row = (number, Counter("", int(ruled[1]), None)), set(), None
            return
        shape = shape_of(text)
        if shape is None:
            return
        if not shape.has_loss:
            if len(shape.counters) == 1:
                self._begin(number, text, shape)
            elif not shape.counters:
                self._say_beside(number, shape)
            return
        counters, key = shape.counters, shape.key
        if self._part == _OTHERS_PART:
            self._validate(counters, shape)
            return
        if not counters and is_of_others(_before_figures(text)):
            self._say_beside(number, shape)
            return
        if not counters:
            if self._head is None or number - self._head[0] > _NEAR or key in self._used:
                # Before any headline, or twice below one: of what it is nobody says.
                self._unclear.add(key)
                return
            self._used.add(key)
            key, counters = (*key, f"below {self._head[1].word}"), (self._head[1],)
        if 1 <= len(counters) <= 2 and not is_of_others(_before_figures(text)):
            self._add(number, line, key, counters, shape)

    def _begin(self, number: int, text: str, shape: Shape) -> None:
        self._head, self._used = (number, shape.counters[0]), set()
        if shape.figures:
            return
        if _TRAINING.search(text):
            self._part = _TRAINING_PART
        elif self._part is not None:
            # A headline of a validation tells only where trainings have theirs as well.
            self._part = _OTHERS_PART if is_of_others(text) else None
        if self._part != _OTHERS_PART:
            self._row = None

    def _validate(self, counters: tuple[Counter, ...], shape: Shape) -> None:
        """A loss below the headline of a validation is that of the epoch which was trained before."""
        row = self._row
        if row is not None and "loss" in shape.figures and counters in ((), row.counters):
            row.figures.setdefault("validation_loss", shape.figures["loss"])

    def _say_beside(self, number: int, shape: Shape) -> None:
        """Figures in lines of their own, below the same headline as the loss: what no headline stands above is of nothing."""
        row = self._row
        if (
            row is not None
            and self._head is not None
            and row.counters == (self._head[1],)
            and number - row.line <= _NEAR
        ):
            for name, value in shape.figures.items():
                row.figures.setdefault(name if name != "loss" else "", value)
            row.figures.pop("", None)

    def _add(self, number: int, line: bytes, key: tuple[str, ...], counters: tuple[Counter, ...], shape: Shape) -> None:
        if key not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            return
        # Whatever order they stand in: the epoch is around the step.
        ordered = tuple(sorted(counters, key=lambda counter: not counter.is_of_epochs))
        figures = dict(list(shape.figures.items())[:_MOST_COLUMNS])
        self._row = _Row(number, ordered, figures, line)
        self._kinds.setdefault(key, _Kind()).rows.append(self._row)

    def results(self, name: str) -> list[Result]:
        if len(self._lines) > _MOST_LINES:
            return []  # the end of it was not seen
        for number, line in self._lines:
            self._look_at(number, line)
        kinds = [
            kind for key, kind in self._kinds.items() if len(kind.rows) >= _FEWEST and key[:-1] not in self._unclear
        ]
        if not kinds:
            return []
        kind = max(kinds, key=lambda kind: kind.weight)
        runs = list(_runs(kind.rows, self.launches))
        if not _is_plain(runs) or any(other is not kind and _take_turns(kind, other) for other in kinds):
            return []
        many = len(runs) > 1
        return [_result(f"{name}#{at}" if many else name, kind, rows) for at, rows in enumerate(runs, 1)]


def _before_figures(text: str) -> str:
    """The beginning of a line, where it says what it is of."""
    return text[:60].partition("oss")[0]


def _runs(rows: Sequence[_Row], launches: Launches) -> Iterator[list[_Row]]:
    """Where what counts does not go on, or the program was started, another run begins."""
    start = 0
    for at, (one, two) in enumerate(pairwise(rows), 1):
        if two.place <= one.place or launches.between(one.line, two.line) is not None:
            yield list(rows[start:at])
            start = at
    yield list(rows[start:])


def _take_turns(one: _Kind, other: _Kind) -> bool:
    """Whether lines of two shapes say losses of the same epochs: whose they are nobody says."""
    both = {row.place for row in one.rows} & {row.place for row in other.rows if "loss" in row.figures}
    return 2 * len(both) > len({row.place for row in one.rows})


def _is_plain(runs: Sequence[Sequence[_Row]]) -> bool:
    """Whether the lines count, and each run begins where the first does: else they are many lines of one epoch, or of things that
    take turns. A counter without a name that begins anew may count anything."""
    if max(map(len, runs)) < 2 or (len(runs) > 1 and not any(counter.word for counter in runs[0][0].counters)):
        return False
    first = min(run[0].place for run in runs)
    return all(two[0].place == first or one[-1].place != two[0].place for one, two in pairwise(runs))


def _result(name: str, kind: _Kind, rows: Sequence[_Row]) -> Result:
    moves = len({row.counters[-1].value for row in kind.rows}) > 1
    kept = Rows(most=_MOST_LINES + 1)
    for row in rows:
        kept.add(row.line, row.text, row.figures)
    columns = kept.columns(list(dict.fromkeys(column for row in rows for column in row.figures)))
    steps, planned, warnings, passes = _counted(rows, moves=moves)
    called = ", ".join(columns)
    lines = f"{len(kind.rows)} lines of one shape are read"
    what = f"no reader knows this log: {lines}, and figures by the names that stand before them ({called})"
    note = Warn("by-structure", what, "info", f"log line {rows[0].line}")
    made = result(name, TEMPLATES.name, TEMPLATES.title, kept, steps, columns, [note, *warnings], planned=planned)
    return replace(made, series=apart(made.series, passes)) if passes else made


def _counted(rows: Sequence[_Row], *, moves: bool) -> tuple[list[int], int | None, list[Warn], list[Pass]]:
    """The steps, how many there were to be, and what is to be said of them. ``moves``: the step within an epoch is not the same
    in all lines of the log."""
    outer, inner = [row.counters[0] for row in rows], [row.counters[-1] for row in rows]
    epochs, steps = [one.value for one in outer], [one.value for one in inner]
    if len(rows[0].counters) == 1:
        return epochs, _planned(outer), [_OF_EPOCHS] if outer[0].is_of_epochs else [_counts(outer[0])], []
    if not moves:
        of = f" of {inner[0].of}" if inner[0].of else ""
        what = f"a line for each epoch, at step {steps[0]}{of} in it; the steps given are epochs"
        return epochs, _planned(outer), [Warn("epochs", what, "info")], []
    if len(set(epochs)) == 1:
        what = f"all steps are of one epoch, which is called {epochs[0]}"
        return steps, None, [Warn("one-epoch", what, "info")], []
    lengths = {one.of for one in inner}
    length = lengths.pop() if len(lengths) == 1 else None
    if length and max(steps) <= length:
        before = [length * (epoch - epochs[0]) for epoch in epochs]
        return [done + step for done, step in zip(before, steps)], None, [_JOINED], []
    passes = list[Pass]()
    counted, done = list[int](), 0
    for at, (epoch, step) in enumerate(zip(epochs, steps)):
        if at and epoch != epochs[at - 1]:
            done = counted[-1] + 1 - min(step, 0)
        counted.append(done + step)
        if not passes or passes[-1].epoch != epoch:
            passes.append(Pass(counted[-1], done, epoch))
    return counted, None, [NOT_COUNTED_ON], passes


def _planned(counters: Sequence[Counter]) -> int | None:
    said = {counter.of for counter in counters}
    of = said.pop() if len(said) == 1 else None
    # Counted from zero, the number behind the stroke may be that of the last, or how many there are.
    return of if counters[0].value > 0 else None


def _counts(counter: Counter) -> Warn:
    return Warn(
        "counter", f"what counts is called {counter.word or 'nothing'} there, and is given as it stands", "info"
    )


class Templates(LineDialect):
    name = "templates"
    title = "lines of one shape, a number that counts and a loss"
    looks_for = "any text with numbers in the same places, three times or more: Epoch [3/50] Loss [ 0.69 ], Iteration 20 ... total loss 1.2"
    anchors = _Fold.anchors
    yields_to = EVERYONE
    rank = 0  # before those that take lines
    speaks_last = True

    def fold(self) -> _Fold:
        return _Fold()


TEMPLATES = Templates()
