"""Rust crates with CUDA kernels: a feature ``rocm`` beside ``cuda``, kernels compiled by hipcc, and a report of what
a ROCm back end in Rust must supply."""

from __future__ import annotations

from rewarp.port.model import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.rust import back_end, kernels, manifests
from rewarp.port.tree import Tree
from rewarp.verdict import blocking

_TOLD = ("RS-005", "RS-007")
"""PTX that is loaded, libraries that are linked: the back end's to replace."""


def run(tree: Tree, context: PortContext) -> PhaseResult:
    if not any(finding.rule.startswith("RS-") for finding in tree.findings(context.target)):
        return PhaseResult()
    result = PhaseResult()
    crates = manifests.read_crates(tree)
    ported = kernels.port(tree, crates, tree.findings(context.target), result)
    manifests.wire(tree, crates, ported, result)
    back_end.report(tree, crates, result)
    changed = {change.path for change in result.changes}
    result.manual += [
        Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, finding.fix, finding.rule)
        for finding in tree.findings(context.target)
        if finding.rule in _TOLD and blocking(finding) and finding.path not in changed
    ]
    return result
