"""Reductions in shared memory whose last steps have no barrier: they count on a warp that runs in lockstep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.analysis import Analysis
from rewarp.waves.model import Confidence, Consequence, Hazard, Kind
from rewarp.waves.roles import Roles

_STEP = re.compile(
    rb"\b(?P<array>[A-Za-z_]\w*)\s*\[\s*(?P<at>[A-Za-z_]\w*)\s*\](?P<between>[^;{}]*?)\b(?P=array)\s*\[\s*(?P=at)\s*\+\s*(?P<by>32|16)\s*\]"
)
_BARRIER = re.compile(rb"\b__syncthreads\b|\b__syncwarp\b|\.sync\s*\(|\bbarrier\b")
_VOLATILE = re.compile(rb"\bvolatile\b")
_FIRST_WARP = re.compile(
    rb"\bif\s*\(\s*(?:\w*tid\w*|threadIdx\s*\.\s*x|\w*idx\w*|t|tx|lane\w*)\s*<\s*(?:32|\w*WARP_?SIZE\w*|warpSize)\s*\)"
)
_WARP_BARRIER = re.compile(rb"\b__syncwarp\s*\(\s*\)")
_NEXT = 200


def find(analysis: Analysis) -> Iterator[Hazard]:
    places = analysis.code.places(b"+ 32]", b"+32]", b"+ 16]", b"+16]")
    functions = {function.head.start: function for at in places if (function := analysis.code.function_at(at))}
    for roles in map(analysis.roles_of, functions.values()):
        steps = [match for match in roles.finditer(_STEP) if analysis.reachable(match.start())]
        if not steps:
            continue
        volatile = _VOLATILE.search(roles.text)
        if not volatile and not _FIRST_WARP.search(roles.text) and b"__syncwarp" not in roles.text:
            continue
        yield from _warp_barriers(analysis, roles)
        for match in steps:
            end = analysis.text.find(b";", match.end())
            after = analysis.text[end : end + _NEXT]
            next_step = _STEP.search(after) or re.search(rb"\+\s*(?:16|8)\s*\]", after)
            if _BARRIER.search(after[: next_step.start() if next_step else 60]):
                continue
            array = match["array"].decode()
            yield analysis.hazard(
                Kind.VOLATILE_TAIL if volatile else Kind.IMPLICIT_SYNC,
                Span(match.start(), match.end()),
                f"{array} is reduced from {2 * int(match['by'])} values on without a barrier",
                "the steps count on one warp in lockstep; only volatile keeps their order"
                if volatile
                else "nothing keeps the order of the steps, and no barrier covers 64 lanes",
                confidence=Confidence.POSSIBLE if volatile else Confidence.LIKELY,
                symbol=array,
            )


def _warp_barriers(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Steps through shared memory that a barrier of the warp keeps in order."""
    for match in roles.finditer(_WARP_BARRIER):
        if analysis.reachable(match.start()):
            yield analysis.hazard(
                Kind.IMPLICIT_SYNC,
                Span(*match.span()),
                "the steps of a reduction through shared memory are ordered by __syncwarp",
                "HIP has __syncwarp since ROCm 6.2 only; before, nothing orders the steps",
                Consequence.COMPILE_ERROR,
                Confidence.POSSIBLE,
                "__syncwarp",
            )
