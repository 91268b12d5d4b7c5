"""A source file as it is: original bytes, spans in bytes, lines, encoding kept.

Everything that reads code works on ``SourceFile.view``: the bytes themselves for every
ASCII-compatible encoding (UTF-8, Latin-1, ...), a UTF-8 rendering for the others (UTF-16).
A byte-order mark is no part of it: no reader trips over it, and nothing can be put before it.
``original()`` maps a span in the view back to the bytes on disk, and ``restored()`` a whole view,
so an edit never touches a byte it did not mean to.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rewarp.errors import BinarySource, DecodeError

_NEWLINE = re.compile(rb"\r\n|\r|\n")
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SEPARATORS = bytes(byte if chr(byte).isascii() and (chr(byte).isalnum() or byte == 95) else 32 for byte in range(256))
_SNIFF = 8192
_LONG_LINE = 1_000


def words_of(data: bytes) -> list[bytes]:
    """What ``\\w+`` finds, several times as fast."""
    return data.translate(_SEPARATORS).split()


class Span(NamedTuple):
    """Half-open range of byte offsets."""

    start: int
    end: int


class Position(NamedTuple):
    """1-based line, 1-based column in characters."""

    line: int
    column: int


@dataclass(frozen=True)
class SourceFile:
    """One file: where it is (relative, with forward slashes) and its bytes on disk."""

    path: str
    data: bytes

    @cached_property
    def bom(self) -> bytes:
        return next((bom for bom, _ in BOMS if self.data.startswith(bom)), b"")

    @cached_property
    def encoding(self) -> str:
        """The encoding the bytes are in. Latin-1 is the lossless last resort."""
        for bom, name in BOMS:
            if self.data.startswith(bom):
                return name
        if b"\0" in self.data[:_SNIFF]:
            raise BinarySource("binary file: it holds NUL bytes")
        if self.data.isascii():
            return "utf-8"
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError:
            return "latin-1"
        return "utf-8"

    @cached_property
    def view(self) -> bytes:
        """What lexers read. Equal to ``data`` unless that has a byte-order mark."""
        if self._is_ascii_compatible:
            return self.data[len(self.bom) :] if self.bom else self.data
        try:
            return self.data[len(self.bom) :].decode(self.encoding).encode("utf-8")
        except UnicodeError as error:
            raise DecodeError(f"not valid {self.encoding}: {error}") from None

    @cached_property
    def _is_ascii_compatible(self) -> bool:
        return not self.encoding.startswith(("utf-16", "utf-32"))

    def encoded(self, text: bytes) -> bytes:
        """What stands on disk for a part of a view."""
        return text if self._is_ascii_compatible else text.decode("utf-8").encode(self.encoding)

    def restored(self, view: bytes) -> bytes:
        """The bytes on disk of a file with another view."""
        return self.bom + self.encoded(view)

    def original(self, span: Span) -> Span:
        """The span on disk that a span in ``view`` stands for."""
        mark = len(self.bom)
        if not self._is_ascii_compatible:
            span = Span(*map(self._encoded_before, span))
        return Span(mark + span.start, mark + span.end) if mark else span

    def _encoded_before(self, offset: int) -> int:
        """How many bytes stand on disk for the view up to a place. Places are mostly asked for in order."""
        known, size = self._mapped
        if offset < known:
            known = size = 0
        size += len(self.view[known:offset].decode("utf-8", "ignore").encode(self.encoding))
        self._mapped[:] = offset, size
        return size

    @cached_property
    def _mapped(self) -> list[int]:
        return [0, 0]

    def viewed(self, span: Span) -> Span:
        """The span in ``view`` of a span on disk: the way back from ``original()``."""
        mark = len(self.bom)
        if not self._is_ascii_compatible:
            return Span(*(len(self.data[mark:at].decode(self.encoding, "ignore").encode("utf-8")) for at in span))
        return Span(span.start - mark, span.end - mark) if mark else span

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset in ``view`` of the first byte of each line."""
        if b"\r" not in self.view:
            starts = [0]
            find, at = self.view.find, self.view.find(b"\n")
            while at != -1:
                starts.append(at + 1)
                at = find(b"\n", at + 1)
            return starts
        return [0, *(match.end() for match in _NEWLINE.finditer(self.view))]

    def line_span(self, line: int) -> Span:
        """Span in ``view`` of a 1-based line, without its line ending."""
        starts = self.line_starts
        start = starts[line - 1]
        end = starts[line] if line < len(starts) else len(self.view)
        while end > start and self.view[end - 1] in b"\r\n":
            end -= 1
        return Span(start, end)

    def line_text(self, line: int) -> str:
        return self.text(self.line_span(line))

    def text(self, span: Span) -> str:
        """The characters of a span in ``view``."""
        raw = self.view[span.start : span.end]
        return raw.decode("latin-1" if self.encoding == "latin-1" else "utf-8", "replace")

    def line_at(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)

    def position(self, offset: int) -> Position:
        line = self.line_at(offset)
        start = self.line_starts[line - 1]
        if self._is_ascii:
            return Position(line, offset - start + 1)
        # Places of one line are mostly asked for in order: what was counted for the last need not be counted again.
        column = 1
        if self._counted and self._counted[0] == line and self._counted[1] <= offset:
            _, start, column = self._counted
        column += len(self.text(Span(start, offset)))
        self._counted[:] = (line, offset, column)
        return Position(line, column)

    @cached_property
    def _is_ascii(self) -> bool:
        return self.view.isascii()

    @cached_property
    def _counted(self) -> list[int]:
        """The last place whose column was counted: its line, offset and column."""
        return []

    def snippet(self, line: int) -> str:
        """A line for a person to read, without the blanks around it. Of a very long one only the beginning: thousands of
        findings may stand on it."""
        found = self._snippets.get(line)
        if found is None:
            start, end = self.line_span(line)
            text = self.line_text(line) if end - start <= _LONG_LINE else self._beginning(start, end)
            found = self._snippets[line] = text.strip()
        return found

    def _beginning(self, start: int, end: int) -> str:
        text = self.view[start:end].lstrip(b" \t")[: _LONG_LINE + 4]
        return text.decode("latin-1" if self.encoding == "latin-1" else "utf-8", "ignore")[:_LONG_LINE]

    @cached_property
    def _snippets(self) -> dict[int, str]:
        return {}
