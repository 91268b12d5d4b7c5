"""Shared memory sized by warps or lanes of 32, and more of it than an AMD workgroup has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import ABOUT_WARPS, LANE_NAME, WARP_COUNT_NAME, WARP_ID_NAME

_ARRAY = re.compile(
    rb"__shared__(?<!\w__shared__)\s+(?:(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)\s*)?[\w:<>,\s*&]{0,200}?[\s*&>](?P<name>[A-Za-z_]\w*)\s*(?P<sizes>(?:\[[^\[\];]*\]\s*)+)\s*;"
)
_PADDED = re.compile(rb"\b32\s*\*\s*33\b|\b33\s*\*\s*32\b")
"""A row of 32 lanes and one more, so that no two lanes meet in a bank."""
_LANE_INDEX = re.compile(rb"%\s*warpSize\b")
_BELOW_32 = re.compile(rb"%\s*\(?\s*(?:32[uU]?|(?P<name>[A-Za-z_]\w*))|&\s*(?:31|0[xX]1[fF])")
_LANE_WORK = re.compile(
    rb"\b(?=\w*(?i:warp|shuffle|shfl|block))\w*(?i:reduce|scan|sum|max|min|prefix)\w*\s*(?:<[^<>;]*>\s*)?\((?P<given>[^;{}]*)\)"
)
_BYTES = re.compile(
    rb"(?i:\b\w*(?:thread|block|cta|tpb)\w*(?:\.[xyz])?)\s*/\s*(?P<by>32[uU]?|[A-Za-z_]\w*)\b(?=[^;\n]*\bsizeof\b|[^;\n]*;)"
)


def find(analysis: Analysis) -> Iterator[Hazard]:
    widths = analysis.meaning_width
    yield from _bytes(analysis, widths)
    if b"__shared__" not in analysis.text or not (analysis.has_evidence or analysis.names.portable):
        return
    for roles in analysis.functions:
        if b"__shared__" not in roles.text or roles.keeps_to_32:
            continue
        for match in roles.finditer(_ARRAY):
            if analysis.reachable(match.start()):
                yield from _array(analysis, roles, match, widths)


class _Trouble(NamedTuple):
    """What is wrong with the size of an array; the message follows the array's name."""

    message: str
    why: str
    consequence: Consequence = Consequence.WRONG_RESULT
    confidence: Confidence = Confidence.POSSIBLE


def _array(analysis: Analysis, roles: Roles, match: re.Match[bytes], widths: frozenset[bytes]) -> Iterator[Hazard]:
    name, sizes = match["name"], re.findall(rb"\[\s*([^\]]*?)\s*\]", match["sizes"])
    trouble = _trouble(analysis, roles, match, sizes, widths)
    if trouble:
        symbol, where = name.decode(), Span(match.start(), match.end() - 1)
        message, why, consequence, confidence = trouble
        yield analysis.hazard(Kind.SHARED_SIZE, where, f"{symbol} {message}", why, consequence, confidence, symbol)
    if any(WARP_COUNT_NAME.fullmatch(size) for size in sizes) and analysis.on_warps(roles):
        yield from _read_past_warps(analysis, roles, name)


def _trouble(
    analysis: Analysis, roles: Roles, match: re.Match[bytes], sizes: list[bytes], widths: frozenset[bytes]
) -> _Trouble | None:
    edges = [word for size in sizes for word in set(re.findall(rb"[A-Za-z_]\w*", size))]
    if any(edges.count(word) > 1 for word in analysis.names.portable):
        return _Trouble("has a warp's size for both of its edges", "with 64 lanes it takes four times the memory")
    if any(_counts_warps(size, widths) for size in sizes):
        return _Trouble("is sized by warps of 32", "there are half as many waves: nobody writes the last slots")
    if not analysis.on_warps(roles):
        if len(sizes) == 1 and re.fullmatch(rb"32[uU]?", sizes[0]) and _is_for_warps(roles, match["name"]):
            return _Trouble(
                "has one slot for each of 32 warps", "1024 threads are 16 waves: half of the slots stay unset"
            )
        return None
    by_lane = _indexed(roles, match["name"], LANE_NAME) or _indexed_by(roles, match["name"], _LANE_INDEX)
    literal = any(re.fullmatch(rb"32[uU]?", size) for size in sizes)
    if literal or not widths.isdisjoint(sizes):
        # What warps write and the first of them reads, lane by lane, has a slot for each warp.
        if (
            by_lane
            and not _indexed(roles, match["name"], WARP_ID_NAME)
            and not _is_for_waves(analysis, roles, match["name"])
        ):
            sure = Confidence.LIKELY if literal else Confidence.POSSIBLE
            if _stays_below_32(roles, widths):
                return _Trouble("has one slot for each of 32 lanes", "the halves of a wave share them", confidence=sure)
            why = "a lane's number goes up to 63, past the end"
            return _Trouble("has one slot for each of 32 lanes", why, Consequence.OUT_OF_BOUNDS, sure)
        if literal and any(map(WARP_COUNT_NAME.fullmatch, sizes)):
            return _Trouble("has a row of 32 for each warp", "one for each lane, of which a wave has 64")
        # A tile has two edges; one row of 32 beside warp functions is for warps.
        exchanges = roles.sees_whole_warp or roles.calls_warp_code or not roles.asks_width
        if (len(sizes) == 1 and exchanges) or (
            (len(sizes) == 1 or not literal) and _indexed(roles, match["name"], WARP_ID_NAME)
        ):
            return _Trouble(
                "has one slot for each of 32 warps", "1024 threads are 16 waves: half of the slots stay unset"
            )
    elif any(re.search(rb"\b32\s*\*|\*\s*32\b", size) for size in sizes):
        padded = any(_PADDED.search(size) for size in sizes)
        if by_lane or padded or roles.asks_width or analysis.says_warp(match.start()):
            return _Trouble("has room for 32 lanes", "a wave's lanes write past the end", Consequence.OUT_OF_BOUNDS)
    return None


def _bytes(analysis: Analysis, widths: frozenset[bytes]) -> Iterator[Hazard]:
    """Dynamic shared memory worked out by warps: ``(threads / 32) * sizeof(float)``."""
    for match in analysis.on_lines(_BYTES, b"sizeof"):
        line = analysis.code.slice(analysis.code.line(match.start()))
        if b"sizeof" not in line or not (match["by"][:2] == b"32" or match["by"] in widths):
            continue
        yield analysis.hazard(
            Kind.SHARED_SIZE,
            Span(*match.span()),
            "shared memory is sized by warps of 32",
            "there are half as many waves; the kernel must count in the same width",
            confidence=Confidence.POSSIBLE,
        )


def _counts_warps(size: bytes, widths: frozenset[bytes]) -> bool:
    by = re.search(rb"/\s*\(?\s*(?:(32)[uU]?|([A-Za-z_]\w*))\b|>>\s*5\b", size)
    return bool(by and (not by[2] or by[2] in widths))


def _stays_below_32(roles: Roles, widths: frozenset[bytes]) -> bool:
    """Whether the lanes of a function are numbered from 0 to 31."""
    found = [
        below
        for name, _, value in roles.assigned
        if LANE_NAME.fullmatch(name) and (below := _BELOW_32.search(roles.code.slice(value)))
    ]
    return any(not below["name"] or below["name"] in widths for below in found)


def _is_for_warps(roles: Roles, name: bytes) -> bool:
    """Whether an array is for warps by its name, or by what it is handed to."""
    return ABOUT_WARPS.search(name) is not None or _to_reduction(roles, name)


def _to_reduction(roles: Roles, name: bytes) -> bool:
    """Whether an array is handed to a function that, by its name, reduces or scans over lanes."""
    return any(re.search(rb"\b" + re.escape(name) + rb"\b", match["given"]) for match in roles.finditer(_LANE_WORK))


def _is_for_waves(analysis: Analysis, roles: Roles, name: bytes) -> bool:
    """Whether an array is written by the number of a wave, ``part[threadIdx.x / warpSize] = v``, and read by lanes below some number."""
    widths = b"|".join(map(re.escape, sorted({b"warpSize", *analysis.names.portable})))
    uses = list(
        roles.finditer(re.compile(rb"\b" + re.escape(name) + rb"\s*\[(?P<index>[^\[\];]{1,200})\](?P<set>\s*=(?!=))?"))
    )
    written = [use for use in uses if use["set"]]
    read = [
        use for use in uses if not use["set"] and not re.fullmatch(rb"\s*\w*32[uU]?\s*", use["index"])
    ]  # the declaration
    by_wave = re.compile(rb"/\s*\(?\s*(?:" + widths + rb")\b")
    return (
        bool(written and read)
        and all(by_wave.search(use["index"]) is not None for use in written)
        and all(_reads_some(analysis, use) for use in read)
    )


def _reads_some(analysis: Analysis, use: re.Match[bytes]) -> bool:
    """Whether a test keeps the upper lanes from reading: around the statement, or in it."""
    words = [word for word in re.findall(rb"[A-Za-z_]\w*", use["index"]) if LANE_NAME.fullmatch(word)]
    before = analysis.text[max(0, use.start() - 200) : use.start()]
    statement = re.split(rb"[;{}]", before)[-1]
    return any(
        _guarded(analysis, use.start(), word)
        or re.search(rb"\b" + re.escape(word) + rb"\s*<[^?;<>]*\?[^:?]*\Z", statement) is not None
        for word in words
    )


def _indexed_by(roles: Roles, name: bytes, index: re.Pattern[bytes]) -> bool:
    return any(
        index.search(match[1])
        for match in roles.finditer(re.compile(rb"\b" + re.escape(name) + rb"\s*((?:\[[^\]]*\]\s*)+)"))
    )


def _indexed(roles: Roles, name: bytes, by: re.Pattern[bytes]) -> bool:
    return any(
        by.fullmatch(word)
        for index in re.findall(
            rb"\b" + re.escape(name) + rb"\s*((?:\[[^\]]*\]\s*)+)", roles.code.slice(roles.function.body)
        )
        for word in re.findall(rb"[A-Za-z_]\w*", index)
    )


def _read_past_warps(analysis: Analysis, roles: Roles, name: bytes) -> Iterator[Hazard]:
    """``sums[lane]`` of an array with one slot a warp, where no test keeps the upper lanes away."""
    reads = re.compile(rb"=\s*" + re.escape(name) + rb"\s*\[\s*([A-Za-z_]\w*)\s*\]\s*;")
    for match in roles.finditer(reads):
        line = analysis.text[analysis.code.line(match.start()).start : match.start()]
        if (
            roles.is_lane(match[1])
            and not re.search(rb"<|\?", line)
            and not _guarded(analysis, match.start(), match[1])
        ):
            yield analysis.hazard(
                Kind.SHARED_SIZE,
                Span(match.start(), match.end() - 1),
                f"{name.decode()} has one slot a warp and is read by every lane",
                "a wave has more lanes than a block has waves",
                Consequence.OUT_OF_BOUNDS,
                Confidence.POSSIBLE,
                name.decode(),
            )


def _guarded(analysis: Analysis, at: int, lane: bytes) -> bool:
    return bool(
        re.search(
            rb"\bif\s*\([^;{}]*\b" + re.escape(lane) + rb"\s*<[^;{}]*\)\s*\{?[^;{}]*\Z",
            analysis.text[max(0, at - 200) : at],
        )
    )
