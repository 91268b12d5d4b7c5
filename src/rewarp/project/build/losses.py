"""What a Python build script does for NVIDIA and does not do on the target."""

from __future__ import annotations

from typing import NamedTuple

from rewarp.project.build.python import read_setups
from rewarp.project.gates import NVIDIA, Platform
from rewarp.workspace import Tree


class Losses(NamedTuple):
    left_out: frozenset[tuple[str, int, str]] = frozenset()
    """(build script, line, extension): extensions that lose their CUDA sources on the target, or are not built."""
    refused: frozenset[tuple[str, int, str]] = frozenset()
    """(build script, line, message): where it ends on the target, and does not for NVIDIA."""


def find_losses(tree: Tree, platform: Platform) -> Losses:
    nvidia, there = read_setups(tree, NVIDIA), read_setups(tree, platform)
    refused = frozenset((r.file, r.line, why) for r, why in there.refusals if (r, why) not in nvidia.refusals)
    ended = {file for file, _, _ in refused}
    built = {(unit.reason.file, unit.target) for unit in there.units if unit.is_device_code}
    left_out = frozenset(
        (unit.reason.file, unit.reason.line, unit.target)
        for unit in nvidia.units
        if unit.language == "CUDA" and unit.reason.file not in ended and (unit.reason.file, unit.target) not in built
    )
    return Losses(left_out, refused)
