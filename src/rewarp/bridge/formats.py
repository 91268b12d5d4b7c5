"""The 8-bit floats that platforms store, all 256 codes of each, and what becomes of a code when it changes platforms.

A stored number is its code's value times a scale. Going from one encoding to another either keeps the scale and finds
the nearest code, or multiplies the scale by two, or by a half, so that (nearly) every byte may stay what it is: both are
one rule with another ratio.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache

from rewarp.errors import UsageError, did_you_mean
from rewarp.verify.numbers.formats import SmallFloat


@dataclass(frozen=True)
class Encoding:
    """An 8-bit float as a platform stores it."""

    name: str
    kind: str
    """``e4m3`` or ``e5m2``: what a checkpoint or a server asks for, whichever platform it meets."""
    family: str
    layout: SmallFloat
    safetensors: str
    """Its code in a safetensors file."""

    @property
    def values(self) -> tuple[float, ...]:
        return _values(self.layout)

    @property
    def largest(self) -> float:
        return max(value for value in self.values if math.isfinite(value))


_ALL = (
    Encoding("e4m3fn", "e4m3", "ocp", SmallFloat(3, 7), "F8_E4M3"),
    Encoding("e5m2", "e5m2", "ocp", SmallFloat(2, 15, has_infinity=True), "F8_E5M2"),
    Encoding("e4m3fnuz", "e4m3", "fnuz", SmallFloat(3, 8, unsigned_zero=True), "F8_E4M3FNUZ"),
    Encoding("e5m2fnuz", "e5m2", "fnuz", SmallFloat(2, 16, unsigned_zero=True), "F8_E5M2FNUZ"),
    # Gaudi 2 computes with e4m3fn's codes as far as 240: its largest exponent is taken by infinity and NaN. Files for it
    # say e4m3fn all the same (vllm-gaudi 091bbadd, calibration/deepseek_gaudi2_converter.py); not verified on hardware.
    Encoding("e4m3-gaudi2", "e4m3", "gaudi2", SmallFloat(3, 7, has_infinity=True), "F8_E4M3"),
    Encoding("e5m2-gaudi2", "e5m2", "gaudi2", SmallFloat(2, 15, has_infinity=True), "F8_E5M2"),
)
ENCODINGS = {encoding.name: encoding for encoding in _ALL}
FAMILIES = tuple(dict.fromkeys(encoding.family for encoding in _ALL))
PLATFORMS = {
    "h100": "ocp",
    "b200": "ocp",
    "mi350x": "ocp",
    "gaudi3": "ocp",
    "mi300x": "fnuz",
    "mi325x": "fnuz",
    "gaudi2": "gaudi2",
}
"""Which family a platform's matrix units compute with."""
_UNIT = {"ocp": 0, "fnuz": 1, "gaudi2": 1}
"""Where a family's scales stand, in powers of two: the same number of the model has about the same bits, and stays in
range, when its scale is as many times larger."""


@lru_cache(maxsize=16)
def _values(layout: SmallFloat) -> tuple[float, ...]:
    return tuple(map(layout.value, range(256)))


def encoding_of(name: str) -> Encoding:
    found = ENCODINGS.get(name.lower().removeprefix("float8_"))
    if found is None:
        raise UsageError(f"{name}: no encoding of 8-bit floats; there are {', '.join(ENCODINGS)}")
    return found


def family_of(name: str) -> str:
    """The family that is meant by its name, by a platform's, or by an encoding's."""
    short = name.lower()
    if short in FAMILIES:
        return short
    if short in PLATFORMS:
        return PLATFORMS[short]
    if short.removeprefix("float8_") in ENCODINGS:
        return encoding_of(short).family
    known = [*FAMILIES, *PLATFORMS, *ENCODINGS]
    raise UsageError(
        f"{name}: no family of 8-bit floats and no platform{did_you_mean(name, known)}", [", ".join(known)]
    )


def member(kind: str, family: str) -> Encoding:
    """The encoding of a kind that a family has."""
    return next(encoding for encoding in _ALL if (encoding.kind, encoding.family) == (kind, family))


def scale_ratio(source: Encoding, target: Encoding) -> float:
    """By how much a scale is multiplied where scales are converted too."""
    if source.layout == target.layout:
        return 1.0
    return 2.0 ** (_UNIT[target.family] - _UNIT[source.family])


# --- what becomes of each code ---------------------------------------------------------------


@dataclass(frozen=True)
class Counts:
    """How many stored numbers, and what became of them."""

    total: int = 0
    changed: int = 0
    """Bytes that are others now."""
    rounded: int = 0
    """Numbers between two of the target's: the nearest was taken."""
    saturated: int = 0
    """Numbers beyond the target's range: its largest was taken."""
    nan: int = 0
    """NaNs, which stay NaN."""
    infinite: int = 0
    """Infinities that became NaN, since the target has none."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.total + other.total,
            self.changed + other.changed,
            self.rounded + other.rounded,
            self.saturated + other.saturated,
            self.nan + other.nan,
            self.infinite + other.infinite,
        )


@dataclass(frozen=True)
class Recoding:
    """A table for all 256 codes, and which of them do not come through unharmed."""

    source: Encoding
    target: Encoding
    ratio: float
    """The new scale divided by the old one."""
    table: bytes
    rounded: frozenset[int]
    saturated: frozenset[int]
    nan: frozenset[int]
    infinite: frozenset[int]
    _plain: bytes = field(init=False, repr=False, compare=False)
    """The codes that are not counted: all of one class, the largest."""
    _others: bytes = field(init=False, repr=False, compare=False)
    _classes: bytes = field(init=False, repr=False, compare=False)
    """The class of each code."""
    _single: tuple[tuple[bytes, bytes], ...] | None = field(init=False, repr=False, compare=False)
    """Where few codes change, each of them and its new one, in an order in which none is changed twice: to look for one
    code is many times as fast as to look up every byte."""

    def __post_init__(self) -> None:
        fates = (self.rounded, self.saturated, self.nan, self.infinite)
        kinds = [next((it + 1 for it, codes in enumerate(fates) if code in codes), 0) for code in range(256)]
        classes = bytes(2 * kind + (self.table[code] != code) for code, kind in enumerate(kinds))
        most = max(range(2), key=classes.count)
        object.__setattr__(self, "_classes", classes)
        object.__setattr__(self, "_plain", bytes(code for code in range(256) if classes[code] == most))
        object.__setattr__(self, "_others", bytes(code for code in range(256) if classes[code] != most))
        object.__setattr__(self, "_single", _one_by_one(self.table))

    def apply(self, block: bytes) -> bytes:
        if self._single is None:
            return block.translate(self.table)
        for old, new in self._single:
            block = block.replace(old, new)
        return block

    def count(self, block: bytes) -> Counts:
        """What becomes of a block. Most codes are nothing out of the ordinary: only the others are looked at, and most of
        those (NaN, minus zero) are hardly ever there, which is soon seen."""
        rest = b""
        if len(self._others) > _FEW or any(code in block for code in self._others):
            rest = block.translate(None, self._plain).translate(self._classes)  # in one step it is slower
        found = [0] * 10
        found[self._classes[self._plain[0]]] = len(block) - len(rest)
        left = len(rest)
        for one in range(10):
            if left and (count := rest.count(one)):
                found[one] += count
                left -= count
        return Counts(len(block), sum(found[1::2]), *(found[at] + found[at + 1] for at in range(2, 10, 2)))


_FEW = 6


def _one_by_one(table: bytes) -> tuple[tuple[bytes, bytes], ...] | None:
    """The codes that change, each before another becomes it; None where they are many, or change places."""
    left = {code for code in range(256) if table[code] != code}
    if len(left) > _FEW:
        return None
    steps = []
    while left:
        # The next is one whose new code is not itself still to be changed.
        following = next((code for code in sorted(left) if table[code] not in left), None)
        if following is None:
            return None
        left.remove(following)
        steps.append((bytes([following]), bytes([table[following]])))
    return tuple(steps)


@lru_cache(maxsize=64)
def recoding(source: Encoding, target: Encoding, ratio: float = 1.0) -> Recoding:
    """What each code of one encoding becomes in another whose scale is ``ratio`` times as large."""
    if source.kind != target.kind:
        raise UsageError(f"{source.name} to {target.name}: the number of exponent bits stays what it is")
    table = bytearray(256)
    classes: dict[str, set[int]] = {"rounded": set(), "saturated": set(), "nan": set(), "infinite": set()}
    for code, value in enumerate(source.values):
        table[code], fate = _encoded(value / ratio, code, target)
        if fate is not None:
            classes[fate].add(code)
    return Recoding(source, target, ratio, bytes(table), **{name: frozenset(codes) for name, codes in classes.items()})


def _encoded(value: float, code: int, target: Encoding) -> tuple[int, str | None]:
    """The nearest code of the target, the even one of two; and what happened to the value, if anything."""
    if math.isnan(value):
        return (code if math.isnan(target.values[code]) else _nan(target)), "nan"
    if math.isinf(value):
        if target.layout.has_infinity:
            return next(it for it, other in enumerate(target.values) if other == value), None
        return _nan(target), "infinite"
    positive = [it for it in target.values[:128] if math.isfinite(it)]
    size = abs(value)
    above = bisect_left(positive, size)
    fate = None
    if above == len(positive):
        nearest, fate = above - 1, "saturated"
    elif positive[above] == size:
        nearest = above
    else:
        gap = (size - positive[above - 1]) - (positive[above] - size)
        nearest, fate = (above if gap > 0 or (gap == 0 and above % 2 == 0) else above - 1), "rounded"
    negative = math.copysign(1.0, value) < 0 and not (nearest == 0 and target.layout.unsigned_zero)
    return nearest | (0x80 if negative else 0), fate


def _nan(encoding: Encoding) -> int:
    """The NaN that other libraries write: with all bits set, or the only one."""
    return 0x80 if encoding.layout.unsigned_zero else 0x7F
