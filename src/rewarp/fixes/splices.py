"""The shapes a change may take: each is proved by ``rewarp verify isolation``, and each keeps every other byte."""

from __future__ import annotations

import ast

from rewarp.edits import Edit
from rewarp.fixes.place import Place
from rewarp.source import Span

_OWN_PLACE = (
    *(ast.keyword, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.GeneratorExp, ast.ListComp, ast.Expr),
)
_TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)


def around(place: Place, node: ast.AST, before: str, after: str = "") -> tuple[Edit, ...]:
    """Text put before and after a node."""
    start, end = place.view.span(node)
    encode = place.view.encode
    first = Edit(Span(start, start), encode(before))
    return (first, Edit(Span(end, end), encode(after))) if after else (first,)


def after(place: Place, node: ast.AST, text: str) -> tuple[Edit, ...]:
    end = place.view.span(node).end
    return (Edit(Span(end, end), place.view.encode(text)),)


def picked(place: Place, node: ast.expr, amd: str) -> tuple[Edit, ...]:
    """``amd`` on ROCm, and the expression as it stands elsewhere."""
    choice = f"{amd} if {place.gate.rocm} else "
    if _stands_alone(place, node):
        return around(place, node, choice)
    return around(place, node, f"({choice}", ")")


def _stands_alone(place: Place, node: ast.expr) -> bool:
    """Whether a conditional expression can stand here without parentheses of its own."""
    parent = place.document.parent(node)
    if isinstance(parent, ast.Tuple) and not _bracketed(place, parent):
        return False
    return isinstance(parent, _OWN_PLACE) or (isinstance(parent, ast.Call) and node in parent.args)


def _bracketed(place: Place, node: ast.AST) -> bool:
    return place.view.text(node)[:1] in ("(", "[")


def nvidia_only(place: Place, test: ast.expr) -> tuple[Edit, ...]:
    """False on ROCm; nothing of the test is evaluated there."""
    return _joined(place, test, f"{place.gate.nvidia} and ", ast.And)


def amd_too(place: Place, test: ast.expr) -> tuple[Edit, ...]:
    """True on ROCm; nothing of the test is evaluated there."""
    return _joined(place, test, f"{place.gate.rocm} or ", ast.Or)


def or_on_rocm(place: Place, test: ast.expr, also: str) -> tuple[Edit, ...]:
    """True as well where ``also`` holds on ROCm."""
    return _appended(place, test, f" or ({place.gate.rocm} and {also})", ast.Or)


def and_on_rocm(place: Place, test: ast.expr, also: str) -> tuple[Edit, ...]:
    """True only where ``also`` holds as well, on ROCm."""
    return _appended(place, test, f" and ({place.gate.nvidia} or {also})", ast.And)


def _appended(place: Place, test: ast.expr, addition: str, operator: type[ast.boolop]) -> tuple[Edit, ...]:
    """A further operand behind a test, with parentheses where its surroundings need them."""
    parent = place.document.parent(test)
    joins = isinstance(parent, ast.BoolOp) and isinstance(parent.op, operator)
    if joins or _is_whole_test(parent, test):
        return after(place, test, addition)
    return around(place, test, "(", addition + ")")


def _joined(place: Place, test: ast.expr, before: str, operator: type[ast.boolop]) -> tuple[Edit, ...]:
    """A gate and a test under one operator, with the parentheses that both need."""
    parent = place.document.parent(test)
    same = isinstance(test, ast.BoolOp) and isinstance(test.op, operator)
    inner = not same and isinstance(test, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr))
    joins = isinstance(parent, ast.BoolOp) and isinstance(parent.op, operator)
    outer = not (joins or _is_whole_test(parent, test) or _stands_alone(place, test))
    return around(place, test, "(" * outer + before + "(" * inner, ")" * inner + ")" * outer)


def _is_whole_test(parent: ast.AST | None, test: ast.expr) -> bool:
    if isinstance(parent, ast.comprehension):
        return test in parent.ifs
    return isinstance(parent, _TESTS) and parent.test is test


def stands_on_own_lines(place: Place, statement: ast.stmt) -> bool:
    """Whether lines can be put around a statement: nothing else is on them, and no text in it runs over lines."""
    view = place.view
    start, end = view.span(statement)
    data = view.source.data
    if data[view.line_start(statement) : start].strip():
        return False
    line_end = view.line(statement.end_lineno or statement.lineno).end
    rest = data[end:line_end].strip()
    if rest and not rest.startswith(b"#"):
        return False
    return not spans_text(statement)


def spans_text(statement: ast.stmt) -> bool:
    """Whether a text in a statement runs over lines, which must not be moved then."""
    texts = (node for node in ast.walk(statement) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return any(node.end_lineno != node.lineno for node in texts)


def guarded(place: Place, statement: ast.stmt, amd: list[str]) -> tuple[Edit, ...] | None:
    """The statement for everybody else, and ``amd`` lines on ROCm; None where lines cannot be put around it."""
    if not stands_on_own_lines(place, statement):
        return None
    view = place.view
    indent, unit, newline = view.indent(statement), view.unit, view.newline
    edits = [*around(place, statement, f"if {place.gate.nvidia}:{newline}{indent}{unit}")]
    for line in range(statement.lineno + 1, (statement.end_lineno or statement.lineno) + 1):
        start, end = view.line(line)
        if end > start:
            edits.append(Edit(Span(start, start), view.encode(unit)))
    if amd:
        edits.append(_line_after(place, statement, ["else:", *(unit + line for line in amd)]))
    return tuple(edits)


def followed_by(place: Place, statement: ast.stmt, amd: list[str]) -> tuple[Edit, ...] | None:
    """The statement, and after it lines for ROCm alone."""
    if not stands_on_own_lines(place, statement):
        return None
    unit = place.view.unit
    return (_line_after(place, statement, [f"if {place.gate.rocm}:", *(unit + line for line in amd)]),)


def _line_after(place: Place, statement: ast.stmt, lines: list[str]) -> Edit:
    """Lines of the same depth, after the line that a statement ends on."""
    view = place.view
    end = view.line(statement.end_lineno or statement.lineno).end
    indent = view.indent(statement)
    text = "".join(view.newline + (indent + line).rstrip() for line in lines)
    return Edit(Span(end, end), view.encode(text))
