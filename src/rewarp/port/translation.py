"""Phase 2: CUDA C++ in HIP, beside the originals, which stay as they are for NVIDIA.

Nothing is written where the build translates (a torch extension), where the sources serve both platforms already, or
where a HIP version is there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from rewarp.errors import UnreadableSource
from rewarp.files import is_below
from rewarp.findings import Finding, ScanResult
from rewarp.lang.cpp.file import check_depth
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port import built
from rewarp.port.build.sources import twin_name
from rewarp.port.model import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import Trait, all_rules, is_about
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.translation.lexing import lex
from rewarp.translation.model import SUPPORT_HEADER, Counts
from rewarp.translation.shim import Found, make_shim
from rewarp.translation.support import support_header
from rewarp.translation.tree import Naming, TranslatedTree, beside, translate_sources
from rewarp.verdict import Approach, blocking
from rewarp.waves.support import HEADER as WAVES_HEADER

PHASE = PortPhase.TRANSLATION
SHIM_FOLDER = "hip_shim"
_BUILDS = (Kind.CMAKE, Kind.MAKE)
_FAMILIES = ("cuda", "waves")
_EXTENSIONS = (Trait.TORCH_EXTENSION, Trait.RUN_TIME_EXTENSION)
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl")
_FEW = 4
_MOSTLY = 5
"""More than four names without a twin, and more than one for five that have one: no translation."""
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(?:el)?if((?:\\\r?\n|[^\r\n])*)", re.M)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_HIP_HEADER = re.compile(rb"#[ \t]*include[ \t]*[<\"]hip/")
_WHY = {
    ".cu": "The HIP version of {original}, which stays as it is for NVIDIA.",
    SUPPORT_HEADER: "What CUDA has and HIP lacks, for the HIP versions; nothing for NVIDIA includes it.",
    SHIM_FOLDER: "Lets hipcc compile the CUDA sources as they are; only a build for AMD looks in this folder.",
}


def run(tree: Tree, context: PortContext) -> PhaseResult:
    approach = approach_for(tree, context)
    if approach is None:
        return PhaseResult()
    translated = translate(tree)
    result = PhaseResult(manual=[*_failed(translated), *_left(translated), *_idle(tree, context.target)])
    if approach is Approach.COMMITTED:
        findings = tree.findings(context.target)
        result.changes = [
            Change(path, data, PHASE, _why(path, original), _rules(original, findings))
            for path, (data, original) in copies(translated, context.target, asked_for(tree, context.target)).items()
            if path not in tree
        ]
    elif approach is Approach.SHIM:
        files, problems = make_shim(translated, Path(SHIM_FOLDER))
        result.changes = [Change(new.file.as_posix(), new.data, PHASE, _WHY[SHIM_FOLDER]) for new in files]
        result.manual += map(_manual, problems)
    return result


def approach_for(tree: Tree, context: PortContext) -> Approach | None:
    """What becomes of the CUDA sources; None where they can stay, as far as the scan tells."""
    scan = tree.scan(context.target)
    asked = [finding for finding in _of_sources(scan.findings) if blocking(finding)]
    if not asked or context.target.name != "rocm":
        return None
    if context.options.approach is not None:
        return context.options.approach
    # A shim is smaller, but its headers bear the names of CUDA's own: that NVIDIA never finds them has no proof.
    only_torch = builds_torch_extension(tree, context.target) and not _built_otherwise(scan)
    return Approach.BUILD_TIME if only_torch else Approach.COMMITTED


def builds_torch_extension(tree: Tree, target: Target) -> bool:
    """Whether torch's own build compiles sources here, and so translates them."""
    scan = tree.scan(target)
    return any(is_about(f.rule, *_EXTENSIONS) for f in (*scan.works, *scan.findings))


def _built_otherwise(scan: ScanResult) -> bool:
    return any(
        kind_of_path(finding.path) in _BUILDS and all_rules()[finding.rule].family == "build"
        for finding in scan.findings
    )


def _of_sources(findings: Iterable[Finding]) -> list[Finding]:
    return [f for f in findings if all_rules()[f.rule].family in _FAMILIES and kind_of_path(f.path) in CPP_KINDS]


def _rules(path: str, findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(sorted({finding.rule for finding in _of_sources(findings) if finding.path == path}))


# --- translating ----------------------------------------------------------------------------


def translate(tree: Tree, moved: Collection[str] = ()) -> TranslatedTree:
    """The CUDA sources of a tree in HIP, under the names they get beside the originals. ``moved`` are files that get a
    HIP version even where it says the same."""
    return translate_sources(
        tree.root,
        [(source, lex(source.view)) for source in cuda_sources(tree)],
        naming=Naming(_copy_of, stays=lambda path: path not in moved),
        others=[(path, tree.root / path) for path in tree.paths() if kind_of_path(path) not in CPP_KINDS],
    )


def cuda_sources(tree: Tree) -> list[SourceFile]:
    """C++ that is not HIP already. What is no text, or nests without end, is reported by the scan."""
    found = []
    for path in tree.paths():
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

    Programs get a HIP version where a file of theirs is ``asked`` for. Two kinds get none: what has branches for the
    target already serves both as it is; what rests on things that AMD lacks (CuTe, NVSHMEM …) needs to be written anew.
    """
    aware = _aware(translated, target)
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
        found[SUPPORT_HEADER] = support_header(), SUPPORT_HEADER
    return found


def asked_for(tree: Tree, target: Target) -> frozenset[str]:
    """The sources that do not compile for the target as they are, where a build would take a HIP version of them."""
    idle = built.idle(tree)
    return frozenset(path for path in _not_compiling(tree, target) if not any(is_below(path, f) for f in idle))


def _not_compiling(tree: Tree, target: Target) -> dict[str, str]:
    """By path, a rule that says so."""
    return {
        f.path: f.rule
        for f in _of_sources(tree.findings(target))
        if all_rules()[f.rule].family == "cuda" and blocking(f)
    }


def _idle(tree: Tree, target: Target) -> list[Manual]:
    """The places whose sources need a HIP version that nothing would build."""
    found = []
    for folder, why in built.idle(tree).items():
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
            for condition in _CONDITION.findall(translation.source.view)
            for word in _WORD.findall(condition)
        )
    }


def _is_hopeless(counts: Counts) -> bool:
    """Whether so many names have no twin that a translation is of no use."""
    left = counts.unsupported + counts.unknown
    return left > _FEW and left * _MOSTLY > counts.mapped + counts.noted


def _why(path: str, original: str) -> str:
    return _WHY[SUPPORT_HEADER] if path == SUPPORT_HEADER else _WHY[".cu"].format(original=original)


def _copy_of(path: str) -> str:
    return twin_name(path) or beside(".hip").rename(path)


def hip_twin(path: str, tree: Tree) -> str | None:
    """The HIP version of a source that stands beside it."""
    twin = _copy_of(path)
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
