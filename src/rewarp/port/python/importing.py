"""How one file of a project imports another: as its own imports, or its packaging, show that it can."""

from __future__ import annotations

import ast
import posixpath
import re
from functools import cached_property

from rewarp.lang.python import PythonFile
from rewarp.port.python.packages import top_package
from rewarp.port.tree import Tree
from rewarp.project.import_roots import packaging_roots, shown_roots

_FROM = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([^\n#]*)", re.M)
_SCRIPT = re.compile(rb"""__name__\s*==\s*['"]__main__""")


class Imports:
    """The imports of one state of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def spelled(self, document: PythonFile, file: str) -> str | None:
        """What stands after ``from`` for a file of the project; None where no import is sure to find it."""
        importer = document.source.path
        parts = file.removesuffix(".py").removesuffix("/__init__").split("/")
        if file == importer or not all(part.isidentifier() for part in parts[-1:]):
            return None
        levels = [node.level for node in document.tree.body if isinstance(node, ast.ImportFrom) and node.level]
        absolute = self._absolute(document, file)
        if levels or (absolute is None and self._is_member(document)):
            relative = self._relative(importer, file, max(levels, default=0))
            if relative is not None:
                return relative
        return absolute

    def _relative(self, importer: str, file: str, level: int) -> str | None:
        """With dots, no further up than the package reaches, or than the file's own imports go."""
        folder = posixpath.dirname(importer)
        top = top_package(importer, self._tree)
        up = 1
        while True:
            below = file[len(folder) + 1 :] if folder else file
            if (not folder or file.startswith(folder + "/")) and _names(below):
                return "." * up + _names(below)
            inside = top is not None and folder != top and (folder + "/").startswith(top + "/")
            if not folder or not (inside or up < level):
                return None
            folder, up = posixpath.dirname(folder), up + 1

    def _absolute(self, document: PythonFile, file: str) -> str | None:
        importer = document.source.path
        beside = posixpath.dirname(importer)
        own = set() if top_package(importer, self._tree) else {beside}
        shown = shown_roots(importer, document.tree.body, self._files, self._roots | own | {""})
        for root in sorted(shown, key=len, reverse=True):
            below = file[len(root) + 1 :] if root else file
            name = _names(below) if not root or file.startswith(root + "/") else ""
            # Another package of the same root may be another project's, which is not always there.
            if name and any(item.full.partition(".")[0] == name.partition(".")[0] for item in document.imports):
                return name
        return None

    def _is_member(self, document: PythonFile) -> bool:
        """Whether a file is imported as part of its package: then it can import its siblings with dots."""
        path = document.source.path
        top = top_package(path, self._tree)
        if top is None or _SCRIPT.search(document.source.data):
            return False
        if posixpath.dirname(top) in self._roots:
            return True
        return path in self._members

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(self._tree.paths())

    @cached_property
    def _roots(self) -> frozenset[str]:
        return packaging_roots(self._tree.paths())

    @cached_property
    def _members(self) -> frozenset[str]:
        """Files that others import by a name with dots, and so as part of a package."""
        found: set[str] = set()
        for path in self._tree.paths():
            data = self._tree.read(path) if path.endswith(".py") else None
            for dots, module, names in _FROM.findall(data or b""):
                folder = posixpath.dirname(path)
                for _ in range(len(dots) - 1):
                    folder = posixpath.dirname(folder)
                inside = module.decode().replace(".", "/")
                base = posixpath.join(folder, inside) if dots and inside else folder if dots else inside
                found |= {f"{base}/{name.decode()}.py" for name in re.findall(rb"\w+", names)}
                if dots or "/" in inside:
                    found.add(f"{base}.py")
        return frozenset(
            path
            for path in self._tree.paths()
            if path in found or any(path[at + 1 :] in found for at, char in enumerate(path) if char == "/")
        )


def _names(below: str) -> str:
    """A path as a dotted name; empty where it is none."""
    parts = below.removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""
