"""Jupyter notebooks: the code cells as one Python file, every line traced to its place.

The JSON is decoded by hand as far as needed to know where each source string stands in
the file; the standard decoder gives values without places.
"""

from __future__ import annotations

import ast
import json
import json.decoder
import re
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.errors import ParseError
from rewarp.lang import python
from rewarp.lang.document import Command, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.shell import simple_commands
from rewarp.source import SourceFile, Span

scanstring: Any = json.decoder.scanstring  # type: ignore[attr-defined]  # in every CPython, not in the stubs

_WHITESPACE = re.compile(r"[ \t\r\n]*")
_MAGIC = re.compile(r"^\s*(?:%(?![\s=])|!(?!=)|\?)|^\s*\w[\w.]*\?\s*$")
_SHELL_MAGIC = re.compile(r"^\s*(?:!(?!=)|%pip\b|%conda\b)\s*")
_ASSIGN_MAGIC = re.compile(r"^(\s*[\w, ]+=\s*)[!%].*$")


class _Line(NamedTuple):
    """One line of code: its text, the cell it is in, and where its JSON text starts in the file."""

    text: str
    cell: int
    raw_start: int
    raw_end: int


def _json_with_places(text: str) -> Any:
    """Parse JSON; every string becomes (value, start, end) with places of the text between the quotes."""

    def skip(at: int) -> int:
        match = _WHITESPACE.match(text, at)
        return match.end() if match else at

    def value(at: int, depth: int) -> tuple[Any, int]:
        if depth > 100:
            raise ParseError("not a notebook: JSON nested too deeply")
        at = skip(at)
        if text[at : at + 1] == '"':
            string, end = scanstring(text, at + 1, False)
            return (string, at + 1, end - 1), end
        if text[at : at + 1] == "{":
            return members(at, depth)
        if text[at : at + 1] == "[":
            items: list[Any] = []
            at = skip(at + 1)
            while text[at : at + 1] != "]":
                item, at = value(at, depth + 1)
                items.append(item)
                at = skip(at)
                if text[at : at + 1] == ",":
                    at = skip(at + 1)
                elif text[at : at + 1] != "]":
                    raise ValueError(f"expected ',' or ']' at character {at}")
            return items, at + 1
        scalar, end = json.JSONDecoder().raw_decode(text, at)
        return scalar, end

    def members(at: int, depth: int) -> tuple[dict[str, Any], int]:
        result: dict[str, Any] = {}
        at = skip(at + 1)
        while text[at : at + 1] != "}":
            key, at = scanstring(text, at + 1, False) if text[at : at + 1] == '"' else (None, at)
            at = skip(at)
            if key is None or text[at : at + 1] != ":":
                raise ValueError(f"expected a key at character {at}")
            result[key], at = value(at + 1, depth + 1)
            at = skip(at)
            if text[at : at + 1] == ",":
                at = skip(at + 1)
            elif text[at : at + 1] != "}":
                raise ValueError(f"expected ',' or '}}' at character {at}")
        return result, at + 1

    return value(0, 0)[0]


def _lines(text: str) -> list[_Line]:
    try:
        notebook = _json_with_places(text)
        cells = notebook["cells"]
        found: list[_Line] = []
        for number, cell in enumerate(cells, 1):
            if cell["cell_type"][0] != "code":
                continue
            source = cell["source"]
            pieces = source if isinstance(source, list) else [source]
            for piece, start, end in pieces:
                at = start
                for line in piece.splitlines(keepends=True) or [""]:
                    length = _raw_length(text, at, end, line)
                    found.append(_Line(line.rstrip("\r\n"), number, at, at + length))
                    at += length
        return found
    except ParseError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise ParseError(f"not a valid notebook: {type(error).__name__}: {error}") from None


def _raw_length(text: str, at: int, end: int, line: str) -> int:
    """How many characters of JSON text stand for ``line``, starting at ``at``."""
    start = at
    for _ in line:
        if at >= end:
            break
        at += (6 if text[at + 1] == "u" else 2) if text[at] == "\\" else 1
    return at - start


def parse(source: SourceFile) -> NotebookFile:
    text = source.view.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = _lines(text)
    plain = _plain_cells(lines)
    code: list[str] = []
    python_cell = True
    for index, line in enumerate(lines):
        if index == 0 or lines[index - 1].cell != line.cell:
            python_cell = not line.text.startswith("%%") or line.text.startswith(("%%time", "%%capture"))
        if line.cell in plain:
            code.append(line.text)
        elif not python_cell:
            code.append("")
        elif _MAGIC.match(line.text):
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            code.append(indent + "pass")
        else:
            code.append(_ASSIGN_MAGIC.sub(r"\1None", line.text))
    virtual = SourceFile(source.path, "\n".join(code).encode("utf-8", "replace"))
    try:
        tree = python.parse(virtual).tree
    except ParseError as error:
        cell = lines[error.line - 1].cell if error.line and error.line <= len(lines) else None
        raise ParseError(f"cell {cell}: {error.reason}") from None
    return NotebookFile(source, tree, lines, plain)


def _plain_cells(lines: list[_Line]) -> frozenset[int]:
    """Cells that are Python as they stand, though a line looks like a magic: ``% (a, b)`` or ``!= c`` goes on with the
    line before it."""
    doubtful = {line.cell for line in lines if _MAGIC.match(line.text) or _ASSIGN_MAGIC.match(line.text)}
    found: set[int] = set()
    for cell in doubtful:
        try:
            ast.parse("\n".join(line.text for line in lines if line.cell == cell))
        except (SyntaxError, ValueError, RecursionError):
            continue
        found.add(cell)
    return frozenset(found)


class NotebookFile(python.PythonFile):
    """The code cells of a notebook. Positions are those of the .ipynb file itself."""

    def __init__(self, source: SourceFile, tree: ast.Module, lines: list[_Line], plain: frozenset[int]) -> None:
        self._lines = lines
        self._plain = plain
        super().__init__(source, tree, Kind.NOTEBOOK)

    @cached_property
    def _byte_offsets_differ(self) -> bool:
        return not self.source.view.isascii()

    def offset(self, line: int, column: int) -> int:
        item = self._lines[line - 1]
        prefix = item.text.encode("utf-8")[:column].decode("utf-8", "ignore")
        text = self._text
        at = item.raw_start + _raw_length(text, item.raw_start, item.raw_end, prefix)
        return len(text[:at].encode("utf-8")) if self._byte_offsets_differ else at

    @cached_property
    def _text(self) -> str:
        return self.source.view.decode("utf-8", "replace")

    @cached_property
    def _codec(self) -> str | None:
        return None

    def _line(self, offset: int) -> _Line:
        """The line of code that an offset in the file lies in."""
        at = len(self.source.view[:offset].decode("utf-8", "replace")) if self._byte_offsets_differ else offset
        return next(item for item in reversed(self._lines) if item.raw_start <= at)

    def cell(self, where: Any) -> int | None:
        return self._line(self.span(getattr(where, "where", where)).start).cell

    def snippet(self, span: Span) -> str:
        return self._line(span.start).text.strip()

    @cached_property
    def commands(self) -> list[Command]:
        found = list(super().commands)
        for number, item in enumerate(self._lines, 1):
            magic = _SHELL_MAGIC.match(item.text)
            if magic and item.cell not in self._plain:
                command = item.text[magic.end() if magic[0].strip() == "!" else item.text.index("%") + 1 :]
                span = Span(self.offset(number, 0), self.offset(number, len(item.text.encode())))
                found += [
                    Command(tuple(Word(text, span) for text, _ in words), span)
                    for words in simple_commands(command.encode("utf-8", "replace"))
                ]
        return found
