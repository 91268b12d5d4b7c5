"""``#if`` conditions, folded in three values: true, false, or not known here.

What a macro is, the caller says: ``None`` unknown, ``False`` not defined, ``True`` defined
to something that is not zero, or its value. Whatever cannot be read is unknown.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Union

Macro = Union[int, bool, None]
Macros = Callable[[str], Macro]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\.?\d[\w.']*)|(?P<name>[A-Za-z_]\w*)|(?P<op>&&|\|\||<<|>>|[<>=!]=|[-+*/%<>!~&|^?:(),])|(?P<odd>\S))"
)
_BINARY: list[dict[str, Callable[[int, int], int]]] = [
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    {"<<": lambda a, b: a << b if 0 <= b < 64 else 0, ">>": lambda a, b: a >> b if 0 <= b < 64 else 0},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": lambda a, b: a // b, "%": operator.mod},
]
_OPERATORS = {text: (level, compute) for level, found in enumerate(_BINARY) for text, compute in found.items()}
"""How tightly an operator binds, and what it computes."""
_WORDS = {"and": "&&", "or": "||", "not": "!"}
_DEPTH = 60


class _Value(NamedTuple):
    truth: bool | None
    number: int | None = None


_UNKNOWN = _Value(None)


class _Unreadable(Exception):
    pass


def fold(condition: str, macros: Macros) -> bool | None:
    """The truth of a condition; None when it is not decided by what is known."""
    try:
        reader = _Reader(condition, macros)
        value = reader.disjunction()
        return value.truth if reader.at_end else None
    except _Unreadable:
        return None


def number(expression: str, macros: Macros) -> int | None:
    """The value of an integer expression, where everything in it is known."""
    try:
        reader = _Reader(expression, macros)
        value = reader.disjunction()
        return value.number if reader.at_end else None
    except _Unreadable:
        return None


def fold_directive(word: str, rest: str, macros: Macros) -> bool | None:
    """The truth of ``#if``/``#elif``/``#ifdef``/``#ifndef`` and their ``#elif...`` forms."""
    if word.endswith("def"):
        name = re.match(r"\s*(\w+)", rest)
        macro = macros(name[1]) if name else None
        defined = None if macro is None else macro is not False
        return not defined if word.endswith("ndef") and defined is not None else defined
    return fold(rest, macros)


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[list[re.Match[str]], list[str]]:
    """The tokens of a condition. The same few conditions are asked again and again."""
    tokens = list(_TOKEN.finditer(re.sub(r"\\\r?\n", " ", text)))
    texts = [token[0].strip() for token in tokens]
    return tokens, [_WORDS.get(text, text) for text in texts]


class _Reader:
    def __init__(self, text: str, macros: Macros) -> None:
        self.tokens, self.texts = _tokens(text)
        self.macros = macros
        self.index = 0
        self.depth = 0

    @property
    def at_end(self) -> bool:
        return self.index >= len(self.tokens)

    def _peek(self) -> str:
        return self.texts[self.index] if self.index < len(self.texts) else ""

    def _take(self, *texts: str) -> bool:
        if self._peek() in texts and not self.at_end:
            self.index += 1
            return True
        return False

    def disjunction(self) -> _Value:
        values = [self._conjunction()]
        while self._take("||"):
            values.append(self._conjunction())
        return self._joined(values, True)

    def _conjunction(self) -> _Value:
        values = [self._binary(0)]
        while self._take("&&"):
            values.append(self._binary(0))
        return self._joined(values, False)

    @staticmethod
    def _joined(values: list[_Value], decisive: bool) -> _Value:
        if len(values) == 1:
            return values[0]
        truths = [value.truth for value in values]
        if decisive in truths:
            return _Value(decisive, int(decisive))
        return _UNKNOWN if None in truths else _Value(not decisive, int(not decisive))

    def _binary(self, level: int) -> _Value:
        """Operators of this level and those that bind tighter."""
        left = self._unary()
        while (found := _OPERATORS.get(self._peek())) and found[0] >= level:
            self.index += 1
            left = self._computed(found[1], left, self._binary(found[0] + 1))
        return left

    @staticmethod
    def _computed(compute: Callable[[int, int], int], left: _Value, right: _Value) -> _Value:
        if left.number is None or right.number is None:
            return _UNKNOWN
        try:
            number = int(compute(left.number, right.number))
        except (ArithmeticError, ValueError):
            return _UNKNOWN
        return _Value(number != 0, number)

    def _unary(self) -> _Value:
        self.depth += 1
        if self.at_end or self.depth > _DEPTH:
            raise _Unreadable
        try:
            return self._primary()
        finally:
            self.depth -= 1

    def _primary(self) -> _Value:
        if self._take("!"):
            value = self._unary()
            return _UNKNOWN if value.truth is None else _Value(not value.truth, int(not value.truth))
        if self._take("-"):
            return self._computed(operator.sub, _Value(False, 0), self._unary())
        if self._take("+"):
            return self._unary()
        if self._take("~"):
            return self._computed(operator.xor, _Value(True, -1), self._unary())
        if self._take("("):
            value = self.disjunction()
            if not self._take(")"):
                raise _Unreadable
            return value
        token = self.tokens[self.index]
        self.index += 1
        if token["number"]:
            return self._number(token["number"])
        if not token["name"]:
            raise _Unreadable
        if token["name"] == "defined":
            return self._defined()
        if self._take("("):
            self._skip_arguments()
            return _UNKNOWN
        macro = self.macros(token["name"])
        if macro is None:
            return _UNKNOWN
        return _Value(bool(macro), None if macro is True else int(macro))

    def _defined(self) -> _Value:
        wrapped = self._take("(")
        if self.at_end or not self.tokens[self.index]["name"]:
            raise _Unreadable
        macro = self.macros(self.tokens[self.index]["name"])
        self.index += 1
        if wrapped and not self._take(")"):
            raise _Unreadable
        return _UNKNOWN if macro is None else _Value(macro is not False, int(macro is not False))

    def _skip_arguments(self) -> None:
        depth = 1
        while depth:
            if self.at_end:
                raise _Unreadable
            text = self._peek()
            depth += (text == "(") - (text == ")")
            self.index += 1

    @staticmethod
    def _number(text: str) -> _Value:
        digits = text.replace("'", "").rstrip("uUlL")
        try:
            number = int(digits, 8) if re.fullmatch(r"0[0-7]+", digits) else int(digits, 0)
        except ValueError:
            return _UNKNOWN
        return _Value(number != 0, number)
