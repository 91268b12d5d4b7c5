"""One stream of log, pushed through in pieces: every dialect sees its lines, and nothing is read twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rewarp.bench.logs import tqdm
from rewarp.bench.logs.base import EVERYONE, Fold, LineDialect, all_dialects, dialect_named
from rewarp.bench.logs.facts import COMMON, TROUBLE, Fact, trouble_in
from rewarp.bench.logs.launches import Launched, Launches
from rewarp.bench.logs.notes import surest
from rewarp.bench.logs.runs import MAIN, Pair, StepFold
from rewarp.bench.logs.steps import StepDialect
from rewarp.bench.logs.surroundings import Surroundings
from rewarp.bench.logs.text import Lines
from rewarp.bench.result import Result, Warn
from rewarp.errors import UsageError

_MUCH_WIDER = 1.5
_BARS = Warn(
    "times-beside", "times of bars that stand beside these lines are not given: they are not of all of the log", "info"
)


class LogReader:
    """Feed it bytes as they come, from a file or a running program; then ask for the results."""

    def __init__(self, only: str | None = None) -> None:
        named = [dialect_named(only)] if only else all_dialects().values()
        dialects = [dialect for dialect in named if isinstance(dialect, LineDialect)]
        if not dialects:
            raise UsageError(f"{only} is a file as a whole, and not lines of a log")
        # Who yields comes last: a line belongs to the first that takes it.
        order = sorted(
            dialects, key=lambda dialect: (dialect.yields_to == EVERYONE, len(dialect.yields_to), dialect.rank)
        )
        self._dialects: list[LineDialect] = order
        self._folds: dict[str, Fold] = {dialect.name: dialect.fold() for dialect in self._dialects}
        self._claimed: set[str] = set()
        self._resorts = {dialect.name for dialect in order if dialect.yields_to == EVERYONE}
        self._launches = Launches()
        for name in self._resorts:
            # Of known programs it is known how their steps go on after a restart.
            if isinstance(fold := self._folds[name], Launched):
                fold.launches = self._launches
        self._lines = Lines()
        self._number = 0
        self._unclaimed = _Ends()
        self._surroundings = Surroundings()
        self._facts = _by_anchor({dialect.name: dialect for dialect in self._dialects})

    def feed(self, data: bytes) -> None:
        block = self._lines.feed(data)
        if block:
            self._whole_lines(block)

    def results(self, name: str) -> list[Result]:
        """The runs in what was fed. Nothing can be fed after."""
        self._last_line(self._lines.rest())
        for rest, text in self._unclaimed.take():
            self._note_trouble(rest, text)
        found = self._spoken(name, last=False) or self._spoken(name, last=True)
        named = [(dialect.title, results) for dialect, results in found if dialect.name not in self._resorts]
        if not named:
            return self._surroundings.told(_first_resort(found))
        return [
            _beside(result, [other for other, _ in named if other != title])
            for title, results in named
            for result in self._surroundings.told(results)
        ]

    def _spoken(self, name: str, *, last: bool) -> list[tuple[LineDialect, list[Result]]]:
        speaking = [one for one in self._dialects if one.speaks_last is last and not self._yields(one)]
        return [(dialect, results) for dialect in speaking if (results := self._folds[dialect.name].results(name))]

    def _yields(self, dialect: LineDialect) -> bool:
        if dialect.yields_to == EVERYONE:
            return bool(self._claimed - self._resorts)
        return any(name in self._claimed for name in dialect.yields_to)

    @property
    def trouble(self) -> str | None:
        """What went wrong by the log's own words, where nothing in it is a step."""
        found = [note for fold in self._step_folds()[:1] for note in fold.notes.troubles]
        if not found:
            return None
        line, trouble = surest(found)
        return f"{trouble.what} (log line {line})"

    @property
    def steps(self) -> int:
        """So far."""
        return sum(fold.steps for fold in self._folds.values() if isinstance(fold, StepFold))

    # --- a block ------------------------------------------------------------------------

    def _whole_lines(self, block: bytes) -> None:
        if not self._claimed - self._resorts:
            self._launches.see(self._number + 1, block)
        rest, text = self._plain(block) or self._lines_of(block)
        # The program that had the lines before will have these; what it takes the others need not look through.
        # Of those that read lines of no known program the surer ones must see every line.
        known = self._claimed - self._resorts
        for dialect in sorted(self._dialects, key=lambda dialect: dialect.name not in known):
            if not self._yields(dialect) and any(anchor in text for anchor in self._folds[dialect.name].anchors):
                left = self._take(dialect, rest)
                if len(left) < len(rest):
                    self._claimed.add(dialect.name)
                    rest, text = left, b"\n".join([line for _, line in left])
            if not rest:
                break
        self._note(rest, text)

    def _plain(self, block: bytes) -> tuple[list[Pair], bytes] | None:
        """The lines that are no steps, of a block whose steps all go on as those before did."""
        folds = [fold for name in self._claimed if isinstance(fold := self._folds[name], StepFold)]
        if len(folds) != 1 or b"\r" in block:
            return None
        found = folds[0].take_block(self._number + 1, block)
        if found is None:
            return None
        count, rest, text = found
        self._number += count
        return rest, text

    def _lines_of(self, block: bytes) -> tuple[list[Pair], bytes]:
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        numbered = list(enumerate(lines, self._number + 1))
        self._number += len(lines)
        if b"\r" in block:
            numbered = [(at, part) for at, line in numbered for part in line.split(b"\r")]
        return numbered, block

    def _take(self, dialect: LineDialect, pairs: Sequence[Pair]) -> list[Pair]:
        if self._yields(dialect):
            return list(pairs)
        fold = self._folds[dialect.name]
        if isinstance(fold, StepFold):
            return fold.take(pairs)
        return [
            (at, line)
            for at, line in pairs
            if not any(anchor in line for anchor in fold.anchors) or not fold.feed(at, line)
        ]

    def _last_line(self, line: bytes) -> None:
        if not line.strip():
            return
        self._number += 1
        for part in line.split(b"\r"):
            for dialect in self._dialects:
                if self._yields(dialect):
                    continue
                fold = self._folds[dialect.name]
                feed = fold.feed_cut if isinstance(fold, StepFold) else fold.feed
                if any(anchor in part for anchor in fold.anchors) and feed(self._number, part):
                    self._claimed.add(dialect.name)
                    break
        self._note([(self._number, line)], line)

    # --- beside the steps ---------------------------------------------------------------

    def _note(self, rest: Sequence[Pair], text: bytes) -> None:
        """What a line says beside the steps matters once there are steps: until then lines are only kept."""
        self._surroundings.see(rest, text)
        if not any(isinstance(self._folds[name], StepFold) for name in self._claimed):
            self._unclaimed.add(rest, text)
            return
        for earlier in self._unclaimed.take():
            self._note_in(*earlier)
        self._note_in(rest, text)

    def _note_in(self, rest: Sequence[Pair], text: bytes) -> None:
        folds = self._step_folds()
        wanted = {None, *(fold.dialect.name for fold in folds)}
        facts = {
            anchor: those
            for anchor, known in self._facts.items()
            if (those := [pair for pair in known if pair[0] in wanted]) and anchor in text
        }
        if facts:
            for at, line in rest:
                for anchor, those in facts.items():
                    if anchor in line:
                        self._note_facts(at, line, those)
        self._note_trouble(rest, text)
        for fold in folds:
            ends = fold.dialect.finished
            if any(end in text for end in ends):
                fold.notes.ends += [at for at, line in rest if any(end in line for end in ends)]

    def _note_trouble(self, rest: Sequence[Pair], text: bytes) -> None:
        if any(trouble.text in text for trouble in TROUBLE):
            for at, line in rest:
                if (trouble := trouble_in(line)) is not None:
                    for fold in self._step_folds():
                        fold.notes.add_trouble(at, trouble)

    def _note_facts(self, at: int, line: bytes, facts: Sequence[tuple[str | None, Fact]]) -> None:
        for dialect, fact in facts:
            value = fact.find(line)
            if value is None:
                continue
            for fold in self._step_folds():
                if dialect in (None, fold.dialect.name):
                    fold.notes.add_fact(at, fact, value, fold.last_step_line)

    def _step_folds(self) -> list[StepFold]:
        """Those whose lines were seen; until then any of them may be the one."""
        folds = [fold for fold in self._folds.values() if isinstance(fold, StepFold)]
        return [fold for fold in folds if fold.dialect.name in self._claimed] or folds


class _Ends:
    """The first and the last megabytes of text that no dialect of steps has claimed so far."""

    MOST = 4 << 20

    def __init__(self) -> None:
        self._first: list[tuple[Sequence[Pair], bytes]] = []
        self._last: deque[tuple[Sequence[Pair], bytes]] = deque()
        self._sizes = [0, 0]

    def add(self, rest: Sequence[Pair], text: bytes) -> None:
        if self._sizes[0] < self.MOST:
            self._first.append((rest, text))
            self._sizes[0] += len(text)
            return
        self._last.append((rest, text))
        self._sizes[1] += len(text)
        while self._sizes[1] - len(self._last[0][1]) > self.MOST:
            self._sizes[1] -= len(self._last.popleft()[1])

    def take(self) -> list[tuple[Sequence[Pair], bytes]]:
        found = [*self._first, *self._last]
        self._first, self._last, self._sizes = [], deque(), [0, 0]
        return found


def _first_resort(found: Sequence[tuple[LineDialect, list[Result]]]) -> list[Result]:
    """Of those that read lines of no known program, the surest that found times; else the surest. Times of a bar without a
    loss, or of a few bars, do not stand for runs whose losses are told by lines of their own."""
    timed = [results for _, results in found if any(_has_times(result) for result in results)]
    best = (timed or [results for _, results in found] or [[]])[0]
    has_loss = any("loss" in result.series.columns for result in best)
    if has_loss and best[0].provenance["dialect"] != tqdm.TQDM.name:
        return best
    told = [results for _, results in found if best and all("loss" in result.series.columns for result in results)]
    wider = [results for results in told if _lines(results) > (_MUCH_WIDER if has_loss else 1) * _lines(best)]
    return [replace(one, warnings=(*one.warnings, _BARS)) for one in wider[0]] if wider else best


def _lines(results: Sequence[Result]) -> int:
    """How far in the log they reach."""
    return int(max(one.provenance["lines"][1] for one in results) - min(one.provenance["lines"][0] for one in results))


def _has_times(result: Result) -> bool:
    return any(column in result.series.columns for column in (*MAIN[:-1], "epoch_time_s"))


def _beside(result: Result, others: Sequence[str]) -> Result:
    if not others:
        return result
    what = f"the log also holds lines of {', '.join(others)}; they are results of their own, perhaps of the same run"
    return replace(result, warnings=(*result.warnings, Warn("several-dialects", what, "info")))


def _by_anchor(dialects: Mapping[str, LineDialect]) -> dict[bytes, list[tuple[str | None, Fact]]]:
    """Facts by the text that their lines hold, each with the dialect it belongs to."""
    found: dict[bytes, list[tuple[str | None, Fact]]] = {}
    for fact in COMMON:
        found.setdefault(fact.anchor, []).append((None, fact))
    for name, dialect in dialects.items():
        if isinstance(dialect, StepDialect):
            for fact in dialect.facts:
                found.setdefault(fact.anchor, []).append((name, fact))
    return found
