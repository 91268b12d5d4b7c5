"""Names that a platform's way through a Python file reads before they are bound: definite assignment, with gates folded.

Only what is certain to Python's own rules is followed: the statements of a module and of each function, in order. A loop may
run never, a handler may begin anywhere in its ``try``. Names of a module that functions read have to be bound by something
that the platform comes to, at any time."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rewarp.lang.python_names import PythonNames
from rewarp.lang.python_parameters import defaults, parameters
from rewarp.project.gates.evaluate import Evaluator, Modules
from rewarp.project.gates.flow import EXITS
from rewarp.project.gates.platforms import Platform

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__spec__", "__path__", "__package__"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
State = frozenset[str] | None
"""The names that are surely bound; None where nothing is reached."""


class Unbound(NamedTuple):
    name: str
    scope: str
    """The function that reads it, with the class and functions around it and dots between; empty for the module."""
    line: int


def unbound(document: PythonNames, platform: Platform, modules: Modules | None = None) -> list[Unbound]:
    """What is read though it may not be bound, in the order of lines."""
    if any(alias.name == "*" for node in document.nodes(ast.ImportFrom) for alias in node.names):
        return []
    reader = _Reader(Evaluator(document, platform, modules))
    module = reader.scope(document.tree.body)
    for name, scope, line in reader.deferred:
        if name not in reader.ever and name not in _BUILTINS:
            module.append(Unbound(name, scope, line))
    return sorted(set(module), key=lambda found: (found.line, found.name))


class _Reader:
    def __init__(self, evaluator: Evaluator) -> None:
        self._truth = evaluator.truth
        self.ever: set[str] = set()
        """Names of the module that something binds on this platform's way, or in a function."""
        self.deferred: list[tuple[str, str, int]] = []
        self._found: list[Unbound] = []
        self._inner: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
        self._scope, self._module = "", True
        self._own = self._around = frozenset[str]()

    def scope(
        self,
        body: list[ast.stmt],
        bound: frozenset[str] = frozenset(),
        name: str = "",
        around: frozenset[str] | None = None,
    ) -> list[Unbound]:
        """Reads one scope, and then the functions in it; ``around`` are the names of functions around one."""
        self._found, self._scope, self._inner, self._module = [], name, [], around is None
        shared = {n for statement in body for item in ast.walk(statement) for n in _shared(item)}
        self.ever |= shared
        self._own = (frozenset(_assigned(body)) | bound) - shared if around is not None else frozenset()
        self._around = around or frozenset()
        self._block(body, bound)
        found, inner, known = self._found, self._inner, self._around | self._own
        for called, item in inner:
            given = frozenset(arg.arg for arg in parameters(item.args))
            found += self.scope(item.body, given, f"{name}.{called}".lstrip("."), known)
        return found

    # --- statements ---------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], state: State) -> State:
        for statement in body:
            if state is None:
                return None
            state = self._statement(statement, state)
        return state

    def _statement(self, node: ast.stmt, state: frozenset[str]) -> State:
        if isinstance(node, _FUNCTIONS):
            self._reads([*node.decorator_list, *(default for _, default in defaults(node.args))], state)
            self._inner.append((node.name, node))
            return self._binds(state, [node.name])
        if isinstance(node, ast.ClassDef):
            self._reads([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)], state)
            self._inner += [(f"{node.name}.{item.name}", item) for item in node.body if isinstance(item, _FUNCTIONS)]
            return self._binds(state, [node.name])
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [(a.asname or a.name.partition(".")[0]) for a in node.names]
            return self._binds(state, names)
        if isinstance(node, ast.If):
            return self._if(node, state)
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, state)  # type: ignore[arg-type]
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(node, state)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self._reads([item.context_expr], state)
                state = self._binds(state, _names([item.optional_vars]))
            after = self._block(node.body, state)
            return state if after is None and not _leaves(node.body) else after
        if isinstance(node, ast.Match):
            self._reads([node.subject], state)
            ends = [self._block(case.body, self._binds(state, _captured(case.pattern))) for case in node.cases]
            return _joined([state, *ends])
        self._reads([node], state)
        if isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in EXITS:
            return None
        if isinstance(node, ast.Assert) and self._truth(node.test) is False:
            return None
        if isinstance(node, ast.Delete):
            return state - set(_names(node.targets))
        return self._binds(state, _assigned([node]))

    def _if(self, node: ast.If, state: frozenset[str]) -> State:
        self._reads([node.test], state)
        state = self._binds(state, _walrus(node.test))
        truth = self._truth(node.test)
        if truth is not None:
            return self._block(node.body if truth else node.orelse, state)
        return _joined([self._block(node.body, state), self._block(node.orelse, state)])

    def _try(self, node: ast.Try, state: frozenset[str]) -> State:
        whole = self._block(node.orelse, self._block(node.body, state))
        ends = [whole]
        for handler in node.handlers:
            inside = self._binds(state, [handler.name] if handler.name else [])
            after = self._block(handler.body, inside)
            ends.append(None if after is None else after - ({handler.name} if handler.name else set()))
        end = _joined(ends)
        if node.finalbody:
            last = self._block(node.finalbody, state)
            return None if last is None or end is None else end | last
        return end

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: frozenset[str]) -> State:
        if isinstance(node, ast.While):
            self._reads([node.test], state)
            forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
            inside = self._binds(state, _walrus(node.test))
            after = self._block(node.body, inside)
            return inside | (after or frozenset()) if forever else self._block(node.orelse, inside)
        self._reads([node.iter], state)
        self._block(node.body, self._binds(state, _names([node.target])))
        # A loop over something is mostly meant to run: what only it binds is taken for bound.
        return self._binds(state, [*_names([node.target]), *_assigned(node.body)])

    # --- names --------------------------------------------------------------------

    def _binds(self, state: frozenset[str], names: Iterable[str]) -> frozenset[str]:
        names = list(names)
        if self._module:
            self.ever.update(names)
        return state.union(names)

    def _reads(self, nodes: Iterable[ast.AST], state: frozenset[str]) -> None:
        for node in nodes:
            inside = frozenset(_walrus(node)) | frozenset(_comprehended(node))
            for name in _loads(node):
                if name.id in state or name.id in inside or name.id in _BUILTINS:
                    continue
                if self._module or name.id in self._own:
                    self._found.append(Unbound(name.id, self._scope, name.lineno))
                elif name.id not in self._around:
                    self.deferred.append((name.id, self._scope, name.lineno))


def _joined(states: Iterable[State]) -> State:
    reached = [state for state in states if state is not None]
    return frozenset.intersection(*reached) if reached else None


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _loads(node: ast.AST) -> Iterator[ast.Name]:
    """The names that are read where a statement runs; what functions in it read comes later."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            yield item
        if isinstance(item, (*_FUNCTIONS, ast.Lambda)):
            continue
        waiting += ast.iter_child_nodes(item)


def _comprehended(node: ast.AST) -> Iterator[str]:
    for item in ast.walk(node):
        if isinstance(item, ast.comprehension):
            yield from _names([item.target])


def _walrus(node: ast.AST) -> Iterator[str]:
    return (item.target.id for item in ast.walk(node) if isinstance(item, ast.NamedExpr))


def _names(targets: Iterable[ast.AST | None]) -> list[str]:
    return [n.id for target in targets if target is not None for n in ast.walk(target) if isinstance(n, ast.Name)]


def _captured(pattern: ast.AST) -> Iterator[str]:
    for item in ast.walk(pattern):
        for field in ("name", "rest"):
            if isinstance(value := getattr(item, field, None), str):
                yield value


def _assigned(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that statements bind in their own scope."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        item = waiting.pop()
        if isinstance(item, (*_FUNCTIONS, ast.ClassDef)):
            yield item.name
            continue
        if isinstance(item, _SCOPES):
            continue
        if isinstance(item, (ast.Import, ast.ImportFrom)):
            yield from ((a.asname or a.name.partition(".")[0]) for a in item.names)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            yield item.id
        elif isinstance(item, ast.ExceptHandler) and item.name:
            yield item.name
        waiting += ast.iter_child_nodes(item)


def _shared(node: ast.AST) -> list[str]:
    """Names that a function takes from its module, and may bind there."""
    return node.names if isinstance(node, (ast.Global, ast.Nonlocal)) else []
