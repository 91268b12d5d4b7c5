"""How deep brackets and conditions nest. Compilers give up at a few hundred; so does a reader, and says so.

What is left open to the end of a file, or nests without end, would be read again from each of its beginnings: time in the
square of the file's size, for something that is no program.
"""

from __future__ import annotations

import re

from rewarp.errors import ParseError

DEEPEST = 2_000
"""clang stops at 256."""
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_CONDITION = re.compile(rb"(?m)^[ \t]*#[ \t]*(?:if|endif)")
_PAIRS = (b"()", b"[]", b"{}")
_ROUNDS = 24


def check_nesting(code: bytes, *, preprocessed: bool = True) -> None:
    """Raises ParseError where brackets, or the ``#if`` of C++, nest or are left open deeper than any compiler follows."""
    if nests_too_deep(code):
        raise ParseError(f"brackets nested or left open more than {DEEPEST:,} deep")
    if preprocessed and conditions_too_deep(code):
        raise ParseError(f"#if nested or left open more than {DEEPEST:,} deep")


def conditions_too_deep(code: bytes) -> bool:
    if code.count(b"#") <= DEEPEST:
        return False
    return nests_too_deep(b"".join(b")" if mark.endswith(b"endif") else b"(" for mark in _CONDITION.findall(code)))


def nests_too_deep(text: bytes) -> bool:
    """Whether more brackets are open at once than can be meant."""
    if sum(map(text.count, (b"(", b"[", b"{"))) <= DEEPEST:
        return False
    marks = text.translate(None, _NO_BRACKETS)
    # Pairs are taken out from the inside, at the speed of a byte search: of code nothing is left after a dozen rounds.
    for _ in range(_ROUNDS):
        for pair in _PAIRS:
            marks = marks.replace(pair, b"")
        if len(marks) <= DEEPEST:
            return False
    depth = deepest = 0
    for mark in marks:
        depth = depth + 1 if mark in b"([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest + _ROUNDS > DEEPEST
