"""How a file tests the platform: by a name of the gate that it has, by an import of it, or by ``torch.version.hip`` itself.

The first that can be proved is taken. An import goes where PyTorch is loaded already, so that it loads nothing new, and
only where it is sure which file it finds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from rewarp.edits import Edit
from rewarp.fixes.place import FileView, Spelling
from rewarp.port.changes import Gate
from rewarp.port.python.importing import Imports
from rewarp.source import Span


def spellings(
    view: FileView, gate: Gate | None, first: int, imports: Imports, others: Iterable[Gate] = (), old: bool = False
) -> Iterator[Spelling]:
    """The ways, best first; ``first`` is where the first change stands, ``others`` are further gates of the project.
    ``old``: torch may be too old to know of HIP."""
    torch = _torch_import(view)
    for own in (gate, *others):
        if own is not None and _is_at_hand(view, own, first):
            yield _named(own.expression)
            break
    else:
        module = imports.spelled(view.document, gate.path) if gate is not None and torch is not None else None
        if gate is not None and torch is not None and module is not None:
            last = _end_of_imports(view, torch)
            after = last if view.span(last).end < first else torch
            yield _named(gate.expression, (_line_after(view, after, f"from {module} import {gate.root}"),))
    version = _version_of_torch(view)
    if version is not None:
        yield _spelled_out(version, old=old)
    elif torch is not None:
        # The name torch may stand in the file already, for something of its own.
        line = _line_after(view, torch, "from torch import version as torch_version")
        yield _spelled_out("torch_version", (line,), old)
    elif any(alias.name == "torch" for node in view.document.nodes(ast.Import) for alias in node.names):
        yield _spelled_out("torch.version", old=old)  # for functions that import it themselves


def _spelled_out(version: str, edits: tuple[Edit, ...] = (), old: bool = False) -> Spelling:
    hip = f'getattr({version}, "hip", None)' if old else f"{version}.hip"
    return Spelling(f"{hip} is not None", f"{hip} is None", edits)


def _named(expression: str, edits: tuple[Edit, ...] = ()) -> Spelling:
    return Spelling(expression, f"not {expression}", edits)


def _is_at_hand(view: FileView, gate: Gate, first: int) -> bool:
    """Whether the file has the gate by its own name already, before the first change."""
    for statement in view.document.tree.body:
        if view.span(statement).start > first:
            return False
        if isinstance(statement, ast.ImportFrom):
            if any(alias.name == gate.root and alias.asname in (None, gate.root) for alias in statement.names):
                return True
        elif gate.path == view.source.path and gate.root in _defined(statement):
            return True
    return False


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


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
