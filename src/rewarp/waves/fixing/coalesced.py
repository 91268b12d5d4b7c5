"""Threads that happen to be together: on a 64-wide wave those of one warp of 32 are taken out of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewarp.waves.analysis import Analysis
from rewarp.waves.fixing.cure import Cure
from rewarp.waves.fixing.names import GROUP
from rewarp.waves.model import Hazard, Kind

_SCOPE = re.compile(rb"(?:(?:\b(?!(?:return|else|throw|case)\b)[A-Za-z_]\w*)?\s*::\s*)+\Z")
_LOOK_BACK = 100


def is_within_a_warp(code: bytes, at: int) -> bool:
    """Whether an earlier fix was here."""
    return code.endswith((GROUP + b"(", b"rewarp_warp_group("), 0, scoped_start(code, at))


def groups(analysis: Analysis, hazards: Iterable[Hazard]) -> dict[Hazard, Cure]:
    """For each coalesced group what makes it one of a warp."""
    return {
        hazard: _within_a_warp(analysis, hazard)
        for hazard in hazards
        if hazard.kind is Kind.GROUPS and hazard.symbol == "coalesced_threads"
    }


def _within_a_warp(analysis: Analysis, hazard: Hazard) -> Cure:
    start, end = scoped_start(analysis.text, hazard.where.start), hazard.where.end
    return Cure(((start, start, GROUP + b"("), (end, end, b")")), f"use {GROUP.decode()} of rewarp_waves.h")


def scoped_start(code: bytes, at: int) -> int:
    """Where a name begins, with the namespaces before it."""
    scope = _SCOPE.search(code, max(0, at - _LOOK_BACK), at)
    return at - len(scope[0].lstrip()) if scope else at
