"""Views of build evidence: units × architectures, kernels × architectures with what they need, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table

from rewarp.report import page
from rewarp.report.console import Console, Text
from rewarp.report.verify import document
from rewarp.toolchain.kernels import qualified_name
from rewarp.verdict import plural
from rewarp.verify.checks import Check, Evidence, Outcome
from rewarp.verify.tree import Verification

_MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "not checked": ("–", "yellow")}
_MOST_ROWS = 60
_MOST_PLACES = 3
_GOOD, _FAIR = 0.75, 0.35
"""Shares of the wave slots from which occupancy is shown green and yellow."""


def render_html(verification: Verification) -> str:
    """One self-contained page: a heat map of occupancy, figures on a click."""
    return page.fill("build.html", document(verification))


def show(evidence: Evidence, console: Console) -> None:
    """The tables, then why what is not green is not."""
    arches = list(evidence.provenance.get("arches", ()))
    units, kernels = evidence.details.get("units", ()), evidence.details.get("kernels", ())
    if units:
        console.print(_units(units, arches, console))
        console.print()
    if kernels:
        console.print(_kernels(kernels, arches, evidence.details["limits"]))
        if len(kernels) > _MOST_ROWS:
            console.print(f"{len(kernels) - _MOST_ROWS:,} more kernels (--json, --html have all)", style="dim")
        console.print()
    for outcome in (Outcome.FAILED, Outcome.NOT_CHECKED):
        _reasons([check for check in evidence.checks if check.outcome is outcome], outcome, console)
    _remarks(evidence.details, console)
    console.print(_verdict(evidence))


def _table(titles: Iterable[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    return table


def _units(units: Iterable[Mapping[str, Any]], arches: list[str], console: Console) -> Table:
    """One row a unit; those that passed everywhere are left out where there are too many."""
    rows = list(units)
    if len(rows) > _MOST_ROWS:
        good = [row for row in rows if all(row["arches"][arch]["outcome"] == "passed" for arch in arches)]
        rows = [row for row in rows if row not in good][:_MOST_ROWS]
        console.print(f"{plural(len(good), 'unit')} passed everywhere; the others:", style="dim")
    table = _table(("unit", *arches, ""))
    for row in rows:
        marks = [Text(*_MARKS[row["arches"][arch]["outcome"]]) for arch in arches]
        table.add_row(Text(row["path"]), *marks, Text("translated" if row["translated"] else "", style="dim"))
    return table


def _kernels(kernels: Iterable[Mapping[str, Any]], arches: list[str], limits: Mapping[str, Any]) -> Table:
    """VGPRs, LDS and waves of each kernel, the most waves in the title; what spills is marked."""
    rows = list(kernels)[:_MOST_ROWS]
    titles = [f"{arch} /{limits[arch]['waves_per_simd']}" if arch in limits else arch for arch in arches]
    table = _table(("kernel: VGPRs, LDS, waves per SIMD", *titles))
    table.columns[0].min_width = 14
    times = Counter(_last_name(row) for row in rows)
    for row in rows:
        name = _last_name(row) if times[_last_name(row)] == 1 else row["name"]
        table.add_row(Text(name), *(_figures(row["arches"].get(arch)) for arch in arches))
    return table


def _last_name(row: Mapping[str, Any]) -> str:
    return qualified_name(row["symbol"])[-1]


def _figures(found: Mapping[str, Any] | None) -> Text:
    if found is None:
        return Text("–", style="dim")
    waves = found["occupancy"]
    lds = f" {_short(found['lds_bytes'])}" if found["lds_bytes"] else ""
    cell = Text(f"{found['vgprs']}{lds} ")
    if waves:
        share = waves["waves"] / waves["most"]
        style = "green" if share >= _GOOD else "yellow" if share >= _FAIR else "red"
        cell.append(str(waves["waves"]), style=style)
    if found["vgpr_spills"] or found["sgpr_spills"]:
        cell.append(" spills", style="red")
    elif found["scratch_bytes"]:
        cell.append(" scratch", style="yellow")
    return cell


def _short(count: int) -> str:
    return f"{count / 1024:.0f}K" if count >= 1024 else f"{count}B"


def _reasons(checks: list[Check], outcome: Outcome, console: Console) -> None:
    """Every reason once, with the places it was met at."""
    by_why: dict[str, list[Check]] = {}
    for check in checks:
        by_why.setdefault(check.why, []).append(check)
    for why, found in sorted(by_why.items(), key=lambda item: -len(item[1])):
        places = list(dict.fromkeys(check.what for check in found))
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        line = Text(f"{outcome.value}: ", style=_MARKS[outcome.value][1]).append(why, style="default")
        console.print(line, Text(f"  {', '.join(places[:_MOST_PLACES])}{more}", style="dim"), sep="\n")


def _remarks(details: Mapping[str, Any], console: Console) -> None:
    undecided = sorted({flag for row in details.get("units", ()) for flag in row["undecided_flags"]})
    if undecided:
        words = (
            f"not in force, since only the real build decides about them: {', '.join(undecided)} (give them with -D)"
        )
        console.print(words, style="dim")
    notes = {note for row in details.get("kernels", ()) for found in row["arches"].values() for note in found["notes"]}
    if notes:
        console.print(f"{plural(len(notes), 'remark')} on kernels (--json, --html): {min(notes)}", style="dim")
    for item in details.get("set_aside", ()):
        console.print(f"set aside: {item['path']}: {item['why']}", style="dim")


def _verdict(evidence: Evidence) -> Text:
    counts = evidence.counts
    parts = ", ".join(f"{counts[outcome]:,} {outcome.value}" for outcome in Outcome if counts[outcome])
    line = Text("build: ").append(evidence.outcome.value, style=_MARKS[evidence.outcome.value][1])
    return line.append(f", {parts}; {_compilers(evidence.provenance)}; nothing was run", style="dim")


def _compilers(provenance: Mapping[str, Any]) -> str:
    """Who compiled; and what, where there were several."""
    each = provenance.get("compilers", ())
    several = len({tuple(one["arches"]) for one in each}) > 1
    shares = [f" for {', '.join(one['arches'])}" if several else "" for one in each]
    told = [f"{one['clang']} ({one['kind']}), HIP {_headers(one)}{share}" for one, share in zip(each, shares)]
    return "; ".join([*told, *filter(None, [provenance.get("torch")])])


def _headers(compiler: Mapping[str, Any]) -> str:
    """The version of HIP's headers, and how many of them are an older one's."""
    older, filled = compiler.get("filled_from"), compiler.get("filled") or ()
    return f"{compiler['hip']} ({len(filled)} of its headers are {older}'s)" if older else str(compiler["hip"])
