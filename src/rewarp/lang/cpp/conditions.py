"""``#if`` conditions, folded in three values: true, false, or not known here.

What a macro is, the caller says: ``None`` unknown, ``False`` not defined, ``True`` defined
to something that is not zero, or its value. Whatever cannot be read is unknown. Numbers are C's
``intmax_t`` and ``uintmax_t``: division cuts towards zero, what is too large wraps around.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Union

Macro = Union[int, bool, None]
Macros = Callable[[str], Macro]
OPENING = ("if", "ifdef", "ifndef")
"""The words that begin a conditional."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\.?\d[\w.']*)|(?P<character>'(?:\\[0abfnrtv'\"\\]|[^'\\\n])')|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>&&|\|\||<<|>>|[<>=!]=|[-+*/%<>!~&|^?:(),])|(?P<odd>\S))"
)
_BITS = 64


def _divided(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _shifted(a: int, b: int) -> int:
    if not 0 <= b < _BITS:
        raise ValueError("compilers differ here")
    return a << b


_BINARY: list[dict[str, Callable[[int, int], int]]] = [
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    {"<<": _shifted, ">>": lambda a, b: a >> b if 0 <= b < _BITS else _shifted(a, b)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": _divided, "%": lambda a, b: a - b * _divided(a, b)},
]
_OPERATORS = {text: (level, compute) for level, found in enumerate(_BINARY) for text, compute in found.items()}
"""How tightly an operator binds, and what it computes."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_SHIFTS = frozenset({"<<", ">>"})
_ESCAPES = {
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "n": 10,
    "r": 13,
    "t": 9,
    "v": 11,
    "'": 39,
    '"': 34,
    "\\": 92,
}
_WORDS = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
}
_DEPTH = 60


class _Value(NamedTuple):
    truth: bool | None
    number: int | None = None
    unsigned: bool = False


_UNKNOWN = _Value(None)


def _value(number: int, unsigned: bool = False) -> _Value:
    """A number as it fits into the type."""
    number &= (1 << _BITS) - 1
    if not unsigned and number >> (_BITS - 1):
        number -= 1 << _BITS
    return _Value(number != 0, number, unsigned)


class _Unreadable(Exception):
    pass


def fold(condition: str, macros: Macros) -> bool | None:
    """The truth of a condition; None when it is not decided by what is known."""
    try:
        reader = _Reader(condition, macros)
        value = reader.expression()
        return value.truth if reader.at_end else None
    except _Unreadable:
        return None


def number(expression: str, macros: Macros) -> int | None:
    """The value of an integer expression, where everything in it is known."""
    try:
        reader = _Reader(expression, macros)
        value = reader.expression()
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


def compiled_arms(tests: Iterable[bool | None]) -> Iterator[bool | None]:
    """Whether each arm of an ``#if`` is compiled, by the truth of its test; that of ``#else`` is true."""
    is_left: bool | None = True  # whether none before was taken
    for value in tests:
        yield False if is_left is False or value is False else True if is_left and value else None
        is_left = False if value or is_left is False else None if value is None else is_left


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

    def expression(self) -> _Value:
        """``condition ? one : other``, or what binds tighter."""
        condition = self._disjunction()
        if not self._take("?"):
            return condition
        one = self._nested()
        if not self._take(":"):
            raise _Unreadable
        other = self._nested()
        unsigned = one.unsigned or other.unsigned
        if condition.truth is None:
            return one if one == other else _Value(one.truth if one.truth == other.truth else None)
        chosen = one if condition.truth else other
        return chosen if chosen.number is None else _value(chosen.number, unsigned)

    def _nested(self) -> _Value:
        self.depth += 1
        if self.depth > _DEPTH:
            raise _Unreadable
        try:
            return self.expression()
        finally:
            self.depth -= 1

    def _disjunction(self) -> _Value:
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
        while (found := _OPERATORS.get(sign := self._peek())) and found[0] >= level:
            self.index += 1
            left = self._computed(sign, found[1], left, self._binary(found[0] + 1))
        return left

    @staticmethod
    def _computed(sign: str, compute: Callable[[int, int], int], left: _Value, right: _Value) -> _Value:
        if left.number is None or right.number is None:
            return _UNKNOWN
        # A shift has the type of what is shifted; everything else is unsigned as soon as one side is.
        unsigned = left.unsigned or (right.unsigned and sign not in _SHIFTS)
        one = _value(left.number, unsigned)
        other = right if sign in _SHIFTS else _value(right.number, unsigned)
        assert one.number is not None
        assert other.number is not None
        try:
            number = int(compute(one.number, other.number))
        except (ArithmeticError, ValueError):
            return _UNKNOWN
        return _value(number, unsigned and sign not in _COMPARISONS)

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
            return self._computed("-", operator.sub, _Value(False, 0), self._unary())
        if self._take("+"):
            return self._unary()
        if self._take("~"):
            return self._computed("^", operator.xor, _Value(True, -1), self._unary())
        if self._take("("):
            value = self.expression()
            if not self._take(")"):
                raise _Unreadable
            return value
        token = self.tokens[self.index]
        self.index += 1
        if token["number"]:
            return self._number(token["number"])
        if token["character"]:
            text = token["character"][1:-1]
            return _value(_ESCAPES[text[1]] if len(text) > 1 else ord(text))
        if not token["name"]:
            raise _Unreadable
        if token["name"] == "defined":
            return self._defined()
        if token["name"] in ("true", "false"):
            return _value(int(token["name"] == "true"))
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
        plain = text.replace("'", "")
        digits = plain.rstrip("uUlLzZ")
        try:
            number = int(digits, 8) if re.fullmatch(r"0[0-7]+", digits) else int(digits, 0)
        except ValueError:
            return _UNKNOWN
        unsigned = "u" in plain[len(digits) :].lower() or number >> (_BITS - 1) != 0
        return _UNKNOWN if number >> _BITS else _value(number, unsigned)
