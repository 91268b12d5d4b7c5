"""Where a file includes the portable header."""

from __future__ import annotations

import os
import posixpath
import re

from rewarp.lang.cpp.file import CodeFile
from rewarp.waves.support import HEADER

_CODE = re.compile(rb"\S")
_ONCE = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+once[^\n]*\n?", re.M)
_GUARD = re.compile(rb"^[ \t]*#[ \t]*(?:ifndef|if)\b[^\n]*\n\s*#[ \t]*define\b[^\n]*\n?", re.M)


def has_header(document: CodeFile) -> bool:
    """Whether a file includes the portable header."""
    return any(posixpath.basename(include.path) == HEADER for include in document.includes)


def inclusion(document: CodeFile, before: int, root: str = "") -> tuple[int, int, bytes]:
    """The line that includes the header, ahead of a place; the header lies in the folder ``root`` of the tree."""
    folder = posixpath.dirname(document.source.path) or "."
    path = posixpath.relpath(posixpath.join(root or ".", HEADER), folder)
    ending = b"\r\n" if b"\r\n" in document.source.view else b"\n"
    at = _place(document, before)
    line = b'#include "' + os.fsencode(path) + b'"' + ending
    view = document.source.view
    return at, at, line if not at or view[at - 1 : at] == b"\n" else ending + line


def _place(document: CodeFile, before: int) -> int:
    """After the last include that every build sees, else after the guard, else at the top."""
    code = document.code
    view = document.source.view
    found = None
    for include in document.includes:
        start = include.where.start
        outside = code.count(b"{", 0, start) == code.count(b"}", 0, start)
        end = view.find(b"\n", include.where.end)
        end = len(code) if end < 0 else end + 1
        comment = view.rfind(b"/*", include.where.end, end) > view.rfind(b"*/", include.where.end, end)
        if end <= before and outside and not comment and not _depth(document, start):
            found = end
    if found is not None:
        return found
    if once := _ONCE.search(code, 0, before):
        return once.end()
    guard = next((directive for directive in document.directives if directive.include_guard), None)
    if (
        guard
        and guard.where.start < before
        and (match := _GUARD.match(code, code.rfind(b"\n", 0, guard.where.start + 1) + 1))
    ):
        return match.end()
    return _start(document)


def _start(document: CodeFile) -> int:
    """The first line of code: a comment at the top, such as a licence, stays there."""
    first = _CODE.search(document.code)
    return document.code.rfind(b"\n", 0, first.start()) + 1 if first else 0


def _depth(document: CodeFile, at: int) -> int:
    """How many conditions stand around a place, an include guard not counted."""
    depth = 0
    opened: list[int] = []
    for directive in document.directives:
        if directive.where.start > at:
            break
        if directive.word in ("if", "ifdef", "ifndef"):
            opened.append(0 if directive.include_guard else 1)
            depth += opened[-1]
        elif directive.word == "endif" and opened:
            depth -= opened.pop()
    return depth
