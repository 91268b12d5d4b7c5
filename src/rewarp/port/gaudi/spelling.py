"""How a file asks whether it runs on Gaudi: by a name it has, by the project's gate, or by a gate of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rewarp.edits import Edit
from rewarp.fixes.place import FileView, Spelling, torch_name
from rewarp.port.changes import Gate
from rewarp.port.gaudi.gate import NAME, TEST, gate_names
from rewarp.port.python.importing import Imports
from rewarp.source import Span


def spellings(view: FileView, gate: Gate | None, first: int, imports: Imports) -> Iterator[Spelling]:
    """The ways, best first; ``first`` is where the first change stands."""
    body = view.document.tree.body
    for name, function in gate_names(body):
        yield _named(f"{name}()" if function else name)
        return
    torch = next((statement for statement in body if _loads_torch(statement)), None)
    if gate is not None and _is_imported(body, gate):
        yield _named(gate.expression)
    elif gate is not None and torch is not None and (module := imports.spelled(view.document, gate.path)):
        yield _named(gate.expression, _line_after(view, torch, first, f"from {module} import {gate.name}"))
    alias = torch_name(view)
    taken = {name.id for name in view.document.nodes(ast.Name)}
    free = next((name for name in (NAME, f"_{NAME}") if name not in taken), None)
    if torch is not None and alias is not None and free is not None:
        own = f"{free} = {TEST.format(torch=alias)}"
        yield _named(free, _line_after(view, torch, first, view.newline + own))


def _named(expression: str, *edits: Edit) -> Spelling:
    return Spelling(expression, f"not {expression}", edits)


def _is_imported(body: list[ast.stmt], gate: Gate) -> bool:
    return any(
        isinstance(statement, ast.ImportFrom)
        and any(alias.name == gate.name and alias.asname in (None, gate.name) for alias in statement.names)
        for statement in body
    )


def _loads_torch(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Import):
        return any(alias.name.partition(".")[0] == "torch" for alias in statement.names)
    return (
        isinstance(statement, ast.ImportFrom)
        and not statement.level
        and (statement.module or "").partition(".")[0] == "torch"
    )


def _line_after(view: FileView, torch: ast.stmt, first: int, line: str) -> Edit:
    """A line after the imports that follow torch's, as far as they stand before the first change."""
    body = view.document.tree.body
    last = torch
    for statement in body[body.index(torch) :]:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) or view.span(statement).end >= first:
            break
        last = statement
    end = view.line(last.end_lineno or last.lineno).end
    return Edit(Span(end, end), view.encode(view.newline + line))
