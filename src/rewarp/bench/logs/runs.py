"""Step lines become runs: which rank is read, what is a repetition, where a new run begins, how it ended."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import le, lt
from typing import Any

from rewarp import __version__
from rewarp.bench.logs.base import Facts
from rewarp.bench.logs.clock import with_times
from rewarp.bench.logs.facts import COMMON
from rewarp.bench.logs.launches import Launches
from rewarp.bench.logs.notes import Notes, reported, troubles
from rewarp.bench.logs.passes import apart
from rewarp.bench.logs.running_sums import RUNNING_SUM
from rewarp.bench.logs.steps import Layout, StepDialect, number, numbers
from rewarp.bench.logs.through_epochs import ThroughEpochs
from rewarp.bench.logs.tracks import Row, Stretch, Track, Where, believed, without_habits
from rewarp.bench.result import Result, Warn

MAIN = (
    "time_s",
    "elapsed_s",
    "steps_per_s",
    "samples_per_s",
    "tokens_per_s",
    "tokens_per_s_per_device",
    "tflops_per_device",
    "loss",
)
"""What the time of a step is taken from, the best first."""
_MOST_LAYOUTS = 32
_MOST_RANKS = 256
_FEWEST_LINES = 3
_LARGEST_STEP = 1 << 53
_SHOWN = 160
_NO_RANK = b""

Pair = tuple[int, bytes]
Scanned = tuple[bytes, ...]


class StepFold:
    """The lines of one step dialect in one stream."""

    def __init__(self, dialect: StepDialect) -> None:
        self.dialect = dialect
        columns = {figure.column for figure in dialect.figures}
        self.main = next((column for column in MAIN if column in columns), "time_s")
        self.notes = Notes()
        self.example: tuple[int, bytes] | None = None
        self.cut_line: int | None = None
        self._layouts: list[Layout] = []
        self._ranks: dict[bytes, list[Track]] = {}
        self.launches = Launches()
        self._epochs = ThroughEpochs()
        self._rank = _NO_RANK
        """Of the line before."""
        self._no_ranks = False
        """Where what looks like a rank is none."""
        self._left_out = 0
        """Lines of ranks beyond the most that are followed."""

    # --- taking lines -------------------------------------------------------------------

    @property
    def anchors(self) -> tuple[bytes, ...]:
        return self.dialect.anchors

    def take(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Takes the lines that are its own, in order, and gives the others back."""
        anchors = self.anchors
        return [pair for pair in pairs if not any(anchor in pair[1] for anchor in anchors) or not self.feed(*pair)]

    def take_block(self, first: int, block: bytes) -> tuple[int, list[Pair], bytes] | None:
        """A block whose steps all have the layout of the step before, and go on where their ranks were: how many lines
        it has, and those that are not its own, one by one and in one text. None where it is not so plain, and each line
        must be looked at."""
        layout = self._layouts[0] if self._layouts else None
        if layout is None or layout.scale is None or self.launches.between(first - 1, first + block.count(b"\n")):
            return None
        rows = layout.scan(block)
        rest = [(at, row[-1]) for at, row in enumerate(rows, first) if not row[0]]
        text = b"\n".join([line for _, line in rest])
        if any(anchor in text for anchor in self.dialect.anchors):
            return None
        taken = [row for row in rows if row[0]] if rest else rows
        ends = {at for at, _ in rest}
        last = next((at for at in range(first + len(rows) - 1, first - 1, -1) if at not in ends), first)
        stretches = [self._stretch(layout, rank, those, last) for rank, those in self._by_rank(layout, taken).items()]
        if any(stretch is None for stretch in stretches):
            return None
        for stretch in stretches:
            if stretch is not None:
                stretch.take()
        return len(rows), rest, text

    def _by_rank(self, layout: Layout, rows: Sequence[Scanned]) -> Mapping[bytes, Sequence[Scanned]]:
        if "rank" not in layout.scanned or self._no_ranks:
            return {_NO_RANK: rows} if rows else {}
        at = 1 + layout.scanned.index("rank")
        found: dict[bytes, list[Scanned]] = {}
        for row in rows:
            found.setdefault(row[at], []).append(row)
        return found

    def _stretch(self, layout: Layout, rank: bytes, rows: Sequence[Scanned], last_line: int) -> Stretch | None:
        """The rows as the next steps of their rank, if they are that."""
        tracks = self._ranks.get(rank)
        if not tracks or layout.scale is None or self._epochs.has_joined(rank):
            return None
        lines, *columns, _ = zip(*rows)
        found = dict(zip(layout.scanned, columns))
        try:
            steps, values = list(map(int, found["step"])), numbers(found[self.main])
        except ValueError:
            return None
        if steps[0] < tracks[-1].last or steps[-1] > _LARGEST_STEP or not all(map(le, steps, steps[1:])):
            return None
        return Stretch(tracks[-1], layout, steps, [layout.scale * value for value in values], lines, last_line)

    def feed(self, number_: int, line: bytes) -> bool:
        """One line, of any layout."""
        for place, layout in enumerate(self._layouts):
            known = layout.row(line)
            if known is not None:
                self._layouts.insert(0, self._layouts.pop(place))
                self._place(number_, layout, known, line)
                return True
        places = self.dialect.figures_in(line)
        if places is None:
            if self.dialect.has_headlines:
                self._epochs.note(number_, line)
            return False
        layout = Layout(line, self.dialect, places, self.main)
        row = {place.column: line[place.start : place.end] for place in places}
        self._layouts = [layout, *self._layouts[: _MOST_LAYOUTS - 1]]
        self.example = self.example or (number_, line)
        for fact in (*COMMON, *self.dialect.facts):
            if fact.anchor in line and (value := fact.find(line)) is not None:
                self.notes.add_fact(number_, fact, value, self.last_step_line)
        self._place(number_, layout, row, line)
        return True

    def feed_cut(self, number_: int, line: bytes) -> bool:
        """The last line, which no line end closed: it counts only where it is surely whole."""
        if not any(anchor in line for anchor in self.dialect.anchors):
            return False
        places = self.dialect.figures_in(line)
        if places is None:
            return False
        whole = line[places[-1].end :].strip() != b"" or self._ends_like_others(line, places[-1].start)
        if not self._layouts or (whole and any(layout.match(line) for layout in self._layouts)):
            return self.feed(number_, line)
        self.cut_line = number_
        return True

    def _ends_like_others(self, line: bytes, start: int) -> bool:
        """A line that ends in a number is whole when the number has as many decimals as those before."""
        for layout in self._layouts:
            before = next((old for _, other, old in self._latest() if other is layout), None)
            if before is not None and layout.match(line):
                last = [b"", *(layout.row(before) or {}).values()][-1]
                return len(last.partition(b".")[2]) == len(line[start:].partition(b".")[2])
        return False

    def _latest(self) -> list[tuple[int, Layout, bytes]]:
        return [tracks[-1].kept[-1] for tracks in self._ranks.values() if tracks[-1].kept]

    def _place(self, number_: int, layout: Layout, row: Row, line: bytes) -> None:
        try:
            step = int(number(row["step"]))
        except (ValueError, OverflowError):
            return
        if step > _LARGEST_STEP:
            return
        rank = _NO_RANK if self._no_ranks else row.get("rank", _NO_RANK)
        if rank not in self._ranks:
            if self._counts_lines(step):
                rank = self._merge_ranks()
            elif len(self._ranks) >= _MOST_RANKS:
                self._left_out += 1
                return
            else:
                self._ranks[rank] = [Track(self.main, number_)]
        self._rank = rank
        tracks = self._ranks[rank]
        if tracks[-1].steps and (launch := self.launches.between(tracks[-1].last_line, number_)) is not None:
            self._epochs.begin_again(rank)
            tracks.append(Track(self.main, number_, launch))
        counted = self._epochs.step(rank, tracks[-1].last, step, row)
        if counted is None:
            return
        step = counted
        if tracks[-1].place(step, number_, layout, row, line) is Where.NEW_RUN:
            tracks.append(Track(self.main, number_))
            tracks[-1].place(step, number_, layout, row, line)
        self._epochs.place(rank, tracks[-1], step)
        if "epoch" not in row:
            tracks[-1].below(self._epochs.headline)

    def _counts_lines(self, step: int) -> bool:
        """Whether what looked like ranks are line numbers (``grep -n``): every step has its own, and none comes again."""
        tracks = [tracks[-1] for tracks in self._ranks.values()]
        steps = [track.last for track in tracks]
        once = all(len(track.steps) == 1 for track in tracks)
        return len(steps) >= _FEWEST_LINES and once and all(map(lt, steps, [*steps[1:], step]))

    def _merge_ranks(self) -> bytes:
        merged = [tracks[-1] for tracks in self._ranks.values()]
        first = merged[0]
        for track in merged[1:]:
            _, layout, line = track.kept[0]
            first.extend(track.steps, track.values, layout, (line,))
            first.last_line = track.last_line
        self._ranks = {_NO_RANK: [first]}
        self._no_ranks = True
        return _NO_RANK

    # --- what they come to --------------------------------------------------------------

    @property
    def last_step_line(self) -> int:
        return max((tracks[-1].last_line for tracks in self._ranks.values()), default=0)

    @property
    def steps(self) -> int:
        return sum(len(track.steps) for tracks in self._ranks.values() for track in tracks)

    def results(self, name: str) -> list[Result]:
        if not self._ranks:
            return []
        rank, tracks = max(
            self._ranks.items(), key=lambda item: (sum(len(t.steps) for t in item[1]), -_rank_order(item[0]))
        )
        joined = self._epochs.joined(without_habits(tracks))
        tracks = believed(joined, self.dialect.fewest, doubts_losses=self.dialect.doubts_losses)
        found = []
        for index, track in enumerate(tracks):
            before = tracks[index - 1].last_line if index else 0
            after = tracks[index + 1].first_line if index + 1 < len(tracks) else math.inf
            title = name if len(tracks) == 1 else f"{name}#{index + 1}"
            notes = self.notes.of_run(before, track.first_line if index else 0, track.last_line, after)
            found.append(self._result(title, rank, track, notes, is_last=index + 1 == len(tracks)))
        return found

    def _result(self, name: str, rank: bytes, track: Track, notes: Notes, is_last: bool) -> Result:
        facts = Facts()
        for line, fact, value in notes.by_weight(track.first_line):
            facts.add(fact.name, value, f"log line {line}")
        total = track.first_of("memory_total_bytes")
        if total and math.isfinite(total):
            facts.add("device.memory_bytes", int(total), f"log line {track.first_line}")
        batch = track.first_of("global_batch")
        if batch and math.isfinite(batch):
            facts.add("configuration.global_batch", int(batch), f"log line {track.first_line}")
        warnings = [*track.warnings, *self._about(track, rank, notes, is_last)]
        series, more = with_times(track.series())
        if self.dialect.doubts_losses and track.sums_losses():
            series = replace(
                series, columns={name: column for name, column in series.columns.items() if name != "loss"}
            )
            more = [*more, RUNNING_SUM]
        if self.dialect.adjust:
            series, adjusted = self.dialect.adjust(series)
            more += adjusted
        if self._epochs.are_apart(track):
            series = apart(series, track.passes)
        return Result(
            name=name,
            kind="training",
            platform=facts.platform(),
            device=facts.device(),
            software=facts.software(),
            configuration=facts.configuration(),
            series=series,
            reported=reported(notes),
            warnings=tuple(warnings + more),
            provenance=self._provenance(track, rank),
        )

    def _planned(self, track: Track) -> int | None:
        """Where steps begin anew with every epoch, or may do so in the next, a line says how many an epoch has."""
        return None if self._epochs.has_joined() or track.is_of_one_epoch() else track.planned()

    def _provenance(self, track: Track, rank: bytes) -> dict[str, Any]:
        line, text = self.example or (0, b"")
        shown = " ".join(text.decode("utf-8", "replace").split())
        return {
            "tool": f"rewarp {__version__}",
            "dialect": self.dialect.name,
            "why": f"line {line} is a step line of {self.dialect.title}: {shown[:_SHOWN]}{'…' if len(shown) > _SHOWN else ''}",
            "lines": [track.first_line, track.last_line],
            "rank": rank.decode() if rank else None,
            "steps_planned": self._planned(track),
            "log_interval": 1 if self._epochs.are_apart(track) else track.interval,
            "averaged_over_interval": self.dialect.averaged,
            "notes": dict(self.dialect.notes),
        }

    def _about(self, track: Track, rank: bytes, notes: Notes, is_last: bool) -> list[Warn]:
        found = []
        if len(self._ranks) > 1:
            more = " or more" if self._left_out else ""
            what = f"{len(self._ranks)}{more} ranks print steps; rank {rank.decode() or '(none)'} is read"
            found.append(Warn("several-ranks", what, "info"))
        found += self._epochs.warnings(track)
        if track.duplicates:
            what = f"{track.duplicates} lines repeat a step that was there; the first of each counts"
            found.append(Warn("repeated-lines", what, "info"))
        if self.cut_line is not None and is_last:
            what = "the last line breaks off; it is not used"
            found.append(Warn("truncated-last-line", what, "info", f"log line {self.cut_line}"))
        planned = self._planned(track)
        if planned is None and not self._epochs.has_joined() and (of := track.planned()) is not None:
            what = f"steps are of {of}: whether that is the plan of the run or of one epoch the log does not say; none is given"
            found.append(Warn("plan-of-epoch", what, "info"))
        ended = any(line >= track.last_line for line in notes.ends)
        last = track.last + (1 if self.dialect.counts_from_zero else 0)
        if planned is not None and not ended and planned - last >= track.interval:
            what = f"the log ends at step {track.last} of {planned}"
            found.append(Warn("unfinished-run", what, where=f"log line {track.last_line}"))
        return found + list(troubles(notes, track))


def _rank_order(rank: bytes) -> int:
    return int(rank) if rank.isdigit() else -1
