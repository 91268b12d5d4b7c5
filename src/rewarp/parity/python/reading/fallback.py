"""Work that Python code takes to the CPU and back: `f(x.cpu()).to(x.device)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from rewarp.parity.names.backends import words
from rewarp.parity.units import Status

_DEVICES = ("cuda", "xpu", "hpu", "npu", "mps")
_BRANCHES = (ast.If, ast.For, ast.While, ast.AsyncFor, ast.Try, ast.Match)
Fallback = tuple[Status, str, int]
"""The status, why, and the line that takes data to the CPU."""


def fallback_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Fallback | None:
    """What a function leaves to the CPU: all of it, a branch of it, or nothing (None).

    Only data that comes back counts: who reads a result on the host falls back to nothing."""
    line = taken_to_cpu(node.body)
    if not line:
        return None
    if any(statement.lineno <= line <= (statement.end_lineno or 0) for statement in _branches(node.body)):
        return Status.CONDITIONAL_CPU, "takes its work to the CPU and back on a condition", line
    return Status.CPU_ONLY, "takes its work to the CPU and back", line


def _branches(statements: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, _BRANCHES):
            found.append(statement)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            found += _branches(statement.body)
    return found


def taken_to_cpu(statements: list[ast.stmt]) -> int:
    """The line that takes data to the CPU, where what becomes of them there is brought back and given; 0 for none."""
    away: dict[str, int] = {}
    back: dict[str, int] = {}
    for statement in _in_order(statements):
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.expr):
            continue
        to_cpu, to_device = _line(value, away, _goes), _brought_back(value, away) or _line(value, back)
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for name in (target.id for target in targets if isinstance(target, ast.Name)):
            away.pop(name, None)
            back.pop(name, None)
            if to_device:
                back[name] = to_device
            elif to_cpu:
                away[name] = to_cpu
        if to_device and isinstance(statement, ast.Return):
            return to_device
        if to_cpu and isinstance(statement, ast.Expr) and _is_method(value, ("copy_",)):
            return to_cpu
    return 0


def _in_order(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Statements and those inside them, as they stand."""
    found: list[ast.stmt] = []
    for statement in statements:
        found.append(statement)
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            for inner in getattr(statement, name, []) if not isinstance(statement, ast.expr) else []:
                found += _in_order([inner]) if isinstance(inner, ast.stmt) else _in_order(inner.body)
    return found


def _line(value: ast.expr, known: Mapping[str, int], is_it: Callable[[ast.Call], bool] | None = None) -> int:
    """The line that is behind a value: of a name that is known, or of a call that is it."""
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and node.id in known:
            return known[node.id]
        if is_it and isinstance(node, ast.Call) and is_it(node):
            return node.lineno
    return 0


def _brought_back(value: ast.expr, away: Mapping[str, int]) -> int:
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _comes_back(node):
            line = _line(node.func.value, away, _goes)
            if line:
                return line
    return 0


def _is_method(node: ast.expr, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names


def _argument_words(call: ast.Call) -> list[frozenset[str]]:
    return [_words(value) for value in [*call.args, *(keyword.value for keyword in call.keywords)]]


def _goes(call: ast.Call) -> bool:
    """`x.cpu()`, `x.to("cpu")`."""
    return _is_method(call, ("cpu",)) or (
        _is_method(call, ("to",)) and any("cpu" in place for place in _argument_words(call))
    )


def _comes_back(call: ast.Call) -> bool:
    """`x.to(device)`, `x.cuda()`."""
    return _is_method(call, _DEVICES) or (_is_method(call, ("to",)) and any(map(_is_device, _argument_words(call))))


def _words(value: ast.expr) -> frozenset[str]:
    """The words that say where: `"cuda:0"`, `x.device`, `torch.device("cpu")`."""
    found: set[str] = set()
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value.partition(":")[0].lower())
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return frozenset(found)


def _is_device(place: frozenset[str]) -> bool:
    return any("device" in word or words().get(word, "cpu") != "cpu" for word in place)
