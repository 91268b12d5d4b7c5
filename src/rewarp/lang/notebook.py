"""Jupyter notebooks: the code cells as one Python file, every line traced to its place.

The JSON is decoded by hand as far as needed to know where each source string stands in
the file; the standard decoder gives values without places.
"""

from __future__ import annotations

import ast
import json
import json.decoder
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from rewarp.errors import ParseError
from rewarp.lang import parsers, python
from rewarp.lang.document import Command, EnvSet, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.shell import ShellFile
from rewarp.source import SourceFile, Span

scanstring: Any = json.decoder.scanstring  # type: ignore[attr-defined]  # in every CPython, not in the stubs

_DECODER = json.JSONDecoder()
_WHITESPACE = re.compile(r"[ \t\r\n]*")
_MAGIC = re.compile(r"^\s*(?:%(?![\s=])|!(?!=)|\?)|^\s*\w[\w.]*\?{1,2}\s*$")
_SHELL_MAGIC = re.compile(r"^\s*(?:!{1,2}(?!=)|%(?=pip\b|conda\b)|%(?:sx|system)\b)\s*")
_ENV_MAGIC = re.compile(r"^\s*%(?:set_)?env\s+(\w+)[\s=]\s*(\S(?:.*\S)?)\s*$")
_ASSIGN_MAGIC = re.compile(r"^(\s*[\w,][\w, ]*=\s*)[!%].*$")
_PYTHON_CELL = ("%%time", "%%capture", "%%prun", "%%python")
_SHELL_CELL = re.compile(r"%%(?:(?:ba|z)?sh|shell|system|sx|!|script\s+(?:\S*/)?(?:ba|z)?sh)\b")


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
        scalar, end = _DECODER.raw_decode(text, at)
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
        if not _is_python(notebook):
            return []
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


def _is_python(notebook: dict[str, Any]) -> bool:
    """Whether the cells are Python, as far as the notebook says: others are no code that is read here."""
    metadata = notebook.get("metadata")
    told = metadata if isinstance(metadata, dict) else {}
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        value = told[table].get(key) if isinstance(told.get(table), dict) else None
        if isinstance(value, tuple) and value[0]:
            return str(value[0]).lower().startswith(("python", "ipython", "sage"))
    return True


def _raw_length(text: str, at: int, end: int, line: str) -> int:
    """How many characters of JSON text stand for ``line``, starting at ``at``."""
    start = at
    for char in line:
        if at >= end:
            break
        at += _raw_size(text, at, char)
    return at - start


def _raw_size(text: str, at: int, char: str) -> int:
    """How many characters of JSON text stand for one of the line."""
    if text[at] != "\\":
        return 1
    if text[at + 1] != "u":
        return 2
    return 12 if char > "\uffff" else 6  # a pair of surrogates


class _Shell(NamedTuple):
    """A line of shell code: its text, the number of the notebook's line it stands in, and the column where it starts."""

    text: str
    number: int
    column: int


class _Piece(NamedTuple):
    """Lines of shell code that belong together: read as one file, with the byte in it that each line begins at."""

    file: ShellFile
    lines: list[_Shell]
    starts: list[int]

    @classmethod
    def of(cls, lines: list[_Shell]) -> _Piece:
        texts = [line.text.encode("utf-8", "replace") for line in lines]
        starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
        return cls(ShellFile(SourceFile("cell", b"\n".join(texts)), Kind.SHELL), lines, starts)


def _width(char: str) -> int:
    return 1 if char.isascii() else len(char.encode("utf-8", "replace"))


def parse(source: SourceFile) -> NotebookFile:
    text = source.view.decode("utf-8", "replace")
    lines = _lines(text)
    plain = _plain_cells(lines)
    code, shell = _separated(lines, plain)
    try:
        return NotebookFile(source, _tree(source.path, code), lines, shell)
    except ParseError:
        code, unread = _readable(source.path, code, lines)
    return NotebookFile(source, _tree(source.path, code), lines, shell, unread)


def _tree(path: str, code: list[str]) -> ast.Module:
    return python.parse(SourceFile(path, "\n".join(code).encode("utf-8", "replace"))).tree


def _readable(path: str, code: list[str], lines: list[_Line]) -> tuple[list[str], tuple[str, ...]]:
    """The code without the cells that cannot be read, and why those cannot. Raises ParseError where no cell can."""
    kept: list[str] = []
    unread: list[str] = []
    some = False
    for cell, group in groupby(enumerate(lines), key=lambda pair: pair[1].cell):
        own = [code[at] for at, _ in group]
        try:
            _tree(path, own)
            some = some or any(map(str.strip, own))
        except ParseError as error:
            unread.append(f"cell {cell}: {error.reason}")
            own = [""] * len(own)
        kept += own
    if not some:
        raise ParseError("; ".join(unread[:3]))
    return kept, tuple(unread)


def _separated(lines: list[_Line], plain: frozenset[int]) -> tuple[list[str], list[list[_Shell]]]:
    """The notebook's lines as lines of Python, and the pieces of shell code among them."""
    code: list[str] = []
    shell: list[list[_Shell]] = []
    for cell, group in groupby(enumerate(lines, 1), key=lambda pair: pair[1].cell):
        numbered = [(number, line.text) for number, line in group]
        telling = (at for at, (_, text) in enumerate(numbered) if text.strip() and not text.lstrip().startswith("#"))
        head = next(telling, 0)
        magic = numbered[head][1]
        if cell in plain:
            code += [text for _, text in numbered]
        elif magic.startswith("%%") and not magic.startswith(_PYTHON_CELL):
            code += [""] * len(numbered)
            if _SHELL_CELL.match(magic):
                shell.append([_Shell(text, number, 0) for number, text in numbered[head + 1 :]])
        else:
            code += _without_magics(numbered, shell)
    return code, shell


def _without_magics(numbered: list[tuple[int, str]], shell: list[list[_Shell]]) -> Iterator[str]:
    """The lines of a cell with magics replaced; the shell code that they hold is added to ``shell``."""
    goes_on = False
    for number, text in numbered:
        if goes_on:
            shell[-1].append(_Shell(text, number, 0))
            yield ""
        elif _MAGIC.match(text):
            called = _SHELL_MAGIC.match(text)
            if called:
                shell.append([_Shell(text[called.end() :], number, called.end())])
            goes_on = called is not None
            yield text[: len(text) - len(text.lstrip())] + "pass"
        else:
            yield _ASSIGN_MAGIC.sub(r"\1None", text)
        goes_on = goes_on and text.endswith("\\")


def _plain_cells(lines: list[_Line]) -> frozenset[int]:
    """Cells that are Python as they stand, though a line looks like a magic: ``% (a, b)`` or ``!= c`` goes on with the
    line before it."""
    found: set[int] = set()
    for cell, group in groupby(lines, key=lambda line: line.cell):
        texts = [line.text for line in group]
        if not any(_MAGIC.match(text) or _ASSIGN_MAGIC.match(text) for text in texts):
            continue
        try:
            parsers.python("\n".join(texts))
        except (SyntaxError, ValueError):
            continue
        found.add(cell)
    return frozenset(found)


class NotebookFile(python.PythonFile):
    """The code cells of a notebook. Positions are those of the .ipynb file itself."""

    def __init__(
        self,
        source: SourceFile,
        tree: ast.Module,
        lines: list[_Line],
        shell: list[list[_Shell]],
        unread: tuple[str, ...] = (),
    ) -> None:
        self._lines = lines
        self.unread = unread
        self._pieces = shell
        self._columns: dict[int, list[int]] = {}
        super().__init__(source, tree, Kind.NOTEBOOK)

    def offset(self, line: int, column: int) -> int:
        if line not in self._columns:
            self._columns[line] = self._read_columns(line)
        columns = self._columns[line]
        return columns[min(column, len(columns) - 1)]

    def _read_columns(self, line: int) -> list[int]:
        """For every byte of a line of code, and for its end, where that is in the file."""
        item, text = self._lines[line - 1], self._text
        at, place = item.raw_start, self._starts[line - 1]
        columns: list[int] = []
        for char in item.text:
            columns += [place] * _width(char)
            if at < item.raw_end:
                size = _raw_size(text, at, char)
                place += size if text[at] == "\\" else _width(text[at])
                at += size
        return [*columns, place]

    @cached_property
    def _starts(self) -> list[int]:
        """For every line of code the byte of the file that it begins at."""
        starts: list[int] = []
        at, place = 0, 0
        for item in self._lines:
            place += len(self._text[at : item.raw_start].encode("utf-8", "replace"))
            at = item.raw_start
            starts.append(place)
        return starts

    @cached_property
    def _text(self) -> str:
        return self.source.view.decode("utf-8", "replace")

    @cached_property
    def _codec(self) -> str | None:
        return None

    def _line(self, offset: int) -> _Line:
        """The line of code that an offset in the file lies in."""
        return self._lines[bisect_right(self._starts, offset) - 1]

    def cell(self, where: Any) -> int | None:
        return self._line(self.span(getattr(where, "where", where)).start).cell

    def snippet(self, span: Span) -> str:
        return self._line(span.start).text.strip()

    @cached_property
    def _shell(self) -> list[_Piece]:
        return [_Piece.of(lines) for lines in self._pieces]

    def _place(self, span: Span, piece: _Piece) -> Span:
        """Where in the notebook a span of a piece of shell code is."""

        def offset(at: int) -> int:
            index = bisect_right(piece.starts, at, hi=len(piece.lines)) - 1
            line = piece.lines[index]
            return self.offset(line.number, line.column + at - piece.starts[index])

        return Span(offset(span.start), offset(span.end))

    @cached_property
    def commands(self) -> list[Command]:
        return [*super().commands, *(command for command, _ in self._escapes)]

    @cached_property
    def _escapes(self) -> list[tuple[Command, bool]]:
        """Commands in shell code, each with whether the notebook goes on if it fails: a cell of shell code ends with an
        error then, ``!command`` only prints one."""
        found = []
        for piece in self._shell:
            for command in piece.file.commands:
                words = tuple(Word(word.text, self._place(word.where, piece)) for word in command.words)
                goes_on = piece.lines[0].column > 0 or piece.file.failure_is_handled(command)
                found.append((Command(words, self._place(command.where, piece)), goes_on))
        return found

    def failure_is_handled(self, command: Command) -> bool:
        """Whether the notebook goes on when this command, in shell code, fails."""
        return any(goes_on and other == command for other, goes_on in self._escapes)

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = list(super().env_sets)
        for piece in self._shell:
            found += [EnvSet(item.name, item.value, self._place(item.where, piece)) for item in piece.file.env_sets]
        for number, line in enumerate(self._lines, 1):
            magic = _ENV_MAGIC.match(line.text)
            if magic:
                value = None if "$" in magic[2] or "{" in magic[2] else magic[2]
                end = len(line.text.encode("utf-8", "replace"))
                found.append(EnvSet(magic[1], value, Span(self.offset(number, 0), self.offset(number, end))))
        return found
