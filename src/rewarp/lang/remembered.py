"""What was made of a text, remembered as long as there is room: states of one project differ in a few files only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Remembered(Generic[Made]):
    """Whatever is remembered is shared by all who ask: it must never be changed."""

    def __init__(self, room: int) -> None:
        """``room``: bytes of text that may be remembered in all."""
        self._room, self._used = room, 0
        self._known: OrderedDict[Hashable, tuple[int, Made]] = OrderedDict()

    def get(self, key: Hashable, size: int, make: Callable[[], Made]) -> Made:
        """What ``make`` gives, or gave before for the same key; what it raises is not remembered."""
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known[1]
        made = make()
        if size <= self._room:
            self._known[key] = size, made
            self._used += size
            self._forget()
        return made

    def limit(self, room: int) -> None:
        """No more than so much from now on."""
        self._room = min(self._room, room)
        self._forget()

    def _forget(self) -> None:
        while self._used > self._room:
            self._used -= self._known.popitem(last=False)[1][0]
