"""The one gate that tells whether a program runs on Gaudi: the project's own, or a small module that a port adds."""

from __future__ import annotations

import ast
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator

from rewarp.lang import parsers
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Change, Gate, PortPhase
from rewarp.port.python.packages import module_name, top_package
from rewarp.port.tree import Tree

NAME = "IS_GAUDI"
TEST = 'hasattr({torch}, "hpu") and {torch}.hpu.is_available()'
"""Gaudi's software loads its plugin when torch is imported; without the plugin torch has no hpu at all."""
_FILE = "_gaudi.py"
_TEXT = f'"""Which platform this runs on."""\n\nimport torch\n\n{NAME} = {TEST.format(torch="torch")}\n'


def gate_for(tree: Tree, users: Iterable[str]) -> Gate | None:
    """The gate for these files: one that is there, or one to be made in the package that most of them belong to."""
    return _found(tree) or _planned(tree, users)


def gate_change(tree: Tree, gate: Gate, phase: PortPhase) -> Change | None:
    """The file that defines the gate, where it is not there yet."""
    if gate.path in tree:
        return None
    return Change(gate.path, _TEXT.encode(), phase, "One gate tells the whole project whether it runs on Gaudi.")


def gate_names(body: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """The gates that a module defines at its top: the name, and whether it is called."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _is_test(node.value):
            yield node.targets[0].id, False
        elif isinstance(node, ast.FunctionDef) and not node.decorator_list and not ast.unparse(node.args):
            if isinstance(node.body[-1], ast.Return) and _only_returns(node) and _is_test(node.body[-1].value):
                yield node.name, True


def _only_returns(function: ast.FunctionDef) -> bool:
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return len(function.body) == 1 + documented


def _is_test(node: ast.expr | None) -> bool:
    return node is not None and ast.unparse(node) == ast.unparse(ast.parse(TEST.format(torch="torch"), mode="eval"))


def _found(tree: Tree) -> Gate | None:
    """The gate that most files of the project name."""
    gates: list[Gate] = []
    texts = {path: tree.read(path) or b"" for path in tree.paths() if kind_of_path(path) is Kind.PYTHON}
    for path, data in texts.items():
        module = module_name(path, tree) if b".hpu.is_available()" in data else None
        if module is not None:
            try:
                body = parsers.python(data).body
            except (SyntaxError, ValueError):
                continue
            gates += [Gate(module, path, name, function) for name, function in gate_names(body)]
    uses = Counter({gate: sum(gate.name.encode() in data for data in texts.values()) for gate in gates})
    return min(gates, key=lambda gate: (-uses[gate], gate.function, gate.path), default=None)


def _planned(tree: Tree, users: Iterable[str]) -> Gate | None:
    packages = Counter(package for path in users if (package := top_package(path, tree)))
    for package in sorted(packages, key=lambda name: (-packages[name], name)):
        path = posixpath.join(package, _FILE)
        module = module_name(path, tree)
        if module and path not in tree:
            return Gate(module, path, NAME)
    return None
