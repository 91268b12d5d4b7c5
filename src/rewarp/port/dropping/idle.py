"""Changes that nothing would use: HIP versions, headers and images of which no build for AMD knows."""

from __future__ import annotations

import posixpath

from rewarp.files import is_below
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.build.sources import HipSources
from rewarp.port.changes import Change, Manual, PortContext, PortPhase
from rewarp.port.cpp.translation import SHIM_FOLDER, builds_torch_extension, hip_name
from rewarp.port.dropping.copies import NO_COPY, is_copy, tells_of_hip
from rewarp.port.dropping.headers import without_unreached
from rewarp.port.packaging.containers import asks_for_torch, twin_names
from rewarp.port.rust.script_text import BUILD_SCRIPT
from rewarp.port.steps import Step, by_phase, changes_of, manual_of
from rewarp.port.tree import Tree
from rewarp.project.build import read_build
from rewarp.project.gates import NVIDIA, ROCM, Platform
from rewarp.source import SourceFile
from rewarp.verdict import Approach

_SCRIPTS = (
    *(".py", ".sh", ".bash", ".bat", ".cmd", ".ps1", ".lua", ".mk", ".cmake", "CMakeLists.txt", "Makefile", "makefile"),
    *(".pro", ".pri", ".qbs", ".vcxproj", ".bzl", ".bazel", "BUILD", "meson.build", ".gn", ".gni", ".gyp", ".gypi"),
    *("SConstruct", "SConscript", "wscript", ".ninja", ".zig", ".cbp", ".pbxproj"),
)
"""What compiles, and may name the sources that it does."""
_NO_IMAGE = "an image for AMD was not added"
_NOTHING_TO_HOLD = "no build for AMD makes what it is to hold: that comes first"
_NOT_CHANGED = {
    PortPhase.ARCHITECTURE: "warp code was not changed",
    PortPhase.TRANSLATION: "what only nvcc takes as it stands was not changed",
}
_UNBUILT = "no build for AMD compiles it: that comes first"
_NOBODY = "no build of the project's own that could be followed takes it (`--sources beside` writes it)"
_LARGEST_SCRIPT = 1_000_000


def without_idle(tree: Tree, steps: list[Step], context: PortContext) -> list[Step]:
    """The steps without headers of aliases that no build was told of, and without HIP versions of sources that a build
    takes which could not be told: caller and receiver come together, or not at all."""
    changes = changes_of(steps)
    idle = [change for change in changes if change.path.startswith(SHIM_FOLDER + "/")]
    if any(SHIM_FOLDER.encode() in (c.after or b"") for c in changes if c not in idle):
        idle = []
    notes = []
    if PortPhase.BUILD in context.phases:
        images = _empty_images(tree, changes)
        originals = {new: old for old, new in twin_names(tree, tree.findings(context.target) if images else []).items()}
        notes += [Manual(originals.get(c.path, c.path), None, c.phase, _NO_IMAGE, _NOTHING_TO_HOLD) for c in images]
        idle += images
        taken = _taken_by_none(tree, changes, asked=context.options.approach is Approach.COMMITTED)
        for copy, (original, why) in taken.items():
            notes.append(Manual(original, None, copy.phase, NO_COPY, why, stops=True))
        idle += taken
        unbuilt = _unbuilt(tree, changes, context)
        notes += [
            Manual(c.path, None, c.phase, _NOT_CHANGED.get(c.phase, "the source was not changed"), _UNBUILT)
            for c in unbuilt
        ]
        idle += unbuilt
    if not idle:
        return steps
    kept = [change for change in changes if change not in idle]
    if PortPhase.BUILD in context.phases:
        kept = without_unreached(tree, kept)
    return by_phase(kept, [*manual_of(steps), *notes])


def _empty_images(tree: Tree, changes: list[Change]) -> list[Change]:
    """New Dockerfiles of a project whose GPU code no build for the target compiles, while one for NVIDIA does."""
    images = [c for c in changes if kind_of_path(c.path) is Kind.DOCKERFILE and c.path not in tree]
    if not images or asks_for_torch(tree):
        return []
    after = tree.with_changes(changes)
    twins = {twin: source for source, twin in HipSources.of(after).twins.items()}
    units = [unit for unit in read_build(after.files, ROCM).units if unit.is_device_code or unit.hipified]
    compiled = {twins.get(unit.source, unit.source) for unit in units}
    wanted = {unit.source for unit in read_build(tree.files, NVIDIA).units if unit.is_device_code}
    return images if wanted - compiled else []


def _unbuilt(tree: Tree, changes: list[Change], context: PortContext) -> list[Change]:
    """Changes of the project's own sources that no build for the target reaches, while one for NVIDIA does."""
    crates = [posixpath.dirname(c.path) for c in changes if posixpath.basename(c.path) == BUILD_SCRIPT]
    edited = [c for c in changes if kind_of_path(c.path) in CPP_KINDS and c.path in tree]
    edited = [c for c in edited if not any(is_below(c.path, crate) for crate in crates)]
    if not edited:
        return []
    after = tree.with_changes(changes)
    units = {platform: read_build(after.files, platform).units for platform in (NVIDIA, ROCM)}
    if not any(unit.is_device_code for unit in units[NVIDIA]):
        # What is compiled could not be followed. Sources are respelled for a build for AMD, where there is one.
        told = any(unit.is_device_code or unit.hipified for unit in units[ROCM])
        idle = not told and not builds_torch_extension(tree, context.target)
        return [change for change in edited if idle and change.phase is PortPhase.TRANSLATION]
    sources = [path for path in after.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, after.read(path) or b"") for path in sources)
    built, other = (
        includes.reached({unit.source for unit in units[platform] if unit.is_device_code or unit.hipified})
        for platform in (ROCM, NVIDIA)
    )
    return [change for change in edited if change.path in other and change.path not in built]


def _taken_by_none(tree: Tree, changes: list[Change], asked: bool) -> dict[Change, tuple[str, str]]:
    """New HIP versions that no build for AMD takes, with the source and why. ``asked``: a person wants them all the same,
    but for those of sources that a script builds and would build no other of."""
    told = [change for change in changes if tells_of_hip(change)]
    copies = [change for change in changes if is_copy(change) and change.path not in tree]
    if not copies:
        return {}
    after = tree.with_changes(changes)
    originals = {hip_name(path): path for path in tree.paths() if kind_of_path(path) in CPP_KINDS}
    changed = {change.path for change in told}
    scripts = {
        path: data
        for path in tree.paths()
        if path.endswith(_SCRIPTS) and path not in changed
        if (data := tree.read(path)) is not None and len(data) < _LARGEST_SCRIPT
    }
    built, wanted = _reached(after, ROCM, NVIDIA)
    crates = [posixpath.dirname(change.path) for change in told if posixpath.basename(change.path) == BUILD_SCRIPT]
    found = {}
    for change in copies:
        original = originals.get(change.path)
        if original is None or change.path in built or any(is_below(change.path, crate) for crate in crates):
            continue
        if any(is_below(change.path, posixpath.dirname(c.path)) for c in told):
            if not asked and built and original not in wanted:
                found[change] = (original, _NOBODY)
            continue
        script = next((path for path, data in scripts.items() if _names(path, data, original)), None)
        if script is not None:
            found[change] = (original, f"{script} builds it for CUDA, and could not be told of another")
        elif not asked:
            found[change] = (original, _NOBODY)
    return found


def _reached(tree: Tree, *platforms: Platform) -> list[frozenset[str]]:
    """For each platform the sources that its build compiles for its GPUs, with what they include."""
    sources = [path for path in tree.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, tree.read(path) or b"") for path in sources)
    builds = (read_build(tree.files, platform).units for platform in platforms)
    return [includes.reached(unit.source for unit in units if unit.is_device_code or unit.hipified) for units in builds]


def _names(script: str, data: bytes, source: str) -> bool:
    """Whether a script names a source, or all of its kind in a folder below."""
    every = "*" + posixpath.splitext(source)[1]
    if posixpath.basename(source).encode("utf-8", "surrogateescape") in data:
        return True
    return is_below(source, posixpath.dirname(script)) and every.encode() in data
