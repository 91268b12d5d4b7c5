"""What builds lose on the target: extensions that scripts leave out there, where they end, what torch translates for them,
macros that are NVIDIA's alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rewarp.project.build import read_build
from rewarp.project.build.python import read_setups, replaced_scripts
from rewarp.project.build.settings import ROOT
from rewarp.project.build.translators import translated_by_build
from rewarp.project.build.units import Build, BuildUnit, is_for_nvidias_gpus
from rewarp.project.build.unset import unset_macros
from rewarp.project.gates import GAUDI, NVIDIA, ROCM, Platform
from rewarp.workspace import Tree

_WITHOUT_TWIN = re.compile(
    r"(?i)(?<!not )(?<![a-z])(?:cudnn|tensorrt|nvinfer|nvonnxparser|nvml|cusparselt|cudss|cufile|nvjpeg|nvcomp|optix|npp|nvenc|nvcuvid"
    r"|nvshmem|cutlass)(?![a-z])"
)
"""Libraries that no ROCm machine has, in a condition that asks whether one was found."""


class Losses(NamedTuple):
    left_out: frozenset[tuple[str, int, str]] = frozenset()
    """(build script, line, extension): extensions that lose their CUDA sources on the target, or are not built."""
    refused: frozenset[tuple[str, int, str]] = frozenset()
    """(build script, line, message): where it ends on the target, and does not for NVIDIA."""
    hipified: frozenset[str] = frozenset()
    """Sources that torch's build, or one that runs hipify, translates for the target."""
    extensions: frozenset[str] = frozenset()
    """The top names of the modules that the scripts build."""
    device_extensions: frozenset[str] = frozenset()
    """The modules that they build from CUDA sources for NVIDIA, and that are not there on Gaudi."""
    undefined: frozenset[str] = frozenset()
    """Macros that the build gives for NVIDIA and not for the target."""
    off: frozenset[str] = frozenset()
    """Options of the project that are off on either platform unless a user asks, and that no build gives as macros; and macros
    that nothing sets."""
    put_before: frozenset[tuple[str, str]] = frozenset()
    """(source, header): headers of the project that the target's build puts before sources (``-include``)."""


def find_losses(tree: Tree, platform: Platform) -> Losses:
    nvidia, there = read_setups(tree, NVIDIA), read_setups(tree, platform)
    refused = frozenset((r.file, r.line, why) for r, why in there.refusals if (r, why) not in nvidia.refusals)
    ended = {file for file, _, _ in refused}
    built = {(unit.reason.file, unit.target) for unit in there.units if unit.is_device_code}
    # A script that builds device code for the target knows what it leaves out.
    aware = ended | {file for file, _ in built} | (replaced_scripts(tree).keys() if platform is ROCM else set())
    left_out = frozenset(
        (unit.reason.file, unit.reason.line, unit.target)
        for unit in nvidia.units
        if unit.language == "CUDA" and unit.reason.file not in aware and not is_for_nvidias_gpus(unit)
    )
    hipified = frozenset(unit.source for unit in there.units if unit.hipified)
    if platform is ROCM:
        # CMake may run hipify over its sources as torch's own build does.
        hipified |= {unit.source for unit in read_build(tree, platform).units if unit.hipified}
        hipified |= translated_by_build(tree)
    extensions = frozenset(unit.target.partition(".")[0] for unit in nvidia.units)
    if platform is GAUDI:
        device = _with_device_code(nvidia.units) - (
            {unit.target for unit in there.units if unit.reason.file not in ended} - _with_device_code(there.units)
        )
        off = _not_there(read_build(tree, NVIDIA), read_build(tree, platform))
        return Losses(left_out, refused, hipified, extensions, device, off=off)
    builds = read_build(tree, NVIDIA), read_build(tree, platform)
    before = put_before(tree, builds[1])
    off = _off(*builds) | (unset_macros(tree) if any(build.units for build in builds) else frozenset())
    return Losses(left_out, refused, hipified, extensions, frozenset(), undefined_macros(*builds), off, before)


def _with_device_code(units: Iterable[BuildUnit]) -> frozenset[str]:
    """The modules that are built from CUDA sources among others."""
    return frozenset(
        unit.target for unit in units if unit.language == "CUDA" and unit.target and "<" not in unit.target
    )


def put_before(tree: Tree, build: Build) -> frozenset[tuple[str, str]]:
    """(source, header): of the headers of the tree that every unit of a source of device code is compiled behind."""
    found: dict[str, set[str]] = {}
    for unit in build.units:
        if unit.is_device_code:
            folders = [folder.text for folder in unit.includes if not folder.conditions]
            headers = {_in_tree(tree, name, folders) for name in _forced(unit)} - {""}
            found[unit.source] = found.get(unit.source, headers) & headers
    return frozenset((source, header) for source, headers in found.items() for header in headers)


_FORCED = re.compile(r"(?:^|\s)-include[ =]*[\"']?([^\s\"']+)")


def _forced(unit: BuildUnit) -> list[str]:
    given = " ".join(text.removeprefix("SHELL:") for text, conditions in unit.flags if not conditions)
    return _FORCED.findall(given)


def _in_tree(tree: Tree, name: str, folders: list[str]) -> str:
    """The path in the tree of a header that a command line names, or nothing."""
    name = name.removeprefix(f"{ROOT}/")
    places = [name, *(posixpath.join(folder.removeprefix(f"{ROOT}/"), name) for folder in folders)]
    return next((place for place in map(posixpath.normpath, places) if place in tree.entries), "")


def _not_there(nvidia: Build, there: Build) -> frozenset[str]:
    """Macros that are off on a target without a compiler for device code, where the project builds without it."""
    if not there.units or there.refusals:
        return frozenset()
    return _off(nvidia, there) | ({name for name, _ in _macros(nvidia)} - {name for name, _ in _macros(there)})


def _off(nvidia: Build, there: Build) -> frozenset[str]:
    off = {name for build in (nvidia, there) for name, defined in build.configured if not defined}
    return frozenset(off - {name for build in (nvidia, there) for name, _ in _macros(build)})


def undefined_macros(nvidia: Build, there: Build) -> frozenset[str]:
    """Macros of NVIDIA's build that the target's does not give, where that builds device code as well; and those that are given only
    where a library is found that the target does not have, which the build can do without."""
    given = set(_macros(nvidia))
    # A header that the build writes may hold an option named for the library, which says nothing of its being found.
    written = {name for name, _ in nvidia.configured if _WITHOUT_TWIN.search(name)}
    always = {name for name, optional in _given(nvidia) if not optional}
    lost = {name for name, optional in given if optional and ((name, False) not in given or name in written - always)}
    device = [sum(unit.is_device_code for unit in build.units) for build in (nvidia, there)]
    # A target whose build compiles next to nothing for the GPU has no such build: nothing is known of its macros.
    if device[1] and device[1] * 2 >= device[0] and not there.refusals:
        lost |= {name for name, _ in given} - {name for name, _ in _macros(there)}
    return frozenset(lost)


def _macros(build: Build) -> Iterator[tuple[str, bool]]:
    """Every macro that a build may define, and whether only where it finds a library of NVIDIA's alone."""
    yield from _given(build)
    for name, defined in build.configured:
        if defined:
            yield name, False


def _given(build: Build) -> Iterator[tuple[str, bool]]:
    """Those of its command lines."""
    for unit in build.units:
        for text, conditions in unit.defines:
            if re.fullmatch(r"[A-Za-z_]\w*(?:=.*)?", text):
                yield text.partition("=")[0], any(map(_WITHOUT_TWIN.search, conditions))
