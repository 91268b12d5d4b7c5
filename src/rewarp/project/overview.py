"""A project as a whole: what its files are for, what each platform's build compiles, whether it supports the target."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from rewarp.project import support
from rewarp.project.build import Build, BuildUnit, read_build
from rewarp.project.gates import GAUDI, NVIDIA, ROCM
from rewarp.project.role_names import Role, RoleOf
from rewarp.project.roles import Roles
from rewarp.workspace import Tree

_PLATFORMS = {"rocm": ROCM, "gaudi": GAUDI}
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

    @cached_property
    def counts(self) -> Counter[str]:
        """Files by role."""
        return Counter(found.role.value for found in self.roles.values())

    @cached_property
    def only_nvidia(self) -> tuple[BuildUnit, ...]:
        """Of each source that NVIDIA's build compiles and the target's does not, the first unit."""
        return _only(self.nvidia, self.there)

    @cached_property
    def only_there(self) -> tuple[BuildUnit, ...]:
        return _only(self.there, self.nvidia)


def look(tree: Tree, target: str = "rocm") -> Overview:
    platform = _PLATFORMS[target]
    nvidia, there = read_build(tree, NVIDIA), read_build(tree, platform)
    is_whole = bool(nvidia.units) and not (nvidia.unread or nvidia.refusals or there.unread)
    roles = Roles(tree, (*nvidia.units, *there.units), whole_build=is_whole).all
    found = support.read(tree, tree.files(), target, lambda path: roles[path].role in _OWN)
    return Overview(tree.name, target, roles, nvidia, there, found)


def _only(one: Build, other: Build) -> tuple[BuildUnit, ...]:
    known = {unit.source for unit in other.units}
    found: dict[str, BuildUnit] = {}
    for unit in one.units:
        if unit.source not in known:
            found.setdefault(unit.source, unit)
    return tuple(found[source] for source in sorted(found))
