"""Methods that choose by operation: `if layer is OpType.Linear: return CudaLinear`, one branch for each, or `match`.

Each back end's class has such a method, and hands what it does not have on to the class above: every operation is a unit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from rewarp.parity.names.backends import words
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
    is_open: bool = False
    """Whether it may answer in other ways as well."""


@dataclass(frozen=True)
class Table:
    """A name that a class binds: its operations, where it is a dictionary by these."""

    name: str
    line: int
    choices: Choices


def choices_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Choices:
    """The operations that a method tells apart by one of its parameters, if there are some."""
    parameters = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    names = parameters - {"self", "cls"}
    found = [one for statement in node.body for one in _of(statement, names)]
    if not found or any(one.label.lower() in words() for one in found):
        return Choices()
    last = _last(node)
    hands_on = _asks_above(last, node.name)
    is_open = not hands_on and not _answers_nothing(last)
    return Choices(tuple(found), hands_on, is_open or any(_answers_besides(item, names) for item in node.body))


def tables_of(node: ast.ClassDef) -> Iterator[Table]:
    """The names that a class binds to more than a constant."""
    for item in node.body:
        targets = (
            item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
        )
        value = item.value if isinstance(item, (ast.Assign, ast.AnnAssign)) else None
        for target in targets if value is not None and not isinstance(value, ast.Constant) else ():
            if isinstance(target, ast.Name):
                found = _in_dictionary(value, target.id) if isinstance(value, ast.Dict) else Choices()
                yield Table(target.id, item.lineno, found)


def _in_dictionary(node: ast.Dict, name: str) -> Choices:
    """`{**Above.ops, OpType.Exp: exp, "sin": lambda x: …}`."""
    found = []
    spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
    for key, value in zip(node.keys, node.values, strict=True):
        label = _label(key) if key is not None else ""
        if key is not None and (not label or label.lower() in words()):
            return Choices()
        if label:
            target = value.id if isinstance(value, ast.Name) else ""
            answer = value.body if isinstance(value, ast.Lambda) else value
            status = Status.IMPLEMENTED if isinstance(value, ast.Lambda) else Status.UNKNOWN
            found.append(Choice(label, value.lineno, target, Status.NO_OP if _is_none(answer) else status))
    above = [isinstance(value, ast.Attribute) and value.attr == name for value in spread]
    return Choices(tuple(found), any(above), not all(above))


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


def _last(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """What is done where no branch was taken: the last statement, or the last of its last `else` or `case _`."""
    last = node.body[-1]
    while isinstance(last, ast.If) and last.orelse:
        last = last.orelse[-1]
    if isinstance(last, ast.Match) and _takes_all(last.cases[-1]):
        last = last.cases[-1].body[-1]
    return last


def _takes_all(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _answers_nothing(last: ast.stmt) -> bool:
    """Whether a method that ends so fails or answers `None`."""
    if isinstance(last, ast.Return):
        return _is_none(last.value)
    return isinstance(last, (ast.Raise, ast.Pass, ast.Expr, ast.Assert, ast.If, ast.Match))


def _answers_besides(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement that is no branch for operations may answer."""
    if isinstance(statement, ast.If):
        here = not _labels(statement.test, names) and _may_answer(statement.body)
        is_chain = len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If)
        return here or (is_chain and _answers_besides(statement.orelse[0], names))
    if isinstance(statement, ast.Match):
        return any(
            (case.guard is not None or not isinstance(case.pattern, (ast.MatchValue, ast.MatchOr)))
            and not _takes_all(case)
            and _may_answer(case.body)
            for case in statement.cases
        )
    return isinstance(statement, (ast.For, ast.While, ast.With, ast.Try)) and _may_answer([statement])


def _may_answer(body: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Return) and not _is_none(node.value) for statement in body for node in ast.walk(statement)
    )


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
