"""A parity comparison for a pull request: only what changed where there is a baseline, else the gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rewarp.escape import markdown, markdown_code, markdown_row
from rewarp.parity.scoring.baseline import Before, Delta
from rewarp.parity.scoring.result import Result
from rewarp.parity.scoring.scores import Judged, percent
from rewarp.report.parity import CLAIM, headline, number, place_text, seen, title
from rewarp.verdict import plural

_MOST = 40
"""Rows of one table: a comment that nobody reads to the end helps nobody."""


def render(result: Result) -> str:
    parity = result.parity
    lines = [f"## Parity: {markdown(parity.a)} → {markdown(parity.b)}", "", f"**{markdown(headline(result))}**"]
    for reason in result.scores.blocked_by[:_MOST]:
        lines.append(f"- {markdown(reason)}")
    if line := seen(result):
        lines += ["", f"{markdown(line)}."]
    lines += ["", *_kinds(result)]
    lines += _delta(result, result.delta) if result.delta is not None else _gaps(result)
    for waiver, why in result.waivers.void:
        lines.append(
            f"- The waiver of {markdown_code(waiver.unit)} ({markdown(waiver.owner)}) does not hold: {markdown(why)}"
        )
    others = sum(not problem.blocks_score for problem in parity.problems)
    if others:
        lines += ["", f"{plural(others, 'place')} could not be seen through."]
    return "\n".join([*lines, "", CLAIM, ""])


def _kinds(result: Result) -> Iterator[str]:
    if not result.scores.kinds:
        return
    before = result.delta.before.percents if result.delta is not None else {}
    yield "| kind | score | counted | level | partial | CPU | default | lacking | unknown |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for kind in result.scores.kinds:
        score = percent(kind.share) if result.scores.lowest is not None else "none"
        was, now = before.get(kind.kind), number(kind)
        if result.scores.lowest is not None and was is not None and now is not None and was != now:
            score += f" (was {was:g} %)"
        counts = [str(kind.columns[name]) for name in ("level", "partial", "CPU", "default", "lacking", "unknown")]
        yield markdown_row(markdown(kind.kind), score, str(kind.counted), *counts)
    yield ""


def _gaps(result: Result) -> Iterator[str]:
    if not result.priorities:
        return
    yield from ("### Gaps, those that users hit first in front", "")
    yield markdown_row("unit", markdown(result.parity.b), "why", "where")
    yield "|---|---|---|---|"
    for one in result.priorities[:_MOST]:
        status, why = one.gap.unit.b.status.value, one.gap.unit.b.why
        yield _row(
            one.gap, status, "; ".join(dict.fromkeys(part for part in (why, one.reason) if part not in ("", status)))
        )
    yield from _left_out(len(result.priorities))


def _delta(result: Result, delta: Delta) -> Iterator[str]:
    if not (delta.new_gaps or delta.worse or delta.better or delta.closed or delta.gone):
        yield "No gap was opened or closed."
        return
    yield from _changes("New gaps", ((one, None) for one in delta.new_gaps), result)
    yield from _changes("Worse", delta.worse, result)
    yield from _changes("Better", delta.better, result)
    yield from _changes("Closed", delta.closed, result)
    if delta.gone:
        names = ", ".join(markdown_code(before.key) for before in delta.gone[:_MOST])
        yield f"Gaps of units that are no more (renamed or removed, not closed): {names}"


def _changes(heading: str, changes: Iterable[tuple[Judged, Before | None]], result: Result) -> Iterator[str]:
    found = list(changes)
    if not found:
        return
    yield from (
        f"### {heading}",
        "",
        markdown_row("unit", markdown(result.parity.b), "why", "where"),
        "|---|---|---|---|",
    )
    for one, before in found[:_MOST]:
        now = one.unit.b.status.value
        status = now if before is None or before.status == now else f"{before.status} → {now}"
        lost = ", ".join(sorted(set(one.lacking) - (before.lacking if before else set())))
        yield _row(one, status, one.unit.b.why + (f" (not for {lost})" if lost else ""))
    yield from _left_out(len(found))


def _row(one: Judged, status: str, why: str) -> str:
    where = place_text(one.unit.b) or place_text(one.unit.a)
    return markdown_row(
        markdown_code(title(one)), markdown(status), markdown(why), markdown_code(where) if where else ""
    )


def _left_out(count: int) -> Iterator[str]:
    if count > _MOST:
        yield f"\nand {count - _MOST} more."
    yield ""
