"""One function, two meanings: the hardware's width beside a 32 that stays, or as the edge of a tile that must not grow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import operand_before
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import LANE_NAME

_WHY = "one of the two widths becomes 64 and the other stays: groups of items and the lanes that work on them differ"
_TAKES_32 = re.compile(
    rb"\b\w*(?i:div_?up|ceil_?div|div_?ceil|div_?round_?up|round_?(?:up|down)|align_?(?:up|down)?)\w*\s*\((?:[^;(){}]|\([^;(){}]*\))*,\s*"
    rb"(?:\([\w ]+\)\s*|[\w:]+\s*[({]\s*)?32[uU]?\s*[)}]"
)
_TIMES_32 = re.compile(rb"[*/%]\s*32[uU]?(?![\w.])(?!\s*[+-]\s*\d)|(?<![\w.])32[uU]?\s*\*")
_BYTES = re.compile(rb"\bsizeof\b|\balign(?:as|of)\b|\b__align__\b|\bstatic_assert\b")
_SQUARE = re.compile(rb"\[\s*(?P<edge>[A-Za-z_]\w*)\s*\]\s*\[[^\]\n]*\b(?P=edge)\b[^\]\n]*\]")
_SPLIT = re.compile(rb"(?P<by>[%/])\s*32[uU]?(?![\w.])")
_SINK = re.compile(rb"([A-Za-z_]\w*)\s*=\s*\Z")


def find(analysis: Analysis) -> Iterator[Hazard]:
    yield from _narrow_shuffles(analysis)
    hardware = analysis.names.portable - analysis.meaning_width
    numbered = b"% 32" in analysis.text or b"%32" in analysis.text
    if not hardware and not numbered:
        return
    for roles in analysis.functions:
        if analysis.in_logical_warps(roles) or roles.function.is_macro:
            continue
        by_width = {word for word in hardware if word in roles.text and _names(roles, word)}
        if by_width:
            yield from _as_edge(analysis, roles, by_width)
        if any(roles.sees_whole_warp or roles.calls_warp_code or _splits_by(roles, word) for word in by_width):
            yield from _beside(analysis, roles, sure=roles.sees_whole_warp and _is_split(roles, by_width))
        elif numbered and (b"lane" in roles.text or b"Lane" in roles.text):
            yield from _split_twice(analysis, roles)


def _narrow_shuffles(analysis: Analysis) -> Iterator[Hazard]:
    """``__shfl_down(v, offset, 32)`` beside what sees the whole wave, or where lanes are told apart by ``warpSize``."""
    for roles in analysis.functions:
        if not roles.mixes_widths and not roles.sees_whole_warp:
            continue
        for shuffle in roles.shuffles:
            width = shuffle.operands[2:]
            if width and analysis.code.slice(width[0]) == b"32" and analysis.reachable(shuffle.where.start):
                message = (
                    "values go among 32 lanes, while lanes are counted by the hardware's width"
                    if roles.mixes_widths
                    else "values go among 32 lanes, beside functions that see the whole wave"
                )
                sure = Confidence.LIKELY if roles.mixes_widths and roles.asks_width else Confidence.POSSIBLE
                yield analysis.hazard(Kind.LANE_ARITHMETIC, width[0], message, _WHY, confidence=sure)


def _is_split(roles: Roles, hardware: set[bytes]) -> bool:
    return any(_splits_by(roles, word) for word in hardware)


def _as_edge(analysis: Analysis, roles: Roles, hardware: set[bytes]) -> Iterator[Hazard]:
    """Every use of a width that is the edge of a square tile: all of them change when the tile gets an edge of its own."""
    for name in {match["edge"] for match in roles.finditer(_SQUARE)} & hardware:
        for match in roles.finditer(re.compile(rb"\b" + name + rb"\b")):
            if analysis.reachable(match.start()):
                yield analysis.hazard(
                    Kind.LANE_ARITHMETIC,
                    Span(*match.span()),
                    f"{name.decode()} is the edge of a square tile here",
                    "with 64 lanes the tile has four times the elements, and a block of its size does not start",
                    confidence=Confidence.POSSIBLE,
                    symbol=name.decode(),
                )


def _names(roles: Roles, word: bytes) -> bool:
    return re.search(rb"\b" + word + rb"\b", roles.text) is not None


def _splits_by(roles: Roles, width: bytes) -> bool:
    """Whether lanes or warps are told apart by a width."""
    return re.search(rb"[%/]\s*(?:\w+::)*" + width + rb"\b", roles.code.slice(roles.function.body)) is not None


def _beside(analysis: Analysis, roles: Roles, *, sure: bool) -> Iterator[Hazard]:
    """Counts and sizes by 32 in a function whose lanes are counted by the hardware's width."""
    for line in analysis.code.lines_in(*roles.function.body, b"32"):
        if _BYTES.search(analysis.text, *line):
            continue
        for pattern in (_TAKES_32, _TIMES_32):
            match = pattern.search(analysis.text, *line)
            if match and analysis.reachable(match.start()):
                yield _hazard(analysis, Span(*match.span()), Confidence.LIKELY if sure else Confidence.POSSIBLE)
                break


def _split_twice(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``lane = i % 32`` says what ``i / 32`` is, though nothing in the function works on warps."""
    splits = [
        (match["by"], operand_before(analysis.text, match.start()), match.end())
        for line in analysis.code.lines_in(*roles.function.body, b"32")
        for match in _SPLIT.finditer(analysis.text, *line)
        if analysis.reachable(match.start())
    ]
    of_lanes = {analysis.code.slice(left) for by, left, _ in splits if by == b"%" and _into_lane(analysis, left.start)}
    for by, left, end in splits:
        if by == b"/" and analysis.code.slice(left) in of_lanes:
            yield _hazard(analysis, Span(left.start, end))


def _into_lane(analysis: Analysis, at: int) -> bool:
    """Whether the value that begins here is what a name for a lane gets."""
    sink = _SINK.search(analysis.text, max(0, at - 80), at)
    return bool(sink and LANE_NAME.fullmatch(sink[1]))


def _hazard(analysis: Analysis, where: Span, confidence: Confidence = Confidence.POSSIBLE) -> Hazard:
    return analysis.hazard(
        Kind.LANE_ARITHMETIC,
        where,
        "items are counted by 32 beside lanes of the hardware's width",
        _WHY,
        confidence=confidence,
    )
