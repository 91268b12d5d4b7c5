"""What a project's build files come to on each platform: the units that are compiled, from every build system."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rewarp.project.build.cargo import read_cargo
from rewarp.project.build.cmake import read_cmake
from rewarp.project.build.database import read_databases
from rewarp.project.build.make import read_make
from rewarp.project.build.meson import read_meson
from rewarp.project.build.python import read_setups
from rewarp.project.build.units import Build, BuildUnit, Given, Part, Reason, Switch
from rewarp.project.gates import Platform
from rewarp.workspace import Tree

__all__ = ["Build", "BuildUnit", "Given", "Reason", "Switch", "read_build"]

_READERS = (read_databases, read_cmake, read_setups, read_make, read_meson, read_cargo)
_read: WeakKeyDictionary[Tree, dict[str, Build]] = WeakKeyDictionary()


def read_build(tree: Tree, platform: Platform) -> Build:
    """Read once for each tree and platform."""
    builds = _read.setdefault(tree, {})
    if platform.name not in builds:
        part = Part.joined(read(tree, platform) for read in _READERS)
        builds[platform.name] = Build(
            platform,
            part.units,
            part.systems,
            part.switches,
            part.given,
            part.unread,
            part.refusals,
            part.configured,
            part.ran,
            part.branches,
        )
    return builds[platform.name]
