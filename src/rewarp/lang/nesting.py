"""How deep brackets and conditions nest, and how long names are. Compilers give up at a few hundred; so does a reader,
and says so.

What is left open to the end of a file, or nests without end, would be read again from each of its beginnings: time in the
square of the file's size, for something that is no program.
"""

from __future__ import annotations

import re

from rewarp.errors import ParseError

DEEPEST = 2_000
"""clang stops at 256."""
LONGEST_NAME = 2_000
"""C++ asks of compilers to tell names of 1,024 bytes apart."""
_WORD_BYTES = bytes(byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$")
_WORD = re.compile(rb"[\w$\x80-\xff]+")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_CONDITION = re.compile(rb"(?m)^[ \t]*#[ \t]*(?:if|endif)")
_PAIRS = (b"()", b"[]", b"{}")
_ROUNDS = 24


def check_nesting(code: bytes, *, preprocessed: bool = True) -> None:
    """Raises ParseError where brackets, or the ``#if`` of C++, nest or are left open deeper than any compiler follows, and
    where a name is longer than any."""
    if nests_too_deep(code):
        raise ParseError(f"brackets nested or left open more than {DEEPEST:,} deep")
    if preprocessed and conditions_too_deep(code):
        raise ParseError(f"#if nested or left open more than {DEEPEST:,} deep")
    if has_endless_word(code):
        raise ParseError(f"a name of more than {LONGEST_NAME:,} bytes")


def has_endless_word(text: bytes) -> bool:
    """Whether a word is longer than any name: what looks for one word in another one reads it many times."""
    if len(text) <= LONGEST_NAME:
        return False
    step = LONGEST_NAME // 2
    # Such a word fills one of these stretches, which are seen through at the speed of a byte search.
    if all(text[at : at + step].translate(None, _WORD_BYTES) for at in range(0, len(text), step)):
        return False
    return any(len(word) > LONGEST_NAME for word in _WORD.findall(text))


def conditions_too_deep(code: bytes) -> bool:
    """Counted on the bytes, before there is a reader: it is what keeps the readers from such files."""
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
