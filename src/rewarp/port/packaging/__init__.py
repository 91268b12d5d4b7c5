"""Phase 0 and what is beside the code: packages, containers. Each file for NVIDIA stays; AMD gets its own beside it."""

from __future__ import annotations

from rewarp.port.changes import PhaseResult, PortContext
from rewarp.port.packaging import compose, containers, notes, pyproject, requirements
from rewarp.port.tree import Tree


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    lists, images = (word in context.options.wanted for word in ("lists", "images"))
    parts = (
        (requirements.run, lists),
        (pyproject.run, lists),
        (containers.run, images),
        (compose.run, images),
        (notes.run, True),
    )
    for part, wanted in parts:
        found = part(tree, context) if wanted else PhaseResult()
        result.changes += found.changes
        result.manual += found.manual
    return result
