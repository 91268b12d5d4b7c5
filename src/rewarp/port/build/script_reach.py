"""Reachability in a build script: how control gets to a place on ROCm, and what to gate so that it does not."""

from __future__ import annotations

import ast

from rewarp.fixes.script import ScriptGate
from rewarp.fixes.text import indent_at, newline_of
from rewarp.lang.python import PythonFile
from rewarp.source import Span
from rewarp.targets import Target

_DEEPEST = 2


class Reach:
    """Follows calls back to statements of the module."""

    def __init__(self, document: PythonFile, gate: ScriptGate, target: Target) -> None:
        self.document, self.gate, self.target = document, gate, target
        self.edits: list[tuple[int, int, str]] = []
        self.left_at_once: set[ast.FunctionDef] = set()
        """Functions that ROCm leaves with their first statement, by an edit."""

    @property
    def spans(self) -> list[Span]:
        """What lies in those functions."""
        bodies = [function.body for function in self.left_at_once]
        return [Span(self.document.span(body[0]).start, self.document.span(body[-1]).end) for body in bodies]

    def statements(self, node: ast.AST, depth: int = 0) -> list[ast.stmt] | None:
        """The statements to keep off ROCm so that a node is not reached there. Those that call the function it
        stands in, if that cannot return early; None where it is not known how."""
        function = self.document.enclosing(node, ast.FunctionDef)
        statement = self.document.statement(node)
        if function is None or (depth == 0 and isinstance(statement, (ast.Expr, ast.AugAssign))):
            return [statement] if statement is not None else None
        if self._returns_early(function):
            return []
        calls = [n for n in self.document.nodes(ast.Name) if n.id == function.name and isinstance(n.ctx, ast.Load)]
        if depth > _DEEPEST or isinstance(self.document.parent(function), ast.ClassDef):
            return None
        found: list[ast.stmt] = []
        for call in calls:
            if self.document.unreachable(call, self.target):
                continue
            reached = self.statements(call, depth + 1)
            if reached is None:
                return None
            found += reached
        return found

    def _returns_early(self, function: ast.FunctionDef) -> bool:
        """A function that gives back its argument, or that and more: on ROCm it gives it back as it is."""
        if function in self.left_at_once:
            return True
        returned = [part.value for part in ast.walk(function) if isinstance(part, ast.Return)]
        if len(function.args.args) != 1 or not returned or isinstance(self.document.parent(function), ast.ClassDef):
            return False
        name = function.args.args[0].arg
        if any(_leftmost(value) != name for value in returned):
            return False
        first = function.body[0]
        source, start = self.document.source, self.document.span(first).start
        indent, newline = indent_at(source, start), newline_of(source)
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):  # a docstring
            return False
        self.edits.append((start, start, f"if {self.gate.rocm}:{newline}{indent}    return {name}{newline}{indent}"))
        self.left_at_once.add(function)
        return True


def _leftmost(value: ast.expr | None) -> str:
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        value = value.left
    return value.id if isinstance(value, ast.Name) else ""
