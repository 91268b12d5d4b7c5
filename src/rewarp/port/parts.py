"""The parts of a port, in the order they run, each on the tree that the one before it left.

A part is a module or package here with a function ``run(tree, context) -> PhaseResult``. Its changes say themselves
which phase they belong to; the engine drops those of phases that were not asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable

from rewarp.port.changes import PhaseResult, PortContext
from rewarp.port.tree import Tree

Run = Callable[[Tree, PortContext], PhaseResult]
_ORDER = {
    "rocm": ("barriers", "packaging", "translation", "architecture", "old_torch", "build", "rust", "python", "runtime"),
    "gaudi": ("gaudi",),
}
"""Later parts look at what earlier ones left: the build compiles the HIP versions, the helper holds what is imported."""


def parts_for(target: str) -> dict[str, Run]:
    """Every part that carries code to a target, by name."""
    found: dict[str, Run] = {}
    for name in _ORDER[target]:
        if importlib.util.find_spec(f"rewarp.port.{name}"):
            run = getattr(importlib.import_module(f"rewarp.port.{name}"), "run", None)
            if run is not None:
                found[name] = run
    return found
