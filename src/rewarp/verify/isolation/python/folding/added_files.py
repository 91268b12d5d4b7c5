"""A Python file that was added: nothing runs it, unless something finds it by its name or its place."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from rewarp.verify.isolation.python.gates.names import LOOKS_LIKE_GATE
from rewarp.verify.isolation.python.reading.project import Project

FOUND_BY_NAME = re.compile(r"__\w+__|conftest|test_.*|.*_test|setup|sitecustomize|usercustomize|noxfile|hubconf")
_OFTEN_INSTALLED = {"torch", "triton", "numpy", "packaging", "yaml", "requests", "tqdm", "einops", "transformers"}
_LOOKS_AROUND = re.compile(
    rb"\b(?:iter_modules|walk_packages|listdir|scandir|iterdir|r?glob|import_module|__import__)\b"
    rb"|\bfind_spec\((?!\s*['\"][\w.]*['\"]\s*[,)])"
)
_LOOKS_FAR = re.compile(rb"\b(?:iter_modules|walk_packages)\b|\*\.py\b")


def why_found(path: str, before: Project, after: Project) -> str | None:
    """Why the old program may run or read a new file; None where only changed code can import it."""
    place = PurePosixPath(path)
    name = place.stem
    if FOUND_BY_NAME.fullmatch(name):
        return f"{place.name} is a name that Python or its tools look for"
    if name in _OFTEN_INSTALLED or (not _in_package(place, after) and _may_be_installed(name)):
        return f"{place.name} may be imported in place of the module {name}"
    if folder := _new_import(place, before):
        return f"there was nothing to import by the name {folder}, and now there is"
    if looks := next(who_look(place, before), None):
        return f"{looks[0]} looks for files by itself ({looks[1]})"
    for other, data in before.python_files():
        if name.encode() in data and _imports(before.tree_of(other), other, place, after):
            return f"{other} names a module {name} already"
    return None


def who_look(place: PurePosixPath, project: Project) -> Iterator[tuple[str, str]]:
    """Programs around a file that go through folders, or import what they are told, each with what it does so by."""
    around = {str(folder) for folder in place.parents}
    for other, data in project.python_files():
        folder = str(PurePosixPath(other).parent)
        near = folder == str(place.parent) and not other.endswith("setup.py")
        looks = (_LOOKS_AROUND if near else _LOOKS_FAR).search(data) if folder in around else None
        if looks:
            yield other, looks[0].decode()


def _may_be_installed(name: str) -> bool:
    """A module of one plain word at a place where imports start may hide one that another package imports."""
    return name in sys.stdlib_module_names or not (LOOKS_LIKE_GATE.search(name) or "_" in name.strip("_"))


def _new_import(place: PurePosixPath, before: Project) -> str | None:
    """The first folder on the way to the file that is new, where the old tree imports that name."""
    for folder in list(place.parents)[-2::-1]:
        if not any(path.startswith(f"{folder}/") for path in before.paths):
            named = re.compile(
                rb"\b(?:import|from)\s+"
                + re.escape(os.fsencode(folder.name))
                + rb"\b|['\"]"
                + re.escape(os.fsencode(folder.name))
                + rb"['\"]"
            )
            return folder.name if any(named.search(data) for _, data in before.python_files()) else None
    return None


def _in_package(place: PurePosixPath, project: Project) -> bool:
    return str(place.parent / "__init__.py") in project.paths


def _imports(tree: ast.Module | str | None, importer: str, place: PurePosixPath, after: Project) -> bool:
    """Whether a file of the old tree has an import, or a text, that now leads to the new file."""
    if not isinstance(tree, ast.Module):
        return tree is not None
    names = {f"{place.parent.name}.{place.stem}", f"{place.parent.name}/{place.stem}", place.name, place.stem}
    for node in ast.walk(tree):
        modules: list[tuple[str, int]] = []
        if isinstance(node, ast.Import):
            modules = [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            inner = [f"{module}.{alias.name}".lstrip(".") for alias in node.names]
            modules = [(one, node.level) for one in [module, *inner]]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            text = node.value.removesuffix(".py")
            if text in names or node.value in names or any(text.endswith(f"{sep}{place.stem}") for sep in "./"):
                return True
        if any(after.module_file(importer, one, level) == str(place) for one, level in modules):
            return True
        if any(one == place.stem and not level for one, level in modules):
            return True  # run from the folder of the file
    return False
