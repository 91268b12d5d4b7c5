"""Functions followed for one back end, each call once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rewarp.parity import deadline
from rewarp.parity.rust.following import calls
from rewarp.parity.rust.following.follow import Frame
from rewarp.parity.rust.following.paths import CUT, UNSEEN, Run
from rewarp.parity.rust.following.values import Generics, Value
from rewarp.parity.rust.reading.facts import Function
from rewarp.parity.rust.reading.index import Index
from rewarp.parity.units import Place

_DEEPEST_CALL = 16
_MOST_CALLS = 2_000
"""What takes more calls than this, as a method that leads through a whole compiler, could not be told."""

Exists = Callable[[str], "bool | None"]
"""Whether a kernel of a name or a pattern exists; None where nobody can tell."""


@dataclass
class Follower:
    """Follows functions for one back end."""

    index: Index
    backend: str
    exists: Exists
    unit: str = ""
    """The method under examination; one that fetches is not charged with fetching."""
    doubt: Callable[[str], str] = lambda name: ""
    """The condition that a kernel hangs on and that nobody can tell."""
    shared: frozenset[str] = frozenset()
    """The methods that the CPU has as well: its own are no work of the device."""
    deepest: int = _DEEPEST_CALL
    _calls: int = 0
    """Those that were followed for the call that is followed now."""
    _known: dict[object, Run] = field(default_factory=dict)
    _open: list[tuple[object, ...]] = field(default_factory=list)
    _cut: set[object] = field(default_factory=set)

    def run(
        self,
        function: Function,
        receiver: Value,
        arguments: tuple[Value, ...],
        axis: str,
        generics: Generics = frozenset(),
    ) -> Run:
        """Follow a call. What it finds does not depend on the way that led to it."""
        deadline.check()
        if not any(value.is_about(axis) for value in (receiver, *arguments, *(v for _, v in generics))):
            axis = ""
        key = (_identity(function), receiver, arguments, axis, generics, calls.fetches(self.unit), self.shared)
        if key in self._known:
            return self._known[key]
        every = self.index.dtypes.every
        if key in self._open:
            # What calls itself comes to an end by its other ways.
            self._cut.add(key)
            return Run({CUT: every})
        if len(self._open) >= self.deepest or not function.has_body:
            return Run({0: every})
        if function.is_broken:
            return Run({UNSEEN: every}, unseen=(Place(function.path, function.line, "does not parse"),))
        is_first = not self._open
        self._calls = 1 if is_first else self._calls + 1
        if self._calls > _MOST_CALLS:
            place = Place(function.path, function.line, "more calls than are followed")
            return Run({UNSEEN: every}, unseen=(place,))
        self._open.append(key)
        try:
            found = Frame(self, function, receiver, arguments, axis, generics).run()
        except RecursionError:
            if not is_first:
                raise
            place = Place(function.path, function.line, "calls too deep to be followed")
            found = Run({UNSEEN: every}, unseen=(place,))
        finally:
            self._open.pop()
        self._cut.discard(key)
        if not self._cut and self._calls <= _MOST_CALLS:
            # Found inside a circle of calls, it would be only part of the truth.
            self._known[key] = found
        return found

    def is_open(self, function: Function) -> bool:
        """Whether a function is being followed already, with whatever arguments."""
        return any(key[0] == _identity(function) for key in self._open)


def _identity(function: Function) -> tuple[str, tuple[int, int], bytes]:
    return function.path, function.span, function.source
