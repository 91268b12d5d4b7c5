"""The calls of CUDA's shuffles, and what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rewarp.source import Span
from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.names import Names
from rewarp.waves.reading.syntax import Code
from rewarp.waves.reading.vocabulary import SHUFFLE


class Shuffle(NamedTuple):
    name: bytes
    where: Span
    operands: list[Span]
    """Value, lane or offset, and the width where one is given and not the hardware's; the mask is left out."""

    @property
    def has_width(self) -> bool:
        return len(self.operands) > 2

    @property
    def is_from_lane(self) -> bool:
        """Whether it takes the value of a lane of the whole wave, not of one at an offset."""
        return self.name in (b"__shfl", b"__shfl_sync") and len(self.operands) == 2


def shuffles(code: Code, names: Names, start: int, end: int) -> Iterator[Shuffle]:
    for name, at, bracket in code.calls(SHUFFLE, start, end):
        operands = code.arguments(bracket)
        if name.endswith(b"_sync"):
            operands = operands[1:]
        if len(operands) > 2 and code.slice(operands[2]) in names.hardware:
            operands = operands[:2]
        yield Shuffle(name, Span(at, closing(code.text, bracket)), operands)
