"""Methods that choose by operation: `if layer is OpType.Linear: return CudaLinear`, one branch for each, or `match`.

Each back end's class has such a method, and hands what it does not have on to the class above: every operation is a unit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from rewarp.parity.backends import words
from rewarp.parity.units import Status


@dataclass(frozen=True)
class Choice:
    """One operation, and what a branch answers for it."""

    label: str
    line: int
    target: str
    """The name that is answered (`module:name` where the branch imports it); empty where that is no name."""
    status: Status


@dataclass(frozen=True)
class Choices:
    """What a method chooses from, and whether it asks the class above for the rest."""

    found: tuple[Choice, ...] = ()
    hands_on: bool = False


def choices_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Choices:
    """The operations that a method tells apart by one of its parameters, if there are some."""
    parameters = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    found = [one for statement in node.body for one in _of(statement, parameters - {"self", "cls"})]
    if not found or any(one.label.lower() in words() for one in found):
        return Choices()
    return Choices(tuple(found), any(_asks_above(statement, node.name) for statement in _after(node)))


def _of(statement: ast.stmt, parameters: set[str]) -> Iterator[Choice]:
    if isinstance(statement, ast.If):
        for label in _labels(statement.test, parameters):
            yield _choice(label, statement.body, statement.lineno)
        for other in statement.orelse:
            yield from _of(other, parameters)
    elif isinstance(statement, ast.Match) and _is_one_of(statement.subject, parameters):
        for case in statement.cases:
            patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            for pattern in patterns if case.guard is None else ():
                if isinstance(pattern, ast.MatchValue) and (label := _label(pattern.value)):
                    yield _choice(label, case.body, pattern.lineno)


def _labels(test: ast.expr, parameters: set[str]) -> list[str]:
    """The operations that a condition names, and nothing besides."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        parts = [_labels(value, parameters) for value in test.values]
        return [label for part in parts for label in part] if all(parts) else []
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not _is_one_of(test.left, parameters):
        return []
    wanted = test.comparators[0]
    if isinstance(test.ops[0], (ast.Eq, ast.Is)):
        values = [wanted]
    elif isinstance(test.ops[0], ast.In) and isinstance(wanted, (ast.Tuple, ast.List, ast.Set)):
        values = wanted.elts
    else:
        return []
    labels = [_label(value) for value in values]
    return labels if all(labels) else []


def _is_one_of(node: ast.expr, parameters: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in parameters


def _label(node: ast.expr) -> str:
    """`Linear` for `OpType.Linear`, a text for itself; nothing for what is neither."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id[:1].isupper():
        return node.attr
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _choice(label: str, body: list[ast.stmt], line: int) -> Choice:
    last = body[-1]
    imports = {
        alias.asname or alias.name: f"{'.' * item.level}{item.module or ''}:{alias.name}"
        for item in body
        if isinstance(item, ast.ImportFrom)
        for alias in item.names
    }
    if isinstance(last, ast.Raise):
        return Choice(label, line, "", Status.ERROR)
    if all(isinstance(item, ast.Pass) for item in body) or (isinstance(last, ast.Return) and _is_none(last.value)):
        return Choice(label, line, "", Status.NO_OP)
    value = last.value if isinstance(last, ast.Return) else None
    value = value.func if isinstance(value, ast.Call) else value
    target = imports.get(value.id, value.id) if isinstance(value, ast.Name) else ""
    return Choice(label, line, target, Status.UNKNOWN)


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _after(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.stmt]:
    """What is done where no branch was taken: the last statement, or the last `else` and `case _` of it."""
    last = node.body[-1]
    while isinstance(last, ast.If) and last.orelse:
        last = last.orelse[-1]
    if isinstance(last, ast.Match) and last.cases:
        last = last.cases[-1].body[-1]
    yield last


def _asks_above(statement: ast.stmt, name: str) -> bool:
    """Whether a statement answers what `super()` does for the method."""
    value = statement.value if isinstance(statement, ast.Return) else None
    value = value.value if isinstance(value, ast.Await) else value
    called = value.func if isinstance(value, ast.Call) else None
    return (
        isinstance(called, ast.Attribute)
        and called.attr == name
        and isinstance(called.value, ast.Call)
        and isinstance(called.value.func, ast.Name)
        and called.value.func.id == "super"
    )
