"""Builds for HIP that a port writes, held against the project's own build model and against what was compiled: each is
whole, or it is not written at all, with the reason."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rewarp.files import is_below
from rewarp.findings import Finding, Severity
from rewarp.fixes.options import has_nvcc_words
from rewarp.lang.cpp.includes import IncludeMap, written_includes
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.build import makefile
from rewarp.port.build.cmake import switch_of
from rewarp.port.build.relocatable import is_relocatable
from rewarp.port.build.sources import HipSources
from rewarp.port.changes import Change, PortPhase
from rewarp.port.cpp.translation import SHIM_FOLDER, is_settled_source
from rewarp.port.tree import Tree
from rewarp.project.build.cmake import read_top
from rewarp.project.build.make import read_makefile
from rewarp.project.build.units import BuildUnit, Part
from rewarp.project.gates import NVIDIA, ROCM, Platform
from rewarp.registry import Trait, all_rules, is_about
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.toolchain.diagnostics import Cause
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.verify.checks import Evidence, Level, Outcome
from rewarp.waves.support import HEADER as WAVES_HEADER

_FAMILIES = ("cuda", "waves")
_ELSEWHERE = re.compile(
    rb"^\t.*?(?:\bcmake\b|(?:\$[({]MAKE[)}]|\bmake)\s+-C\b|\bcd\s+[^;&\s]+\s*(?:&&|;)\s*(?:\$[({]MAKE[)}]|make|cmake)\b)[^\n]*",
    re.M,
)
"""A recipe that has another build system, or another folder's Makefile, make something."""


@dataclass(frozen=True)
class HipBuild:
    """A build for HIP that the port wrote, and the build for NVIDIA that it goes beside."""

    path: str
    original: str

    @property
    def root(self) -> str:
        return posixpath.dirname(self.path)


@dataclass(frozen=True)
class Misfit:
    """Why a build for HIP cannot go through, and where that stands."""

    path: str
    line: int | None
    why: str


def written_builds(changes: Iterable[Change]) -> list[HipBuild]:
    """The builds for HIP among the changes: a Makefile beside another, a CMake project with an option."""
    found = []
    for change in changes:
        if change.phase is not PortPhase.BUILD:
            continue
        if change.path.endswith(makefile.SUFFIX):
            found.append(HipBuild(change.path, change.path.removesuffix(makefile.SUFFIX)))
        elif kind_of_path(change.path) is Kind.CMAKE and switch_of(change.after or b""):
            found.append(HipBuild(change.path, change.path))
    return found


def misfits(before: Tree, after: Tree, builds: Iterable[HipBuild], target: Target) -> dict[HipBuild, Misfit]:
    """The builds that leave out what the build for NVIDIA compiles, hand on what only nvcc understands, or compile what
    has no twin on AMD."""
    found = {}
    for build in builds:
        misfit = next(_misfits(before, after, build, target), None)
        if misfit:
            found[build] = misfit
    return found


def failures(after: Tree, builds: Iterable[HipBuild], levels: Iterable[Evidence]) -> dict[HipBuild, Misfit]:
    """The builds one of whose sources was compiled for AMD, and failed."""
    failed: dict[str, Misfit] = {}
    for level in levels:
        for check in level.checks if level.level is Level.BUILD else ():
            lacks = check.evidence.get("cause") == Cause.NO_AMD_TWIN.value
            if check.outcome is Outcome.FAILED or lacks:
                unit = check.what.rpartition(" for ")[0] or check.what
                failed.setdefault(unit, Misfit(check.path or unit, check.line, f"{check.what}: {check.why}"))
    found = {}
    for build in builds if failed else ():
        units = _part(after, ROCM, build.path).units
        compiled = {unit.source for unit in units} | set(_twins_of(after, units))
        if misfit := next((failed[path] for path in sorted(compiled) if path in failed), None):
            found[build] = misfit
    return found


def _twins_of(after: Tree, units: Iterable[BuildUnit]) -> Iterator[str]:
    twins = HipSources.of(after).twins
    return (twins[unit.source] for unit in units if unit.source in twins)


def _part(tree: Tree, platform: Platform, path: str) -> Part:
    if kind_of_path(path) is Kind.CMAKE:
        return read_top(tree.files, platform, path)
    text = tree.read(path) or b""
    plain = makefile.without_choice_of_copies(text)
    return read_makefile((tree.holding({path: plain}) if plain != text else tree).files, platform, path)


def _misfits(before: Tree, after: Tree, build: HipBuild, target: Target) -> Iterator[Misfit]:
    nvidia, amd = _part(before, NVIDIA, build.original), _part(after, ROCM, build.path)
    if kind_of_path(build.original) is not Kind.CMAKE:
        yield from _made_elsewhere(before, build.original)
    yield from (Misfit(reason.file, reason.line, f"the build ends here: {why}") for reason, why in amd.refusals)
    wanted = {unit.source: unit for unit in nvidia.units if unit.language == "CUDA"}
    if not wanted:
        yield Misfit(build.original, None, "which CUDA sources this build compiles could not be followed")
        return
    units = [unit for unit in amd.units if unit.language == "HIP"]
    twins = HipSources.of(after).twins
    back = {twin: source for source, twin in twins.items()}
    compiled = {back.get(unit.source, unit.source) for unit in units}
    for source, unit in sorted(wanted.items()):
        if source not in compiled:
            yield Misfit(unit.reason.file, unit.reason.line, f"{source} would not be compiled as HIP")
    linked = {back.get(unit.source, unit.source) for unit in units if is_relocatable(unit)}
    for source, unit in sorted(wanted.items()):
        if is_relocatable(unit) and source not in linked:
            why = f"the device code of {source} is linked with that of others, which HIP's compiler is not told"
            yield Misfit(unit.reason.file, unit.reason.line, why)
    yield from _options(units)
    yield from _host_sources(after, [unit for unit in amd.units if unit.language == "CXX"])
    yield from _sources(after, {twins.get(unit.source, unit.source) for unit in units}, target)


def _made_elsewhere(tree: Tree, path: str) -> Iterator[Misfit]:
    data = tree.read(path) or b""
    for match in _ELSEWHERE.finditer(data):
        line = data.count(b"\n", 0, match.start()) + 1
        what = match[0].decode("utf-8", "replace").strip()[:80]
        yield Misfit(path, line, f"`{what}` builds something of its own, and was not followed")


def _options(units: Iterable[BuildUnit]) -> Iterator[Misfit]:
    for unit in units:
        words = [text for text, conditions in unit.flags if not conditions and "<" not in text]
        for word in words:
            if has_nvcc_words([word]):
                yield Misfit(
                    unit.reason.file, unit.reason.line, f"{word} is handed to the HIP compiler for {unit.source}"
                )


def _host_sources(after: Tree, units: list[BuildUnit]) -> Iterator[Misfit]:
    """C++ that includes CUDA's headers, and is not told where HIP's stand under their names."""
    names = {path.removeprefix(f"{SHIM_FOLDER}/") for path in after.paths() if is_below(path, SHIM_FOLDER)}
    for unit in units if names else ():
        included = (include.name for include in written_includes(after.read(unit.source) or b""))
        told = any(item.text.endswith(SHIM_FOLDER) for item in unit.includes)
        if not told and (name := next((name for name in included if name in names), None)):
            why = f"{unit.source} includes {name}, and is compiled without HIP's headers"
            yield Misfit(unit.reason.file, unit.reason.line, why)


def _sources(after: Tree, compiled: set[str], target: Target) -> Iterator[Misfit]:
    """What the compiled sources use, themselves or by what they include, that the compiler for AMD would stop at."""
    paths = [path for path in after.paths() if kind_of_path(path) in CPP_KINDS]
    reached = IncludeMap.of(SourceFile(path, after.read(path) or b"") for path in paths).reached(sorted(compiled))
    for finding in sorted(after.findings(target), key=lambda finding: -finding.severity.rank):
        if finding.path in reached and _stops(finding) and not is_settled_source(finding, after, target):
            yield Misfit(finding.path, finding.line, finding.message)


def _stops(finding: Finding) -> bool:
    """Wrong results count as well: a build that is not there harms nobody. One kernel that asks for too much when it is
    launched, perhaps in one configuration of many, is told."""
    if is_about(finding.rule, Trait.AT_LAUNCH) and finding.severity is not Severity.BUILD:
        return False
    return finding.severity.rank >= Severity.WRONG.rank and all_rules()[finding.rule].family in _FAMILIES


# --- taking builds out ------------------------------------------------------------------------


def without_builds(
    before: Tree, changes: list[Change], unfit: Mapping[HipBuild, Misfit], kept: Iterable[HipBuild]
) -> list[Change]:
    """The changes without builds that cannot go through, and without the files that were made for them alone."""
    roots = [build.root for build in unfit]
    stay = [build.root for build in kept]
    paths = {build.path for build in unfit}

    def goes(change: Change) -> bool:
        kind = kind_of_path(change.path)
        if change.path in paths:
            return True
        below = any(is_below(change.path, root) for root in roots)
        if kind is Kind.CMAKE:
            return below and any(build.path.endswith("CMakeLists.txt") for build in unfit)
        if kind not in CPP_KINDS or change.path in before or _is_helper(change.path):
            return False
        if not stay:
            return change.phase in (PortPhase.TRANSLATION, PortPhase.ARCHITECTURE)
        return below and not any(is_below(change.path, root) for root in stay)

    return [change for change in changes if not goes(change) or (is_below(change.path, SHIM_FOLDER) and stay)]


def _is_helper(path: str) -> bool:
    """Headers that other builds may need as well; where none does, they go because nothing includes them."""
    return posixpath.basename(path) in (SUPPORT_HEADER, WAVES_HEADER) and not is_below(path, SHIM_FOLDER)
