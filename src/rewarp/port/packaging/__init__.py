"""Phase 0 and what is beside the code: packages, containers. Each file for NVIDIA stays; AMD gets its own beside it."""

from __future__ import annotations

from rewarp.port.changes import PhaseResult, PortContext
from rewarp.port.packaging import compose, containers, pyproject, reported, requirements
from rewarp.port.tree import Tree


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    for part in (requirements.run, pyproject.run, containers.run, compose.run, reported.run):
        found = part(tree, context)
        result.changes += found.changes
        result.manual += found.manual
    return result
