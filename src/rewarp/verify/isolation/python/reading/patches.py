"""Names that a file sets on something that may be a module: `config.IS_ROCM = True`, `setattr(config, "IS_ROCM", …)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

_SETTERS = {
    "setattr",
    "__setattr__",
    "delattr",
    "patch",
    "object",
    "setitem",
    "update",
    "setdefault",
    "multiple",
    "dict",
}
_ANY_SETTER = re.compile(rb"\b(?:" + b"|".join(sorted(name.encode() for name in _SETTERS)) + rb")\s*\(")
_ATTRIBUTE = re.compile(rb"\.\s*(\w+)\s*(?:[-+*/%|&^@<>]*=(?!=)|[,)\]:;\\#]|in\b|$)", re.M)
_DELETION = re.compile(rb"\bdel\b[^\n]*")
_WORD = re.compile(rb"\w+")
_TEXT = re.compile(rb"['\"](?:[\w.]*\.)?(\w+)['\"]")
_KEYWORD = re.compile(rb"\b(\w+)\s*=(?!=)")


def may_set(data: bytes) -> frozenset[bytes]:
    """Every name that a file may set, and many that it does not: cheap, and asked before the file is parsed."""
    found = {match[1] for match in _ATTRIBUTE.finditer(data)}
    found.update(match[1] for match in _TEXT.finditer(data))
    for deletion in _DELETION.finditer(data):
        found.update(_WORD.findall(deletion[0]))
    if _ANY_SETTER.search(data):
        found.update(match[1] for match in _KEYWORD.finditer(data))
    return frozenset(found)


def names_set(tree: ast.Module) -> Mapping[str, int]:
    """The names that a file sets as attribute or key of something else, with the line."""
    found: dict[str, int] = {}
    tables = own_tables(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in tables:
            continue
        for name in _set_by(node):
            found.setdefault(name, node.lineno)  # type: ignore[attr-defined]
    return found


def own_tables(tree: ast.Module) -> frozenset[str]:
    """Names that stand for dictionaries which the file writes out itself, and for nothing else: no module's names."""
    written = {
        target: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    other: set[str] = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    other |= {name for node in ast.walk(tree) if isinstance(node, ast.alias) for name in (node.asname or node.name,)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            if not isinstance(written.get(node), ast.Dict):
                other.add(node.id)
    return frozenset(node.id for node in written) - other


def _set_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        if not isinstance(node.ctx, ast.Load) and not _is_self(node.value):
            yield node.attr
    elif isinstance(node, ast.Subscript):
        key = node.slice
        if not isinstance(node.ctx, ast.Load) and isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value
    elif isinstance(node, ast.Call) and called(node) in _SETTERS:
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value
                yield argument.value.rpartition(".")[2]
        yield from (keyword.arg for keyword in node.keywords if keyword.arg)


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
