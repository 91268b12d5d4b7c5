"""Places for new commands in a CMake file: around a command, behind it, ahead of it."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.fixes.text import indent_at, newline_of, starts_line
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.source import SourceFile

Replacement = tuple[int, int, str]


def wrapped(document: CMakeFile, call: CMakeCommand, switch: str, instead: list[str]) -> Iterator[Replacement]:
    """``if(SWITCH)`` with other commands, ``else()`` with the command as it stands."""
    source, (start, end) = document.source, call.where
    indent, newline = indent_at(source, start), newline_of(source)
    head = [f"if({switch})", *(f"{indent}  {line}" for line in instead), f"{indent}else()"]
    if not instead:
        head = [f"if(NOT {switch})"]
    yield start, start, newline.join(head) + newline + indent + "  "
    for line in range(source.line_at(start) + 1, source.line_at(end) + 1):
        at = source.line_starts[line - 1]
        if not any(a.where.start < at < a.where.end for a in call.arguments) and source.line_span(line).end > at:
            yield at, at, "  "
    yield _behind(source, end, f"{indent}endif()")


def after(document: CMakeFile, call: CMakeCommand, switch: str, lines: list[str]) -> Iterator[Replacement]:
    """``if(SWITCH)`` with commands, behind a command."""
    indent, newline = indent_at(document.source, call.where.start), newline_of(document.source)
    text = [f"{indent}if({switch})", *(f"{indent}  {line}" for line in lines), f"{indent}endif()"]
    yield _behind(document.source, call.where.end, newline.join(text))


def ahead(document: CMakeFile, call: CMakeCommand, lines: list[str], behind: bool) -> Replacement:
    source = document.source
    newline, indent = newline_of(source), indent_at(source, call.where.start)
    if behind:
        return _behind(source, call.where.end, newline.join(indent + line for line in lines))
    start = call.where.start
    first = "" if starts_line(source, start) else newline
    return start, start, first + "".join(line + newline + indent for line in lines)


def _behind(source: SourceFile, end: int, text: str) -> Replacement:
    """After the rest of the line where that is blank or a comment, so that the comment stays with its command."""
    newline = newline_of(source)
    stop = source.line_span(source.line_at(end - 1)).end
    rest = source.view[end:stop].strip()
    if not rest or (rest.startswith(b"#") and not rest.startswith(b"#[")):
        return stop, stop, newline + text
    return end, end, newline + text + newline
