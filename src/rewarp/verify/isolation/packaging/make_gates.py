"""A Makefile as an NVIDIA user's make reads it: without what stands behind a variable for AMD that nothing sets."""

from __future__ import annotations

import re
from collections.abc import Callable

from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.settings import asked_for, composed
from rewarp.verify.isolation.roles import Role, names_amd, role_of
from rewarp.verify.isolation.tree import Trees

_ASIDE = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT, Role.C, Role.CMAKE)
_WORD = re.compile(r"(?P<tab>\t?)[ ]*(?P<word>ifdef|ifndef|ifeq|ifneq|else|endif)\b(?P<rest>[^#]*)")
_OPENS = ("ifdef", "ifndef", "ifeq", "ifneq")
_DEFINES = re.compile(r"^[ ]*(?:override[ ]+|export[ ]+)*define\b", re.M)
_BY_PARTS = re.compile(rb"\$[({][^)}\s]*[)}](\w*)[ \t]*(?:\?|\+|!|:{1,3})?=|\beval\b")


class _Unclear(Exception):
    """It cannot be told where a block ends."""


def for_nvidia(text: str, trees: Trees, side: Side) -> str | None:
    """The text without what AMD's variables switch on; None where that cannot be told."""
    if _DEFINES.search(text):
        return None
    try:
        return "\n".join(_kept(text.split("\n"), lambda name: _is_off(name, trees, side)))
    except _Unclear:
        return None


def _kept(lines: list[str], is_off: Callable[[str], bool]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(lines):
        opened = _directive(lines, at)
        name = opened["rest"].strip() if opened and opened["word"] in ("ifdef", "ifndef") else ""
        if opened is None or opened["tab"] or not name or not is_off(name):
            found.append(lines[at])
            at += 1
            continue
        holds, otherwise, end = _parts(lines, at)
        found += _kept(otherwise if opened["word"] == "ifdef" else holds, is_off)
        at = end
    return found


def _parts(lines: list[str], start: int) -> tuple[list[str], list[str], int]:
    """The two parts of the block that opens in a line, and the line after it. A line that begins with a tab may belong to a recipe:
    what such lines open they must close."""
    parts: list[list[str]] = [[]]
    depth = tabbed = 0
    for at in range(start + 1, len(lines)):
        found = _directive(lines, at)
        word = found["word"] if found else ""
        if found and found["tab"]:
            tabbed += (word in _OPENS) - (word == "endif")
            if tabbed < 0 or (word == "else" and not tabbed):
                raise _Unclear
        elif word in _OPENS:
            depth += 1
        elif word == "endif" and depth:
            depth -= 1
        elif word in ("else", "endif") and not depth:
            if (
                tabbed
                or len(parts) == (2 if word == "else" else 3)
                or (found and word == "else" and found["rest"].strip())
            ):
                raise _Unclear
            if word == "endif":
                return parts[0], parts[1] if len(parts) == 2 else [], at + 1
            parts.append([])
            continue
        parts[-1].append(lines[at])
    raise _Unclear


def _directive(lines: list[str], at: int) -> re.Match[str] | None:
    continued = at > 0 and lines[at - 1].rstrip("\r").endswith("\\")
    return None if continued else _WORD.match(lines[at])


def _is_off(name: str, trees: Trees, side: Side) -> bool:
    if not names_amd(name) or composed(name, trees, side):
        return False
    for path in trees.paths(side):
        if role_of(path) is Role.MAKE or path.endswith((".mk", ".mak")):
            parts = _BY_PARTS.finditer(trees.read(path, side) or b"")
            if any(match[1] is None or name.endswith(match[1].decode()) for match in parts):
                return False
    for path in trees.containing(name, side):
        if role_of(path) not in _ASIDE and next(asked_for(name, path, trees, side), None):
            return False
    trees.assume(f"An NVIDIA user does not give make the variable {name}.")
    return True
