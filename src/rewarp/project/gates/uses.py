"""Values and functions that a platform never uses, wherever they stand themselves.

A list that is filled ahead of a gate, or a helper that only the NVIDIA branch calls, is as far off AMD as what stands
behind the gate.
"""

from __future__ import annotations

import ast

from rewarp.project.gates.platforms import ROCM
from rewarp.project.gates.reach import Reach

_DEEPEST = 2


def kept_off(reach: Reach, node: ast.AST, depth: int = 0) -> bool:
    """Whether a value is only ever used, or its function only ever called, where a gate keeps the platform out."""
    document = reach.document
    if depth > _DEEPEST:
        return False
    if _beside_own_arm(reach, node):
        return True
    statement = document.statement(node)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        uses = _loaded(reach, statement.targets[0].id)
        if uses and all(map(reach.unreachable, uses)):
            return True
    function = document.enclosing(node, ast.FunctionDef)
    if not isinstance(function, ast.FunctionDef):
        return False
    if isinstance(document.parent(function), ast.ClassDef):
        calls: list[ast.expr] = [one for one in document.nodes(ast.Attribute) if one.attr == function.name]
    else:
        calls = _loaded(reach, function.name)
    return bool(calls) and all(reach.unreachable(use) or kept_off(reach, use, depth + 1) for use in calls)


def _loaded(reach: Reach, name: str) -> list[ast.expr]:
    return [use for use in reach.document.nodes(ast.Name) if use.id == name and isinstance(use.ctx, ast.Load)]


def _beside_own_arm(reach: Reach, node: ast.AST) -> bool:
    """Whether a place is in the CUDA arm of an ``if`` that goes on with ``elif torch.version.hip``."""
    child = node
    for ancestor in reach.document.ancestors(node):
        if isinstance(ancestor, ast.If) and child in ancestor.body and _asks_for(reach, ancestor.test, "cuda"):
            following = ancestor.orelse
            while len(following) == 1 and isinstance(following[0], ast.If):
                if reach.platform is ROCM and _asks_for(reach, following[0].test, "hip"):
                    return True
                following = following[0].orelse
        child = ancestor
    return False


def _asks_for(reach: Reach, test: ast.expr, version: str) -> bool:
    return any(reach.document.path(node) == f"torch.version.{version}" for node in ast.walk(test))
