"""Build scripts in Python: where one gives a macro to the compiler, unless only a ROCm build gets there."""

from __future__ import annotations

import ast
import re

from rewarp.lang import parsers


def lines_set(name: str, data: bytes) -> list[int]:
    """Lines at which a string that gives a macro stands, where an NVIDIA build may reach them."""
    word = re.escape(name)
    given = re.compile(
        rf"(?:^|[\s;,])[-/]D\s*{word}(?!\w)|^{word}(?:=.*)?$|#\s*define\s+{word}\b|^[A-Z0-9_\s;,=-]*(?<![\w-]){word}(?![\w-])[A-Z0-9_\s;,=-]*$"
    )
    try:
        tree = parsers.python(data)
    except (SyntaxError, ValueError):
        return [1]
    gates = _gates(tree)
    found: list[int] = []
    _visit(tree, given, gates, found)
    return found


def _visit(node: ast.AST, given: re.Pattern[str], gates: frozenset[str], found: list[int]) -> None:
    if isinstance(node, (ast.If, ast.IfExp)):
        held = _is_rocm(node.test, gates)
        _visit(node.test, given, gates, found)
        parts: list[list[ast.AST]] = [
            list(part) if isinstance(part, list) else [part] for part in (node.body, node.orelse)
        ]
        for part, dead in zip(parts, (held is True, held is False)):
            for inner in part if not dead else []:
                _visit(inner, given, gates, found)
        return
    if _asks_environment(node):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and given.search(node.value):
        found.append(node.lineno)
    if isinstance(node, ast.keyword) and node.arg and given.search(node.arg):
        found.append(node.value.lineno)
    for child in ast.iter_child_nodes(node):
        _visit(child, given, gates, found)


def _gates(tree: ast.Module) -> frozenset[str]:
    """Names that mean `torch.version.hip is not None`: bound once in the file, to just that."""
    bound: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id, []).append(None)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.arg, ast.alias)):
            name = node.arg if isinstance(node, ast.arg) else node.name
            bound.setdefault(name, []).append(None)
    # An assignment is seen twice: as a statement and as the name it stores to.
    return frozenset(
        name
        for name, values in bound.items()
        if len(values) == 2 and values[0] is not None and _is_rocm(values[0], frozenset()) is True
    )


def _is_rocm(test: ast.expr, gates: frozenset[str]) -> bool | None:
    """True: holds only on ROCm. False: its opposite. None: not known."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _is_rocm(test.operand, gates)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        values = [_is_rocm(value, gates) for value in test.values]
        decisive = isinstance(test.op, ast.And)
        if decisive in values:
            return decisive
        return None if None in values else not decisive
    if isinstance(test, ast.Name):
        return True if test.id in gates else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_none(test.comparators[0]) and _is_hip(test.left):
        return {ast.IsNot: True, ast.NotEq: True, ast.Is: False, ast.Eq: False}.get(type(test.ops[0]))
    return True if _is_hip(test) else None


def _is_hip(node: ast.expr) -> bool:
    return ast.unparse(node) in (
        "torch.version.hip",
        "getattr(torch.version, 'hip', None)",
        "bool(torch.version.hip)",
        "torch.utils.cpp_extension.IS_HIP_EXTENSION",
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _asks_environment(node: ast.AST) -> bool:
    """`os.getenv("USE_ROCM")` reads a variable; it does not give a macro."""
    if not isinstance(node, (ast.Call, ast.Subscript)):
        return False
    asked = ast.unparse(node.func if isinstance(node, ast.Call) else node.value)
    return asked in ("os.getenv", "os.environ.get", "os.environ", "getenv", "environ.get", "environ")
