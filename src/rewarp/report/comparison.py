"""Targets side by side: one row a question, one column a target."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from rich.table import Table

from rewarp import __version__
from rewarp.api import ScanReport
from rewarp.escape import markdown, markdown_row
from rewarp.findings import Severity
from rewarp.registry import all_rules
from rewarp.report import amount, fitted, hours_text, page, sarif, work_text
from rewarp.report.console import Console, Text, stacked
from rewarp.report.documents import scan_compare as documents
from rewarp.report.json import document
from rewarp.report.parts import grouped
from rewarp.report.text import VERDICT_STYLE
from rewarp.verdict import Conclusion, Standing, Verdict, plural

SCHEMA: Final = "rewarp.scan-compare/1"
_OBSTACLES = 4


def table(reports: Sequence[ScanReport]) -> dict[str, list[list[str]]]:
    """The rows: for each question the lines of each target's cell."""
    return {
        "verdict": [[report.verdict.conclusion.value] for report in reports],
        "in the way": [[_in_the_way(report)] for report in reports],
        "left by hand": [_left(report.verdict) for report in reports],
        "obstacles": [_obstacles(report) for report in reports],
        "when installing": [[_count(report.verdict, Standing.INSTALL, "note")] for report in reports],
        "not counted": [[_apart(report.verdict)] for report in reports],
        "for a better verdict": [[report.verdict.better or "–"] for report in reports],
    }


def _in_the_way(report: ScanReport) -> str:
    found = [f for f in report.findings if f.sort_key in report.verdict.in_the_way]
    if not found:
        return "nothing known"
    files = plural(len({f.path for f in found}), "file")
    automatic = sum(f.safety.value == "safe" for f in found)
    return f"{plural(len(found), 'place')} in {files}, {automatic} with an automatic fix"


def _left(verdict: Verdict) -> list[str]:
    if verdict.conclusion is Conclusion.UNKNOWN:
        return ["cannot be told"]
    if not verdict.left.files:
        return ["nothing"]
    is_there = "still open: " if verdict.conclusion is Conclusion.SUPPORTS else ""
    anew = len({path for _, path in verdict.rewrite})
    more = [f"more, where parts of {plural(anew, 'file')} are written anew"] if anew else []
    return [f"{is_there}{work_text(verdict.left)}", *more, f"derived: {hours_text(verdict.left)}"]


def _obstacles(report: ScanReport) -> list[str]:
    """The dearest, by rule."""
    groups = grouped(f for f in report.findings if f.sort_key in report.verdict.in_the_way)
    lines = [f"{name} {all_rules()[name].title} ({len(found)})" for name, found in groups[:_OBSTACLES]]
    return [*lines, *([f"and {len(groups) - _OBSTACLES} more"] if len(groups) > _OBSTACLES else [])] or ["none"]


def _count(verdict: Verdict, standing: Standing, noun: str) -> str:
    count = verdict.standings.get(standing.value, 0)
    return plural(count, noun) if count else "nothing"


def _apart(verdict: Verdict) -> str:
    built = verdict.standings.get(Standing.NOT_BUILT.value, 0)
    found = [*verdict.apart.items(), *([("sources not built", built)] if built else [])]
    return ", ".join(f"{count} in {where}" for where, count in found) or "nothing"


def show(reports: Sequence[ScanReport], console: Console) -> None:
    rows = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    rows.add_column("")
    for report in reports:
        rows.add_column(Text(report.target.title), overflow="fold")
    for name, cells in table(reports).items():
        style = name == "verdict"
        shown = [
            Text(cell[0], f"bold {VERDICT_STYLE[report.verdict.conclusion]}") if style else stacked(*cell)
            for report, cell in zip(reports, cells)
        ]
        rows.add_row(Text(name, "dim"), *shown)
    console.print(rows)
    console.print(Text(_read(reports), "dim"))


def _read(reports: Sequence[ScanReport]) -> str:
    read = plural(len(reports[0].result.scanned), "file")
    unread = len(reports[0].result.failed) + len(reports[0].result.unread_parts)
    return f"Read {read}{f', {unread} could not be read' if unread else ''}. Nothing was run."


def render_json(reports: Sequence[ScanReport], least: Severity = Severity.INFO) -> str:
    return json.dumps(_document(reports, least), indent=1, ensure_ascii=True) + "\n"


def _document(reports: Sequence[ScanReport], least: Severity) -> documents.Document:
    rows = {name: [", ".join(cell) for cell in cells] for name, cells in table(reports).items()}
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "root": reports[0].result.root,
        "targets": [report.target.name for report in reports],
        "table": [{"row": name, "cells": cells} for name, cells in rows.items()],
        "scans": [document(report, least) for report in reports],
    }


def render_sarif(reports: Sequence[ScanReport], least: Severity = Severity.INFO) -> str:
    """One run for each target."""
    return json.dumps(sarif.document(*reports, least=least), indent=1) + "\n"


def render_markdown(reports: Sequence[ScanReport]) -> str:
    titles = [report.target.title for report in reports]
    lines = [
        f"## rewarp: {markdown(' · '.join(titles))}",
        "",
        markdown_row("", *map(markdown, titles)),
        "|---" * (len(titles) + 1) + "|",
    ]
    for name, cells in table(reports).items():
        lines.append(markdown_row(name, *("<br>".join(map(markdown, cell)) for cell in cells)))
    return fitted([*lines, "", _read(reports)], "the HTML or JSON report")


def render_html(reports: Sequence[ScanReport], least: Severity | None = None) -> str:
    """The table, and below it each target's findings by rule."""
    data = {
        "root": reports[0].result.root,
        "rewarp": __version__,
        "read": _read(reports),
        "targets": [_target(report, least or Severity.PERF) for report in reports],
        "table": [{"row": name, "cells": cells} for name, cells in table(reports).items()],
    }
    return page.fill("comparison.html", data)


def _target(report: ScanReport, least: Severity) -> dict[str, Any]:
    own = [f for f in report.findings if report.standing(f) is Standing.COUNTS and f.severity.rank >= least.rank]
    groups = [
        {
            "rule": name,
            "title": all_rules()[name].title,
            "fix": all_rules()[name].impacts[report.target.name].fix,
            "severity": max(found, key=lambda f: f.severity.rank).severity.value,
            "places": [f"{f.path}:{f.line}" for f in found],
        }
        for name, found in grouped(own)
    ]
    verdict = report.verdict
    return {
        "title": report.target.title,
        "conclusion": verdict.conclusion.value,
        "headline": verdict.headline,
        "lines": amount(verdict.left.lines),
        "groups": groups,
    }
