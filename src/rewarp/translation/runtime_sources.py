"""CUDA source in strings, which a program compiles when it runs: source like any other, where it stands in raw strings.

Text in plain strings has escapes and ends between them, so no edit of it is sure to keep its meaning: it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.translation.lexing import Lexed

_KERNEL = (b"__global__", b"__device__")
_COMPILES = b"nvrtcC"
"""nvrtcCreateProgram, nvrtcCompileProgram."""
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"\n": b""}


def compiles_at_run_time(lexed: Lexed) -> bool:
    return _COMPILES in lexed.vocabulary


def in_raw_strings(lexed: Lexed, view: bytes) -> Iterator[Span]:
    """The insides of raw strings that hold kernels."""
    for where in lexed.raw_strings:
        text = view[slice(*where)]
        if any(word in text for word in _KERNEL):
            yield where


def in_plain_strings(lexed: Lexed, view: bytes) -> Iterator[tuple[Span, bytes]]:
    """Strings, with those that follow without anything between, that hold a kernel together; and what they say."""
    if _KERNEL[0] not in view:
        return
    for run in _runs(lexed, view):
        text = b"".join(view[start + 1 : end - 1] for start, end in run)
        if _KERNEL[0] in text:
            yield Span(run[0][0], run[-1][1]), _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), text)


def _runs(lexed: Lexed, view: bytes) -> Iterator[list[tuple[int, int]]]:
    """Literals that are one string to the compiler: only blanks and comments are between them."""
    run: list[tuple[int, int]] = []
    last = 0
    for start, end in lexed.hidden:
        first = view[start : start + 1]
        if run and view[last:start].strip(b" \t\r\n\\"):
            yield run
            run = []
        if first == b'"' and view[start - 1 : start] != b"R":
            run.append((start, end))
        elif first != b"/" and run:
            yield run
            run = []
        last = end
    if run:
        yield run
