"""JSON: the whole scan as data. Schema: ``rewarp.scan/1`` (docs/scan-json.md)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

from rewarp import __version__, plugins
from rewarp.api import ScanReport
from rewarp.findings import Finding, Severity
from rewarp.project.support import MOST_SHOWN, Support
from rewarp.registry import all_rules
from rewarp.report.documents import scan as documents
from rewarp.verdict import EFFORT_BASIS, MEDIAN_ERROR, Standing, Verdict, Work, apart_in, minutes

SCHEMA: Final = "rewarp.scan/1"


def document(report: ScanReport, least: Severity = Severity.INFO) -> documents.Document:
    """The report as plain data, in an order that never varies; findings from ``least`` on."""
    result = report.result
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "root": result.root,
        "target": result.target,
        "plugins": plugins.names(plugins.RULES),
        "versions": {
            "torch": result.versions["torch"],
            "rocm": result.versions["rocm"],
            "arch": result.versions["arch"],
        },
        "verdict": _verdict(report.verdict),
        "support": _support(report.project.support),
        "summary": summary(report),
        "findings": [
            {**finding_data(finding), **_standing(finding, report)}
            for finding in result.findings
            if finding.severity.rank >= least.rank
        ],
        "works": [finding_data(finding) for finding in result.works],
        "failed": [{"path": o.path, "reason": o.reason, "line": o.line} for o in result.failed],
        "skipped": [{"path": o.path, "reason": o.reason} for o in result.skipped],
        "unread": [{"path": o.path, "reason": o.reason} for o in result.unread_parts],
        "rules": _rules(report),
    }


def render(report: ScanReport, least: Severity = Severity.INFO) -> str:
    return json.dumps(document(report, least), indent=1, ensure_ascii=True) + "\n"


def _standing(finding: Finding, report: ScanReport) -> documents.Counted:
    how = report.standing(finding)
    return {"standing": how.value, "role": apart_in(finding.path, report.project) if how is Standing.ASIDE else None}


def summary(report: ScanReport) -> documents.Summary:
    result = report.result
    severities = Counter(finding.severity for finding in result.findings)
    by_standing = Counter((report.standing(finding), finding.severity) for finding in result.findings)
    return {
        "files_scanned": len(result.scanned),
        "lines": sum(outcome.lines for outcome in result.scanned),
        "files_not_parsed": sum(not outcome.parsed for outcome in result.scanned),
        "files_by_kind": dict(sorted(Counter(outcome.kind for outcome in result.scanned).items())),
        "findings": len(result.findings),
        "findings_by_severity": {
            severity.value: severities[severity] for severity in reversed(Severity) if severity is not Severity.WORKS
        },
        "findings_by_standing": {
            how.value: {
                severity.value: by_standing[how, severity]
                for severity in reversed(Severity)
                if by_standing[how, severity]
            }
            for how in Standing
        },
        "works_as_is": len(result.works),
        "already_gated": sum(outcome.gated for outcome in result.scanned),
        "suppressed": sum(outcome.suppressed for outcome in result.scanned),
        "hidden_by_baseline": report.known,
        "failed": len(result.failed),
        "skipped": len(result.skipped),
        "files_of_other_kinds": sum(report.other_files.values()),
        "diff_base": report.diff_base,
        "config": report.config.source,
        "ignored_rules": list(report.config.ignore),
        "excluded": list(report.config.exclude),
    }


def _verdict(verdict: Verdict) -> documents.Verdict:
    return {
        "conclusion": verdict.conclusion.value,
        "headline": verdict.headline,
        "reasons": list(verdict.reasons),
        "better": verdict.better,
        "standings": {item.value: verdict.standings.get(item.value, 0) for item in Standing},
        "apart": dict(verdict.apart),
        "phases": [
            {
                "phase": item.phase.value,
                "findings": item.findings,
                "blocking": item.blocking,
                "lines": round(item.lines),
                "minutes": round(minutes(Work(item.lines, 0)), 1),
            }
            for item in verdict.phases
        ],
        "effort": _effort(verdict),
        "rewrite": [{"rule": rule, "path": path} for rule, path in verdict.rewrite],
        "strategy": {"approach": verdict.strategy.approach.value, "reasons": list(verdict.strategy.reasons)}
        if verdict.strategy
        else None,
    }


def _effort(verdict: Verdict) -> documents.Effort:
    lines, derived = verdict.left.lines, minutes(verdict.left)
    return {
        "lines": round(lines),
        "low_lines": round(lines / MEDIAN_ERROR),
        "high_lines": round(lines * MEDIAN_ERROR),
        "files": verdict.left.files,
        "without_port": {"lines": round(verdict.whole.lines), "files": verdict.whole.files},
        "median_error": MEDIAN_ERROR,
        "minutes": round(derived, 1),
        "low_minutes": round(derived / MEDIAN_ERROR, 1),
        "high_minutes": round(derived * MEDIAN_ERROR, 1),
        "by_size": verdict.by_effort,
        "basis": EFFORT_BASIS,
    }


def _support(support: Support | None) -> documents.Support | None:
    """What shows that the project supports the target already."""
    if support is None:
        return None
    evidence: list[documents.Evidence] = [
        {"way": item.way.value, "path": item.file, "line": item.line, "text": item.text}
        for item in support.best(MOST_SHOWN)
    ]
    return {"is_there": support.is_there, "device_code": support.device_code, "evidence": evidence}


def finding_data(finding: Finding) -> documents.Finding:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "level": finding.severity.level.value,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "start_byte": finding.start,
        "end_byte": finding.end,
        "cell": finding.cell,
        "symbol": finding.symbol,
        "message": finding.message,
        "fix": finding.fix,
        "safety": finding.safety.value,
        "effort": finding.effort.value,
        "phase": finding.phase.value,
        "snippet": finding.snippet,
        "fingerprint": finding.fingerprint,
        "edits": [
            {"start_byte": e.span.start, "end_byte": e.span.end, "text": e.text.decode("utf-8", "replace")}
            for e in finding.edits
        ],
    }


def _rules(report: ScanReport) -> dict[str, documents.Rules]:
    used = sorted({finding.rule for finding in (*report.result.findings, *report.result.works)})
    rules = all_rules()
    return {
        rule: {
            "title": rules[rule].title,
            "why": rules[rule].impacts[report.target.name].why,
            "fix": rules[rule].impacts[report.target.name].fix,
            "versions": rules[rule].versions,
            "plugin": rules[rule].plugin or None,
            "source": rules[rule].source,
        }
        for rule in used
    }
