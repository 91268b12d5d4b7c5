"""Modules of a package that nothing imports unless the code has asked for something first.

``if has_pycuda(): from .opengl import Rasterizer`` keeps away from everybody else what ``opengl.py`` imports at its head."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from rewarp.errors import UnreadableSource
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.project.modules import PythonModules
from rewarp.project.role_names import Role, RoleOf
from rewarp.source import SourceFile, words_of
from rewarp.workspace import Tree
from rewarp.workspace.documents import python_file

_IMPORTS = re.compile(rb"(?m)^(?:import|from)[ \t]+(\w+)")
_WORD = re.compile(rb"\w+")
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
        self._imported: dict[str, list[tuple[frozenset[str], bool]]] = {}

    def is_asked_for(self, path: str, depth: int = 0) -> bool:
        if path not in self._known:
            self._known[path] = True  # of modules that import one another, who is outside decides
            self._known[path] = depth < _DEEP and self._all_ask(path, depth)
        return self._known[path]

    def _all_ask(self, path: str, depth: int) -> bool:
        """Whether somebody imports a module, and nobody without asking. The first who does not ask decides: most importers are
        never parsed."""
        importer = None
        for importer, conditional in self._importers(path):
            if not conditional and not self.is_asked_for(importer, depth + 1):
                return False
        return importer is not None

    def _importers(self, path: str) -> Iterator[tuple[str, bool]]:
        """The files that import a module, each with whether it does so under a condition."""
        outside = f"{posixpath.dirname(path)}/" if posixpath.basename(path) == "__init__.py" else None
        for importer in self._naming(path):
            if importer == path:
                continue
            # Who imports something of a package from outside runs its `__init__`.
            inside = None if outside is None or importer.startswith(outside) else outside
            for files, conditional in self._imports(importer):
                if path in files or (inside is not None and any(file.startswith(inside) for file in files)):
                    yield importer, conditional

    def _imports(self, importer: str) -> list[tuple[frozenset[str], bool]]:
        """The files of the project that each import of a file runs, and whether under a condition. The file itself is not kept."""
        if importer not in self._imported:
            try:
                document = python_file(SourceFile(importer, self._texts[importer]))
            except UnreadableSource:
                self._imported[importer] = []
            else:
                found = ((self._meant(importer, item), item) for item in document.imports)
                self._imported[importer] = [(files, _is_conditional(document, item)) for files, item in found if files]
        return self._imported[importer]

    def _naming(self, path: str) -> list[str]:
        """The files that hold a module's name."""
        stem = _stem(path)
        if _WORD.fullmatch(stem):
            return self._by_word[stem]
        word = re.compile(rb"\b" + re.escape(stem) + rb"\b")
        return [importer for importer, text in self._texts.items() if stem in text and word.search(text)]

    @cached_property
    def _by_word(self) -> dict[bytes, list[str]]:
        """Of the names of modules that are words, the files that hold them."""
        found: dict[bytes, list[str]] = {_stem(path): [] for path in self._texts}
        for importer, text in self._texts.items():
            for word in found.keys() & words_of(text):
                found[word].append(importer)
        return found

    def _meant(self, importer: str, item: Import) -> frozenset[str]:
        """What an import names, and what it names in that."""
        inside = f"{item.module}{'' if item.module.endswith('.') else '.'}{item.name}"
        files = (self._modules.file(importer, module) for module in (item.module, inside))
        return frozenset(file for file in files if file is not None)


def _stem(path: str) -> bytes:
    """What an import of a module calls it: a package's ``__init__`` goes by the package's name."""
    folder, name = posixpath.split(path.removesuffix(".py"))
    return (posixpath.basename(folder) if name == "__init__" else name).encode("utf-8", "replace")


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
