"""New extras of setup.py for AMD that nobody asks for: what an NVIDIA user installs is the same without them."""

from __future__ import annotations

import ast

from rewarp.project.sides import is_group_for_amd
from rewarp.verify.isolation.packaging.extra_users import extra
from rewarp.verify.isolation.tree import Trees

METHOD = "extras for AMD that nobody asks for"
_SEES_ALL = frozenset({"globals", "locals", "vars", "exec", "eval", "getattr", "setattr", "compile", "__import__"})


def only_extras_for_amd(path: str, old: bytes, new: bytes, trees: Trees) -> bool:
    """Whether a setup script is the same but for new keys of the table that it gives ``extras_require``."""
    try:
        before, after = ast.parse(old), ast.parse(new)
    except (SyntaxError, ValueError, RecursionError):
        return False
    table = _table(after)
    earlier = _table(before)
    if table is None or earlier is None:
        return False
    known = {_text(key) for key in earlier.keys}
    added = [at for at, key in enumerate(table.keys) if _text(key) not in known]
    names = [_text(table.keys[at]) for at in added]
    if not added or not all(name and is_group_for_amd(name) for name in names):
        return False
    if not all(_is_plain(table.values[at]) for at in added) or any(extra(name, trees, path) for name in names if name):
        return False
    for at in reversed(added):
        del table.keys[at], table.values[at]
    return ast.dump(before) == ast.dump(after)


def _table(tree: ast.Module) -> ast.Dict | None:
    """The literal that the script gives as its extras and uses for nothing else."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    if any(node.id in _SEES_ALL for node in names):
        return None
    given = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "extras_require"]
    if len(given) != 1:
        return None
    value = given[0].value
    if isinstance(value, ast.Dict):
        return value
    if not isinstance(value, ast.Name):
        return None
    stores = [node for node in tree.body if isinstance(node, ast.Assign) and _names(node) == [value.id]]
    uses = [node for node in names if node.id == value.id]
    if len(stores) != 1 or len(uses) != 2 or not isinstance(stores[0].value, ast.Dict):
        return None  # it is added to, gone through, or read elsewhere
    return stores[0].value


def _names(node: ast.Assign) -> list[str]:
    return [target.id if isinstance(target, ast.Name) else "" for target in node.targets]


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_plain(node: ast.expr) -> bool:
    return _text(node) is not None or (isinstance(node, (ast.List, ast.Tuple)) and all(map(_text, node.elts)))
