"""The helper module that a port vendors: where it goes, and which parts of it the files of a project import.

Other parts write the imports; this one then adds the file, with what is imported and nothing else."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os.path import commonpath
from pathlib import PurePosixPath

from rewarp.lang import parsers
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.runtime import HELPER_MODULE, helper, is_untouched, provided, public_names

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][A-Za-z_0-9.]*)", re.M)
_MOST_COPIES = 3


@dataclass(frozen=True)
class HelperPlace:
    path: str
    module: str
    """Dotted, from the top."""


def helper_place(tree: Tree, users: Iterable[str]) -> HelperPlace | None:
    """Where all of these files can import the helper from: the innermost package around those of the package that has
    most of them, or the folder of scripts; scripts in a few folders get one each. None where no place serves them all."""
    paths = sorted(set(users))
    packages = _packages(tree)
    tops = {path: _top_package(path, packages) for path in paths}
    inside = Counter(top for top in tops.values() if top)
    if not inside:
        folders = {str(PurePosixPath(path).parent) for path in paths}
        return _in_folder(min(folders), None) if 0 < len(folders) <= _MOST_COPIES else None
    top = min(inside, key=lambda name: (-inside[name], name))
    imports = re.compile(
        rb"^[ \t]*(?:from|import)[ \t]+" + re.escape(os.fsencode(PurePosixPath(top).name)) + rb"\b", re.M
    )
    if any(tops[path] != top and not imports.search(tree.read(path) or b"") for path in paths):
        return None
    folders = {str(PurePosixPath(path).parent) for path in paths if tops[path] == top}
    return _in_folder(commonpath(folders), top)


def run(tree: Tree, context: PortContext) -> PhaseResult:
    """Adds the helper, or the parts that it lacks, where files import it."""
    result = PhaseResult()
    phase = _first_phase(context)
    for path, wanted in sorted(_uses(tree).items()):
        present = tree.read(path)
        missing = wanted.keys() - (provided(present) if present is not None else set())
        for name in sorted(missing.difference(public_names())):
            user, line = wanted[name]
            what = f"imports {name} from {HELPER_MODULE}"
            result.manual.append(Manual(user, line, phase, what, "the helper has no such name"))
        if missing.intersection(public_names()):
            _supply(path, missing.intersection(public_names()), present, phase, result)
    return result


def _first_phase(context: PortContext) -> PortPhase:
    """Files of any phase may import the helper: it comes before them all, or with the first phase that was asked for."""
    phases = context.phases - {PortPhase.ENVIRONMENT} or context.phases
    return min(phases, key=lambda phase: phase.number)


def _supply(path: str, missing: set[str], present: bytes | None, phase: PortPhase, result: PhaseResult) -> None:
    names = ", ".join(sorted(missing))
    if present is not None and not is_untouched(present):
        why = "the file was changed since rewarp wrote it; delete it and port again, or add the names"
        result.manual.append(Manual(path, None, phase, f"{HELPER_MODULE} lacks {names}", why))
        return
    kept = provided(present).intersection(public_names()) if present is not None else set()
    why = f"Small helper without dependencies, for the ROCm side: {names}."
    result.changes.append(Change(path, helper(missing.union(kept)), phase, why))


def _packages(tree: Tree) -> set[str]:
    """Folders that are imported as packages: by their ``__init__.py``, or, without one, because a file does so."""
    files = [PurePosixPath(path) for path in tree.paths() if path.endswith(".py")]
    packages = {str(file.parent) for file in files if file.name == "__init__.py"}
    bare = {str(folder) for file in files for folder in file.parents} - packages
    for file in files if bare else []:
        for module in set(_IMPORT.findall(tree.read(str(file)) or b"")):
            parts = module.decode().split(".")
            packages |= bare.intersection("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return packages - {"."}


def _top_package(path: str, packages: set[str]) -> str | None:
    """The outermost package of an unbroken line of packages around a file."""
    top = None
    for folder in map(str, PurePosixPath(path).parents):
        if folder not in packages:
            break
        top = folder
    return top


def _in_folder(folder: str, top: str | None) -> HelperPlace:
    path = f"{HELPER_MODULE}.py" if folder in (".", "") else f"{folder}/{HELPER_MODULE}.py"
    if top is None:
        return HelperPlace(path, HELPER_MODULE)
    inside = PurePosixPath(path).with_suffix("").relative_to(PurePosixPath(top).parent)
    return HelperPlace(path, ".".join(inside.parts))


# --- who imports it --------------------------------------------------------------------


def _uses(tree: Tree) -> dict[str, dict[str, tuple[str, int]]]:
    """The names that files take from a helper, by its path, each with one file and line that wants it."""
    found: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    folders = {str(folder) for path in tree.paths() if path.endswith(".py") for folder in PurePosixPath(path).parents}
    for path in tree.paths():
        data = tree.read(path) if path.endswith(".py") else None
        if data is None or HELPER_MODULE.encode() not in data or PurePosixPath(path).stem == HELPER_MODULE:
            continue
        try:
            module = parsers.python(data)
        except (SyntaxError, ValueError):
            continue  # the scan reports what it cannot parse
        for package, level, name, line in _imported(module):
            folder = _folder(path, package, level, folders)
            if folder is not None:
                found[_in_folder(folder, None).path].setdefault(name, (path, line))
    return found


def _imported(module: ast.Module) -> Iterator[tuple[str, int, str, int]]:
    """The package a helper is in, how far up (0: absolute), a name taken from it, and the line."""
    aliases: dict[str, tuple[str, int]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            package, _, last = (node.module or "").rpartition(".")
            for alias in node.names:
                if last == HELPER_MODULE:
                    yield package, node.level, alias.name, node.lineno
                elif alias.name == HELPER_MODULE:
                    aliases[alias.asname or alias.name] = (node.module or "", node.level)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package, _, last = alias.name.rpartition(".")
                if last == HELPER_MODULE:
                    aliases[alias.asname or alias.name] = (package, 0)
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and (known := aliases.get(ast.unparse(node.value))):
            yield *known, node.attr, node.lineno


def _folder(path: str, package: str, level: int, folders: set[str]) -> str | None:
    """The folder that an import of a file means by a package; absolute ones are looked for from the file outwards."""
    parents = [str(folder) for folder in PurePosixPath(path).parents]
    if level:
        roots = parents[level - 1 : level]
    else:
        roots = [*parents, "src"] if package else parents[:1]
    for root in roots:
        folder = str(PurePosixPath(root, *package.split(".")) if package else PurePosixPath(root))
        if folder in folders:
            return folder
    return None
