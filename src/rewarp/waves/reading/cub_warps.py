"""CUB's warp classes. Without a width of their own they are as wide as the hardware's wave: 64 lanes on CDNA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from rewarp.source import Span
from rewarp.waves.reading.brackets import template_arguments
from rewarp.waves.reading.vocabulary import WARP_OF_32

_PLACES = {
    b"WarpReduce": 1,
    b"WarpScan": 1,
    b"WarpExchange": 2,
    b"WarpMergeSort": 2,
    b"WarpLoad": 3,
    b"WarpStore": 3,
}
"""Before how many of its arguments a class takes its width."""
DEFAULTS = {b"WarpLoad": b"WARP_LOAD_DIRECT", b"WarpStore": b"WARP_STORE_DIRECT"}
"""The algorithm, which comes before the width and may be left out."""
_CLASS = re.compile(rb"(?<![\w.])(?:(?P<scope>[A-Za-z_]\w*)\s*::\s*)?(?P<name>" + b"|".join(_PLACES) + rb")\s*(?=<)")
_CUDAS = re.compile(rb"(?!.*(?i:hip|roc))(?i:\w*cub\w*)")
"""A namespace that is CUB's by its name, also as a project wraps it; hipCUB's classes were written down for AMD."""
_WITHOUT_SCOPE = re.compile(
    rb"\busing\s+namespace\s+(?:::\s*)?(?P<all>\w*cub)\s*;|\busing\s+(?:::\s*)?(?P<of>\w*cub)\s*::\s*(?P<one>Warp\w+)\s*;"
)
_DECLARED = re.compile(rb"\b(?:class|struct|friend|using)\s+\Z")
_HARDWARE = re.compile(
    rb"\b(?:HIP)?CUB_(?:PTX_|DEVICE_)?(?:LOG_)?WARP_THREADS\b|\bwarpSize\b|\bC10_WARP_SIZE\b|\bdetail\s*::\s*warp_threads\b"
)


class Lanes(Enum):
    """How many lanes a class works on."""

    GIVEN = "as it is told"
    WAVE = "those of the wave"
    UNKNOWN = "those of the wave, or as a pack of arguments tells"


class WarpClass(NamedTuple):
    """``cub::WarpReduce<float>`` at one place."""

    name: bytes
    scope: bytes
    where: Span
    """From the namespace to the ``>``."""
    given: tuple[Span, ...]
    lanes: Lanes

    @property
    def is_cudas(self) -> bool:
        """Whether it means warps of 32, as CUB's do; hipCUB's were written down for AMD."""
        return _CUDAS.fullmatch(self.scope) is not None

    @property
    def takes_width(self) -> bool:
        """Whether it can be told a width behind what it is given."""
        missing = _PLACES[self.name] - len(self.given)
        return self.lanes is Lanes.WAVE and (missing == 0 or (missing == 1 and self.name in DEFAULTS))

    @property
    def stays_wide(self) -> bool:
        """Whether it goes on working on whole waves where CUB's classes are told that they have 32 lanes."""
        return self.lanes is not Lanes.GIVEN and not (self.is_cudas and self.takes_width)

    @property
    def lacks_algorithm(self) -> bool:
        return len(self.given) < _PLACES[self.name]


@lru_cache(maxsize=4)
def warp_classes(code: bytes) -> tuple[WarpClass, ...]:
    """Every place that names one with its arguments."""
    if b"Warp" not in code or not any(name in code for name in _PLACES):
        return ()
    bare = dict(_known_without_scope(code))
    return tuple(_each(code, bare))


def _each(code: bytes, bare: dict[bytes, bytes]) -> Iterator[WarpClass]:
    for match in _CLASS.finditer(code):
        name, scope = match["name"], match["scope"] or bare.get(match["name"], b"")
        if b"cub" not in scope.lower() or _DECLARED.search(code, max(0, match.start() - 20), match.start()):
            continue
        given = template_arguments(code, match.end())
        if given:
            end = code.find(b">", given[-1].end) + 1
            yield WarpClass(name, scope, Span(match.start(), end), tuple(given), _lanes(code, name, given))


def _known_without_scope(code: bytes) -> Iterator[tuple[bytes, bytes]]:
    for match in _WITHOUT_SCOPE.finditer(code):
        if match["all"]:
            yield from ((name, match["all"]) for name in _PLACES)
        else:
            yield match["one"], match["of"]


def _lanes(code: bytes, name: bytes, given: list[Span]) -> Lanes:
    texts = [code[slice(*span)] for span in given]
    if any(text.endswith(b"...") for text in texts):
        return Lanes.UNKNOWN
    if WARP_OF_32.upper() in texts[-1]:
        return Lanes.GIVEN
    place = _PLACES[name]
    return Lanes.GIVEN if len(texts) > place and not _HARDWARE.search(texts[place]) else Lanes.WAVE
