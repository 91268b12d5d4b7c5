"""One file: parse, match, locate. Pure: bytes in, outcome out, no I/O."""

from __future__ import annotations

import re
from dataclasses import replace

from rewarp.edits import Edit, Safety
from rewarp.errors import UnreadableSource
from rewarp.findings import Failed, Finding, Outcome, Scanned, Severity
from rewarp.fixes import FileFix, Fix, PythonFix, ScriptFix
from rewarp.fixes.place import FileView, Mend, Place, Spelling
from rewarp.lang import embedded
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.parsing import check
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import is_build_file
from rewarp.registry import Hit, Impact, Rule, Trait, rules_for
from rewarp.source import SourceFile, Span
from rewarp.targets.base import Context
from rewarp.workspace.documents import document

_IGNORE = re.compile(r"rewarp:\s*ignore(?!-file)(?:\[([^\]]{0,400})\])?")
_IGNORE_FILE = re.compile(rb"rewarp:\s*ignore-file(?:\[([^\]]{0,400})\])?")
_SNIPPET = 200


class _BrokenRule(Exception):
    """A defect of a rule, which must not pass for a file without findings."""


def scan(source: SourceFile, kind: Kind, context: Context) -> Outcome:
    """Everything the rules have to say about one file."""
    try:
        return _scan(source, kind, context)
    except UnreadableSource as error:
        return Failed(source.path, error.reason, error.line)
    except _BrokenRule as error:
        return Failed(source.path, str(error))
    except RecursionError:  # outside the rules: in a language module
        return Failed(source.path, "nested too deeply to analyse")


_ANY_GATE = Spelling("torch.version.hip is not None", "torch.version.hip is None")
_ANY_HELPER = "rewarp_runtime"
"""How a port would ask for ROCm, and what it would import, as far as a fix need know to say whether it can."""
_SIDED = frozenset({"packaging", "env", "build"})
"""Families whose findings only inform in a file that has a sibling for the target."""


def _scan(source: SourceFile, kind: Kind, context: Context) -> Outcome:
    index = rules_for(context.target.name, kind)
    candidates = index.candidates(source.view)
    holds_device_code = kind is Kind.PYTHON and any(word in source.view for word in embedded.WORDS)
    lines = source.view.count(b"\n") + (not source.view.endswith(b"\n") and bool(source.view))
    if not candidates and not holds_device_code:
        # No rule can match; the file must still be text for that to be a statement about it.
        unread = document(source, kind).unread if kind is Kind.NOTEBOOK else ()
        return Scanned(source.path, kind.value, lines, parsed=check(source, kind), unread=unread)
    parsed = document(source, kind)
    findings, gated = _findings(parsed, candidates, context)
    if holds_device_code and isinstance(parsed, PythonFile):
        findings += _in_device_code(parsed, context)
    unique = {(f.rule, f.start, f.end, f.message): f for f in findings}
    kept, suppressed = _suppress(source, sorted(unique.values(), key=lambda f: f.sort_key))
    return Scanned(source.path, kind.value, lines, tuple(kept), suppressed, gated, unread=parsed.unread)


def _findings(parsed: Document, candidates: list[Rule], context: Context) -> tuple[list[Finding], int]:
    """What some rules find in a document, and how many finds a platform gate keeps off the target."""
    findings: list[Finding] = []
    gated = 0
    path = parsed.source.path
    for rule in candidates:
        impact = rule.impacts[context.target.name]
        try:
            for hit in rule.match(parsed, context):
                severity = _severity(hit, impact, context)
                if severity is None or _is_own(rule, hit, context):
                    continue
                if rule.family in _SIDED and path in context.project.doubled:
                    severity = _at_most_info(severity)
                if rule.family == "libraries" and path in context.project.asked_for:
                    severity = _at_most_info(severity)
                if not rule.even_if_gated and _is_gated(parsed, rule, hit, severity, context):
                    gated += 1
                    continue
                edits = tuple(rule.edit(parsed, hit, context)) if rule.edit else ()
                finding = _finding(parsed, rule, impact, hit, severity, edits)
                findings.append(finding if _is_kept(parsed, rule, finding, context) else _display_only(finding))
        except UnreadableSource:
            raise
        except Exception as error:  # a defect in one rule must not cost the other files their scan
            raise _BrokenRule(f"rule {rule.id} broke on this file: {type(error).__name__}: {error}") from error
    return findings, gated


def _is_kept(parsed: Document, rule: Rule, finding: Finding, context: Context) -> bool:
    """Whether a fix that is called safe can be made here: what the fix itself refuses is a person's, whatever its rule says
    of most places. Fixes of whole files and scripts are not tried."""
    if finding.safety is not Safety.SAFE or finding.severity.rank <= Severity.INFO.rank:
        return True
    fixes = rule.fixes.get(context.target.name, ())
    if not isinstance(parsed, PythonFile):
        return not fixes or not all(isinstance(fix, PythonFix) for fix in fixes)
    if not fixes or any(_is_of_the_file(fix, parsed) for fix in fixes):
        return True
    place = Place(FileView(parsed), finding, _ANY_GATE, _ANY_HELPER)
    mends = (fix.mend(place) for fix in fixes if isinstance(fix, PythonFix) and finding.cell is None)
    return any(isinstance(outcome, Mend) for outcome in mends)


def _is_of_the_file(fix: Fix, parsed: PythonFile) -> bool:
    """Whether a fix is about this Python file as a whole."""
    if isinstance(fix, ScriptFix):
        return is_build_file(parsed)
    return isinstance(fix, FileFix) and fix.kind is Kind.PYTHON


def _display_only(finding: Finding) -> Finding:
    return replace(finding, safety=Safety.DISPLAY_ONLY)


def _in_device_code(parsed: PythonFile, context: Context) -> list[Finding]:
    """What stands in the way of device code that a Python file holds as text. The runtime's names are left to who compiles it:
    torch translates them, and run-time compilers get kernels alone."""
    code = embedded.device_code(parsed, context.target)
    if code is None:
        return []
    rules = [
        rule
        for rule in rules_for(context.target.name, Kind.CUDA).candidates(code.view)
        if rule.family in ("cuda", "waves") and Trait.TORCH_TRANSLATES not in rule.traits
    ]
    try:
        found, _ = _findings(document(code, Kind.CUDA), rules, context)
    except UnreadableSource:  # a text that is filled in later need not be code by itself
        return []
    return [finding for finding in found if finding.severity is not Severity.WORKS]


def _is_gated(document: Document, rule: Rule, hit: Hit, severity: Severity, context: Context) -> bool:
    if document.unreachable(hit.where, context.target):
        return True
    # A build script puts together what a gate further down uses, or does not.
    if rule.family == "build" and severity is not Severity.WORKS and document.kept_off(hit.where, context.target):
        return True
    # What only gives a wrong answer does no harm where the answer does not count; what raises, raises.
    harmless = severity in (Severity.WRONG, Severity.ON_CPU, Severity.PERF, Severity.INFO)
    return harmless and document.settled(hit.where, context.target)


def _is_own(rule: Rule, hit: Hit, context: Context) -> bool:
    """Whether a library rule looks at a package that the project itself is."""
    return rule.family == "libraries" and hit.symbol.partition(".")[0] in context.project.packages


def _severity(hit: Hit, impact: Impact, context: Context) -> Severity | None:
    severity = hit.severity or impact.severity
    if impact.when is None:
        return severity
    holds = impact.when.holds(context)
    if holds is None:
        # Versions unknown: a version-dependent rule informs, it does not judge.
        return _at_most_info(severity)
    return severity if holds else impact.when.otherwise


def _at_most_info(severity: Severity) -> Severity:
    return min(severity, Severity.INFO, key=lambda s: s.rank)


def _finding(
    document: Document, rule: Rule, impact: Impact, hit: Hit, severity: Severity, edits: tuple[Edit, ...]
) -> Finding:
    source = document.source
    span = document.span(hit.where)
    # Point at what matters: a match that runs over many lines is marked on its first one.
    first_line_end = source.line_span(source.line_at(span.start)).end
    shown = Span(span.start, max(span.start, min(span.end, first_line_end)))
    start, end = source.position(shown.start), source.position(shown.end)
    original = source.original(span)
    fix = impact.fix if hit.fix is None else hit.fix
    works = severity is Severity.WORKS
    return Finding(
        rule=rule.id,
        path=source.path,
        start=original.start,
        end=original.end,
        line=start.line,
        column=start.column,
        end_line=end.line,
        end_column=end.column,
        severity=severity,
        phase=rule.phase,
        effort=(hit.effort or impact.effort) if not works else type(impact.effort).NONE,
        safety=hit.safety or impact.safety,
        message=hit.message,
        fix=fix,
        symbol=hit.symbol,
        snippet=document.snippet(span)[:_SNIPPET],
        cell=document.cell(hit.where),
        edits=edits,
    )


def _suppress(source: SourceFile, findings: list[Finding]) -> tuple[list[Finding], int]:
    if b"rewarp:" not in source.view:
        return findings, 0
    whole_file = _IGNORE_FILE.search(source.view)
    file_rules = _named(whole_file[1].decode() if whole_file[1] else None) if whole_file else set()
    kept: list[Finding] = []
    comments: dict[int, re.Match[str] | None] = {}
    for finding in findings:
        silenced = whole_file is not None and (not file_rules or finding.rule in file_rules)
        for line in {finding.line, source.line_at(max(finding.end - 1, finding.start))}:
            if line not in comments:
                comments[line] = _IGNORE.search(source.line_text(line)) if line <= len(source.line_starts) else None
            comment = comments[line]
            if comment:
                rules = _named(comment[1])
                silenced = silenced or not rules or finding.rule in rules
        if not silenced:
            kept.append(finding)
    return kept, len(findings) - len(kept)


def _named(text: str | None) -> set[str]:
    return {part.strip().upper() for part in (text or "").split(",") if part.strip()}
