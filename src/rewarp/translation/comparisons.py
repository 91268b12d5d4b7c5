"""``a < b < c``: legal, rarely meant, and an error to clang since release 21, which nvcc only warns of.

Brackets around what C++ compares first keep the meaning, and say that it is meant. Words and numbers between brackets or
logical operators: no template arguments end there without ``>``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Replacement
from rewarp.translation.lexing import Lexed

_TERM = rb"[\w.]+(?:\[\w+\])?"
_OPERAND = rb"(?:" + _TERM + rb"(?:\s*[-+*/]\s*" + _TERM + rb"){0,4}|\([\w.\s+*/-]{1,80}\))"
_CHAIN = re.compile(
    rb"(?:[(;!?:]|&&|\|\||(?<![<>=!])=|\breturn\b)\s*("
    + _OPERAND
    + rb"\s*<=?\s*"
    + _OPERAND
    + rb")\s*<=?\s*"
    + _OPERAND
    + rb"\s*(?=[);?]|&&|\|\|)"
)

_MAYBE = re.compile(rb"<=?[\w.\[\]+*/() -]+<")
"""What begins with one plain byte is found several times as fast."""


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return _MAYBE.search(view) is not None and _CHAIN.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    changes = Changes()
    for chain in _CHAIN.finditer(document.code):
        first, last = chain.span(1)
        changes.replacements += [Replacement(first, first, b"("), Replacement(last, last, b")")]
    return changes
