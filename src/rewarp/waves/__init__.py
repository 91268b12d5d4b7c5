"""What breaks when 32 lanes become 64: ``find`` reads it out of CUDA C++, by what a value means."""

from __future__ import annotations

from functools import lru_cache

from rewarp.lang.cfamily import CodeFile
from rewarp.targets import TARGETS
from rewarp.targets.base import Target
from rewarp.waves import ballots, constants, groups, lanes, launches, loops, masks, shared, tails
from rewarp.waves.analysis import Analysis
from rewarp.waves.model import NO_FACTS, Confidence, Consequence, Hazard, Kind, WaveFacts
from rewarp.waves.vocabulary import GPU_WORDS, OTHER_TRIGGERS, TRIGGERS, WARP_CLASS

_FINDERS = (masks, ballots, lanes, constants, loops, shared, launches, tails, groups)
_LOGICAL_HEADER = b"rewarp_hip.h"
_RANK = {Confidence.CERTAIN: 0, Confidence.LIKELY: 1, Confidence.POSSIBLE: 2}


@lru_cache(maxsize=2)
def find(document: CodeFile, project: WaveFacts = NO_FACTS, target: Target = TARGETS["rocm"]) -> tuple[Hazard, ...]:
    """Every place of a file that counts on 32 lanes, in file order; what a platform gate keeps off the target is left out."""
    view = document.source.view
    if not any(word in view for word in GPU_WORDS) or not any(word in view for word in (*TRIGGERS, *OTHER_TRIGGERS)):
        return ()
    analysis = Analysis(document, project, target)
    found = [hazard for finder in _FINDERS for hazard in finder.find(analysis)]
    if _in_warps_of_32(document):
        found = [hazard for hazard in found if _beyond_warps_of_32(analysis, hazard)]
    return tuple(_one_each(found))


def _in_warps_of_32(document: CodeFile) -> bool:
    """Whether a file was translated: rewarp's header gives the warp functions of CUDA warps of 32 on any wave."""
    if _LOGICAL_HEADER not in document.source.view:
        return False
    return any(include.path.endswith(_LOGICAL_HEADER.decode()) for include in document.includes)


def _beyond_warps_of_32(analysis: Analysis, hazard: Hazard) -> bool:
    """Whether the header does not reach a hazard: groups, fragments, PTX, and libraries that see the whole wave."""
    roles = analysis.roles_at(hazard.where.start)
    return hazard.kind in (Kind.GROUPS, Kind.MATRIX, Kind.PTX_LANE) or bool(roles and WARP_CLASS.search(roles.text))


def _one_each(found: list[Hazard]) -> list[Hazard]:
    """One hazard of a kind at one place, the surest of them."""
    kept: dict[tuple[Kind, int], Hazard] = {}
    for hazard in sorted(found, key=lambda hazard: (hazard.where, _RANK[hazard.confidence])):
        kept.setdefault((hazard.kind, hazard.where.start), hazard)
    return sorted(kept.values(), key=lambda hazard: hazard.where)


__all__ = ["NO_FACTS", "Confidence", "Consequence", "Hazard", "Kind", "WaveFacts", "find"]
