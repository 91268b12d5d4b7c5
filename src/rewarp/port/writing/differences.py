"""Where two texts differ, line by line, in time that does not grow with the square of lines that are all alike."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

Lines = Sequence[bytes]
_FEW_LINES, _FEW_PAIRS = 4_000, 20_000
"""Of lines, and of pairs of lines that are alike: what is compared at once, line by line."""
_DEEPEST = 8


class Difference(NamedTuple):
    """Lines of the old text, and of the new one in their place."""

    first: int
    last: int
    begin: int
    end: int


def differences(old: Lines, new: Lines, depth: int = 0) -> Iterator[Difference]:
    """In order. What is too much to compare is cut at lines that each text has once; without such it differs as a whole."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    ours, theirs = old[head : len(old) - tail], new[head : len(new) - tail]
    for first, last, begin, end in _between(ours, theirs, depth):
        yield Difference(head + first, head + last, head + begin, head + end)


def _between(ours: Lines, theirs: Lines, depth: int) -> Iterator[Difference]:
    if not ours or not theirs:
        if ours or theirs:
            yield Difference(0, len(ours), 0, len(theirs))
    elif _is_little(ours, theirs):
        for tag, *where in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
            if tag != "equal":
                yield Difference(*where)
    elif depth == _DEEPEST or not (anchors := _anchors(ours, theirs)):
        yield Difference(0, len(ours), 0, len(theirs))
    else:
        at, there = 0, 0
        for mine, yours in [*anchors, (len(ours), len(theirs))]:
            for first, last, begin, end in differences(ours[at:mine], theirs[there:yours], depth + 1):
                yield Difference(at + first, at + last, there + begin, there + end)
            at, there = mine + 1, yours + 1


def _is_little(ours: Lines, theirs: Lines) -> bool:
    counts = Counter(ours)
    return len(ours) + len(theirs) <= _FEW_LINES and sum(counts[line] for line in theirs) <= _FEW_PAIRS


def _anchors(ours: Lines, theirs: Lines) -> list[tuple[int, int]]:
    """Lines that both texts have once, as many as stand in the same order in both (the longest increasing sequence)."""
    once = Counter(ours), Counter(theirs)
    places = {line: at for at, line in enumerate(theirs) if once[1][line] == 1}
    pairs = [(at, places[line]) for at, line in enumerate(ours) if once[0][line] == 1 and line in places]
    ends: list[int] = []
    """For each length the smallest place that a sequence of it ends at; and which pair that is."""
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _common(one: Lines, other: Lines) -> int:
    """How many lines two texts begin with together."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
