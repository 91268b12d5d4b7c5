"""Faults of CUDA's side that a port by renaming would carry over, with wrong numbers: matched by their form, fixed for AMD
alone, and reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rewarp.fixes.text import edited, newline_of
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span

_TEMPLATE = re.compile(rb"\btemplate\s*<\s*int\s+(\w+)\s*,[^<>]*?\btypename\s+(\w+)[^<>]*>[^;{}]*\{")
"""Over the elements of a block, and the block's type."""
WHAT = "a fault of CUDA's side is mended for AMD: blocks of another size are counted"
WHY = (
    "The place of {block} after {block} is counted in blocks of {wrong}, and all else there in blocks of {right}: where the two "
    "differ, NVIDIA's kernel reads the wrong data. For NVIDIA nothing was changed."
)


@dataclass(frozen=True)
class Fault:
    """A line that counts the blocks of a type by a constant, in a template that has a parameter for it."""

    line: Span
    wrong: Span
    right: str
    block: str


def faults(source: SourceFile) -> Iterator[Fault]:
    code = CodeFile(source, Kind.CUDA).code
    for template in _TEMPLATE.finditer(code):
        right, block = template[1], template[2]
        body = code[template.end() : _closed(code, template.end())]
        if not re.search(rb"/\s*" + right + rb"\b", body):
            continue
        of_block = rb"sizeof\s*\(\s*" + block + rb"\s*\)"
        named = [found[1] for found in re.finditer(rb"\b(\w+)\s*=\s*" + of_block + rb"\s*;", body)]
        sizes = rb"|".join([of_block, *(re.escape(name) + rb"\b" for name in named)])
        for line in re.finditer(rb"^[^\n;{}]*/\s*([A-Z]\w*)\s*\*\s*(?:" + sizes + rb")[^\n;{}]*;[ \t\r]*$", body, re.M):
            if line[1] != right:
                start = template.end()
                whole, wrong = (
                    Span(start + line.start(), start + line.end()),
                    Span(*(start + at for at in line.span(1))),
                )
                yield Fault(whole, wrong, right.decode(), block.decode())


def mended(source: SourceFile, found: list[Fault]) -> bytes:
    """The file in which AMD's compiler sees the line as it should be, and any other the line that is there."""
    replacements = []
    for fault in found:
        was = source.view[fault.line.start : fault.line.end].decode(source.encoding).rstrip("\r")
        at, end = fault.wrong.start - fault.line.start, fault.wrong.end - fault.line.start
        lines = ("#if defined(__HIP_PLATFORM_AMD__)", was[:at] + fault.right + was[end:], "#else", was, "#endif")
        replacements.append((fault.line.start, fault.line.start + len(was), newline_of(source).join(lines)))
    return edited(source, replacements)


def _closed(code: bytes, at: int) -> int:
    """Behind the brace that closes the one before this place."""
    depth = 1
    for found in re.compile(rb"[{}]").finditer(code, at):
        depth += 1 if found[0] == b"{" else -1
        if not depth:
            return found.start()
    return len(code)
