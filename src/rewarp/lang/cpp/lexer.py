"""What hides code in C++: comments, literals, include paths; and the preprocessor's lines. The one place that tells them apart.

This is the hot path. Every alternative starts with a plain byte, so the search runs at the speed of a byte scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.source import Span

# The `R` of a raw string lies before its quote and is looked back at. No character has 64 escapes: from each quote of a
# text that holds nothing but escaped ones, the search for the last would run to the end.
_HIDING = re.compile(
    rb"""/(?:/[^\r\n]*(?:(?:(?<=\\)\r?\n|\r?\n[ \t]*//)[^\r\n]*)*|\*[^*]*(?:\*+(?!/)[^*]*)*(?:\*/|\Z))
    |"(?:(?<=R")(?<![A-KM-TV-Za-tv-z0-79_]R")(?P<delim>[^()\\\s"]{0,16})\((.*?)(?:\)(?P=delim)"|\Z)
        |[^"\\\r\n]*(?:\\(?:\r\n|.)[^"\\\r\n]*)*(?:"|(?=[\r\n])|\\?\Z))
    |'(?!')(?:[^'\\\r\n]*\\.){0,64}[^'\\\r\n]*'
    |\#[ \t]*([a-z]+)(?:(?<=include)[ \t]*(<[^>\r\n\#]*(?:\#(?!include)[^>\r\n\#]*)*>|"[^"\r\n]*"))?
    """,
    re.X | re.S,
)
_RAW, _WORD, _PATH = 2, 3, 4
_NUMBER_BEFORE = re.compile(rb"(?<![\w.'])\.?[0-9][\w.']*\Z")
_PREFIX = re.compile(rb"(?<!\w)(?:u8|[uUL])?R?\Z")
REST_OF_LINE = rb"[^\r\n\\]*(?:\\(?:\r?\n)?[^\r\n\\]*)*"
"""Up to the end of a line and of those that a backslash joins to it."""
CONDITION_LINE = re.compile(rb"^[ \t]*#[ \t]*(?P<word>(?:el)?if(?:n?def)?)\b(?P<asked>" + REST_OF_LINE + rb")", re.M)
"""What a file asks, comments told apart from nothing: for who looks through whole projects for the few files that ask for
something, at the speed of a search."""
_LINE = re.compile(rb"(?:\\\r?\n|[^\r\n])*")
_FEW = 64
_HASH, _SLASH, _QUOTE, _ANGLE, _NEWLINE, _SEPARATOR = b"#/\"<\n'"


class Line(NamedTuple):
    """A preprocessor line: where its ``#`` stands, its word, and the path if it includes one."""

    start: int
    word: bytes
    path: Span | None
    """The path with its brackets or quotes."""


class Hiding(NamedTuple):
    """What a file holds besides code, in file order."""

    hidden: list[tuple[int, int]]
    """Comments, literals and include paths."""
    lines: list[Line]
    raw_strings: list[Span]
    """The insides of raw string literals; kernels for run-time compilation live there."""


def hiding(view: bytes) -> Hiding:
    hidden: list[tuple[int, int]] = []
    lines: list[Line] = []
    raw_strings: list[Span] = []
    for match in _matches(view) if b"'" in view else _HIDING.finditer(view):
        span = match.span()
        if match.lastindex is None:
            hidden.append(span)
        elif view[span[0]] == _HASH:
            if _opens_line(view, span[0]):
                path = Span(*match.span(_PATH)) if match[_PATH] else None
                lines.append(Line(span[0], match[_WORD], path))
                if path:
                    hidden.append(path)
        else:
            raw_strings.append(Span(*match.span(_RAW)))
            hidden.append(span)
    return Hiding(hidden, lines, raw_strings)


def _matches(view: bytes) -> Iterator[re.Match[bytes]]:
    """Without the quotes that separate digits: 1'000'000."""
    at = 0
    while at >= 0:
        begin, at = at, -1
        for match in _HIDING.finditer(view, begin):
            start = match.start()
            if view[start] == _SEPARATOR and _NUMBER_BEFORE.search(view, max(0, start - 64), start):
                at = start + 1
                break
            yield match


def literals(view: bytes, hidden: list[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    """Comments, strings with their prefixes, and characters: (kind, start, end)."""
    for start, end in hidden:
        first = view[start]
        if first == _SEPARATOR:
            yield "char", start, end
        elif first == _QUOTE:
            if start and view[start - 1] in b"RuUL8":
                prefix = _PREFIX.search(view, max(0, start - 4), start)
                start = prefix.start() if prefix else start
            yield "string", start, end
        elif first == _SLASH:
            yield "comment", start, end


def _opens_line(view: bytes, at: int) -> bool:
    """Whether only blanks or a comment stand before a ``#`` on its line."""
    if not at or view[at - 1] == _NEWLINE:
        return True
    before = skip_blanks_back(view, at, b" \t\xef\xbb\xbf")
    return not before or view[before - 1] in b"\r\n" or view.endswith(b"*/", 0, before)


def skip_blanks_back(text: bytes, at: int, blanks: bytes = b" \t") -> int:
    """The place after the last byte before ``at`` that is no blank. Reads no further back: a line may be a whole file."""
    while at:
        start = max(0, at - _FEW)
        if kept := text[start:at].rstrip(blanks):
            return start + len(kept)
        at = start
    return 0


def blanked(text: bytes) -> bytes:
    """Blanks in the place of a text, line endings kept."""
    if b"\r" in text:
        return re.sub(rb"[^\r\n]", b" ", text)
    if b"\n" in text:
        return b"\n".join([b" " * len(line) for line in text.split(b"\n")])
    return b" " * len(text)


def line_end(view: bytes, at: int) -> int:
    """Where the logical line that a place lies on ends; a backslash at its end continues it."""
    match = _LINE.match(view, at)
    return match.end() if match else at


def whole_line(view: bytes, span: Span) -> Span:
    """A span widened to its whole line, the line ending too, where nothing else stands on it."""
    start = max(view.rfind(b"\n", 0, span.start), view.rfind(b"\r", 0, span.start)) + 1
    end = line_end(view, span.end)
    if view[start : span.start].strip(b" \t") or view[span.end : end].strip(b" \t"):
        return span
    if view[end : end + 2] == b"\r\n":
        end += 2
    elif end < len(view):
        end += 1
    return Span(start, end)
