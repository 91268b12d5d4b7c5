"""A project as a whole: what its files are for, what each platform's build compiles, whether it supports the target."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.project import support
from rewarp.project.build import Build, BuildUnit, read_build
from rewarp.project.extensions import Need, find_needs
from rewarp.project.gates import GAUDI, NVIDIA, ROCM
from rewarp.project.role_names import Role, RoleOf
from rewarp.project.roles import Roles
from rewarp.source import SourceFile
from rewarp.workspace import Tree

_PLATFORMS = {"rocm": ROCM, "gaudi": GAUDI}
_BUILT = frozenset({Role.PACKAGE, Role.DEAD, Role.GENERATED, Role.VENDORED})
_OWN = frozenset({Role.PACKAGE, Role.TOOLING, Role.DOCS})
"""Where a project's support of a target shows: not in other people's code, nor in tests and examples alone."""


@dataclass(frozen=True)
class Overview:
    name: str
    target: str
    roles: dict[str, RoleOf]
    nvidia: Build
    there: Build
    """The build for the target."""
    support: support.Support
    tree: Tree | None = None
    needs: Mapping[str, Need] = field(default_factory=dict)
    """Of folders with a build script of their own."""

    @cached_property
    def includes(self) -> IncludeMap:
        if self.tree is None:
            return IncludeMap({})
        return include_map(self.tree, {path: found.role for path, found in self.roles.items()})

    @cached_property
    def counts(self) -> Counter[str]:
        """Files by role."""
        return Counter(found.role.value for found in self.roles.values())

    @cached_property
    def only_nvidia(self) -> tuple[BuildUnit, ...]:
        """Of each source that NVIDIA's build compiles and the target's does not, the first unit."""
        return _only(self.nvidia, self.there)

    @cached_property
    def not_built(self) -> dict[str, str]:
        """Sources that the project can do without, and device sources and headers that no unit takes in: of the target's
        build where the project supports the target, else of NVIDIA's, with its defaults."""
        optional = [f"{folder}/" for folder, need in self.needs.items() if need is Need.OPTIONAL]
        left = {path: _OPTIONAL for path in self.roles if path.startswith(tuple(optional))} if optional else {}
        return left | self._second_builds | self._not_taken_in

    @cached_property
    def _second_builds(self) -> dict[str, str]:
        """CMake files beside a ``setup.py`` that compiles the device code itself: for who wants the library alone."""
        scripts = {unit.reason.file for unit in _device_units(self.nvidia) if unit.system == "setup.py"}
        return {
            path: f"{script} builds the same without it"
            for script in sorted(scripts)
            if (path := posixpath.join(posixpath.dirname(script), "CMakeLists.txt")) in self.roles
        }

    @cached_property
    def _not_taken_in(self) -> dict[str, str]:
        build = self.there if self.support.is_there and _device_units(self.there) else self.nvidia
        units = _device_units(build)
        if not units or any("<" in unit.source for unit in build.units):
            return {}
        reached = self.includes.reached(unit.source for unit in build.units)
        return {
            path: f"the build for {build.platform.title} takes it in nowhere"
            for path in self.includes
            if path not in reached
        }

    @cached_property
    def device_units(self) -> frozenset[str]:
        """Sources that NVIDIA's build compiles for the device and that are the package's."""
        units = {unit.source for unit in _device_units(self.nvidia)}
        return frozenset(path for path in units if path in self.roles and self.roles[path].role is Role.PACKAGE)

    @cached_property
    def only_there(self) -> tuple[BuildUnit, ...]:
        return _only(self.there, self.nvidia)


def look(tree: Tree, target: str = "rocm", most_evidence: int | None = None) -> Overview:
    """``most_evidence``: how much of each way to support the target is wanted."""
    platform = _PLATFORMS[target]
    nvidia, there = read_build(tree, NVIDIA), read_build(tree, platform)
    is_whole = bool(nvidia.units) and not (nvidia.unread or nvidia.refusals or there.unread)
    roles = Roles(tree, (*nvidia.units, *there.units), whole_build=is_whole).all
    needs = find_needs(tree, nvidia.units, roles)
    roles = _with_built_here(roles, needs)
    found = support.read(tree, tree.files(), target, lambda path: roles[path].role in _OWN, most_evidence)
    return Overview(tree.name, target, roles, nvidia, there, found, tree, needs)


_OPTIONAL = "the project imports what is built here in a try, and has a way without it"


def _with_built_here(roles: dict[str, RoleOf], needs: Mapping[str, Need]) -> dict[str, RoleOf]:
    """Copies of other people's code that the project imports, and builds where they lie, are parts of it."""
    needed = tuple(f"{folder}/" for folder, need in needs.items() if need is Need.NEEDED)
    if not needed:
        return roles
    return {
        path: RoleOf(Role.PACKAGE, "the project imports what is built here")
        if found.role is Role.VENDORED and path.startswith(needed)
        else found
        for path, found in roles.items()
    }


def include_map(tree: Tree, roles: Mapping[str, Role]) -> IncludeMap:
    """Of the C++ files that are no tests; what has no role is the package's."""
    paths = [path for path in tree.files() if kind_of_path(path) in CPP_KINDS]
    read = ((path, tree.read(path)) for path in paths if roles.get(path, Role.PACKAGE) in _BUILT)
    return IncludeMap.of(SourceFile(path, data) for path, data in read if data is not None)


def _device_units(build: Build) -> list[BuildUnit]:
    return [unit for unit in build.units if unit.is_device_code]


def _only(one: Build, other: Build) -> tuple[BuildUnit, ...]:
    known = {unit.source for unit in other.units}
    found: dict[str, BuildUnit] = {}
    for unit in one.units:
        if unit.source not in known:
            found.setdefault(unit.source, unit)
    return tuple(found[source] for source in sorted(found))
