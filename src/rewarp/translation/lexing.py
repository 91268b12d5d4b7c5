"""What the translator needs to know of a file's text: CUDA-looking names in code, and preprocessor lines.

This is the hot path. Two searches, one for what hides code (comments, strings) and one for
names, each made of alternatives that start with a plain byte, run several times faster than
one search for both.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from typing import NamedTuple

from rewarp.source import Span

_HIDING = re.compile(
    rb"""/(?:/[^\r\n]*(?:(?<=\\)\r?\n[^\r\n]*)*|\*.*?(?:\*/|\Z))
    |"(?:(?<=R")(?<![A-KM-TV-Za-tv-z0-79_]R")(?P<delim>[^()\\\s"]{0,16})\((.*?)(?:\)(?P=delim)"|\Z)
        |(?:\\(?:\r\n|.)|[^"\\\r\n])*(?:"|(?=[\r\n])|\\?\Z))
    |'(?:(?<![0-9A-Fa-f]')|(?<=\bu8'))(?:\\.|[^'\\\r\n])+'
    |\#[ \t]*([a-z]+)(?:(?<=include)[ \t]*(<[^>\r\n]*>|"[^"\r\n]*"))?
    """,
    re.X | re.S,
)
_RAW, _WORD, _PATH = 2, 3, 4
# The beginnings of words are told from their middles by looking back after the first byte matched:
# a look-behind in front would make the search stop at every byte.
_NAME = re.compile(rb"(?:c(?<!\wc)u|C(?<!\wC)[Uu]|n(?<!\wn)(?:v|ccl|pp)|N(?<!\wN)(?:V|CCL|pp)|_(?<!\w_)_?[a-zA-Z])\w+")
# Names of NVIDIA's that begin like any other word, by something that a file must hold to have one at all. A search for
# one word is quick, for all of them at once it is not.
_RARE = {
    word: re.compile(names + rb"(?!\w)")
    for word, names in {
        b"texture": b"texture(?:Reference)?",
        b"surface": b"surface",
        b"warpSize": b"warpSize",
        b"make_": rb"make_(?:cu\w+|bfloat162)",
        b"4_16a": rb"(?:make_)?(?:double|u?long|u?longlong)4_16a",
        b"4_32a": rb"(?:make_)?(?:double|u?long|u?longlong)4_32a",
        b"umin": b"umin",
        b"umax": b"umax",
        b"llmin": b"u?llmin",
        b"llmax": b"u?llmax",
        b"fdivide": b"fdivide",
        b"tanh": b"h2?tanh(?:_approx)?",
        b"atomic": rb"atomic[A-Z]\w*_(?:block|system)",
        b"libraryPropertyType": b"libraryPropertyType(?:_t)?",
        b"libFormat": b"libFormat(?:_t)?",
        b"LIB_": rb"LIB_(?:FORMAT|XT)_\w+",
        b"CIG_": rb"CIG_\w+",
        b"csrqrInfo": rb"csrqrInfo\w*",
        b"csrluInfo": rb"csrluInfo\w*",
        b"csrcholInfo": rb"csrcholInfo\w*",
        b"gesvdjInfo": rb"gesvdjInfo\w*",
        b"syevjInfo": rb"syevjInfo\w*",
        b"pnccl": rb"pnccl\w+",
        b"MAX_CUFFT_ERROR": b"MAX_CUFFT_ERROR",
        b"REGISTER_CUDA_": rb"REGISTER_CUDA_\w+",
        b"THRUST_": rb"THRUST_\w+",
    }.items()
}
_CONTINUED = re.compile(rb"(?:\\\r?\n\w+)+")
_SPLICE = re.compile(rb"\\\r?\n")
_LINE = re.compile(rb"(?:\\\r?\n|[^\r\n])*")
_HASH = ord("#")
_WORD_BYTES = string.ascii_letters + string.digits + "_"


class Line(NamedTuple):
    """A preprocessor line: where its ``#`` stands, its word, and the path if it includes one."""

    start: int
    word: bytes
    path: Span | None
    """The path with its brackets or quotes."""


class Lexed(NamedTuple):
    """What a file holds that matters to the translator, in file order."""

    names: dict[bytes, list[int]]
    """CUDA-looking names in code, with the offset of every use."""
    spliced: dict[int, int]
    """Names that a backslash breaks across lines: start to end."""
    lines: list[Line]
    raw_strings: list[Span]
    """The insides of raw string literals; kernels for run-time compilation live there."""

    def end(self, name: bytes, start: int) -> int:
        return self.spliced.get(start) or start + len(name)


def lex(view: bytes) -> Lexed:
    """Finds the names in code and the preprocessor lines."""
    hidden, lines, raw_strings = _hiding(view)
    names: dict[bytes, list[int]] = {}
    spliced: dict[int, int] = {}
    spans = iter(hidden)
    start, end = next(spans, (len(view), len(view)))
    for match in _NAME.finditer(view):
        at = match.start()
        while at >= end:
            start, end = next(spans, (len(view), len(view)))
        if at >= start:
            continue
        name = match[0]
        if view[match.end() : match.end() + 1] == b"\\" and (more := _CONTINUED.match(view, match.end())):
            name = _SPLICE.sub(b"", view[at : more.end()])
            spliced[at] = more.end()
        try:
            names[name].append(at)
        except KeyError:
            names[name] = [at]
    _add_rare(view, hidden, names)
    return Lexed(names, spliced, lines, raw_strings)


def _hiding(view: bytes) -> tuple[list[tuple[int, int]], list[Line], list[Span]]:
    """Spans that hold no code, preprocessor lines, and raw strings."""
    hidden: list[tuple[int, int]] = []
    lines: list[Line] = []
    raw_strings: list[Span] = []
    for match in _HIDING.finditer(view):
        start, end = match.span()
        first = view[start]
        if first == _HASH:
            if _opens_line(view, start):
                path = Span(*match.span(_PATH)) if match[_PATH] else None
                lines.append(Line(start, match[_WORD], path))
                if path:
                    hidden.append(path)
            continue
        if match[_RAW] is not None:
            raw_strings.append(Span(*match.span(_RAW)))
        hidden.append((start, end))
    return hidden, lines, raw_strings


def _add_rare(view: bytes, hidden: list[tuple[int, int]], names: dict[bytes, list[int]]) -> None:
    for word, pattern in _RARE.items():
        for match in pattern.finditer(view) if word in view else ():
            at = match.start()
            if at and chr(view[at - 1]) in _WORD_BYTES:
                continue
            index = bisect_right(hidden, (at, len(view))) - 1
            if index < 0 or at >= hidden[index][1]:
                names.setdefault(match[0], []).append(at)


def _opens_line(view: bytes, at: int) -> bool:
    """Whether only blanks or a comment stand before a ``#`` on its line."""
    start = max(view.rfind(b"\n", 0, at), view.rfind(b"\r", max(0, at - 200), at)) + 1
    before = view[start:at].strip(b" \t\xef\xbb\xbf")
    return not before or before.endswith(b"*/")


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
