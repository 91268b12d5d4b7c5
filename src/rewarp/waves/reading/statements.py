"""Statements of a function: where they end, and under which conditions they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.source import Span
from rewarp.waves.reading.brackets import closing

_IF = re.compile(rb"if(?<!\wif)\s*(?=\()")
_HEAD = re.compile(rb"\s*(?:(?:if|while|for|switch)\s*(?:constexpr\s*)?(?=\()|(?P<do>do)\b)")
_ELSE = re.compile(rb"\s*else\b")
_WHILE = re.compile(rb"\s*while\s*(?=\()")
_BRACE = re.compile(rb"\s*\{")
_ENDS = re.compile(rb"[;{}(\[]")


class Condition(NamedTuple):
    """An ``if``: what it asks, where it begins, and the statement that it lets through."""

    start: int
    test: bytes
    then: Span


def conditions(text: bytes, where: Span, asking: re.Pattern[bytes] | None = None) -> Iterator[Condition]:
    """The conditions of a stretch of code, in order; all of them, or those that ask for something."""
    for match in _IF.finditer(text, *where):
        end = closing(text, match.end())
        test = text[match.end() : end]
        if asking is None or asking.search(test):
            yield Condition(match.start(), test, Span(end, statement_end(text, end)))


def statement_end(text: bytes, at: int) -> int:
    """Where the statement ends that begins here, with all that belongs to it."""
    if brace := _BRACE.match(text, at):
        return closing(text, brace.end() - 1, len(text))
    head = _HEAD.match(text, at)
    if head is None:
        return _simple_end(text, at)
    if head["do"]:
        end = statement_end(text, head.end())
        asked = _WHILE.match(text, end)
        return _simple_end(text, closing(text, asked.end())) if asked else end
    end = statement_end(text, closing(text, head.end()))
    other = _ELSE.match(text, end)
    return statement_end(text, other.end()) if other else end


def _simple_end(text: bytes, at: int) -> int:
    match = _ENDS.search(text, at)
    while match:
        mark = text[match.start()]
        if mark in b";}":
            return match.end() if mark == ord(";") else match.start()
        match = _ENDS.search(text, closing(text, match.start(), len(text)))
    return len(text)
