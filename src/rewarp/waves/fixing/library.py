"""CUB's warp classes are told that they have 32 lanes: hipCUB's are as wide as the wave unless they are."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.waves.fixing.rewrite import Rewrite
from rewarp.waves.hazards import Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.cub_warps import WarpClass, warp_classes

_PLAIN = b"REWARP_WARP32_LANES"
_WITH_ALGORITHM = {b"WarpLoad": b"REWARP_WARP32_LOAD", b"WarpStore": b"REWARP_WARP32_STORE"}
"""Behind the arguments of a class; these two also give the algorithm that comes before the width."""


def classes(analysis: Analysis, hazards: Iterable[Hazard]) -> dict[Hazard, Rewrite]:
    """For each class that is as wide as the wave what makes it one of a warp."""
    at = {used.where.start: used for used in warp_classes(analysis.text)}
    return {
        hazard: _told(at[hazard.where.start])
        for hazard in hazards
        if hazard.kind is Kind.GROUPS and hazard.where.start in at
    }


def _told(used: WarpClass) -> Rewrite:
    macro = _WITH_ALGORITHM[used.name] if used.lacks_algorithm else _PLAIN
    end = used.given[-1].end
    return Rewrite(((end, end, b" " + macro),), f"use {macro.decode()} of rewarp_waves.h")
