"""What the Rust parser is not given: its error recovery takes quadratic time in text that is no Rust."""

from __future__ import annotations

import re

from rewarp.errors import ParseError
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.lang.nesting import DEEPEST
from rewarp.source import SourceFile

_SMALL = 1 << 12
"""Bytes that are parsed in any case."""
_LONGEST = 1 << 12
"""Bytes of code, without comments and what strings say, that may stand between two marks of punctuation."""
_MARK = re.compile(rb"[()\[\]{};,]")
_OPENING = re.compile(rb'[bc]?r?(#*)"')


def check(data: bytes) -> None:
    """Raises ParseError for a text that is no Rust, as far as brackets and the ends of items tell."""
    if len(data) <= _SMALL:
        return
    file = CodeFile(SourceFile("", data), Kind.RUST)
    if file.literals and _is_open(file.source.view[slice(*file.literals[-1].where)]):
        raise ParseError("a string that never ends")
    if _has_endless_item(b" ".join(file.code.split())):
        raise ParseError("thousands of bytes in which no item, no part of one or no bracket ends")


def _is_open(literal: bytes) -> bool:
    opening = _OPENING.match(literal)
    return opening is not None and not literal[opening.end() :].endswith(b'"' + opening[1])


def _has_endless_item(code: bytes) -> bool:
    """Outside of all brackets each item ends with ``;`` or ``}``; inside, a comma at least comes before long; and what is
    opened is closed."""
    depth = at = outside = 0
    for mark in _MARK.finditer(code):
        length = mark.start() - at
        outside += 0 if depth else length
        if length > _LONGEST or outside > _LONGEST:
            return True
        at = mark.start()
        if mark[0] in b"([{":
            depth += 1
        elif mark[0] in b")]}":
            depth = max(0, depth - 1)
        if not depth and mark[0] in b";}":
            outside = 0
    return len(code) - at > _LONGEST or depth > DEEPEST
