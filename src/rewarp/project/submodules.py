"""Submodules whose files are not in the tree: nothing is known of them, and that has to be said."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import NamedTuple

from rewarp.project.modules import PythonModules
from rewarp.workspace import Tree

_PATH = re.compile(r"(?m)^\s*path\s*=\s*(\S+?)/*\s*$")
_BUILDS = re.compile(
    r"(?i)(environment|requirements).*|readme.*|setup\.py|pyproject\.toml|cmakelists\.txt|install.*|.*\.sh|dockerfile.*"
)


class Unread(NamedTuple):
    path: str
    imported: str = ""
    """The file of the package that imports it as soon as it is imported itself, where the project builds it from there."""


def listed_submodules(tree: Tree) -> list[str]:
    """The folders of all submodules, whether their files are there or not."""
    return _PATH.findall((tree.read(".gitmodules") or b"").decode("utf-8", "replace"))


def unread_submodules(tree: Tree, package: Iterable[str]) -> list[Unread]:
    """``package``: the Python files that are the project itself."""
    listed = listed_submodules(tree)
    files = tree.files() if listed else []
    missing = [path for path in listed if not any(file.startswith(f"{path}/") for file in files)]
    if not missing:
        return []
    builders = [tree.read(file) or b"" for file in files if _BUILDS.fullmatch(posixpath.basename(file))]
    modules, own = PythonModules(tree), [path for path in package if path.endswith(".py")]
    return [Unread(path, _imported(path, own, tree, modules) if _is_built(path, builders) else "") for path in missing]


def _is_built(path: str, builders: list[bytes]) -> bool:
    """Whether a file that installs or builds names the folder."""
    word = re.compile(rb"(?<![\w/-])(?:\./)?%s(?![\w-])" % re.escape(path.encode()))
    return any(word.search(text) for text in builders)


def _imported(path: str, own: list[str], tree: Tree, modules: PythonModules) -> str:
    name = posixpath.basename(path).replace("-", "_")
    for file in own:
        if name.encode() not in (tree.read(file) or b""):
            continue
        document = modules.document(file)
        for item in document.imports if document else ():
            if item.module.partition(".")[0] == name and not item.optional and not item.deferred:
                return file
    return ""
