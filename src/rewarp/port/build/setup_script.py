"""setup.py and other Python that builds: what nvcc alone understands is kept for NVIDIA, by torch's own word."""

from __future__ import annotations

import ast
import os
import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from rewarp.errors import EditConflict, UnreadableSource
from rewarp.findings import Finding, Severity
from rewarp.fixes import Items, ScriptFix
from rewarp.fixes.options import awaits_value
from rewarp.fixes.script import ScriptGate, ScriptPlace
from rewarp.fixes.text import edited
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.python import PythonFile, parse
from rewarp.port.build import script_lists as lists
from rewarp.port.build.script_gate import find_gate, gate_of_part, imports_module
from rewarp.port.build.script_reach import Reach
from rewarp.port.build.script_sources import copies_in
from rewarp.port.build.script_statements import CannotGate, gated, suite_of, with_dependents
from rewarp.port.build.sources import HipSources
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.project.build_files import EXTENSION, builds_at_run_time, is_build_file
from rewarp.registry import Trait, all_rules, fixes_for, is_about
from rewarp.source import SourceFile, Span
from rewarp.targets import Target

_CONVERTED = {Items.OPTIONS: lists.options_in, Items.LIBRARIES: lists.libraries_in, Items.PATHS: lists.dropped_from}
_WHY = "On ROCm the build leaves out what only nvcc understands and links AMD's libraries; torch.version.hip decides."
_STANDARD_WHY = (
    "PyTorch 2.1 and later, as ROCm has it, stops at a standard before C++17; without the option it asks for its own."
)
_UNSURE = "it was not seen how to keep it for NVIDIA alone without touching what NVIDIA builds"


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    by_path: dict[str, list[Finding]] = defaultdict(list)
    fixes = dict(fixes_for(context.target.name, ScriptFix))
    for finding in tree.findings(context.target):
        if (
            (finding.rule in fixes or is_about(finding.rule, Trait.BY_HAND))
            and kind_of_path(finding.path) is Kind.PYTHON
            and finding.severity.rank >= Severity.PERF.rank
        ):
            by_path[finding.path].append(finding)
    sources = HipSources.of(tree)
    scan = tree.scan(context.target)
    kinds = (Trait.TORCH_EXTENSION, Trait.RUN_TIME_EXTENSION)
    extensions = {f.path for f in (*scan.works, *scan.findings) if is_about(f.rule, *kinds)}
    extensions = {path for path in extensions if kind_of_path(path) is Kind.PYTHON}
    for path in sorted({*by_path, *extensions}):
        data = tree.read(path)
        try:
            document = parse(SourceFile(path, data or b""))
        except UnreadableSource:
            continue
        if is_build_file(document):
            _port(document, by_path[path], fixes, sources, context, result, tree)
    return result


def _importers(document: PythonFile, tree: Tree) -> Iterator[PythonFile]:
    """The project's files that import a module, wherever on the path it is."""
    path = document.source.path
    module = posixpath.basename(path).removesuffix(".py")
    for other in tree.paths():
        data = tree.read(other) if other != path and kind_of_path(other) is Kind.PYTHON else None
        if data is not None and os.fsencode(module) in data:
            try:
                found = parse(SourceFile(other, data))
            except UnreadableSource:
                continue
            if imports_module(found, module):
                yield found


def _port(
    document: PythonFile,
    findings: list[Finding],
    fixes: Mapping[str, ScriptFix],
    sources: HipSources,
    context: PortContext,
    result: PhaseResult,
    tree: Tree,
) -> None:
    path, target = document.source.path, context.target
    gate = find_gate(document, not builds_at_run_time(document), context.old_torch)
    is_part = gate is None and bool(findings)
    if is_part:
        gate = gate_of_part(document, _importers(document, tree), context.old_torch)
    if gate is None:
        result.manual += [_manual(f, "torch is not imported for certain, so nothing can be asked") for f in findings]
        return
    script = _Script(document, gate, target, fixes)
    for finding in sorted(findings, key=script.wholes_first):
        script.handle(finding)
    try:
        script.settle()
        script.edits += copies_in(document, sources, gate, target)
        standards = newer_standard(document, gate, script.converted, is_part)
        script.edits += standards
        data = edited(document.source, [*gate.edits, *script.edits]) if script.edits else document.source.data
        compile(data, path, "exec", dont_inherit=True)
    except (EditConflict, SyntaxError, ValueError, UnicodeEncodeError, RecursionError, MemoryError) as error:
        result.manual += [_manual(finding, f"the edits do not fit together: {error}") for finding in findings]
        return
    result.manual += [
        entry for entry in script.left if all_rules()[entry.rule].family == "build"
    ]  # others have a part of their own
    if script.edits:
        rules = tuple(sorted({finding.rule for finding in script.done}))
        why = " ".join([_WHY] * (len(script.edits) > len(standards)) + [_STANDARD_WHY] * bool(standards))
        result.changes.append(Change(path, data, PortPhase.BUILD, why, rules))


def newer_standard(
    document: PythonFile, gate: ScriptGate, converted: Collection[ast.expr], is_part: bool = False
) -> list[tuple[int, int, str]]:
    """No standard on ROCm where a list of options for torch's extensions asks for one before C++17: torch adds its own.
    Lists that were ``converted`` are without it already. ``is_part``: scripts with such extensions import the module."""
    if not is_part and not any(document.imports_of(EXTENSION)):
        return []
    found = []
    for node in document.nodes(ast.Constant):
        items = document.parent(node)
        is_item = isinstance(items, (ast.List, ast.Tuple)) and items not in converted
        is_chosen = any(isinstance(above, ast.IfExp) for above in document.ancestors(node))
        if is_item and not is_chosen and isinstance(node.value, str) and lists.OLD_STANDARD.fullmatch(node.value):
            start, end = document.span(node)
            if document_offset(document, node) >= gate.since:
                found += [(start, start, f"*([] if {gate.rocm} else ["), (end, end, "])")]
    return found


def _manual(finding: Finding, why: str) -> Manual:
    return Manual(finding.path, finding.line, PortPhase.BUILD, finding.message, why, finding.rule)


@dataclass
class _Script:
    document: PythonFile
    gate: ScriptGate
    target: Target
    fixes: Mapping[str, ScriptFix]
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    left: list[Manual] = field(default_factory=list)
    done: list[Finding] = field(default_factory=list)
    _seeds: list[tuple[ast.stmt, Finding]] = field(default_factory=list)
    _lists: dict[tuple[ast.expr, Items], set[ast.expr]] = field(default_factory=lambda: defaultdict(set))
    _tests: set[ast.expr] = field(default_factory=set)
    _settled: list[Span] = field(default_factory=list)
    """Expressions that ROCm gets another one for."""
    _waiting: list[tuple[Finding, ast.expr]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reach = Reach(self.document, self.gate, self.target)

    @property
    def converted(self) -> set[ast.expr]:
        """The lists of options that ROCm gets others for."""
        return {items for items, kind in self._lists if kind is Items.OPTIONS}

    def wholes_first(self, finding: Finding) -> tuple[bool, int]:
        fix = self.fixes.get(finding.rule)
        return fix is None or fix.value is None, finding.start

    # --- taking findings down -------------------------------------------------------

    def handle(self, finding: Finding) -> None:
        where = self.document.source.viewed(Span(finding.start, finding.end))
        node = self._node_at(where)
        fix = self.fixes.get(finding.rule)
        if fix is None or node is None:
            self.left.append(_manual(finding, _UNSURE if node is None else "no edit of this file can do it"))
        elif any(part.start <= where.start and where.end <= part.end for part in self._settled):
            self.done.append(finding)
        elif document_offset(self.document, node) < self.gate.since:
            self.left.append(_manual(finding, "it runs before torch is imported"))
        elif self._test(fix, node) or (fix.value is not None and self._value(finding, fix, node)):
            self.done.append(finding)
        elif isinstance(node, ast.expr):
            self._waiting.append((finding, node))
        else:
            self.left.append(_manual(finding, _UNSURE))

    def _node_at(self, span: Span) -> ast.AST | None:
        found = [n for n in ast.walk(self.document.tree) if hasattr(n, "lineno") and self.document.span(n) == span]
        expressions = [node for node in found if isinstance(node, ast.expr)]
        return next(iter(expressions or found), None)  # the outermost: parts of an f-string have its place

    def _test(self, fix: ScriptFix, node: ast.AST) -> bool:
        """A condition that stops the build without CUDA, or looks for a file of CUDA's."""
        if fix.items is not Items.PATHS:
            return False
        child: ast.AST = node
        for parent in self.document.ancestors(node):
            if isinstance(parent, (ast.If, ast.Assert)) and child is parent.test:
                if parent.test not in self._tests:
                    self._tests.add(parent.test)
                    takes_body = isinstance(parent, ast.Assert) or self._links_twins(parent)
                    self._ask_first(parent.test, widen=takes_body)
                return True
            if isinstance(parent, (ast.stmt, ast.Lambda, ast.comprehension)):
                return False
            child = parent
        return False

    def _links_twins(self, statement: ast.If) -> bool:
        """Whether the body links a library of CUDA's that ROCm has too."""
        texts = (n.value for part in statement.body for n in ast.walk(part) if isinstance(n, ast.Constant))
        return any(isinstance(text, str) and lists.has_hip_library(text) for text in texts)

    def _ask_first(self, test: ast.expr, widen: bool) -> None:
        start, end = self.document.span(test)
        condition, joint = (self.gate.rocm, "or") if widen else (self.gate.nvidia, "and")
        loose = isinstance(test, (ast.IfExp, ast.Lambda, ast.NamedExpr)) or (
            isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) and not widen
        )
        self.edits.append((start, start, f"{condition} {joint} " + ("(" if loose else "")))
        if loose:
            self.edits.append((end, end, ")"))

    def _value(self, finding: Finding, fix: ScriptFix, node: ast.AST) -> bool:
        if fix.once and any(other.rule == finding.rule for other in self.done):
            return True
        where = self.document.source.viewed(Span(finding.start, finding.end))
        edits = fix.value(ScriptPlace(self.document, node, where, self.gate)) if fix.value else []
        self.edits += edits
        if edits and fix.settles:
            self._settled.append(self.document.span(node))
        return bool(edits)

    # --- edits that depend on one another ---------------------------------------------

    def settle(self) -> None:
        off: list[Span] = []
        for finding, node in self._waiting:
            if not self._item(finding, node) and not self._alone(finding, node):
                self._seed(finding, node)
        off += self._gate_statements()
        off += self._reach.spans
        self.edits += self._reach.edits
        if self.edits:
            self._refusals()
        for (items, kind), flagged in self._lists.items():
            span = self.document.span(items)
            if any(part.start <= span.start and span.end <= part.end for part in off):
                continue
            convert = _CONVERTED[kind]
            assert isinstance(items, (ast.List, ast.Tuple))
            self.edits += convert(self.document, items, flagged, self.gate)

    def _item(self, finding: Finding, node: ast.expr) -> bool:
        """An item of a list: other items for ROCm."""
        kind = self.fixes[finding.rule].items
        place = lists.in_list(self.document, node)
        if place is None or kind is None or self._is_command(place[0]):
            return False
        items, item = place
        if kind is not Items.PATHS and item is not node:
            return False
        if kind is Items.LIBRARIES and (self.document.string(item) or "").startswith("-"):
            kind = Items.OPTIONS
        self._lists[items, kind].add(item)
        self.done.append(finding)
        return True

    def _is_command(self, items: ast.expr) -> bool:
        """A list that is run: leaving a word out of it makes another command."""
        parent = self.document.parent(items)
        return isinstance(parent, ast.Call) and "subprocess" in (self.document.path(parent.func) or "")

    def _alone(self, finding: Finding, node: ast.expr) -> bool:
        kind = self.fixes[finding.rule].items
        if kind not in (Items.OPTIONS, Items.LIBRARIES):
            return False
        is_name = kind is Items.LIBRARIES and not (self.document.string(node) or "").startswith("-")
        edit = lists.single_string(self.document, node, self.gate, is_name)
        parent = self.document.parent(node)
        if edit is None or not isinstance(parent, (ast.Call, ast.keyword, ast.Assign, ast.Dict)):
            return False
        if edit not in self.edits:
            self.edits.append(edit)
        self.done.append(finding)
        return True

    def _seed(self, finding: Finding, node: ast.expr) -> None:
        reached = self._reach.statements(node)
        if reached is None or not all(suite_of(self.document, statement) for statement in reached):
            self.left.append(_manual(finding, _UNSURE))
        else:
            self._seeds += [(statement, finding) for first in reached for statement in self._with_value(first, node)]
            self.done += [] if reached else [finding]

    def _with_value(self, statement: ast.stmt, node: ast.expr) -> list[ast.stmt]:
        """``flags.append("-gencode")`` together with the statement that appends its value."""
        suite = suite_of(self.document, statement)
        following = suite[suite.index(statement) + 1 :][:1]
        called = [
            part.value.func
            for part in (statement, *following)
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)
        ]
        if awaits_value(self.document.string(node) or "") and len(called) == 2:
            if self.document.raw(called[0]) == self.document.raw(called[1]):
                return [statement, *following]
        return [statement]

    def _refusals(self) -> None:
        """``if CUDA_HOME is not None: return``, and else an error."""
        for _, node in self.document.refs(f"{EXTENSION}.CUDA_HOME"):
            statement = self.document.statement(node)
            if not isinstance(statement, ast.If) or not isinstance(statement.body[0], ast.Return) or statement.orelse:
                continue
            suite = suite_of(self.document, statement)
            following = suite[suite.index(statement) + 1 :][:1]
            if following and isinstance(following[0], ast.Raise) and statement.test not in self._tests:
                if isinstance(statement.test, ast.Compare) and isinstance(statement.test.ops[0], ast.IsNot):
                    self._tests.add(statement.test)
                    self._ask_first(statement.test, widen=True)

    def _gate_statements(self) -> list[Span]:
        found: dict[int, set[ast.stmt]] = defaultdict(set)
        for seed, finding in self._seeds:
            try:
                statements = with_dependents(self.document, seed)
            except CannotGate as error:
                self.left.append(_manual(finding, str(error)))
                continue
            found[id(suite_of(self.document, seed))] |= set(statements)
            self.done.append(finding)
        off = []
        everything = {statement for gated_here in found.values() for statement in gated_here}
        for gated_here in found.values():
            outermost = {s for s in gated_here if not everything.intersection(self.document.ancestors(s))}
            statements = sorted(outermost, key=lambda statement: statement.lineno)
            if not statements:
                continue
            parts = [self.document.span(statement) for statement in statements]
            self.edits = [e for e in self.edits if not any(part.start <= e[0] and e[1] <= part.end for part in parts)]
            self.edits += gated(self.document, statements, self.gate)
            off += parts
        return off


def document_offset(document: PythonFile, node: ast.AST) -> int:
    """Where a node is reached: inside a function that is when it is called, after the whole module."""
    inside = document.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return len(document.source.view) if inside else document.span(node).start
