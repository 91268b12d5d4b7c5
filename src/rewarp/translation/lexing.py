"""What the translator needs to know of a file's text: CUDA-looking names in code, and preprocessor lines.

This is the hot path. A search for what begins with one plain byte runs several times as fast as one with a
choice of beginnings, so names are searched for once per first byte; what hides code (comments, strings) has to
be read in one go.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from rewarp.lang.cfamily import CodeFile, Directive, read_directive, skip_blanks_back, tokens_with_separators
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span

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
# The beginnings of words are told from their middles by looking back after the first byte matched:
# a look-behind in front would make the search stop at every byte. Names that begin like any other word
# (make_cuComplex, cooperative_groups, warpSize) are recognised by a less usual byte in their middle.
_NAMES = (
    re.compile(rb"c(?<!\wc)u\w*"),
    re.compile(rb"C(?<!\wC)[Uu]\w*"),
    re.compile(rb"n(?<!\wn)(?:v|ccl|pp)\w*"),
    re.compile(rb"N(?<!\wN)(?:V|CCL|pp)\w*"),
    re.compile(rb"S(?<=warpS)ize\w*"),
    re.compile(
        rb"_(?:(?<!\w_)_?[a-zA-Z]|cu(?<=make_cu)|bfloat162|16a|32a|groups(?<=cooperative_groups)|block|system)\w*"
    ),
)
_BEFORE_MIDDLE = re.compile(rb"(?:atomic[A-Z]\w*|(?:make_)?(?:double|u?long|u?longlong)4|make|cooperative|warp)\Z")


class _Rare(NamedTuple):
    """Names of NVIDIA's without a mark of their own, and what tells quickly that a file has none of them."""

    families: tuple[bytes, ...]
    """Parts of names that such a name comes with."""
    word: bytes
    names: re.Pattern[bytes]


def _rare(families: bytes, word: bytes, names: bytes) -> _Rare:
    return _Rare(tuple(families.split()) or (b"",), word, re.compile(names + rb"(?!\w)"))


_RARE = (
    _rare(b"", b"texture", b"texture(?:Reference)?"),
    _rare(b"urface", b"surface", b"surface"),
    _rare(b"bf half fp16", b"tanh", b"h2?tanh(?:_approx)?"),
    _rare(b"Property", b"libraryPropertyType", b"libraryPropertyType(?:_t)?"),
    _rare(b"cusolver", b"Info", rb"(?:csrqr|csrlu|csrchol|gesvdj|syevj)Info\w*"),
    _rare(b"cufft", b"libFormat", b"libFormat(?:_t)?"),
    _rare(b"cufft", b"LIB_", rb"LIB_(?:FORMAT|XT)_\w+"),
    _rare(b"cufft", b"MAX_CUFFT_ERROR", b"MAX_CUFFT_ERROR"),
    _rare(b"cuCtx", b"CIG_", rb"CIG_\w+"),
    _rare(b"", b"THRUST_", rb"THRUST_\w+"),
    _rare(b"", b"REGISTER_CUDA_", rb"REGISTER_CUDA_\w+"),
    _rare(b"nccl", b"pnccl", rb"pnccl\w+"),
)
_CONDITIONAL = frozenset(b"if ifdef ifndef elif elifdef elifndef else endif".split())
_CONTINUED = re.compile(rb"(?:\\\r?\n\w+)+")
_SPLICE = re.compile(rb"\\\r?\n")
_LINE = re.compile(rb"(?:\\\r?\n|[^\r\n])*")
_HASH, _SLASH, _QUOTE, _ANGLE, _NEWLINE = b'#/"<\n'
_WORD_BYTES = frozenset((string.ascii_letters + string.digits + "_").encode())


class LexedFile(CodeFile):
    """A C++ file whose comments and strings were found before."""

    def __init__(self, source: SourceFile, lexed: Lexed) -> None:
        super().__init__(source, Kind.CUDA)
        self._hidden = lexed.hidden
        self._lines = lexed.lines

    @cached_property
    def directives(self) -> list[Directive]:
        conditional = (line.start for line in self._lines if line.word in _CONDITIONAL)
        return [directive for at in conditional if (directive := read_directive(self.code, at))]

    def _tokens(self) -> Iterator[tuple[str, int, int]]:
        view = self.source.view
        kinds = {_SLASH: "comment", _QUOTE: "string"}
        for start, end in self._hidden:
            if view[start] != _ANGLE:
                yield kinds.get(view[start], "char"), start, end


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
    hidden: list[tuple[int, int]]
    """Comments, literals and include paths."""
    vocabulary: bytes
    """Every name and include path once, to ask quickly whether something of a family is there."""

    def end(self, name: bytes, start: int) -> int:
        return self.spliced.get(start) or start + len(name)


def lex(view: bytes) -> Lexed:
    """Finds the names in code and the preprocessor lines."""
    hidden, lines, raw_strings = _hiding(view)
    names: dict[bytes, list[int]] = {}
    spliced: dict[int, int] = {}
    spans = iter(hidden)
    start, end = next(spans, (len(view), len(view)))
    resume = 0
    for at, after in sorted([match.span() for pattern in _NAMES for match in pattern.finditer(view)]):
        while at >= end:
            start, end = next(spans, (len(view), len(view)))
        if at >= start or at < resume:
            continue
        name, resume = view[at:after], after
        if at and view[at - 1] in _WORD_BYTES:  # recognised by its middle
            head = _BEFORE_MIDDLE.search(view, max(0, at - 24), at)
            if not head or (head.start() and view[head.start() - 1] in _WORD_BYTES):
                continue
            name, at = head[0] + name, head.start()
        elif view[after : after + 1] == b"\\" and (more := _CONTINUED.match(view, after)):
            name = _SPLICE.sub(b"", view[at : more.end()])
            spliced[at] = resume = more.end()
        places = names.get(name)
        if places is None:
            names[name] = [at]
        else:
            places.append(at)
    paths = [view[slice(*line.path)] for line in lines if line.path]
    vocabulary = b" ".join((*names, *paths))
    _add_rare(view, hidden, names, vocabulary)
    return Lexed(names, spliced, lines, raw_strings, hidden, vocabulary)


def _hiding(view: bytes) -> tuple[list[tuple[int, int]], list[Line], list[Span]]:
    """Spans that hold no code, preprocessor lines, and raw strings."""
    hidden: list[tuple[int, int]] = []
    lines: list[Line] = []
    raw_strings: list[Span] = []
    for match in tokens_with_separators(_HIDING, view) if b"'" in view else _HIDING.finditer(view):
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
    return hidden, lines, raw_strings


def _add_rare(view: bytes, hidden: list[tuple[int, int]], names: dict[bytes, list[int]], vocabulary: bytes) -> None:
    for families, word, pattern in _RARE:
        if not any(map(vocabulary.__contains__, families)) or word not in view:
            continue
        for match in pattern.finditer(view):
            at = match.start()
            if at and view[at - 1] in _WORD_BYTES:
                continue
            index = bisect_right(hidden, (at, len(view))) - 1
            if index < 0 or at >= hidden[index][1]:
                names.setdefault(match[0], []).append(at)


def _opens_line(view: bytes, at: int) -> bool:
    """Whether only blanks or a comment stand before a ``#`` on its line."""
    if not at or view[at - 1] == _NEWLINE:
        return True
    before = skip_blanks_back(view, at, b" \t\xef\xbb\xbf")
    return not before or view[before - 1] in b"\r\n" or view.endswith(b"*/", 0, before)


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
