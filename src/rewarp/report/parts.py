"""How every view arranges a scan: what counts first, by what it costs; then what does not count, by why it does not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from rewarp.api import ScanReport
from rewarp.findings import Finding, Severity
from rewarp.verdict import Standing, cost

TITLES = {
    Standing.COUNTS: "In the project itself",
    Standing.INSTALL: "Installing",
    Standing.ASIDE: "Apart: tests, examples, benchmarks, documentation, scripts, other people's code",
    Standing.NOT_BUILT: "In sources that are not built",
}
NOTES = {
    Standing.COUNTS: "What the package itself builds and runs: the verdict and the effort are about this.",
    Standing.INSTALL: "Packages, images, environment and CI: to look at when installing, no part of the verdict.",
    Standing.ASIDE: "No part of the verdict or the effort.",
    Standing.NOT_BUILT: "The build for the target leaves them out: no part of the verdict or the effort.",
}


class Group(NamedTuple):
    """Findings of one rule, or of one file."""

    name: str
    findings: list[Finding]

    @property
    def worst(self) -> Severity:
        return max((finding.severity for finding in self.findings), key=lambda severity: severity.rank)

    @property
    def rank(self) -> tuple[float, int, int]:
        """The dearest first, then the worst, then the most frequent."""
        return -cost(self.findings), -self.worst.rank, -len(self.findings)


class Part(NamedTuple):
    standing: Standing
    groups: list[Group]
    """Those that are shown."""
    folded: Counter[Severity]
    """Findings that are only counted."""

    @property
    def listed(self) -> int:
        return sum(len(group.findings) for group in self.groups)

    @property
    def folded_text(self) -> str:
        """ "3 info, 1 perf"."""
        return ", ".join(
            f"{self.folded[severity]} {severity.value}" for severity in reversed(Severity) if self.folded[severity]
        )


def parts(report: ScanReport, least: Severity, by: str = "rule") -> list[Part]:
    """All findings: in groups those at least as bad as ``least``, the others counted."""
    of: dict[Standing, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        of[report.standing(finding)].append(finding)
    return [_part(standing, of[standing], least, by) for standing in Standing if of[standing]]


def _part(standing: Standing, findings: list[Finding], least: Severity, by: str) -> Part:
    shown = [finding for finding in findings if finding.severity.rank >= least.rank]
    folded = Counter(finding.severity for finding in findings if finding.severity.rank < least.rank)
    return Part(standing, grouped(shown, by), folded)


def grouped(findings: Iterable[Finding], by: str = "rule") -> list[Group]:
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.path if by == "file" else finding.rule].append(finding)
    return sorted((Group(*item) for item in groups.items()), key=lambda group: (*group.rank, group.name))
