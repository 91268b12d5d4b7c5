"""Whether a change makes code reachable on Gaudi for which there is no fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rewarp import engine
from rewarp.edits import apply
from rewarp.findings import Finding, Scanned, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import FileView, Mend, Outcome, Place, Refused
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.targets import TARGETS, Context
from rewarp.workspace.documents import python_file


def mended(place: Place, fixes: Mapping[str, PythonFix]) -> Outcome | None:
    """What the fix of a finding says; where it opens code to Gaudi, only if all in there can be mended as well."""
    fix = fixes.get(place.finding.rule)
    outcome = fix.mend(place) if fix else None
    return _if_mendable(place, outcome, fixes) if fix and fix.opens and isinstance(outcome, Mend) else outcome


def _if_mendable(place: Place, mend: Mend, fixes: Mapping[str, PythonFix]) -> Outcome:
    source = place.view.source
    data = apply(source.data, mend.edits)
    view = FileView(python_file(SourceFile(source.path, data)))
    known = Counter(map(_key, _scan(source)))
    for finding in _scan(view.source):
        known[_key(finding)] -= 1
        if known[_key(finding)] >= 0:
            continue
        # To open the way to a library that Gaudi is without is of no use.
        fix = fixes.get(finding.rule)
        outcome = mended(Place(view, finding, place.gate), fixes) if fix and not fix.leaves_out else None
        if not isinstance(outcome, Mend):
            return Refused(f"Gaudi would then meet line {finding.line}: {finding.message}")
    return mend


def _scan(source: SourceFile) -> list[Finding]:
    outcome = engine.scan(source, Kind.PYTHON, Context(TARGETS["gaudi"]))
    found = outcome.findings if isinstance(outcome, Scanned) else ()
    return [finding for finding in found if finding.severity.rank > Severity.INFO.rank]


def _key(finding: Finding) -> tuple[str, str | None]:
    return finding.rule, finding.symbol
