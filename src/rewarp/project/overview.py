"""A project as a whole: what its files are for, what each platform's build compiles, whether it supports the target."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap, written_includes
from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.project import support
from rewarp.project.build import Build, BuildUnit, read_build
from rewarp.project.build.losses import undefined_macros
from rewarp.project.build.make import replaced_makefiles
from rewarp.project.build.python import replaced_scripts
from rewarp.project.build.rust_tests import test_lines
from rewarp.project.build.skipped import Ranges, passed_over, skipped_lines
from rewarp.project.build.units import is_for_nvidias_gpus
from rewarp.project.build.visual_studio import in_visual_studio
from rewarp.project.extensions import Need, find_needs
from rewarp.project.gates import GAUDI, NVIDIA, ROCM
from rewarp.project.role_names import Role, RoleOf
from rewarp.project.roles import Roles
from rewarp.project.vendor_folders import for_other_vendors, twin_files
from rewarp.source import SourceFile
from rewarp.targets import TARGETS, Target
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
    def _includes_there(self) -> IncludeMap:
        """Without what the target's compiler does not come to, for a project that has a build for it."""
        lost = undefined_macros(self.nvidia, self.there)
        return self._included_on(replace(TARGETS[self.target], undefined_macros=lost))

    def _included_on(self, target: Target) -> IncludeMap:
        if self.tree is None:
            return IncludeMap({})
        return include_map(self.tree, {path: found.role for path, found in self.roles.items()}, target)

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
        compiled = {(unit.source, unit.reason.file) for unit in self.there.units}
        building = {item.file for item in self.support.by(support.Way.BUILD)} if self.support.is_there else set()
        others = for_other_vendors(self.roles, self.target, compiled, building)
        theirs = self._for_nvidias_gpus
        replaced = {path: f"{instead} is read in its place" for path, instead in self._replaced.items()}
        return (
            left
            | replaced
            | self._second_builds
            | self._not_taken_in
            | self._left_out_there
            | self._twins
            | others
            | self._lying_about
            | self._broken_off
            | self._for_amds_gpus
            | theirs
        )

    @cached_property
    def skipped(self) -> dict[str, Ranges]:
        """Lines of CMake files and Makefiles that the build does not come to: the target's where the project supports the
        target, else NVIDIA's; and of Rust sources the tests among them."""
        if self.tree is None:
            return {}
        return skipped_lines(self.tree, self._own_build) | passed_over(self._own_build) | test_lines(self.tree)

    @cached_property
    def _own_build(self) -> Build:
        return self.there if self.support.is_there and _device_units(self.there) else self.nvidia

    @cached_property
    def _replaced(self) -> dict[str, str]:
        if self.tree is None:
            return {}
        scripts = replaced_scripts(self.tree) if self.there.platform is ROCM else {}
        return replaced_makefiles(self.tree, self.there) | scripts

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
        build = self._own_build
        units = _device_units(build)
        sources = self._may_be_sources(build)
        if not units or sources is None:
            return {}
        sources |= self._built_elsewhere(build)
        nowhere = f"the build for {build.platform.title} takes it in nowhere"
        if build is self.there:
            reached = self._includes_there.reached(sources)
            return {path: nowhere for path in self.includes if path not in reached}
        reached = self.includes.reached(sources)
        # Whoever builds the same sources for AMD does not come to what they include behind a gate.
        there = self._included_on(TARGETS[self.target]).reached(sources) if self.there.platform is ROCM else reached
        return {
            path: nowhere if path not in reached else "it is only included where the code keeps AMD off"
            for path in self.includes
            if path not in there
        }

    def _built_elsewhere(self, build: Build) -> set[str]:
        """What projects of Visual Studio compile in folders that the build says nothing of."""
        if self.tree is None:
            return set()
        folders = {posixpath.dirname(unit.reason.file) for unit in build.units}
        known = tuple(f"{folder}/" if folder else "" for folder in folders)
        return {path for path in in_visual_studio(self.tree) if not path.startswith(known)}

    def _may_be_sources(self, build: Build) -> set[str] | None:
        """The sources of a build, or None where nobody can tell. A program of an example may have any name that ends as its own."""
        found: set[str] = set()
        for unit in build.units:
            if "<" not in unit.source:
                found.add(unit.source)
                continue
            role = self.roles.get(unit.reason.file)
            ending = unit.source.rpartition(">")[2]
            named = {path for path in self.roles if ending and path.endswith(ending)}
            if unit.is_device_code or role is None or role.role not in _SHOWN or not named:
                return None
            found |= named
        return found

    @cached_property
    def _for_nvidias_gpus(self) -> dict[str, str]:
        """What NVIDIA's build compiles for some of NVIDIA's architectures alone and the target's not at all, with its headers."""
        units = (*self.nvidia.units, *self.there.units)
        others = {unit.source for unit in units if not is_for_nvidias_gpus(unit)} | {
            unit.source for unit in self.there.units
        }
        theirs = {unit.source for unit in units} - others
        if not theirs:
            return {}
        only = self.includes.reached(theirs) - self.includes.reached(others)
        return dict.fromkeys(only, "NVIDIA's build compiles it for some of NVIDIA's GPUs alone")

    @cached_property
    def _lying_about(self) -> dict[str, str]:
        """Beside a build that is known: sources of examples and tests that no build file is near, and settings for make that no
        Makefile includes."""
        if self.tree is None or not self.nvidia.units or self.nvidia.refusals:
            return {}
        near = {posixpath.dirname(path) for path in self.roles if _BUILD_FILE.fullmatch(posixpath.basename(path))} - {
            ""
        }
        compiled = {unit.source for unit in (*self.nvidia.units, *self.there.units)}
        found: dict[str, str] = {}
        for path, role in self.roles.items():
            if role.role in _SHOWN and kind_of_path(path) in CPP_KINDS and path not in compiled:
                if near.isdisjoint(_folders(path)):
                    found[path] = "no build file takes it in"
            elif _SETTINGS.search(posixpath.basename(path)) and kind_of_path(path) is Kind.MAKE:
                found[path] = "make does not read it under this name"
        return found

    @cached_property
    def _broken_off(self) -> dict[str, str]:
        """Sources that no build names and nothing includes, and that include a source which is not here: nobody compiles them."""
        if self.tree is None:
            return {}
        named = {unit.source for unit in (*self.nvidia.units, *self.there.units)}
        names = {posixpath.basename(path) for path in self.tree.files()}
        found: dict[str, str] = {}
        for path, role in self.roles.items():
            if role.role is not Role.PACKAGE or path in named or kind_of_path(path) not in CPP_KINDS:
                continue
            wanted = _OWN_SOURCE.findall(self.tree.read(path) or b"")
            missing = [
                name for raw in wanted if posixpath.basename(name := raw.decode("utf-8", "replace")) not in names
            ]
            if missing and not self.includes.reaching([path]) - {path}:
                found[path] = f"no build file takes it in, and {missing[0]}, which it includes, is not here"
        return found

    @cached_property
    def _for_amds_gpus(self) -> dict[str, str]:
        """On a target that is neither NVIDIA's nor AMD's, beside device code for NVIDIA's GPUs: what only HIP's compiler takes."""
        own = (path for path, role in self.roles.items() if role.role is Role.PACKAGE)
        if self.there.platform is not GAUDI or not any(
            kind_of_path(path) is Kind.CUDA and not path.endswith(".hip") for path in own
        ):
            return {}
        taken = {unit.source for unit in (*self.nvidia.units, *self.there.units)}
        hip = [path for path in self.roles if path.endswith(".hip") and path not in taken]
        return dict.fromkeys(hip, "it is for AMD's GPUs, and device code for NVIDIA's stands beside it")

    @cached_property
    def _twins(self) -> dict[str, str]:
        """Where the project supports the target: files with a twin for it beside them, which neither the target's build nor
        a twin takes in."""
        if not self.support.is_there:
            return {}
        twins = twin_files(self.roles, self.target)
        sources = {unit.source for unit in self.there.units} | {twin for twin, _ in twins.values()}
        taken = self._includes_there.reached(sources)
        return {path: why for path, (_, why) in twins.items() if path not in taken}

    @cached_property
    def built_there(self) -> frozenset[str]:
        """Where the project supports the target: the device code that its own build compiles there, with its headers."""
        if not self.support.is_there:
            return frozenset()
        units = {unit.source for unit in _device_units(self.there) if not unit.conditions}
        return self._includes_there.reached(units)

    @cached_property
    def _left_out_there(self) -> dict[str, str]:
        """On a target that compiles no device code: what the project's own build leaves out there, and goes on."""
        if self.there.platform is not GAUDI:
            return {}
        ends = {reason.file for reason, _ in set(self.there.refusals) - set(self.nvidia.refusals)}
        kept = {unit.source for unit in self.there.units}
        # Where a CMake build ends, none of it is built; build scripts stand for themselves.
        lost = [
            unit.source
            for unit in _device_units(self.nvidia)
            if unit.source not in kept and (not ends if unit.system != "setup.py" else unit.reason.file not in ends)
        ]
        # A header with device code that the host's compiler takes in as well is guarded there, or the build would end.
        return dict.fromkeys(
            self.includes.reached(lost) - kept,
            f"the project's own build leaves it out for {self.there.platform.title}",
        )

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


def include_map(tree: Tree, roles: Mapping[str, Role], target: Target | None = None) -> IncludeMap:
    """Of the C++ files that are no tests; what has no role is the package's. ``target``: as its compiler comes to them."""
    paths = [path for path in tree.files() if kind_of_path(path) in CPP_KINDS]
    read = ((path, tree.read(path)) for path in paths if roles.get(path, Role.PACKAGE) in _BUILT)
    sources = (SourceFile(path, data) for path, data in read if data is not None)
    if target is None:
        return IncludeMap.of(sources)
    return IncludeMap({source.path: _included(source, target) for source in sources})


_SHOWN = frozenset({Role.EXAMPLES, Role.TESTS, Role.BENCHMARKS, Role.DOCS})
_BUILD_FILE = re.compile(
    r"(?:GNU)?[Mm]akefile.*|.*\.mk|CMakeLists\.txt|setup\.py|pyproject\.toml|meson\.build|BUILD(?:\.bazel)?|.*\.(?:sh|py|vcxproj)"
)
_SETTINGS = re.compile(r"(?i)\.(?:example|sample|template)$|makefile\.config\.")
"""What a user copies to the name that a Makefile includes."""


def _folders(path: str) -> set[str]:
    """The folders that a file lies in, below the project's own."""
    parts = path.split("/")[:-1]
    return {"/".join(parts[: at + 1]) for at in range(len(parts))}


_OWN_SOURCE = re.compile(rb'(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+\.(?:cuh?|cpp|cc|cxx))"')
"""What nobody but the project itself has: a header may be a toolkit's, or made by a build."""


def _included(source: SourceFile, target: Target) -> list[str]:
    """The names that a file includes on a target."""
    asked = (test["asked"] for test in CONDITION_LINE.finditer(source.view))
    tested = {word.decode() for condition in asked for word in re.findall(rb"[A-Za-z_]\w*", condition)}
    if any(target.macro(name) is not None for name in tested):
        try:
            code = CodeFile(source, kind_of_path(source.path) or Kind.CPP)
            return [include.path for include in code.includes if not code.unreachable(include, target)]
        except UnreadableSource:
            pass
    return [include.name for include in written_includes(source.view)]


def _device_units(build: Build) -> list[BuildUnit]:
    return [unit for unit in build.units if unit.is_device_code]


def _only(one: Build, other: Build) -> tuple[BuildUnit, ...]:
    known = {unit.source for unit in other.units}
    found: dict[str, BuildUnit] = {}
    for unit in one.units:
        if unit.source not in known:
            found.setdefault(unit.source, unit)
    return tuple(found[source] for source in sorted(found))
