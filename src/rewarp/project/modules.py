"""The Python modules of a tree: which file an import inside the project means, each read once."""

from __future__ import annotations

import ast
import posixpath
import sys
from collections import defaultdict
from functools import cached_property

from rewarp.errors import UnreadableSource
from rewarp.lang.python import PythonFile
from rewarp.project.gates import Answer, answer
from rewarp.source import SourceFile
from rewarp.workspace import Tree
from rewarp.workspace.documents import python_file

_INSTALLED = frozenset(sys.stdlib_module_names) | {"torch", "setuptools", "numpy"}
"""Never a file of the project's, whatever its files are called."""


class PythonModules:
    """Finds modules of a project by how other modules name them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._documents: dict[str, PythonFile | None] = {}

    def document(self, path: str) -> PythonFile | None:
        """None for what is no Python."""
        if path not in self._documents:
            data = self.tree.read(path)
            try:
                self._documents[path] = python_file(SourceFile(path, data)) if data is not None else None
            except UnreadableSource:
                self._documents[path] = None
        return self._documents[path]

    def answer(self, path: str, node: ast.expr) -> Answer:
        """What an expression of a file is on each platform."""
        document = self.document(path)
        if document is None:
            raise LookupError(path)
        return answer(document, node, self)

    def find(self, importer: str, dotted: str) -> tuple[PythonFile, str] | None:
        """The module and the name in it that a dotted path means, as an importing file writes it."""
        parent, _, name = dotted.rpartition(".")
        if not name or not parent or "(" in parent:
            return None
        # `from .. import utils` reads "...utils", as `from ...utils import` does.
        ways = {self._file(importer, parent), self._file(importer, parent[1:]) if parent.startswith("..") else None}
        files = sorted(path for path in ways if path)
        file = files[0] if len(files) == 1 else None
        document = self.document(file) if file and file != importer else None
        return (document, name) if document else None

    def file(self, importer: str, module: str) -> str | None:
        """The file of the project that an import means; None for what is installed, or where several would do."""
        return None if module.partition(".")[0] in _INSTALLED else self._file(importer, module)

    def _file(self, importer: str, module: str) -> str | None:
        level = len(module) - len(module.lstrip("."))
        parts = module.lstrip(".").replace(".", "/")
        if level:
            folder = posixpath.dirname(importer)
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            base = posixpath.normpath(posixpath.join(folder, parts)) if parts else folder
            names = (f"{base}.py", posixpath.join(base, "__init__.py"))
            return next((path for path in names if path in self.tree), None)
        return self._absolute(parts)

    def _absolute(self, parts: str) -> str | None:
        """A file whose folders above are no packages; None where several would do."""
        found = [
            path
            for path in self._by_name.get(parts.rpartition("/")[2], ())
            for root in (path.removesuffix(".py").removesuffix("/__init__"),)
            if root == parts or (root.endswith("/" + parts) and self._is_top(root.removesuffix("/" + parts)))
        ]
        return found[0] if len(found) == 1 else None

    def _is_top(self, folder: str) -> bool:
        return posixpath.join(folder, "__init__.py") not in self.tree

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.tree.files():
            if path.endswith(".py"):
                found[posixpath.basename(path.removesuffix(".py").removesuffix("/__init__"))].append(path)
        return found
