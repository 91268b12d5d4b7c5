"""Steps that begin anew with every epoch, counted from the start of the run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rewarp.bench.logs.epoch_lines import begun, named_epoch, without_stamps
from rewarp.bench.logs.passes import NOT_COUNTED_ON
from rewarp.bench.logs.steps import number
from rewarp.bench.logs.tracks import Track
from rewarp.bench.result import Warn

_LONGEST_HEAD = 400
_MOST_ENDS = 1 << 14
_SURE_LINES = 4
"""How many lines an epoch has had before a counter that begins anew beneath the same headline is another loop's."""


@dataclass
class _Pass:
    """Where the counter of one rank is."""

    epoch: int
    heads: int
    first: int
    done: int = 0
    """Steps of the epochs before."""
    lines: int = 0
    is_other_loop: bool = False
    before: dict[int, int] = field(default_factory=dict)
    """By epoch, the steps before it."""


class ThroughEpochs:
    """The epoch stands in the line of a step, or in a headline before it."""

    def __init__(self) -> None:
        self._ranks: dict[bytes, _Pass] = {}
        self._said: int | None = None
        self.headline: tuple[int, int | None] | None = None
        """The epoch that was said last to begin, and of how many."""
        self._heads = 0
        self._first: int | None = None
        self._says_length = True
        self._named: list[tuple[int, int]] = []
        """Lines that are no step's and name an epoch."""
        self._has_ends = False

    def note(self, number_: int, line: bytes) -> None:
        """A line that is no step's: it may say which epoch begins, or ended."""
        if len(line) > _LONGEST_HEAD:
            return
        line = without_stamps(line)
        if (head := begun(line)) is not None:
            self._said = int(head["epoch"])
            self.headline = self._said, int(head["of"]) if head["of"] else None
            self._heads += 1
        elif (epoch := named_epoch(line)) is not None and len(self._named) < _MOST_ENDS:
            self._named.append((number_, epoch))

    def step(self, rank: bytes, last: int, step: int, row: Mapping[str, bytes]) -> int | None:
        """The step of the run; None for one of another loop, as of a validation that is printed alike."""
        try:
            epoch = int(number(row["epoch"])) if "epoch" in row else self._said
            length = int(number(row.get("of", b"0")))
        except (ValueError, OverflowError):
            return step
        if epoch is None:
            return step
        if self._first is None:
            self._first = epoch
        now = self._ranks.setdefault(rank, _Pass(epoch, self._heads, step))
        here = last - now.done
        headed = "epoch" not in row
        if headed and self._is_other_loop(now, step, here):
            return None
        begins = (not headed or self._heads > now.heads) and step <= here
        self._says_length &= length > 0
        if begins and epoch > now.epoch:
            # Where they count from zero, the first of an epoch is no repetition of the last of the one before.
            now.done = max(now.done + length, last + (step == 0))
        elif epoch < now.epoch:
            # Taken up from a checkpoint, or another run from its start.
            now.done = now.before.get(epoch, 0)
        if len(now.before) < _MOST_ENDS:
            now.before[epoch] = now.done
        if begins or epoch != now.epoch or self._heads > now.heads:
            now.epoch, now.heads, now.first, now.lines = epoch, self._heads, step, 0
        now.lines += 1
        return now.done + step

    def place(self, rank: bytes, track: Track, step: int) -> None:
        """Say of a step of the run, which the track has just taken, which epoch it is of."""
        if (now := self._ranks.get(rank)) is not None and step == track.last:
            track.within(step, now.done, now.epoch)

    def begin_again(self, rank: bytes) -> None:
        """The program was started once more: nothing is counted on from before."""
        self._ranks.pop(rank, None)

    def _is_other_loop(self, now: _Pass, step: int, here: int) -> bool:
        if self._heads > now.heads:
            now.is_other_loop = False
        elif step <= now.first and here > now.first and now.lines >= _SURE_LINES:
            now.is_other_loop = True
        return now.is_other_loop

    def has_joined(self, rank: bytes | None = None) -> bool:
        """Whether steps were counted on: of any rank, or of this one."""
        return self._has_ends or any(one.done for name, one in self._ranks.items() if rank is None or name == rank)

    def joined(self, tracks: Sequence[Track]) -> list[Track]:
        """Stretches that each end in a line naming their epoch are one run, as long as the epochs follow each other."""
        if len(tracks) < 2 or len(self._named) >= _MOST_ENDS or any(track.every > 1 for track in tracks):
            return list(tracks)
        ends = self._ends(tracks)
        found, before = [tracks[0]], ends[0]
        for track, end in zip(tracks, ends):
            if end is not None and not track.passes:
                track.within(track.steps[0], 0, end)
        for track, end in zip(tracks[1:], ends[1:]):
            is_last = track is tracks[-1] and end is None and self._has_ends
            if before is not None and track.launch is None and (is_last or end == before + 1):
                length = track.planned() or 0
                self._says_length &= length > 0
                found[-1].go_on(track, length, before + 1)
                self._has_ends = True
            else:
                found.append(track)
            before = end
        return found

    def _ends(self, tracks: Sequence[Track]) -> list[int | None]:
        """Of each stretch the one epoch that is named between its last line and the next one's first."""
        found, named = list[int | None](), deque(self._named)
        for place, track in enumerate(tracks):
            until = tracks[place + 1].first_line if place + 1 < len(tracks) else None
            epochs = set[int]()
            while named and (until is None or named[0][0] < until):
                line, epoch = named.popleft()
                if line > track.last_line:
                    epochs.add(epoch)
            found.append(epochs.pop() if len(epochs) == 1 else None)
        back = [two for one, two in pairwise(found) if one is not None and two is not None and two <= one]
        first = found[0]
        if first is not None and any(epoch != first for epoch in back):
            # Where a run begins again they are those of the stretch that follows: headlines of many words.
            return [first - 1, *found[:-1]]
        return found

    def are_apart(self, track: Track) -> bool:
        """Whether the track's steps were counted on through epochs of which nobody says how many they have."""
        return not self._says_length and any(one.done for one in track.passes)

    def warnings(self, track: Track) -> list[Warn]:
        if not self.has_joined():
            return []
        if not self._says_length:
            return [NOT_COUNTED_ON] if self.are_apart(track) else []
        begins = f"; the log begins in epoch {self._first}" if (self._first or 0) > 1 else ""
        what = f"steps begin anew with every epoch, and are counted on from the first line{begins}"
        return [Warn("epochs-joined", what, "info")]
