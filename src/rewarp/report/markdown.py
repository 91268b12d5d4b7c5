"""Markdown that fits a pull request: the verdict, the phases, the findings by rule."""

from __future__ import annotations

from collections import defaultdict

from rewarp.api import ScanReport
from rewarp.escape import code_line, html, markdown, markdown_code
from rewarp.findings import Finding, Severity
from rewarp.registry import all_rules
from rewarp.report import duration, effort_text, fitted, plugins_line
from rewarp.report.json import summary
from rewarp.verdict import plural

_PLACES = 8
_WIDTH = 120
"""Of a line of code."""


def render(report: ScanReport) -> str:
    verdict, facts = report.verdict, summary(report)
    low, high = verdict.effort_range
    lines = [
        f"## rewarp: {report.target.title} — {verdict.conclusion.value}",
        "",
        markdown(verdict.headline),
        "",
        *(f"- {markdown(reason)}" for reason in (*verdict.reasons, verdict.better) if reason),
        f"- Effort: {effort_text(low, high)} (rule of thumb; testing on hardware not included).",
        f"- {plural(facts['files_scanned'], 'file')} read, nothing was run.",
    ]
    if others := plugins_line():
        lines.append(f"- {markdown(others)}")
    if verdict.strategy:
        lines.append(
            f"- C++ strategy: **{verdict.strategy.approach.value}**. {markdown(' '.join(verdict.strategy.reasons))}"
        )
    if verdict.phases:
        lines += ["", "| phase | findings | in the way | effort |", "|---|---:|---:|---|"]
        lines += [f"| {p.phase.value} | {p.findings} | {p.blocking} | {duration(p.minutes)} |" for p in verdict.phases]
    lines += ["\n".join(_section(group, report)) for group in _groups(report)]
    if report.result.failed:
        lines += [
            "",
            "### Not read",
            "",
            *(f"- {markdown_code(o.path)}: {markdown(o.reason)}" for o in report.result.failed[:_PLACES]),
        ]
        lines += _more(len(report.result.failed))
    return fitted(lines, "the HTML or JSON report")


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
        f"<details><summary>{mark} <b>{rule.id}</b> {html(rule.title)} — {plural(len(group), 'place')}</summary>",
        "",
    ]
    lines += [markdown(impact.why), ""]
    if impact.fix:
        lines += [f"**Fix** ({impact.safety.value}): {markdown(impact.fix)}", ""]
    for finding in group[:_PLACES]:
        where, code = markdown_code(f"{finding.path}:{finding.line}"), markdown_code(code_line(finding.snippet, _WIDTH))
        lines.append(f"- {where} {finding.severity.value}: {code}")
    return [*lines, *_more(len(group)), "", "</details>"]


def _more(count: int) -> list[str]:
    return [f"- … and {count - _PLACES} more"] if count > _PLACES else []
