"""Phase 2: CUDA C++ in HIP, beside the originals, which stay as they are for NVIDIA.

Nothing is written where the build translates (a torch extension), where the sources serve both platforms already, or
where a HIP version is there.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

from rewarp.edits import Safety
from rewarp.errors import UnreadableSource
from rewarp.files import is_below
from rewarp.findings import Finding, ScanResult
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import check_depth
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.build.sources import twin_name
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.cpp import clashes, guarded_lines, split_launches, unbuilt
from rewarp.port.rust import manifests
from rewarp.port.tree import Tree
from rewarp.project.build import read_build
from rewarp.project.gates import NVIDIA
from rewarp.registry import Trait, all_rules, is_about
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.targets import Target
from rewarp.translation.changes import SUPPORT_HEADER, Counts
from rewarp.translation.lexing import lex
from rewarp.translation.shim import Found, make_shim
from rewarp.translation.shim_text import SHIM_HEADER
from rewarp.translation.support import support_for
from rewarp.translation.tree import Naming, TranslatedTree, beside, translate_sources
from rewarp.verdict import Approach, blocking
from rewarp.waves.support import HEADER as WAVES_HEADER

PHASE = PortPhase.TRANSLATION
SHIM_FOLDER = "hip_shim"
_OF_TORCH = "setup.py"
_BUILDS = (Kind.CMAKE, Kind.MAKE)
_SYSTEMS = ("cmake", "make")
_FAMILIES = ("cuda", "waves")
_EXTENSIONS = (Trait.TORCH_EXTENSION, Trait.RUN_TIME_EXTENSION)
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl")
_FEW = 4
_MUCH = 1_500
"""Lines of HIP versions that are too many for a patch."""
_MOSTLY = 5
"""More than four names without a twin, and more than one for five that have one: no translation."""
_WORD = re.compile(rb"[A-Za-z_]\w*")
_FORBIDS = re.compile(rb"(?i)strictly\s+prohibited|proprietary\s+rights|confidential|license\s+agreement")
_HIP_HEADER = re.compile(rb"#[ \t]*include[ \t]*[<\"]hip/")
_translated: WeakKeyDictionary[Tree, dict[frozenset[str], TranslatedTree]] = WeakKeyDictionary()
_WHY = {
    ".cu": "The HIP version of {original}, which stays as it is for NVIDIA.",
    SUPPORT_HEADER: "What CUDA has and HIP lacks, for the HIP versions; nothing for NVIDIA includes it.",
    SHIM_FOLDER: "Lets hipcc compile the CUDA sources as they are; only a build for AMD looks in this folder.",
}


def run(tree: Tree, context: PortContext) -> PhaseResult:
    approach = approach_for(tree, context)
    if approach is None:
        return PhaseResult()
    if approach is not Approach.COMMITTED:
        findings = tree.findings(context.target)
        tree, respelled = _under_shim(tree) if approach is Approach.SHIM else _respelled(tree)
        respelled = [replace(change, rules=_rules(change.path, findings)) for change in respelled]
    else:
        respelled = []
    translated = translate(tree)
    manual = [*_failed(translated), *_left(translated), *_idle(tree, context.target)]
    result = PhaseResult(respelled, manual)
    if approach is Approach.COMMITTED:
        findings = tree.findings(context.target)
        result.changes = [
            Change(path, data, PHASE, _why(path, original), _rules(original, findings))
            for path, (data, original) in copies(translated, context.target, asked_for(tree, context.target)).items()
            if path not in tree
        ]
    elif approach is Approach.SHIM:
        files, problems = make_shim(translated, Path(SHIM_FOLDER))
        result.changes += [Change(new.file.as_posix(), new.data, PHASE, _WHY[SHIM_FOLDER]) for new in files]
        built = _reached_by_builds(tree, translated)
        result.manual += (_manual(problem) for problem in problems if problem[0] in built)
    return result


def _respelled(tree: Tree) -> tuple[Tree, list[Change]]:
    """The tree with what only nvcc takes as it stands written as every compiler takes it."""
    sources = cuda_sources(tree)
    built = _reached_by(tree, sources)
    joined = [change for source in sources if source.path in built and (change := split_launches.joined(source))]
    after = tree.with_changes(joined)
    translated = translate(after)
    guarded = clashes.guarded(translated.translations, _reached_by_builds(after, translated))
    changes = {change.path: change for change in (*joined, *guarded)}
    return after.with_changes(guarded), list(changes.values())


def _under_shim(tree: Tree) -> tuple[Tree, list[Change]]:
    """The same, and with the edits that a header of aliases cannot make."""
    tree, changes = _respelled(tree)
    translated = translate(tree)
    built = _reached_by_builds(tree, translated)
    problems = [found for found in make_shim(translated, Path(SHIM_FOLDER))[1] if found[0] in built]
    guarded = guarded_lines.guarded(translated.translations, problems)
    last = {change.path: change for change in (*changes, *guarded)}
    return tree.with_changes(guarded), list(last.values())


def _reached_by_builds(tree: Tree, translated: TranslatedTree) -> frozenset[str]:
    """The sources that a build compiles for NVIDIA's GPUs, with what they include; all of them where none is known."""
    return _reached_by(tree, [translation.source for translation in translated.translations])


def _reached_by(tree: Tree, sources: Sequence[SourceFile]) -> frozenset[str]:
    units = [unit.source for unit in read_build(tree.files, NVIDIA).units if unit.is_device_code or unit.hipified]
    if not units:
        return frozenset(source.path for source in sources)
    return IncludeMap.of(sources).reached(units)


def approach_for(tree: Tree, context: PortContext) -> Approach | None:
    """What becomes of the CUDA sources; None where they can stay, as far as the scan tells."""
    scan = tree.scan(context.target)
    asked = [finding for finding in _of_sources(scan.findings) if blocking(finding)]
    if not asked or context.target.name != "rocm":
        return None
    if context.options.approach is not None:
        return context.options.approach
    built = _built_otherwise(tree, scan)
    if builds_torch_extension(tree, context.target) and not built:
        return Approach.BUILD_TIME
    # Only CMake and make are told to look for the header of aliases.
    return Approach.SHIM if built and _one_source_will_do(tree, context.target) else Approach.COMMITTED


def _one_source_will_do(tree: Tree, target: Target) -> bool:
    """Whether sources can stay as they are under a header of aliases: it says all that they need, or copies of them would
    be so much that a few places left to a person are less."""
    if shim_in(tree):
        return True
    if any(hip_twin(source.path, tree) for source in cuda_sources(tree)):
        return False
    asked = asked_for(tree, target)
    if not asked or manifests.read_crates(tree):
        return False
    translated = translate(_under_shim(tree)[0])
    _, problems = make_shim(translated, Path(SHIM_FOLDER))
    sources = [translation.source for translation in translated.translations]
    reached = IncludeMap.of(sources).reached(asked) & _reached_by(tree, sources)
    if not any(path in reached for path, _, _ in problems):
        return True
    copied = copies(translated, target, asked)
    return sum(data.count(b"\n") for data, _ in copied.values()) > _MUCH


def shim_in(tree: Tree) -> bool:
    """Whether the header of aliases is there."""
    return f"{SHIM_FOLDER}/{SHIM_HEADER}" in tree


def is_settled_source(finding: Finding, tree: Tree, target: Target) -> bool:
    """Whether a finding in a source is answered by what compiles it: torch's build, a header of aliases, a HIP version."""
    if posixpath.basename(finding.path) in (SUPPORT_HEADER, WAVES_HEADER):
        return True
    if f"{SHIM_FOLDER}/{finding.symbol}" in tree and finding.symbol.endswith(_HEADERS):
        return True
    if shim_in(tree) and _is_supplied(finding.symbol, tree):
        return True
    if builds_torch_extension(tree, target) or shim_in(tree):
        return is_about(finding.rule, Trait.TORCH_TRANSLATES) and finding.safety is Safety.SAFE
    return hip_twin(finding.path, tree) is not None


def _is_supplied(name: str, tree: Tree) -> bool:
    """Whether the header of aliases brings what HIP lacks under a name."""
    data = os.fsencode(name)
    twin = cuda.twin(data)
    supplied = tree.read(f"{SHIM_FOLDER}/{SUPPORT_HEADER}") or b""
    return twin is not None and twin.status == "supplied" and data in supplied


def builds_torch_extension(tree: Tree, target: Target) -> bool:
    """Whether torch's own build compiles sources here, and so translates them."""
    scan = tree.scan(target)
    return any(is_about(f.rule, *_EXTENSIONS) for f in (*scan.works, *scan.findings))


def _built_otherwise(tree: Tree, scan: ScanResult) -> bool:
    """Whether CMake or make compiles CUDA here: by what the scan says of their files, or, where they do without CUDA if it
    is not there, by what they compile if it is."""
    told = any(
        kind_of_path(finding.path) in _BUILDS and all_rules()[finding.rule].family == "build"
        for finding in scan.findings
    )
    return told or any(unit.is_device_code and unit.system in _SYSTEMS for unit in read_build(tree.files, NVIDIA).units)


def _of_sources(findings: Iterable[Finding]) -> list[Finding]:
    return [f for f in findings if all_rules()[f.rule].family in _FAMILIES and kind_of_path(f.path) in CPP_KINDS]


def _rules(path: str, findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(sorted({finding.rule for finding in _of_sources(findings) if finding.path == path}))


# --- translating ----------------------------------------------------------------------------


def translate(tree: Tree, moved: Collection[str] = ()) -> TranslatedTree:
    """The CUDA sources of a tree in HIP, under the names they get beside the originals. ``moved`` are files that get a
    HIP version even where it says the same. Asked once for each state of a tree."""
    known = _translated.setdefault(tree, {})
    key = frozenset(moved)
    if key not in known:
        known[key] = _translate(tree, key)
    return known[key]


def _translate(tree: Tree, moved: frozenset[str]) -> TranslatedTree:
    return translate_sources(
        tree.root,
        [(source, lex(source.view)) for source in cuda_sources(tree)],
        naming=Naming(hip_name, stays=lambda path: path not in moved),
        others=[(path, tree.root / path) for path in tree.paths() if kind_of_path(path) not in CPP_KINDS],
    )


def cuda_sources(tree: Tree) -> list[SourceFile]:
    """C++ that is not HIP already, and not compiled as it is. What is no text, or nests without end, is reported by the
    scan."""
    found = []
    crates = unbuilt.of_crates(tree)
    for path in tree.paths():
        if any(is_below(path, folder) for folder in crates):
            continue
        if kind_of_path(path) not in CPP_KINDS or posixpath.basename(path) in (SUPPORT_HEADER, WAVES_HEADER):
            continue
        if path.endswith(".hip") or posixpath.splitext(path)[0].endswith("_hip") or path.startswith(SHIM_FOLDER + "/"):
            continue
        source = SourceFile(path, tree.read(path) or b"")
        try:
            check_depth(source)
        except UnreadableSource:
            continue
        found.append(source)
    return found


def copies(translated: TranslatedTree, target: Target, asked: Collection[str]) -> dict[str, tuple[bytes, str]]:
    """New files by path: what they hold, and what they are translated from.

    Programs get a HIP version where a file of theirs is ``asked`` for. Three kinds get none: what has branches for the
    target already serves both as it is; what rests on things that AMD lacks (CuTe, NVSHMEM …) needs to be written anew;
    what includes files of NVIDIA's SDKs, whose licences forbid it.
    """
    aware = _aware(translated, target) | {t.path for t in translated.translations if _is_of_an_sdk(t.source.data)}
    counts = {translation.path: translation.counts for translation in translated.translations}
    includes = IncludeMap.of(translation.source for translation in translated.translations)
    wanted: set[str] = set()
    for file in translated.files:
        reached = includes.reached([file.path]) if not file.path.endswith(_HEADERS) else frozenset()
        whole = sum((counts[path] for path in reached), Counts())
        if not reached.isdisjoint(asked) and reached.isdisjoint(aware) and not _is_hopeless(whole):
            wanted |= reached
    chosen = [file for file in translated.changed if file.path in wanted]
    found = {
        file.new_path: (file.translation.data, file.path)
        for file in chosen
        if file.translation and file.new_path != file.path
    }
    if any(file.translation and file.translation.needs_support for file in chosen):
        used = [file.translation.data for file in chosen if file.translation]
        found[SUPPORT_HEADER] = support_for(used), SUPPORT_HEADER
    return found


def asked_for(tree: Tree, target: Target) -> frozenset[str]:
    """The sources that do not compile for the target as they are, where a build would take a HIP version of them."""
    idle = unbuilt.idle(tree)
    return frozenset(path for path in _not_compiling(tree, target) if not any(is_below(path, f) for f in idle))


def _not_compiling(tree: Tree, target: Target) -> dict[str, str]:
    """By path, a rule that says so. What torch would translate as it builds an extension is no use to another build."""
    others = {
        unit.source for unit in read_build(tree.files, NVIDIA).units if unit.is_device_code and unit.system != _OF_TORCH
    }
    return {
        f.path: f.rule
        for f in _of_sources(tree.findings(target))
        if all_rules()[f.rule].family == "cuda" and (blocking(f) or (f.path in others and _is_translated(f)))
    }


def _is_translated(finding: Finding) -> bool:
    return any(isinstance(fix, SourceFix) for fix in all_rules()[finding.rule].fixes.get("rocm", ()))


def _idle(tree: Tree, target: Target) -> list[Manual]:
    """The places whose sources need a HIP version that nothing would build."""
    found = []
    for folder, why in unbuilt.idle(tree).items():
        rules = [rule for path, rule in _not_compiling(tree, target).items() if is_below(path, folder)]
        if count := len(rules):
            what = f"{count} {'source does' if count == 1 else 'sources do'} not compile for AMD, and no HIP versions are written"
            found.append(Manual(folder or ".", None, PHASE, what, why, min(rules)))
    return found


def _aware(translated: TranslatedTree, target: Target) -> set[str]:
    """Sources whose conditions ask for the target, in a project that brings its headers.

    Conditions alone are often copied along with code from elsewhere; without HIP's headers nothing compiles there."""
    if not any(_HIP_HEADER.search(translation.source.view) for translation in translated.translations):
        return set()
    return {
        translation.path
        for translation in translated.translations
        if any(
            target.true_macros.fullmatch(word.decode())
            for test in CONDITION_LINE.finditer(translation.source.view)
            for word in _WORD.findall(test["asked"])
        )
    }


def _is_of_an_sdk(data: bytes) -> bool:
    """Whether a file says at its top that it is NVIDIA's and may not be passed on."""
    head = data[:4000]
    return b"NVIDIA" in head and bool(_FORBIDS.search(head))


def _is_hopeless(counts: Counts) -> bool:
    """Whether so many names have no twin that a translation is of no use."""
    left = counts.unsupported + counts.unknown
    return left > _FEW and left * _MOSTLY > counts.mapped + counts.noted


def _why(path: str, original: str) -> str:
    return _WHY[SUPPORT_HEADER] if path == SUPPORT_HEADER else _WHY[".cu"].format(original=original)


def hip_name(path: str) -> str:
    """How the HIP version of a source is called."""
    return twin_name(path) or beside(".hip").rename(path)


def hip_twin(path: str, tree: Tree) -> str | None:
    """The HIP version of a source that stands beside it."""
    twin = hip_name(path)
    return twin if twin in tree else None


def _failed(translated: TranslatedTree) -> list[Manual]:
    return [
        Manual(failed.path, failed.line, PHASE, "translate it", f"could not be read: {failed.reason}")
        for failed in translated.failed
    ]


def _left(translated: TranslatedTree) -> list[Manual]:
    """What has no HIP twin; what is only noted is in the scan."""
    found: list[Manual] = []
    for translation in translated.translations:
        problems = [
            (translation.path, problem, finding)
            for problem, finding in zip(translation.problems, translation.findings)
            if problem.kind in ("unsupported", "unknown")
        ]
        found += map(_manual, problems) if len(problems) <= _FEW else [_together(problems)]
    return found


def _together(problems: list[Found]) -> Manual:
    """One note for a file that uses much of what AMD lacks."""
    path, first, finding = problems[0]
    names = list(dict.fromkeys(problem.symbol or problem.message for _, problem, _ in problems))
    some = ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")
    what = "find replacements for what AMD lacks, or write a version of its own"
    return Manual(path, finding.line, PHASE, what, f"{some}: AMD has no twin", first.rule)


def _manual(found: Found) -> Manual:
    path, problem, finding = found
    return Manual(path, finding.line, PHASE, problem.fix or "find a replacement", problem.message, problem.rule)
