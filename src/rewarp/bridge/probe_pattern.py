"""What the canary stores, and what became of it: every code, both zeros, NaN, the largest numbers, and a mark of its own
for each token, so that nothing that is moved, cut, turned or taken for something else goes unnoticed."""

from __future__ import annotations

import math
import statistics
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

LAYERS, HEADS, WIDTH = 2, 4, 64
ROW = HEADS * WIDTH
"""Numbers of a token in a layer, for K or for V."""
_MARK = 8
_BLOCKS = (16, 32, 64, 128, 256)
"""Tokens that back ends lay in a block."""


@dataclass(frozen=True)
class Pattern:
    """One chunk: [2, layers, tokens, row]."""

    tokens: int
    width: int
    """Bytes of a number."""
    number: int = 0
    """Of the chunk: no two chunks are alike."""

    def rows(self) -> list[bytes]:
        return [self._row(at) for at in range(2 * LAYERS * self.tokens)]

    def data(self) -> bytes:
        return b"".join(self.rows())

    def _row(self, at: int) -> bytes:
        place = self.number * 2 * LAYERS * self.tokens + at
        digits = [(place >> 4 * digit) & 15 for digit in range(_MARK)]
        if self.width == 1:
            # Marks are numbers that every encoding has; behind them all codes in turn.
            return bytes([0x20 + digit for digit in digits]) + bytes(
                (place * 61 + it) % 256 for it in range(ROW - _MARK)
            )
        words = [0x3F00 + 16 * digit for digit in digits]
        for it in range(ROW - _MARK):
            code = place * 61 + it
            words.append((code % 256) << 8 | (0x00, 0x5A, 0xFF)[code // 256 % 3])  # all signs, exponents, ends
        return struct.pack(f"<{ROW}H", *words)


@dataclass(frozen=True)
class Finding:
    """Something that is not as it was."""

    kind: str
    message: str


@dataclass(frozen=True)
class Compared:
    """A chunk that was read, against what was written."""

    findings: tuple[Finding, ...]
    right: int
    """Numbers that are what the writer had."""
    total: int
    factor: float | None = None
    """The middle of what was read divided by what was written."""
    nan: int = 0
    """NaNs where the writer had a number."""


def compare(pattern: Pattern, got: bytes, mine: Sequence[float], theirs: Sequence[float]) -> Compared:
    """``theirs`` is what each code was worth to the writer, ``mine`` what it is worth to the reader."""
    expected = pattern.data()
    total = len(expected) // pattern.width
    if len(got) != len(expected):
        message = f"{len(got)} bytes came back, {len(expected)} were written"
        return Compared((Finding("length", message),), 0, total)
    moved = got != expected
    findings = [_moved(pattern, got, expected)] if moved else []
    pairs = [(theirs[one], mine[other]) for one, other in zip(_codes(expected, pattern), _codes(got, pattern))]
    right = sum(_same(one, other) for one, other in pairs)
    # What every code is worth, not how often each occurs; a byte that was moved says nothing of that.
    worth = list(zip(theirs, mine))
    ratios = [b / a for a, b in worth if a and math.isfinite(a) and math.isfinite(b)]
    factor = statistics.median(ratios) if ratios else None
    nan = sum(math.isnan(b) and not math.isnan(a) for a, b in pairs)
    wrong = sum(not _same(a, b) for a, b in worth)
    if wrong:
        poisoned = sum(math.isnan(b) and not math.isnan(a) for a, b in worth)
        message = f"{wrong} of {len(worth)} codes are worth another number here: the middle factor is {factor:g}"
        findings.append(Finding("flavour", f"{message}; {poisoned} codes that were numbers are NaN"))
    return Compared(tuple(findings), right, total, factor, nan)


def _same(one: float, other: float) -> bool:
    return (one == other and math.copysign(1, one) == math.copysign(1, other)) or (one != one and other != other)


def _codes(data: bytes, pattern: Pattern) -> Sequence[int]:
    return data if pattern.width == 1 else struct.unpack(f"<{len(data) // 2}H", data)


def _moved(pattern: Pattern, got: bytes, expected: bytes) -> Finding:
    """Bytes that are not where, or what, they were: in another order, packed, turned, or changed."""
    size = ROW * pattern.width
    place = {row: at for at, row in enumerate(pattern.rows())}
    found = [place.get(got[at : at + size]) for at in range(0, len(got), size)]
    known = [it for it in found if it is not None]
    if len(known) == len(found) == len(set(known)):
        first = next(at for at, it in enumerate(found) if at != it)
        count = sum(at != it for at, it in enumerate(found))
        message = f"{count} of {len(found)} rows of tokens are in another order: at {_where(pattern, first)}"
        return Finding("permutation", f"{message} lies what was at {_where(pattern, known[first])}")
    others = Pattern(pattern.tokens, pattern.width, 1 - pattern.number)
    if got == others.data():
        return Finding("permutation", "another chunk lies under this key")
    for name, packed in _layouts(pattern, expected):
        if packed == got:
            return Finding("layout", f"the numbers lie as {name} keeps them, not by token")
    if pattern.width == 2 and got[0::2] == expected[1::2] and got[1::2] == expected[0::2]:
        return Finding("bytes", "the two bytes of each number are exchanged")
    wrong = [at for at, (one, other) in enumerate(zip(got, expected)) if one != other]
    bits = sum((got[at] ^ expected[at]).bit_count() for at in wrong)
    message = (
        f"{bits} bits in {len(wrong)} of {len(got)} bytes are others, the first at {_where(pattern, wrong[0] // size)}"
    )
    return Finding("bits", message)


def _where(pattern: Pattern, row: int) -> str:
    half, token = divmod(row, pattern.tokens)
    return f"{'KV'[half // LAYERS]} of layer {half % LAYERS}, token {token}"


def _layouts(pattern: Pattern, data: bytes) -> Iterator[tuple[str, bytes]]:
    """How back ends lay K and V out that do not keep a token's numbers together; block by block."""
    for block in (it for it in _BLOCKS if pattern.tokens % it == 0):
        by_head = _relaid(pattern, data, block, _by_head)
        yield f"a cache by heads (HND) with blocks of {block}", by_head
        keys, values = (_relaid(pattern, data, block, how) for how in (_x_packed, _transposed))
        half = len(data) // 2
        yield f"ROCM_ATTN (K packed, V transposed) with blocks of {block}", keys[:half] + values[half:]
        yield f"K and V packed by 16 bytes with blocks of {block}", keys
        yield f"K and V transposed with blocks of {block}", values


def _relaid(pattern: Pattern, data: bytes, block: int, order: Callable[[int, int], Iterator[int]]) -> bytes:
    """Each block of tokens of each layer in another order of its numbers."""
    places = list(order(block, 16 // pattern.width))
    width, size = pattern.width, block * ROW * pattern.width
    made = bytearray()
    for begin in range(0, len(data), size):
        part = data[begin : begin + size]
        if width == 1:
            made += bytes([part[at] for at in places])
        else:
            words = struct.unpack(f"<{len(part) // 2}H", part)
            made += struct.pack(f"<{len(words)}H", *(words[at] for at in places))
    return bytes(made)


def _at(token: int, head: int, number: int) -> int:
    return (token * HEADS + head) * WIDTH + number


def _by_head(block: int, x: int) -> Iterator[int]:
    """[heads, block, width]"""
    return (_at(token, head, it) for head in range(HEADS) for token in range(block) for it in range(WIDTH))


def _x_packed(block: int, x: int) -> Iterator[int]:
    """[heads, width / x, block, x]"""
    return (
        _at(token, head, group * x + it)
        for head in range(HEADS)
        for group in range(WIDTH // x)
        for token in range(block)
        for it in range(x)
    )


def _transposed(block: int, x: int) -> Iterator[int]:
    """[heads, width, block]"""
    return (_at(token, head, it) for head in range(HEADS) for it in range(WIDTH) for token in range(block))
