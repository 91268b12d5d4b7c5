"""The code of a file as the wave pass asks it: where words stand, which function that is, what a call is given."""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.lexer import REST_OF_LINE, blanked
from rewarp.source import Span
from rewarp.waves.reading.brackets import arguments
from rewarp.waves.reading.functions import Function, definitions
from rewarp.waves.reading.vocabulary import INTRINSIC, LANE_CALL, SHUFFLE_HELPER, VOTE_CALL, VOTE_WORDS, WARP_HELPER

_DIRECTIVE_LINE = re.compile(REST_OF_LINE)
_MACRO = re.compile(rb"\#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\([^)\r\n]*\))?(" + REST_OF_LINE + rb")")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_CALLED = re.compile(rb"\s*(?:<[\w\s,:]*>\s*)?\(")
_HELPER_WORDS = (b"arp", b"ARP", b"subgroup", b"hfl", b"HFL", b"huffle", b"HUFFLE")
_OPENS = re.compile(rb"\s*\(")
_NAME_BACKWARDS = re.compile(rb"[ \t\r\n]*(?:\][^\[]*\[[ \t]*)?(\w*)")
_LOOKED_BACK = 300
_NUMBER = re.compile(rb"(?<!\w)\d+(?!\w)")
_WORD_BYTES = frozenset((string.ascii_letters + string.digits + "_").encode())
_BLANK_BETWEEN = bytes(byte if byte in _WORD_BYTES else 32 for byte in range(256))
_LONG_WORD = 6
_LONGEST_NAME = 40
_LONGEST_WORD = 120
"""Longer ones are generated, and nobody's name for a lane."""


class Code:
    """The code of one file and where its functions are."""

    def __init__(self, document: CodeFile) -> None:
        self.document = document
        self.text = document.code
        self._known_places: dict[bytes, list[int]] = {}
        self._known_lines: dict[tuple[bytes, ...], list[Span]] = {}
        self._lines: dict[int, Span] = {}
        self._known_arguments: dict[int, list[Span]] = {}

    @cached_property
    def functions(self) -> list[Function]:
        """Every function definition and every macro, in file order; none lies inside another."""
        parts: list[bytes] = []
        found: list[Function] = []
        done = 0
        for at in self._places_of(b"#"):
            if at < done or self.text[self.text.rfind(b"\n", 0, at) + 1 : at].strip():
                continue
            line = _DIRECTIVE_LINE.match(self.text, at)
            end = line.end() if line else at + 1
            macro = _MACRO.match(self.text, at)
            if macro and macro[2].strip():
                found.append(Function(macro[1].decode(), Span(at, macro.start(2)), Span(*macro.span(2)), True))
            parts += (self.text[done:at], blanked(self.text[at:end]))
            done = end
        found += definitions(b"".join((*parts, self.text[done:])))
        return sorted(found, key=lambda function: function.head)

    @cached_property
    def function_names(self) -> frozenset[str]:
        return frozenset(function.name for function in self.functions)

    @cached_property
    def _starts(self) -> list[int]:
        return [function.head.start for function in self.functions]

    def function_at(self, at: int) -> Function | None:
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and self.functions[index].holds(at):
            return self.functions[index]
        return None

    def offsets_of(self, *words: bytes) -> list[int]:
        """Where any of these words stands, in order. Letters may be part of a longer name, numbers stand for themselves."""
        lists = [found for word in words if (found := self._places_of(word))]
        if len(lists) < 2:
            return lists[0] if lists else []
        return sorted(set(lists[0]).union(*lists[1:]))

    def places_in(self, where: Span, *words: bytes) -> list[int]:
        found = self.offsets_of(*words)
        return found[bisect_left(found, where.start) : bisect_left(found, where.end)]

    def _places_of(self, word: bytes) -> list[int]:
        """Searching for plain bytes is many times as fast as any pattern, and many finders ask for the same ones."""
        found = self._known_places.get(word)
        if found is None:
            search = _search(word)
            if search.number != word:
                places = [at - search.offset for at in self._places_of(search.number)]
                found = [at for at in places if at >= 0 and self.text.startswith(word, at)]
            elif search.longest not in self._vocabulary:
                found = []
            elif search.pattern:
                found = [match.start() for match in search.pattern.finditer(self.text)]
            else:
                found = self._searched(word)
            self._known_places[word] = found
        return found

    def _searched(self, word: bytes) -> list[int]:
        found: list[int] = []
        at = self.text.find(word)
        while at >= 0:
            found.append(at)
            at = self.text.find(word, at + len(word))
        return found

    @cached_property
    def _vocabulary(self) -> bytes:
        """Every name of the file once: most of the words that are asked for stand in none of them."""
        return b" ".join(set(self.text.translate(_BLANK_BETWEEN).split()))

    def lines_with(self, *words: bytes) -> list[Span]:
        """The lines on which any of these words stands, in order."""
        found = self._known_lines.get(words)
        if found is None:
            found = self._known_lines[words] = []
            last = -1
            for at in self.offsets_of(*words):
                if at >= last:
                    line = self.line(at)
                    found.append(line)
                    last = line.end
        return found

    def line(self, at: int) -> Span:
        """The line of a place; many finders ask for the same ones."""
        line = self._lines.get(at)
        if line is None:
            end = self.text.find(b"\n", at)
            line = self._lines[at] = Span(self.text.rfind(b"\n", 0, at) + 1, end if end >= 0 else len(self.text))
        return line

    @cached_property
    def intrinsics(self) -> list[tuple[int, bytes]]:
        """Every name of CUDA's warp functions, with its place."""
        found = [(match.start(), match[0]) for match in INTRINSIC.finditer(self.text)]
        found += [(match.start(), self.word_at(match.start())) for match in LANE_CALL.finditer(self.text)]
        return sorted(found)

    def intrinsics_in(self, start: int, end: int) -> list[tuple[int, bytes]]:
        found = self.intrinsics
        return found[bisect_left(found, (start, b"")) : bisect_left(found, (end, b""))]

    def lines_in(self, start: int, end: int, *words: bytes) -> list[Span]:
        """The lines of a stretch of code on which any of these words stands."""
        lines = self.lines_with(*words)
        first = bisect_left(lines, (start, start))
        if first and lines[first - 1].end > start:
            first -= 1
        found = lines[first : bisect_left(lines, (end, end))]
        # A function may begin or end in the middle of a line.
        if found and found[0].start < start:
            found[0] = Span(start, found[0].end)
        if found and found[-1].end > end:
            found[-1] = Span(found[-1].start, end)
        return found

    def calls(
        self, names: re.Pattern[bytes], start: int = 0, end: int | None = None
    ) -> Iterator[tuple[bytes, int, int]]:
        """(name, its place, the place of the bracket) of the calls of intrinsics with such names."""
        for at, name in self.intrinsics_in(start, len(self.text) if end is None else end):
            if names.fullmatch(name) and (bracket := _OPENS.match(self.text, at + len(name))):
                yield name, at, bracket.end() - 1

    def arguments(self, bracket: int) -> list[Span]:
        """The arguments of a call; several finders look at the same ones."""
        found = self._known_arguments.get(bracket)
        if found is None:
            found = self._known_arguments[bracket] = arguments(self.text, bracket)
        return found

    @cached_property
    def _votes(self) -> list[int]:
        """Where a vote over the warp is taken."""
        return [
            at
            for at in self.offsets_of(*VOTE_WORDS)
            if VOTE_CALL.search(self.text, max(0, at - _LONGEST_NAME), at + _LONGEST_NAME)
        ]

    def has_votes(self, start: int, end: int) -> bool:
        return bisect_left(self._votes, start) < bisect_left(self._votes, end)

    @cached_property
    def warp_calls(self) -> list[tuple[int, bytes]]:
        """Calls of functions whose names say that they work on a warp; not those of a tile's methods."""
        found: list[tuple[int, bytes]] = []
        for at in self.offsets_of(*_HELPER_WORDS):
            name = self.word_at(at)
            if not (SHUFFLE_HELPER.fullmatch(name) or WARP_HELPER.fullmatch(name)):
                continue
            start = self.text.rfind(name, 0, at + len(name))
            if self.text[start - 1 : start] not in (b".", b">") and _CALLED.match(self.text, start + len(name)):
                found.append((start, name))
        return found

    def is_word(self, at: int, word: bytes) -> bool:
        """Whether what stands here is the whole word, not a part of a longer one."""
        end = at + len(word)
        before = at > 0 and self.text[at - 1] in _WORD_BYTES
        return not before and not (end < len(self.text) and self.text[end] in _WORD_BYTES)

    def warp_calls_in(self, where: Span) -> list[tuple[int, bytes]]:
        found = self.warp_calls
        return found[bisect_left(found, (where.start, b"")) : bisect_left(found, (where.end, b""))]

    def word_at(self, at: int) -> bytes:
        """The whole name around a place."""
        start, floor = at, max(0, at - _LONGEST_WORD)
        while start > floor and self.text[start - 1] in _WORD_BYTES:
            start -= 1
        match = _WORD.match(self.text, start, at + _LONGEST_WORD)
        return match[0] if match else b""

    def name_before(self, at: int, floor: int) -> Span:
        """The name that ends before a place, blanks and one index in brackets left out; empty where there is none."""
        match = _NAME_BACKWARDS.match(self.text[max(floor, at - _LOOKED_BACK) : at][::-1])
        start, end = match.span(1) if match else (0, 0)
        return Span(at - end, at - start)

    def slice(self, span: Span) -> bytes:
        return self.text[span.start : span.end]


class _Search(NamedTuple):
    """How to look for a word."""

    pattern: re.Pattern[bytes] | None
    """Faster than ``find`` where a word is short; others, such as names of functions, are not worth compiling."""
    longest: bytes
    """The longest name or number in it."""
    number: bytes
    """The number in it: its places are known, or asked for again; without one, the word itself."""
    offset: int
    """Where in the word that number stands."""


@lru_cache(maxsize=1024)
def _search(word: bytes) -> _Search:
    longest = max(word.translate(_BLANK_BETWEEN).split(), key=len, default=b"")
    number = _NUMBER.search(word)
    alone = rb"(?<![\w.]" + word + rb")(?!\d)" if word.isdigit() else b""
    return _Search(
        re.compile(re.escape(word) + alone) if alone or len(word) < _LONG_WORD else None,
        longest,
        number[0] if number else word,
        number.start() if number else 0,
    )


def parameters(code: Code, function: Function) -> list[bytes]:
    """The names of a function's parameters, or a macro's, in order."""
    bracket = code.text.find(function.name.encode() + b"(", *function.head)
    if bracket < 0:
        return []
    given = code.arguments(bracket + len(function.name))
    words = (_WORD.findall(code.slice(span).partition(b"=")[0]) for span in given)
    return [found[-1] if found else b"" for found in words]
