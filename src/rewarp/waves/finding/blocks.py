"""Blocks of one warp of 32, or of whole multiples of it, for kernels that this file does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.finding.launches import ONE_WARP, is_host, launches
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import arguments
from rewarp.waves.reading.functions import Function

_WHY_HALF = "half of a 64-wide wave has no thread, and what the kernel exchanges among 64 lanes meets none there"
_ROUNDED = re.compile(
    rb"/\s*32[uU]?\s*\)?\s*\*\s*32[uU]?(?![\w.])|&\s*~\s*(?:31[uU]?(?!\w)|\(\s*32\s*-\s*1\s*\))"
    rb"|\b\w*(?i:round_?up|align_?up|round_?to|next_?multiple)\w*\s*\((?:[^;(){}]|\([^;(){}]*\))*,\s*"
    rb"(?:\([\w ]+\)\s*|[\w:]+\s*[({]\s*)?32[uU]?\s*[)}]"
)
_BLOCK = re.compile(
    rb"\b(?:dim3\s+)?(?P<name>(?i:n_?threads?\w*|num_?threads?\w*|threads?(?:_?per_?\w+)?|block_?(?:dim|size|x)?\w*|dim_?block|cta_?size|tpb))"
    rb"\s*(?:\.\s*x\s*)?[=({]\s*(?P<value>[^;{}]*)"
)


def find(analysis: Analysis) -> Iterator[Hazard]:
    own = analysis.code.function_names
    for function in _launching(analysis):
        found = launches(analysis, function)
        names = [name for _, name in found]
        for match, name in found:
            if match["grid"] and name not in own and analysis.reachable(match.start()):
                yield from _one_warp(analysis, match)
        if not names or any(name not in own or name in analysis.warp_kernels for name in names):
            sure = any(name in analysis.warp_kernels for name in names)
            yield from _multiples(analysis, function, Confidence.LIKELY if sure else Confidence.POSSIBLE)


def _launching(analysis: Analysis) -> Iterator[Function]:
    """The host's functions in which 32 stands."""
    found = {
        function.head.start: function
        for line in analysis.code.lines_with(b"32", b"~31")
        if (function := analysis.code.function_at(line.end - 1))
    }
    return (function for function in found.values() if is_host(analysis, function))


def _one_warp(analysis: Analysis, launch: re.Match[bytes]) -> Iterator[Hazard]:
    """``kernel<<<grid, 32>>>``"""
    given = arguments(b"(" + launch["grid"] + b")", 0)
    if len(given) > 1 and ONE_WARP.fullmatch(launch["grid"][given[1].start - 1 : given[1].end - 1]):
        yield analysis.hazard(
            Kind.LAUNCH_GEOMETRY,
            Span(*launch.span("grid")),
            "a block has 32 threads, half a wave",
            _WHY_HALF,
            Consequence.SLOW,
            Confidence.POSSIBLE,
        )


def _multiples(analysis: Analysis, function: Function, sure: Confidence) -> Iterator[Hazard]:
    """``threads = (n + 31) / 32 * 32``"""
    for line in analysis.code.lines_in(*function.body, b"32", b"~31"):
        for match in _BLOCK.finditer(analysis.text, *line):
            if _ROUNDED.search(match["value"]) and analysis.reachable(match.start()):
                where = Span(match.start("name"), match.end("value"))
                message = "the size of a block is rounded to warps of 32"
                yield analysis.hazard(Kind.LAUNCH_GEOMETRY, where, message, _WHY_HALF, confidence=sure)
