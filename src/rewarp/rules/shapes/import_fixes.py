"""Fixes of imports: the import stays for NVIDIA, and the target gets a replacement, a probe, or nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Union

from rewarp.findings import Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Mender, Outcome, Place, Refused
from rewarp.fixes.splices import guarded
from rewarp.lang.python_names import bound_names
from rewarp.lang.python_tree import FunctionNode
from rewarp.rules.shapes.libraries import asked_for

Import = Union[ast.Import, ast.ImportFrom]
Arm = Callable[[Place, Import], Union[list[str], Refused]]
"""From an import to the lines that stand for it on ROCm."""
_OWN_LINES = "the import shares its lines with other code"
_AT_IMPORT = (
    "{name} is used as soon as the module is imported (line {line}): what ROCm shall do there is not in the code"
)


def gated(arm: Arm, why: str) -> Mender:
    """A mender that keeps an import for NVIDIA and gives ROCm what ``arm`` says."""

    def mend(place: Place) -> Outcome | None:
        statement = next((node for node in place.nodes if isinstance(node, (ast.Import, ast.ImportFrom))), None)
        if statement is None:
            return None
        if len({alias.name.partition(".")[0] for alias in statement.names}) > 1 and isinstance(statement, ast.Import):
            return Refused("one statement imports several packages")
        if place.finding.severity is Severity.INFO and _may_fail(place, statement):
            return None
        lines = arm(place, statement)
        if isinstance(lines, Refused):
            return lines
        edits = guarded(place, statement, lines)
        if edits is None:
            return Refused(_OWN_LINES)
        return Mend(edits, why)

    return mend


def _may_fail(place: Place, statement: Import) -> bool:
    """Whether the code is ready for the package to be missing, or imports it only once it is needed."""
    found = [item for item in place.document.imports if item.node is statement]
    return any(item.optional or item.deferred or asked_for(place.document, item) for item in found)


def _uses(place: Place, statement: Import) -> Iterator[ast.Name]:
    names = set(bound_names(statement))
    for node in place.document.nodes(ast.Name):
        if node.id in names and isinstance(node.ctx, ast.Load):
            yield node


def _too_early(place: Place, statement: Import) -> Refused | None:
    """Why it is no use to leave the names out: something that runs at the same time uses them."""
    if any(alias.name == "*" for alias in statement.names):
        return Refused("what a star import brings is not known")
    if isinstance(place.document.scope(statement), FunctionNode):
        return Refused("it is imported where it is used: what ROCm shall do there is not in the code")
    for use in _uses(place, statement):
        if not isinstance(place.document.scope(use), FunctionNode) and not _is_lazy_annotation(place, use):
            return Refused(_AT_IMPORT.format(name=use.id, line=use.lineno))
    return None


def _is_lazy_annotation(place: Place, use: ast.Name) -> bool:
    body = place.document.tree.body
    lazy = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in body)
    child: ast.AST = use
    for ancestor in place.document.ancestors(use):
        if isinstance(ancestor, (ast.arg, ast.AnnAssign)) and ancestor.annotation is child:
            return lazy
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef)) and ancestor.returns is child:
            return lazy
        child = ancestor
    return False


def nothing(place: Place, statement: Import) -> list[str] | Refused:
    """The names are None: what uses them is NVIDIA's."""
    return _too_early(place, statement) or [f"{name} = None" for name in dict.fromkeys(bound_names(statement))]


def where_installed(place: Place, statement: Import) -> list[str] | Refused:
    """There is a build for ROCm, which not everybody has."""
    early = _too_early(place, statement)
    if early:
        return early
    unit, text = place.view.unit, ast.unparse(statement)
    absent = [f"{unit}{name} = None" for name in dict.fromkeys(bound_names(statement))]
    return ["try:", f"{unit}{text}", "except ImportError:", *absent]


NVIDIA_ONLY = PythonFix(gated(nothing, "The library is NVIDIA's: ROCm no longer imports it."))
WHERE_INSTALLED = PythonFix(gated(where_installed, "On ROCm the library is used where a build of it is installed."))
NOT_ON_GAUDI = PythonFix(gated(nothing, "The library is NVIDIA's: Gaudi no longer imports it."), leaves_out=True)
