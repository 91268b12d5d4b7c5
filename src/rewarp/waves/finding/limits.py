"""Checks that hold what a warp works on to 32: as many peers as it has lanes, or whole multiples of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles

_ASSERT = re.compile(rb"\b\w*(?:ASSERT|[aA]ssert|CHECK|ENFORCE)\w*\s*\(")
_LIMIT = re.compile(rb"[\w)]\s*(?P<test><=?)\s*32[uU]?(?![\w.]|\s*\*)|%\s*32[uU]?\s*==\s*0|<\s*33(?![\w.]|\s*\*)")
_EXACTLY = re.compile(
    rb"\b\w*(?:ASSERT|[aA]ssert|CHECK|ENFORCE)\w*\s*\((?:[^;{}\n]*\W)?[A-Za-z_]\w*\s*==\s*32[uU]?(?![\w.])"
)
_WHOLE_WARPS = re.compile(
    rb"\b\w*(?:ASSERT|[aA]ssert|CHECK)\w*\s*\(\s*\(?\s*blockDim\s*\.\s*x\s*(?:%\s*32|&\s*31)[uU]?\s*\)?\s*==\s*0"
)
_WHY_LIMIT = "one for each of 32 lanes: a wave has room for 64"
_WHY_MULTIPLE = "a multiple of 32 is not one of 64: half of the last wave has nothing"


def find(analysis: Analysis) -> Iterator[Hazard]:
    for roles in analysis.functions if analysis.has_evidence else ():
        if analysis.on_warps(roles):
            yield from _checks(analysis, roles)
    yield from _blocks_of_one_warp(analysis)
    for match in analysis.on_lines(_WHOLE_WARPS, b"blockDim"):
        message = "a block is checked to be whole warps of 32"
        yield analysis.hazard(
            Kind.LANE_ARITHMETIC, Span(*match.span()), message, _WHY_MULTIPLE, confidence=Confidence.POSSIBLE
        )


def _blocks_of_one_warp(analysis: Analysis) -> Iterator[Hazard]:
    """``static_assert(block == 32, "one warp")``, in words that only a person understands."""
    for match in analysis.on_lines(_EXACTLY, b"== 32", b"==32"):
        if analysis.says_warp(match.start()):
            message = "what is checked to be 32 is a warp, as the line says"
            yield analysis.hazard(
                Kind.LANE_ARITHMETIC, Span(*match.span()), message, _WHY_MULTIPLE, confidence=Confidence.POSSIBLE
            )


def _checks(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    for line in analysis.code.lines_in(*roles.function.body, b"32", b"33"):
        for called in _ASSERT.finditer(analysis.text, *line):
            limit = _LIMIT.search(analysis.text, called.end(), line.end)
            if limit and analysis.reachable(called.start()) and (roles.lanes or roles.lane_values):
                yield analysis.hazard(
                    Kind.LANE_ARITHMETIC,
                    Span(called.start(), limit.end()),
                    "what a warp works on is checked against 32 lanes",
                    _WHY_LIMIT if limit["test"] else _WHY_MULTIPLE,
                    Consequence.SLOW,
                    Confidence.POSSIBLE,
                )
                break
