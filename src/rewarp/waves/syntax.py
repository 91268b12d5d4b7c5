"""As much of C++ as the wave pass needs: functions, calls, operands and declared integers, found in blanked code."""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rewarp.lang.cfamily import CodeFile, blanked
from rewarp.source import Span
from rewarp.waves.vocabulary import INTRINSIC, LANE_CALL, SHUFFLE_HELPER, VOTE_CALL, VOTE_WORDS, WARP_HELPER

_DIRECTIVE_LINE = re.compile(rb"(?:\\\r?\n|[^\r\n])*")
_MACRO = re.compile(rb"\#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\([^)\r\n]*\))?((?:\\\r?\n|[^\r\n])*)")
_BRACE = re.compile(rb"[{}]")
_SCOPE = re.compile(rb"\b(?:namespace|struct|class|union|enum|extern)\b(?![^()]*\()")
_NAMED_HEAD = re.compile(rb"([A-Za-z_~]\w*|operator[^\w\s(]{1,3})\s*(?:<[^<>()]*>\s*)?\(")
_NOT_FUNCTIONS = frozenset(
    b"__launch_bounds__ __attribute__ __declspec decltype alignas noexcept enable_if requires if for while switch "
    b"catch sizeof defined __cluster_dims__ explicit static_assert".split()
)
_BRACKET = re.compile(rb"[()\[\]{}]")
_BRACKET_OR_COMMA = re.compile(rb"[()\[\]{},;]")
_NAME_BEFORE = re.compile(rb"[A-Za-z_]\w*(?:\s*(?:\.|->|::)\s*[A-Za-z_]\w*)*\s*\Z")
_CALLED_BEFORE = re.compile(rb"[A-Za-z_][\w.:]*(?:\s*<[\w\s:,]*>)?\s*\Z")
_NUMBER_BEFORE = re.compile(rb"\b\d\w*\s*\Z")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_CALLED = re.compile(rb"\s*(?:<[\w\s,:]*>)?\s*\(")
_HELPER_WORDS = (b"arp", b"ARP", b"subgroup", b"hfl", b"HFL", b"huffle", b"HUFFLE")
_OPENS = re.compile(rb"\s*\(")
_WORD_BYTES = frozenset((string.ascii_letters + string.digits + "_").encode())
_BLANK_BETWEEN = bytes(byte if byte in _WORD_BYTES else 32 for byte in range(256))
_LOOK_BACK = 200
_LONGEST_NAME = 40
_LONGEST_WORD = 120
"""Longer ones are generated, and nobody's name for a lane."""


@dataclass(frozen=True)
class Function:
    """A function, a method, a lambda's surroundings or a macro with a body."""

    name: str
    head: Span
    body: Span
    is_macro: bool = False

    def holds(self, at: int) -> bool:
        return self.head.start <= at < self.body.end


class Code:
    """The code of one file and where its functions are."""

    def __init__(self, document: CodeFile) -> None:
        self.document = document
        self.text = document.code
        self._known_places: dict[bytes, list[int]] = {}
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
        found += _definitions(b"".join((*parts, self.text[done:])))
        return sorted(found, key=lambda function: function.head)

    @cached_property
    def _starts(self) -> list[int]:
        return [function.head.start for function in self.functions]

    def function_at(self, at: int) -> Function | None:
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and self.functions[index].holds(at):
            return self.functions[index]
        return None

    def places(self, *words: bytes) -> list[int]:
        """Where any of these words stands, in order."""
        if len(words) == 1:
            return self._places_of(words[0])
        return sorted({at for word in words for at in self._places_of(word)})

    def _places_of(self, word: bytes) -> list[int]:
        """Searching for plain bytes is many times as fast as any pattern, and many finders ask for the same ones."""
        found = self._known_places.get(word)
        if found is None:
            found = self._known_places[word] = []
            if word not in self._vocabulary and _WORD_BYTES.issuperset(word):
                return found
            find = self.text.find
            at = find(word)
            while at >= 0:
                found.append(at)
                at = find(word, at + len(word))
        return found

    @cached_property
    def _vocabulary(self) -> bytes:
        """Every name of the file once: most of the words that are asked for stand in none of them."""
        return b" ".join(set(self.text.translate(_BLANK_BETWEEN).split()))

    def lines_with(self, *words: bytes) -> list[Span]:
        """The lines on which any of these words stands, in order."""
        found: list[Span] = []
        for at in self.places(*words):
            if not found or at >= found[-1].end:
                end = self.text.find(b"\n", at)
                found.append(Span(self.text.rfind(b"\n", 0, at) + 1, end if end >= 0 else len(self.text)))
        return found

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
        found: list[Span] = []
        for word in words:
            places = self._places_of(word)
            for at in places[bisect_left(places, start) : bisect_left(places, end)]:
                if not found or not found[-1].start <= at < found[-1].end:
                    after = self.text.find(b"\n", at, end)
                    found.append(Span(max(self.text.rfind(b"\n", start, at) + 1, start), after if after >= 0 else end))
        return sorted(set(found)) if len(words) > 1 else found

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
            for at in self.places(*VOTE_WORDS)
            if VOTE_CALL.search(self.text, max(0, at - _LONGEST_NAME), at + _LONGEST_NAME)
        ]

    def has_votes(self, start: int, end: int) -> bool:
        return bisect_left(self._votes, start) < bisect_left(self._votes, end)

    @cached_property
    def warp_calls(self) -> list[tuple[int, bytes]]:
        """Calls of functions whose names say that they work on a warp; not those of a tile's methods."""
        found: list[tuple[int, bytes]] = []
        for at in self.places(*_HELPER_WORDS):
            name = self.word_at(at)
            if not (SHUFFLE_HELPER.fullmatch(name) or WARP_HELPER.fullmatch(name)):
                continue
            start = self.text.rfind(name, 0, at + len(name))
            if self.text[start - 1 : start] not in (b".", b">") and _CALLED.match(self.text, start + len(name)):
                found.append((start, name))
        return found

    def word_at(self, at: int) -> bytes:
        """The whole name around a place."""
        start, floor = at, max(0, at - _LONGEST_WORD)
        while start > floor and self.text[start - 1] in _WORD_BYTES:
            start -= 1
        match = _WORD.match(self.text, start, at + _LONGEST_WORD)
        return match[0] if match else b""

    def slice(self, span: Span) -> bytes:
        return self.text[span.start : span.end]


def _definitions(text: bytes) -> Iterator[Function]:
    """Functions by their braces. A brace in the first column closes a function whatever the count says."""
    brace = _BRACE.search(text)
    while brace:
        at = end = brace.start()
        if text[at] == ord("{") and (head := _head(text, at)):
            end = _body_end(text, at, head[1].start)
            yield Function(*head, Span(at, end))
        brace = _BRACE.search(text, max(end, at + 1))


def _body_end(text: bytes, at: int, head: int) -> int:
    line = text[at : text.find(b"\n", at) % (len(text) + 1)]
    if line.count(b"{") == line.count(b"}"):
        return closing(text, at, len(line))
    last = text.find(b"\n}", at)
    last = last + 2 if last >= 0 else len(text)
    if not head or text[head - 1] in b"\n":
        return last  # what begins in the first column ends there
    return min(closing(text, at, last - at), last)


def _head(text: bytes, brace: int) -> tuple[str, Span] | None:
    """The name and head of the function whose body begins here; None for namespaces, types and initialisers."""
    start = max(text.rfind(end, 0, brace) for end in (b";", b"{", b"}")) + 1
    before = text[start:brace]
    stripped = before.rstrip()
    if b"(" not in before or stripped.endswith((b"=", b",", b"(")) or _SCOPE.search(before):
        return None
    for match in _NAMED_HEAD.finditer(before):
        if match[1] not in _NOT_FUNCTIONS:
            return match[1].decode("utf-8", "replace"), Span(start + len(before) - len(before.lstrip()), brace)
    return None


def closing(code: bytes, at: int, limit: int = 4000) -> int:
    """The offset after the bracket that closes the one at ``at``; where none does, the end of what is looked at."""
    depth = 0
    for match in _BRACKET.finditer(code, at, min(len(code), at + limit)):
        depth += 1 if code[match.start()] in b"([{" else -1
        if depth <= 0:
            return match.end()
    return min(len(code), at + limit)


def arguments(code: bytes, at: int) -> list[Span]:
    """The arguments of a call whose ``(`` stands at ``at``, blanks around them left out."""
    found: list[Span] = []
    depth, start = 0, at + 1
    for match in _BRACKET_OR_COMMA.finditer(code, at, min(len(code), at + 4000)):
        byte = code[match.start()]
        if byte in b"([{":
            depth += 1
        elif byte in b")]}":
            depth -= 1
            if not depth:
                found.append(_stripped(code, start, match.start()))
                break
        elif depth == 1 and byte == ord(","):
            found.append(_stripped(code, start, match.start()))
            start = match.end()
    return [] if len(found) == 1 and found[0].start == found[0].end else found


def _stripped(code: bytes, start: int, end: int) -> Span:
    text = code[start:end]
    return Span(start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip()))


def operand_before(code: bytes, at: int) -> Span:
    """The operand on the left of a binary operator at ``at``: a bracketed expression, a call, a name or a number."""
    end = at
    while end and code[end - 1] in b" \t\r\n":
        end -= 1
    floor = max(0, end - _LOOK_BACK)
    start = end
    if end and code[end - 1] in b")]":
        depth = 0
        for index in range(end - 1, floor - 1, -1):
            byte = code[index]
            if byte in b")]":
                depth += 1
            elif byte in b"([":
                depth -= 1
                if not depth:
                    start = index
                    break
        if named := _CALLED_BEFORE.search(code, max(0, start - 60), start):
            start = named.start()
    elif found := _NAME_BEFORE.search(code, floor, end) or _NUMBER_BEFORE.search(code, floor, end):
        start = found.start()
    return Span(start, end)
