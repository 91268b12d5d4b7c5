"""Threads that happen to be together: on a 64-wide wave those of one warp of 32 are taken out of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewarp.waves.analysis import Analysis
from rewarp.waves.fixing.cure import Cure
from rewarp.waves.fixing.names import GROUP
from rewarp.waves.model import Hazard, Kind

_THREADS = re.compile(rb"\bcoalesced_threads\s*\(")
_SCOPE = re.compile(rb"(?:(?:\b(?!(?:return|else|throw|case)\b)[A-Za-z_]\w*)?\s*::\s*)+\Z")
_DIVIDED = re.compile(rb"\b(?:tiled|labeled)_partition\s*\(")
_LOOK_BACK = 100


def stays_wide(analysis: Analysis) -> bool:
    """Whether a file has such a group and divides it further, which HIP does in its own way."""
    has_group = next(analysis.each(_THREADS), None) is not None
    return has_group and next(analysis.each(_DIVIDED), None) is not None


def is_within_a_warp(code: bytes, at: int) -> bool:
    """Whether an earlier fix was here."""
    return code.endswith(GROUP + b"(", 0, _start(code, at))


def groups(analysis: Analysis, hazards: Iterable[Hazard]) -> dict[Hazard, Cure]:
    """For each coalesced group what makes it one of a warp."""
    return {
        hazard: _within_a_warp(analysis, hazard)
        for hazard in hazards
        if hazard.kind is Kind.GROUPS and hazard.symbol == "coalesced_threads"
    }


def _within_a_warp(analysis: Analysis, hazard: Hazard) -> Cure:
    start, end = _start(analysis.text, hazard.where.start), hazard.where.end
    return Cure(((start, start, GROUP + b"("), (end, end, b")")), f"use {GROUP.decode()} of rewarp_waves.h")


def _start(code: bytes, at: int) -> int:
    """With the namespaces before it."""
    scope = _SCOPE.search(code, max(0, at - _LOOK_BACK), at)
    return at - len(scope[0].lstrip()) if scope else at
