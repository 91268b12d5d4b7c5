"""Many spans, and whether one of them holds a place: asked for each finding, so not looked through each time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from rewarp.source import Span


class Cover:
    """What some spans cover together; they may nest and overlap."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._ends = list(accumulate((span.end for span in ordered), max))

    def __contains__(self, offset: object) -> bool:
        return isinstance(offset, int) and self.holds(Span(offset, offset + 1))

    def holds(self, span: Span) -> bool:
        """Whether one of the spans holds all of this one."""
        index = bisect_right(self._starts, span.start) - 1
        return index >= 0 and self._ends[index] >= span.end
