"""From findings to an answer: does it run, what kind of work is left, and how much.

The verdict is about what a reading of the source shows. It never says that something
works: nothing was run.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from rewarp.edits import Safety
from rewarp.findings import Effort, Finding, Level, Phase, ScanResult
from rewarp.registry import Trait, all_rules, is_about

MINUTES = {Effort.NONE: 0.0, Effort.MINUTES: 10.0, Effort.HOURS: 180.0, Effort.REWRITE: 1440.0}
"""Minutes for the first place of a rule in the first file."""
_REVIEW = 2.0
"""Minutes to read an automatic change."""
_LEARNING = 0.7
"""A rule's n-th file costs less than its first: n files cost n ** 0.7 times one."""
_REPEAT = 0.1
"""Each further place of a rule in one file, as a share of the first; together at most twice the first."""
EFFORT_BASIS = (
    "A rule of thumb, not a quote: 10 minutes, 3 hours or 3 days for the first place of a finding of that size "
    "(2 minutes of review where the change is automatic), a tenth for each further place in the same file, "
    "n^0.7 for n files of the same rule; the range is half to twice the sum. "
    "Findings that inform or only cost speed are not counted. Testing on real hardware is not counted."
)


_ASIDE = re.compile(r"(?i)(?:^|/)(?:examples?|samples?|demos?|tutorials?)(?:/|[_.-][^/]*$)")
"""Examples by their folder or file name: they show how a project is used and are no part of it."""


class Conclusion(str, Enum):
    AS_IS = "runs as it is"
    AUTOMATIC = "runs after automatic changes"
    MANUAL = "needs manual work"
    REWRITE = "needs a rewrite of parts"
    UNKNOWN = "cannot be told"


class Approach(str, Enum):
    """What to do with the C++ sources."""

    SHIM = "shim header"
    BUILD_TIME = "build-time translation"
    COMMITTED = "committed HIP"


@dataclass(frozen=True)
class PhaseWork:
    phase: Phase
    findings: int
    blocking: int
    minutes: float


@dataclass(frozen=True)
class Strategy:
    approach: Approach
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    conclusion: Conclusion
    headline: str
    reasons: tuple[str, ...]
    phases: tuple[PhaseWork, ...]
    minutes: float
    by_effort: dict[str, int]
    rewrite: tuple[tuple[str, str], ...]
    """(rule, path) of the parts that need a rewrite."""
    strategy: Strategy | None

    @property
    def effort_range(self) -> tuple[float, float]:
        return self.minutes / 2, self.minutes * 2


def blocking(finding: Finding) -> bool:
    """Whether it stands in the way: the build breaks, the program crashes or the result is wrong."""
    return finding.severity.level is Level.ERROR


def effort_minutes(findings: Sequence[Finding]) -> float:
    """The work in these findings; see EFFORT_BASIS."""
    places: dict[str, Counter[str]] = defaultdict(Counter)
    first: dict[str, float] = {}
    for finding in findings:
        if blocking(finding):
            places[finding.rule][finding.path] += 1
            cost = _REVIEW if finding.safety is Safety.SAFE else MINUTES[finding.effort]
            first[finding.rule] = max(cost, first.get(finding.rule, 0.0))
    total = 0.0
    for rule, files in places.items():
        per_file = sum(1 + min(2.0, _REPEAT * (count - 1)) for count in files.values()) / len(files)
        total += first[rule] * per_file * len(files) ** _LEARNING
    return total


def judge(result: ScanResult, title: str) -> Verdict:
    """The verdict on a scan. ``title`` names the target."""
    findings = result.findings
    blockers = [finding for finding in findings if blocking(finding)]
    rewrites = sorted({(f.rule, f.path) for f in blockers if f.effort is Effort.REWRITE})
    return Verdict(
        conclusion=(conclusion := _conclude(result, blockers, bool(rewrites))),
        headline=_headline(conclusion, title, blockers, len(rewrites)),
        reasons=tuple(_reasons(result, blockers)),
        phases=_phases(findings),
        minutes=effort_minutes(findings),
        by_effort=dict(Counter(f.effort.value for f in blockers)),
        rewrite=tuple(rewrites),
        strategy=_strategy(result) if result.target == "rocm" else None,
    )


def _conclude(result: ScanResult, blockers: list[Finding], rewrites: bool) -> Conclusion:
    if rewrites:
        return Conclusion.REWRITE
    if any(finding.safety is not Safety.SAFE for finding in blockers):
        return Conclusion.MANUAL
    if result.failed or not result.scanned:
        return Conclusion.UNKNOWN
    return Conclusion.AUTOMATIC if blockers else Conclusion.AS_IS


def _headline(conclusion: Conclusion, title: str, blockers: list[Finding], rewrites: int) -> str:
    files = len({finding.path for finding in blockers})
    places = f"{plural(len(blockers), 'place')} in {plural(files, 'file')}"
    stand = "stands" if len(blockers) == 1 else "stand"
    anew = "1 part has" if rewrites == 1 else f"{rewrites} parts have"
    return {
        Conclusion.AS_IS: f"Nothing known stands between this code and {title}.",
        Conclusion.AUTOMATIC: f"{places} {stand} in the way of {title}, each with a mechanical fix.",
        Conclusion.MANUAL: f"{places} {stand} in the way of {title}; some need a person.",
        Conclusion.REWRITE: f"{places} {stand} in the way of {title}; {anew} to be written anew.",
        Conclusion.UNKNOWN: f"Not enough could be read to say whether this runs on {title}.",
    }[conclusion]


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _reasons(result: ScanResult, blockers: list[Finding]) -> list[str]:
    reasons: list[str] = []
    by_severity = Counter(finding.severity for finding in blockers)
    if by_severity:
        parts = [f"{n} {severity.value}" for severity, n in sorted(by_severity.items(), key=lambda x: -x[0].rank)]
        reasons.append("Left as it is: " + ", ".join(parts) + ".")
        aside = sum(bool(_ASIDE.search(f.path)) for f in blockers)
        if 0 < aside < len(blockers):
            reasons.append(
                f"{aside} of {len(blockers)} are in examples, {len(blockers) - aside} in the project itself."
            )
        automatic = sum(f.safety is Safety.SAFE for f in blockers)
        reasons.append(f"{automatic} of {len(blockers)} have a mechanical fix that leaves the NVIDIA path as it was.")
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


def _strategy(result: ScanResult) -> Strategy | None:
    """What to do with CUDA C++, if there is any that is not HIP already."""
    sources = [
        o for o in result.scanned if o.kind == "cuda" or any(all_rules()[f.rule].family == "cuda" for f in o.findings)
    ]
    if not sources:
        return None
    hard = {f.path for f in result.findings if is_about(f.rule, Trait.REWRITE) and f.effort is Effort.REWRITE}
    gated = sum(1 for outcome in sources if outcome.gated)
    torch_extension = any(is_about(f.rule, Trait.TORCH_EXTENSION) for f in (*result.works, *result.findings))
    rust = any(all_rules()[f.rule].family == "rust" for f in result.findings)
    count = f"{len(sources)} C++/CUDA {'file' if len(sources) == 1 else 'files'}"
    reasons: list[str] = []
    if len(hard) * 2 > len(sources):
        approach = Approach.COMMITTED
        reasons.append(
            f"{len(hard)} of {count} need kernels of their own on AMD, so one shared source would be mostly #if."
        )
        reasons.append("Keep HIP versions beside the CUDA ones, where both can be read and tested.")
    elif torch_extension:
        approach = Approach.BUILD_TIME
        reasons.append(
            "setup.py builds a torch extension: its build translates .cu files to HIP when torch is a ROCm build."
        )
        reasons.append("The CUDA sources stay the only copy; keep the translated files out of git.")
    elif rust or gated * 3 > len(sources):
        approach = Approach.SHIM
        reasons.append(
            "Kernels are compiled by the crate's build script from one set of .cu files."
            if rust
            else f"{gated} of {count} already branch on HIP: the sources are meant to serve both."
        )
        reasons.append("One header that maps the CUDA names in use lets hipcc compile the same files.")
    elif len(sources) > 40:
        approach = Approach.BUILD_TIME
        reasons.append(f"{count}: too many to keep twice, and the build can translate them on the fly.")
    else:
        approach = Approach.SHIM
        reasons.append(f"{count}: one header that maps the CUDA names in use leaves every source as it is.")
    if hard and approach is not Approach.COMMITTED:
        reasons.append(
            f"{len(hard)} of them hold PTX, CUTLASS or tensor-core code: those need HIP versions of their own."
        )
    return Strategy(approach, tuple(reasons))
