"""How a Python build script asks whether torch is built for ROCm. A build script cannot import what it builds, so it
asks torch itself."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable

from rewarp.fixes.script import ScriptGate
from rewarp.fixes.text import indent_at, newline_of, starts_line
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION

NAME = "IS_ROCM"
_HIP = "torch.version.hip"
_OLD_HIP = 'getattr(torch.version, "hip", None)'
_VERSION = "torch_version"
_FLAG = "IS_HIP_EXTENSION"


def find_gate(document: PythonFile, may_name: bool, old: bool = False) -> ScriptGate | None:
    """The gate the script has, or one that its imports allow; None where torch is not imported for certain.
    A module of the package itself gets no name of its own: the project has one gate.
    ``old``: torch may be too old to know of HIP, and of a flag for it."""
    for statement in document.tree.body:
        if isinstance(statement, ast.Assign) and _asks_torch(document, statement.value):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and _bound_once(document, target.id):
                return _named(target.id, document.span(statement).end)
    for statement in document.tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == EXTENSION:
            for alias in statement.names:
                if alias.name == _FLAG:
                    return _named(alias.asname or _FLAG, document.span(statement).end)
    return _torch_itself(document, may_name, _OLD_HIP if old else _HIP) or (
        _torch_brought(document) if old else _torch_flag(document)
    )


def gate_of_part(document: PythonFile, importers: Iterable[PythonFile], old: bool = False) -> ScriptGate | None:
    """The gate of a module that build scripts import, all of them after torch: it can import torch as well, which is there
    then. None where one of them may do without."""
    module = posixpath.basename(document.source.path).removesuffix(".py")
    every = list(importers)
    if not every or not all(_has_torch_before(importer, module) for importer in every):
        return None
    body = document.tree.body
    first = next((n for n in body if not _is_docstring(n) and not _is_future(n)), None)
    if first is None or NAME.encode() in document.source.view or "torch" in {n.id for n in document.nodes(ast.Name)}:
        return None
    start = document.source.line_span(document.source.line_at(document.span(first).start)).start
    newline, hip = newline_of(document.source), _OLD_HIP if old else _HIP
    text = f"import torch{newline}{newline}{NAME} = {hip} is not None{newline}"
    return ScriptGate(NAME, f"not {NAME}", start, ((start, start, text + newline),))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _has_torch_before(importer: PythonFile, module: str) -> bool:
    """Whether every import of a module stands behind one of torch, at the top of the file."""
    torch = False
    for node in importer.tree.body:
        if isinstance(node, ast.Import):
            torch = torch or any(alias.name.partition(".")[0] == "torch" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            torch = torch or (node.module or "").partition(".")[0] == "torch"
        if not torch and any(_imports(part, module) for part in ast.walk(node)):
            return False
    return torch


def _imports(node: ast.AST, module: str) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.rpartition(".")[2] == module for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").rpartition(".")[2] == module or any(alias.name == module for alias in node.names)
    return False


def imports_module(document: PythonFile, module: str) -> bool:
    return any(_imports(node, module) for node in document.nodes(ast.Import, ast.ImportFrom))


def _named(name: str, since: int) -> ScriptGate:
    return ScriptGate(name, f"not {name}", since)


def _asks_torch(document: PythonFile, value: ast.expr) -> bool:
    """``torch.version.hip is not None``, nothing more."""
    return (
        isinstance(value, ast.Compare)
        and isinstance(value.ops[0], ast.IsNot)
        and isinstance(value.comparators[0], ast.Constant)
        and value.comparators[0].value is None
        and document.path(value.left) == _HIP
    )


def _bound_once(document: PythonFile, name: str) -> bool:
    return [isinstance(n.ctx, ast.Store) and n.id == name for n in document.nodes(ast.Name)].count(True) == 1


def _torch_itself(document: PythonFile, may_name: bool, hip: str) -> ScriptGate | None:
    imports = [node for node in document.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    has_torch = any(
        isinstance(node, ast.Import) and any(alias.name == "torch" and alias.asname is None for alias in node.names)
        for node in imports
    )
    if not has_torch:
        return None
    last = _end_of_imports(document, imports)
    if not may_name or NAME.encode() in document.source.view:
        return ScriptGate(f"{hip} is not None", f"{hip} is None", document.span(last).end)
    at = document.source.line_span(document.source.line_at(document.span(last).end)).end
    newline = newline_of(document.source)
    return ScriptGate(NAME, f"not {NAME}", at, ((at, at, f"{newline}{newline}{NAME} = {hip} is not None"),))


def _end_of_imports(document: PythonFile, imports: list[ast.Import | ast.ImportFrom]) -> ast.stmt:
    """The last import of the block at the top; at least the one of torch."""
    torch = next(n for n in imports if isinstance(n, ast.Import) and any(a.name == "torch" for a in n.names))
    body = document.tree.body
    at = body.index(torch)
    while at + 1 < len(body) and isinstance(body[at + 1], (ast.Import, ast.ImportFrom)):
        at += 1
    return body[at]


def _torch_brought(document: PythonFile) -> ScriptGate | None:
    """An old torch, imported beside its extension module: that import has brought it already."""
    for statement in document.tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == EXTENSION:
            if _VERSION.encode() in document.source.view:
                return None
            end = document.span(statement).end
            edit = (end, end, f"{newline_of(document.source)}from torch import version as {_VERSION}")
            hip = f'getattr({_VERSION}, "hip", None)'
            return ScriptGate(f"{hip} is not None", f"{hip} is None", end, (edit,))
    return None


def _torch_flag(document: PythonFile) -> ScriptGate | None:
    """torch's own flag, through an import of its extension module that is there."""
    for statement in document.tree.body:
        end = document.span(statement).end
        if isinstance(statement, ast.ImportFrom) and statement.module == EXTENSION and statement.names[0].name != "*":
            start, last = document.span(statement.names[-1])
            own_line = len(statement.names) > 1 and starts_line(document.source, start)
            gap = newline_of(document.source) + indent_at(document.source, start) if own_line else " "
            return ScriptGate(_FLAG, f"not {_FLAG}", end, ((last, last, f",{gap}{_FLAG}"),))
        if isinstance(statement, ast.ImportFrom) and statement.module == "torch.utils":
            for alias in statement.names:
                if alias.name == "cpp_extension":
                    name = f"{alias.asname or alias.name}.{_FLAG}"
                    return ScriptGate(name, f"not {name}", end)
    return None
