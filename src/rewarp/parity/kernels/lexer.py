"""C-family text as preprocessing tokens: stretches of code between directives, what stands in braces folded away.

Kernels are defined at file scope, so the inside of a function, a class or a table is of no interest: it becomes one
token. Only namespaces and `extern "C"` stay open.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from rewarp.lang.cpp.conditions import OPENING
from rewarp.lang.cpp.directives import Directive
from rewarp.lang.cpp.file import check_depth
from rewarp.lang.cpp.preprocessor import Item
from rewarp.lang.cpp.tokens import Token, logical_lines, names_in
from rewarp.parity.kernels.tokens import BODY, GROUP, Statement, is_macro_like
from rewarp.source import SourceFile

_KEPT_OPEN = frozenset({"__global__", "__kernel"})
"""Braces around one of these may be a scope, whatever stands before them."""
_BRANCHES = frozenset({*OPENING, "elif", "elifdef", "elifndef", "else", "endif"})
_KNOWN_IN_BODIES = _BRANCHES | {"pragma", "line", "error", "warning", ""}
_BEFORE_BODY = frozenset({")", "const", "noexcept"})
_TYPE_WORDS = (["struct"], ["class"], ["union"], ["enum"])
_LOOKED_BACK = 6
_LONG_RUN = 64
_BETWEEN_NUMBERS = frozenset({",", "-", "+"})
_Place = tuple[int, int]
"""A row of tokens, and the column in it."""
_END = Token("mark", ";", 0, False)
_WHOLE = frozenset({";", BODY})
_ENDS = _WHOLE | {"{", "}"}


@lru_cache(maxsize=20_000)
def read(data: bytes) -> tuple[Item, ...]:
    """The items of a file in order. Raises ParseError for what nests without end."""
    check_depth(SourceFile("", data))
    return _items(_folded(logical_lines(data)))


def _is_directive(line: list[Token]) -> bool:
    return line[0].text == "#"


def _word(line: list[Token]) -> str:
    return line[1].text if len(line) > 1 else ""


def _folded(lines: list[list[Token]]) -> list[list[Token]]:
    """The lines with braces as one token each; they take the directives inside them along."""
    braces = _Braces()
    for number, line in enumerate(lines):
        if _is_directive(line):
            braces.directive(_word(line))
        else:
            braces.code(number, line)
    kept: list[list[Token]] = []
    row, column = 0, 0
    before: list[Token] = []
    while row < len(lines):
        line = lines[row]
        if column == 0 and _is_directive(line):
            kept.append([*line[:2], *fold_braces(line[2:])])
            row += 1
            continue
        out: list[Token] = []
        while column < len(line):
            token = line[column]
            if token.text == "{" and (fold := _fold(before)) and (end := braces.ends.get((row, column))):
                out.append(token._replace(text=fold))
                row, column = end
                line = lines[row]
            else:
                out.append(token)
            before = [*before[-_LOOKED_BACK:], out[-1]]
            column += 1
        kept.append(out)
        row, column = row + 1, 0
    return kept


def fold_braces(tokens: list[Token]) -> list[Token]:
    """The same for the tokens of one line, such as a macro's body."""
    braces = _Braces()
    braces.code(0, tokens)
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.text == "{" and (fold := _fold(out)) and (end := braces.ends.get((0, at))):
            out.append(token._replace(text=fold))
            at = end[1]
        else:
            out.append(token)
        at += 1
    return out


def _fold(before: list[Token]) -> str | None:
    """The token that braces become, by what stands before them; None for a scope that stays open."""
    if not before:
        return None
    texts = [token.text for token in before[-_LOOKED_BACK:]]
    if texts[-1] in _BEFORE_BODY:
        return BODY
    if texts[-1].endswith('"') or "namespace" in texts[_last(texts, ";", "}", BODY) :]:
        return None
    # `BEGIN_NAMESPACE {`: a macro may open a scope.
    is_macro_like = texts[-1].isupper() and texts[-1].isidentifier() and texts[-2:-1] not in _TYPE_WORDS
    return None if is_macro_like else GROUP


def _last(texts: list[str], *ends: str) -> int:
    return max((at + 1 for at, text in enumerate(texts) if text in ends), default=0)


class _Braces:
    """Where braces close, found in one pass over the lines: looking for the end of each would read bodies within bodies
    again and again. A brace has no end where that is not sure or where the braces hold more than a body.

    Braces and conditions cut through each other, and are matched in the one order in which they stand: a tree of conditions would
    have to be taken apart into it again."""

    def __init__(self) -> None:
        self.ends: dict[_Place, _Place] = {}
        self._depth = 0
        self._open: list[tuple[_Place, int, int]] = []
        """Braces that may still get an end: the place, the depth around it, the number of `#if` around it."""
        self._branches: list[tuple[int, int | None]] = []
        """For each open `#if`: the depth before it, and the depth after its first branch."""

    def code(self, row: int, line: list[Token]) -> None:
        for column, token in enumerate(line):
            if token.text == "{":
                self._open.append(((row, column), self._depth, len(self._branches)))
                self._depth += 1
            elif token.text == "}":
                self._depth -= 1
                self._close((row, column))
            elif token.text in _KEPT_OPEN:
                self._open.clear()

    def _close(self, end: _Place) -> None:
        if self._open and self._open[-1][1] == self._depth:
            start, _, around = self._open.pop()
            if around == len(self._branches):
                self.ends[start] = end

    def directive(self, word: str) -> None:
        if word not in _KNOWN_IN_BODIES:
            self._open.clear()
        elif word in OPENING:
            self._branches.append((self._depth, None))
        elif word in _BRANCHES:
            self._next_branch(is_last=word == "endif")

    def _next_branch(self, *, is_last: bool) -> None:
        while self._open and self._open[-1][2] >= len(self._branches):
            self._open.pop()
        if not self._branches:
            return
        before, first = self._branches.pop()
        if first is not None and first != self._depth:
            self._open.clear()
        if not is_last:
            self._branches.append((before, self._depth))
            self._depth = before


def _items(lines: list[list[Token]]) -> tuple[Item, ...]:
    items: list[Item] = []
    pending: list[Token] = []
    for line in lines:
        if not _is_directive(line):
            pending += line
            continue
        items += _statements(pending)
        pending = []
        items.append(Directive(_word(line), tuple(line[2:]), line[0].line))
    items += _statements(pending)
    return tuple(items)


def _statements(tokens: list[Token]) -> Iterator[Statement]:
    """Code between two directives, statement by statement."""
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth <= 0 and token.text in _ENDS:
            yield _code(tokens[start : at + 1], is_whole=token.text in _WHOLE)
            depth, start = 0, at + 1
    if start < len(tokens):
        yield _code(tokens[start:], is_whole=False)


def _code(tokens: list[Token], *, is_whole: bool) -> Statement:
    tokens = _without_tables(tokens)
    is_call = len(tokens) > 2 and tokens[1].text == "(" and is_macro_like(tokens[0].text)
    return Statement(tuple(tokens), names_in(tokens), is_whole, is_call)


def _without_tables(tokens: list[Token]) -> list[Token]:
    """The tokens with long runs of numbers as one: data written between two macros, with no braces to fold."""
    if len(tokens) < _LONG_RUN:
        return tokens
    kept: list[Token] = []
    run: list[Token] = []
    for token in [*tokens, _END]:
        if token.text[0].isdigit() or token.text in _BETWEEN_NUMBERS:
            run.append(token)
            continue
        kept += run if len(run) < _LONG_RUN else [run[0]._replace(text=GROUP)]
        run = []
        kept.append(token)
    return kept[:-1]
