"""All Python files of a project: what findings ask for is changed, phase by phase; the rest is left to a person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewarp import engine
from rewarp.edits import Safety
from rewarp.errors import UnreadableSource
from rewarp.findings import Finding, Scanned, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.gaudi.flow import receivers
from rewarp.port.gaudi.gate import gate_change, gate_for
from rewarp.port.gaudi.mending import GaudiMender, GaudiProofs
from rewarp.port.python.importing import Imports
from rewarp.port.python.mending import Mended, wants_change
from rewarp.port.python.missing_libraries import missing_libraries
from rewarp.port.tree import Tree
from rewarp.registry import all_rules, fixes_for
from rewarp.source import SourceFile
from rewarp.targets import Context, Versions
from rewarp.workspace.documents import python_file

_OTHER_WORK = frozenset({"packaging", "build"})
"""Rules that also read Python files, such as setup.py: what they ask for is no matter of a gate."""
_PASSES = 3


def run(tree: Tree, context: PortContext) -> PhaseResult:
    """Mends every Python file until a further look changes nothing."""
    port = _GaudiPort(tree, context)
    for path, findings in port.first.items():
        port.mend(path, findings)
    port.note_missing_libraries()
    return port.result()


class _GaudiPort:
    def __init__(self, tree: Tree, context: PortContext) -> None:
        self.tree = tree
        self.fixes = dict(fixes_for(context.target.name, PythonFix))
        self.changes: list[Change] = []
        self.manual: list[Manual] = []
        self.first: dict[str, list[Finding]] = {}
        seen: set[tuple[str, str]] = set()
        for finding in tree.findings(context.target):
            if _is_python(finding):
                self.first.setdefault(finding.path, []).append(finding)
            elif _is_work(finding) and (finding.path, finding.rule) not in seen:
                seen.add((finding.path, finding.rule))
                self.manual.append(_manual(finding, _decision(finding)))
        gate = gate_for(
            tree,
            [path for path, found in self.first.items() if any(wants_change(finding, self.fixes) for finding in found)],
        )
        self.context = PortContext(context.target, gate, context.options, context.phases)
        self.proofs = GaudiProofs(tree, gate)
        self._receivers = receivers(tree, tree.findings(context.target))
        self._scanning = Context(context.target, Versions(tree.config.torch, tree.config.rocm, tree.config.arch))

    def mend(self, path: str, findings: list[Finding]) -> None:
        """All phases of one file; again, where a later one made work for an earlier one."""
        data = before = self.tree.read(path) or b""
        manual = list[Manual]()
        hopeless: dict[str, str] = {}
        for number in range(_PASSES):
            known, manual = data, []
            for phase in PortPhase:
                if phase not in self.context.phases:
                    continue
                todo = findings if data == before and not number else self._scan(path, data)
                mended = self._mend(path, data, todo, phase, hopeless)
                manual += [_manual(finding, why) for finding, why in mended.refused]
                if mended.data != data:
                    data = mended.data
                    self.changes.append(_change(path, data, phase, mended))
            if data == known:
                break
        self.manual += manual

    def _mend(
        self, path: str, data: bytes, findings: Sequence[Finding], phase: PortPhase, hopeless: dict[str, str]
    ) -> Mended:
        """One phase of one file."""
        asked = [finding for finding in findings if wants_change(finding, self.fixes)]
        todo = [finding for finding in asked if PortPhase(finding.phase) is phase]
        rest = [f for f in findings if f.rule not in self.fixes and _is_work(f) and PortPhase(f.phase) is phase]
        mended = Mended(data)
        if todo:
            fixes = {rule: fix for rule, fix in self.fixes.items() if PortPhase(all_rules()[rule].phase) is phase}
            mender = GaudiMender(
                path, data, self.context, self._scanning, fixes, self.proofs, Imports(self.tree), hopeless=hopeless
            )
            mender.every, mender.receivers = self.fixes, self._receivers
            mender.first = min(finding.start for finding in asked)
            mended = mender.mend(todo)
        mended.refused += [(finding, _decision(finding)) for finding in rest]
        return mended

    def _scan(self, path: str, data: bytes) -> list[Finding]:
        outcome = engine.scan(SourceFile(path, data), Kind.PYTHON, self._scanning)
        return list(filter(_is_python, outcome.findings)) if isinstance(outcome, Scanned) else []

    def note_missing_libraries(self) -> None:
        """Code that uses a library which Gaudi is without, in this run's files and in an earlier one's."""
        after = self.tree.with_changes(self.changes)
        for path in after.paths():
            data = after.read(path) if kind_of_path(path) is Kind.PYTHON else None
            if data is None or b" = None" not in data or not re.search(rb"(?i)gaudi|hpu", data):
                continue
            try:
                document = python_file(SourceFile(path, data))
            except UnreadableSource:
                continue
            for found in missing_libraries(document, self.context.target):
                what = f"Gaudi is without {', '.join(found.names)}"
                why = f"what uses it must not run there, or needs another way: lines {', '.join(map(str, found.lines))}"
                self.manual.append(Manual(path, found.lines[0], PortPhase.LIBRARIES, what, why))

    def result(self) -> PhaseResult:
        """All changes, and the gate in front of them where one of them asks for it."""
        gate = self.context.gate
        users = [c.phase for c in self.changes if gate is not None and gate.name.encode() in (c.after or b"")]
        if gate is not None and users:
            made = gate_change(self.tree, gate, min(users, key=lambda phase: phase.number))
            return PhaseResult([*([made] if made else []), *self.changes], self.manual)
        return PhaseResult(self.changes, self.manual)


def _is_python(finding: Finding) -> bool:
    return (
        kind_of_path(finding.path) is Kind.PYTHON
        and finding.cell is None
        and finding.severity is not Severity.WORKS
        and all_rules()[finding.rule].family not in _OTHER_WORK
    )


def _is_work(finding: Finding) -> bool:
    """Whether somebody must do something; a note on speed to which there is no fix is none."""
    if finding.severity is Severity.PERF:
        return finding.safety is not Safety.NONE
    return finding.severity.rank > Severity.INFO.rank


def _decision(finding: Finding) -> str:
    return f"it takes a decision: {finding.fix}"


def _change(path: str, data: bytes, phase: PortPhase, mended: Mended) -> Change:
    sentences = dict.fromkeys(mend.why for mend in mended.done)
    rules = sorted({mend.finding.rule for mend in mended.done if mend.finding})
    return Change(path, data, phase, " ".join(sentences), tuple(rules))


def _manual(finding: Finding, why: str) -> Manual:
    # Menders that serve ROCm too name it in their reasons.
    why = why.replace("ROCm", "Gaudi")
    return Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, why, finding.rule)
