"""Views of a port: a summary for people, and JSON (schema ``rewarp.port/1``, docs/port.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rewarp import __version__, plugins
from rewarp.escape import joined
from rewarp.findings import Finding
from rewarp.port.changes import Change, Gate, Manual
from rewarp.port.result import Port
from rewarp.port.steps import Step
from rewarp.port.writing.size import by_kind
from rewarp.report import plugins_line
from rewarp.report.documents import port as documents
from rewarp.report.isolation import headline
from rewarp.report.verify import check_data
from rewarp.verdict import left_work, minutes, plural
from rewarp.verify.checks import Evidence, Outcome

SCHEMA: Final = "rewarp.port/1"
_SHOWN = 12


@dataclass(frozen=True)
class PortReport:
    """A port, and where it went."""

    port: Port
    way: str
    """``patch``, ``in-place`` or ``branch``."""
    plan: str
    """The hash of what was planned, before anything was written."""
    written: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


# --- JSON -----------------------------------------------------------------------------------


def render_json(report: PortReport) -> str:
    return json.dumps(document(report), indent=1, allow_nan=False) + "\n"


def document(report: PortReport) -> documents.Document:
    """The port as plain data, in an order that never varies."""
    port = report.port
    proof = port.proof
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "root": str(port.after.root),
        "plugins": plugins.names(plugins.RULES),
        "target": port.target.name,
        "way": report.way,
        "plan": report.plan,
        "done": port.done,
        "gate": _gate(port.gate) if port.gate else None,
        "approach": port.approach.value if port.approach else None,
        "added_lines": dict(by_kind(port.after)),
        "unproved": [
            {"path": file.path, "verdict": file.verdict.value, "why": file.why}
            for file in (proof.unproved if proof else ())
        ],
        "phases": [_phase(step, port) for step in port.steps],
        "findings": {
            "before": _figures(port.findings_before),
            "after": _figures(port.findings_after),
            "blocking": [_finding(finding) for finding in port.left],
        },
        "verification": [_level(level) for level in proof.levels] if proof else None,
        "written": list(report.written),
        "commits": list(report.commits),
    }


def _gate(gate: Gate) -> documents.Gate:
    return {"module": gate.module, "path": gate.path, "name": gate.name, "function": gate.function}


def _phase(step: Step, port: Port) -> documents.Phases:
    return {
        "number": step.phase.number,
        "title": step.phase.title,
        "changes": [
            {"path": change.path, "kind": kind(change, port), "why": change.why, "rules": list(change.rules)}
            for change in step.changes
        ],
        "manual": [
            {"path": item.path, "line": item.line, "what": item.what, "why": item.why, "rule": item.rule}
            for item in step.manual
        ],
    }


def kind(change: Change, port: Port) -> str:
    """Whether a change brings a file, changes it or takes it away."""
    if change.after is None:
        return "deleted"
    return "changed" if port.before.read(change.path) is not None else "added"


def _figures(findings: list[Finding]) -> documents.Before:
    return {"count": len(findings), "effort_minutes": round(minutes(left_work(findings)), 1)}


def _finding(finding: Finding) -> documents.Blocking:
    return {
        "rule": finding.rule,
        "path": finding.path,
        "line": finding.line,
        "severity": finding.severity.value,
        "message": finding.message,
    }


def _level(evidence: Evidence) -> documents.Verification:
    return {
        "level": evidence.level.value,
        "outcome": evidence.outcome.value,
        "counts": {outcome.value: evidence.counts[outcome] for outcome in Outcome},
        "checks": [check_data(check) for check in evidence.checks],
        "provenance": dict(evidence.provenance),
    }


# --- text -----------------------------------------------------------------------------------


def text(report: PortReport) -> str:
    return joined(_lines(report))


def _lines(report: PortReport) -> Iterator[str]:
    port = report.port
    if port.proof is None:
        yield "NVIDIA: not checked (verification was left out)"
    else:
        certificate = port.proof.certificate
        verdict = f"{certificate.verdict.value}. " if certificate.files else ""
        yield f"NVIDIA: {verdict}{headline(certificate)}"
        yield from (f"  {file.verdict.value}: {file.path}: {file.why}" for file in port.proof.unproved)
    if others := plugins_line():
        yield others
    if not port.changes:
        yield "nothing to change"
    for step in port.steps:
        left = f", {plural(len(step.manual), 'place')} left to a person" if step.manual else ""
        yield f"{step.phase.number} {step.phase.title}: {plural(len(step.changes), 'file')} changed{left}"
    if added := by_kind(port.after):
        kinds = ", ".join(f"{count} {kind}" for kind, count in added.items())
        yield f"added: {plural(sum(added.values()), 'line')}: {kinds}"
    yield from _what_is_left(port)
    if port.proof:
        yield from map(level_line, port.proof.levels)
    if report.commits:
        yield f"{plural(len(report.commits), 'commit')}, the last one {report.commits[-1][:12]}"
    elif report.written:
        yield f"{plural(len(report.written), 'file')} written; `rewarp port --undo` takes them back"


def _what_is_left(port: Port) -> Iterator[str]:
    before, after = port.findings_before, port.findings_after
    blocking = f"{len(port.left)} of them in the way" if port.left else "none of them in the way"
    yield f"findings: {len(before)} before, {len(after)} after, {blocking}"
    yield from (f"  {_place(item)}: {item.what} ({item.why})" for item in port.manual[:_SHOWN])
    if len(port.manual) > _SHOWN:
        yield f"  … and {len(port.manual) - _SHOWN} more left to a person: --json and --pr-body have them all"


def level_line(evidence: Evidence) -> str:
    """One level of evidence in a line."""
    counts = ", ".join(f"{evidence.counts[outcome]} {outcome.value}" for outcome in Outcome if evidence.counts[outcome])
    if not evidence.checks:
        return f"{evidence.level.value}: nothing changed"
    if evidence.outcome is Outcome.NOT_CHECKED and len(evidence.checks) == 1:
        return f"{evidence.level.value}: not checked: {evidence.checks[0].why}"
    return f"{evidence.level.value}: {counts}"


def _place(item: Manual) -> str:
    return f"{item.path}:{item.line}" if item.line else item.path
