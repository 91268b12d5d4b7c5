"""Extensions with a build script of their own: does the package need them, or can it do without?

``try: from kernels.fused import Fused`` with a way out is no need; ``import pointops`` at the head of a model is one, also
where the extension lies among other people's code."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Mapping
from enum import Enum

from rewarp.lang.python import PythonFile
from rewarp.project.build.units import BuildUnit
from rewarp.project.modules import PythonModules
from rewarp.project.role_names import Role, RoleOf
from rewarp.workspace import Tree

_USING = frozenset({Role.PACKAGE, Role.EXAMPLES, Role.TOOLING})


class Need(Enum):
    NEEDED = "imported as it is"
    OPTIONAL = "imported in a try with a way out, and nowhere else"
    UNKNOWN = "no import of it is seen"


def find_needs(tree: Tree, units: Iterable[BuildUnit], roles: Mapping[str, RoleOf]) -> dict[str, Need]:
    """For each folder below the top with a build script of its own: whether the rest of the project needs what it builds."""
    targets: dict[str, set[str]] = {}
    for unit in units:
        folder = posixpath.dirname(unit.reason.file)
        if unit.system == "setup.py" and folder:
            targets.setdefault(folder, set()).add(unit.target.partition(".")[0])
    modules = PythonModules(tree)
    return {folder: _need(modules, folder, names, roles) for folder, names in targets.items()}


def _need(modules: PythonModules, folder: str, names: set[str], roles: Mapping[str, RoleOf]) -> Need:
    words = {*names, posixpath.basename(folder)}
    pattern = re.compile(
        rb"\b(?:" + b"|".join(re.escape(word.encode("utf-8", "replace")) for word in sorted(words)) + rb")\b"
    )
    found = Need.UNKNOWN
    for path, (role, _) in roles.items():
        if not path.endswith(".py") or path.startswith(f"{folder}/") or role not in _USING:
            continue
        if not pattern.search(modules.tree.read(path) or b"") or (document := modules.document(path)) is None:
            continue
        for node, module in _imports(document):
            leads = modules.file(path, module)
            if module.partition(".")[0] in names or (leads is not None and leads.startswith(f"{folder}/")):
                if not _has_way_out(document, node):
                    return Need.NEEDED
                found = Need.OPTIONAL
    return found


def _imports(document: PythonFile) -> Iterable[tuple[ast.stmt, str]]:
    for node in document.nodes(ast.Import):
        yield from ((node, alias.name) for alias in node.names)
    for node in document.nodes(ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield node, module
        yield from ((node, f"{module}.{alias.name}") for alias in node.names)


def _has_way_out(document: PythonFile, node: ast.AST) -> bool:
    """Whether a failing import is caught, and not to be raised again."""
    child = node
    for parent in document.ancestors(node):
        if isinstance(parent, ast.Try) and child in parent.body:
            return any(not isinstance(handler.body[-1], ast.Raise) for handler in parent.handlers)
        child = parent
    return False
