"""What the translator needs to know of a file's text: CUDA-looking names in code, and preprocessor lines.

This is the hot path. A search for what begins with one plain byte runs several times as fast as one with a
choice of beginnings, so names are searched for once per first byte.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from typing import NamedTuple

from rewarp.lang.cpp.lexer import Hiding, Line, hiding
from rewarp.source import Span

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
_CONTINUED = re.compile(rb"(?:\\\r?\n\w+)+")
_SPLICE = re.compile(rb"\\\r?\n")
_WORD_BYTES = frozenset((string.ascii_letters + string.digits + "_").encode())


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

    @property
    def hiding(self) -> Hiding:
        return Hiding(self.hidden, self.lines, self.raw_strings)

    def end(self, name: bytes, start: int) -> int:
        return self.spliced.get(start) or start + len(name)


def lex(view: bytes) -> Lexed:
    """Finds the names in code and the preprocessor lines."""
    hidden, lines, raw_strings = hiding(view)
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
