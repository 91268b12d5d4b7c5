"""Where absolute imports of a project start: beside its packaging files. The name of a folder elsewhere is no module's
name: ``extensions/thunder`` of a project is not what its files mean by ``import thunder``."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Collection, Iterable, Iterator

_PACKAGING = frozenset({"setup.py", "setup.cfg", "pyproject.toml"})
_SOURCES = ("src", "python", "lib")
"""Folders beside a packaging file that hold packages rather than being one."""


def packaging_roots(paths: Iterable[str]) -> frozenset[str]:
    """The folders whose packages the project installs under their own names."""
    paths = list(paths)
    homes = {posixpath.dirname(path) for path in paths if posixpath.basename(path) in _PACKAGING}
    packages = {posixpath.dirname(path) for path in paths if path.endswith("__init__.py")}
    below = {posixpath.join(home, name) for home in homes for name in _SOURCES}
    return frozenset(homes | (below - packages))


def root_of(file: str, module: str) -> str | None:
    """The folder from which a dotted name leads to a file; None where it does not."""
    base = file.removesuffix(".py").removesuffix("/__init__")
    parts = module.replace(".", "/")
    if base == parts:
        return ""
    return base.removesuffix("/" + parts) if base.endswith("/" + parts) else None


def absolute_imports(body: Iterable[ast.stmt]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The modules that the statements of a module import from the top, each with the names that are taken from it."""
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from ((alias.name, ()) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
            yield statement.module, tuple(alias.name for alias in statement.names)


def shown_roots(importer: str, body: Iterable[ast.stmt], files: Collection[str], roots: Iterable[str]) -> set[str]:
    """The folders among ``roots`` from which a file's own imports are found."""
    found: set[str] = set()
    for module, names in absolute_imports(body):
        for root in roots:
            base = posixpath.join(root, module.replace(".", "/"))
            own = not root and importer.startswith(base + "/")
            inside = own or any(f"{base}/{name}.py" in files for name in names)
            # A folder that has another project's name may stand here: what is taken from it has to be in it.
            package = f"{base}/__init__.py" in files and ("." in module or inside)
            if (f"{base}.py" in files and f"{base}.py" != importer) or package:
                found.add(root)
    return found
