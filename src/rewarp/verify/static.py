"""Static evidence: the ported tree read again. What still speaks CUDA, holds PTX, assumes 32 lanes or does not parse.

Nothing is compiled or run: a tree that passes here may still fail to build.
"""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from rewarp import __version__, api, plugins
from rewarp.config import Config, load
from rewarp.findings import Failed, Finding, Severity, Skipped
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.registry import Trait, all_rules, is_about
from rewarp.source import Span
from rewarp.targets import ROCM
from rewarp.translation.model import SUPPORT_HEADER
from rewarp.translation.support import support_header
from rewarp.translation.tree import TranslatedFile, TranslatedTree, translate_tree
from rewarp.verdict import plural
from rewarp.verify.model import Check, Evidence, Level, Outcome
from rewarp.waves.support import HEADER as WAVES_HEADER
from rewarp.waves.support import portable_header

_PTX = "no inline PTX on the AMD path"
_LANES = "no code that takes a warp to have 32 lanes"
_ANYTHING = "nothing else that breaks on {target}"
_CUDA_LEFT = "no CUDA name left in HIP sources"
_READABLE = "every source file can be read and parsed"
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_SHOWN = 4


def verify_static(
    root: Path,
    *,
    config: Config | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Evidence:
    """The checks of a tree that was ported, or needs no port."""
    start = time.perf_counter()
    config = config or load(root)
    report = api.scan(root, config=config, jobs=jobs, use_cache=use_cache, progress=progress)
    tree = translate_tree(root, exclude=config.exclude)
    paths = [outcome.path for outcome in report.result.outcomes]
    originals = _originals(paths)
    ours = {path for path in paths if _is_ours(tree.place(path))}
    findings = [
        finding
        for finding in report.at_least(Severity.WRONG)
        if finding.path not in originals and finding.path not in ours
    ]
    checks = [*_readable(report.result.outcomes), *_asked(findings, report.target.title)]
    checks += _cuda_left(tree, originals)
    if originals:
        words = f"{plural(len(originals), 'CUDA original')} with a translation beside it: {_some(sorted(originals))}"
        checks.append(Check(Level.STATIC, "CUDA originals set aside", Outcome.PASSED, words))
    if not report.result.scanned:
        checks = [Check(Level.STATIC, _READABLE, Outcome.NOT_CHECKED, "no file here is of a kind that rewarp reads")]
    tool = ", ".join([f"rewarp {__version__}", *plugins.names(plugins.RULES)])
    provenance = {"tool": tool, "target": report.target.title}
    return Evidence(Level.STATIC, tuple(checks), provenance, seconds=time.perf_counter() - start)


def _is_ours(file: Path) -> bool:
    """Whether this is a header of rewarp's own, which knows both worlds, and not one that was changed."""
    own = {SUPPORT_HEADER: support_header, WAVES_HEADER: portable_header}.get(file.name)
    try:
        return own is not None and file.read_bytes() == own()
    except OSError:
        return False


def _readable(outcomes: Iterable[object]) -> list[Check]:
    failed = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
    skipped = [outcome for outcome in outcomes if isinstance(outcome, Skipped)]
    checks = [
        Check(Level.STATIC, _READABLE, Outcome.FAILED, item.reason, item.path, getattr(item, "line", None))
        for item in failed
    ]
    checks += [Check(Level.STATIC, _READABLE, Outcome.NOT_CHECKED, item.reason, item.path) for item in skipped]
    return checks or [Check(Level.STATIC, _READABLE, Outcome.PASSED)]


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


def _cuda_left(tree: TranslatedTree, originals: frozenset[str]) -> list[Check]:
    """A translation of the translation has nothing to do; where it has, CUDA was left."""
    checks = []
    hip = [file for file in tree.files if file.path not in originals and _is_hip(file)]
    for file in hip:
        names = _names_left(file)
        if names:
            line = file.translation.source.position(names[0][0]).line if file.translation else None
            words = _some([name for _, name in names])
            checks.append(Check(Level.STATIC, _CUDA_LEFT, Outcome.FAILED, words, file.path, line))
    if checks or not hip:
        return checks
    return [Check(Level.STATIC, _CUDA_LEFT, Outcome.PASSED, plural(len(hip), "HIP file"))]


def _is_hip(file: TranslatedFile) -> bool:
    return file.translation is not None and (
        file.path.endswith(".hip") or b"hip/hip_runtime" in file.translation.source.view
    )


def _names_left(file: TranslatedFile) -> list[tuple[int, str]]:
    """Where CUDA names stand that HIP has under another name, or not at all; each once, in order."""
    translation = file.translation
    if translation is None:
        return []
    document = CodeFile(translation.source, kind_of_path(file.path) or Kind.CPP)
    found: dict[str, int] = {}
    for start, end, _ in translation.replacements:
        if document.unreachable(Span(start, start), ROCM):  # a branch for NVIDIA, beside one for HIP
            continue
        text = translation.source.view[start:end]
        if _IDENTIFIER.fullmatch(text):
            found.setdefault(text.decode("utf-8", "replace"), start)
    for problem in translation.problems:
        seen = not document.unreachable(Span(problem.where.start, problem.where.start), ROCM)
        if problem.kind in ("unsupported", "unknown") and problem.symbol and seen:
            found.setdefault(problem.symbol, problem.where.start)
    return sorted((at, name) for name, at in found.items())


def _originals(paths: Iterable[str]) -> frozenset[str]:
    """CUDA files whose translation stands beside them: they are for NVIDIA alone."""
    everything = frozenset(paths)

    def translated(path: str) -> bool:
        stem, suffix = posixpath.splitext(path)
        twins = [f"{stem}_hip{suffix}", f"{path}.hip"]
        if suffix == ".cu":
            twins += [f"{stem}.hip", f"{stem}.hip.cpp", f"{stem}_hip.cpp"]
        return suffix in (".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc") and not everything.isdisjoint(twins)

    return frozenset(filter(translated, everything))


def _some(items: list[str]) -> str:
    more = len(items) - _SHOWN
    return ", ".join(items[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
