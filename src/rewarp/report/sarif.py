"""SARIF 2.1.0: for code-scanning dashboards and editors."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from rewarp import __version__, escape, plugins
from rewarp.api import ScanReport
from rewarp.findings import Finding
from rewarp.registry import Rule, all_rules

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(report: ScanReport) -> dict[str, Any]:
    result = report.result
    used = sorted({finding.rule for finding in result.findings})
    rules = all_rules()
    index = {rule: number for number, rule in enumerate(used)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "rewarp",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(rules[rule], report.target.name) for rule in used],
                    },
                    "extensions": [
                        {"name": plugin.package, "version": plugin.version}
                        for plugin in plugins.installed(plugins.RULES)
                    ],
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"ROOT": {"description": {"text": "The folder that was scanned."}}},
                "results": [_result(finding, index[finding.rule]) for finding in result.findings],
                "invocations": [
                    {
                        "executionSuccessful": not result.failed,
                        "toolExecutionNotifications": [
                            notification(outcome.path, outcome.reason, "error", outcome.line)
                            for outcome in result.failed
                        ]
                        + [notification(o.path, f"not scanned: {o.reason}", "note", None) for o in result.skipped],
                    }
                ],
                "properties": {"target": result.target, "verdict": report.verdict.conclusion.value},
            }
        ],
    }


def render(report: ScanReport) -> str:
    return json.dumps(document(report), indent=1) + "\n"


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


def _result(finding: Finding, index: int) -> dict[str, Any]:
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
        "level": finding.severity.level.value,
        "message": {"text": escape.sarif(finding.message + (f" Fix: {finding.fix}" if finding.fix else ""))},
        "locations": [location],
        "partialFingerprints": {"rewarp/v1": finding.fingerprint},
        "properties": {
            "severity": finding.severity.value,
            "phase": finding.phase.value,
            "effort": finding.effort.value,
            "safety": finding.safety.value,
        },
    }
