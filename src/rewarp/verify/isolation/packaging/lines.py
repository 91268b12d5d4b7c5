"""Files that are read line by line: Dockerfiles, Makefiles, environments. Only comments may change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Side
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging.declared import Lines, changed_places, moved
from rewarp.verify.isolation.packaging.make_gates import for_nvidia
from rewarp.verify.isolation.roles import Role, role_of

_SHOWN = 8
_CONTENT = re.compile(
    rb"[|>][-+0-9]*\s*$|<<|^[^\S\n]*define\b|^[^\S\n]*#\s*(?:escape|syntax|check)\s*=|^[^\S\n]*#.*\\\r?$", re.M | re.I
)
"""Where a line that starts with # may be more than a comment."""
_YAML_LINE = re.compile(r"\s*(?:---|\.\.\.|(?:-\s+)*(?:[\w./+-]+\s*:(?:\s.*)?|-\s*\S.*)|-)\s*")
_MULTI_LINE = re.compile(r"""^[^"]*"(?:[^"]*"[^"]*")*[^"]*$|^[^']*'(?:[^']*'[^']*')*[^']*$""")


def compare_lines(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    said = Says(path, before, after, "lines that are not comments")
    role = role_of(path)
    plain = _make_lines if role is Role.MAKE else _plain_lines
    texts = [data.decode("utf-8", "surrogateescape") for data in (before, after)]
    reduced = _for_nvidia(texts, context) if role is Role.MAKE else None
    old, new = (list(plain(text)) for text in texts)
    if reduced and (left := [list(plain(text)) for text in reduced]) and _texts(left[0]) == _texts(left[1]):
        if _texts(old) != _texts(new) and not (_CONTENT.search(before) or _CONTENT.search(after)):
            return said(IsolationVerdict.IDENTICAL, "the same lines are left where nothing sets AMD's variables")
    gone, come = moved(old, new), moved(new, old)
    if gone or come:
        return said(IsolationVerdict.DIFFERENT, "what it asks for changed", changed_places(gone, come)[:_SHOWN])
    if [text for _, text in old] != [text for _, text in new]:
        return said(IsolationVerdict.DIFFERENT, "its lines stand in another order")
    if (
        _CONTENT.search(before)
        or _CONTENT.search(after)
        or (role not in (Role.MAKE, Role.DOCKERFILE) and _may_run_on(old))
    ):
        return said(IsolationVerdict.UNPROVABLE, "it holds text in which # or an empty line may count")
    return said(IsolationVerdict.IDENTICAL, "only comments and empty lines changed")


def _for_nvidia(texts: list[str], context: Context) -> list[str] | None:
    """Both sides without what is AMD's, where that can be told of both."""
    sides: tuple[Side, Side] = ("before", "after")
    found = [for_nvidia(text, context.trees, side) for text, side in zip(texts, sides)]
    return [text for text in found if text is not None] if None not in found else None


def _texts(lines: Lines) -> list[str]:
    return [text for _, text in lines]


def _make_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every blank counts, what a recipe holds counts, and so does what follows a backslash."""
    continued = False
    for number, line in enumerate(text.split("\n"), 1):
        if continued or line.startswith("\t") or (line.strip() and not line.lstrip().startswith("#")):
            yield number, line
        continued = line.endswith(("\\", "\\\r"))


def _plain_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.rstrip()


def _may_run_on(lines: Lines) -> bool:
    """Whether a text may go on over several lines: there, comments and empty lines are part of it or end it."""
    return any(not _YAML_LINE.fullmatch(text) or _MULTI_LINE.match(text) for _, text in lines)
