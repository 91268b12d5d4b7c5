"""The integers that code declares, and how many bits they have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.source import Span

_INTEGER = (
    rb"unsigned\s+long(?:\s+long)?(?:\s+int)?|long\s+long(?:\s+int)?|unsigned\s+int|unsigned|u?int(?:8|16|32|64)_t|uint|size_t"
    rb"|long|int|auto|bool|float|double"
)
_DECLARED = re.compile(
    rb"\b(?P<type>(?:std\s*::\s*)?(?:"
    + _INTEGER
    + rb")(?:\s+const)?)\s*(?P<pointer>[*&\s]*)(?:__restrict__\s+|const\s+)?"
    rb"(?<![\w])(?P<name>[A-Za-z_]\w*)\s*(?P<array>\[[^\]\n]*\])?\s*(?=[=;,){(])"
)
_WIDE = re.compile(rb"64|long|size_t")


class Declared(NamedTuple):
    """An integer of the function, as its declaration shows it."""

    where: Span
    """From the type to the name."""
    bits: int
    """32 or 64; 0 where the compiler works it out (auto), or where it is no integer."""
    is_array: bool
    is_pointer: bool


def declarations(text: bytes, start: int, end: int) -> Iterator[tuple[bytes, Declared]]:
    """The integers that are declared in a stretch of code, by name."""
    for match in _DECLARED.finditer(text, start, end):
        kind = match["type"]
        bits = 64 if _WIDE.search(kind) else 32
        if kind.startswith((b"auto", b"bool", b"float", b"double")):
            bits = 0
        where = Span(match.start(), match.end("name"))
        yield match["name"], Declared(where, bits, match["array"] is not None, b"*" in match["pointer"])
