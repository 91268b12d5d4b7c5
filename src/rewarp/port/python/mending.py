"""One file: every finding whose rule has a fix is mended, as far as the result is proved and stays as it is.

Fixes work on the file as it is. Changes that touch each other are made one after the other, each on the text that the
one before it left; what a second look would change again is not kept at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rewarp import engine
from rewarp.edits import Edit, apply
from rewarp.errors import EditConflict, UnreadableSource
from rewarp.findings import Finding, Scanned, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import FileView, Mend, Outcome, Place, Refused, Spelling
from rewarp.lang import parsers
from rewarp.lang.kinds import Kind
from rewarp.port.changes import PortContext
from rewarp.port.python.importing import Imports
from rewarp.port.python.merging import merged
from rewarp.port.python.proof import Doubt, Proofs
from rewarp.port.python.spelling import spellings
from rewarp.port.python.unbound import newly_unbound
from rewarp.source import SourceFile
from rewarp.targets import Context
from rewarp.workspace.documents import python_file

_ROUNDS = 6
_NO_TORCH = "the file does not import torch, so that nothing in it can tell the platform"
_UNPROVED = "the NVIDIA side could not be proved unchanged: "
_RESTLESS = "the scan would ask for the change again and again"
_NOT_HERE = "there is no mechanical change for it: {fix}"


@dataclass
class Mended:
    """What became of a file."""

    data: bytes
    done: list[Mend] = field(default_factory=list)
    refused: list[tuple[Finding, str]] = field(default_factory=list)


class FileMender:
    """Mends one file."""

    def __init__(
        self,
        path: str,
        data: bytes,
        context: PortContext,
        scanning: Context,
        fixes: Mapping[str, PythonFix],
        proofs: Proofs,
        imports: Imports,
        helper: str | None = None,
        hopeless: dict[str, str] | None = None,
    ) -> None:
        self.path, self.data = path, data
        self.context, self.scanning = context, scanning
        self.fixes, self.proofs, self.imports, self.helper = fixes, proofs, imports, helper
        self.hopeless = {} if hopeless is None else hopeless
        """Findings whose change was not proved, whatever the gate is called, and why."""

    def mend(self, findings: Sequence[Finding]) -> Mended:
        """The file after every change that holds, and why the others do not."""
        try:
            view = self._view(self.data)
        except UnreadableSource as error:
            return Mended(self.data, refused=[(finding, error.reason) for finding in findings])
        first = min(finding.start for finding in findings)
        ways = list(
            spellings(view, self.context.gate, first, self.imports, self.context.other_gates, self.context.old_torch)
        )
        if not ways:
            return Mended(self.data, refused=[(finding, _NO_TORCH) for finding in findings])
        result = Mended(self.data)
        for way in ways:
            # Brought in once, the name is there for whatever follows.
            known = bool(result.done) and bool(way.edits)
            result.refused = []
            self._rounds(result, Spelling(way.rocm, way.nvidia) if known else way, findings)
        if result.done:
            result.data = self._with_merged_gates(result.data, ways)
        return result

    def _with_merged_gates(self, data: bytes, ways: Sequence[Spelling]) -> bytes:
        """The same with equal gates beside each other made one, where that is proved as well."""
        tests = frozenset(ast.unparse(ast.parse(text, mode="eval")) for way in ways for text in (way.rocm, way.nvidia))
        after = merged(data, self.data, tests)
        if after == data or newly_unbound(self.path, self.data, after, self.context.target):
            return data
        return data if self.proofs.doubt(self.path, self.data, after) else after

    def _rounds(self, result: Mended, way: Spelling, findings: Sequence[Finding]) -> None:
        """Mends until nothing is left to mend. What is mended again and again is taken back and left alone."""
        start, restless = replace(result), set[str]()
        while again := self._until_rest(result, way, findings, restless):
            restless |= again
            result.data, result.done, result.refused = start.data, start.done, list(start.refused)
            result.refused += [(finding, _RESTLESS) for finding in findings if finding.rule in restless]

    def _until_rest(self, result: Mended, way: Spelling, findings: Sequence[Finding], without: set[str]) -> set[str]:
        """The rules whose changes do not come to rest."""
        barred: set[str] = set()
        made = result.done
        todo = findings if not result.done else self._scan(result.data)
        fresh: list[Mend] = []
        for _ in range(_ROUNDS):
            plain = Spelling(way.rocm, way.nvidia) if result.done is not made else way
            mends, refused = self._mends(result.data, [f for f in todo if f.rule not in without], plain)
            result.refused = _merged(result.refused, refused)
            fresh = [mend for mend in mends if _key(mend.finding) not in barred]
            if not fresh:
                return set()
            self._take_round(result, _apart(fresh), plain, barred)
            todo = self._scan(result.data)
        return {mend.finding.rule for mend in fresh if mend.finding}

    def _mends(
        self, data: bytes, findings: Iterable[Finding], way: Spelling
    ) -> tuple[list[Mend], list[tuple[Finding, str]]]:
        view = self._view(data)
        mends: list[Mend] = []
        refused: list[tuple[Finding, str]] = []
        for finding in findings:
            if _key(finding) in self.hopeless:
                refused.append((finding, self.hopeless[_key(finding)]))
                continue
            outcome = self._outcome(Place(view, finding, way, self.helper))
            if isinstance(outcome, Mend):
                mends.append(outcome.of(finding))
            elif finding.severity is not Severity.INFO:
                why = outcome.why if isinstance(outcome, Refused) else _NOT_HERE.format(fix=finding.fix)
                refused.append((finding, why))
        return mends, refused

    def _outcome(self, place: Place) -> Outcome | None:
        """What the fix beside the rule says."""
        fix = self.fixes.get(place.finding.rule)
        return fix.mend(place) if fix else None

    def _take_round(self, result: Mended, mends: Sequence[Mend], way: Spelling, barred: set[str]) -> None:
        """Keep all at once where that is proved, else all but those that stand where the proof fails."""
        base, kept = result.data, list[Mend]()

        def bar(mend: Mend, doubt: Doubt) -> None:
            barred.add(_key(mend.finding))
            if mend.finding is not None:
                result.refused.append((mend.finding, _UNPROVED + doubt.why))
                if doubt.stays:
                    self.hopeless[_key(mend.finding)] = _UNPROVED + doubt.why

        def take(some: Sequence[Mend]) -> None:
            after, doubt = self._tried(base, [*kept, *some], way)
            if doubt is None:
                result.data = after
                kept.extend(some)
                return
            if len(some) == 1:
                bar(some[0], doubt)
                return
            if _is_own_line(after, way.edits, doubt.line):
                for mend in some:
                    bar(mend, doubt)
                return
            guilty = _at_line(base, after, [*way.edits, *_edits([*kept, *some])], some, doubt.line)
            if len(guilty) == 1 or (guilty and doubt.stays):
                for mend in guilty:
                    bar(mend, doubt)
                rest = [mend for mend in some if mend not in guilty]
                if rest:
                    take(rest)
                return
            take(some[: len(some) // 2])
            take(some[len(some) // 2 :])

        take(mends)
        if kept:
            result.done = [*result.done, *kept]

    def _tried(self, base: bytes, mends: Sequence[Mend], way: Spelling) -> tuple[bytes, Doubt | None]:
        try:
            after = apply(base, [*way.edits, *_edits(mends)])
            self._view(after)
        except EditConflict as error:
            return base, Doubt(str(error))
        except UnreadableSource as error:
            return base, Doubt(f"the result is not Python: {error.reason}")
        lost = newly_unbound(self.path, self.data, after, self.context.target)
        if lost:
            return after, Doubt(f"{lost[0].name} would be read there before it is bound", lost[0].line)
        return after, self.proofs.doubt(self.path, self.data, after)

    # --- reading ------------------------------------------------------------------------------

    def _view(self, data: bytes) -> FileView:
        return FileView(python_file(SourceFile(self.path, data)))

    def _scan(self, data: bytes) -> list[Finding]:
        outcome = engine.scan(SourceFile(self.path, data), Kind.PYTHON, self.scanning)
        found = outcome.findings if isinstance(outcome, Scanned) else ()
        return [finding for finding in found if wants_change(finding, self.fixes)]


def wants_change(finding: Finding, fixes: Mapping[str, PythonFix]) -> bool:
    """Whether a finding asks for a change that somebody can make; one that only informs mostly does not."""
    fix = fixes.get(finding.rule)
    return fix is not None and (finding.severity.rank > Severity.INFO.rank or fix.even_if_mild)


def _key(finding: Finding | None) -> str:
    return "" if finding is None else f"{finding.rule}\0{finding.symbol}\0{' '.join(finding.snippet.split())}"


def _apart(mends: Sequence[Mend]) -> list[Mend]:
    """Those that do not touch each other; the others come in the next round."""
    kept: list[Mend] = []
    end = -1
    for mend in sorted(mends, key=lambda mend: mend.extent):
        if mend.extent.start > end:
            kept.append(mend)
            end = mend.extent.end
    return kept


def _edits(mends: Iterable[Mend]) -> list[Edit]:
    return [edit for mend in mends for edit in mend.edits]


def _is_own_line(after: bytes, edits: Sequence[Edit], line: int | None) -> bool:
    """Whether a line is the one that brings the gate in: then no change of the file is at fault."""
    lines = after.splitlines()
    text = lines[line - 1].strip() if line and line <= len(lines) else b""
    return any(edit.text.strip() == text for edit in edits)


def _at_line(base: bytes, after: bytes, edits: Sequence[Edit], mends: Sequence[Mend], line: int | None) -> list[Mend]:
    """The changes in the innermost statement, decorators included, that begins at a line of the new text."""
    statement = _statement_at(after, line) if line and after != base else None
    if statement is None:
        return []
    first, last = statement

    def line_of(mend: Mend) -> int:
        moved = sum(len(e.text) - (e.span.end - e.span.start) for e in edits if e.span < mend.extent)
        return after.count(b"\n", 0, mend.extent.start + moved) + 1

    return [mend for mend in mends if first <= line_of(mend) <= last]


def _statement_at(data: bytes, line: int) -> tuple[int, int] | None:
    found: tuple[int, int] | None = None
    for node in ast.walk(parsers.python(data)):
        if isinstance(node, ast.stmt) and node.lineno == line:
            first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
            found = first, node.end_lineno or node.lineno
    return found


def _merged(old: list[tuple[Finding, str]], new: list[tuple[Finding, str]]) -> list[tuple[Finding, str]]:
    known = {_key(finding) for finding, _ in old}
    return [*old, *(pair for pair in new if _key(pair[0]) not in known)]
