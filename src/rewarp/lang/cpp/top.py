"""Where an include goes that has to come before everything else in a file."""

from __future__ import annotations

import re

from rewarp.lang.cpp.file import CodeFile

_CODE = re.compile(rb"\S")
_GUARD = re.compile(
    rb"\s*(?:#[ \t]*pragma[ \t]+once\b[^\n]*\n?|#[ \t]*(?:ifndef|if)\b[^\n]*\n\s*#[ \t]*define\b[^\n]*\n?)"
)


def top(document: CodeFile) -> int:
    """Behind ``#pragma once`` or an include guard where code begins with one, else at the first line of code: a comment at
    the top, such as a licence, stays there."""
    code = document.code
    at = 0
    while guard := _GUARD.match(code, at):
        if b"once" not in guard[0] and not any(
            directive.include_guard and guard.start() <= directive.where.start < guard.end()
            for directive in document.directives
        ):
            break
        at = guard.end()
    if at:
        return at
    first = _CODE.search(code)
    return code.rfind(b"\n", 0, first.start()) + 1 if first else 0
