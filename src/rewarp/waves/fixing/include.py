"""Where a file includes the portable header."""

from __future__ import annotations

import os
import posixpath

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.top import top
from rewarp.waves.support import HEADER


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
        if end <= before and outside and not comment and not _is_conditional(document, start):
            found = end
    if found is not None:
        return found
    return min(top(document), before)


def _is_conditional(document: CodeFile, at: int) -> bool:
    """Whether a condition stands around a place, an include guard not counted."""
    return not all(one.arms[0].test.include_guard for one, _ in document.around(at))
