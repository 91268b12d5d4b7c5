"""From findings to an answer: does it run, what kind of work is left, and how much.

The verdict is about what a reading of the source shows. It never says that something
works: nothing was run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rewarp.edits import Safety
from rewarp.findings import Effort, Finding, Phase, ScanResult
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.verdict.effort import effort_minutes
from rewarp.verdict.model import Conclusion, PhaseWork, ProjectView, Standing, Verdict, blocking
from rewarp.verdict.standing import standing
from rewarp.verdict.strategy import strategy


def judge(result: ScanResult, title: str, project: ProjectView | None = None) -> Verdict:
    """The verdict on a scan. ``title`` names the target."""
    project = project or ProjectView()
    stands = [(finding, standing(finding, project)) for finding in result.findings]
    counted = [finding for finding, how in stands if how is Standing.COUNTS]
    blockers = [finding for finding in counted if blocking(finding)]
    rewrites = sorted({(f.rule, f.path) for f in blockers if f.effort is Effort.REWRITE})
    of_blocking = Counter(how.value for finding, how in stands if blocking(finding))
    conclusion = _conclude(result, project, blockers)
    return Verdict(
        conclusion=conclusion,
        headline=_headline(conclusion, title, blockers, len(rewrites)),
        reasons=tuple(_reasons(result, project, blockers, of_blocking)),
        phases=_phases(counted),
        minutes=effort_minutes(counted),
        by_effort=dict(Counter(f.effort.value for f in blockers)),
        rewrite=tuple(rewrites),
        strategy=strategy(result) if result.target == "rocm" else None,
        better=_better(conclusion, blockers),
        standings=dict(of_blocking),
    )


def _conclude(result: ScanResult, project: ProjectView, blockers: Sequence[Finding]) -> Conclusion:
    rewrites = _is_core(blockers, project)
    support = project.support
    # Who only adapted a part of its sources has not arrived; who says that the target is supported knows what it left out.
    if support is not None and support.is_there and (support.is_told or not rewrites):
        return Conclusion.SUPPORTS
    if rewrites:
        return Conclusion.REWRITE
    if any(finding.safety is not Safety.SAFE for finding in blockers):
        return Conclusion.MANUAL
    if _too_little_read(result, project):
        return Conclusion.UNKNOWN
    return Conclusion.AUTOMATIC if blockers or project.torch_translates else Conclusion.AS_IS


_UNREAD = 0.1
"""Share of the package's files that may be unread; it is told how many are."""


def _too_little_read(result: ScanResult, project: ProjectView) -> bool:
    unread = sum(outcome.path not in project.roles for outcome in result.failed)
    read = sum(outcome.path not in project.roles for outcome in result.scanned)
    return not result.scanned or unread > _UNREAD * (read + unread)


_CORE = 0.15
"""From this share of the units of device code on, what has to be written anew is no part that a port can leave out."""


def _is_core(blockers: Sequence[Finding], project: ProjectView) -> bool:
    """Whether what has to be written anew is at the core of the project."""
    anew = {finding.path for finding in blockers if finding.effort is Effort.REWRITE}
    needing, units = project.needing(anew)
    return bool(anew) and (not units or needing >= _CORE * units or any(map(_is_program, anew)))


def _is_program(path: str) -> bool:
    """Python and Rust, of which no unit of device code tells how much it is."""
    return kind_of_path(path) not in CPP_KINDS


def _headline(conclusion: Conclusion, title: str, blockers: Sequence[Finding], rewrites: int) -> str:
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
        return f"If {_named(parts)} can be left out of the build for the target, manual work remains."
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
    result: ScanResult, project: ProjectView, blockers: Sequence[Finding], standings: Counter[str]
) -> list[str]:
    reasons: list[str] = []
    if project.support is not None and project.support.is_there:
        places = [f"{item.file}:{item.line} ({item.way.value})" for item in project.support.shown(4)]
        reasons.append("What shows it: " + ", ".join(places) + ".")
    by_severity = Counter(finding.severity for finding in blockers)
    if by_severity:
        parts = [f"{n} {severity.value}" for severity, n in sorted(by_severity.items(), key=lambda x: -x[0].rank)]
        reasons.append("Left as it is: " + ", ".join(parts) + ".")
        automatic = sum(f.safety is Safety.SAFE for f in blockers)
        reasons.append(f"{automatic} of {len(blockers)} have a mechanical fix that leaves the NVIDIA path as it was.")
    if standings[Standing.INSTALL.value]:
        reasons.append(
            f"{plural(standings[Standing.INSTALL.value], 'place')} to look at when installing: see the notes."
        )
    beside = standings[Standing.ASIDE.value] + standings[Standing.NOT_BUILT.value]
    if beside:
        reasons.append(
            f"{plural(beside, 'place')} more in tests, examples, other people's code and sources that are not built: "
            "not counted."
        )
    if result.works:
        reasons.append(f"{len(result.works)} CUDA-looking places need no change.")
    gated = sum(outcome.gated for outcome in result.scanned)
    if gated:
        reasons.append(f"{gated} places are already kept off the target by the code's own platform gates.")
    if result.failed:
        reasons.append(f"{len(result.failed)} files could not be read or parsed: nothing is known about them.")
    if result.skipped:
        reasons.append(f"{len(result.skipped)} files were not looked at.")
    if not result.scanned:
        reasons.append("No file here is of a kind that rewarp reads.")
    return reasons


def _phases(findings: Sequence[Finding]) -> tuple[PhaseWork, ...]:
    by_phase: dict[Phase, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_phase[finding.phase].append(finding)
    work = [
        PhaseWork(phase, len(by_phase[phase]), sum(map(blocking, by_phase[phase])), effort_minutes(by_phase[phase]))
        for phase in Phase
        if by_phase[phase]
    ]
    if any(item.blocking for item in work) and not by_phase[Phase.VERIFICATION]:
        work.append(PhaseWork(Phase.VERIFICATION, 0, 0, 0.0))
    return tuple(work)
