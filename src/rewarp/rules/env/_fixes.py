"""Fixes of environment variables that are set."""

from __future__ import annotations

import ast

from rewarp.fixes.place import Mend, Mender, Outcome, Place, Refused
from rewarp.fixes.splices import followed_by

_WHY = "ROCm goes by {name}."


def also_set(*names: str) -> Mender:
    """The same value under ROCm's names, in a statement of its own."""

    def mend(place: Place) -> Outcome | None:
        statement = next((s for node in place.nodes if (s := place.document.statement(node)) is not None), None)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return Refused("the variable is set among others; set ROCm's beside it")
        target = statement.targets[0]
        if not isinstance(target, ast.Subscript):
            return None
        if not _repeatable(statement.value):
            return Refused("the value is worked out by a call; set ROCm's variable to the same one")
        environment, given = place.view.text(target.value), place.view.text(statement.value)
        edits = followed_by(place, statement, [f'{environment}["{name}"] = {given}' for name in names])
        return Mend(edits, _WHY.format(name=" and ".join(names))) if edits else Refused("it shares its line")

    return mend


def _repeatable(value: ast.expr) -> bool:
    """Whether an expression can be evaluated once more and gives the same."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            text = isinstance(node.func, ast.Name) and node.func.id in ("str", "int", "repr", "len", "map")
            if not text and not (isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "format")):
                return False
        elif isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
    return True
