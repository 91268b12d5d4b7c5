"""Views of a verification: a table for people, JSON (schema ``rewarp.verify/1``), JUnit XML, an HTML page."""

from __future__ import annotations

import json
from typing import Final
from xml.etree import ElementTree

from rich.table import Table

from rewarp import __version__
from rewarp.escape import visible
from rewarp.report import page
from rewarp.report.console import Console, Text
from rewarp.report.documents import verify as documents
from rewarp.verdict import plural
from rewarp.verify.checks import Check, Evidence, Outcome
from rewarp.verify.tree import Verification

SCHEMA: Final = "rewarp.verify/1"
_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.NOT_CHECKED: "yellow"}
_SHOWN = {Outcome.PASSED: 8, Outcome.FAILED: 40, Outcome.NOT_CHECKED: 12}
"""How many checks of one level the table shows."""


def document(verification: Verification) -> documents.Document:
    """The verification as plain data, in an order that never varies."""
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "root": str(verification.root),
        "outcome": verification.outcome.value,
        "levels": [_level(evidence) for evidence in verification.levels],
    }


def _level(evidence: Evidence) -> documents.Levels:
    return {
        "level": evidence.level.value,
        "outcome": evidence.outcome.value,
        "counts": {outcome.value: evidence.counts[outcome] for outcome in Outcome},
        "seconds": round(evidence.seconds, 3),
        "provenance": dict(evidence.provenance),
        "checks": [check_data(check) for check in evidence.checks],
        "details": dict(evidence.details),
    }


def check_data(check: Check) -> documents.Checks:
    """One check as plain data."""
    return {
        "what": check.what,
        "outcome": check.outcome.value,
        "why": check.why,
        "path": check.path,
        "line": check.line,
        "evidence": dict(check.evidence),
    }


def render_json(verification: Verification) -> str:
    return json.dumps(document(verification), indent=1, allow_nan=False) + "\n"


def render_html(verification: Verification) -> str:
    """One self-contained page."""
    return page.fill("verify.html", document(verification))


def render_junit(verification: Verification) -> str:
    """One test suite a level; what was not checked is a skipped test, never a passed one."""
    suites = ElementTree.Element("testsuites", name="rewarp verify")
    for evidence in verification.levels:
        counts = evidence.counts
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=evidence.level.value,
            tests=str(len(evidence.checks)),
            failures=str(counts[Outcome.FAILED]),
            skipped=str(counts[Outcome.NOT_CHECKED]),
            time=f"{evidence.seconds:.3f}",
        )
        for check in evidence.checks:
            name = check.what + (f" ({place(check)})" if check.path else "")
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"rewarp.{evidence.level.value}", name=visible(name)
            )
            if check.outcome is Outcome.FAILED:
                ElementTree.SubElement(case, "failure", message=visible(check.why))
            elif check.outcome is Outcome.NOT_CHECKED:
                ElementTree.SubElement(case, "skipped", message=visible(check.why))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def place(check: Check) -> str:
    """Where a check looked: `path:line`."""
    return f"{check.path}:{check.line}" if check.path and check.line else check.path or ""


def show(verification: Verification, console: Console) -> None:
    """One table: level, what, outcome and why."""
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("level", no_wrap=True)
    table.add_column("what", overflow="fold", ratio=2)
    table.add_column("", no_wrap=True)
    table.add_column("why", overflow="fold", ratio=3)
    for evidence in verification.levels:
        for outcome, most in _SHOWN.items():
            checks = [check for check in evidence.checks if check.outcome is outcome]
            for check in checks[:most]:
                _row(table, check)
            if len(checks) > most:
                more = Text(f"{len(checks) - most:,} more (--json has all)", style="dim")
                table.add_row(evidence.level.value, more, Text(outcome.value, style=_COLOURS[outcome]), "")
    console.print(table)
    console.print()
    for evidence in verification.levels:
        console.print(_verdict_line(evidence))


def _row(table: Table, check: Check) -> None:
    why = f"{place(check)}: {check.why}" if check.path and check.why else check.why or place(check)
    table.add_row(
        check.level.value, Text(check.what), Text(check.outcome.value, style=_COLOURS[check.outcome]), Text(why)
    )


def _verdict_line(evidence: Evidence) -> Text:
    counts = evidence.counts
    parts = [f"{counts[outcome]:,} {outcome.value}" for outcome in Outcome if counts[outcome]]
    line = Text(f"{evidence.level.value:<10}")
    line.append(f"{evidence.outcome.value:<12}", style=_COLOURS[evidence.outcome])
    return line.append(f"{plural(len(evidence.checks), 'check')}: {', '.join(parts)}", style="dim")
