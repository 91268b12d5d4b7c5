"""What the body of a Python method amounts to, told by its structure: messages mislead."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from rewarp.parity.model import Status

_LOGS = frozenset(
    "debug info warning warning_once info_once debug_once error exception log warn print critical".split()
)


@dataclass(frozen=True)
class Body:
    status: Status
    why: str
    line: int
    to_super: bool = False
    """It only hands on to the class above."""


def body_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Body:
    """A constant answer is an answer; nothing but `pass` or a log line is a no-op; nothing but `raise` an error."""
    statements = [statement for statement in node.body if not _is_idle(statement)]
    logs = any(_is_log(statement) for statement in node.body)
    if not statements or (logs and all(map(_answers_nothing, statements))):
        why = "only logs" if logs else "does nothing"
        return Body(Status.NO_OP, why, node.lineno)
    last = statements[-1]
    if all(isinstance(statement, ast.Raise) for statement in statements):
        assert isinstance(last, ast.Raise)
        first = statements[0]
        assert isinstance(first, ast.Raise)
        if _raises_not_implemented(first):
            return Body(Status.STUB, "only raises NotImplementedError", first.lineno)
        return Body(Status.ERROR, "always raises", first.lineno)
    if len(statements) == 1 and isinstance(last, (ast.Return, ast.Expr)) and last.value is not None:
        if _is_super_call(last.value, node.name):
            return Body(Status.DEFAULT, "only calls the class above", last.lineno, to_super=True)
        if isinstance(last, ast.Return) and (answer := _constant(last.value)):
            return Body(Status.IMPLEMENTED, f"answers {answer}, always", last.lineno)
    ends = _ends(statements)
    if ends == {"raise"}:
        raised = next(item for item in ast.walk(node) if isinstance(item, ast.Raise))
        return Body(Status.ERROR, "raises on every way", raised.lineno)
    partial = _conditional_stub(node)
    if partial is not None:
        return Body(Status.PARTIAL, f"raises NotImplementedError where {partial[1]}", partial[0])
    return Body(Status.IMPLEMENTED, "has a body that does work", node.lineno)


def _is_idle(statement: ast.stmt) -> bool:
    """A statement that does nothing for whoever calls: a docstring, `pass`, a log line, `return None`."""
    if isinstance(statement, (ast.Pass, ast.Import, ast.ImportFrom, ast.Global)):
        return True
    if isinstance(statement, ast.Return):
        return statement.value is None
    return isinstance(statement, ast.Expr) and (isinstance(statement.value, ast.Constant) or _is_log(statement))


def _answers_nothing(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Return) else statement
    return isinstance(value, ast.Constant) and value.value is None


def _is_log(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Attribute):
        whose = ast.unparse(call.func.value).lower()
        return call.func.attr in _LOGS and ("log" in whose or whose in ("warnings", "self"))
    return isinstance(call.func, ast.Name) and call.func.id in ("print", "warn")


def _raises_not_implemented(statement: ast.Raise) -> bool:
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_super_call(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.Await):
        node = node.value
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name):
        return False
    inner = node.func.value
    return isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "super"


def _constant(node: ast.expr) -> str:
    """A literal as text; nothing for anything that is computed."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""
    return ast.unparse(node)[:60]


def _ends(statements: list[ast.stmt]) -> set[str]:
    """How a block may end: `next`, `return`, `raise`, `loop` (break or continue)."""
    ends: set[str] = set()
    for statement in statements:
        found = _end(statement)
        ends |= found - {"next"}
        if "next" not in found:
            return ends
    return ends | {"next"}


def _end(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Raise):
        return {"raise"}
    if isinstance(statement, ast.Return):
        return {"return"}
    if isinstance(statement, (ast.Break, ast.Continue)):
        return {"loop"}
    if isinstance(statement, ast.If):
        return _ends(statement.body) | _ends(statement.orelse)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return _ends(statement.body) | {"next"}  # a context manager may swallow what is raised
    if isinstance(statement, (ast.For, ast.While, ast.AsyncFor)):
        return (_ends(statement.body) - {"loop"}) | {"next"}
    if isinstance(statement, ast.Try):
        inner = _ends([*statement.body, *statement.orelse])
        handled = set().union(*(_ends(handler.body) for handler in statement.handlers)) if statement.handlers else set()
        after = _ends(statement.finalbody)
        return ((inner - {"raise"} if statement.handlers else inner) | handled) if "next" in after else after
    if isinstance(statement, ast.Match):
        return set().union({"next"}, *(_ends(case.body) for case in statement.cases))
    return {"next"}


def _conditional_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, str] | None:
    """A `raise NotImplementedError` of this function's own under a condition: its line and the condition."""
    todo: list[tuple[ast.stmt, str]] = [(statement, "") for statement in node.body]
    while todo:
        statement, condition = todo.pop(0)
        if isinstance(statement, ast.Raise) and _raises_not_implemented(statement) and condition:
            return statement.lineno, condition
        if isinstance(statement, ast.If):
            test = ast.unparse(statement.test)[:80]
            todo += [(inner, test) for inner in statement.body]
            todo += [(inner, f"not ({test})") for inner in statement.orelse]
        elif isinstance(statement, (ast.With, ast.For, ast.While)):
            todo += [(inner, condition) for inner in statement.body]
        elif isinstance(statement, ast.Match):
            todo += [
                (inner, f"case {ast.unparse(case.pattern)}"[:80]) for case in statement.cases for inner in case.body
            ]
    return None
