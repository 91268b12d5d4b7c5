"""The statements of a C++ function, as far as control flow goes; expressions stay tokens."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Union

from rewarp.parity.cpp.reading.tokens import ELSE_UNKNOWN, END_UNKNOWN, IF_UNKNOWN, Tokens

Expression = tuple[int, int]
"""A range of tokens."""


@dataclass(frozen=True)
class Simple:
    """An expression or a declaration."""

    what: Expression


@dataclass(frozen=True)
class Return:
    what: Expression


@dataclass(frozen=True)
class Throw:
    what: Expression


@dataclass(frozen=True)
class Jump:
    """`break`, `continue` or `goto`."""

    word: str


@dataclass(frozen=True)
class Block:
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class If:
    test: Expression | None
    """None: the preprocessor decides, and how is not known."""
    then: Statement
    otherwise: Statement | None


@dataclass(frozen=True)
class Loop:
    head: Expression
    body: Statement
    at_least_once: bool = False


@dataclass(frozen=True)
class Label:
    """`case X:` (one for each label) or `default:` (None)."""

    value: Expression | None


@dataclass(frozen=True)
class Switch:
    on: Expression
    items: tuple[Union[Label, Statement], ...]
    at: int


Statement = Union[Simple, Return, Throw, Jump, Block, If, Loop, Switch]
_DEEP = 120
_WORD = re.compile(r"[A-Za-z_]\w*\Z")


def text_is_macro(name: str) -> bool:
    return name.isupper() and len(name) > 2


def parse(tokens: Tokens, body: tuple[int, int], branching: Container[str] = ()) -> Block:
    """The statements between two tokens. What follows a `branching` macro without a `;` may not be reached."""
    return _Parser(tokens, branching).block(*body, 0)


class _Parser:
    def __init__(self, tokens: Tokens, branching: Container[str]) -> None:
        self.branching = branching
        self.partner = tokens.partner
        self.text = tokens.list.__getitem__

    def block(self, at: int, end: int, depth: int) -> Block:
        found: list[Statement] = []
        while at < end:
            statement, at = self.statement(at, end, depth + 1)
            if statement is not None:
                found.append(statement)
        return Block(tuple(found))

    def statement(self, at: int, end: int, depth: int) -> tuple[Statement | None, int]:
        text = self.text(at)
        if depth > _DEEP or text == ";":
            return None, at + 1 if depth <= _DEEP else end
        if text == "{":
            close = min(self.partner.get(at, end), end)
            return self.block(at + 1, close, depth), close + 1
        if text == IF_UNKNOWN:
            return self._preprocessed(at, end, depth)
        if text in (ELSE_UNKNOWN, END_UNKNOWN):
            return None, at + 1
        if text == "if":
            return self._if(at, end, depth)
        if text in ("for", "while"):
            return self._loop(at, end, depth)
        if text == "do":
            body, at = self._one(at + 1, end, depth)
            stop = self._end(at, end)
            return Loop((at, stop), body, at_least_once=True), stop + 1
        if text == "switch":
            return self._switch(at, end, depth)
        if text == "try":
            return self._try(at, end, depth)
        if text in ("break", "continue", "goto"):
            return Jump(text), self._end(at, end) + 1
        if text in ("return", "co_return", "throw"):
            stop = self._end(at, end)
            return (Throw if text == "throw" else Return)((at + 1, stop)), stop + 1
        if self.text(at + 1) == "(" and (found := self._bare_macro(at, end, depth)):
            return found
        stop = self._end(at, end)
        return Simple((at, stop)), stop + 1

    def _bare_macro(self, at: int, end: int, depth: int) -> tuple[Statement, int] | None:
        """`MACRO(…)` without a `;`: a statement of its own, and perhaps the head of what follows."""
        close = self.partner.get(at + 1, end)
        following = self.text(close + 1)
        if close + 1 >= end or not (following == "{" or _WORD.match(following)) or not text_is_macro(self.text(at)):
            return None
        call: Statement = Simple((at, close + 1))
        if self.text(at) not in self.branching:
            return call, close + 1
        after, stop = self._one(close + 1, end, depth)
        return Block((call, If(None, after, None))), stop

    def _one(self, at: int, end: int, depth: int) -> tuple[Statement, int]:
        statement, at = self.statement(at, end, depth + 1)
        return statement or Block(()), at

    def _end(self, at: int, end: int) -> int:
        """The `;` that ends a statement."""
        while at < end:
            text = self.text(at)
            if text == ";":
                return at
            if text in (IF_UNKNOWN, ELSE_UNKNOWN, END_UNKNOWN):
                return at - 1 if self.text(at - 1) == ";" else at
            at = max(self.partner.get(at, at), at) + 1 if text in ("(", "[", "{") else at + 1
        return end

    def _head(self, at: int, end: int) -> tuple[Expression, int]:
        """What stands in the parentheses from here on, and what comes after them."""
        while at < end and self.text(at) != "(":
            at += 1
        close = min(self.partner.get(at, end), end)
        return (at + 1, close), close + 1

    def _if(self, at: int, end: int, depth: int) -> tuple[Statement, int]:
        test, at = self._head(at, end)
        then, at = self._one(at, end, depth)
        otherwise = None
        if self.text(at) == "else" and at < end:
            otherwise, at = self._one(at + 1, end, depth)
        return If(test, then, otherwise), at

    def _loop(self, at: int, end: int, depth: int) -> tuple[Statement, int]:
        head, at = self._head(at, end)
        body, at = self._one(at, end, depth)
        return Loop(head, body), at

    def _try(self, at: int, end: int, depth: int) -> tuple[Statement, int]:
        body, at = self._one(at + 1, end, depth)
        while self.text(at) == "catch" and at < end:
            _, at = self._head(at, end)
            _, at = self._one(at, end, depth)
        return body, at

    def _preprocessed(self, at: int, end: int, depth: int) -> tuple[Statement, int]:
        """`#if` to `#endif`, of which any branch may be what is compiled."""
        branches: list[Block] = []
        alternative = False
        found: list[Statement] = []
        at += 1
        while at < end and self.text(at) != END_UNKNOWN:
            if self.text(at) == ELSE_UNKNOWN:
                branches.append(Block(tuple(found)))
                found, alternative = [], True
                at += 1
                continue
            statement, at = self.statement(at, end, depth + 1)
            if statement is not None:
                found.append(statement)
        branches.append(Block(tuple(found)))
        last: Statement | None = branches.pop() if alternative else None
        for branch in reversed(branches):
            last = If(None, branch, last)
        return last or Block(()), at + 1

    def _switch(self, at: int, end: int, depth: int) -> tuple[Statement, int]:
        start = at
        on, at = self._head(at, end)
        if self.text(at) != "{":
            body, at = self._one(at, end, depth)
            return body, at
        close = min(self.partner.get(at, end), end)
        items: list[Label | Statement] = []
        at += 1
        while at < close:
            text = self.text(at)
            if text in ("case", "default"):
                colon = self._colon(at + 1, close)
                items.append(Label((at + 1, colon) if text == "case" else None))
                at = colon + 1
                continue
            statement, at = self.statement(at, close, depth + 1)
            if statement is not None:
                items.append(statement)
        return Switch(on, tuple(items), start), close + 1

    def _colon(self, at: int, end: int) -> int:
        while at < end and self.text(at) != ":":
            at = max(self.partner.get(at, at), at) + 1
        return at
