"""How a Python build script asks whether torch is built for ROCm. A build script cannot import what it builds, so it
asks torch itself."""

from __future__ import annotations

import ast

from rewarp.fixes.script import ScriptGate
from rewarp.fixes.text import indent_at, newline_of, starts_line
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION

NAME = "IS_ROCM"
_HIP = "torch.version.hip"
_FLAG = "IS_HIP_EXTENSION"


def find_gate(document: PythonFile, may_name: bool) -> ScriptGate | None:
    """The gate the script has, or one that its imports allow; None where torch is not imported for certain.
    A module of the package itself gets no name of its own: the project has one gate."""
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
    return _torch_itself(document, may_name) or _torch_flag(document)


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


def _torch_itself(document: PythonFile, may_name: bool) -> ScriptGate | None:
    imports = [node for node in document.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    has_torch = any(
        isinstance(node, ast.Import) and any(alias.name == "torch" and alias.asname is None for alias in node.names)
        for node in imports
    )
    if not has_torch:
        return None
    last = _end_of_imports(document, imports)
    if not may_name or NAME.encode() in document.source.view:
        return ScriptGate(f"{_HIP} is not None", f"{_HIP} is None", document.span(last).end)
    at = document.source.line_span(document.source.line_at(document.span(last).end)).end
    newline = newline_of(document.source)
    return ScriptGate(NAME, f"not {NAME}", at, ((at, at, f"{newline}{newline}{NAME} = {_HIP} is not None"),))


def _end_of_imports(document: PythonFile, imports: list[ast.Import | ast.ImportFrom]) -> ast.stmt:
    """The last import of the block at the top; at least the one of torch."""
    torch = next(n for n in imports if isinstance(n, ast.Import) and any(a.name == "torch" for a in n.names))
    body = document.tree.body
    at = body.index(torch)
    while at + 1 < len(body) and isinstance(body[at + 1], (ast.Import, ast.ImportFrom)):
        at += 1
    return body[at]


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
