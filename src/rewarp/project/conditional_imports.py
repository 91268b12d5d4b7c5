"""Modules of a package that nothing imports unless the code has asked for something first.

``if has_pycuda(): from .opengl import Rasterizer`` keeps away from everybody else what ``opengl.py`` imports at its head."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Mapping

from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.project.modules import PythonModules
from rewarp.project.role_names import Role, RoleOf
from rewarp.workspace import Tree

_IMPORTS = re.compile(rb"(?m)^(?:import|from)[ \t]+(\w+)")
_DEEP = 200
"""Further up than this nobody imports on purpose."""


def conditionally_imported(
    tree: Tree, roles: Mapping[str, RoleOf], packages: frozenset[str], also: bytes = b""
) -> frozenset[str]:
    """Of the modules that import one of these packages at their head, or hold the word ``also``: those that are reached only in
    a ``try`` with a way out, under a condition, or when a function runs. What nothing imports is not among them: somebody runs
    it."""
    own = [path for path, found in roles.items() if found.role is Role.PACKAGE and path.endswith(".py")]
    texts = {path: tree.read(path) or b"" for path in own}
    wanted = {name.encode() for name in packages}
    heads = [
        path for path in own if not wanted.isdisjoint(_IMPORTS.findall(texts[path])) or (also and also in texts[path])
    ]
    search = _Search(PythonModules(tree), texts)
    return frozenset(path for path in heads if search.is_asked_for(path))


class _Search:
    def __init__(self, modules: PythonModules, texts: Mapping[str, bytes]) -> None:
        self._modules, self._texts = modules, texts
        self._known: dict[str, bool] = {}

    def is_asked_for(self, path: str, depth: int = 0) -> bool:
        if path not in self._known:
            self._known[path] = True  # of modules that import one another, who is outside decides
            importers = self._importers(path) if depth < _DEEP else []
            self._known[path] = bool(importers) and all(
                conditional or self.is_asked_for(importer, depth + 1) for importer, conditional in importers
            )
        return self._known[path]

    def _importers(self, path: str) -> list[tuple[str, bool]]:
        """The files that import a module, each with whether it does so under a condition."""
        folder, name = posixpath.split(path.removesuffix(".py"))
        stem = posixpath.basename(folder) if name == "__init__" else name
        word = re.compile(rb"\b" + re.escape(stem.encode("utf-8", "replace")) + rb"\b")
        found: list[tuple[str, bool]] = []
        for importer, text in self._texts.items():
            if importer == path or not word.search(text) or (document := self._modules.document(importer)) is None:
                continue
            found += [
                (importer, _is_conditional(document, item))
                for item in document.imports
                if self._means(importer, item, path)
            ]
        return found

    def _means(self, importer: str, item: Import, path: str) -> bool:
        """Whether an import runs a module: names it, or something of the package whose ``__init__`` it is."""
        inside = f"{item.module}{'' if item.module.endswith('.') else '.'}{item.name}"
        files = {self._modules.file(importer, module) for module in (item.module, inside)} - {None}
        folder, name = posixpath.split(path)
        outside = name == "__init__.py" and not importer.startswith(f"{folder}/")
        return path in files or (outside and any(file and file.startswith(f"{folder}/") for file in files))


def _is_conditional(document: PythonFile, item: Import) -> bool:
    """Being run as a program is no condition: that is what a program is for."""
    if item.optional:
        return True
    for ancestor in document.ancestors(item.node):
        if isinstance(ancestor, ast.If) and not _asks_who_runs_it(ancestor.test):
            return True
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef)) and ancestor.name != "main":
            return True
    return False


def _asks_who_runs_it(test: ast.expr) -> bool:
    """``__name__ == "__main__"``"""
    return isinstance(test, ast.Compare) and "__name__" in (getattr(n, "id", "") for n in ast.walk(test))
