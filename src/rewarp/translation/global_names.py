"""Types that HIP's headers declare outside of all namespaces and CUDA's do not: a ``class texture`` of the project's own.

The project keeps its name. While HIP's headers are read they get another one for theirs, and do not notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import rows
from rewarp.translation.changes import Problem, Replacement
from rewarp.translation.code import blocks_around
from rewarp.translation.reported_rules import RUNTIME_API

THEIRS = b"hip_headers_"
"""What the name in HIP's headers begins with instead."""
_DECLARED = (
    rb"\b(?:(?:class|struct|union|enum)\s+(?:(?:alignas|__align__)\s*\([^()]*\)\s*)?(%s)\s*(?:final\s*)?[{:;]"
    rb"|using\s+(%s)\s*=|typedef\b[^;{}]*?\b(%s)\s*;)"
)


@lru_cache(maxsize=1)
def _known() -> frozenset[bytes]:
    return frozenset(row["name"].encode() for row in rows("hip_global_names.csv"))


@lru_cache(maxsize=1)
def _declaration() -> re.Pattern[bytes]:
    return re.compile(_DECLARED.replace(b"%s", b"|".join(sorted(_known()))))


def is_around_headers(text: bytes) -> bool:
    """Whether an insertion is what goes before or behind ROCm's headers."""
    words = text.split(None, 2)
    return words[:1] in ([b"#define"], [b"#undef"]) and words[1] in _known()


def declared_globally(document: CodeFile) -> set[bytes]:
    """Which of them a file declares as its own outside of everything. The bytes are asked before the code."""
    view = document.source.view
    return {name for name, _ in _declarations(document)} if any(name in view for name in _known()) else set()


def _declarations(document: CodeFile) -> Iterator[tuple[bytes, Span]]:
    code = document.code
    for match in _declaration().finditer(code):
        at = match.lastindex or 0
        if not blocks_around(code, match.start(at)):
            yield match[at], Span(*match.span(at))


def told(document: CodeFile) -> Iterator[Problem]:
    """Where the project declares them."""
    for name, where in _declarations(document):
        theirs = (THEIRS + name).decode()
        message = f"HIP's headers have a {name.decode()} outside of all namespaces too: theirs is called {theirs} here"
        fix = "Nothing, unless this code means theirs somewhere."
        yield Problem(RUNTIME_API, where, "noted", message, fix, name.decode())


def around(
    view: bytes, names: Iterable[bytes], includes: Sequence[Span], inserted: int | None
) -> tuple[list[Replacement], list[Replacement]]:
    """What goes before the includes of ROCm's headers, and what behind them. ``inserted``: where a header is put in besides."""
    ordered = sorted(names)
    ending = b"\r\n" if b"\r\n" in view[:4096] else b"\n"
    opening = b"".join(b"#define " + name + b" " + THEIRS + name + ending for name in ordered)
    closing = b"".join(b"#undef " + name + ending for name in ordered)
    blocks = list(_blocks(view, includes))
    if inserted is not None and inserted not in [block.start for block in blocks]:
        blocks.append(Span(inserted, inserted))
    before = [Replacement(block.start, block.start, opening) for block in blocks]
    return before, [Replacement(block.end, block.end, closing) for block in blocks]


def _blocks(view: bytes, includes: Sequence[Span]) -> Iterator[Span]:
    """Lines that follow each other, as one."""
    block: Span | None = None
    for line in sorted(includes):
        start, end = view.rfind(b"\n", 0, line.start) + 1, view.find(b"\n", line.end) + 1 or len(view)
        if block is not None and start <= block.end:
            block = Span(block.start, max(end, block.end))
            continue
        if block is not None:
            yield block
        block = Span(start, end)
    if block is not None:
        yield block
