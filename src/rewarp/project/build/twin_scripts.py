"""Build scripts of which a project has one for AMD beside the one for CUDA: ``setup_cuda.py`` and ``setup_hip.py``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from rewarp.project.build.make import has_nvcc_options
from rewarp.project.build.setup_script import read_setup
from rewarp.project.build.switches import FILE_WORDS
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.project.modules import PythonModules
from rewarp.project.role_names import Role, names_role
from rewarp.workspace import Tree

_SCRIPTS = ("setup", "build", "compile", "install", "make")
"""First words of their names: modules with a twin are chosen at run time, and each platform's build may need both."""
_NAMES_AMD = re.compile(rb"(?i)rocm|(?<![a-z])hip")


def may_have_twin(path: str) -> bool:
    name = posixpath.basename(path).lower()
    return name.startswith(_SCRIPTS) and name.endswith(".py")


def twin_scripts(tree: Tree, scripts: Iterable[str], modules: PythonModules) -> dict[str, str]:
    """By script for CUDA, the one for AMD in the same folder, where each compiles device code on its platform."""
    groups: dict[tuple[str, ...], dict[str, str]] = {}
    for path in scripts:
        folder, name = posixpath.split(path)
        words = re.split(r"[_-]", posixpath.splitext(name)[0].lower())
        if words[0] in _SCRIPTS and not names_role(name, Role.DEAD):
            found = [platform for platform, names in FILE_WORDS.items() if not set(names).isdisjoint(words)]
            rest = [word for word in words if not any(word in names for names in FILE_WORDS.values())]
            if len(found) < 2:
                groups.setdefault((folder, *rest), {}).setdefault(found[0] if found else "", path)
    pairs: dict[str, str] = {}
    for group in groups.values():
        amd, cuda, plain = (group.get(name) for name in (ROCM.name, NVIDIA.name, ""))
        if cuda is None and plain and not _NAMES_AMD.search(tree.read(plain) or b""):
            cuda = plain
        if amd and cuda and _builds_both(tree, cuda, amd, modules):
            pairs[cuda] = amd
    return pairs


def _builds_both(tree: Tree, cuda: str, amd: str, modules: PythonModules) -> bool:
    there, nvidia = read_setup(tree, amd, ROCM, modules), read_setup(tree, cuda, NVIDIA, modules)
    made = [unit for unit in there.units if unit.language == "HIP"]
    built = bool(made) and not there.refusals and not any(map(has_nvcc_options, made))
    return built and any(unit.language == "CUDA" for unit in nvidia.units)
