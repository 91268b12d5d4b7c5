"""A name that a change adds to a module: could the old program notice that it is there?"""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

from rewarp.verify.isolation.python.gates.names import BUILTIN_NAMES
from rewarp.verify.isolation.python.reading.modules import Module

_DISCOVERED = re.compile(r"(?i)test|pytest_|setup|teardown|load_tests|__")


class NewNames:
    """Looks for whoever knows a name already, asks for it, or looks at names at run time."""

    def __init__(self, before: Module, after: Module) -> None:
        self.before = before
        self.after = after

    def why_known(self, name: str, is_class: bool = True) -> str | None:
        """Why a new name of the module may be noticed by the old program; ``is_class``: it may be that of a class."""
        if name.startswith("__") or _DISCOVERED.match(name):
            return f"{name} is a name that tools look for"
        if name in words_of(self.before.tree) or name in BUILTIN_NAMES:
            return f"the old version knows the name {name} already"
        for module in (self.after, self.before):
            if module.reached_by:
                return f"{name} is new, and {module.reached_by}"
            if module.looks_at_names:
                return f"{name} is new, and {module.looks_at_names} looks at names at run time"
        return self._noticed_by_others(name, is_class)

    def _noticed_by_others(self, name: str, is_class: bool) -> str | None:
        path = PurePosixPath(self.after.path)
        own = path.parent.name if path.name == "__init__.py" else path.stem
        looks = re.compile(
            rb"\b(?:dir|vars|getmembers|getattr|hasattr)\(\s*(?:\w+\.)*" + re.escape(own.encode()) + rb"\b|\b"
            + re.escape(own.encode()) + rb"\.__dict__"
        )  # fmt: skip
        star = re.compile(
            rb"from\s+[\w.]*\b" + re.escape(own.encode()) + rb"\s+import\s*\(?\s*\*|from\s+\.+\s+import\s*\*"
        )
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        quoted = re.compile(rb"['\"]" + re.escape(name.encode()) + rb"['\"]")
        if path.name == "__init__.py":
            inside = {str(path.parent / name), str(path.parent / f"{name}.py"), str(path.parent / name / "__init__.py")}
            if inside & (self.before.project.paths | self.after.project.paths):
                return f"{name} is a module of the package, too"
        reflections = self.before.modules.reflections
        if other := reflections.who_lists(name, self.after.path, is_class=is_class):
            return f"{name} is new, and {other} looks at the names of modules"
        if other := reflections.who_asks(name):
            return f"{name} is new, and {other} may put that name together and ask for it"
        hidden = name.startswith("_") or self._listed_exports(name)
        for other, data in self.before.project.python_files():
            if other == self.after.path:
                continue
            mentions = own.encode() in data if own else True
            if name.encode() in data and quoted.search(data):
                return f"{name} is new, and {other} may ask for it by name"
            if mentions and looks.search(data):
                return f"{name} is new, and {other} looks at the names of {own}"
            if not hidden and (mentions or path.name == "__init__.py") and star.search(data):
                return f"{name} is new, and {other} imports everything from {own}"
            if mentions and name.encode() in data and word.search(data) and self._asks_for(other, own, name):
                return f"{name} is new, and {other} asks {own} for it already"
        return None

    def _listed_exports(self, name: str) -> bool:
        """Whether a literal __all__ leaves a name out."""
        bindings = self.after.scopes.module.bindings.get("__all__", [])
        value = bindings[0].value if len(bindings) == 1 else None
        if not isinstance(value, (ast.List, ast.Tuple)):
            return False
        return all(isinstance(item, ast.Constant) and item.value != name for item in value.elts)

    def _asks_for(self, path: str, own: str, name: str) -> bool:
        """Whether a file of the old tree takes this name from this module, or may."""
        tree = self.before.project.tree_of(path)
        if not isinstance(tree, ast.Module):
            return True
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
                if (node.module or "").rpartition(".")[2] in (own, ""):
                    return True
            if (
                isinstance(node, ast.Attribute)
                and node.attr == name
                and isinstance(node.value, (ast.Name, ast.Attribute))
            ):
                base = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                if base not in ("self", "cls"):
                    return True
            if isinstance(node, ast.Constant) and node.value == name:
                return True
        return False


def words_of(tree: ast.Module) -> frozenset[str]:
    """Every identifier of a module, and every word of its texts."""
    cached = getattr(tree, "_rewarp_words", None)
    if cached is None:
        found: set[str] = set()
        for node in ast.walk(tree):
            for field in ("id", "attr", "name", "arg", "asname", "rest"):
                value = getattr(node, field, None)
                if isinstance(value, str):
                    found.update(value.split("."))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(re.findall(r"\w+", node.value))
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                found.update(node.names)
        cached = frozenset(found)
        tree._rewarp_words = cached  # type: ignore[attr-defined]
    return cached
