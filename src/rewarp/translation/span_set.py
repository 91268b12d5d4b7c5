"""Sets of places in a file, asked often."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from rewarp.source import Span


class Places:
    """The places that some spans cover. Asking takes a binary search: a generated file has many spans and many names."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        merged: list[Span] = []
        for span in sorted(spans):
            if merged and span.start <= merged[-1].end:
                merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
            elif span.end > span.start:
                merged.append(span)
        self._spans = merged
        self._starts = [span.start for span in merged]

    def __contains__(self, at: int) -> bool:
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._spans[index].end

    def __bool__(self) -> bool:
        return bool(self._spans)

    def without(self, places: list[int]) -> list[int]:
        """Those of the places that no span covers."""
        return [at for at in places if at not in self] if self._spans else places


NOWHERE = Places()
