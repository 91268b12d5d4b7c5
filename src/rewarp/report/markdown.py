"""Markdown that fits a pull request: the verdict, the phases, the findings by rule."""

from __future__ import annotations

from collections import defaultdict

from rewarp.api import ScanReport
from rewarp.findings import Finding, Severity
from rewarp.registry import all_rules
from rewarp.report import duration, effort_text
from rewarp.report.json import summary
from rewarp.verdict import plural

_PLACES = 8
_LIMIT = 60_000
"""GitHub takes comments of at most 65,536 characters."""


def render(report: ScanReport) -> str:
    verdict, facts = report.verdict, summary(report)
    low, high = verdict.effort_range
    lines = [
        f"## rewarp: {report.target.title} — {verdict.conclusion.value}",
        "",
        verdict.headline,
        "",
        *(f"- {reason}" for reason in verdict.reasons),
        f"- Effort: {effort_text(low, high)} (rule of thumb; testing on hardware not included).",
        f"- {plural(facts['files_scanned'], 'file')} read, nothing was run.",
    ]
    if verdict.strategy:
        lines.append(f"- C++ strategy: **{verdict.strategy.approach.value}**. {' '.join(verdict.strategy.reasons)}")
    if verdict.phases:
        lines += ["", "| phase | findings | in the way | effort |", "|---|---:|---:|---|"]
        lines += [f"| {p.phase.value} | {p.findings} | {p.blocking} | {duration(p.minutes)} |" for p in verdict.phases]
    for finding_group in _groups(report):
        lines += _section(finding_group, report)
    if report.result.failed:
        lines += [
            "",
            "### Not read",
            "",
            *(f"- `{o.path}`: {_escape(o.reason)}" for o in report.result.failed[:_PLACES]),
        ]
        lines += _more(len(report.result.failed))
    text = "\n".join(lines) + "\n"
    if len(text) > _LIMIT:
        cut = text.rfind("\n", 0, _LIMIT)
        text = text[:cut] + "\n\n… cut to fit a comment: the HTML or JSON report has everything.\n"
    return text


def _groups(report: ScanReport) -> list[list[Finding]]:
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        groups[finding.rule].append(finding)
    return sorted(groups.values(), key=lambda g: (-max(f.severity.rank for f in g), -len(g), g[0].rule))


def _section(group: list[Finding], report: ScanReport) -> list[str]:
    rule = all_rules()[group[0].rule]
    impact = rule.impacts[report.target.name]
    worst = max((f.severity for f in group), key=lambda s: s.rank)
    mark = "ℹ️" if worst is Severity.INFO else "🐢" if worst is Severity.PERF else "🛑"
    lines = [
        "",
        f"<details><summary>{mark} <b>{rule.id}</b> {_escape(rule.title)} — {plural(len(group), 'place')}</summary>",
        "",
    ]
    lines += [_escape(impact.why), ""]
    if impact.fix:
        lines += [f"**Fix** ({impact.safety.value}): {_escape(impact.fix)}", ""]
    for finding in group[:_PLACES]:
        snippet = finding.snippet.replace("`", "'")[:120]
        lines.append(f"- `{finding.path}:{finding.line}` {finding.severity.value}: `{snippet}`")
    return [*lines, *_more(len(group)), "", "</details>"]


def _more(count: int) -> list[str]:
    return [f"- … and {count - _PLACES} more"] if count > _PLACES else []


def _escape(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")
