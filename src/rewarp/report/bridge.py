"""``rewarp bridge check`` as text, JSON, Markdown and a page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from rewarp.bridge.check import Check
from rewarp.bridge.crossing import Crossing, CrossingVerdict
from rewarp.bridge.matrix import matrix
from rewarp.escape import joined, markdown_code, markdown_row
from rewarp.escape import markdown as plain
from rewarp.report import bridge_matrix
from rewarp.report.bridge_matrix import NOT_RUN

SCHEMA = 1


def exit_code(checked: Check) -> int:
    """0 all is well, 1 something is not, 3 something could not be told."""
    if any(not verdict.is_good and verdict is not CrossingVerdict.UNKNOWN for verdict in checked.verdicts):
        return 1
    return 3 if CrossingVerdict.UNKNOWN in checked.verdicts or not checked.crossings else 0


def document(checked: Check) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "a": dataclasses.asdict(checked.a),
        "b": dataclasses.asdict(checked.b),
        "crossings": [bridge_matrix.crossing(crossing) for crossing in checked.crossings],
        "not_checked": [{"kind": kind.value, "why": why} for kind, why in checked.not_checked],
        "not_run": NOT_RUN,
        "exit_code": exit_code(checked),
    }


def render(checked: Check) -> str:
    return json.dumps(document(checked), indent=1) + "\n"


def page(checked: Check) -> str:
    """The pair, and below it all platforms against all."""
    return bridge_matrix.page(matrix({}), document(checked))


def text(checked: Check) -> str:
    return joined(_lines(checked))


def _lines(checked: Check) -> Iterator[str]:
    for side in (checked.a, checked.b):
        if side.assumed:
            yield f"{side.name} stands for a reference deployment: {', '.join(side.assumed)}"
    for crossing in checked.crossings:
        yield ""
        yield from _crossing(crossing)
    yield ""
    for kind, why in checked.not_checked:
        yield f"not checked: {kind.value}: {why}"
    yield NOT_RUN


def _crossing(crossing: Crossing) -> Iterator[str]:
    verdict = crossing.verdict.value
    yield f"{crossing.kind.value}, {crossing.writer} -> {crossing.reader}: {verdict if crossing.verdict.is_good else verdict.upper()}"
    yield f"  {crossing.cause} [{crossing.basis.value}]"
    if crossing.field:
        yield f"  decided by: {crossing.field}"
    if crossing.rule:
        yield f"  conversion: {crossing.rule}"
    for reason in crossing.reasons[1:]:
        yield f"  also: {reason.field}: {reason.cause} ({reason.verdict.value}) [{reason.basis.value}]"
    for remedy in crossing.remedies:
        yield f"  change: {remedy.what} -> {remedy.leads_to.value} (checked again)"


def markdown(checked: Check) -> str:
    lines = [f"## {plain(checked.a.name)} and {plain(checked.b.name)} on one store", ""]
    lines += [markdown_row("data", "from", "to", "verdict", "why", "decided by"), markdown_row(*["---"] * 6)]
    for crossing in checked.crossings:
        verdict = crossing.verdict.value if crossing.verdict.is_good else f"**{crossing.verdict.value}**"
        why = f"{plain(crossing.cause)} ({crossing.basis.value})"
        field = markdown_code(crossing.field) if crossing.field else ""
        lines.append(
            markdown_row(crossing.kind.value, plain(crossing.writer), plain(crossing.reader), verdict, why, field)
        )
    for crossing in (crossing for crossing in checked.crossings if crossing.remedies):
        lines += ["", f"{crossing.kind.value}, {plain(crossing.writer)} to {plain(crossing.reader)}:", ""]
        lines += [f"- {plain(remedy.what)}: then {remedy.leads_to.value}" for remedy in crossing.remedies]
    lines += [
        "",
        *(f"Not checked: {kind.value}: {plain(why)}." for kind, why in checked.not_checked),
        "",
        plain(NOT_RUN),
    ]
    return "\n".join(lines) + "\n"
