"""C++ that only ROCm's build compiles: asked of the build files, never of the file's name.

A changed file is out of an NVIDIA user's reach where, on every side that has it, NVIDIA's build is known to its end and compiles
neither the file nor anything that includes it, ROCm's build does, and no program of the project names it or may collect it.
"""

from __future__ import annotations

import posixpath
import re

from rewarp.project.build import Build, read_build
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.verify.isolation.cfamily.includers import users
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.reach.collecting import takes
from rewarp.verify.isolation.roles import Role, is_build_file, role_of

METHOD = "the build files: only ROCm's build compiles it"
_EXPLICIT = frozenset({"cmake", "setup.py", "compile_commands.json"})
"""Builds that name or collect every source; make has rules of its own that find some."""
_PACKS = re.compile(r"(^|/)(MANIFEST\w*\.in|pyproject\.toml|setup\.cfg)$|^\.github/")
_ASIDE = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT, Role.C, Role.CMAKE, Role.MAKE)


def is_for_rocm_alone(path: str, context: Context) -> bool:
    sides: tuple[Side, Side] = ("before", "after")
    there = [side for side in sides if path in context.trees.side(side).entries]
    return bool(there) and all(_alone(path, context, side) for side in there) and not is_taken(path, context)


def _alone(path: str, context: Context, side: Side) -> bool:
    tree = context.trees.side(side)
    nvidia, including = read_build(tree, NVIDIA), users(tree, path)
    if not _is_known(nvidia, including):
        return False
    rocm = read_build(tree, ROCM)  # the costly part, and most often not needed
    for_nvidia = {unit.source for unit in nvidia.units}
    for_rocm = {_stem(unit.source) for unit in rocm.units}
    return for_nvidia.isdisjoint(including) and any(_stem(user) in for_rocm for user in including)


def _is_known(build: Build, files: set[str]) -> bool:
    """Whether the list of units is whole as far as these files go: nothing in the build files was beyond reading, no tool finds
    sources by itself, and a source whose name is not known lies in another folder."""
    if not build.units or build.unread or not all(unit.system in _EXPLICIT for unit in build.units):
        return False
    folders = [unit.source.partition("<")[0] for unit in build.units if "<" in unit.source]
    return not any(file.startswith(folder) for folder in folders for file in files)


def _stem(source: str) -> str:
    """torch's build, and projects of their own accord, give sources for HIP another suffix."""
    return posixpath.splitext(source)[0]


def is_taken(path: str, context: Context) -> bool:
    """Whether a program that is no build file names it, or collects files where it lies: to compile them when it runs."""
    name = posixpath.basename(path)
    sides: tuple[Side, Side] = ("before", "after")
    for side in sides:
        for other in context.trees.containing(name, side):
            if _may_compile(other):
                return True
    return any(
        _may_compile(one.path) and any(takes(pattern, path) for pattern in one.patterns)
        for one in context.collectors.all()
    )


def _may_compile(path: str) -> bool:
    """Whether it is a program of its own: no build file, which is read as one, and nothing that only packs or runs for developers."""
    return role_of(path) not in _ASIDE and not is_build_file(path) and not _PACKS.search(path)
