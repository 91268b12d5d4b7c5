"""The variables of a build file. Values that grow line by line, or by one another, take time in proportion to the file."""

from __future__ import annotations

import re
from collections import UserDict
from collections.abc import Mapping

_DEEPEST = 20
_MOST = 5_000_000
"""Characters that the references of one build file may stand for: a few variables that double one another have no end."""


class Variables(UserDict[str, str]):
    """Values by name; what is appended is put together when it is asked for."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._appended: dict[str, list[str]] = {}
        self._left = _MOST
        super().__init__(values or {})

    def append(self, name: str, text: str) -> None:
        self.data.setdefault(name, "")
        self._appended.setdefault(name, []).append(text)

    def is_empty(self, name: str) -> bool:
        return not self.data.get(name) and not any(self._appended.get(name, ()))

    def __getitem__(self, name: str) -> str:
        if name in self._appended:
            self.data[name] += "".join(self._appended.pop(name))
        return self.data[name]

    def __setitem__(self, name: str, value: str) -> None:
        self._appended.pop(name, None)
        self.data[name] = value

    def expanded(self, text: str, reference: re.Pattern[str], unknown: str = "", depth: int = 0) -> str:
        """A text with what its references stand for; ``unknown`` where that is not told here, or without end."""

        def known(match: re.Match[str]) -> str:
            name = match["name"]
            if name is None or name not in self:
                return self.unset(match, unknown)
            value = self[name]
            if self._left <= len(value):
                return unknown
            self._left -= 1 + len(value)
            return self.expanded(value, reference, unknown, depth + 1)

        if depth > _DEEPEST:
            return unknown or text
        return reference.sub(known, text) if "$" in text else text

    def unset(self, match: re.Match[str], unknown: str) -> str:
        """What a reference to nothing that is set here becomes."""
        return unknown
