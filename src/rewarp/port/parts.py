"""The parts of a port, in the order they run, each on the tree that the one before it left.

A part is a module or package below with a function ``run(tree, context) -> PhaseResult``. Its changes say themselves
which phase they belong to; the engine drops those of phases that were not asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from rewarp.port.changes import PhaseResult, PortContext
from rewarp.port.tree import Tree

Run = Callable[[Tree, PortContext], PhaseResult]
_PARTS = {
    "rocm": {
        "barriers": "planning.barriers",
        "packaging": "packaging",
        "translation": "cpp.translation",
        "architecture": "cpp.architecture",
        "old_torch": "cpp.old_torch",
        "build": "build",
        "rust": "rust",
        "python": "python",
        "runtime": "python.helper",
    },
    "gaudi": {"gaudi": "gaudi"},
}
"""Later parts look at what earlier ones left: the build compiles the HIP versions, the helper holds what is imported."""


def parts_for(target: str) -> dict[str, Run]:
    """Every part that carries code to a target, by name."""
    return {name: importlib.import_module(f"rewarp.port.{where}").run for name, where in _PARTS[target].items()}
