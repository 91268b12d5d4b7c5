"""The terminal: what costs most first, at most a screenful of it, then the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table

from rewarp.api import ScanReport
from rewarp.escape import code_line
from rewarp.findings import Finding, Severity
from rewarp.registry import Trait, all_rules, is_about
from rewarp.report import amount, effort_sentences, plugins_line
from rewarp.report.console import Console, Text
from rewarp.report.json import summary
from rewarp.report.parts import NOTES, TITLES, Group, Part, grouped, parts
from rewarp.verdict import Conclusion, Standing, plural

_STYLE = {
    Severity.CRASH: "bold red",
    Severity.BUILD: "red",
    Severity.WRONG: "magenta",
    Severity.ON_CPU: "magenta",
    Severity.PERF: "yellow",
    Severity.INFO: "cyan",
    Severity.WORKS: "green",
}
VERDICT_STYLE = {
    Conclusion.SUPPORTS: "green",
    Conclusion.AS_IS: "green",
    Conclusion.AUTOMATIC: "cyan",
    Conclusion.MANUAL: "yellow",
    Conclusion.REWRITE: "red",
    Conclusion.UNKNOWN: "magenta",
}
_SCREEN = 40
"""Lines, where the output is no terminal."""
_FEWEST = 8
"""Lines that findings get on a small screen."""
_NOTES = 3
_UNREAD = 3
_EVERYTHING = "--all shows everything here, --html FILE on a page"


class _Line(NamedTuple):
    text: Text
    indent: int = 0
    cut: bool = False
    """At the right edge, rather than going on in the next line."""

    def print(self, console: Console) -> None:
        if self.cut:
            console.print(self.text, no_wrap=True, overflow="ellipsis", crop=True)
        elif self.indent:
            console.print(Padding(self.text, (0, 0, 0, self.indent)))
        else:
            console.print(self.text, soft_wrap=True)

    def height(self, width: int) -> int:
        return 1 if self.cut else max(1, -(-self.text.cell_len // max(20, width - self.indent)))


_Block = list[_Line]


def show(
    report: ScanReport, console: Console, *, places: int = 3, by: str = "rule", least: Severity = Severity.PERF
) -> None:
    """Print a report. ``places`` is how many places a group shows at most. Findings that count and are at least as bad as
    ``least`` come first, the dearest at the top, in at most a screenful; 0 places means everything, however long."""
    found = parts(report, least if places else Severity.INFO, by)
    if places:
        _show_screenful(found, report, console, places, by)
    else:
        for part in found:
            console.print(Text.assemble((TITLES[part.standing], "bold"), "  ", (NOTES[part.standing], "dim")))
            console.print()
            for group in part.groups:
                show_group(group.name, group.findings, report, console, 0, by)
        if report.result.works:
            show_works(report, console)
        _print(_unread(report, None), console)
    console.print(verdict_panel(report))


def _show_screenful(found: Sequence[Part], report: ScanReport, console: Console, places: int, by: str) -> None:
    own = next((part.groups for part in found if part.standing is Standing.COUNTS), [])
    asked = [finding for finding in report.findings if is_about(finding.rule, Trait.ANOTHER_QUESTION)]
    notes = [*_installing(report), *_noted("besides", "another command answers it", asked, report)]
    below = [*notes, *_folded(found, asked, report), *_works(report), *_unread(report, _UNREAD)]
    screen = console.height if console.is_terminal else _SCREEN
    room = max(_FEWEST, screen - sum(line.height(console.width) for line in below) - 2)
    for block in _fitting([_levels(group, report, places, by) for group in own], room, console.width):
        _print(block, console)
    _print(below, console)
    if below:
        console.print()


def _levels(group: Group, report: ScanReport, places: int, by: str) -> list[_Block]:
    """A group from its title alone to all that is shown of it."""
    title = _title(group, report, by)
    first = _place(group.findings[0], by)
    return [
        [title],
        [title, *first[:1]],
        [*_head(group, report, by), *_location_lines(group.findings, places, by), _Line(Text())],
    ]


def _fitting(blocks: Sequence[list[_Block]], room: int, width: int) -> Iterator[_Block]:
    """Titles in at most half the room, the dearest first; then more of each, the first ones first."""
    shown = blocks if len(blocks) <= room // 2 else blocks[: room // 2 - 1]
    level = [0] * len(shown)

    def height(block: _Block) -> int:
        return sum(line.height(width) for line in block)

    used = sum(height(block[0]) for block in shown)
    room -= len(shown) < len(blocks)
    for wanted in (1, 2):
        for at, block in enumerate(shown):
            more = height(block[wanted]) - height(block[level[at]])
            if used + more <= room:
                level[at], used = wanted, used + more
    yield from (block[level[at]] for at, block in enumerate(shown))
    if len(shown) < len(blocks):
        yield [_Line(Text(f"… and {plural(len(blocks) - len(shown), 'group')} more: {_EVERYTHING}", "dim"))]


def _print(block: Sequence[_Line], console: Console) -> None:
    for line in block:
        line.print(console)


def show_group(name: str, findings: list[Finding], report: ScanReport, console: Console, places: int, by: str) -> None:
    """One group whole: 0 places means all."""
    group = Group(name, findings)
    _print([*_head(group, report, by), *_location_lines(findings, places, by), _Line(Text())], console)


def _title(group: Group, report: ScanReport, by: str) -> _Line:
    title = Text.assemble((group.worst.value, _STYLE[group.worst]), "  ", (group.name, "bold"))
    if by == "rule":
        title.append(f"  {all_rules()[group.name].title}")
    title.append(f"  {plural(len(group.findings), 'place' if by == 'rule' else 'finding')}", "dim")
    return _Line(title)


def _head(group: Group, report: ScanReport, by: str) -> _Block:
    lines = [_title(group, report, by)]
    if by == "rule":
        impact = all_rules()[group.name].impacts[report.target.name]
        lines.append(_Line(Text(impact.why, "dim"), 2))
        if impact.fix:
            lines.append(_Line(Text.assemble(("fix: ", "green"), impact.fix), 2))
    return lines


def _location_lines(findings: Sequence[Finding], places: int, by: str) -> _Block:
    shown = findings[: places or None]
    lines = [line for finding in shown for line in _place(finding, by)]
    if len(findings) > len(shown):
        lines.append(_Line(Text(f"    … and {len(findings) - len(shown)} more", "dim")))
    return lines


def _place(finding: Finding, by: str) -> _Block:
    cell = f" cell {finding.cell}" if finding.cell else ""
    head = Text("    ")
    if by == "rule":
        head.append(f"{finding.path}:{finding.line}:{finding.column}{cell}", "blue")
    else:
        head.append(f"{finding.line}:{finding.column}{cell}  ", "blue")
        head.append(f"{finding.rule} {finding.severity.value}", _STYLE[finding.severity])
    head.append(f"  {finding.message}")
    return [_Line(head), _Line(Text(f"      │ {code_line(finding.snippet)}", "dim"), cut=True)]


def _installing(report: ScanReport) -> _Block:
    found = [finding for finding in report.findings if report.standing(finding) is Standing.INSTALL]
    return _noted("installing", "no part of the verdict", found, report)


def _noted(title: str, note: str, findings: Sequence[Finding], report: ScanReport) -> _Block:
    """A line each rule."""
    notes = grouped(findings)
    if not notes:
        return []
    lines = [_Line(Text.assemble((title, "cyan"), f"  {note}"))]
    for name, found in notes[:_NOTES]:
        more = f" and {plural(len(found) - 1, 'place')} more" if len(found) > 1 else ""
        fix = all_rules()[name].impacts[report.target.name].fix
        first = max(found, key=lambda finding: finding.severity.rank)
        lines.append(_Line(Text(f"{first.path}:{first.line}{more}  {first.message}. {fix}"), 2))
    if len(notes) > _NOTES:
        lines.append(_Line(Text(f"  … and {plural(len(notes) - _NOTES, 'note')} more", "dim")))
    return lines


def _folded(found: Sequence[Part], told: Sequence[Finding], report: ScanReport) -> _Block:
    """How many findings are not shown, and where they lie; ``told`` were shown in another way."""
    said: list[str] = []
    for part in found:
        here = Counter(finding.severity for finding in told if report.standing(finding) is part.standing)
        if part.standing is Standing.COUNTS:
            left = part._replace(folded=part.folded - here)
            said += [f"{left.folded_text} in the project itself"] if left.folded else []
        elif part.standing is not Standing.INSTALL:
            where = "apart" if part.standing is Standing.ASIDE else "in sources that are not built"
            number = part.listed + part.folded.total() - here.total()
            said += [f"{number} {where}"] if number else []
    return [_Line(Text(f"not shown: {', '.join(said)} ({_EVERYTHING})", "dim"))] if said else []


def _unread(report: ScanReport, most: int | None) -> _Block:
    unread = [*report.result.failed, *report.result.unread_parts]
    lines = [_Line(Text("not read", "magenta"))] if unread else []
    for item in unread[:most]:
        where = f":{item.line}" if item.line else ""
        lines.append(_Line(Text(f"  {item.path}{where}  {item.reason}")))
    if most and len(unread) > most:
        lines.append(_Line(Text(f"  … and {len(unread) - most} more", "dim")))
    return lines


def show_works(report: ScanReport, console: Console) -> None:
    _print([*_works(report), _Line(Text())], console)


def _works(report: ScanReport) -> _Block:
    if not report.result.works:
        return []
    counts = Counter(finding.symbol or all_rules()[finding.rule].title for finding in report.result.works)
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    names = ", ".join(f"{name} ×{count}" for name, count in top[:6])
    more = f" and {len(top) - 6} other names" if len(top) > 6 else ""
    text = f"  {plural(len(report.result.works), 'place')} need no change: {names}{more}"
    return [_Line(Text.assemble(("works-as-is", "green"), text))]


def verdict_panel(report: ScanReport) -> Panel:
    verdict, facts = report.verdict, summary(report)
    style = VERDICT_STYLE[verdict.conclusion]
    body: list[RenderableType] = [Text(verdict.headline, "bold"), *(Text("• " + reason) for reason in verdict.reasons)]
    if verdict.better:
        body.append(Text(verdict.better))
    if verdict.phases:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for column, justify in (
            ("phase", "left"),
            ("findings", "right"),
            ("in the way", "right"),
            ("lines left", "right"),
        ):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        for item in verdict.phases:
            table.add_row(item.phase.value, str(item.findings), str(item.blocking), amount(item.lines))
        body += ["", table, ""]
    body += [Text(sentence) for sentence in effort_sentences(verdict)]
    if verdict.strategy:
        body.append(Text(f"C++ strategy: {verdict.strategy.approach.value}. {' '.join(verdict.strategy.reasons)}"))
    counted = [f"{n} {name}" for name, n in facts["findings_by_standing"][Standing.COUNTS.value].items()]
    if counted:
        body.append(Text("Findings that count: " + ", ".join(counted) + "."))
    hidden = [
        f"{count} {what}"
        for count, what in (
            (facts["hidden_by_baseline"], "known to the baseline"),
            (facts["suppressed"], "silenced by comments"),
        )
        if count
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
    return Panel(Stack(*body), title=title, title_align="left", border_style=style)
