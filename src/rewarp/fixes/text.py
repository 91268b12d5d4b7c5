"""What edits of build files have in common: the line ends and the indentation of the file, and the file as bytes."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.edits import Edit, apply
from rewarp.source import SourceFile, Span


def newline_of(source: SourceFile) -> str:
    """The line end the file has."""
    end = source.view.find(b"\n")
    return "\r\n" if end > 0 and source.view[end - 1 : end] == b"\r" else "\n"


def indent_at(source: SourceFile, offset: int) -> str:
    """What stands before the code of a line."""
    start = source.line_starts[source.line_at(offset) - 1]
    line = source.view[start:offset]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode()


def starts_line(source: SourceFile, offset: int) -> bool:
    return not source.view[source.line_starts[source.line_at(offset) - 1] : offset].strip()


def block(lines: Iterable[str], source: SourceFile, indent: str = "") -> str:
    """Lines in the file's own style, each with its line end."""
    end = newline_of(source)
    return "".join((indent + line if line else line) + end for line in lines)


def edited(source: SourceFile, replacements: Iterable[tuple[int, int, str]]) -> bytes:
    """The file after (start, end, text) replacements in its view. Insertions at one place keep their order."""
    merged: dict[tuple[int, int], str] = {}
    for start, end, text in replacements:
        merged[start, end] = merged.get((start, end), "") + text
    codec = source.encoding
    edits = [Edit(source.original(Span(*place)), text.encode(codec)) for place, text in merged.items()]
    return apply(source.data, edits)
