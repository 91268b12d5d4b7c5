"""Where a script that is followed is: the guards that are taken to hold there, and what values are under them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rewarp.errors import GaveUp
from rewarp.project.execution.scopes import Raised, Scope
from rewarp.project.execution.values import (
    Choice,
    Guard,
    Guarded,
    Guards,
    OpenFile,
    Unknown,
    choose,
    compatible,
    denied,
    further,
    has_hole,
    shortened,
    truth,
    written,
)
from rewarp.project.gates.platforms import Platform

_MOST_MEMBERS = 20_000
_LONGEST_TEXT = 200_000


class Fork(NamedTuple):
    """A condition that nothing decides: the guards where it is true, and where it is not."""

    yes: Guards
    no: Guards


class TooMuch(GaveUp):
    """The script does more than is followed."""


class Paths:
    """A place in a script."""

    platform: Platform

    def __init__(self) -> None:
        self.path: Guards = ()
        self.scope: Scope = Scope("", None, ())
        self._line = 0
        self._steps = 0

    # --- paths ----------------------------------------------------------------------

    @contextmanager
    def under(self, guards: Guards) -> Iterator[None]:
        before, self.path = self.path, (*self.path, *further(guards, self.path))
        try:
            yield
        finally:
            self.path = before

    def lifted(self, function: Callable[..., Any], *values: Any) -> Any:
        """What a function gives for each value that the arguments may have."""
        for at, value in enumerate(values):
            if isinstance(value, Choice):
                found, failure = [], None
                for option in value.options:
                    if compatible(option.guards, self.path):
                        try:
                            with self.under(option.guards):
                                one = self.lifted(function, *values[:at], option.item, *values[at + 1 :])
                            found.append(Guarded(one, option.guards))
                        except Raised as raised:  # on this way alone
                            failure = raised
                if failure is not None and not found:
                    raise failure
                return choose(found, self.path)
        return function(*values)

    def decide(self, value: Any, node: ast.AST) -> bool | Fork:
        """The truth of a condition here, or what stands for its being true and its being false."""
        known = truth(value)
        if known is not None:
            return known
        if isinstance(value, Choice):
            return self._decide_choice(value, node)
        guard = value.guard if isinstance(value, Unknown) else Guard(shortened(ast.unparse(node)))
        return self._fork((guard,))

    def _fork(self, guards: Guards) -> bool | Fork:
        """A condition that is true where all of these hold."""
        missing = further(guards, self.path)
        if not missing:
            return True
        return Fork(missing, denied(missing)) if compatible(missing, self.path) else False

    def _decide_choice(self, value: Choice, node: ast.AST) -> bool | Fork:
        here = [option for option in value.options if compatible(option.guards, self.path)]
        truths = [truth(option.item) for option in here]
        if None not in truths:
            if truths.count(True) == 1:
                return self._fork(here[truths.index(True)].guards)
            if truths.count(False) == 1:
                found = self._fork(here[truths.index(False)].guards)
                return not found if isinstance(found, bool) else Fork(found.no, found.yes)
        return self._fork((Guard(shortened(ast.unparse(node))),))

    def members(self, value: Any) -> list[Guarded] | None:
        """The members of a collection, with their guards; None for what is none."""
        if isinstance(value, Choice):
            found: list[Guarded] = []
            for option in value.options:
                inner = self.members(option.item)
                if inner is None:
                    return None
                found += [Guarded(item, (*option.guards, *guards)) for item, guards in inner]
        elif isinstance(value, (set, frozenset)):
            found = [Guarded(item, ()) for item in sorted(value, key=written)]  # the same in every run
        elif isinstance(value, (list, tuple)):
            found = [item if isinstance(item, Guarded) else Guarded(item, ()) for item in value]
        elif isinstance(value, dict):
            found = [Guarded(key, ()) for key in value]
        elif isinstance(value, OpenFile):
            found = [Guarded(line, ()) for line in value.text.splitlines(keepends=True)]
        elif isinstance(value, str) and not has_hole(value) and len(value) < 1000:
            found = [Guarded(letter, ()) for letter in value]
        else:
            return None
        if len(found) > _MOST_MEMBERS:
            raise TooMuch
        return [Guarded(item, further(guards, self.path)) for item, guards in found if compatible(guards, self.path)]

    def limited(self, value: Any) -> Any:
        if isinstance(value, str):
            self._steps += len(value) // 64
            if len(value) > _LONGEST_TEXT:
                return Unknown("a text without end", True, is_text=True)
        elif isinstance(value, (list, tuple)):
            self._steps += len(value) // 8
            if len(value) > _MOST_MEMBERS:
                raise TooMuch
        return value
