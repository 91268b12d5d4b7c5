"""A parity comparison on the terminal: the score, the kinds, and what users hit first."""

from __future__ import annotations

from rich.table import Table

from rewarp.parity.scoring.priorities import Priority
from rewarp.parity.scoring.result import Result
from rewarp.parity.scoring.scores import GateVerdict, Judged, percent
from rewarp.parity.units import Place, Side, Status
from rewarp.report.console import Console, Text
from rewarp.report.parity import CLAIM, headline, place_text, seen, title
from rewarp.verdict import plural

_FIRST = 12
_PROBLEMS = 8
_VERDICT_STYLES = {GateVerdict.LEVEL: "green", GateVerdict.GAP: "red", GateVerdict.UNKNOWN: "yellow"}
_STATUS_STYLES = {
    Status.IMPLEMENTED: "green",
    Status.PARTIAL: "yellow",
    Status.CONDITIONAL_CPU: "yellow",
    Status.UNKNOWN: "magenta",
}


def show(result: Result, console: Console, everything: bool = False) -> None:
    """The comparison; ``everything``: every unit, not only the first gaps."""
    parity = result.parity
    console.print(Text(f"{parity.a} → {parity.b} in {parity.root}", style="bold"))
    found = parity.found_by if everything else parity.found_by[:6]
    for line in found:
        console.print(Text(f"  {line}", style="dim"))
    if len(parity.found_by) > len(found):
        console.print(Text(f"  and {len(parity.found_by) - len(found)} more (--all)", style="dim"))
    console.print()
    _score(result, console)
    if result.scores.kinds:
        console.print(_kinds(result))
        console.print()
    _first(result.priorities if everything else result.priorities[:_FIRST], result, console)
    if everything:
        _units(result, console)
    _waivers(result, console)
    _delta(result, console)
    _problems(result, console, everything)
    console.print(Text(CLAIM, style="dim"))


def _score(result: Result, console: Console) -> None:
    computable = result.scores.lowest is not None
    console.print(Text(headline(result), style="bold" if computable else "bold red"))
    for reason in result.scores.blocked_by[:_PROBLEMS]:
        console.print(Text(f"  {reason}", style="red"))
    if len(result.scores.blocked_by) > _PROBLEMS:
        console.print(Text(f"  and {len(result.scores.blocked_by) - _PROBLEMS} more", style="red"))
    if line := seen(result):
        console.print(Text(f"  {line}", style="dim"))
    guessed = sum(kind.guessed for kind in result.scores.kinds)
    if computable and guessed:
        line = f"  {plural(guessed, 'unit')} counted half: done in part, and how much of it cannot be told"
        console.print(Text(line, style="dim"))
    console.print()


def _kinds(result: Result) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("kind", no_wrap=True)
    kinds = result.scores.kinds
    counted = [dict(kind.columns.items()) for kind in kinds]
    names = [name for name in counted[0] if name == "level" or any(columns[name] for columns in counted)]
    for name in ("score", "of", *names):
        table.add_column(name.replace("only B", f"only {result.parity.b}"), justify="right", no_wrap=True)
    for kind, columns in zip(kinds, counted):
        score = percent(kind.share) if result.scores.lowest is not None else "none"
        counts = [f"{columns[name]:,}" if columns[name] else "" for name in names]
        table.add_row(Text(kind.kind), score, f"{kind.counted:,}", *counts)
    return table


def _first(priorities: list[Priority], result: Result, console: Console) -> None:
    if not result.priorities:
        return
    more = "" if len(priorities) == len(result.priorities) else " (--all shows every unit)"
    console.print(
        Text(f"What users hit first: {len(priorities)} of {plural(len(result.priorities), 'gap')}{more}", style="bold")
    )
    for number, one in enumerate(priorities, 1):
        unit, status = one.gap.unit, one.gap.unit.b.status
        line = Text(f"{number:>4}. {title(one.gap)}  ")
        line.append(status.value, style=_STATUS_STYLES.get(status, "red"))
        if one.reason != status.value:
            line.append(f"  {one.reason}", style="dim")
        console.print(line)
        if unit.b.why:
            console.print(Text(f"      {unit.b.why}"))
        for name, side in ((result.parity.b, unit.b), (result.parity.a, unit.a)):
            if side.evidence:
                console.print(Text(f"      {name:<6} {_where(side)}", style="dim"))
    console.print()


def _where(side: Side) -> str:
    """The way to the line that shows it, outermost first, shortened in the middle."""
    places = side.evidence if len(side.evidence) <= 3 else (side.evidence[0], *side.evidence[-2:])
    return " → ".join(map(_line, places))


def _line(place: Place) -> str:
    return f"{place.path}:{place.line}" + (f" {place.text.strip()[:80]}" if place.text.strip() else "")


def _units(result: Result, console: Console) -> None:
    """A line for every unit, kind by kind."""
    kind = ""
    for one in result.judged:
        if one.unit.kind != kind:
            kind = one.unit.kind
            console.print(Text(kind + ("" if one.unit.scored else " (not scored)"), style="bold"))
        console.print(_unit(one, result))
    console.print()


def _unit(one: Judged, result: Result) -> Text:
    waived = one.unit.key in result.waivers.keys
    verdict = "waived" if waived else one.verdict.value.replace("only B", f"only {result.parity.b}")
    counted = one.unit.scored and not waived
    line = Text("  ").append(f"{verdict:<10} ", style=_VERDICT_STYLES.get(one.verdict, "dim") if counted else "dim")
    line.append(f"{title(one):<40} ")
    for status, after in ((one.unit.a.status, " → "), (one.unit.b.status, "")):
        line.append(status.value, style=_STATUS_STYLES.get(status, "red")).append(after)
    if one.lacking:
        line.append(f"  not for {', '.join(one.lacking)}")
    where = place_text(one.unit.b) or place_text(one.unit.a)
    return line.append(f"  {where}", style="dim") if where else line


def _waivers(result: Result, console: Console) -> None:
    for waiver, why in result.waivers.void:
        console.print(Text(f"The waiver of {waiver.unit} ({waiver.owner}) does not hold: {why}", style="yellow"))
    if result.waivers.held:
        console.print(Text(f"{plural(len(result.waivers.held), 'gap')} waived", style="dim"))


def _delta(result: Result, console: Console) -> None:
    delta = result.delta
    if delta is None:
        return
    parts = {
        "new": delta.new_gaps,
        "worse": delta.worse,
        "better": delta.better,
        "closed": delta.closed,
        "gone": delta.gone,
    }
    counts = ", ".join(f"{len(found)} {name}" for name, found in parts.items())
    console.print(Text(f"Gaps since the baseline: {counts}", style="bold red" if delta.has_new_gap else "bold"))
    for one in delta.new_gaps:
        console.print(Text(f"  new: {one.unit.key}: {one.unit.b.status.value}", style="red"))
    for one, before in delta.worse:
        now = one.unit.b.status.value
        lost = ", ".join(sorted(set(one.lacking) - before.lacking))
        console.print(
            Text(
                f"  worse: {one.unit.key}: {before.status}, now {now}{f' (not for {lost})' if lost else ''}",
                style="red",
            )
        )
    console.print()


def _problems(result: Result, console: Console, everything: bool) -> None:
    problems = [problem for problem in result.parity.problems if not problem.blocks_score]
    if not problems:
        return
    console.print(Text(f"Not seen through: {plural(len(problems), 'place')}", style="bold"))
    for problem in problems if everything else problems[:_PROBLEMS]:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        console.print(Text(f"  {place}: {problem.what}", style="dim"))
    if len(problems) > _PROBLEMS and not everything:
        console.print(Text(f"  and {len(problems) - _PROBLEMS} more (--all)", style="dim"))
    console.print()
