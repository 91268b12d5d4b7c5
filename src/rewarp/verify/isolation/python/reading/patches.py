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
_PATCHES = ("multiple", "dict", "object", "patch")
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
    tables, new = own_tables(tree), frozenset[ast.AST]()
    if spread := _spreads(tree):
        for name in _keys(tree):
            found.setdefault(name, spread)
    else:
        new = _new_dictionaries(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in tables:
            continue
        if node in new:
            continue
        for name in _set_by(node):
            found.setdefault(name, node.lineno)  # type: ignore[attr-defined]
    return found


def _spreads(tree: ast.Module) -> int:
    """The line where names that stand elsewhere are set: ``patch.multiple("config", **values)``; 0 where there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in _PATCHES and isinstance(node.func, ast.Attribute):
            if any(keyword.arg is None for keyword in node.keywords) or len(node.args) > 1:
                return node.lineno
    return 0


def _keys(tree: ast.Module) -> Iterator[str]:
    """Every text that is a key of a dictionary that the file writes out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


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


def _new_dictionaries(tree: ast.Module) -> frozenset[ast.AST]:
    """Calls of ``dict`` itself that only make one, as a literal does: nothing that sets names is given it, and the name is Python's."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.asname or node.name for node in ast.walk(tree) if isinstance(node, ast.alias)}
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    if not bound.isdisjoint(("dict", "*")):
        return frozenset()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    plain = {call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "dict"}
    setters = (call for call in calls if call not in plain and called(call) in _SETTERS)
    return frozenset(plain).difference(*(ast.walk(call) for call in setters))


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
