"""What breaks when 32 lanes become 64: ``find`` reads it out of CUDA C++, by what a value means."""

from __future__ import annotations

from functools import lru_cache

from rewarp.lang.cpp.file import CodeFile
from rewarp.targets import TARGETS
from rewarp.targets.base import Target
from rewarp.waves.finding import (
    ballots,
    beyond_32_lanes,
    blocks,
    constants,
    counts,
    groups,
    lanes,
    launches,
    limits,
    loops,
    masks,
    mixtures,
    shared,
    tails,
    templates,
    waits,
)
from rewarp.waves.fixing.logical import can_rewrite, is_done
from rewarp.waves.fixing.steps import has_barriers
from rewarp.waves.hazards import NO_FACTS, Confidence, Consequence, Hazard, Kind, WaveFacts
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.vocabulary import CUDA_WORDS, GPU_WORDS, MARKS, OTHER_PLATFORMS

_FINDERS = (
    masks,
    ballots,
    lanes,
    counts,
    constants,
    loops,
    templates,
    shared,
    beyond_32_lanes,
    launches,
    blocks,
    limits,
    tails,
    groups,
    mixtures,
    waits,
)
_LOGICAL_HEADER = b"rewarp_hip.h"
_RANK = {Confidence.CERTAIN: 0, Confidence.LIKELY: 1, Confidence.POSSIBLE: 2}


@lru_cache(maxsize=2)
def find(document: CodeFile, project: WaveFacts = NO_FACTS, target: Target = TARGETS["rocm"]) -> tuple[Hazard, ...]:
    """Every place of a file that counts on 32 lanes, in file order; what a platform gate keeps off the target is left out."""
    if not _may_have_any(document):
        return ()
    analysis = Analysis(document, project, target)
    if b"rewarp_" in document.source.view and (_in_warps_of_32(document) or is_done(analysis)):
        return _beyond(analysis)
    return _all(analysis)


def beyond_warps_of_32(document: CodeFile, target: Target = TARGETS["rocm"]) -> tuple[Hazard, ...]:
    """What stays where warp functions work on warps of 32: groups, fragments, PTX, waits, libraries that see the wave."""
    return _beyond(Analysis(document, NO_FACTS, target)) if _may_have_any(document) else ()


def _may_have_any(document: CodeFile) -> bool:
    view = document.source.view
    if not CUDA_WORDS.any_in(view) and (not GPU_WORDS.any_in(view) or OTHER_PLATFORMS.any_in(view)):
        return False
    return MARKS.any_in(view)


def _all(analysis: Analysis) -> tuple[Hazard, ...]:
    return tuple(_one_each([hazard for finder in _FINDERS for hazard in finder.find(analysis)]))


def _beyond(analysis: Analysis) -> tuple[Hazard, ...]:
    beyond = [hazard for hazard in _all(analysis) if not can_rewrite(hazard) or _by_library(analysis, hazard)]
    beyond = [hazard for hazard in beyond if not has_barriers(analysis, hazard)]
    if _in_warps_of_32(analysis.document) and b"rocwmma" not in analysis.document.source.view:
        # The header's matrix fragments are held by warps of 32 too.
        beyond = [hazard for hazard in beyond if hazard.kind is not Kind.MATRIX]
    return tuple(beyond)


def _in_warps_of_32(document: CodeFile) -> bool:
    """Whether a file was translated: rewarp's header gives the warp functions of CUDA warps of 32 on any wave."""
    if _LOGICAL_HEADER not in document.source.view:
        return False
    return any(include.path.endswith(_LOGICAL_HEADER.decode()) for include in document.includes)


def _by_library(analysis: Analysis, hazard: Hazard) -> bool:
    """Whether a hazard stands in a function that works with a library's warps, which are the hardware's."""
    roles = analysis.roles_at(hazard.where.start)
    return bool(roles and roles.uses_wave_class)


def _one_each(found: list[Hazard]) -> list[Hazard]:
    """One hazard of a kind at one place, the surest of them."""
    kept: dict[tuple[Kind, int], Hazard] = {}
    for hazard in sorted(found, key=lambda hazard: (hazard.where, _RANK[hazard.confidence])):
        kept.setdefault((hazard.kind, hazard.where.start), hazard)
    return sorted(kept.values(), key=lambda hazard: hazard.where)


__all__ = ["NO_FACTS", "Confidence", "Consequence", "Hazard", "Kind", "WaveFacts", "beyond_warps_of_32", "find"]
