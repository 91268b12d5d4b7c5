"""The terminal: the verdict first, then findings grouped by rule with the line they are about."""

from __future__ import annotations

from collections import defaultdict

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule as Line
from rich.table import Table

from rewarp.api import ScanReport
from rewarp.escape import code_line
from rewarp.findings import Finding, Severity
from rewarp.registry import all_rules
from rewarp.report import duration, effort_text, plugins_line
from rewarp.report.console import Console, Text
from rewarp.report.json import summary
from rewarp.verdict import Conclusion, Standing, blocking, plural, standing

_STYLE = {
    Severity.CRASH: "bold red",
    Severity.BUILD: "red",
    Severity.WRONG: "magenta",
    Severity.PERF: "yellow",
    Severity.INFO: "cyan",
    Severity.WORKS: "green",
}
_VERDICT_STYLE = {
    Conclusion.SUPPORTS: "green",
    Conclusion.AS_IS: "green",
    Conclusion.AUTOMATIC: "cyan",
    Conclusion.MANUAL: "yellow",
    Conclusion.REWRITE: "red",
    Conclusion.UNKNOWN: "magenta",
}


def show(
    report: ScanReport, console: Console, *, places: int = 3, by: str = "rule", least: Severity = Severity.PERF
) -> None:
    """Print a report. ``places`` is how many places each group shows; 0 means all, of all findings. Else those are shown
    that count and are at least as bad as ``least``; what is about installing is listed, the rest only counted."""
    shown = [f for f in report.findings if not places or (_counts(f, report) and f.severity.rank >= least.rank)]
    for name, findings in grouped(shown, by):
        show_group(name, findings, report, console, places, by)
    if places:
        show_rest(report, len(shown), console)
    if report.result.works:
        show_works(report, console)
    if report.result.failed:
        console.print(Line("not read", style="magenta"))
        for failed in report.result.failed[: places * 4 or None]:
            where = f":{failed.line}" if failed.line else ""
            console.print(Text(f"  {failed.path}{where}  {failed.reason}"), soft_wrap=True)
        if places and len(report.result.failed) > places * 4:
            console.print(f"  … and {len(report.result.failed) - places * 4} more", style="dim")
    console.print(verdict_panel(report))


def _counts(finding: Finding, report: ScanReport) -> bool:
    return standing(finding, report.project) is Standing.COUNTS


def show_rest(report: ScanReport, shown: int, console: Console) -> None:
    """Notes on installing, a line each rule; and how many findings are not shown."""
    notes: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        if blocking(finding) and standing(finding, report.project) is Standing.INSTALL:
            notes[finding.rule].append(finding)
    if notes:
        console.print(Text.assemble(("installing", "cyan"), "  no part of the verdict"))
        for rule, found in sorted(notes.items()):
            more = f" and {plural(len(found) - 1, 'place')} more" if len(found) > 1 else ""
            fix = all_rules()[rule].impacts[report.target.name].fix
            console.print(
                Padding(Text(f"{found[0].path}:{found[0].line}{more}  {found[0].message}. {fix}"), (0, 0, 0, 2))
            )
        console.print()
    rest = len(report.findings) - shown - sum(map(len, notes.values()))
    if rest:
        text = (
            f"{plural(rest, 'finding')} more inform, or lie in tests, examples and what is not built: --all shows them."
        )
        console.print(Text(text, "dim"))
        console.print()


def grouped(shown: list[Finding], by: str) -> list[tuple[str, list[Finding]]]:
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in shown:
        groups[finding.path if by == "file" else finding.rule].append(finding)
    if by == "file":
        return sorted(groups.items())
    # The most important rule last, next to the verdict, where the eye is after a long run.
    return sorted(groups.items(), key=lambda item: (max(f.severity.rank for f in item[1]), len(item[1]), item[0]))


def show_group(name: str, findings: list[Finding], report: ScanReport, console: Console, places: int, by: str) -> None:
    worst = max((finding.severity for finding in findings), key=lambda severity: severity.rank)
    title = Text.assemble((worst.value, _STYLE[worst]), "  ", (name, "bold"))
    if by == "rule":
        rule = all_rules()[name]
        impact = rule.impacts[report.target.name]
        title.append(f"  {rule.title}")
        title.append(f"  {plural(len(findings), 'place')}", "dim")
        console.print(title, soft_wrap=True)
        console.print(Padding(Text(impact.why, "dim"), (0, 0, 0, 2)))
        if impact.fix:
            console.print(Padding(Text.assemble(("fix: ", "green"), impact.fix), (0, 0, 0, 2)))
    else:
        title.append(f"  {plural(len(findings), 'finding')}", "dim")
        console.print(title, soft_wrap=True)
    shown = findings[: places or None]
    for finding in shown:
        _show_place(finding, console, by)
    if len(findings) > len(shown):
        console.print(f"    … and {len(findings) - len(shown)} more", style="dim")
    console.print()


def _show_place(finding: Finding, console: Console, by: str) -> None:
    cell = f" cell {finding.cell}" if finding.cell else ""
    head = Text("    ")
    if by == "rule":
        head.append(f"{finding.path}:{finding.line}:{finding.column}{cell}", "blue")
    else:
        head.append(f"{finding.line}:{finding.column}{cell}  ", "blue")
        head.append(f"{finding.rule} {finding.severity.value}", _STYLE[finding.severity])
    head.append(f"  {finding.message}")
    console.print(head, soft_wrap=True)
    snippet = Text(f"      │ {code_line(finding.snippet)}", "dim", no_wrap=True, overflow="ellipsis")
    console.print(snippet, no_wrap=True, overflow="ellipsis", crop=True)


def show_works(report: ScanReport, console: Console) -> None:
    counts: dict[str, int] = defaultdict(int)
    for finding in report.result.works:
        counts[finding.symbol or all_rules()[finding.rule].title] += 1
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    names = ", ".join(f"{name} ×{count}" for name, count in top[:6])
    more = f" and {len(top) - 6} other names" if len(top) > 6 else ""
    console.print(
        Text.assemble(
            ("works-as-is", "green"), f"  {plural(len(report.result.works), 'place')} need no change: {names}{more}"
        )
    )
    console.print()


def verdict_panel(report: ScanReport) -> Panel:
    verdict, facts = report.verdict, summary(report)
    style = _VERDICT_STYLE[verdict.conclusion]
    low, high = verdict.effort_range
    body: list[RenderableType] = [Text(verdict.headline, "bold"), *(Text("• " + reason) for reason in verdict.reasons)]
    if verdict.better:
        body.append(Text(verdict.better))
    counted = [f"{n} {name}" for name, n in facts["findings_by_severity"].items() if n]
    if verdict.phases:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for column, justify in (("phase", "left"), ("findings", "right"), ("in the way", "right"), ("effort", "left")):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        for item in verdict.phases:
            table.add_row(item.phase.value, str(item.findings), str(item.blocking), duration(item.minutes))
        body += ["", table, ""]
    body.append(Text(f"Effort: {effort_text(low, high)}, by rule of thumb (--json says how)."))
    if verdict.strategy:
        body.append(Text(f"C++ strategy: {verdict.strategy.approach.value}. {' '.join(verdict.strategy.reasons)}"))
    if counted:
        body.append(Text("Findings: " + ", ".join(counted) + "."))
    hidden = [
        f"{facts[key]} {what}"
        for key, what in (("hidden_by_baseline", "known to the baseline"), ("suppressed", "silenced by comments"))
        if facts[key]
    ]
    if hidden:
        body.append(Text("Not shown: " + ", ".join(hidden) + "."))
    read = f"Read {plural(facts['files_scanned'], 'file')}, {facts['lines']:,} lines. Nothing was run."
    if facts["files_not_parsed"]:
        read += f" Not parsed, since no word in them matters: {plural(facts['files_not_parsed'], 'file')}."
    body.append(Text(read, "dim"))
    if others := plugins_line():
        body.append(Text(others, "dim"))
    title = Text(f"{report.target.title}: {verdict.conclusion.value}")
    return Panel(Group(*body), title=title, title_align="left", border_style=style)
