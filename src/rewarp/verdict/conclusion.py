"""From findings to an answer: does it run, what kind of work is left, and how much.

The verdict is about what a reading of the source shows. It never says that something
works: nothing was run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from rewarp.edits import Safety
from rewarp.findings import Effort, Finding, Phase, ScanResult
from rewarp.lang.kinds import CPP_KINDS, PYTHON_KINDS, Kind, kind_of_path
from rewarp.registry import Trait, is_about
from rewarp.verdict.answer import Conclusion, PhaseWork, ProjectView, Standing, Verdict, blocking
from rewarp.verdict.effort import left_work, lines_by_phase, whole_work
from rewarp.verdict.standing import MILD, apart_in, standing
from rewarp.verdict.strategy import strategy


def judge(result: ScanResult, title: str, project: ProjectView | None = None) -> Verdict:
    """The verdict on a scan. ``title`` names the target."""
    project = project or ProjectView()
    stands = [(finding, standing(finding, project)) for finding in result.findings]
    counted = [finding for finding, how in stands if how is Standing.COUNTS]
    # What has to fail before it matters keeps no program from running.
    blockers = [
        finding
        for finding in counted
        if blocking(finding) and not is_about(finding.rule, *MILD) and finding.sort_key not in project.optional
    ]
    rewrites = sorted({(f.rule, f.path) for f in blockers if f.effort is Effort.REWRITE})
    # What is about installing is a note, however bad it is.
    told = Counter(how.value for finding, how in stands if blocking(finding) or how is Standing.INSTALL)
    left_out = {f.path for f, how in stands if how is Standing.NOT_BUILT and f.effort is Effort.REWRITE}
    conclusion = _conclude(result, project, blockers, left_out)
    return Verdict(
        conclusion=conclusion,
        headline=_headline(conclusion, title, blockers, len(rewrites), project),
        reasons=tuple(_reasons(result, title, project, counted, blockers, told, _apart(stands, project))),
        phases=_phases(counted, blockers),
        left=left_work(counted),
        whole=whole_work(counted),
        by_effort=dict(Counter(f.effort.value for f in blockers)),
        rewrite=tuple(rewrites),
        strategy=strategy(result) if result.target == "rocm" else None,
        better=_better(conclusion, blockers),
        standings=dict(told),
        apart=_apart(stands, project),
        in_the_way=frozenset(finding.sort_key for finding in blockers),
    )


def _apart(stands: Sequence[tuple[Finding, Standing]], project: ProjectView) -> dict[str, int]:
    found = (f.path for f, how in stands if how is Standing.ASIDE and blocking(f))
    return dict(Counter(apart_in(path, project) for path in found).most_common())


def _conclude(
    result: ScanResult, project: ProjectView, blockers: Sequence[Finding], left_out: Collection[str]
) -> Conclusion:
    if result.target == "gaudi":
        rewrites = _is_core_on_gaudi(result, blockers, project, left_out)
    else:
        rewrites = _is_core(result, blockers, project)
    support = project.support
    # Who only adapted a part of its sources has not arrived; who says that the target is supported knows what it left out.
    if support is not None and support.is_there and (support.is_told or not rewrites):
        return Conclusion.SUPPORTS
    if rewrites:
        return Conclusion.REWRITE
    if any(finding.safety is not Safety.SAFE or _is_missed(finding) for finding in blockers):
        return Conclusion.MANUAL
    if _too_little_read(result, project) or any(project.compiled.values()) or project.unread_language[1]:
        return Conclusion.UNKNOWN
    # What is built from sources that are not here is translated at best.
    needs_unread = result.target == "rocm" and any(project.unread.values())
    return Conclusion.AUTOMATIC if blockers or project.torch_translates or needs_unread else Conclusion.AS_IS


def _is_missed(finding: Finding) -> bool:
    """A library that a module cannot do without: who no longer imports it has not replaced it."""
    return is_about(finding.rule, Trait.NOTHING_INSTEAD)


_OLD = "looks like Python 2"
_UNREAD = 0.1
"""Share of the package's files that may be unread; it is told how many are."""


def _too_little_read(result: ScanResult, project: ProjectView) -> bool:
    # What was written for Python 2 runs nowhere that a current torch does.
    unread = sum(outcome.path not in project.roles and _OLD not in outcome.reason for outcome in result.failed)
    unread += len(project.compiled)
    read = sum(outcome.path not in project.roles for outcome in result.scanned)
    return not result.scanned or unread > _UNREAD * (read + unread)


_CORE = 0.15
"""From this share of the units of device code on, what has to be written anew is no part that a port can leave out."""


_PROGRAMS = (*PYTHON_KINDS, Kind.RUST)


def _is_core(result: ScanResult, blockers: Sequence[Finding], project: ProjectView) -> bool:
    """Whether what has to be written anew is at the core of the project: for many of the units of device code, or, as
    with an SDK that comes with a compiler of its own, in many of its C++ files."""
    anew = {finding.path for finding in blockers if finding.effort is Effort.REWRITE}
    own = {outcome.path: outcome for outcome in result.scanned if outcome.path not in project.roles}
    programs = {path: outcome.lines for path, outcome in own.items() if kind_of_path(path) in _PROGRAMS}
    in_programs = sum(programs.get(path, 0) for path in anew)
    if in_programs and in_programs >= _CORE * sum(programs.values()):
        return True
    code = {path for path in anew if not _is_program(path)}
    needing, units = project.needing(code)
    many = len(code) >= _CORE * sum(not _is_program(path) for path in own)
    return bool(code) and (many if not units else needing >= _CORE * units or many)


_FEW_LINES = 100
"""Device code of so few lines is written anew in PyTorch by hand, in hours."""


def _is_core_on_gaudi(
    result: ScanResult, blockers: Sequence[Finding], project: ProjectView, left_out: Collection[str]
) -> bool:
    """No compiler takes device code to Gaudi, so all of it has to be written anew: its size decides, and for Triton how
    much of the package's Python it is. What the project's own build leaves out there is missed where it is much of the whole."""
    anew = {finding.path for finding in blockers if finding.effort is Effort.REWRITE}
    own = {outcome.path: outcome for outcome in result.scanned if outcome.path not in project.roles}
    python = {path: outcome.lines for path, outcome in own.items() if outcome.kind == Kind.PYTHON.value}
    device = sum(own[path].lines for path in anew if path in own and path not in python)
    kernels = sum(python.get(path, 0) for path in anew)
    missed = sum(own[path].lines for path in left_out if path in own and path not in python)
    whole = sum(outcome.lines for path, outcome in own.items() if path in python or not _is_program(path))
    return (
        device >= _FEW_LINES
        or (kernels > 0 and kernels >= _CORE * sum(python.values()))
        # Without a Python package a program has no other way to the accelerator: it runs on the CPU alone.
        or (missed >= _FEW_LINES and (missed >= _CORE * whole or sum(python.values()) < _CORE * missed))
    )


def _is_program(path: str) -> bool:
    """Python and Rust, of which no unit of device code tells how much it is."""
    return kind_of_path(path) not in CPP_KINDS


def _headline(
    conclusion: Conclusion, title: str, blockers: Sequence[Finding], rewrites: int, project: ProjectView
) -> str:
    if conclusion is Conclusion.AUTOMATIC and not blockers and not project.torch_translates:
        built = {path for path, file in project.unread.items() if file}
        return f"Nothing known stands between this code and {title}; it builds {_named(built)}, whose sources are not here."
    files = len({finding.path for finding in blockers})
    places = f"{plural(len(blockers), 'place')} in {plural(files, 'file')}"
    stand = "stands" if len(blockers) == 1 else "stand"
    anew = "1 part has" if rewrites == 1 else f"{rewrites} parts have"
    mechanical = f"{places} {stand} in the way of {title}, each with a mechanical fix."
    return {
        Conclusion.SUPPORTS: f"This project supports {title} already.",
        Conclusion.AS_IS: f"Nothing known stands between this code and {title}.",
        Conclusion.AUTOMATIC: mechanical
        if blockers
        else f"torch's own build translates the CUDA sources for {title}; nothing else is known to stand in the way.",
        Conclusion.MANUAL: f"{places} {stand} in the way of {title}; some need a person.",
        Conclusion.REWRITE: f"{places} {stand} in the way of {title}; {anew} to be written anew.",
        Conclusion.UNKNOWN: f"Not enough could be read to say whether this runs on {title}.",
    }[conclusion]


def _better(conclusion: Conclusion, blockers: Sequence[Finding]) -> str:
    """What would have to be true for the next better conclusion."""
    if conclusion is Conclusion.REWRITE:
        parts = {finding.path for finding in blockers if finding.effort is Effort.REWRITE}
        return f"If {_named(parts)} can be left out of the build for the target, manual work remains." if parts else ""
    if conclusion is Conclusion.MANUAL:
        open_ = {finding.path for finding in blockers if finding.safety is not Safety.SAFE}
        return f"Once {_named(open_)} {'is' if len(open_) == 1 else 'are'} mended by hand, the rest is automatic."
    if conclusion is Conclusion.AUTOMATIC and blockers:
        return "After `rewarp port`, nothing known stands in the way."
    return ""


def _named(paths: set[str], most: int = 3) -> str:
    shown = sorted(paths)[:most]
    more = len(paths) - len(shown)
    return ", ".join(shown) + (f" and {plural(more, 'file')} more" if more else "")


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _reasons(
    result: ScanResult,
    title: str,
    project: ProjectView,
    counted: Sequence[Finding],
    blockers: Sequence[Finding],
    standings: Counter[str],
    apart: Mapping[str, int],
) -> list[str]:
    reasons: list[str] = []
    if project.support is not None and project.support.is_there:
        places = [f"{item.file}:{item.line} ({item.way.value})" for item in project.support.best(4)]
        reasons.append("What shows it: " + ", ".join(places) + ".")
    by_severity = Counter(finding.severity for finding in blockers)
    if by_severity:
        parts = [f"{n} {severity.value}" for severity, n in sorted(by_severity.items(), key=lambda x: -x[0].rank)]
        reasons.append("Left as it is: " + ", ".join(parts) + ".")
        automatic = sum(f.safety is Safety.SAFE for f in blockers)
        reasons.append(f"{automatic} of {len(blockers)} have a mechanical fix that leaves the NVIDIA path as it was.")
    if project.optional:
        files = {path for path, *_ in project.optional}
        reasons.append(f"{plural(len(project.optional), 'place')} only for who calls it: {_named(files)}.")
    if standings[Standing.INSTALL.value]:
        reasons.append(
            f"{plural(standings[Standing.INSTALL.value], 'place')} to look at when installing: see the notes."
        )
    beside = [*apart.items(), ("sources that are not built", standings[Standing.NOT_BUILT.value])]
    if any(count for _, count in beside):
        reasons.append("Not counted: " + ", ".join(f"{count} in {where}" for where, count in beside if count) + ".")
    if late := [f for f in counted if blocking(f) and is_about(f.rule, Trait.AFTER_FAILURE)]:
        matter = "matters" if len(late) == 1 else "matter"
        where = _named({finding.path for finding in late})
        reasons.append(f"{plural(len(late), 'place')} {matter} only once something else has failed: {where}.")
    if result.works:
        reasons.append(f"{len(result.works)} CUDA-looking places need no change.")
    gated = sum(outcome.gated for outcome in result.scanned)
    if gated:
        are = "is" if gated == 1 else "are"
        reasons.append(f"{plural(gated, 'place')} {are} already kept off the target by the code's own platform gates.")
    if result.failed:
        reasons.append(f"{len(result.failed)} files could not be read or parsed: nothing is known about them.")
    if cells := len(result.unread_parts):
        reasons.append(f"{plural(cells, 'cell')} of notebooks could not be read.")
    if project.unread:
        needed = sorted({file for file in project.unread.values() if file})
        reasons.append(
            f"{plural(len(project.unread), 'submodule')} not in this tree, and not read: {_named(set(project.unread))}"
            + (f" ({needed[0]} imports one)" if needed else "")
            + ". `git submodule update --init` brings them; scan again then."
        )
    reasons += _compiled(project, title)
    language, count = project.unread_language
    if count:
        reasons.append(
            f"{plural(count, 'file')} in {language}, which rewarp does not read; some of it is about NVIDIA's GPUs."
        )
    if result.skipped:
        reasons.append(f"{len(result.skipped)} files were not looked at.")
    if not result.scanned:
        reasons.append("No file here is of a kind that rewarp reads.")
    reasons.append(_said_for(result))
    return reasons


def _compiled(project: ProjectView, title: str) -> Iterator[str]:
    """What was compiled, and came without its sources."""
    device_code = {path for path, holds in project.compiled.items() if holds}
    if device_code:
        hold = "holds" if len(device_code) == 1 else "hold"
        yield (
            f"{_named(device_code)} {hold} code compiled for NVIDIA's GPUs, without its sources: only who has them can build it for {title}."
        )
    modules = project.compiled.keys() - device_code
    if modules:
        yield f"{plural(len(modules), 'compiled Python module')} without sources, not read: {_named(set(modules))}."


_CHECKED = "6.2 to 7.1"
"""The versions of ROCm whose headers the tables of names were held against."""


def _said_for(result: ScanResult) -> str:
    """For which versions the verdict is said."""
    torch, rocm, arch = (result.versions.get(name) for name in ("torch", "rocm", "arch"))
    with_torch = f"torch {torch}" if torch else "any torch that is built for it"
    if result.target != "rocm":
        return f"Said for {with_torch}{'' if torch else '; --torch narrows it'}."
    said = f"Said for ROCm {rocm or _CHECKED}, {with_torch} and {arch or 'any AMD GPU from MI200 on'}"
    return said + ("." if torch and rocm and arch else "; --rocm, --torch and --arch narrow it.")


def _phases(findings: Sequence[Finding], blockers: Sequence[Finding]) -> tuple[PhaseWork, ...]:
    by_phase: dict[Phase, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_phase[finding.phase].append(finding)
    in_the_way = Counter(finding.phase for finding in blockers)
    lines = lines_by_phase(findings)
    work = [
        PhaseWork(phase, len(by_phase[phase]), in_the_way[phase], lines[phase]) for phase in Phase if by_phase[phase]
    ]
    if any(item.blocking for item in work) and not by_phase[Phase.VERIFICATION]:
        work.append(PhaseWork(Phase.VERIFICATION, 0, 0, 0.0))
    return tuple(work)
