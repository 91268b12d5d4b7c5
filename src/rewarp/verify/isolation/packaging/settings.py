"""Where files other than C and CMake turn something on for a build: a macro, or a CMake switch."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.roles import Role, role_of, says_amd
from rewarp.verify.isolation.tree import Trees

_ASIDE = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT)
_READ = re.compile(
    r"(?:\$\$?[({]?|ENV\{|getenv\W{1,3}|environ\W{1,3}(?:get\W{1,3})?|defined\W{0,2}|-U|unset\s|undef\s)\s*$", re.I
)
"""Right before a name: it is read, asked about, or taken back."""
_ASKS = re.compile(r"^\W*(?:if|elif|else\s*if)(?:n?def|n?eq)?\b(?![^\n]*[-/]D)")
_TO_HIPCC = re.compile(r"^\s*(?:[\w./${}-]*/)?hipcc\s[^;|&()`]*-D$")
"""Right before a name: AMD's compiler is given it as a macro, and nobody else."""
_COMMENT = re.compile(r"^\s*(?:(?:endif|else)\s*#|#(?!\s*define)|//|;|rem\b)", re.I)
_OFF = re.compile(
    r"[\"']?(?::\w+)?\s*[:?+]?[=:]\s*(?:[\"']?(?:OFF|0|FALSE|NO|N)[\"']?(?=$|[\s,;}\]\\])|(?:[\"']{1,2}\s*)?$)", re.I
)
_COMPOSED = re.compile(rb"[-/]D(\w+)(?=\$[{(\w]|\{\w|%s|[\"']\s*(?:\+|%|\.format))")
_SET_BY_PARTS = re.compile(rb"\b(?:set|option|cmake_dependent_option)\s*\(\s*(\w+)\$\{", re.I)
_FUNCTION = re.compile(rb"^[ \t]*(end)?(?:function|macro)\s*\(\s*(\w*)", re.M | re.I)
_ARGUMENTS = re.compile(rb"\bcmake_parse_arguments\s*\(\s*(?:PARSE_ARGV\s+\S+\s+)?[\"']?(\w+)", re.I)


def asked_for(name: str, path: str, trees: Trees, side: Side) -> Iterator[str]:
    """Places that may turn a name on where an NVIDIA user builds; a file for AMD, which no other names, is none."""
    data = trees.read(path, side)
    if data is None:
        yield f"{path} could not be searched"
        return
    if says_amd(path) and not _is_named(path, trees, side):
        return
    if role_of(path) is Role.PYTHON:
        from rewarp.verify.isolation.packaging.python_settings import lines_set

        lines = lines_set(name, path, data)
    else:
        lines = list(_lines_that_set(name, data.decode("latin-1")))
    yield from (f"{path}:{line} may turn it on" for line in lines)


def _lines_that_set(name: str, text: str) -> Iterator[int]:
    """Lines where a name stands, but for those where it is read, asked about or switched off."""
    word = re.compile(rf"(?:(?<!\w)|(?<=[-/]D)){re.escape(name)}(?!\w)")
    for number, line in enumerate(text.splitlines(), 1):
        if _COMMENT.match(line) or _ASKS.match(line):
            continue
        for match in word.finditer(line):
            before = line[: match.start()]
            if not _READ.search(before) and not _OFF.match(line, match.end()) and not _TO_HIPCC.search(before):
                yield number


def _is_named(path: str, trees: Trees, side: Side) -> bool:
    """Whether a file that is not for AMD by its own path speaks of one that is."""
    others = trees.containing(posixpath.basename(path), side)
    return any(
        other != path and not says_amd(other) and role_of(other) not in (*_ASIDE, Role.CMAKE) for other in others
    )


def composed(name: str, trees: Trees, side: Side) -> str | None:
    """Where a build puts such a name together from parts: `-DUSE_${BACKEND}`, `set(USE_${BACKEND} ON)`."""
    for prefix, path, function in _composed(trees, side):
        rest = name.removeprefix(prefix).strip("_")
        if name.startswith(prefix) and rest and _is_given(rest, path, function, trees, side):
            return f"{path} puts names that start with {prefix} together from parts"
    return None


def _is_given(rest: str, path: str, function: str, trees: Trees, side: Side) -> bool:
    """Whether the other part of a name stands somewhere: in a function it comes with a call of that."""
    others = trees.containing(rest, side)
    if not function:
        return path in others if role_of(path) is Role.CMAKE else bool(others)
    call = re.compile(
        rb"\b" + re.escape(function.encode()) + rb"\s*\([^)]*\b" + re.escape(rest.encode()) + rb"\b", re.I
    )
    return any(role_of(other) is Role.CMAKE and call.search(trees.read(other, side) or b"") for other in others)


@lru_cache(maxsize=4)
def _composed(trees: Trees, side: Side) -> tuple[tuple[str, str, str], ...]:
    """Prefix, file, and the function of CMake around it."""
    found: list[tuple[str, str, str]] = []
    for path in trees.paths(side):
        role = role_of(path)
        if role in (*_ASIDE, Role.C) or says_amd(path):
            continue
        data = trees.text(path, side)
        if data is None:
            continue
        if role is not Role.CMAKE:
            found += [(match[1].decode(), path, "") for match in _COMPOSED.finditer(data)]
            continue
        for pattern, more in ((_COMPOSED, ""), (_SET_BY_PARTS, ""), (_ARGUMENTS, "_")):
            found += [
                (match[1].decode() + more, path, _around(data, match.start())) for match in pattern.finditer(data)
            ]
    return tuple(found)


def _around(data: bytes, at: int) -> str:
    """The function or macro of CMake that a place stands in."""
    names = ["" if match[1] else match[2].decode() for match in _FUNCTION.finditer(data, 0, at)]
    return names[-1] if names else ""
