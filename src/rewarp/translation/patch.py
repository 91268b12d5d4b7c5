"""A translation as a unified diff that ``git apply`` takes, byte for byte, whatever the encoding of the files.

The edits are known, so nothing has to be compared: the lines that they touch are the diff.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rewarp.edits import Edit, splice
from rewarp.escape import visible

_CONTEXT = 3
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_SPECIAL = re.compile(rb'[\x00-\x1f\x7f"\\]')
_ODD = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')


class _Block(NamedTuple):
    """Old lines ``first`` up to ``last`` become other lines."""

    first: int
    last: int
    new: list[bytes]


def changed_file(path: str, new_path: str, data: bytes, edits: Iterable[Edit]) -> bytes:
    """The part of a patch that edits one file. Empty when nothing changes."""
    old = _LINE.findall(data)
    blocks = list(_blocks(data, old, edits))
    if not blocks:
        return b""
    lines = [b"--- " + quoted_name(f"a/{path}"), b"+++ " + quoted_name(f"b/{new_path}")]
    grown = 0
    for hunk in _hunks(blocks):
        start = max(0, hunk[0].first - _CONTEXT)
        end = min(len(old), hunk[-1].last + _CONTEXT)
        body: list[bytes] = []
        at = start
        for block in hunk:
            body += (b" " + line for line in old[at : block.first])
            body += (b"-" + line for line in old[block.first : block.last])
            body += (b"+" + line for line in block.new)
            at = block.last
        body += (b" " + line for line in old[at:end])
        growth = sum(len(block.new) - (block.last - block.first) for block in hunk)
        size = end - start
        lines += (b"@@ -%s +%s @@\n" % (_range(start, size), _range(start + grown, size + growth)), *map(_ended, body))
        grown += growth
    return b"".join(lines)


def new_file(path: str, data: bytes) -> bytes:
    """The part of a patch that adds a file."""
    body = [_ended(b"+" + line) for line in _LINE.findall(data)]
    return (
        b"--- /dev/null\n+++ " + quoted_name(f"b/{path}") + b"@@ -0,0 +%s @@\n" % _range(0, len(body)) + b"".join(body)
    )


def _blocks(data: bytes, old: Sequence[bytes], edits: Iterable[Edit]) -> Iterator[_Block]:
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))

    def block(first: int, last: int, inside: list[Edit]) -> _Block:
        offset = starts[first]
        moved = ((edit.span.start - offset, edit.span.end - offset, edit.text) for edit in inside)
        return _Block(first, last, _LINE.findall(splice(data[offset : starts[last]], moved)))

    # Behind a last line that has no line ending, no line begins.
    beginnings = starts if not data or data.endswith(b"\n") else starts[:-1]
    first = last = 0
    inside: list[Edit] = []
    for edit in edits:
        begin, end = _touched(beginnings, edit)
        end = min(end, len(old))
        if inside and begin >= last:
            yield block(first, last, inside)
            inside = []
        if not inside:
            first = last = begin
        inside.append(edit)
        last = max(last, end)
    if inside:
        yield block(first, last, inside)


def _touched(beginnings: Sequence[int], edit: Edit) -> tuple[int, int]:
    """The lines that an edit changes: none when it puts whole lines between others."""
    start, end = edit.span
    first, last = bisect_right(beginnings, start) - 1, bisect_right(beginnings, end) - 1
    if beginnings[first] == start and beginnings[last] == end and (not edit.text or edit.text.endswith(b"\n")):
        return first, last
    return first, last + 1


def _hunks(blocks: Iterable[_Block]) -> Iterator[list[_Block]]:
    """Blocks that lie so close that their surroundings meet."""
    hunk: list[_Block] = []
    for block in blocks:
        if hunk and block.first - hunk[-1].last > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _range(start: int, size: int) -> bytes:
    return b"%d,%d" % (start + 1 if size else start, size)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def quoted_name(path: str) -> bytes:
    """A path as git writes it: quoted when it holds odd characters, closed with a tab when it holds blanks."""
    raw = path.encode("utf-8", "surrogateescape")
    if _SPECIAL.search(raw) or visible(path) != path:  # what steers a terminal or cannot be seen is written out
        return b'"' + _ODD.sub(lambda match: b"\\%03o" % match[0][0], raw) + b'"\n'
    return raw + (b"\t\n" if b" " in raw else b"\n")
