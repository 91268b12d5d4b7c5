"""What is known of a value while a body is followed: where it came from, its type, the strings it may be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from rewarp.parity.rust.reading.tree import Closure

_MOST_STRINGS = 600
HOLE = "\0"
"""In a string: the data type that is followed."""
ANYTHING = "*"
"""In a string: what could not be told."""
_FIRST, _OR, _LAST = "\1", "\2", "\3"
"""In a string: one of several, and nobody can tell which."""
_ONE_OF = re.compile(f"{_FIRST}([^{_FIRST}{_LAST}]*){_LAST}")
_MOST_READINGS = 64


@dataclass(frozen=True)
class Value:
    """Nothing is known of it unless something is said."""

    type: str = ""
    subject: str = ""
    """The parameter of the method under examination that it is, or is a part of."""
    dtypes: int = 0
    """The data types that it names: `DType::F32`."""
    variant: str = ""
    """The variant of an enum that it is."""
    fields: tuple[tuple[str, Value], ...] = ()
    items: tuple[Value, ...] = ()
    strings: tuple[tuple[str, int], ...] = ()
    """What it reads in one case or another, each with the data types for which it does."""
    is_generic: bool = False
    """A value of a type parameter."""
    called: Closure | str = ""
    """What calling it means: a closure, or the name of a function."""
    holds: tuple[int, int] | None = None
    """Of a condition or an `Option`: the data types for which it may hold or be `Some`, and those for which it may not."""

    def field(self, name: str) -> Value:
        for own, value in self.fields:
            if own == name:
                return value
        if self.items and name.isdigit() and int(name) < len(self.items):
            return self.items[int(name)]
        # Whatever is part of a storage has the data type of the storage.
        return Value(subject=self.subject) if not self.fields else UNKNOWN

    def is_about(self, subject: str) -> bool:
        """Whether it is, or holds, a part of a parameter, or a string that depends on its data type."""
        if not subject:
            return False
        parts = (*(value for _, value in self.fields), *self.items)
        return self.subject == subject or bool(self.strings) or any(part.is_about(subject) for part in parts)

    @property
    def is_telling(self) -> bool:
        """Whether following it into a function may change what is found there."""
        return bool(self.subject or self.fields or self.strings or self.items or self.dtypes or self.variant)

    def where(self, dtypes: int) -> Value:
        """The same value on a way that only some data types take."""
        if not self.strings:
            return replace(self, items=tuple(item.where(dtypes) for item in self.items)) if self.items else self
        return replace(self, strings=tuple((text, mask & dtypes) for text, mask in self.strings if mask & dtypes))

    def forgetful(self) -> Value:
        """The same value where it may be changed: what held of it need not hold later."""
        fields = tuple((name, value.forgetful()) for name, value in self.fields)
        return replace(self, holds=None, fields=fields, items=tuple(item.forgetful() for item in self.items))

    def told_by_nobody(self, every: int) -> Value:
        """The same value where what decides between its strings is not followed: it is one of them."""
        items = tuple(item.told_by_nobody(every) for item in self.items)
        texts = list(dict.fromkeys(one for text, _ in self.strings for one in readings(text)))
        if len(texts) > 1:
            return replace(self, items=items, strings=((_FIRST + _OR.join(texts) + _LAST, every),))
        return replace(self, items=items)


@lru_cache(maxsize=20_000)
def readings(text: str) -> tuple[str, ...]:
    """The strings that a string may be."""
    waiting = [text]
    found: list[str] = []
    while waiting and len(found) < _MOST_READINGS:
        one = waiting.pop()
        hole = _ONE_OF.search(one)
        if hole is None:
            found.append(one)
        else:
            waiting += [one[: hole.start()] + part + one[hole.end() :] for part in reversed(hole[1].split(_OR))]
    # Of too many, any could be meant.
    return tuple(found) if not waiting else (_ONE_OF.sub(ANYTHING, text),)


Generics = frozenset[tuple[str, Value]]
"""Type parameters whose data type is known: the followed one, or one that was written."""
UNKNOWN = Value()
NOTHING = Value(variant="None")


def either(values: Iterable[Value]) -> Value:
    """What is known of a value that is one of several."""
    found = list(dict.fromkeys(values))
    if len(found) > 1:
        # `None` is no string: where one comes of it, it is one of the others.
        found = [value for value in found if value.variant != NOTHING.variant]
    if len(found) < 2:
        return found[0] if found else UNKNOWN
    strings = tuple(dict.fromkeys(option for value in found for option in value.strings))
    sizes = {len(value.items) for value in found}
    size = sizes.pop() if len(sizes) == 1 else 0
    types, subjects = {value.type for value in found}, {value.subject for value in found}
    return Value(
        type=types.pop() if len(types) == 1 else "",
        subject=subjects.pop() if len(subjects) == 1 else "",
        items=tuple(either(value.items[place] for value in found) for place in range(size)),
        # One of many names, or one that nobody can tell: then nothing can be said to be missing.
        strings=strings if len(strings) <= _MOST_STRINGS and all(v.strings for v in found) else _vague(strings, found),
    )


def _vague(strings: tuple[tuple[str, int], ...], found: list[Value]) -> tuple[tuple[str, int], ...]:
    if not strings:
        return ()
    everything = 0
    for _, mask in strings:
        everything |= mask
    named = strings if len(strings) <= _MOST_STRINGS else ()
    return (*named, (ANYTHING, everything)) if not all(v.strings for v in found) or not named else named
