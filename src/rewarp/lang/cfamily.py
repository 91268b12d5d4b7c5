"""CUDA C++, C++ and Rust: code with comments and strings told apart.

``code`` is the file with every comment and string blanked, byte for byte the same length,
so a regular expression over it can only match code. The string literals (inline PTX lives
there) and ``#include`` paths are kept beside it with their places.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.source import Span
from rewarp.targets.base import Target

_CPP = re.compile(
    rb"""(?P<comment>//(?:\\\r?\n|[^\r\n])*|/\*.*?(?:\*/|\Z))
    |(?P<raw>\b(?:u8|[uUL])?R"(?P<delim>[^()\\\s"]{0,16})\(.*?\)(?P=delim)")
    |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\r\n])*(?:"|(?=[\r\n])|\Z))
    |(?P<char>(?<![0-9A-Fa-f])(?:u8|[uUL])?'(?:\\.|[^'\\\r\n])+')
    """,
    re.X | re.S,
)
_RUST = re.compile(
    rb"""(?P<comment>//[^\r\n]*|/\*.*?(?:\*/|\Z))
    |(?P<raw>\b[bc]?r(?P<hashes>\#*)".*?"(?P=hashes))
    |(?P<string>[bc]?"(?:\\.|[^"\\])*(?:"|\Z))
    |(?P<char>b?'(?:\\[^'\r\n]+|[^'\\\r\n])')
    """,
    re.X | re.S,
)
_INCLUDE = re.compile(rb"^[ \t]*\#[ \t]*include[ \t]*([<\"])([^>\"\r\n]+)[>\"]", re.M)
_DIRECTIVE = re.compile(rb"^[ \t]*\#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b((?:\\\r?\n|[^\r\n])*)", re.M)
_DEFINED = re.compile(r"(!?)\s*defined\s*\(?\s*(\w+)\s*\)?|(!?)\s*\b([A-Za-z_]\w*)\b(?!\s*\()")


class Literal(NamedTuple):
    """A string literal: its text between the quotes and its span (quotes included)."""

    text: str
    where: Span


class Include(NamedTuple):
    path: str
    where: Span


class CodeFile(Document):
    """A file in a language with C-like comments and strings."""

    @cached_property
    def _split(self) -> tuple[bytes, list[Literal]]:
        view = self.source.view
        parts: list[bytes] = []
        literals: list[Literal] = []
        at = 0
        pattern = _RUST if self.kind is Kind.RUST else _CPP
        for match in pattern.finditer(view):
            text = match[0]
            parts.append(view[at : match.start()])
            if match.lastgroup in ("string", "raw", "delim", "hashes") or match["raw"] is not None:
                literals.append(Literal(self._inner(text), Span(*match.span())))
                parts.append(b'"' + _spaces(text[1:-1]) + b'"' if len(text) > 1 else text)
            elif match.lastgroup == "char":
                parts.append(b"'" + _spaces(text[1:-1]) + b"'")
            else:
                parts.append(_spaces(text))
            at = match.end()
        parts.append(view[at:])
        return b"".join(parts), literals

    @staticmethod
    def _inner(text: bytes) -> str:
        first = text.find(b'"')
        inner = text[first + 1 : -1]
        if text[:first].endswith(b"R"):
            inner = inner.partition(b"(")[2].rpartition(b")")[0]
        return inner.decode("utf-8", "replace")

    @property
    def code(self) -> bytes:
        """The file with comments and strings blanked; offsets are those of the view."""
        return self._split[0]

    @property
    def literals(self) -> list[Literal]:
        return self._split[1]

    @cached_property
    def includes(self) -> list[Include]:
        """``#include`` paths. Read from the file itself: quotes make them look like strings."""
        found = []
        for match in _INCLUDE.finditer(self.source.view):
            if self.code[match.start() : match.start(1)].strip().startswith(b"#"):
                path = match[2].decode("utf-8", "replace").strip()
                found.append(Include(path, Span(match.start(), match.end())))
        return found

    def search(self, pattern: re.Pattern[bytes], group: int | str = 0) -> Iterator[tuple[re.Match[bytes], Span]]:
        """Matches of a pattern in code, with the span of the match or of one group."""
        for match in pattern.finditer(self.code):
            yield match, Span(*match.span(group))

    # --- preprocessor gates ---------------------------------------------------------

    def _dead_regions(self, target: Target) -> list[Span]:
        """Code that the preprocessor drops when building for the target."""
        regions: list[Span] = []
        stack: list[list[Any]] = []  # [branch start, dead now, some branch surely taken]
        for match in _DIRECTIVE.finditer(self.code):
            word, rest = match[1].decode(), match[2].decode("utf-8", "replace")
            if word in ("if", "ifdef", "ifndef"):
                value = self._fold(word, rest, target)
                stack.append([match.end(), value is False, value is True])
                continue
            if not stack:
                continue
            start, dead, taken = stack[-1]
            if dead:
                regions.append(Span(start, match.start()))
            if word == "endif":
                stack.pop()
            else:
                value = self._fold("if", rest, target) if word == "elif" else None
                stack[-1] = [match.end(), taken or value is False, taken or value is True]
        return sorted(regions)

    @staticmethod
    def _fold(word: str, rest: str, target: Target) -> bool | None:
        if word in ("ifdef", "ifndef"):
            value = _macro(rest.split()[0] if rest.split() else "", target)
            return value if word == "ifdef" or value is None else not value
        rest = rest.replace("\\", " ").strip()
        if rest in ("0", "1"):
            return rest == "1"
        if "&&" in rest and "||" in rest:
            return None
        decisive = "||" in rest
        values: list[bool | None] = []
        for term in rest.split("||" if decisive else "&&"):
            match = _DEFINED.fullmatch(_unwrap(term))
            if not match:
                values.append(None)
                continue
            value = _macro(match[2] or match[4], target)
            negated = bool(match[1] or match[3])
            values.append(None if value is None else value is not negated)
        if decisive in values:
            return decisive
        return None if None in values else not decisive

    @cached_property
    def _dead(self) -> dict[str, list[Span]]:
        return {}

    def unreachable(self, where: Any, target: Target) -> bool:
        if self.kind is Kind.RUST:
            return False
        regions = self._dead.get(target.name)
        if regions is None:
            regions = self._dead[target.name] = self._dead_regions(target)
        at = self.span(getattr(where, "where", where)).start
        index = bisect_right(regions, Span(at, 1 << 62)) - 1
        return any(region.start <= at < region.end for region in regions[: index + 1])


def _spaces(text: bytes) -> bytes:
    if b"\n" not in text and b"\r" not in text:
        return b" " * len(text)
    return re.sub(rb"[^\r\n]", b" ", text)


def _unwrap(term: str) -> str:
    """A condition without parentheses around the whole of it, or left over from splitting it."""
    term = term.strip()
    while term.startswith("(") and (term.endswith(")") or term.count("(") > term.count(")")):
        balanced = term.endswith(")") and term.count("(") <= term.count(")")
        term = (term[1:-1] if balanced else term[1:]).strip()
    while term.count(")") > term.count("("):
        term = term.removesuffix(")").strip()
    return term


def _macro(name: str, target: Target) -> bool | None:
    if target.false_macros.fullmatch(name):
        return False
    return True if target.true_macros.fullmatch(name) else None
