"""Markdown that fits a pull request: the verdict, the phases, what counts by what it costs; the rest folded."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.api import ScanReport
from rewarp.escape import code_line, html, markdown, markdown_code
from rewarp.findings import Severity
from rewarp.registry import all_rules
from rewarp.report import amount, effort_sentences, fitted, plugins_line
from rewarp.report.json import summary
from rewarp.report.parts import NOTES, TITLES, Group, Part, parts
from rewarp.verdict import plural

_PLACES = 8
_WIDTH = 120
"""Of a line of code."""


def render(report: ScanReport, least: Severity = Severity.PERF) -> str:
    """Findings below ``least`` are counted."""
    verdict, facts = report.verdict, summary(report)
    lines = [
        f"## rewarp: {report.target.title} — {verdict.conclusion.value}",
        "",
        markdown(verdict.headline),
        "",
        *(f"- {markdown(reason)}" for reason in (*verdict.reasons, verdict.better) if reason),
        *(f"- {markdown(sentence)}" for sentence in effort_sentences(verdict)),
        f"- {plural(facts['files_scanned'], 'file')} read, nothing was run.",
    ]
    if others := plugins_line():
        lines.append(f"- {markdown(others)}")
    if verdict.strategy:
        lines.append(
            f"- C++ strategy: **{verdict.strategy.approach.value}**. {markdown(' '.join(verdict.strategy.reasons))}"
        )
    if verdict.phases:
        lines += ["", "| phase | findings | in the way | lines left |", "|---|---:|---:|---:|"]
        lines += [f"| {p.phase.value} | {p.findings} | {p.blocking} | {amount(p.lines)} |" for p in verdict.phases]
    for part in parts(report, least):
        lines += _part(part, report)
    unread = [*report.result.failed, *report.result.unread_parts]
    if unread:
        lines += [
            "",
            "### Not read",
            "",
            *(f"- {markdown_code(o.path)}: {markdown(o.reason)}" for o in unread[:_PLACES]),
        ]
        lines += _more(len(unread))
    return fitted(lines, "the HTML or JSON report")


def _part(part: Part, report: ScanReport) -> Iterator[str]:
    yield f"\n### {TITLES[part.standing]}\n\n{NOTES[part.standing]}"
    for group in part.groups:
        yield "\n".join(_section(group, report))
    if part.folded:
        yield f"\nNot shown: {part.folded_text}."


def _section(found: Group, report: ScanReport) -> list[str]:
    rule, group = all_rules()[found.name], found.findings
    impact = rule.impacts[report.target.name]
    mark = "ℹ️" if found.worst is Severity.INFO else "🐢" if found.worst is Severity.PERF else "🛑"
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
