"""How a file asks the project's gate: by the name it has, by an import of it, or by ``torch.version.hip`` itself.

The first that can be proved is taken. An import goes where PyTorch is loaded already, so that it loads nothing new.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rewarp.edits import Edit
from rewarp.fixes.place import FileView, Spelling
from rewarp.port.model import Gate
from rewarp.source import Span


def spellings(view: FileView, gate: Gate | None, first: int) -> Iterator[Spelling]:
    """The ways, best first; ``first`` is where the first change stands."""
    torch = _torch_import(view)
    if gate is not None:
        if gate.path == view.source.path or _is_imported(view, gate):
            yield _named(gate.expression)
        elif torch is not None:
            last = _end_of_imports(view, torch)
            yield _named(gate.expression, (_import_after(view, last if view.span(last).end < first else torch, gate),))
    version = _version_of_torch(view)
    if version is not None:
        yield _spelled_out(version)
    elif torch is not None:
        # The name torch may stand in the file already, for something of its own.
        line = _line_after(view, torch, "from torch import version as torch_version")
        yield _spelled_out("torch_version", (line,))
    elif any(alias.name == "torch" for node in view.document.nodes(ast.Import) for alias in node.names):
        yield _spelled_out("torch.version")  # for functions that import it themselves


def _spelled_out(version: str, edits: tuple[Edit, ...] = ()) -> Spelling:
    return Spelling(f"{version}.hip is not None", f"{version}.hip is None", edits)


def _named(expression: str, edits: tuple[Edit, ...] = ()) -> Spelling:
    return Spelling(expression, f"not {expression}", edits)


def _is_imported(view: FileView, gate: Gate) -> bool:
    """Whether the top of the file has the gate by its own name already."""
    for statement in view.document.tree.body:
        if isinstance(statement, ast.ImportFrom) and any(
            alias.name == gate.name and alias.asname in (None, gate.name) for alias in statement.names
        ):
            return True
    return False


def _torch_import(view: FileView) -> ast.stmt | None:
    """The first statement of the module that surely loads PyTorch."""
    for statement in view.document.tree.body:
        if isinstance(statement, ast.Import):
            if any(alias.name.partition(".")[0] == "torch" for alias in statement.names):
                return statement
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            if (statement.module or "").partition(".")[0] == "torch":
                return statement
    return None


def _end_of_imports(view: FileView, torch: ast.stmt) -> ast.stmt:
    """The last of the imports that follow in one run."""
    body = view.document.tree.body
    last = torch
    for statement in body[body.index(torch) :]:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        last = statement
    return last


def _import_after(view: FileView, statement: ast.stmt, gate: Gate) -> Edit:
    return _line_after(view, statement, f"from {gate.module} import {gate.name}")


def _line_after(view: FileView, statement: ast.stmt, line: str) -> Edit:
    end = view.line(statement.end_lineno or statement.lineno).end
    return Edit(Span(end, end), view.encode(view.newline + line))


def _version_of_torch(view: FileView) -> str | None:
    """What the module calls ``torch.version``."""
    for statement in view.document.tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "torch":
                    return f"{alias.asname or 'torch'}.version"
                if alias.name.startswith("torch.") and not alias.asname:
                    return "torch.version"
        elif isinstance(statement, ast.ImportFrom) and statement.module == "torch" and not statement.level:
            for alias in statement.names:
                if alias.name == "version":
                    return alias.asname or "version"
    return None
