"""Phase 4: build files. CUDA stays what is built unless HIP is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.port.build import cmake, makefile, notes, setup_script
from rewarp.port.changes import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import all_rules
from rewarp.verdict import blocking


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    for part in (setup_script.run, cmake.run, makefile.run, notes.run):
        found = part(tree, context)
        result.changes += found.changes
        result.manual += found.manual
    result.manual += _passed_by(tree, context, result)
    return result


def _passed_by(tree: Tree, context: PortContext, result: PhaseResult) -> Iterator[Manual]:
    """What the scan finds in build files and nothing here answers: it is told, so that nothing is passed by in silence."""
    answered = {change.path for change in result.changes} | {entry.path for entry in result.manual}
    answered |= {
        path.removesuffix(makefile.SUFFIX) for path in (*answered, *tree.paths()) if path.endswith(makefile.SUFFIX)
    }
    for finding in tree.findings(context.target):
        if all_rules()[finding.rule].family != "build" or not blocking(finding) or finding.path in answered:
            continue
        if kind_of_path(finding.path) not in CPP_KINDS:  # sources are for the translation
            yield Manual(
                finding.path, finding.line, PortPhase.BUILD, finding.message, finding.fix.rstrip("."), finding.rule
            )
