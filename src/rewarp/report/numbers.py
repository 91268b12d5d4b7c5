"""Views of a comparison of numbers: JSON (schema ``rewarp.numbers/1``, docs/numbers.md), the terminal, a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from rewarp import __version__
from rewarp.report import page
from rewarp.report.documents import numbers as documents
from rewarp.verify.checks import Evidence, Outcome

if TYPE_CHECKING:
    from rich.table import Table

    from rewarp.report.console import Console

SCHEMA: Literal["rewarp.numbers/1"] = "rewarp.numbers/1"
_STYLE = {Outcome.PASSED: "green", Outcome.FAILED: "bold red", Outcome.NOT_CHECKED: "yellow"}
_WORDS = {Outcome.PASSED: "within tolerance", Outcome.FAILED: "diverged", Outcome.NOT_CHECKED: "not checked"}
_HOW = {
    "own": "by its own computation",
    "grown": "small differences that grew, none of them one module's own",
    "unknown": "by its own computation or by what it was given: that is not known",
}
_MOST_ROWS = 24


def document(evidence: Evidence) -> documents.Document:
    """The comparison as plain data. What is not known is null."""
    details = evidence.details
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "outcome": evidence.outcome.value,
        "seconds": evidence.seconds,
        "golden": evidence.provenance.get("golden"),
        "here": evidence.provenance.get("here"),
        "divergence": details.get("divergence"),
        "second_pass": details.get("second_pass"),
        "modules": details.get("modules", []),
        "top1": details.get("top1", {}),
        "tolerances": details.get("tolerances", {}),
        "notes": details.get("notes", []),
        "checks": [{"what": it.what, "outcome": it.outcome.value, "why": it.why} for it in evidence.checks],
    }


def html(evidence: Evidence) -> str:
    """One page: the error along the depth of the model."""
    return page.fill("numbers.html", {**document(evidence), "words": _WORDS[evidence.outcome], "how": _HOW})


def machine(setting: Mapping[str, Any] | None) -> str:
    """A machine in a few words."""
    if not setting:
        return "unknown"
    versions = setting.get("versions", {})
    name = setting.get("device_name")
    return f"{setting.get('device')}{f' ({name})' if name else ''}, torch {versions.get('torch', 'unknown')}"


# --- the terminal ---------------------------------------------------------------------------


def show(evidence: Evidence, console: Console) -> None:
    from rewarp.report.console import Text

    outcome, details = evidence.outcome, evidence.details
    head = Text(_WORDS[outcome], _STYLE[outcome])
    counts = evidence.counts
    head.append("  " + ", ".join(f"{counts[kind]} {kind.value}" for kind in Outcome if counts[kind]), "dim")
    console.print(head)
    if evidence.provenance:
        console.print(Text(f"target  {evidence.provenance['here']['target']}"), soft_wrap=True)
        console.print(Text(f"golden  {machine(evidence.provenance['golden'])}"), soft_wrap=True)
        console.print(Text(f"here    {machine(evidence.provenance['here'])}"), soft_wrap=True)
    if divergence := details.get("divergence"):
        line = Text("first diverging module: ")
        line.append(f"{divergence['module']} ({divergence['kind']})", "bold red")
        console.print(line, soft_wrap=True)
        console.print(Text(f"  {_HOW[divergence['how']]}: {divergence['why']}"), soft_wrap=True)
        if divergence["inherited"]:
            more = f"  {divergence['inherited']} more differ, and come after it or around it"
            console.print(Text(more, "dim"), soft_wrap=True)
    if details.get("modules"):
        console.print(_table(details["modules"], divergence["module"] if divergence else None))
    for path, share in details.get("top1", {}).items():
        console.print(
            Text(f"same largest element in {share:.2%} of the rows of {f'output {path}' if path else 'the output'}"),
            soft_wrap=True,
        )
    if not details:
        for check in evidence.checks:
            console.print(Text(f"{check.what}: {check.why}"), soft_wrap=True)
    second = details.get("second_pass") or {}
    for note in [*details.get("notes", []), *([f"culprits: {second['why_not']}"] if second.get("why_not") else [])]:
        console.print(Text(f"note: {note}", "dim"), soft_wrap=True)


def _table(modules: list[dict[str, Any]], marked: str | None) -> Table:
    """The calls with the largest error in units of their tolerance, in the order of the computation."""
    from rich import box
    from rich.table import Table

    from rewarp.report.console import Text

    shown = sorted(range(len(modules)), key=lambda i: (modules[i]["name"] != marked, -_strain(modules[i]), i))
    left = len(modules) - _MOST_ROWS
    title = f"the {_MOST_ROWS} worst of {len(modules)} calls" if left > 0 else f"{len(modules)} calls"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("module", overflow="fold", min_width=24)
    for column in ("error", "tolerance", "by itself", "cosine"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("")
    for index in sorted(shown[:_MOST_ROWS]):
        item = modules[index]
        worst = _worst(list(item["outputs"].values()))
        own = _worst(item["own"] or [])
        outcome = Outcome(item["outcome"]) if item["outcome"] else None
        table.add_row(
            Text(item["name"], "bold red" if item["name"] == marked else ""),
            _number(worst.get("error")),
            _number(worst.get("tolerance")),
            Text(_number(own.get("error")), "bold red" if item["own_outcome"] == Outcome.FAILED.value else ""),
            f"{worst['cosine']:.6f}" if worst.get("cosine") is not None else "",
            Text(outcome.value, _STYLE[outcome]) if outcome else Text("nothing to compare", "dim"),
        )
    return table


def _worst(figures: list[dict[str, Any]]) -> dict[str, Any]:
    return max(figures, key=lambda it: (_ratio(it), it["error"] is not None), default={})


def _strain(module: dict[str, Any]) -> float:
    every = [*module["outputs"].values(), *(module["own"] or [])]
    return float("inf") if not every and module["why"] else max(map(_ratio, every), default=-1.0)


def _ratio(figures: dict[str, Any]) -> float:
    """The error in units of the tolerance; without limit where something is wrong that has no size."""
    if figures["error"] is None or not figures["tolerance"]:
        return float("inf") if figures["outcome"] == Outcome.FAILED.value else 0.0
    return float(figures["error"] / figures["tolerance"])


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:.2e}" if number else "0"
