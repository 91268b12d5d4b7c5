"""``rewarp bridge matrix`` as text, JSON, Markdown and the page that `check` shares."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from rewarp import __version__
from rewarp.bridge.crossing import Crossing, CrossingVerdict
from rewarp.bridge.deployment import REFERENCE
from rewarp.bridge.matrix import Matrix, Table
from rewarp.escape import joined, markdown_row
from rewarp.escape import markdown as plain
from rewarp.report import page as pages
from rewarp.report.documents import bridge_check
from rewarp.report.documents import bridge_matrix as documents

SCHEMA: Final = 1
NOT_RUN = (
    "No kernel of any vendor ran. Keys, hashes, headers and stores were run with real LMCache on a CPU; "
    "what is marked as read in source was read."
)
_SHORT = {
    CrossingVerdict.EXACT: "exact",
    CrossingVerdict.READER_CONVERTS: "by reader",
    CrossingVerdict.CONVERT: "convert",
    CrossingVerdict.MISS: "miss",
    CrossingVerdict.IMPOSSIBLE: "impossible",
    CrossingVerdict.UNKNOWN: "unknown",
    CrossingVerdict.SILENTLY_WRONG: "WRONG",
}


def crossing(item: Crossing) -> documents.Crossings:
    """One verdict as JSON."""
    return {
        "kind": item.kind.value,
        "from": item.writer,
        "to": item.reader,
        "verdict": item.verdict.value,
        "cause": item.cause,
        "field": item.field or None,
        "rule": item.rule or None,
        "basis": item.basis.value,
        "source": item.source,
        "also": [
            {"verdict": reason.verdict.value, "field": reason.field, "cause": reason.cause, "basis": reason.basis.value}
            for reason in item.reasons[1:]
        ],
        "remedies": [
            {
                "what": remedy.what,
                "from": dict(remedy.writer),
                "to": dict(remedy.reader),
                "leads_to": remedy.leads_to.value,
            }
            for remedy in item.remedies
        ],
    }


def document(made: Matrix) -> documents.Document:
    return {
        "schema": SCHEMA,
        "platforms": dict(made.platforms),
        "reference": dict(REFERENCE),
        "tables": [
            {
                "title": table.title,
                "rows": {a: {b: crossing(item) for b, item in row.items()} for a, row in table.rows.items()},
            }
            for table in made.tables
        ],
        "not_run": NOT_RUN,
    }


def render(made: Matrix) -> str:
    return json.dumps(document(made), indent=1) + "\n"


def page(made: Matrix, checked: bridge_check.Document | None = None) -> str:
    return pages.fill("bridge.html", {"rewarp": __version__, "matrix": document(made), "check": checked})


def text(made: Matrix) -> str:
    return joined(_lines(made))


def _lines(made: Matrix) -> Iterator[str]:
    names = list(made.platforms)
    for table in made.tables:
        yield table.title
        yield f"  {'writes':8} {' '.join(f'{name:>10}' for name in names)}   reads"
        for name in names:
            cells = (f"{_SHORT[table.rows[name][other].verdict]:>10}" for other in names)
            yield f"  {name:8} {' '.join(cells)}"
        yield ""
    yield f"Each is a reference deployment: {', '.join(f'{name} = {value}' for name, value in REFERENCE.items())}"
    yield NOT_RUN


def markdown(made: Matrix) -> str:
    return "\n".join(part for table in made.tables for part in _markdown(table, made)) + f"\n{plain(NOT_RUN)}\n"


def _markdown(table: Table, made: Matrix) -> Iterator[str]:
    names = list(made.platforms)
    yield f"### {plain(table.title)}\n"
    yield markdown_row("writes \\ reads", *(plain(made.platforms[name]) for name in names))
    yield markdown_row(*("---" for _ in range(len(names) + 1)))
    for name in names:
        verdicts = (table.rows[name][other].verdict for other in names)
        cells = (f"**{it.value}**" if it is CrossingVerdict.SILENTLY_WRONG else it.value for it in verdicts)
        yield markdown_row(plain(made.platforms[name]), *cells)
    yield ""
