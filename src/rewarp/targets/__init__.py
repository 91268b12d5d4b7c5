"""The platforms code can be carried to: everything that differs by target."""

from rewarp.targets.base import Context, ProjectFacts, Target, Versions
from rewarp.targets.gaudi import GAUDI
from rewarp.targets.rocm import ROCM

TARGETS: dict[str, Target] = {target.name: target for target in (ROCM, GAUDI)}

__all__ = ["GAUDI", "ROCM", "TARGETS", "Context", "ProjectFacts", "Target", "Versions"]
