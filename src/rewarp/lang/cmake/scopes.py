"""Variables of a running CMake: scopes, the cache, and what branches that may not be taken change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rewarp.lang.cmake.values import UNDEFINED, Conditions, Literal, choice, has_choice, is_too_much, resolved, unknown

_Key = tuple[int, str]
_CACHE = -1


@dataclass
class Scopes:
    conditions: Conditions
    cache: dict[str, str | None] = field(default_factory=dict)
    stack: list[dict[str, str | None]] = field(default_factory=lambda: [{}])
    """In each, None for what was unset there."""
    origins: list[tuple[re.Pattern[str], str]] = field(default_factory=list)
    """Names that something we cannot see may have set, and what that is."""
    _logs: list[dict[_Key, str | None]] = field(default_factory=list)

    # --- reading -------------------------------------------------------------------

    def get(self, name: str) -> str | None:
        for scope in reversed(self.stack):
            if name in scope:
                if scope[name] is not None:
                    return self._here(scope[name])
                break
        if (value := self.cache.get(name)) is not None:
            return self._here(value)
        for pattern, origin in self.origins:
            if pattern.fullmatch(name):
                return unknown(f"{name} of {origin}", maybe_undefined=True)
        return None

    def cached(self, name: str) -> str | None:
        return self._here(self.cache.get(name))

    def _here(self, value: str | None) -> str | None:
        """A value under the conditions of this place."""
        if value is not None and has_choice(value):
            value = resolved(value, self.conditions.known)
        return None if value == UNDEFINED else value

    # --- writing -------------------------------------------------------------------

    def set(self, name: str, value: str | None) -> None:
        self._write((len(self.stack) - 1, name), value)

    def set_cached(self, name: str, value: str | None) -> None:
        self._write((_CACHE, name), value)

    def set_above(self, name: str, value: str | None) -> None:
        """In the scope around; this one keeps what it sees."""
        here = len(self.stack) - 1
        if here == 0:
            return
        if name not in self.stack[here]:
            self._write((here, name), self.get(name))
        self._write((here - 1, name), value)

    def _write(self, key: _Key, value: str | None) -> None:
        scope = self._scope(key)
        if self._logs:
            self._logs[-1].setdefault(key, scope.get(key[1], UNDEFINED))
        scope[key[1]] = value

    def _scope(self, key: _Key) -> dict[str, str | None]:
        return self.cache if key[0] == _CACHE else self.stack[key[0]]

    # --- scopes and branches -------------------------------------------------------

    def push(self) -> None:
        self.stack.append({})

    def pop(self) -> dict[str, str | None]:
        gone = len(self.stack) - 1
        for log in self._logs:
            for key in [key for key in log if key[0] == gone]:
                del log[key]
        return self.stack.pop()

    def tried(self, run: Callable[[], None]) -> dict[_Key, str | None]:
        """What a run changes; it is taken back."""
        self._logs.append({})
        run()
        before = self._logs.pop()
        after: dict[_Key, str | None] = {}
        for key, old in before.items():
            scope = self._scope(key)
            after[key] = scope.get(key[1])
            if old == UNDEFINED:
                scope.pop(key[1], None)
            else:
                scope[key[1]] = old
        return after

    def write_choice(self, key: _Key, options: list[tuple[Literal | None, str | None]]) -> None:
        """A variable's value after branches, each but the last with its condition."""
        texts = [UNDEFINED if value is None else value for _, value in options]
        found = texts[-1]
        for (literal, _), text in zip(reversed(options[:-1]), reversed(texts[:-1])):
            found = choice(literal, text, found) if literal else text
        if is_too_much(found):
            found = unknown(f"{key[1]}, of too many cases", maybe_undefined=UNDEFINED in found)
        self._write(key, None if found == UNDEFINED else found)

    def current(self, key: _Key) -> str | None:
        """What a name means in a scope that no branch changed: what is seen there, from above too."""
        if key[0] == _CACHE:
            return self.cache.get(key[1])
        for scope in reversed(self.stack[: key[0] + 1]):
            if key[1] in scope:
                return scope[key[1]]
        return self.cache.get(key[1])
