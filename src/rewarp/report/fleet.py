"""Views of a fleet: terminal, JSON (schema ``rewarp.fleet/1``, docs/fleet.md), a page; answers to queries as tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from rewarp import __version__
from rewarp.escape import visible
from rewarp.fleet.overview import Overview, Row
from rewarp.report import amount, page, work_text
from rewarp.report.documents import fleet as documents
from rewarp.report.documents import fleet_query
from rewarp.verdict import Work, plural

if TYPE_CHECKING:
    from rewarp.report.console import Console

SCHEMA: Final = "rewarp.fleet/1"
QUERY_SCHEMA: Final = "rewarp.fleet-query/1"
_SHOWN = 12
_NAMED = 6


def document(found: Overview) -> documents.Document:
    """The overview as plain data, in an order that never varies."""
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "run": cast(documents.Run, _plain(found.run)),
        "previous": found.previous,
        "verdicts": found.verdicts,
        "not_looked_at": len(found.not_looked_at),
        "rules": [cast(documents.Rules, row) for row in found.rules],
        "unblocked": [cast(documents.Unblocked, row) for row in found.unblocked],
        "changes": [cast(documents.Changes, row) for row in found.changes],
        "repositories": [cast(documents.Repositories, row) for row in found.repositories],
    }


def render_json(found: Overview) -> str:
    return json.dumps(document(found), indent=1, allow_nan=False) + "\n"


def render_html(found: Overview) -> str:
    repositories = [{**row, "effort": _effort(row)} for row in found.repositories]
    changes = [
        {**row, "effort": ["" if row[name] is None else amount(row[name]) for name in ("lines_before", "lines_after")]}
        for row in found.changes
    ]
    return page.fill("fleet.html", {**document(found), "repositories": repositories, "changes": changes})


def _effort(row: Row) -> str:
    """What is left for a person after the automatic port."""
    return "" if row["left_lines"] is None else work_text(Work(row["left_lines"], row["left_files"]))


def _plain(row: Row) -> dict[str, Any]:
    return {name: value.isoformat() + "Z" if isinstance(value, datetime) else value for name, value in row.items()}


# --- terminal -------------------------------------------------------------------------------


def show(found: Overview, console: Console) -> None:
    from rewarp.report.console import Text

    run = found.run
    total, done = run["repositories"], run["done"]
    reused = f", {run['reused']} of them known from before" if run["reused"] else ""
    console.print(Text(f"{_repositories(total)}, {done} looked at{reused}: {run['target']}", style="bold"))
    for conclusion, count in found.verdicts.items():
        if count:
            console.print(Text(f"  {count:>5}  {conclusion}"))
    if found.not_looked_at:
        console.print(Text(f"  {len(found.not_looked_at):>5}  not looked at", style="yellow"))
        for row in found.not_looked_at[:_SHOWN]:
            console.print(Text(f"         {row['repository']}: {row['status']}: {row['reason']}", style="yellow"))
        _more(console, len(found.not_looked_at))
    _show_rules(found, console)
    _show_effort(found, console)
    _show_changes(found, console)


def _show_rules(found: Overview, console: Console) -> None:
    from rewarp.report.console import Text

    if found.rules:
        console.print(Text("What stands in the way most", style="bold"))
    for row in found.rules[:_SHOWN]:
        where = _repositories(row["repositories"])
        console.print(Text(f"  {row['rule']}  {where}, {plural(row['places'], 'place')}: {row['title']}"))
    _more(console, len(found.rules))
    if found.unblocked:
        console.print(Text("What one fix would unblock: nothing else that counts stands in their way", style="bold"))
    for row in found.unblocked[:_SHOWN]:
        names = row["repositories"]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        console.print(Text(f"  {row['rule']}  {len(names)}: {', '.join(names[:_NAMED])}{more}"))
    _more(console, len(found.unblocked))


def _show_effort(found: Overview, console: Console) -> None:
    from rewarp.report.console import Text

    work = [row for row in found.repositories if row["left_lines"]]
    if work:
        console.print(Text("Effort: what is left for a person after `rewarp port`", style="bold"))
    for row in work[:_SHOWN]:
        console.print(Text(f"  {row['repository']}: {_effort(row)} ({row['conclusion']})"))
    _more(console, len(work))


def _show_changes(found: Overview, console: Console) -> None:
    from rewarp.report.console import Text

    if found.previous is None:
        return
    console.print(Text(f"Since {found.previous}: {_repositories(len(found.changes))} changed", style="bold"))
    for row in found.changes[:_SHOWN]:
        way = f"{row['before'] or 'not there'} → {row['after'] or 'gone'}"
        counts = f", {row['new']} new, {row['gone']} gone" if row["new"] or row["gone"] else ""
        console.print(Text(f"  {row['repository']}: {way}{counts}"))
    _more(console, len(found.changes))


def _repositories(count: int) -> str:
    return f"{count:,} {'repository' if count == 1 else 'repositories'}"


def _more(console: Console, count: int) -> None:
    from rewarp.report.console import Text

    if count > _SHOWN:
        console.print(Text(f"  and {count - _SHOWN} more", style="dim"))


# --- answers to queries ---------------------------------------------------------------------


def answer_json(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    data: fleet_query.Document = {"schema": QUERY_SCHEMA, "columns": list(columns), "rows": [list(row) for row in rows]}
    return json.dumps(data, indent=1, default=str) + "\n"


def answer_csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([["" if value is None else value for value in row] for row in rows])
    return stream.getvalue()


def show_answer(columns: Sequence[str], rows: Sequence[Sequence[Any]], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        numbers = all(isinstance(row[number], (int, float)) or row[number] is None for row in rows)
        table.add_column(visible(column), justify="right" if numbers and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*("" if value is None else visible(str(value)) for value in row))
    console.print(table)
