"""What of a project is installed, as its packaging says: pyproject.toml, setup.cfg, setup.py."""

from __future__ import annotations

import configparser
import fnmatch
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rewarp.lang import parsers
from rewarp.workspace import Tree

_CMAKE_BACK_ENDS = ("scikit_build_core", "py_build_cmake", "skbuild")
_RESERVED = frozenset(
    "ci bin debian doc docs documentation manpages news newsfragments changelog test tests unit_test unit_tests example "
    "examples scripts tools util utils python build benchmark benchmarks exercise exercises htmlcov".split()
)
"""Folders that setuptools passes by when nobody tells it what to install."""


@dataclass
class Packaging:
    """Of one packaging file."""

    file: str
    back_end: str = ""
    """``setuptools``, ``hatchling``, ``scikit_build_core``, ... ; empty for a setup.py of its own."""
    cmake: str | None = None
    """The CMake file that the back end builds with: that file is the build."""
    packages: dict[str, str] = field(default_factory=dict)
    """Folders whose Python files are installed, and why."""
    modules: dict[str, str] = field(default_factory=dict)
    """Single files that are."""
    known: bool = True
    """Whether everything that is installed is named here."""


# --- packages as setuptools finds them ------------------------------------------------------


def find_packages(
    tree: Tree,
    folder: str,
    include: Iterable[str] = ("*",),
    exclude: Iterable[str] = (),
    *,
    namespaces: bool = False,
) -> list[str]:
    """The dotted names of the packages below a folder."""
    include, exclude = tuple(include) or ("*",), tuple(exclude)
    marked = {
        posixpath.dirname(path)
        for path in tree.files()
        if path.endswith(".py") and (namespaces or path.endswith("__init__.py"))
    }
    found = []
    for package in sorted(marked):
        name = _below(package, folder)
        if not name or not all(part.isidentifier() for part in name.split("/")):
            continue
        parts = name.split("/")
        whole = namespaces or all(posixpath.join(folder, *parts[:n]) in marked for n in range(1, len(parts)))
        dotted = ".".join(parts)
        if whole and _matches(dotted, include) and not _matches(dotted, exclude):
            found.append(dotted)
    return found


def _below(path: str, folder: str) -> str:
    if folder in ("", "."):
        return path
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else ""


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def package_folder(root: str, dotted: str, folders: dict[str, str]) -> str:
    """Where a package lies, with setuptools' ``package_dir``: the longest name that it gives a folder for."""
    parts = dotted.split(".") if dotted else []
    for count in range(len(parts), -1, -1):
        name = ".".join(parts[:count])
        if name in folders:
            return _joined(root, folders[name], *parts[count:])
    return _joined(root, *parts)


def _joined(*parts: str) -> str:
    path = posixpath.normpath(posixpath.join(*parts)) if any(parts) else ""
    return "" if path == "." else path


# --- pyproject.toml and setup.cfg -----------------------------------------------------------


def read_pyproject(tree: Tree, path: str) -> Packaging | None:
    """What a pyproject.toml installs; None where it is no packaging at all."""
    data = _toml(tree.read(path) or b"")
    system = data.get("build-system")
    if not isinstance(system, dict) and "project" not in data and "poetry" not in _table(data, "tool"):
        return None
    tool = _table(data, "tool")
    default = "poetry" if "poetry" in tool else "setuptools"
    back_end = str(system.get("build-backend", default) if isinstance(system, dict) else default)
    root = posixpath.dirname(path)
    found = Packaging(path, back_end.partition(".")[0])
    if back_end.startswith(_CMAKE_BACK_ENDS):
        settings = _table(tool, "scikit-build", "cmake") or _table(tool, "py-build-cmake", "cmake")
        source = str(settings.get("source-dir", settings.get("source_path", ".")))
        file = _joined(root, source, "CMakeLists.txt")
        found.cmake = file if file in tree else None
    name = re.sub(r"[-.]+", "_", str(_table(data, "project").get("name") or _table(tool, "poetry").get("name") or ""))
    named = _named(tool, found.back_end)
    for folder in named:
        _add(tree, found, _joined(root, folder), f"{path} installs {folder}")
    if found.back_end in ("setuptools", "scikit_build_core") and "setuptools" in tool:
        _setuptools(tree, found, root, _table(tool, "setuptools"))
    if not found.packages and not found.modules:
        _by_default(tree, found, root, name)
    return found


def _named(tool: dict[str, Any], back_end: str) -> list[str]:
    """Folders and files that other back ends than setuptools are told to install."""
    if back_end == "hatchling":
        wheel = _table(tool, "hatch", "build", "targets", "wheel")
        listed = [*wheel.get("packages", []), *wheel.get("only-include", []), *wheel.get("include", [])]
        return [str(item).strip("/") for item in listed if "*" not in str(item).rstrip("*/")]
    if back_end == "poetry":
        packages = _table(tool, "poetry").get("packages", [])
        return [
            _joined(str(item.get("from", "")), str(item.get("include", "")).removesuffix("/**/*"))
            for item in packages
            if isinstance(item, dict)
        ]
    if back_end == "maturin":
        source = _table(tool, "maturin").get("python-source")
        return [str(source)] if source else []
    if back_end == "scikit_build_core":
        return [str(item) for item in _table(tool, "scikit-build").get("wheel", {}).get("packages", [])]
    return []


def _setuptools(tree: Tree, found: Packaging, root: str, settings: dict[str, Any]) -> None:
    folders = {str(name): str(folder) for name, folder in _table(settings, "package-dir").items()}
    packages = settings.get("packages")
    if isinstance(packages, list):
        for name in packages:
            _add(tree, found, package_folder(root, str(name), folders), f"{found.file} installs {name}")
    elif isinstance(packages, dict) and isinstance(find := packages.get("find", packages), dict):
        for where in find.get("where", ["."]):
            names = find_packages(
                tree,
                _joined(root, str(where)),
                map(str, find.get("include", ["*"])),
                map(str, find.get("exclude", [])),
                namespaces=bool(find.get("namespaces", True)),
            )
            for name in names:
                _add(tree, found, _joined(root, str(where), *name.split(".")), f"{found.file} finds {name}")
    for name in settings.get("py-modules", []):
        _add(tree, found, package_folder(root, str(name), folders), f"{found.file} installs {name}")


def _by_default(tree: Tree, found: Packaging, root: str, name: str) -> None:
    """Without a word about it: a package of the project's name, ``src/``, or what lies at the top."""
    source = _joined(root, "src")
    inside = find_packages(tree, source, namespaces=True)
    if inside and (found.back_end != "setuptools" or _joined(root, name) not in _folders(tree)):
        for dotted in inside:
            _add(tree, found, _joined(source, *dotted.split(".")), f"{found.file}: found in src")
        return
    for folder in (name, name.lower(), _joined("python", name)):
        if name and any(path.startswith(_joined(root, folder) + "/") for path in tree.files()):
            _add(tree, found, _joined(root, folder), f"{found.file}: a folder of the project's name")
            return
    tops = [one for one in find_packages(tree, root) if "." not in one and one not in _RESERVED]
    if len(tops) == 1:
        _add(tree, found, _joined(root, tops[0]), f"{found.file}: the only package at the top")
    found.known = bool(found.packages)


def _folders(tree: Tree) -> frozenset[str]:
    return frozenset(posixpath.dirname(path) for path in tree.files())


def read_setup_cfg(tree: Tree, path: str) -> Packaging | None:
    """What a setup.cfg installs."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string((tree.read(path) or b"").decode("utf-8", "replace"))
    except configparser.Error:
        return None
    options = dict(parser["options"]) if parser.has_section("options") else {}
    packages = options.get("packages", "").split()
    if not packages:
        return None
    found = Packaging(path, "setuptools")
    root = posixpath.dirname(path)
    pairs = [line.partition("=") for line in options.get("package_dir", "").splitlines() if "=" in line]
    folders = {name.strip(): folder.strip() for name, _, folder in pairs}
    if packages[0] in ("find:", "find_namespace:"):
        section = "options.packages.find"
        find = dict(parser[section]) if parser.has_section(section) else {}
        where = _joined(root, find.get("where", folders.get("", ".")))
        names = find_packages(
            tree,
            where,
            re.split(r"[\s,]+", find.get("include", "*").strip()),
            [part for part in re.split(r"[\s,]+", find.get("exclude", "").strip()) if part],
            namespaces=packages[0] != "find:",
        )
        for name in names:
            _add(tree, found, _joined(where, *name.split(".")), f"{path} finds {name}")
    else:
        for name in packages:
            _add(tree, found, package_folder(root, name, folders), f"{path} installs {name}")
    return found


def _add(tree: Tree, found: Packaging, place: str, why: str) -> None:
    if place in tree or f"{place}.py" in tree:
        found.modules.setdefault(place if place in tree else f"{place}.py", why)
    elif place:
        found.packages.setdefault(place, why)


def _table(data: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        inner = data.get(name)
        data = inner if isinstance(inner, dict) else {}
    return data


@lru_cache(maxsize=8)
def _toml(data: bytes) -> dict[str, Any]:
    try:
        return parsers.toml(data.decode("utf-8", "replace"))
    except ValueError:
        return {}
