"""Functions that dispatch on an enumeration of operations: which operations they implement, for which data types.

Data types are tied to each other (`src1->type == dst->type`), and the support query is not the implementation. So a type
counts at one position only where types at the other positions can be found for which everybody agrees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rewarp.parity.cpp.following.evaluation import Evaluator, Found
from rewarp.parity.cpp.following.exits import INSIDE, may_succeed
from rewarp.parity.cpp.reading.declarations import Function
from rewarp.parity.cpp.reading.program import Program

OTHER = "other types"
"""A type that no code names."""
_SUPPORTS = re.compile(r"support|_can_|^can_|capab|is_valid|is_available", re.I)
_ASIDE = re.compile(r"name|string|_str\b|desc|print|log|fus|flops|bytes|size|cost|estimate|hash|debug|check|dump", re.I)
_TYPE_WORD = re.compile(r"(d?type|data_?type|scalar_?type|dtype)(\(\))?$", re.I)
_ROOTED = re.compile(r"(?P<root>.*[\w)\]])->(?P<field>\w+(\(\))?)\Z")
_CALL_OF_ROOT = re.compile(r"(?P<function>\w+)\((?P<root>[^(),]+(\([^()]*\))?)\)\Z")
_COMBINATIONS = 80
"""So many combinations of types are tried before one counts as possible."""
Types = Mapping[str, str]
"""Data types by position (`$->src[0]->type`)."""


@dataclass(frozen=True)
class Dispatch:
    """A function of one back end that chooses by an enumeration."""

    function: Function
    template: str
    """What it chooses by, with `$` for the thing that is asked about: `$->op`."""
    root: str
    found: Found

    def is_of(self, template: str, qualifier: str) -> bool:
        """Whether it chooses by this, and its cases may be of that enumeration: `using enum` leaves its name out."""
        return self.template == template and (not qualifier or self.found.qualifier in ("", qualifier))

    @property
    def is_support(self) -> bool:
        """Whether it only says whether it can."""
        return bool(_SUPPORTS.search(self.function.name)) and "bool" in self.function.flags

    @property
    def is_aside(self) -> bool:
        """Whether it is about the operation and does not do it: its name, its cost."""
        return not self.is_support and bool(_ASIDE.search(self.function.name))


@dataclass(frozen=True)
class Family:
    """An enumeration of operations that both sides choose by."""

    name: str
    template: str
    labels: tuple[str, ...]
    around: tuple[tuple[str, str], ...] = ()
    """The cases around it, by template."""
    qualifier: str = ""
    """The enumeration, where its cases name it."""


class Chooser:
    """One back end's way through one family."""

    def __init__(self, program: Program, family: Family, dispatches: Iterable[Dispatch]) -> None:
        self.program, self.family = program, family
        mine = [item for item in dispatches if item.is_of(family.template, family.qualifier)]
        self.support = _largest([item for item in mine if item.is_support])
        self.compute = _largest([item for item in mine if not item.is_support and not item.is_aside])
        self._asked: dict[tuple[bool, str, tuple[tuple[str, str], ...]], tuple[bool, Evaluator]] = {}
        self._left = 0

    @property
    def is_there(self) -> bool:
        return self.support is not None or self.compute is not None

    def dispatches(self) -> list[Dispatch]:
        return [way for way in (self.support, self.compute) if way is not None]

    def needs_nothing(self, label: str) -> bool:
        """Whether the case of an operation is there and empty: a reshape, a view."""
        if self.compute is None or label not in self.compute.found.labels:
            return False
        may, evaluator = self.ask(self.compute, label)
        return may and not evaluator.called

    def ask(self, way: Dispatch, label: str, types: Types | None = None) -> tuple[bool, Evaluator]:
        """Whether one function may succeed for an operation, and what was met on the way."""
        key = (way is self.support, label, tuple(sorted((types or {}).items())))
        if key not in self._asked:
            self._asked[key] = self._run(way, label, types or {})
        return self._asked[key]

    def _run(self, way: Dispatch, label: str, types: Types) -> tuple[bool, Evaluator]:
        assumed = {template.replace("$", way.root): case for template, case in self.family.around}
        assumed[self.family.template.replace("$", way.root)] = label
        assumed.update({position.replace("$", way.root): constant for position, constant in types.items()})
        evaluator = Evaluator(self.program, assumed)
        # A function may leave early for reasons of its own (an empty tensor): what counts is the way of the case.
        may = may_succeed(evaluator.run(way.function))
        return may and all(may_succeed(end) or bool(end & INSIDE) for end in evaluator.cases), evaluator

    def can(self, label: str, position: str, constant: str) -> bool:
        """Whether an operation may be done with a type at one position, whatever stands at the others."""
        self._left = _COMBINATIONS
        return self._possible(label, {position: constant})

    def _possible(self, label: str, types: Types) -> bool:
        self._left -= 1
        if not all(self.ask(way, label, types)[0] for way in self.dispatches()):
            return False
        compared = self.types(label, types)
        undecided = sorted({position for position, _ in compared if position not in types})
        if not undecided or self._left <= 0:
            return True
        # What is the same everywhere is tried first: most operations want it so.
        nearest = dict.fromkeys([*types.values(), *sorted(one for at, one in compared if at == undecided[0]), OTHER])
        return any(self._possible(label, {**types, undecided[0]: constant}) for constant in nearest if constant)

    def takes_others(self, label: str, position: str) -> bool | None:
        """Whether types that nobody names are taken; None where whoever is asked for support does not look at them."""
        if self.support and position not in {where for where, _ in self.types(label, {}, [self.support])}:
            return None
        return self.can(label, position, OTHER)

    def types(self, label: str, types: Types | None = None, ways: list[Dispatch] | None = None) -> set[tuple[str, str]]:
        """The data types that the code compares on its way, by position; empty where with another position's."""
        found: set[tuple[str, str]] = set()
        for way in ways or self.dispatches():
            _, evaluator = self.ask(way, label, types)
            for path, constant in evaluator.compared:
                if path.startswith(way.root + "->") and _TYPE_WORD.search(path) and not re.search(r"\[[a-zA-Z_]", path):
                    found.add(("$" + path[len(way.root) :], constant))
        return found


def _largest(items: list[Dispatch]) -> Dispatch | None:
    return max(items, key=lambda item: len(item.found.labels), default=None)


def dispatches(program: Program) -> Iterable[Dispatch]:
    """Every function of the back end's own that chooses by an enumeration."""
    for function in program.functions:
        if not program.owns(function.path, function.name) or function.body is None:
            continue
        if "switch" not in function.tokens.list[slice(*function.body)]:
            continue
        evaluator = Evaluator(program, {}, calls_deep=1)
        evaluator.run(function)
        joined: dict[str, Dispatch] = {}
        for found in evaluator.switches:
            rooted = _ROOTED.match(found.path) or _CALL_OF_ROOT.match(found.path)
            if rooted is None or _TYPE_WORD.search(found.path):
                continue
            root = rooted["root"]
            template = found.path.replace(root, "$", 1) if found.path.startswith(root) else f"{rooted['function']}($)"
            before = joined.get(template)
            if before:  # one function may choose twice by the same thing
                found = Found(
                    found.path, {**found.labels, **before.found.labels}, before.found.inside, found.at, found.qualifier
                )
            joined[template] = Dispatch(function, template, root, found)
        yield from joined.values()
