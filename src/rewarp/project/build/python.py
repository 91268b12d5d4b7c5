"""The units of Python projects: of every ``setup.py``, and of modules that have torch compile."""

from __future__ import annotations

import posixpath
from weakref import WeakKeyDictionary

from rewarp.project.build.setup_script import read_setup
from rewarp.project.build.twin_scripts import may_have_twin, twin_scripts
from rewarp.project.build.units import Part
from rewarp.project.gates import ROCM, Platform
from rewarp.project.modules import PythonModules
from rewarp.workspace import Tree

_BUILDS = b"cpp_extension"
_CALLS = (b"load(", b"load_inline(", b"Extension(")


_known: WeakKeyDictionary[Tree, dict[str, Part]] = WeakKeyDictionary()
_pairs: WeakKeyDictionary[Tree, dict[str, str]] = WeakKeyDictionary()


def read_setups(tree: Tree, platform: Platform) -> Part:
    """Read once for each tree and platform."""
    parts = _known.setdefault(tree, {})
    if platform.name not in parts:
        modules = PythonModules(tree)
        pairs = replaced_scripts(tree)
        others = pairs.keys() if platform is ROCM else pairs.values()
        builders = [path for path in tree.files() if _may_build(tree, path) and path not in others]
        parts[platform.name] = Part.joined(_read(tree, path, platform, modules) for path in builders)
    return parts[platform.name]


def replaced_scripts(tree: Tree) -> dict[str, str]:
    """By build script for CUDA, the one that builds for AMD in its place."""
    if tree not in _pairs:
        scripts = [path for path in tree.files() if may_have_twin(path) and _may_build(tree, path)]
        _pairs[tree] = twin_scripts(tree, scripts, PythonModules(tree))
    return _pairs[tree]


def _may_build(tree: Tree, path: str) -> bool:
    if posixpath.basename(path) == "setup.py":
        return True
    if not path.endswith(".py"):
        return False
    data = tree.read(path) or b""
    return _BUILDS in data and any(call in data for call in _CALLS)


def _read(tree: Tree, path: str, platform: Platform, modules: PythonModules) -> Part:
    build = read_setup(tree, path, platform, modules)
    said = build.units or build.refusals or posixpath.basename(path) == "setup.py"
    return Part(build.units, (path,) if said else (), (), build.unread, build.refusals)
