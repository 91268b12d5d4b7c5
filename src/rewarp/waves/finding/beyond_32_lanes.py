"""Exchanges that reach past 32 lanes: written for waves of 64, and wrong on the 32 of RDNA and of NVIDIA."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.finding.loops import DOUBLES, FOR, HALVES, body_of, exchanges
from rewarp.waves.hazards import Confidence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles

_WHY = "right on 64 lanes; RDNA GPUs have waves of 32, where nobody answers"
_FIRST = re.compile(rb"\(?\s*(?:32|64\s*(?:/\s*2|>>\s*1))[uU]?\s*\)?")
_LIMIT = re.compile(rb"\w+\s*(?:<\s*64|<=\s*32)[uU]?")
_BEYOND = re.compile(rb"(?:3[2-9]|[45]\d|6[0-3])[uU]?")


def find(analysis: Analysis) -> Iterator[Hazard]:
    for roles in analysis.functions:
        for where in reaches(analysis, roles):
            message = "values are exchanged over more than 32 lanes"
            yield analysis.hazard(Kind.LOOP, where, message, _WHY, confidence=Confidence.POSSIBLE, symbol="64")


def reaches(analysis: Analysis, roles: Roles) -> Iterator[Span]:
    """Where a function hands values to or from lanes that a warp of 32 does not have."""
    wide = [shuffle for shuffle in roles.shuffles if not shuffle.has_width and len(shuffle.operands) > 1]
    for shuffle in wide:
        if _BEYOND.fullmatch(analysis.code.slice(shuffle.operands[1])) and analysis.reachable(shuffle.where.start):
            yield shuffle.where
    for match in roles.finditer(FOR) if wide else ():
        from_32 = HALVES.fullmatch(match["step"]) and _FIRST.fullmatch(match["first"].strip())
        up_to_64 = DOUBLES.fullmatch(match["step"]) and _LIMIT.fullmatch(match["test"].strip())
        if not (from_32 or up_to_64) or not analysis.reachable(match.start()):
            continue
        if exchanges(analysis, roles, body_of(analysis, match.end(), roles.end), match["name"], ""):
            yield Span(match.start(), match.start() + len(match[0].rstrip()))
