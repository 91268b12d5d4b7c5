"""Rust's comments and literals, told from its code."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RUST = re.compile(
    rb"""(?P<comment>//[^\r\n]*)|(?P<block>/\*)
    |(?P<raw>\b[bc]?r(?P<hashes>\#*)"(?:.*?"(?P=hashes)|.*))
    |(?P<string>[bc]?"(?:\\.|[^"\\])*(?:"|\\?\Z))
    |(?P<char>b?'(?:\\.[^'\r\n]*|[^'\\\r\n\x80-\xff]|[\xc2-\xf4][\x80-\xbf]{1,3})')
    """,
    re.X | re.S,
)
_BLOCK = re.compile(rb"/\*|\*/")


def literals(view: bytes) -> Iterator[tuple[str, int, int]]:
    """Comments, strings and characters: (kind, start, end)."""
    at = 0
    while match := _RUST.search(view, at):
        start, at = match.span()
        kind = match.lastgroup or ""
        if kind == "block":  # these nest
            depth = 1
            for mark in _BLOCK.finditer(view, at):
                depth += 1 if mark[0] == b"/*" else -1
                if not depth:
                    at = mark.end()
                    break
            else:
                at = len(view)
        yield ("comment" if kind == "block" else "string" if kind == "raw" else kind), start, at
