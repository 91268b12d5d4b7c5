"""How much work findings are: in changed lines and files, as people's own ROCm ports came to.

The factors come from ``benchmarks/effort.py``, which fits them on ports in public history (``benchmarks/effort.csv``) and
says how far off they are on ports set aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rewarp.edits import Safety
from rewarp.findings import Finding, Phase
from rewarp.verdict.answer import Work, blocking

BASE = 78.2
"""Lines that a port takes whatever is found: a switch in the build, a header of aliases. `rewarp port` writes those."""
AUTOMATIC = 8.4
"""Lines a file, where every finding has an automatic fix."""
LEFT = 34.0
"""Lines a file, where something is left for a person."""
MEDIAN_ERROR = 1.97
"""Half of the ports set aside took no more than so many times what is told, and no less than that part of it."""
PORTS = 71
LINES_A_DAY = 32.0
"""Median of those ports whose author's branch is public: changed lines a day on which the author committed."""
_HOURS_A_DAY = 8.0

EFFORT_BASIS = (
    f"Learnt from {PORTS} ROCm ports in public history, made by people: about {LEFT:.0f} changed lines for each file with "
    f"something that has no automatic fix, {AUTOMATIC:.0f} for each other file with findings, {BASE:.0f} for the port as a "
    f"whole. On ports set aside the median error is a factor of {MEDIAN_ERROR:g}. What is left after `rewarp port` counts "
    "only files with something left. Tests, examples, documentation, vendored and dead files are not in it, nor is testing "
    f"on hardware. Hours are derived from lines, {LINES_A_DAY:.0f} to a day of {_HOURS_A_DAY:.0f} hours, and no measurement."
)


def left_files(findings: Iterable[Finding]) -> frozenset[str]:
    """Files in which something is left after the automatic port."""
    return frozenset(f.path for f in findings if blocking(f) and f.safety is not Safety.SAFE)


def left_work(findings: Sequence[Finding]) -> Work:
    """What is left for a person after the automatic port."""
    files = len(left_files(findings))
    return Work(LEFT * files, files)


def whole_work(findings: Sequence[Finding]) -> Work:
    """What a person would change without the automatic port."""
    found = {f.path for f in findings if blocking(f)}
    left = left_files(findings)
    return Work(BASE + LEFT * len(left) + AUTOMATIC * len(found - left) if found else 0.0, len(found))


def lines_by_phase(findings: Sequence[Finding]) -> dict[Phase, float]:
    """Lines left in each phase: a file counts in the first phase that has something left in it."""
    first: dict[str, Phase] = {}
    for phase in Phase:
        for path in left_files(f for f in findings if f.phase is phase):
            first.setdefault(path, phase)
    return {phase: LEFT * sum(found is phase for found in first.values()) for phase in Phase}


def minutes(work: Work) -> float:
    """Derived, see EFFORT_BASIS."""
    return work.lines / LINES_A_DAY * _HOURS_A_DAY * 60


def cost(findings: Sequence[Finding]) -> float:
    """Lines that a group of findings costs: what to look at first."""
    found = {f.path for f in findings if blocking(f)}
    left = left_files(findings)
    return LEFT * len(left) + AUTOMATIC * len(found - left)
