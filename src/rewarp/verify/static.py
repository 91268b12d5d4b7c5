"""Static evidence: the ported tree read again. What still speaks CUDA, holds PTX, assumes 32 lanes or does not parse.

Nothing is compiled or run: a tree that passes here may still fail to build.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rewarp import __version__, api, plugins
from rewarp.config import Config, load
from rewarp.findings import Failed, Finding, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.project.build import read_build
from rewarp.project.build.translators import translated_by_build
from rewarp.project.gates import NVIDIA, platform_for
from rewarp.project.sides import is_for_amd
from rewarp.registry import Trait, all_rules, is_about
from rewarp.targets import ROCM
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.translation.support import is_support_header, is_waves_header
from rewarp.translation.tree import TranslatedTree, translate_tree
from rewarp.verdict import Standing, plural
from rewarp.verify.architectures import left_out
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.choices import choices, views
from rewarp.verify.conditions import aliases, contradictions, limits
from rewarp.verify.copies import misdirected
from rewarp.verify.left_on import left_on
from rewarp.verify.left_over import is_hip, names_left
from rewarp.verify.left_over import originals as find_originals
from rewarp.verify.lists_for_amd import is_asked_of_amd, lists_of_nvidias
from rewarp.verify.misspelt import misspelt
from rewarp.verify.readable import READABLE, readable
from rewarp.verify.set_aside import is_for_another_gpu, is_for_rdna, not_gated_elsewhere
from rewarp.waves.support import HEADER as WAVES_HEADER
from rewarp.workspace import Folder

_PTX = "no inline PTX on the AMD path"
_LANES = "no code that takes a warp to have 32 lanes"
_ANYTHING = "nothing else that breaks on {target}"
_CUDA_LEFT = "no CUDA name left in HIP sources"
_BUILT = "the build for ROCm has the device code that NVIDIA's has"
_HIP_BUILD = re.compile(
    rb"(?i)enable_language\s*\(\s*hip|languages[^)]*\bhip\b|find_package\s*\(\s*hip|use_hip|build_hip|use_rocm"
)
_HOLDS = "conditions of the preprocessor hold where they are meant to"
_CHOSEN = "what Python chooses by the platform comes out right"
_KNOWN = "variables, architectures and names of torch are known to who reads them"
_COPIED = "memory is copied and freed as what it was allocated as"
_INSTALLED = "what AMD's lists install is for AMD"
_LEFT_ON = "nothing that is for debugging is left on in AMD's files"
_FOR_GPU = "what AMD's files build for has {arch} in it"
_SHOWN = 4


def verify_static(
    root: Path,
    *,
    config: Config | None = None,
    arches: Sequence[str] = (),
    jobs: int | None = None,
    use_cache: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Evidence:
    """The checks of a tree that was ported, or needs no port; for ``arches``, or for the one that the configuration names."""
    start = time.perf_counter()
    config = config or load(root)
    reports = api.compare(
        root,
        [config.target],
        config=config,
        arches=arches if config.target == ROCM.name else (),
        ported=True,
        jobs=jobs,
        use_cache=use_cache,
        progress=progress,
    )
    report = reports[0]
    judged_for = [arch for arch in (one.result.versions.get("arch") for one in reports) if arch]
    tree = translate_tree(root, exclude=config.exclude)
    paths = [outcome.path for outcome in report.result.outcomes]
    originals = find_originals(paths)
    ours = {path for path in paths if _is_ours(tree.place(path))}
    hip = frozenset(file.path for file in tree.files if is_hip(file))
    findings = [
        finding for finding in _that_count(reports, hip) if finding.path not in originals and finding.path not in ours
    ]
    findings = [
        finding
        for finding in findings
        if not is_for_another_gpu(finding.path, judged_for) and not is_for_rdna(finding, tree, judged_for)
    ]
    folder = Folder(root) if root.is_dir() else None
    if folder is not None and report.target.name == ROCM.name:
        findings = not_gated_elsewhere(folder, findings)
    checks = [*readable(report, tree), *_asked(findings, report.target.title)]
    checks += _cuda_left(tree, originals, report.project.torch_translates)
    checks += _conditions(tree, originals)
    checks += _copies(tree, originals)
    if folder is not None and report.target.name == ROCM.name:
        checks += _choices(folder, report, originals, judged_for)
        checks += _device_code(folder)
        checks += _lists(folder, report, judged_for)
        checks += _names(folder, report, originals)
    if originals:
        words = f"{plural(len(originals), 'CUDA original')} with a translation beside it: {_some(sorted(originals))}"
        checks.append(Check(Level.STATIC, "CUDA originals set aside", Outcome.PASSED, words))
    if not report.result.scanned and not any(isinstance(one, Failed) for one in report.result.outcomes):
        checks = [Check(Level.STATIC, READABLE, Outcome.NOT_CHECKED, "no file here is of a kind that rewarp reads")]
    tool = ", ".join([f"rewarp {__version__}", *plugins.names(plugins.RULES)])
    provenance = {"tool": tool, "target": report.target.title, "arches": judged_for}
    return Evidence(Level.STATIC, tuple(checks), provenance, seconds=time.perf_counter() - start)


def _that_count(reports: Sequence[api.ScanReport], hip: frozenset[str]) -> list[Finding]:
    """What breaks on any of the architectures, once; with which, where it is not all of them."""
    found: dict[tuple[object, ...], list[tuple[Finding, str]]] = {}
    for report in reports:
        arch = str(report.result.versions.get("arch"))
        for finding in report.findings:
            if _counts(report, finding, hip):
                found.setdefault((finding.sort_key, finding.message), []).append((finding, arch))
    return [
        one
        if len(seen) == len(reports)
        else replace(one, message=f"{one.message} (on {', '.join(a for _, a in seen)})")
        for seen in found.values()
        for one in [seen[0][0]]
    ]


def _counts(report: api.ScanReport, finding: Finding, hip: frozenset[str]) -> bool:
    """In a HIP source lanes and PTX count wherever it lies: the names of folders switch nothing off."""
    standing = report.standing(finding)
    if standing is Standing.INSTALL and is_asked_of_amd(report, finding):
        return True
    if finding.severity.rank < Severity.ON_CPU.rank:
        return False
    if standing is Standing.ASIDE and finding.path in hip:
        return is_about(finding.rule, Trait.INLINE_PTX) or all_rules()[finding.rule].family == "waves"
    if standing is Standing.ASIDE and is_for_amd(finding.path) and kind_of_path(finding.path) in _AROUND:
        return True
    return standing is Standing.COUNTS


_AROUND = (Kind.SHELL, Kind.DOTENV, Kind.DOCKERFILE, Kind.COMPOSE)
"""What a program is built and started by: where it is AMD's by its name, AMD's users get what it says."""


def _is_ours(file: Path) -> bool:
    """Whether this is a header of rewarp's own, which knows both worlds, and not one that was changed."""
    try:
        if file.name == SUPPORT_HEADER:
            return is_support_header(file.read_bytes())
        return file.name == WAVES_HEADER and is_waves_header(file.read_bytes())
    except OSError:
        return False


def _asked(findings: list[Finding], target: str) -> list[Check]:
    """One check a question; where the answer is no, one for each place."""
    rest = _ANYTHING.format(target=target)
    checks = []
    for question in (_PTX, _LANES, rest):
        places = [finding for finding in findings if _question(finding.rule, rest) == question]
        checks += [_failed(question, finding) for finding in places] or [Check(Level.STATIC, question, Outcome.PASSED)]
    return checks


def _question(rule: str, rest: str) -> str:
    if is_about(rule, Trait.INLINE_PTX):
        return _PTX
    return _LANES if all_rules()[rule].family == "waves" else rest


def _failed(question: str, finding: Finding) -> Check:
    why = f"{finding.rule} {finding.severity.value}: {finding.message}"
    return Check(Level.STATIC, question, Outcome.FAILED, why, finding.path, finding.line, {"rule": finding.rule})


def _device_code(tree: Folder) -> list[Check]:
    """A build that knows HIP, and compiles device code for NVIDIA, compiles some for ROCm."""
    builds = {platform: read_build(tree, platform) for platform in (NVIDIA, platform_for(ROCM))}
    nvidia, there = builds.values()
    units = [unit for unit in nvidia.units if unit.is_device_code and not unit.conditions]
    # A C++ source that is CUDA there may be HIP by its compiler alone: hipcc takes CXX as HIP.
    kept = {unit.source for unit in there.units if not unit.source.endswith((".cu", ".cuh"))}
    lost = [unit for unit in units if unit.system == "cmake" and unit.source not in kept]
    if not lost or there.refusals or any(unit.is_device_code for unit in there.units):
        return []
    path = lost[0].reason.file
    if not _HIP_BUILD.search(tree.read(path) or b""):
        return []
    if not translated_by_build(tree).isdisjoint(unit.source for unit in lost):
        return []  # what hipify writes is compiled, and is not there yet
    words = f"for NVIDIA the build compiles {plural(len(lost), 'unit')} of device code, for ROCm none"
    return [Check(Level.STATIC, _BUILT, Outcome.FAILED, words, path, lost[0].reason.line)]


def _choices(tree: Folder, report: api.ScanReport, originals: frozenset[str], arches: Sequence[str]) -> list[Check]:
    """What the tree's Python chooses by the platform and by the GPU, followed through its modules."""
    own = [outcome.path for outcome in report.result.scanned if report.project.roles.get(outcome.path) is None]
    paths = [path for path in own if kind_of_path(path) is Kind.PYTHON and path not in originals]
    if not paths:
        return []
    found = {choice: None for view in views(tree, paths) for choice in choices(view, arches or (None,))}
    checks = [Check(Level.STATIC, _CHOSEN, Outcome.FAILED, one.why, one.path, one.line) for one in found]
    return checks or [Check(Level.STATIC, _CHOSEN, Outcome.PASSED)]


def _names(tree: Folder, report: api.ScanReport, originals: frozenset[str]) -> list[Check]:
    roles = report.project.roles
    scanned = [outcome.path for outcome in report.result.scanned]
    own = [path for path in scanned if roles.get(path) is None or kind_of_path(path) in _AROUND]
    found = misspelt(tree, (path for path in own if path not in originals))
    checks = [Check(Level.STATIC, _KNOWN, Outcome.FAILED, one.why, one.path, one.line) for one in found]
    return checks or [Check(Level.STATIC, _KNOWN, Outcome.PASSED)]


def _conditions(tree: TranslatedTree, originals: frozenset[str]) -> list[Check]:
    checks = []
    for file in tree.files:
        if file.translation is None or file.path in originals:
            continue
        source = file.translation.source
        document = CodeFile(source, kind_of_path(file.path) or Kind.CPP)
        for at, why in (*contradictions(document), *limits(document), *aliases(document)):
            checks.append(Check(Level.STATIC, _HOLDS, Outcome.FAILED, why, file.path, source.line_at(at)))
    return checks


def _copies(tree: TranslatedTree, originals: frozenset[str]) -> list[Check]:
    """In sources for HIP: is memory copied and freed as what it was allocated as?"""
    checks = []
    for file in tree.files:
        if file.translation is None or file.path in originals or not is_hip(file):
            continue
        document = CodeFile(file.translation.source, kind_of_path(file.path) or Kind.CPP)
        for at, why in misdirected(document.code):
            line = document.source.line_at(at)
            checks.append(Check(Level.STATIC, _COPIED, Outcome.FAILED, why, file.path, line))
    return checks


def _lists(tree: Folder, report: api.ScanReport, arches: Sequence[str]) -> list[Check]:
    """What AMD's files install and build for."""
    own = [
        o.path for o in report.result.scanned if not report.project.roles.get(o.path) or kind_of_path(o.path) in _AROUND
    ]
    found = [(_INSTALLED, *one) for one in lists_of_nvidias(tree, own)]
    found += [(_LEFT_ON, *one) for one in left_on(tree, own)]
    found += [(_FOR_GPU.format(arch=arch), *one) for arch in arches for one in left_out(tree, own, arch)]
    return [Check(Level.STATIC, what, Outcome.FAILED, why, path, line) for what, path, line, why in found]


def _cuda_left(tree: TranslatedTree, originals: frozenset[str], translated: bool) -> list[Check]:
    """A translation of the translation has nothing to do; where it has, CUDA was left. ``translated``: torch's build translates the
    project's sources, and what they include, so that CUDA names stand there by right."""
    checks = []
    hip = [file for file in tree.files if file.path not in originals and is_hip(file)]
    if translated:
        hip = [file for file in hip if file.path.endswith(".hip") or is_for_amd(file.path)]
    for file in hip:
        names = names_left(file, [tree.place(file.path).parent, tree.root])
        if names:
            line = file.translation.source.position(names[0][0]).line if file.translation else None
            words = _some([name for _, name in names])
            checks.append(Check(Level.STATIC, _CUDA_LEFT, Outcome.FAILED, words, file.path, line))
    if checks or not hip:
        return checks
    return [Check(Level.STATIC, _CUDA_LEFT, Outcome.PASSED, plural(len(hip), "HIP file"))]


def _some(items: list[str]) -> str:
    more = len(items) - _SHOWN
    return ", ".join(items[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
