"""Values of CMake variables: text, in which some parts may not be known and some depend on a condition.

CMake has strings alone, and so have we: what is not known is a mark inside the string, what depends on a condition is a
choice between two texts. Joining, appending and passing on need not know of either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, Union

_OPEN, _THEN, _ELSE, _CLOSE = "\x01", "\x02", "\x03", "\x04"
_UNKNOWN, _END = "\x05", "\x06"
UNDEFINED = "\x07"
"""Stands for the value of a variable that a branch leaves undefined."""
_MARKS = re.compile("[\x00-\x07]")
_SPOKEN = re.compile("\x05\\??([^\x06]*)\x06")
_LONGEST_TEXT = 400
_DEEPEST_CHOICE = 6
_MOST_IN_ONE = 1000
_MOST_CHOICES = 5
"""Conditions that are told apart at once: each doubles the cases."""


class Literal(NamedTuple):
    """A condition that is not known, or its opposite."""

    number: int
    holds: bool = True

    def denied(self) -> Literal:
        return Literal(self.number, not self.holds)


Truth = Union[bool, Literal]
Guards = tuple[Literal, ...]


class Element(NamedTuple):
    """One element of a list, with the conditions under which it is in it."""

    text: str
    guards: Guards = ()


@dataclass
class Conditions:
    """The conditions that nothing here decides, each once, and what is taken as known about them at this place."""

    texts: list[str] = field(default_factory=list)
    known: dict[int, bool] = field(default_factory=dict)
    _numbers: dict[object, int] = field(default_factory=dict)
    _parts: dict[int, tuple[bool, tuple[Literal, ...]]] = field(default_factory=dict)
    """Of one made from others: whether it is an OR, and of what."""

    def atom(self, key: object, text: str) -> Truth:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.texts)
            self.texts.append(text)
        return self.known.get(number, Literal(number))

    def negated(self, value: Truth) -> Truth:
        return value.denied() if isinstance(value, Literal) else not value

    def both(self, left: Truth, right: Truth, *, either: bool = False) -> Truth:
        """AND, or OR."""
        if isinstance(left, bool) or isinstance(right, bool):
            if left is either or right is either:
                return either
            return right if isinstance(left, bool) else left
        if left == right:
            return left
        if left == right.denied():
            return either
        joint = " OR " if either else " AND "
        text = joint.join(
            f"({self.text(side)})" if " " in self.text(side) else self.text(side) for side in (left, right)
        )
        if len(text) > _LONGEST_TEXT:
            text = f"{text[: _LONGEST_TEXT - 2].rstrip('( ')} …"
        found = self.atom((either, left, right), text)
        if isinstance(found, Literal):
            self._parts[found.number] = (either, (left, right))
        return found

    def value(self, literal: Literal) -> Truth:
        known = self.known.get(literal.number)
        return literal if known is None else known is literal.holds

    def assume(self, literal: Literal) -> list[int]:
        """Take a condition as given, with what follows from it; what became known, for ``forget``."""
        added: list[int] = []
        waiting = [literal]
        while waiting:
            number, holds = waiting.pop()
            if number in self.known:
                continue
            self.known[number] = holds
            added.append(number)
            either, parts = self._parts.get(number, (False, ()))
            if parts and holds is not either:  # a true AND, a false OR
                waiting += [part if holds else part.denied() for part in parts]
        return added

    def forget(self, added: list[int]) -> None:
        for number in added:
            del self.known[number]

    def text(self, literal: Literal) -> str:
        text = self.texts[literal.number]
        if literal.holds:
            return text
        return f"NOT ({text})" if " " in text else f"NOT {text}"


# --- what is not known ----------------------------------------------------------------------


def unknown(what: str, *, maybe_undefined: bool = False) -> str:
    """A value of which nothing is known but where it comes from."""
    plain = spoken(what).replace(";", " ")
    return f"{_UNKNOWN}{'?' if maybe_undefined else ''}{plain}{_END}"


def is_known(value: str) -> bool:
    return _UNKNOWN not in value


def is_maybe_undefined(value: str) -> bool:
    return value.startswith(_UNKNOWN + "?")


def cleaned(text: str) -> str:
    """A file's text without the characters that mean something here."""
    return _MARKS.sub(" ", text)


def spoken(value: str) -> str:
    """A value as it is shown to people."""
    if not _MARKS.search(value):
        return value
    return _MARKS.sub("", _SPOKEN.sub(r"<\1>", re.sub("\x01\\d+\x02", "", value.replace(_ELSE, "|"))))


# --- what depends on a condition ------------------------------------------------------------


def has_choice(value: str) -> bool:
    return _OPEN in value


def choice(literal: Literal, held: str, otherwise: str) -> str:
    """One text where a condition holds, another where it does not; what both share stays outside."""
    if held == otherwise:
        return held
    if not literal.holds:
        literal, held, otherwise = literal.denied(), otherwise, held
    left, right = _pieces(held), _pieces(otherwise)
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    middle = ("".join(side[start : len(side) - end]) for side in (left, right))
    return "".join(left[:start]) + _choice(literal.number, *middle) + "".join(left[len(left) - end :])


def _choice(number: int, held: str, otherwise: str) -> str:
    return f"{_OPEN}{number}{_THEN}{held}{_ELSE}{otherwise}{_CLOSE}"


def _pieces(value: str) -> list[str]:
    """Choices whole, semicolons, and what is between them."""
    if _OPEN not in value:
        return re.split("(;)", value)
    found: list[str] = []
    for part in _tree(value):
        found += re.split("(;)", part) if isinstance(part, str) else [_written(part)]
    return [piece for piece in found if piece]


class _Choice(NamedTuple):
    number: int
    held: list[Union[str, _Choice]]
    otherwise: list[Union[str, _Choice]]


_Tree = list[Union[str, _Choice]]
_BORDERS = re.compile("\x01(\\d+)\x02|[\x03\x04]")


@lru_cache(maxsize=1024)
def _tree(value: str) -> _Tree:
    """Shared by all who ask: never changed."""
    stack: list[tuple[int, _Tree]] = []
    held: list[_Tree] = []
    into: _Tree = []
    at = 0
    for border in _BORDERS.finditer(value):
        if border.start() > at:
            into.append(value[at : border.start()])
        at = border.end()
        if border[0] == _ELSE:
            held.append(into)
            into = []
        elif border[0] == _CLOSE:
            number, outer = stack.pop()
            outer.append(_Choice(number, held.pop(), into))
            into = outer
        else:
            stack.append((int(border[1]), into))
            into = []
    if at < len(value):
        into.append(value[at:])
    return into


def _written(part: str | _Choice) -> str:
    if isinstance(part, str):
        return part
    held, otherwise = ("".join(map(_written, side)) for side in part[1:])
    return _choice(part.number, held, otherwise)


def resolved(value: str, known: Mapping[int, bool]) -> str:
    """A value with its choices made as far as the conditions are known."""
    if _OPEN not in value:
        return value
    return "".join(_resolved(part, known) for part in _tree(value))


def _resolved(part: str | _Choice, known: Mapping[int, bool]) -> str:
    if isinstance(part, str):
        return part
    if part.number in known:
        return "".join(_resolved(piece, known) for piece in (part.held if known[part.number] else part.otherwise))
    held, otherwise = (
        "".join(_resolved(piece, {**known, part.number: holds}) for piece in side)
        for holds, side in ((True, part.held), (False, part.otherwise))
    )
    return held if held == otherwise else _choice(part.number, held, otherwise)


def is_too_much(value: str) -> bool:
    """Whether a value is made of more choices, one inside the other, than is worth telling apart."""
    if value.count(_OPEN) <= _DEEPEST_CHOICE:
        return False
    depth = 0
    for mark in re.findall("[\x01\x04]", value):
        depth += 1 if mark == _OPEN else -1
        if depth > _DEEPEST_CHOICE:
            return True
    return value.count(_OPEN) > _MOST_IN_ONE


def first_choice(value: str) -> int:
    """The condition that a value depends on first."""
    return int(value[value.index(_OPEN) + 1 : value.index(_THEN)])


def choices(value: str) -> set[int]:
    """All conditions that a value depends on."""
    return {int(border[1]) for border in _BORDERS.finditer(value) if border[1]}


def cases(value: str) -> list[tuple[Guards, str]] | None:
    """Every text that a value may be, with the conditions for it; None where there are too many."""
    found: list[tuple[Guards, str]] = []
    waiting: list[tuple[Guards, str]] = [((), value)]
    while waiting:
        guards, text = waiting.pop()
        if _OPEN not in text:
            found.append((guards, text))
            continue
        if len(guards) >= _MOST_CHOICES:
            return None
        number = first_choice(text)
        known = {literal.number: literal.holds for literal in guards}
        for holds in (False, True):
            waiting.append(((*guards, Literal(number, holds)), resolved(text, {**known, number: holds})))
    return found


# --- lists ----------------------------------------------------------------------------------


def split(text: str, *, keep_empty: bool = False) -> list[str]:
    """A list's elements: at semicolons that are not escaped and not in brackets."""
    if "[" not in text and "\\" not in text:
        return [part for part in text.split(";") if part or keep_empty] if text else []
    found: list[str] = []
    depth, part = 0, ""
    for piece in re.findall(r"\\;|[\[\];]|[^\[\];\\]+|\\", text):
        if piece == ";" and depth == 0:
            found.append(part)
            part = ""
            continue
        depth += (piece == "[") - (piece == "]")
        part += ";" if piece == "\\;" else piece
    found.append(part)
    return [part for part in found if part or keep_empty]


def elements(value: str, *, keep_empty: bool = False) -> list[Element]:
    """The elements of a list, those that depend on a condition with it. What is not known stays one element, which may
    stand for any number."""
    if _OPEN not in value:
        return [Element(text) for text in split(value.replace(UNDEFINED, ""), keep_empty=keep_empty)]
    tree = _tree(value)
    if _is_regular(tree):
        return list(_elements(tree, (), keep_empty))
    every = cases(value)
    if every is None:
        return [Element(unknown(f"too many cases of {spoken(value)[:80]}"))]
    found: dict[Element, None] = {}
    for guards, text in reversed(every):
        found.update(
            (Element(part, guards), None) for part in split(text.replace(UNDEFINED, ""), keep_empty=keep_empty)
        )
    return list(found)


def joined(parts: Sequence[Element]) -> str:
    """The value that a list of these elements is."""
    groups = [
        (guards, ";".join(text for text, _ in group)) for guards, group in groupby(parts, lambda part: part.guards)
    ]
    sure = next((at for at, (guards, _) in enumerate(groups) if not guards), len(groups) - 1)
    value = ""
    for at, (guards, text) in enumerate(groups):
        if at:
            text = f"{text};" if at < sure else f";{text}" if guards else text
        elif at < sure:
            text += ";"
        if at and not guards and not value.endswith(";") and at > sure:
            text = f";{text}"
        for guard in reversed(guards):
            text = choice(guard, text, "")
        value += text
    return value


def _is_regular(tree: _Tree) -> bool:
    """Whether every choice is between whole elements."""
    for at, part in enumerate(tree):
        if isinstance(part, str):
            if "[" in part or "\\" in part:
                return False
            continue
        before = tree[at - 1] if at else ";"
        after = tree[at + 1] if at + 1 < len(tree) else ";"
        for side in (part.held, part.otherwise):
            if not _is_regular(side):
                return False
            if side and not (_borders(before, -1) or _borders(side[0], 0)):
                return False
            if side and not (_borders(after, 0) or _borders(side[-1], -1)):
                return False
    return True


def _borders(part: str | _Choice, end: int) -> bool:
    return isinstance(part, str) and part[end] == ";"


def _elements(tree: _Tree, guards: Guards, keep_empty: bool) -> Iterator[Element]:
    for part in tree:
        if isinstance(part, str):
            yield from (Element(text, guards) for text in part.replace(UNDEFINED, "").split(";") if text)
        else:
            yield from _elements(part.held, (*guards, Literal(part.number)), keep_empty)
            yield from _elements(part.otherwise, (*guards, Literal(part.number, False)), keep_empty)
