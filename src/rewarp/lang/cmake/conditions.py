"""What ``if()``, ``elseif()`` and ``while()`` decide, step by step as CMake does it: parentheses, tests of one word, tests of
two, NOT, and at last AND and OR, which bind alike. CMake takes those in pairs, pass after pass, which is neither the
precedence of C nor quite from left to right: the differential tests hold this against CMake itself."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple, Protocol, Union

from rewarp.errors import RewarpError
from rewarp.lang.cmake.regex import compiled
from rewarp.lang.cmake.values import (
    UNDEFINED,
    Conditions,
    Literal,
    Truth,
    cases,
    is_known,
    is_maybe_undefined,
    split,
    spoken,
)

_ON, _OFF = frozenset("ON 1 YES TRUE Y".split()), frozenset({"", *"OFF 0 NO FALSE N IGNORE NOTFOUND".split()})
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)")
_NOWHERE = "\n"
"""Stands for a list that is not defined: nothing is in it, not even nothing."""
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "LESS": operator.lt,
    "GREATER": operator.gt,
    "EQUAL": operator.eq,
    "LESS_EQUAL": operator.le,
    "GREATER_EQUAL": operator.ge,
}
UNARY = frozenset(
    "EXISTS IS_READABLE IS_WRITABLE IS_EXECUTABLE IS_DIRECTORY IS_SYMLINK IS_ABSOLUTE COMMAND POLICY TARGET TEST "
    "DEFINED".split()
)
BINARY = frozenset(
    {f"{kind}{order}" for kind in ("", "STR", "VERSION_") for order in _ORDERS}
    | {"MATCHES", "IN_LIST", "IS_NEWER_THAN", "PATH_EQUAL"}
)


class ConditionError(RewarpError):
    """CMake would stop at this condition."""


class Word(NamedTuple):
    """An argument of a condition, expanded."""

    text: str
    is_quoted: bool = False

    def is_word(self, *names: str) -> bool:
        return not self.is_quoted and self.text in names

    def __str__(self) -> str:
        text = spoken(self.text)
        return f'"{text}"' if self.is_quoted or not text or " " in text else text


_Part = Union[Word, Truth]


class Asked(Protocol):
    """What conditions ask of the place they stand in."""

    conditions: Conditions

    def variable(self, name: str) -> str | None:
        """Its value; None where it is not defined."""

    def asked(self, test: str, word: str) -> bool | None:
        """The answer to a test of one word, DEFINED left out; None where it is not known."""

    def matched(self, groups: Sequence[str | None] | None) -> None:
        """``MATCHES`` found these, none where it found nothing; None where that is not known."""


def is_off(value: str) -> bool:
    return value.upper() in _OFF or value.upper().endswith("-NOTFOUND")


def constant(value: str) -> bool | None:
    """The truth of a word that is one by itself."""
    if value.upper() in _ON:
        return True
    if is_off(value):
        return False
    number = _NUMBER.fullmatch(value)
    return float(number[0]) != 0 if number else None


def compare_versions(left: str, right: str) -> int:
    first, second = _version(left), _version(right)
    length = max(len(first), len(second))
    first, second = (part + [0] * (length - len(part)) for part in (first, second))
    return (first > second) - (first < second)


def _version(text: str) -> list[int]:
    found: list[int] = []
    while digits := re.match(r"\d+", text):
        found.append(int(digits[0]))
        text = text[digits.end() :]
        if not text.startswith("."):
            break
        text = text[1:]
    return found


def decide(words: Sequence[Word], place: Asked) -> Truth:
    """Whether a condition holds. Raises ConditionError where CMake would."""
    parts = _without_parentheses(list(words), place)
    parts = _unary(parts, place)
    parts = _binary(parts, place)
    parts = _not(parts, place)
    parts = _and_or(parts, place)
    if not parts:
        return False
    if len(parts) > 1:
        raise ConditionError(f"unknown arguments: {' '.join(map(str, words))}")
    return _truth(parts[0], place)


def _without_parentheses(words: list[Word], place: Asked) -> list[_Part]:
    found: list[_Part] = []
    at = 0
    while at < len(words):
        if not words[at].is_word("("):
            found.append(words[at])
            at += 1
            continue
        depth, end = 1, at + 1
        while end < len(words) and depth:
            depth += words[end].is_word("(") - words[end].is_word(")")
            end += 1
        if depth:
            raise ConditionError("mismatched parenthesis")
        found.append(decide(words[at + 1 : end - 1], place))
        at = end
    return found


def _is_word(part: _Part, *names: str) -> bool:
    return isinstance(part, Word) and part.is_word(*names)


def _as_word(part: _Part) -> Word | None:
    """The word that a part is: what was decided before counts as 1 or 0."""
    if isinstance(part, Word):
        return part
    return Word(str(int(part))) if isinstance(part, bool) else None


def _unary(parts: list[_Part], place: Asked) -> list[_Part]:
    found: list[_Part] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        if at + 1 < len(parts) and isinstance(part, Word) and part.is_word(*UNARY):
            word = _as_word(parts[at + 1])
            found.append(_test(part.text, word, place) if word else _undecided(parts[at : at + 2], place))
            at += 2
        else:
            found.append(part)
            at += 1
    return found


def _test(test: str, word: Word, place: Asked) -> Truth:
    text = word.text
    every = cases(text)
    if not is_known(text) or every is None:
        return _undecided([Word(test), word], place)
    if len(every) > 1:
        return _by_cases([(guards, _test(test, Word(case), place)) for guards, case in every], place)
    if test == "DEFINED" and not text.startswith(("ENV{", "CACHE{")):
        value = place.variable(text)
        if value is None:
            return False
        if is_maybe_undefined(value):
            return place.conditions.atom(("DEFINED", value), f"DEFINED {text}")
        options = cases(value) or []
        return _by_cases([(guards, case != UNDEFINED) for guards, case in options], place) if options else True
    answer = place.asked(test, text)
    return _undecided([Word(test), word], place) if answer is None else answer


def _undecided(parts: Sequence[_Part], place: Asked) -> Truth:
    """A condition of its own, the same wherever the same is asked of the same values."""
    key: list[object] = []
    for part in parts:
        key.append(
            (part.text, None if part.is_quoted else place.variable(part.text)) if isinstance(part, Word) else part
        )
    text = " ".join(place.conditions.text(part) if isinstance(part, Literal) else str(part) for part in parts)
    return place.conditions.atom(tuple(key), text)


def _by_cases(options: Sequence[tuple[Sequence[Literal], Truth]], place: Asked) -> Truth:
    """What holds in some cases: the conditions of those."""
    if len({value for _, value in options}) == 1:
        return options[0][1]
    found: Truth = False
    for guards, value in options:
        here: Truth = value
        for guard in reversed(guards):
            here = place.conditions.both(place.conditions.value(guard), here)
        found = place.conditions.both(found, here, either=True)
    return found


def _binary(parts: list[_Part], place: Asked) -> list[_Part]:
    found: list[_Part] = []
    for part in parts:
        # The test before this word had its left side last, and its name before that.
        if len(found) >= 2 and _is_word(found[-1], *BINARY):
            name, left = found.pop(), found.pop()
            assert isinstance(name, Word)
            found.append(_compared(left, name.text, part, place))
        else:
            found.append(part)
    return found


def _compared(left: _Part, name: str, right: _Part, place: Asked) -> Truth:
    first, second = _as_word(left), _as_word(right)
    if first is None or second is None:
        return _undecided([left, Word(name), right], place)
    lefts = cases(_content(first, place))
    value = (
        _listed(second, place) if name == "IN_LIST" else second.text if name == "MATCHES" else _content(second, place)
    )
    rights = cases(value)
    if lefts is None or rights is None:
        return _undecided([left, Word(name), right], place)
    options: list[tuple[Sequence[Literal], Truth]] = []
    for (some, one), (more, other) in product(lefts, rights):
        if any(guard.denied() in some for guard in more):
            continue
        one, other = (first.text if one == UNDEFINED else one), (second.text if other == UNDEFINED else other)
        if name == "MATCHES" and len(lefts) == 1:
            answer = _matches(one, other, place)
        elif not (is_known(one) and is_known(other)) or name in ("IS_NEWER_THAN",):
            answer = None
        else:
            answer = _ordered(one, name, other)
        options.append(((*some, *more), _undecided([left, Word(name), right], place) if answer is None else answer))
    return _by_cases(options, place)


def _content(word: Word, place: Asked) -> str:
    value = None if word.is_quoted else place.variable(word.text)
    return word.text if value is None else value


def _listed(word: Word, place: Asked) -> str:
    value = place.variable(word.text)
    return _NOWHERE if value is None else value


def _matches(text: str, pattern: str, place: Asked) -> bool | None:
    expression = compiled(pattern) if is_known(pattern) else None
    if not is_known(pattern) or not is_known(text):
        place.matched(None)
        return None
    if expression is None:
        raise ConditionError(f"regular expression {pattern!r} cannot be compiled")
    found = expression.search(text)
    place.matched([found[0], *found.groups()] if found else [])
    return found is not None


def _ordered(left: str, name: str, right: str) -> bool:
    if name == "IN_LIST":
        return left in (split(right, keep_empty=True) or [""])
    if name in ("MATCHES",):
        expression = compiled(right)
        return bool(expression and expression.search(left))
    if name == "PATH_EQUAL":
        return [part for part in left.split("/") if part] == [part for part in right.split("/") if part]
    if name.startswith("STR"):
        return _ORDERS[name[3:]](left.encode(), right.encode())
    if name.startswith("VERSION_"):
        return _ORDERS[name[8:]](compare_versions(left, right), 0)
    numbers = [_NUMBER.match(side) for side in (left, right)]
    if numbers[0] is None or numbers[1] is None:
        return False
    return _ORDERS[name](float(numbers[0][0]), float(numbers[1][0]))


def _not(parts: list[_Part], place: Asked) -> list[_Part]:
    found: list[_Part] = []
    at = 0
    while at < len(parts):
        if at + 1 < len(parts) and _is_word(parts[at], "NOT"):
            found.append(place.conditions.negated(_truth(parts[at + 1], place)))
            at += 2
        else:
            found.append(parts[at])
            at += 1
    return found


def _and_or(parts: list[_Part], place: Asked) -> list[_Part]:
    """In passes: each takes pairs from left to right, so that `a AND b AND c OR d` is `(a AND b) AND (c OR d)`."""
    while True:
        found: list[_Part] = []
        at = 0
        while at < len(parts):
            if at + 2 < len(parts) and _is_word(parts[at + 1], "AND", "OR"):
                left, right = _truth(parts[at], place), _truth(parts[at + 2], place)
                found.append(place.conditions.both(left, right, either=_is_word(parts[at + 1], "OR")))
                at += 3
            else:
                found.append(parts[at])
                at += 1
        if len(found) == len(parts):
            return found
        parts = found


def _truth(part: _Part, place: Asked) -> Truth:
    if not isinstance(part, Word):
        return part
    every = cases(part.text)
    if every is None:
        return _undecided([part], place)
    return _by_cases([(guards, _word_truth(Word(text, part.is_quoted), place)) for guards, text in every], place)


def _word_truth(word: Word, place: Asked) -> Truth:
    if not is_known(word.text):
        return place.conditions.atom(("truth", word.text), spoken(word.text).strip("<>"))
    value = constant(word.text)
    if value is not None or word.is_quoted:
        return bool(value)
    content = place.variable(word.text)
    options = cases(content or "")
    if options is None:
        return _undecided([word], place)
    return _by_cases([(guards, _value_truth(case, word, place)) for guards, case in options], place)


def _value_truth(value: str, word: Word, place: Asked) -> Truth:
    if value == UNDEFINED:
        return False
    if not is_known(value):
        return place.conditions.atom(("truth", value), word.text)
    return not is_off(value)
