"""All Python files of a project: which findings ask for a change, phase by phase, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp import engine
from rewarp.edits import Safety
from rewarp.errors import UnreadableSource
from rewarp.findings import Finding, Scanned, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.python.helper import helper_place
from rewarp.port.python.importing import Imports
from rewarp.port.python.mending import FileMender, Mended, wants_change
from rewarp.port.python.missing_libraries import missing_libraries
from rewarp.port.python.packages import top_package
from rewarp.port.python.proof import Proofs
from rewarp.port.tree import Tree
from rewarp.registry import Trait, all_rules, fixes_for, is_about
from rewarp.source import SourceFile
from rewarp.targets import Context, ProjectFacts, Versions
from rewarp.workspace.documents import python_file

_FAMILIES = frozenset({"torch", "triton", "libraries", "env"})
"""Rules about Python code; those about packages and builds are other parts' work."""
_ABSENT = (b" = None", b"import ", b"else:")
_PASSES = 3
_SPEED = "it is about speed alone, which is to be measured (`--with tuning` makes the change)"


def run(tree: Tree, context: PortContext) -> PhaseResult:
    """Mends every Python file, phase by phase, until a further look changes nothing."""
    port = _PythonPort(tree, context)
    for path, findings in port.first.items():
        port.mend(path, findings)
    if PortPhase.LIBRARIES in context.phases:
        port.manual += port.without_library()
    return PhaseResult(port.changes, port.manual)


class _PythonPort:
    def __init__(self, tree: Tree, context: PortContext) -> None:
        self.tree, self.context = tree, context
        self.proofs = Proofs(tree, context)
        self.imports = Imports(tree)
        self.fixes = dict(fixes_for(context.target.name, PythonFix))
        self.changes: list[Change] = []
        self.manual: list[Manual] = []
        self.now: dict[str, bytes] = {}
        self.first: dict[str, list[Finding]] = {}
        for finding in tree.findings(context.target):
            if self._is_ours(finding):
                self.first.setdefault(finding.path, []).append(finding)
        versions = Versions(tree.config.torch, tree.config.rocm, tree.config.arch)
        self._scanning = Context(context.target, versions, ProjectFacts(packages=_packages(tree)))
        helped = {rule for rule, fix in self.fixes.items() if fix.needs_helper}
        users = [path for path, found in self.first.items() if any(f.rule in helped for f in found)]
        self._helper = helper_place(tree, users) if users else None

    def mend(self, path: str, findings: list[Finding]) -> None:
        """All phases of one file; again, where a later one made work for an earlier one."""
        before = self.tree.read(path) or b""
        data, manual = before, list[Manual]()
        hopeless: dict[str, str] = {}
        for number in range(_PASSES):
            known = data
            manual = []
            for phase in PortPhase:
                if phase in self.context.phases:
                    todo = findings if data == before and not number else self._scan(path, data)
                    mended = self._mend(path, data, [f for f in todo if PortPhase(f.phase) is phase], hopeless)
                    manual += [_manual(finding, why) for finding, why in mended.refused]
                    if mended.data != data:
                        data = mended.data
                        self.changes.append(_change(path, data, phase, mended))
            if data == known:
                break
        self.manual += manual
        self.now[path] = data

    def without_library(self) -> Iterator[Manual]:
        """Code that uses a library which ROCm may be without, in this run's files and in an earlier one's."""
        for path in self.tree.paths():
            data = self.now.get(path) or (self.tree.read(path) if kind_of_path(path) is Kind.PYTHON else None)
            if data is None or not all(word in data for word in _ABSENT):
                continue
            try:
                document = python_file(SourceFile(path, data))
            except UnreadableSource:
                continue
            for found in missing_libraries(document, self.context.target):
                what = f"{', '.join(found.names)} may be missing on ROCm"
                why = f"what uses it must not run there then, or needs another way: lines {', '.join(map(str, found.lines))}"
                yield Manual(path, found.statement.lineno, PortPhase.LIBRARIES, what, why)

    def _mend(self, path: str, data: bytes, findings: list[Finding], hopeless: dict[str, str]) -> Mended:
        todo = [finding for finding in findings if wants_change(finding, self.fixes)]
        speed = [] if "tuning" in self.context.options.wanted else [f for f in todo if f.severity is Severity.PERF]
        todo = [finding for finding in todo if finding not in speed]
        decided = [f for f in todo if self.context.support and is_about(f.rule, Trait.TELLS_NVIDIAS_APART)]
        todo = [finding for finding in todo if finding not in decided]
        rest = [finding for finding in findings if finding.rule not in self.fixes and _is_work(finding)]
        refused = [(finding, f"it takes a decision: {finding.fix}") for finding in rest]
        why = f"the project runs on {self.context.target.title} already ({', '.join(self.context.support[:1])}), and may mean it so"
        refused += [(finding, why) for finding in decided]
        refused += [(finding, f"{_SPEED}: {finding.fix}") for finding in speed]
        if not todo:
            return Mended(data, refused=refused)
        phases = {finding.phase for finding in todo}
        fixes = {rule: fix for rule, fix in self.fixes.items() if all_rules()[rule].phase in phases}
        helper = self._helper_for(path, data)
        mender = FileMender(
            path, data, self.context, self._scanning, fixes, self.proofs, self.imports, helper, hopeless
        )
        mended = mender.mend(todo)
        mended.refused += refused
        return mended

    def _helper_for(self, path: str, data: bytes) -> str | None:
        """The module of the helper as a file imports it; of scripts that belong to no package, from beside them."""
        if self._helper is None or top_package(path, self.tree) is None:
            return self._helper.module if self._helper else None
        try:
            return self.imports.spelled(python_file(SourceFile(path, data)), self._helper.path)
        except UnreadableSource:
            return None

    def _scan(self, path: str, data: bytes) -> list[Finding]:
        outcome = engine.scan(SourceFile(path, data), Kind.PYTHON, self._scanning)
        return [f for f in outcome.findings if self._is_ours(f)] if isinstance(outcome, Scanned) else []

    def _is_ours(self, finding: Finding) -> bool:
        rule = all_rules()[finding.rule]
        return (
            kind_of_path(finding.path) is Kind.PYTHON
            and finding.cell is None
            and finding.severity is not Severity.WORKS
            and (rule.family in _FAMILIES or finding.rule in self.fixes)
        )


def _is_work(finding: Finding) -> bool:
    """Whether somebody must do something; a note on speed to which there is no fix is none."""
    if finding.severity is Severity.PERF:
        return finding.safety is not Safety.NONE
    return finding.severity.rank > Severity.INFO.rank


def _packages(tree: Tree) -> frozenset[str]:
    """The packages that the project itself is: top folders with an ``__init__.py``, also below ``src``."""
    inits = [path.split("/") for path in tree.paths() if path.endswith("/__init__.py")]
    return frozenset(parts[-2] for parts in inits if len(parts) == 2 or (len(parts) == 3 and parts[0] == "src"))


def _change(path: str, data: bytes, phase: PortPhase, mended: Mended) -> Change:
    sentences = dict.fromkeys(mend.why for mend in mended.done)
    rules = sorted({mend.finding.rule for mend in mended.done if mend.finding})
    return Change(path, data, phase, " ".join(sentences), tuple(rules))


def _manual(finding: Finding, why: str) -> Manual:
    return Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, why, finding.rule)
