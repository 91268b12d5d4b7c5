"""Libraries that the target goes without after a port (``x = None``), and code there that uses them all the same: a person's
work."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import bound_names
from rewarp.targets import Target


class MissingLibrary(NamedTuple):
    """Names of a library that may be None on ROCm, and the lines of functions that use them all the same."""

    statement: ast.If
    names: list[str]
    lines: list[int]


def missing_libraries(document: PythonFile, target: Target) -> Iterator[MissingLibrary]:
    """The imports that ROCm does without, by the shape that fixes of imports give them."""
    for node in document.nodes(ast.If):
        imported = [one for one in node.body if isinstance(one, (ast.Import, ast.ImportFrom))]
        missing = _set_to_none(node.orelse)
        if len(imported) != len(node.body) or not missing or not document.unreachable(imported[0], target):
            continue
        if missing == [name for one in imported for name in dict.fromkeys(bound_names(one))]:
            uses = [name for name in document.nodes(ast.Name) if name.id in missing and isinstance(name.ctx, ast.Load)]
            lines = sorted({use.lineno for use in uses if not document.unreachable(use, target)})
            if lines:
                yield MissingLibrary(node, missing, lines)


def _set_to_none(body: list[ast.stmt]) -> list[str]:
    if len(body) == 1 and isinstance(body[0], ast.Try) and len(body[0].handlers) == 1:
        body = body[0].handlers[0].body
    names: list[str] = []
    for statement in body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or ast.unparse(statement) != f"{target.id} = None":
            return []
        names.append(target.id)
    return names
