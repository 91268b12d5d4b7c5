"""HTML: one self-contained page with the verdict, filters, and the source around every finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from rewarp import __version__
from rewarp.api import ScanReport
from rewarp.findings import Finding, Severity
from rewarp.report import amount, effort_sentences, page, plugins_line
from rewarp.report.json import document
from rewarp.report.parts import NOTES, TITLES, grouped
from rewarp.source import SourceFile

_CONTEXT = 3
_MAX_LINE = 240


def render(report: ScanReport, least: Severity | None = None) -> str:
    """The page. Data travels as JSON inside it; nothing is loaded from anywhere. Without ``least`` it holds everything
    and shows from perf on at first."""
    return page.fill("scan.html", page_of(report, least))


def page_of(report: ScanReport, least: Severity | None = None) -> dict[str, Any]:
    """What the page shows, as data."""
    data = cast(dict[str, Any], document(report, least or Severity.INFO))
    first = least or Severity.PERF
    data["off"] = [severity.value for severity in Severity if severity.rank < first.rank]
    data["parts"] = [{"standing": how.value, "title": title, "note": NOTES[how]} for how, title in TITLES.items()]
    kinds = {outcome.path: outcome.kind for outcome in report.result.scanned}
    contexts = _contexts(report)
    # The dearest files first; inside a file, the order of its lines.
    place = {group.name: at for at, group in enumerate(grouped(report.findings, "file"))}
    data["findings"].sort(key=lambda finding: (place[finding["path"]], finding["start_byte"]))
    for finding in data["findings"]:
        finding["kind"] = kinds.get(finding["path"], "")
        finding["context"] = contexts.get((finding["path"], finding["line"]))
    data["verdict"]["effort"]["text"] = " ".join(effort_sentences(report.verdict))
    for phase in data["verdict"]["phases"]:
        phase["text"] = amount(phase["lines"])
    data["title"] = report.target.title
    data["rewarp"] = __version__
    data["others"] = plugins_line()
    return data


def _contexts(report: ScanReport) -> dict[tuple[str, int], list[Any]]:
    """[first line number, [lines]] around each finding, read from the scanned files as they are now."""
    root = Path(report.result.root)
    by_path: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_path.setdefault(finding.path, []).append(finding)
    found: dict[tuple[str, int], list[Any]] = {}
    for path, findings in by_path.items():
        try:
            source = SourceFile(path, (root / path if root.is_dir() else root).read_bytes())
            count = len(source.line_starts)
        except Exception:  # the file changed or went away since the scan: the finding's own line remains
            continue
        for finding in findings:
            if finding.line > count or not source.line_text(finding.line).strip().startswith(finding.snippet[:40]):
                continue
            first, last = max(1, finding.line - _CONTEXT), min(count, finding.line + _CONTEXT)
            lines = [source.line_text(n)[:_MAX_LINE].expandtabs(4) for n in range(first, last + 1)]
            found[(path, finding.line)] = [first, lines]
    return found
