"""``#if`` conditions, simplified by what is certain for NVIDIA's compiler; the rest stays as it is.

A name stands for a macro. What it expands to may hold operators that would bind differently from how the
condition looks, so only names for which the caller vouches are read as operands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Protocol, Union

from rewarp.lang.cpp.tokens import Token

Expression = Union[int, tuple]  # type: ignore[type-arg]
"""A known value; or ("defined", name), ("name", name), ("text", words), ("not", e), ("bool", e), (operator, e, e …)."""

_LEVELS = (
    *(("||",), ("&&",), ("|",), ("^",), ("&",)),
    *(("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%")),
)
"""Operators by how tightly they bind."""
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*|0[xX][0-9a-fA-F]+)[lL]{0,2}")
_ASKED = ("__has_include", "__has_cpp_attribute")
"""Questions that every compiler NVIDIA supports can answer; others are an error to some."""
_SMALL = 1 << 31
_DEEPEST = 60


class Macros(Protocol):
    """What is certain about macros on one side, for NVIDIA's compiler."""

    def is_off(self, name: str) -> bool:
        """It is never defined."""

    def is_zero(self, name: str) -> bool:
        """In a condition it stands for 0: it is never defined, or to nothing else."""

    def is_operand(self, name: str) -> bool:
        """In a condition it stands for one operand."""


class _Nothing:
    """Nothing is certain about any macro: what is the same then is the same whatever is defined."""

    def is_off(self, name: str) -> bool:
        return False

    def is_zero(self, name: str) -> bool:
        return False

    def is_operand(self, name: str) -> bool:
        return False


NOTHING_KNOWN: Final = _Nothing()


class _NotRead(Exception):
    pass


def condition(word: str, tokens: Sequence[Token], macros: Macros) -> Expression | None:
    """The condition of ``#if``, ``#elif``, ``#ifdef`` or ``#ifndef``, simplified; None where it cannot be read."""
    try:
        if word in ("ifdef", "ifndef"):
            if len(tokens) != 1 or tokens[0].kind != "word":
                return None
            asked = _defined(tokens[0].text, macros)
            return asked if word == "ifdef" else _negated(asked)
        reader = _Reader([token.text for token in tokens], macros)
        found = reader.ternary()
        return _truth(found) if reader.at_end else None
    except (_NotRead, RecursionError):
        return None


def text(expression: Expression) -> str:
    """One spelling for all conditions that are the same."""
    if isinstance(expression, int):
        return str(expression)
    head, *rest = expression
    if head in ("name", "text"):
        return str(rest[0])
    if head == "defined":
        return f"defined({rest[0]})"
    if head in ("not", "bool"):
        return f"{head}({text(rest[0])})"
    return "(" + f" {head} ".join(text(part) for part in rest) + ")"


def _defined(name: str, macros: Macros) -> Expression:
    return 0 if macros.is_off(name) else ("defined", name)


def _truth(expression: Expression) -> Expression:
    """The same where only the truth counts."""
    if isinstance(expression, int):
        return int(expression != 0)
    if expression[0] == "not" and isinstance(expression[1], tuple) and expression[1][0] == "not":
        return _truth(expression[1][1])
    if expression[0] == "bool":
        return _truth(expression[1])
    return expression


def _negated(expression: Expression) -> Expression:
    expression = _truth(expression)
    return int(not expression) if isinstance(expression, int) else ("not", expression)


def _joined(operator: str, left: Expression, right: Expression) -> Expression:
    left, right = _truth(left), _truth(right)
    decisive = int(operator == "||")
    for one, other in ((left, right), (right, left)):
        if isinstance(one, int):
            # The value of `a || 0` is 0 or 1, which is that of `a` only where just the truth counts.
            return decisive if one == decisive else other if isinstance(other, int) else ("bool", other)
    return (operator, left, right)


def _computed(operator: str, left: Expression, right: Expression) -> Expression:
    if not isinstance(left, int) or not isinstance(right, int):
        return (operator, left, right)
    compute: dict[str, Callable[[int, int], int]] = {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
    }
    if operator not in compute:
        raise _NotRead
    value = int(compute[operator](left, right))
    if abs(value) >= _SMALL:
        raise _NotRead
    return value


class _Reader:
    def __init__(self, words: list[str], macros: Macros) -> None:
        self.words, self.at, self.depth = words, 0, 0
        self.macros = macros

    @property
    def at_end(self) -> bool:
        return self.at >= len(self.words)

    def _peek(self) -> str:
        return "" if self.at_end else self.words[self.at]

    def _take(self, *texts: str) -> str:
        if self._peek() in texts and not self.at_end:
            self.at += 1
            return self.words[self.at - 1]
        return ""

    def ternary(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _NotRead
        test = self._binary(0)
        if self._peek() == "?":
            raise _NotRead
        self.depth -= 1
        return test

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while operator := self._take(*_LEVELS[level]):
            right = self._binary(level + 1)
            left = _joined(operator, left, right) if level < 2 else _computed(operator, left, right)
        return left

    def _unary(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _NotRead
        try:
            if self._take("!"):
                return _negated(self._unary())
            if self._take("-"):
                return _computed("-", 0, self._unary())
            if self._take("("):
                found = self.ternary()
                if not self._take(")"):
                    raise _NotRead
                return found
            return self._operand()
        finally:
            self.depth -= 1

    def _operand(self) -> Expression:
        word = self._peek()
        self.at += 1
        if _NUMBER.fullmatch(word):
            value = int(word.rstrip("lL"), 0)
            if value >= _SMALL:
                raise _NotRead
            return value
        if word == "defined":
            return self._asked_defined()
        if word in _ASKED:
            return ("text", word + self._arguments())
        if not re.fullmatch(r"[A-Za-z_]\w*", word, re.A) or word in ("true", "false") or self._peek() == "(":
            raise _NotRead
        if self.macros.is_zero(word):
            return 0
        if not self.macros.is_operand(word):
            raise _NotRead
        return ("name", word)

    def _asked_defined(self) -> Expression:
        wrapped = self._take("(")
        name = self._peek()
        self.at += 1
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.A) or (wrapped and not self._take(")")):
            raise _NotRead
        return _defined(name, self.macros)

    def _arguments(self) -> str:
        """The arguments of ``__has_include`` and its kin, as they are written."""
        if self._peek() != "(":
            raise _NotRead
        start, depth = self.at, 0
        while not self.at_end:
            depth += {"(": 1, ")": -1}.get(self._peek(), 0)
            self.at += 1
            if not depth:
                return " ".join(self.words[start : self.at])
        raise _NotRead
