"""How much work findings are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rewarp.edits import Safety
from rewarp.findings import Effort, Finding
from rewarp.verdict.model import blocking

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
