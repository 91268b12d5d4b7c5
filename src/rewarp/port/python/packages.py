"""By what name the project's own code imports a file of one of its packages."""

from __future__ import annotations

import posixpath

from rewarp.port.tree import Tree


def top_package(path: str, tree: Tree) -> str | None:
    """The outermost package around a file."""
    folder, found = posixpath.dirname(path), None
    while folder and f"{folder}/__init__.py" in tree:
        found, folder = folder, posixpath.dirname(folder)
    return found


def module_name(path: str, tree: Tree) -> str | None:
    """None where the file is in no package, or its path is no name."""
    top = top_package(path, tree)
    if top is None:
        return None
    inside = path[len(posixpath.dirname(top)) :].lstrip("/").removesuffix(".py").removesuffix("/__init__")
    parts = inside.split("/")
    return ".".join(parts) if all(part.isidentifier() for part in parts) else None
