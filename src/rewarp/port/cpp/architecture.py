"""Phase 3: warp code that is right on 64 lanes too.

HIP versions beside their originals are made from sources whose warp code is fixed; the originals stay. Sources that
AMD's build reads themselves are changed in place, and only where the change is proved to be none for NVIDIA.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable

from rewarp import edits
from rewarp.edits import Safety
from rewarp.files import is_below
from rewarp.findings import Finding
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import PYTHON_KINDS, Kind, kind_of_path
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.cpp.translation import (
    asked_for,
    builds_torch_extension,
    copies,
    cuda_sources,
    hip_twin,
    shim_in,
    translate,
)
from rewarp.port.proving.evidence import certificate
from rewarp.port.tree import Tree
from rewarp.project.build import read_build
from rewarp.project.gates import ROCM
from rewarp.registry import all_rules
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.translation.ptx import hip_form
from rewarp.translation.support import is_waves_header, waves_header_for
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.waves.fixing.include import has_header
from rewarp.waves.fixing.plan import FilePlan, plan
from rewarp.waves.hazards import Kind as Hazards
from rewarp.waves.support import HEADER

PHASE = PortPhase.ARCHITECTURE
_BUILD_KINDS = (*PYTHON_KINDS, Kind.CMAKE, Kind.MAKE, Kind.SHELL)
_FROM_ABOVE = re.compile(rb"(?:\.\.|[)}])[\"']?/(?:[\w.-]+/)*\*\.cu")
"""A pattern that begins in a folder which the line alone does not tell."""
_HEADER_WHY = "Warp functions that keep CUDA's meaning on waves of 64 lanes; for NVIDIA they are CUDA's own."


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    rules = _rules(tree.findings(context.target))
    if not rules:
        return result
    sources = cuda_sources(tree)
    by_torch = builds_torch_extension(tree, context.target) or shim_in(tree)
    twins = {source.path for source in sources if hip_twin(source.path, tree)}
    seen = _taken(tree, sources) if by_torch else IncludeMap.of(sources).reached(twins)
    there = next((path for path in tree.paths() if posixpath.basename(path) == HEADER), None)
    documents = [CodeFile(source, kind_of_path(source.path) or Kind.CUDA) for source in sources]
    planned = plan(documents, header_in=None if there is None else posixpath.dirname(there), asm_forms=hip_form)
    plans = [item for item in planned.files if item.document.source.path in seen]
    result.manual = [
        note for item in plans for note in _left(item, item.document.source.path in twins and not by_torch)
    ]
    # A file that includes the header was fixed by an earlier port.
    todo = [item for item in plans if item.safety is Safety.SAFE and item.edits and not has_header(item.document)]
    fixed = [_fixed(item, rules) for item in todo]
    shared = [change for change in fixed if by_torch or change.path not in twins]
    path = posixpath.join(planned.header_in, HEADER)
    header = _header(tree, path, fixed)
    if unproved := _unproved(tree, [*shared, *header] if shared else []):
        result.manual += [_unprovable(change, unproved) for change in shared]
        fixed = [change for change in fixed if change not in shared]
        shared = []
    result.changes = [*shared, *_fixed_copies(tree, fixed, context.target)]
    if result.changes:
        result.changes = [*_header(tree, path, result.changes), *result.changes]
    return result


def _taken(tree: Tree, sources: Iterable[SourceFile]) -> frozenset[str]:
    """The sources that a build compiles, with what they include. A build that is not read may take what it names, or all
    that a pattern fits."""
    sources = list(sources)
    paths = {source.path for source in sources}
    units = {unit.source for unit in read_build(tree.files, ROCM).units} & paths
    others = {path: tree.read(path) or b"" for path in tree.paths() if kind_of_path(path) in _BUILD_KINDS}
    if any(_FROM_ABOVE.search(t) or (b"*.cu" in t and kind_of_path(p) in PYTHON_KINDS) for p, t in others.items()):
        return frozenset(paths)
    folders = [posixpath.dirname(path) for path, text in others.items() if b"*.cu" in text]
    named = {path for path in paths if any(os.fsencode(posixpath.basename(path)) in text for text in others.values())}
    named |= {path for path in paths if any(is_below(path, folder) for folder in folders)}
    return frozenset(IncludeMap.of(sources).reached(units | named))


def _header(tree: Tree, path: str, changes: Iterable[Change]) -> list[Change]:
    """The portable header with what the changed sources use of it; one that somebody worked on stays."""
    before = tree.read(path)
    if before is not None and not is_waves_header(before):
        return []
    after = waves_header_for([change.after or b"" for change in changes], before)
    return [Change(path, after, PHASE, _HEADER_WHY)] if after != before else []


def _rules(findings: Iterable[Finding]) -> dict[str, tuple[str, ...]]:
    """By path, the rules that found something about the width of a warp."""
    found: dict[str, set[str]] = defaultdict(set)
    for finding in findings:
        if all_rules()[finding.rule].family == "waves":
            found[finding.path].add(finding.rule)
    return {path: tuple(sorted(rules)) for path, rules in found.items()}


def _fixed(item: FilePlan, rules: dict[str, tuple[str, ...]]) -> Change:
    source = item.document.source
    why = "Its warps stay 32 lanes wide on AMD's 64-lane waves; for NVIDIA the same code is compiled as before."
    return Change(source.path, edits.apply(source.data, item.edits), PHASE, why, rules.get(source.path, ()))


def _fixed_copies(tree: Tree, fixed: list[Change], target: Target) -> list[Change]:
    """The HIP versions of fixed sources, as far as they are ours and nobody has worked on them."""
    if not fixed or not any(hip_twin(change.path, tree) for change in fixed):
        return []
    asked = asked_for(tree, target)
    now = copies(translate(tree), target, asked)
    moved = {original for _, original in now.values()}
    then = copies(translate(tree.with_changes(fixed), moved), target, asked)
    rules = {change.path: change.rules for change in fixed}
    why = "Its warps stay 32 lanes wide on AMD's 64-lane waves."
    return [
        Change(path, data, PHASE, why, rules.get(original, ()))
        for path, (data, original) in then.items()
        if tree.read(path) == now.get(path, (None,))[0] and tree.read(path) not in (None, data)
    ]


def _unproved(tree: Tree, changes: Iterable[Change]) -> dict[str, str]:
    """The files that a change may change for NVIDIA too, and why that is not excluded."""
    changes = list(changes)
    files = certificate(tree, tree.with_changes(changes)).files if changes else ()
    return {file.path: file.why for file in files if file.verdict is not IsolationVerdict.IDENTICAL}


def _unprovable(change: Change, unproved: dict[str, str]) -> Manual:
    path, why = change.path, unproved.get(change.path)
    if why is None:
        path, why = next(iter(unproved.items()))
    reason = f"the fix could not be proved to leave NVIDIA alone ({path}: {why})"
    return Manual(change.path, None, PHASE, "make its warp code right on 64 lanes: `rewarp waves --diff`", reason)


def _left(item: FilePlan, translated: bool) -> list[Manual]:
    """What no edit cures. Lane registers in PTX are the translator's, which reports what it cannot do."""
    source = item.document.source
    whole = item.safety in (Safety.UNSAFE, Safety.DISPLAY_ONLY)
    left = [
        fix for fix in (item.fixes if whole else item.left) if not translated or fix.hazard.kind is not Hazards.PTX_LANE
    ]
    why = item.why or "no edit cures it"
    return [Manual(source.path, source.line_at(fix.hazard.where.start), PHASE, fix.how, why) for fix in left]
