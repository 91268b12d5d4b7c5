"""Abstract evaluation of C++ functions, some inputs known: may one return true, return false, fail, or fall through?

No path is enumerated: a condition that is not decided by what is assumed takes both of its ways. So "always fails"
is said only where every way fails, and "may answer yes" wherever one way does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rewarp.parity import deadline
from rewarp.parity.cpp.following.conditions import Conditions
from rewarp.parity.cpp.following.exits import (
    ANYTHING,
    BREAK,
    CONTINUE,
    FAIL,
    FAILED,
    GO_ON,
    INSIDE,
    NEXT,
    NO,
    YES,
    Environment,
    Exits,
    Known,
    Lambda,
)
from rewarp.parity.cpp.reading.declarations import Function
from rewarp.parity.cpp.reading.expressions import find, is_constant, last_name, path
from rewarp.parity.cpp.reading.program import Program
from rewarp.parity.cpp.reading.statements import (
    Block,
    Expression,
    If,
    Jump,
    Label,
    Loop,
    Return,
    Simple,
    Statement,
    Switch,
    Throw,
)
from rewarp.parity.units import Place

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_CALLS_DEEP = 7
_BUDGET = 40_000
"""Statements that one evaluation may look at; a call may take half of what its caller may."""
_LEAST = 1_500


@dataclass(frozen=True)
class Found:
    """A `switch` on a path."""

    path: str
    labels: Mapping[str, int]
    """The line of every label."""
    inside: tuple[tuple[str, str], ...]
    """The cases of other switches around it."""
    at: int
    qualifier: str = ""
    """What stands before `::` in its labels."""


@dataclass(frozen=True)
class _Settled:
    """How a call ended. It ends so again wherever the same is assumed of the paths that it asked for."""

    exits: Exits
    asked: frozenset[tuple[str, str]]
    assumed: tuple[tuple[str, str | None], ...]
    failure: tuple[Place, ...]

    def holds(self, assumed: Mapping[str, str]) -> bool:
        return all(assumed.get(path) == constant for path, constant in self.assumed)


class Evaluator:
    """Runs functions of one program under assumptions: constants by path (`op->op` → `GGML_OP_ADD`)."""

    def __init__(self, program: Program, assumed: Mapping[str, str], calls_deep: int = _CALLS_DEEP) -> None:
        self.program = program
        self.assumed = assumed
        self.calls_deep = calls_deep
        self.compared: set[tuple[str, str]] = set()
        """Paths and the constants that they were compared with, inside what was assumed."""
        self.refusals: list[Place] = []
        """Conditions that could not be decided and that decide between yes and no, inside what was assumed."""
        self.failure: tuple[Place, ...] = ()
        """The call chain to the first certain failure."""
        self.switches: list[Found] = []
        """Every `switch` of the function that was run first."""
        self.cases: list[Exits] = []
        """How each case ended that was chosen by what is assumed, in the function that was run first."""
        self.called = False
        """Whether the function that was run first calls anything inside what was assumed."""
        self.case_calls: list[list[Function]] = []
        """What those calls may mean."""
        self.chain: list[Place] = []
        self.inside = 0
        self.around: list[tuple[str, str]] = []
        self.left = _BUDGET
        self.open_lambdas: set[tuple[int, tuple[int, int]]] = set()
        self._asked: set[tuple[str, str]] = set()
        self._running: set[tuple[int, tuple[str, ...]]] = set()
        self._cut = 0
        """How often a call was not followed because it stood too deep."""

    def run(self, function: Function, arguments: tuple[str, ...] | None = None) -> Exits:
        """How a call ends: YES, NO, FAIL or a constant; YES also stands for the end of one that answers nothing."""
        deadline.check()
        arguments = arguments if arguments is not None else function.parameters
        key = (id(function), arguments)
        depth = len(self.chain)
        known = self._known(key, depth) if depth else None
        if known is not None:
            self.ask(known.asked)
            if known.failure and not self.failure:
                self.failure = (*self.chain, *known.failure)
            return known.exits
        level = len(self._running)
        if function.body is None or key in self._running or self.left <= 0:
            return ANYTHING
        if depth >= 2 * self.calls_deep or level >= self.program.too_large.get(id(function), level + 1):
            self._cut += 1
            return ANYTHING
        outer, self._asked = self._asked, set()
        before, cut, left = self.failure, self._cut, self.left
        share = max(_BUDGET >> level, _LEAST)
        self.left = min(left, share)
        self._running.add(key)
        self.chain.append(function.place)
        environment: Environment = {name: value for name, value in zip(function.parameters, arguments) if name}
        exits = _Run(self, function.tokens).statement(self.program.statements(function), environment)
        self.chain.pop()
        self._running.discard(key)
        answer = frozenset(YES if end in (NEXT, BREAK, CONTINUE) else end for end in exits)
        if self.left <= 0 and left > share:
            # The caller goes on without it, and nobody tries it again from as far down.
            self.program.too_large[id(function)] = level
            self.left, self._asked, self.failure = left - share // 8, outer, before
            self._cut += 1
            return ANYTHING
        self.left = left - (min(left, share) - self.left)
        if depth and self.left > 0:
            assumed = tuple((path, self.assumed.get(path)) for path in {path for path, _ in self._asked})
            failure = self.failure[depth:] if not before else ()
            # What was followed to its end ends so at every depth.
            where = (*key, depth if self._cut > cut else 0)
            settled: list[_Settled] = self.program.settled.setdefault(where, [])
            settled.append(_Settled(answer, frozenset(self._asked), assumed, failure))
        self._asked |= outer
        return answer

    def _known(self, key: tuple[int, tuple[str, ...]], depth: int) -> _Settled | None:
        """How the same call ended before, where the same was assumed."""
        for where in ((*key, 0), (*key, depth)):
            for settled in self.program.settled.get(where, ()):
                if settled.holds(self.assumed):
                    found: _Settled = settled
                    return found
        return None

    def ask(self, pairs: frozenset[tuple[str, str]] | set[tuple[str, str]]) -> None:
        """Remember what paths were compared with."""
        self._asked |= pairs
        if self.inside:
            self.compared |= pairs

    def fail(self, place: Place) -> None:
        if not self.failure:
            self.failure = (*self.chain, place)


class _Run(Conditions):
    """One function's code."""

    def statement(self, statement: Statement, env: Environment) -> Exits:
        self.evaluator.left -= 1
        if self.evaluator.left <= 0:
            return ANYTHING | GO_ON
        if isinstance(statement, Block):
            return self._sequence(statement.statements, env)
        if isinstance(statement, Simple):
            return self._simple(statement.what, env)
        if isinstance(statement, Return):
            return self._return(statement.what, env)
        if isinstance(statement, Throw):
            self.evaluator.fail(self.place(statement.what[0] - 1))
            return FAILED
        if isinstance(statement, Jump):
            return frozenset({statement.word if statement.word in (BREAK, CONTINUE) else NEXT})
        if isinstance(statement, If):
            return self._if(statement, env)
        if isinstance(statement, Loop):
            return self._loop(statement, env)
        return self._switch(statement, env)

    def _sequence(self, statements: tuple[Statement | Label, ...], env: Environment) -> Exits:
        exits: set[str] = set()
        for statement in statements:
            if isinstance(statement, Label):
                continue
            found = self.statement(statement, env)
            exits |= found
            if NEXT not in found:
                exits.discard(NEXT)
                return frozenset(exits)
        return frozenset(exits | {NEXT})

    def _loop(self, statement: Loop, env: Environment) -> Exits:
        before = dict(env)
        exits = self.statement(statement.body, env)
        _merge(env, before)
        left = exits - {BREAK, CONTINUE}
        if statement.at_least_once and not exits & {NEXT, BREAK, CONTINUE}:
            return left
        # A failure inside a loop that may run no time is not certain.
        return (left - FAILED) | GO_ON

    def _if(self, statement: If, env: Environment) -> Exits:
        truth = self.truth(statement.test, env) if statement.test else None
        if truth is not None:
            taken = statement.then if truth else statement.otherwise
            return self.statement(taken, env) if taken else GO_ON
        other = dict(env)
        exits = self.statement(statement.then, env)
        otherwise = self.statement(statement.otherwise, other) if statement.otherwise else GO_ON
        if not exits & INSIDE:
            env.clear()
            env.update(other)
        elif otherwise & INSIDE:
            _merge(env, other)
        if statement.test and exits != otherwise and (exits | otherwise) & {NO, FAIL}:
            self._refuse(statement.test)
        return exits | otherwise

    def _return(self, what: Expression, env: Environment) -> Exits:
        if what[0] >= what[1]:
            return frozenset({YES})
        if self.fails(what, env):
            return FAILED
        truth = self.truth(what, env)
        if truth is not None:
            return frozenset({YES if truth else NO})
        constant = last_name(path(self.tokens, what, env) or "")
        if is_constant(constant):
            return frozenset({constant})
        self._refuse(what)
        return ANYTHING

    def _refuse(self, what: Expression) -> None:
        if self.evaluator.inside and len(self.evaluator.chain) == 1:
            self.evaluator.refusals.append(self.place(what[0]))

    def _switch(self, statement: Switch, env: Environment) -> Exits:
        chosen = path(self.tokens, statement.on, env)
        items, labels = statement.items, self._labels(statement)
        if chosen:
            self.evaluator.ask({(chosen, label) for _, label in labels if label})
            self._remember(statement, chosen)
        wanted = self.evaluator.assumed.get(chosen) if chosen else None
        if wanted is None:
            return self._any_case(items, labels, chosen or "", env)
        start = next((index for index, label in labels if label == wanted), None)
        if start is None:
            start = next((index for index, label in labels if label is None), None)
        if start is None:
            return GO_ON
        self.evaluator.inside += 1
        exits = self._sequence(items[start:], env)
        self.evaluator.inside -= 1
        if not self.evaluator.inside and len(self.evaluator.chain) == 1:
            self.evaluator.cases.append(_after_switch(exits))
        return _after_switch(exits)

    def _labels(self, statement: Switch) -> list[tuple[int, str | None]]:
        """Where the labels stand, and what they are; None for `default`."""
        key = ("labels", statement.at)
        found: list[tuple[int, str | None]] | None = self.tokens.memory.get(key)
        if found is None:
            found = self.tokens.memory[key] = [
                (index, self._constant(item.value) if item.value else None)
                for index, item in enumerate(statement.items)
                if isinstance(item, Label)
            ]
        return found

    def _any_case(
        self, items: tuple[Label | Statement, ...], labels: list[tuple[int, str | None]], chosen: str, env: Environment
    ) -> Exits:
        exits: set[str] = set() if any(label is None for _, label in labels) else {NEXT}
        before = dict(env)
        for index, label in labels:
            if index and isinstance(items[index - 1], Label):
                continue  # the label before it begins at the same place
            other = dict(before)
            self.evaluator.around.append((chosen, label or ""))
            exits |= self._sequence(items[index:], other)
            self.evaluator.around.pop()
            _merge(env, other)
        return _after_switch(frozenset(exits))

    def _remember(self, statement: Switch, chosen: str) -> None:
        if len(self.evaluator.chain) != 1:
            return
        values = [item.value for item in statement.items if isinstance(item, Label) and item.value]
        labels = {self._constant(value): self.tokens.line(value[0]) for value in values}
        texts = self.tokens.list
        qualifier = texts[values[0][1] - 3] if values and texts[values[0][1] - 2] == "::" else ""
        found = Found(chosen, labels, tuple(self.evaluator.around), statement.at, qualifier)
        self.evaluator.switches.append(found)

    def _constant(self, what: Expression) -> str:
        names = [text for text in self.tokens.list[slice(*what)] if _NAME.match(text)]
        return names[-1] if names else ""

    def _simple(self, what: Expression, env: Environment) -> Exits:
        if self.fails(what, env):
            return FAILED
        texts = self.tokens.list
        if self.evaluator.program.returns(texts[what[0]]):
            return ANYTHING | GO_ON
        equals = find(self.tokens, what, "=")
        if equals is None or not _NAME.match(texts[equals - 1]) or texts[equals - 2] in ("->", ".", "::"):
            return GO_ON
        value = (equals + 1, what[1])
        code = self._lambda(*value) if texts[value[0]] == "[" else None
        truth = self.truth(value, env)
        stands_for = path(self.tokens, value, env) if truth is None else None
        env[texts[equals - 1]] = code or stands_for or Known(truth)
        return GO_ON

    def _lambda(self, start: int, end: int) -> Lambda | None:
        texts, partner = self.tokens.list, self.tokens.partner
        at = partner.get(start, start) + 1
        names: list[str] = []
        if texts[at] == "(":
            close = partner.get(at, at)
            for index in range(at + 1, close):
                if _NAME.match(texts[index]) and texts[index + 1] in (",", ")"):
                    names.append(texts[index])
            at = close + 1
        while at < end and texts[at] != "{":
            at += 1
        return Lambda(tuple(names), (at + 1, partner.get(at, end))) if at < end else None


def _after_switch(exits: Exits) -> Exits:
    return (exits - {BREAK}) | GO_ON if BREAK in exits else exits


def _merge(env: Environment, other: Mapping[str, str | Known | Lambda]) -> None:
    """What holds after either of two ways."""
    if env == other:
        return
    for name, value in list(env.items()):
        known = other.get(name)
        if known is not value and known != value:
            env[name] = Known(None)
    for name in other.keys() - env.keys():
        env[name] = Known(None)
