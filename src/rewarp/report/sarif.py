"""SARIF 2.1.0: for code-scanning dashboards and editors."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from rewarp import __version__, escape, plugins
from rewarp.api import ScanReport
from rewarp.findings import Finding, Level, Severity
from rewarp.registry import Rule, all_rules
from rewarp.verdict import Standing, apart_in

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(*reports: ScanReport, least: Severity = Severity.INFO) -> dict[str, Any]:
    """One run a report; findings from ``least`` on."""
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, least) for report in reports]}


def _run(report: ScanReport, least: Severity) -> dict[str, Any]:
    result = report.result
    findings = [finding for finding in result.findings if finding.severity.rank >= least.rank]
    used = sorted({finding.rule for finding in findings})
    rules = all_rules()
    index = {rule: number for number, rule in enumerate(used)}
    return {
        "tool": {
            "driver": {
                "name": "rewarp",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rules[rule], report.target.name) for rule in used],
            },
            "extensions": [
                {"name": plugin.package, "version": plugin.version} for plugin in plugins.installed(plugins.RULES)
            ],
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "The folder that was scanned."}}},
        "results": [_result(finding, index[finding.rule], report) for finding in findings],
        "invocations": [
            {
                "executionSuccessful": not result.failed,
                "toolExecutionNotifications": [
                    notification(outcome.path, outcome.reason, "error", outcome.line) for outcome in result.failed
                ]
                + [notification(o.path, o.reason, "warning", None) for o in result.unread_parts]
                + [notification(o.path, f"not scanned: {o.reason}", "note", None) for o in result.skipped],
            }
        ],
        "properties": {"target": result.target, "verdict": report.verdict.conclusion.value},
    }


def render(report: ScanReport, least: Severity = Severity.INFO) -> str:
    return json.dumps(document(report, least=least), indent=1) + "\n"


def _rule(rule: Rule, target: str) -> dict[str, Any]:
    impact = rule.impacts[target]
    described: dict[str, Any] = {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.title.replace(".", " ").split() if word.isalnum())
        or rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": impact.why},
        "help": {"text": f"{impact.why}\n\nFix: {impact.fix or 'none needed'}\n\nSource: {rule.source}"},
        "defaultConfiguration": {"level": impact.severity.level.value},
        "properties": {"phase": rule.phase.value, "safety": impact.safety.value, "versions": rule.versions},
    }
    if rule.source.startswith("https://"):
        described["helpUri"] = rule.source.split()[0].rstrip(";,")
    return described


def location_of(path: str, line: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="surrogatepass"), "uriBaseId": "ROOT"}}
    if line is not None:
        physical["region"] = {"startLine": max(1, line)}
    return {"physicalLocation": physical}


def notification(path: str, reason: str, level: str, line: int | None) -> dict[str, Any]:
    return {
        "level": level,
        "message": {"text": escape.sarif(f"{path}: {reason}")},
        "locations": [location_of(path, line)],
    }


def _result(finding: Finding, index: int, report: ScanReport) -> dict[str, Any]:
    how = report.standing(finding)
    counts = how is Standing.COUNTS
    role = {"role": apart_in(finding.path, report.project)} if how is Standing.ASIDE else {}
    location = location_of(finding.path, finding.line)
    location["physicalLocation"]["region"] = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": max(finding.end_column, finding.column + (finding.end_line == finding.line)),
        "snippet": {"text": finding.snippet},
    }
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        # What does not count is a note to who looks at a dashboard; its severity stands in the properties.
        "level": (finding.severity.level if counts else Level.NOTE).value,
        "message": {"text": escape.sarif(finding.message + (f" Fix: {finding.fix}" if finding.fix else ""))},
        "locations": [location],
        "partialFingerprints": {"rewarp/v1": finding.fingerprint},
        "properties": {
            "severity": finding.severity.value,
            "standing": how.value,
            **role,
            "phase": finding.phase.value,
            "effort": finding.effort.value,
            "safety": finding.safety.value,
        },
    }
