"""What of the findings a project comes to when it is used: not what nothing calls, and not on its own what has to be asked for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice

from rewarp.edits import Safety
from rewarp.errors import UnreadableSource
from rewarp.findings import Finding, Outcome, Scanned, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.project.callers import Callers
from rewarp.project.unused_code import UnusedCode
from rewarp.registry import Trait, all_rules, is_about
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.verdict.answer import ProjectView, Standing, blocking
from rewarp.verdict.standing import standing
from rewarp.workspace import Tree
from rewarp.workspace.documents import document

_LISTS = (Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.SETUP_CFG)
_BUILT = ("build", "cuda", "waves")
_BUILDS = ("", "_gpu", "_python", "_cu11", "_cu12", "_cu13", "_cuda11x", "_cuda12x")
"""How the distribution of an import is called besides its name."""


def _is_worse(finding: Finding) -> bool:
    return finding.severity.rank > Severity.INFO.rank


class Running:
    def __init__(self, tree: Tree) -> None:
        self._tree, self._callers, self._unused_code = tree, Callers(tree), UnusedCode(tree)

    def as_run(
        self, outcome: Outcome, target: Target, off: frozenset[str] = frozenset(), *, ported: bool = False
    ) -> Outcome:
        """What nothing runs breaks nothing: there a finding informs. ``off``: macros of options that are off; ``ported``: device code is
        judged by what it does, whoever calls it."""
        if not isinstance(outcome, Scanned):
            return outcome
        if outcome.kind == Kind.PYTHON.value:
            reached = self._after_imports(outcome.findings)
            return replace(outcome, findings=tuple(map(self._idle, reached)))
        if kind_of_path(outcome.path) in CPP_KINDS and any(map(_is_worse, outcome.findings)):
            findings = self._by_default(outcome, target, off) if off else outcome.findings
            used = map(self._unused, findings)
            return replace(outcome, findings=tuple(used if ported else map(self._uncalled, used)))
        return outcome

    def _unused(self, finding: Finding) -> Finding:
        """A constant that no other line of the project's C++ names."""
        if not finding.symbol or not _is_worse(finding) or not is_about(finding.rule, Trait.GIVES_A_NAME):
            return finding
        name = re.compile(rb"\b%s\b" % re.escape(finding.symbol.encode()))
        files = [path for path in self._tree.files() if kind_of_path(path) in CPP_KINDS]
        # The first file is the likeliest: that of the definition.
        files.sort(key=lambda path: path != finding.path)
        uses = (match for path in files for match in name.finditer(self._tree.read(path) or b""))
        if len(list(islice(uses, 2))) > 1:
            return finding
        return replace(finding, severity=Severity.INFO, message=f"{finding.message}; nothing uses {finding.symbol}")

    def _uncalled(self, finding: Finding) -> Finding:
        """A hazard of lanes in a template or macro that nothing uses, or a wrong result in a function that nothing calls."""
        rule = all_rules().get(finding.rule)
        if not _is_worse(finding) or rule is None or rule.family != "waves":
            return finding
        name = self._unused_code.around(finding.path, finding.start, runs=finding.severity is Severity.WRONG)
        if name is None:
            return finding
        return replace(finding, severity=Severity.INFO, message=f"{finding.message}; nothing uses {name}")

    def _by_default(self, outcome: Scanned, target: Target, off: frozenset[str]) -> Iterator[Finding]:
        """Of C++, what is compiled only where an option of the project is on that is off by default."""
        source = SourceFile(outcome.path, self._tree.read(outcome.path) or b"")
        tested = frozenset(name for name in off if name.encode() in source.data)
        code = CodeFile(source, kind_of_path(outcome.path) or Kind.CPP) if tested else None
        without = replace(target, undefined_macros=target.undefined_macros | tested)
        for finding in outcome.findings:
            hidden = code is not None and _is_worse(finding) and code.is_dead(finding.start, without)
            why = f"; only where an option is on that is off by default: {', '.join(sorted(tested))}"
            yield replace(finding, severity=Severity.INFO, message=finding.message + why) if hidden else finding

    def _after_imports(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Below an import that fails as soon as its module is imported nothing runs."""
        failing = ""
        for finding in findings:
            if failing and _is_worse(finding) and not is_about(finding.rule, Trait.INSTALL):
                why = f"; the import of {failing} fails before"
                yield replace(finding, severity=Severity.INFO, message=finding.message + why)
                continue
            yield finding
            rule = all_rules().get(finding.rule)
            if rule is None or rule.family != "libraries" or not blocking(finding):
                continue
            # What a port mends of the import, it mends of the lines below as well.
            if finding.safety is not Safety.SAFE and self._callers.is_import(finding.path, finding.line):
                failing = failing or finding.symbol

    def _idle(self, finding: Finding) -> Finding:
        why = self._callers.idle(finding.path, finding.line) if _is_worse(finding) else None
        return replace(finding, severity=Severity.INFO, message=f"{finding.message}; {why}") if why else finding

    def optional(self, outcomes: Iterable[Outcome], view: ProjectView) -> frozenset[tuple[str, int, int, str]]:
        """Findings on a package that some function asks for when it is called, and that nobody is told to install."""
        found = (finding for outcome in outcomes if isinstance(outcome, Scanned) for finding in outcome.findings)
        return frozenset(finding.sort_key for finding in found if self._is_optional(finding, view))

    def _is_optional(self, finding: Finding, view: ProjectView) -> bool:
        rule = all_rules().get(finding.rule)
        if rule is None or not blocking(finding):
            return False
        if self._is_built_when_asked(finding.path, view) and rule.family in _BUILT:
            return standing(finding, view) is Standing.COUNTS
        if rule.family != "libraries":
            return False
        package = finding.symbol.partition(".")[0].lower()
        return (
            standing(finding, view) is Standing.COUNTS
            and self._callers.in_function(finding.path, finding.line)
            and not any(package + build in self._required for build in _BUILDS)
        )

    def _is_built_when_asked(self, path: str, view: ProjectView) -> bool:
        """A module that builds device code and that nothing imports without a condition, and the sources beside it."""
        if path in view.asked_for:
            return True
        folder = posixpath.dirname(path)
        return bool(folder) and kind_of_path(path) in CPP_KINDS and folder in self._asked_folders(view.asked_for)

    def _asked_folders(self, asked_for: frozenset[str]) -> frozenset[str]:
        """Folders whose sources only such modules build."""
        builders = [path for path in asked_for if b"cpp_extension" in (self._tree.read(path) or b"")]
        return frozenset(map(posixpath.dirname, builders))

    @cached_property
    def _required(self) -> frozenset[str]:
        """What lists at the top of the tree ask everybody to install, in the spelling of imports."""
        found: set[str] = set()
        for path in self._tree.files():
            kind = kind_of_path(path)
            if posixpath.dirname(path) or kind not in _LISTS:
                continue
            try:
                listed = document(SourceFile(path, self._tree.read(path) or b""), kind).requirements
            except UnreadableSource:
                continue
            found.update(item.name.lower().replace("-", "_") for item in listed if not item.group)
        return frozenset(found)
