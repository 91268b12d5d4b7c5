"""Rust crates with CUDA kernels: a feature ``rocm`` beside ``cuda``, kernels compiled by hipcc, and a report of what
a ROCm back end in Rust must supply."""

from __future__ import annotations

from dataclasses import replace

from rewarp.findings import Finding
from rewarp.port.model import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.rust import back_end, kernels, manifests
from rewarp.port.tree import Tree
from rewarp.registry import Trait, all_rules
from rewarp.verdict import blocking

_FEW = 4


def run(tree: Tree, context: PortContext) -> PhaseResult:
    if not any(all_rules()[finding.rule].family == "rust" for finding in tree.findings(context.target)):
        return PhaseResult()
    result = PhaseResult()
    crates = manifests.read_crates(tree)
    ported = kernels.port(tree, crates, tree.findings(context.target), result)
    manifests.wire(tree, crates, ported, result)
    back_end.report(tree, crates, context.target, result)
    changed = {change.path for change in result.changes}
    told = [rule.id for rule in all_rules().values() if rule.family == "rust" and Trait.BY_HAND in rule.traits]
    for rule in told:
        found = [f for f in tree.findings(context.target) if f.rule == rule and blocking(f) and f.path not in changed]
        result.manual += _together(found) if len(found) > _FEW else map(_manual, found)
    return result


def _manual(finding: Finding) -> Manual:
    return Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, finding.fix, finding.rule)


def _together(found: list[Finding]) -> list[Manual]:
    """One note where a back end has much of the same to replace."""
    first = _manual(found[0])
    files = len({finding.path for finding in found})
    return [replace(first, what=f"{first.what}; so it is in {len(found) - 1} more places, in {files} files in all")]
