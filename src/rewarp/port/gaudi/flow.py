"""Data flow of device strings: from where one is made to where it is tested, across files, by the names it goes under.

A caller that says "hpu" to a receiver that knows only "cuda" is worse than one that fails: the receiver may take its branch
for something else without a word. Both are changed, or neither is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from rewarp.errors import UnreadableSource
from rewarp.findings import Finding, Severity
from rewarp.fixes.place import FileView
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import defaults
from rewarp.port.tree import Tree
from rewarp.registry import Trait, is_about
from rewarp.source import SourceFile
from rewarp.workspace.documents import python_file

ANY = "*"
"""Of a string that goes to a place without a name: it may go anywhere."""
_OF_TORCH = frozenset(
    "to device set_default_device Generator set_device to_empty get_device_module synchronize empty_cache zeros ones empty full "
    "rand randn randint arange tensor as_tensor eye linspace zeros_like ones_like empty_like full_like rand_like randn_like "
    "load init_device_mesh DeviceMesh".split()
)


def receivers(tree: Tree, findings: Iterable[Finding]) -> dict[str, str]:
    """By the name of what is tested, a place that knows "cuda" and not "hpu"."""
    found: dict[str, str] = {}
    for finding in findings:
        if not is_about(finding.rule, Trait.TESTS_FOR_CUDA) or finding.severity is Severity.INFO:
            continue
        try:
            view = FileView(python_file(SourceFile(finding.path, tree.read(finding.path) or b"")))
        except UnreadableSource:
            continue
        for node in view.nodes_at(finding):
            for name in _tested(view.document, node):
                found.setdefault(name, f"{finding.path}:{finding.line}")
    return found


def _tested(document: PythonFile, node: ast.AST) -> Iterator[str]:
    subject: ast.AST | None = None
    if isinstance(node, ast.Compare):
        subject = node.left if not isinstance(node.left, ast.Constant) else node.comparators[0]
    elif isinstance(node, ast.MatchValue):
        match = document.enclosing(node, ast.Match)
        subject = match.subject if isinstance(match, ast.Match) else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        subject = node.func.value
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        call = document.enclosing(node, ast.Call)
        options = [document.string(item) for item in call.args] if isinstance(call, ast.Call) else []
        yield from (option.lstrip("-").replace("-", "_") for option in options if option and option.startswith("-"))
    elif isinstance(node, ast.Subscript):
        holder = document.parent(node)
        subject = holder.target if isinstance(holder, ast.AnnAssign) else None
        if isinstance(holder, ast.arg):
            yield holder.arg
    name = _last(subject)
    if name is not None and name != "type":  # a tensor's own device, which no string is handed to
        yield name


def goes_to(document: PythonFile, node: ast.AST) -> str | None:
    """The name that a string goes under; None for one that goes straight to torch, ``ANY`` where it has none."""
    child, parent = node, document.parent(node)
    while isinstance(parent, (ast.IfExp, ast.BoolOp, ast.List, ast.Tuple, ast.Set)):
        child, parent = parent, document.parent(parent)
    if isinstance(parent, ast.keyword):
        call = document.parent(parent)
        return None if isinstance(call, ast.Call) and _is_torchs(document, call) else parent.arg or ANY
    if isinstance(parent, ast.Call):
        if _is_torchs(document, parent):
            return None
        names = document.string(parent.args[0]) if parent.args else None
        return names if names and names.isidentifier() else ANY
    if isinstance(parent, ast.arguments):
        return next((arg.arg for arg, value in defaults(parent) if value is child), ANY)
    if isinstance(parent, ast.Dict) and child in parent.values:
        return document.string(parent.keys[parent.values.index(child)]) or ANY
    if isinstance(parent, ast.Assign):
        return _last(parent.targets[0]) or ANY
    if isinstance(parent, (ast.AnnAssign, ast.NamedExpr, ast.For)):
        return _last(parent.target) or ANY
    return ANY


def _is_torchs(document: PythonFile, call: ast.Call) -> bool:
    path = document.path(call.func) or ""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else path
    return path.startswith("torch.") or (isinstance(call.func, ast.Attribute) and name in _OF_TORCH)


def _last(node: ast.AST | None) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return None
