"""Values of a script that is followed without being run: Python's own, and what stands for those that are not known.

Nothing forks: where a condition is not decided, both sides are followed, and what each leaves behind carries the condition
(``Guarded`` members of a list, ``Choice`` where a name may hold this or that)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_OPEN, _CLOSE = "\ue000", "\ue001"
_LONGEST = 300
_CALL = re.compile(r"[\w.]+\([^()]*\)")
_MOST_OPTIONS = 16


class Guard(NamedTuple):
    """A condition that nothing decides, and whether it is taken to hold."""

    text: str
    holds: bool = True
    parts: tuple[Any, ...] = ()
    """The guards that it is made of, where it says of several that they hold together."""

    def negated(self) -> Guard:
        return Guard(self.text, not self.holds, self.parts)

    def __str__(self) -> str:
        simple = " " not in self.text or _CALL.fullmatch(self.text)
        return self.text if self.holds else f"not {self.text}" if simple else f"not ({self.text})"


Guards = tuple[Guard, ...]


@dataclass(frozen=True)
class Unknown:
    """Something that only running the script would tell."""

    text: str
    """Where it comes from, as the script would write it."""
    truth: bool | None = None
    is_text: bool = False
    """Certainly a text."""
    denies: bool = False
    """Whether it is true where the text is not."""

    @property
    def guard(self) -> Guard:
        return Guard(self.text, not self.denies)


class Guarded(NamedTuple):
    """A member or a value that is there if these hold."""

    item: Any
    guards: Guards


@dataclass(frozen=True, eq=False)
class Choice:
    """One of these."""

    options: tuple[Guarded, ...]


@dataclass(frozen=True)
class External:
    """Something of a module that is not the project's, by its dotted path."""

    path: str
    bound: Any = None
    """For a method: the object that it is taken from."""


@dataclass(eq=False)
class Instance:
    """An object of a class of the project's, or of a third party's whose arguments are kept as its attributes."""

    kind: Any
    """A ``Class`` or an ``External``."""
    attributes: dict[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int = 0
    guards: Guards = ()
    made_as: External | None = None
    """Whose constructor was called in the end, where that is a third party's."""


@dataclass(frozen=True)
class OpenFile:
    """A file of the tree, opened for reading."""

    text: str


# --- conditions -----------------------------------------------------------------------------


def compatible(guards: Guards, path: Guards) -> bool:
    """Whether guards can hold together with those of a path."""
    if any(guard.negated() in path for guard in guards):
        return False
    every = (*guards, *path)
    return not any(not one.holds and all(part in every for part in one.parts) for one in every if one.parts)


def consistent(guards: Guards) -> bool:
    return compatible(guards, guards)


def further(guards: Iterable[Guard], path: Guards) -> Guards:
    """The guards that a path does not imply."""
    return tuple(dict.fromkeys(guard for guard in guards if guard not in path))


def denied(guards: Guards) -> Guards:
    """That not all of them hold."""
    if len(guards) == 1:
        return (guards[0].negated(),)
    return (Guard(" and ".join(map(str, guards)), False, guards),)


def choose(options: Iterable[Guarded], path: Guards = ()) -> Any:
    """One value of several; the same value twice is one."""
    flat: list[Guarded] = []
    for item, guards in options:
        inner = item.options if isinstance(item, Choice) else (Guarded(item, ()),)
        for option in inner:
            every = further((*guards, *option.guards), path)
            if compatible(every, path) and consistent(every):
                flat.append(Guarded(option.item, every))
    if not flat:
        return Unknown("a value that is not set")
    first = flat[0].item
    if all(_same(first, option.item) for option in flat[1:]):
        return first
    return Choice(tuple(flat)) if len(flat) <= _MOST_OPTIONS else Unknown("one of many values")


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    plain = (str, int, bool, type(None), External, Unknown)
    return isinstance(one, plain) and type(one) is type(other) and bool(one == other)


# --- texts of which a part is not known -----------------------------------------------------


def hole(text: str) -> str:
    """A text that stands for one that is not known."""
    return f"{_OPEN}{shortened(text).replace('/', '|')}{_CLOSE}"


def has_hole(text: str) -> bool:
    return _OPEN in text


def readable(text: str) -> str:
    return text.replace(_OPEN, "<").replace(_CLOSE, ">")


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def written(value: Any) -> str:
    """A value in the text of a condition."""
    if isinstance(value, Unknown):
        return str(value.guard)
    if isinstance(value, External):
        return value.path
    if isinstance(value, str):
        return shortened(
            repr(readable(value)) if not (value.startswith(_OPEN) and value.endswith(_CLOSE)) else value[1:-1]
        )
    if isinstance(value, (bool, int, float, type(None))):
        return str(value)
    if isinstance(value, (list, tuple, set)) and len(value) < 6:
        items = ", ".join(written(item.item if isinstance(item, Guarded) else item) for item in value)
        return shortened(f"[{items}]" if isinstance(value, list) else f"({items})")
    return f"<{type(value).__name__.lower()}>"


def truth(value: Any) -> bool | None:
    """Whether a value counts as true, where one can say."""
    if isinstance(value, Unknown):
        return value.truth
    if isinstance(value, Choice):
        truths = {truth(option.item) for option in value.options}
        return truths.pop() if len(truths) == 1 else None
    if isinstance(value, External):
        return True if value.bound is not None else None
    if isinstance(value, str):
        rest = value
        if rest.startswith(_OPEN) and has_hole(rest) and rest.endswith(_CLOSE) and rest.count(_OPEN) == 1:
            return None
        return bool(rest)
    if isinstance(value, (list, tuple, set)):
        if any(not isinstance(item, Guarded) for item in value):
            return True
        return None if value else False
    if isinstance(value, (dict, int, float, type(None))):
        return bool(value)
    return True
