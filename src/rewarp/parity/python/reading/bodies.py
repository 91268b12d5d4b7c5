"""What the body of a Python method amounts to, told by its structure: messages mislead."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from rewarp.parity.python.reading.fallback import fallback_of
from rewarp.parity.units import Status

_LOGS = frozenset(
    "debug info warning warning_once info_once debug_once error exception log warn print critical".split()
)


_DOTTED = re.compile(r"[a-z_]\w*(\.\w+)*\.[A-Z]\w*")
_PLACEHOLDERS = frozenset(("unknown", "todo", "tbd", "n/a", "not implemented", "not supported", "unimplemented"))
_MANY = 12
_SHORT = 10
"""Statements up to which the helpers that a function calls may be all that it is."""


@dataclass(frozen=True)
class Body:
    status: Status
    why: str
    line: int
    to_super: bool = False
    """It only hands on to the class above."""
    calls: tuple[tuple[str, int], ...] = ()
    """What it calls whatever happens, with the line."""
    only_calls: bool = False
    """Whether such a call is all that it does."""
    needs: tuple[tuple[str, int], ...] = ()
    """What it imports whatever happens (`module:name`), or answers as a dotted name (`:module.name`)."""


def body_of(node: ast.FunctionDef | ast.AsyncFunctionDef, names_cpu: bool = True) -> Body:
    """A constant answer is an answer; nothing but `pass` or a log line is a no-op; nothing but `raise` an error."""
    body = _body(node, names_cpu)
    statements = [statement for statement in node.body if not is_idle(statement)]
    if body.status not in (Status.IMPLEMENTED, Status.PARTIAL) or len(statements) > _SHORT:
        return body
    calls = tuple(_calls(statements))[:_MANY]
    only = len(statements) == 1 and len(calls) == 1 and calls[0][0] == _called(statements[0])
    return replace(body, calls=calls, only_calls=only, needs=tuple(_names_relied_on(node.body))[:_MANY])


def _called(statement: ast.stmt) -> str:
    """The name of the call that a statement is."""
    value = statement.value if isinstance(statement, (ast.Expr, ast.Return)) else None
    value = value.value if isinstance(value, ast.Await) else value
    return _dotted(value.func) if isinstance(value, ast.Call) else ""


def _calls(statements: list[ast.stmt]) -> list[tuple[str, int]]:
    """The calls of functions of the project's own, as far as names tell, that are made on every way."""
    found: list[tuple[str, int]] = []
    for statement in statements:
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            found += _calls(statement.body)
        elif isinstance(statement, (ast.Expr, ast.Return, ast.Assign, ast.AnnAssign, ast.Raise)):
            found += [(name, call.lineno) for call in _always(statement) if (name := _dotted(call.func))]
        elif isinstance(statement, (ast.If, ast.For, ast.While, ast.Try, ast.Match)) and _may_leave(statement):
            break
    return found


def _always(node: ast.AST) -> list[ast.Call]:
    """The calls of a statement that no `and`, `or`, `if` or lambda guards."""
    found: list[ast.Call] = []
    todo: list[ast.AST] = [node]
    while todo:
        current = todo.pop(0)
        if isinstance(current, ast.Call):
            found.append(current)
        if isinstance(current, ast.BoolOp):
            todo.append(current.values[0])
        elif isinstance(current, ast.IfExp):
            todo.append(current.test)
        elif not isinstance(current, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            todo += ast.iter_child_nodes(current)
    return found


def _may_leave(statement: ast.stmt) -> bool:
    return bool(_end(statement) - {"next", "raise"})


def _names_relied_on(statements: list[ast.stmt]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for statement in statements:
        if isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            found += [(f"{module}:{alias.name}", statement.lineno) for alias in statement.names if alias.name != "*"]
        elif isinstance(statement, ast.Return) and isinstance(statement.value, ast.Constant):
            value = statement.value.value
            if isinstance(value, str) and _DOTTED.fullmatch(value):
                found.append((":" + value, statement.lineno))
        elif isinstance(statement, (ast.If, ast.For, ast.While, ast.Try, ast.Match)) and _may_leave(statement):
            break
    return found


def _dotted(node: ast.expr) -> str:
    """`f`, `self.f`, `module.f`: nothing for what stands deeper."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef, names_cpu: bool) -> Body:
    statements = [statement for statement in node.body if not is_idle(statement)]
    logs = any(_is_log(statement) for statement in node.body)
    if not statements:
        answers = node.body and isinstance(node.body[-1], ast.Return) and node.body[-1].value is not None
        why = "only logs" if logs else "answers None, always" if answers else "does nothing"
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
        if isinstance(last, ast.Return) and is_placeholder(last.value):
            return Body(Status.STUB, f"only answers {ast.unparse(last.value)}, which stands for no answer", last.lineno)
        if isinstance(last, ast.Return) and (answer := _constant(last.value)):
            return Body(Status.IMPLEMENTED, f"answers {answer}, always", last.lineno)
    ends = _ends(statements)
    if ends == {"raise"}:
        raised = [item for item in ast.walk(node) if isinstance(item, ast.Raise)]
        if all(map(_raises_not_implemented, raised)):
            return Body(Status.STUB, "only raises NotImplementedError", raised[0].lineno)
        return Body(Status.ERROR, "raises on every way", raised[0].lineno)
    fallback = fallback_of(node) if names_cpu else None
    if fallback is not None:
        return Body(*fallback)
    partial = _conditional_stub(node)
    if partial is not None:
        return Body(Status.PARTIAL, f"raises NotImplementedError where {partial[1]}", partial[0])
    return Body(Status.IMPLEMENTED, "has a body that does work", node.lineno)


def is_idle(statement: ast.stmt) -> bool:
    """A statement that does nothing for whoever calls: a docstring, `pass`, a log line, `return None`."""
    if isinstance(statement, (ast.Pass, ast.Import, ast.ImportFrom, ast.Global)):
        return True
    if isinstance(statement, ast.Return):
        return statement.value is None or _answers_nothing(statement)
    if not isinstance(statement, ast.Expr):
        return False
    return isinstance(statement.value, ast.Constant) or _is_log(statement) or _adds_nothing(statement.value)


def _adds_nothing(call: ast.expr) -> bool:
    """`found.update({})`: the place of something to come."""
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return False
    adds = isinstance(call.func, ast.Attribute) and call.func.attr in ("update", "extend")
    return adds and _constant(call.args[0]) in ("{}", "[]", "()")


def is_placeholder(node: ast.expr | None) -> bool:
    """`"unknown"`: a text that stands for an answer which nobody wrote yet."""
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and text.strip(" .!?<>").lower() in _PLACEHOLDERS


def _answers_nothing(statement: ast.Return) -> bool:
    return isinstance(statement.value, ast.Constant) and statement.value.value is None


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
    todo: list[tuple[ast.stmt, str, ast.AST | None]] = [(statement, "", None) for statement in node.body]
    while todo:
        statement, shape, condition = todo.pop(0)
        if isinstance(statement, ast.Raise) and _raises_not_implemented(statement) and condition is not None:
            return statement.lineno, shape.format(ast.unparse(condition))[:80]
        if isinstance(statement, ast.If):
            todo += [(inner, "{}", statement.test) for inner in statement.body]
            todo += [(inner, "not ({})", statement.test) for inner in statement.orelse]
        elif isinstance(statement, (ast.With, ast.For, ast.While)):
            todo += [(inner, shape, condition) for inner in statement.body]
        elif isinstance(statement, ast.Match):
            todo += [(inner, "case {}", case.pattern) for case in statement.cases for inner in case.body]
    return None
