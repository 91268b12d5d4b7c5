"""Threads that happen to be together: on a 64-wide wave those of one warp of 32 are taken out of them."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.waves.fixing.rewrite import Rewrite
from rewarp.waves.hazards import Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.groups import scoped_start
from rewarp.waves.support.names import GROUP


def groups(analysis: Analysis, hazards: Iterable[Hazard]) -> dict[Hazard, Rewrite]:
    """For each coalesced group what makes it one of a warp."""
    return {
        hazard: _within_a_warp(analysis, hazard)
        for hazard in hazards
        if hazard.kind is Kind.GROUPS and hazard.symbol == "coalesced_threads"
    }


def _within_a_warp(analysis: Analysis, hazard: Hazard) -> Rewrite:
    start, end = scoped_start(analysis.text, hazard.where.start), hazard.where.end
    return Rewrite(((start, start, GROUP + b"("), (end, end, b")")), f"use {GROUP.decode()} of rewarp_waves.h")
