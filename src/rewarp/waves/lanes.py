"""Lane and warp numbers worked out with 32, and comparisons that know where a warp ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.source import Span
from rewarp.waves.analysis import Analysis
from rewarp.waves.model import Confidence, Hazard, Kind
from rewarp.waves.roles import Roles
from rewarp.waves.syntax import operand_before
from rewarp.waves.vocabulary import LANE_NAME, WARP_COUNT_NAME, WARP_ID_NAME

_WHY_LANE = "lanes 32 to 63 take themselves for the first 32 of another warp, while the wave's own functions see all 64"
_WHY_COUNT = "a block has half as many waves as this says"
_THREADS = (
    rb"(?:blockDim\s*\.\s*[xyz]|block_?(?:size|dim|threads)(?:_?[xyz])?|num_?threads|n_?threads|threads_?per_?(?:block|cta)"
    rb"|k?(?:block|num)_?(?:threads|size)|tpb|thread_?num|cta_?size|threads|kThreads|block_?t(?:hreads)?|kNThreads)"
)
_BLOCK = re.compile(
    rb"(?i)\(*\s*(?:\(\s*(?:int|unsigned|float)\s*\)\s*)?"
    + _THREADS
    + rb"(?:\s*\*\s*"
    + _THREADS
    + rb")*(?:\s*\+\s*(?:31[uU]?|32\s*-\s*1|\(\s*32\s*-\s*1\s*\)|\w+\s*-\s*1))?\s*\)*"
)
_WHY_STRIDE = "lanes 32 to 63 take the items of the next round once more"
_COUNTS = re.compile(
    rb"\b(?P<name>[A-Za-z_]\w*)\s*(?:=|[ \t]|\{)\s*\(?\s*(?:[\w.]+\s*::\s*)*(?P<of>[A-Za-z_]\w*)\s*\)?\s*(?P<by>(?:[/*]\s*32|>>\s*5)(?![\w.]))"
)
_FROM_END = re.compile(rb"(?<![\w.])3[12][uU]?\s*-\s*(?P<lane>[A-Za-z_]\w*)")
_STRIDE = re.compile(
    rb"\bfor\s*\([^;=()]*\b(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<first>[^;{}]{1,80});[^;{}]{1,120};\s*(?P=name)\s*\+=\s*"
    rb"(?P<width>32|[A-Za-z_]\w*)\s*\)"
)
_SINK = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*[({=]\s*[^=;{}]*\Z")
_CAST = rb"(?:\(\s*(?:int|unsigned|float|size_t|unsigned\s+int)\s*\)\s*|(?:float|int|unsigned)\s*\(\s*)?"
_SPEAKING = (b"lane", b"Lane", b"warp_id", b"warpId")
"""Names that say what they count, where nothing in the file shows it."""
_LAST = re.compile(rb"31[uU]?")
_FRACTIONS = (b"16", b"24", b"15", b"23")
"""Half and three quarters of 32 lanes, which are many other things too."""
_BIT_INDEX = re.compile(rb"(?<![\w.])1[uU]?[lL]{0,2}\s*<<\s*\(?\s*\Z|(?:>>|<<)\s*\(?\s*\Z")


def _width(widths: frozenset[bytes], group: bytes) -> bytes:
    """32, or a constant of it."""
    names = rb"".join(rb"|" + re.escape(name) for name in sorted(widths))
    return rb"(?:\w+::)?(?" + group + rb"32[uU]?(?:\.0?f?)?" + names + rb")(?![\w.])"


# Each is made when a line asks for it: compiling them takes longer than most files.
@lru_cache(maxsize=256)
def _split(widths: frozenset[bytes], shifts: frozenset[bytes]) -> re.Pattern[bytes]:
    width, bare = _width(widths, b"P<width>"), _width(widths, b":")
    five = rb"|".join([rb"5", *sorted(map(re.escape, shifts))])
    return re.compile(
        rb"(?P<by>[%/])=?\s*"
        + _CAST
        + rb"\(?\s*"
        + width
        + rb"|&\s*(?P<low>31[uU]?|0[xX]0*1[fF][uU]?|\(\s*"
        + bare
        + rb"\s*-\s*1[uU]?\s*\))(?!\w)"
        rb"|&\s*(?P<high>~\s*(?:31[uU]?|0[xX]1[fF])|0[xX][fF]{6}[eE]0)[uU]?(?!\w)"
        rb"|(?P<shift>>>)=?\s*(?P<five>" + five + rb")(?!\w)"
    )


@lru_cache(maxsize=256)
def _compare(widths: frozenset[bytes]) -> re.Pattern[bytes]:
    bare = _width(widths, b":")
    return re.compile(
        rb"(?<![<>=!-])(?P<test>[!=]=|<=?(?!<)|>=?(?!>))\s*"
        + _CAST
        + rb"(?P<number>"
        + bare
        + rb"(?:\s*-\s*1)?|31[uU]?|16|24|15|23)(?![\w.*<])"
    )


@lru_cache(maxsize=256)
def _product(widths: frozenset[bytes]) -> re.Pattern[bytes]:
    width, left = _width(widths, b"P<width>"), _width(widths, b"P<left>")
    return re.compile(rb"\*\s*" + width + rb"|<<\s*(?P<shifted>5)(?!\w)|" + left + rb"\s*\*")


def find(analysis: Analysis) -> Iterator[Hazard]:
    yield from _outside(analysis)
    if not analysis.has_evidence and not any(word in analysis.text for word in _SPEAKING):
        return
    widths, shifts = analysis.meaning_width, analysis.names.shifts
    words = (
        b"32",
        b"31",
        b"x1f",
        b"x1F",
        b"01f",
        b">> 5",
        b">>5",
        b"<< 5",
        b"<<5",
        b"fe0",
        b"FE0",
        *widths,
        *shifts,
    )
    for roles in analysis.functions:
        if analysis.in_logical_warps(roles):
            continue
        on_warps = analysis.on_warps(roles)
        body = (roles.start, roles.end)
        for line in analysis.code.lines_in(*body, *words):
            yield from _splits(analysis, roles, _split(widths, shifts).finditer(analysis.text, *line), on_warps)
            yield from _products(analysis, roles, _product(widths).finditer(analysis.text, *line), on_warps)
        if on_warps or any(word in roles.text for word in _SPEAKING):
            for line in analysis.code.lines_in(*body, *words, *_FRACTIONS):
                yield from _comparisons(analysis, roles, _compare(widths).finditer(analysis.text, *line), on_warps)
        yield from _last_lane(analysis, roles)
        yield from _strides(analysis, roles, on_warps)
        yield from _mirrored(analysis, roles, on_warps)


def _strides(analysis: Analysis, roles: Roles, on_warps: bool) -> Iterator[Hazard]:
    """``for (i = lane; i < n; i += 32)``: each lane takes every 32nd item."""
    for match in roles.finditer(_STRIDE) if on_warps else ():
        width = match["width"]
        if (width == b"32" or width in analysis.meaning_width) and analysis.reachable(match.start()):
            if _is_lane_like(roles, match["first"]):
                message = "the lanes of a warp take every 32nd item"
                yield _hazard(
                    analysis, Span(match.start(), match.end()), message, _WHY_STRIDE, Confidence.LIKELY, width
                )


def _mirrored(analysis: Analysis, roles: Roles, on_warps: bool) -> Iterator[Hazard]:
    """``31 - lane``: the lane on the other end of the warp, or how many come after this one."""
    for line in analysis.code.lines_in(*roles.function.body, b"31 -", b"31-", b"32 -", b"32-") if on_warps else ():
        for match in _FROM_END.finditer(analysis.text, *line):
            if roles.is_lane(match["lane"]) and analysis.reachable(match.start()):
                message = f"lanes are counted from the end of 32: {match[0].decode()}"
                yield _hazard(analysis, Span(*match.span()), message, _WHY_LANE, Confidence.LIKELY)


def _is_lane_like(roles: Roles, text: bytes) -> bool:
    return roles.is_thread(text) or any(roles.is_lane(word) for word in re.findall(rb"[A-Za-z_]\w*", text))


def _outside(analysis: Analysis) -> Iterator[Hazard]:
    """Constants of a file or a class: how many warps a block has, how many threads some warps are."""
    for match in analysis.on_lines(_COUNTS, b"/ 32", b"/32", b">> 5", b">>5", b"* 32", b"*32"):
        function = analysis.code.function_at(match.start())
        if function and not function.is_macro:
            continue
        counts_warps = match["by"][:1] != b"*" and WARP_COUNT_NAME.fullmatch(match["name"])
        counts_threads = match["by"][:1] == b"*" and WARP_COUNT_NAME.fullmatch(match["of"])
        if counts_warps or counts_threads:
            message = (
                "the warps of a block are counted by 32" if counts_warps else "the threads of warps are counted by 32"
            )
            yield _hazard(analysis, Span(*match.span()), message, _WHY_COUNT, _sure(analysis.any_warp_code))


def _splits(analysis: Analysis, roles: Roles, found: Iterator[re.Match[bytes]], on_warps: bool) -> Iterator[Hazard]:
    for match in found:
        if not analysis.reachable(match.start()):
            continue
        where = operand_before(analysis.text, match.start())
        operand = analysis.code.slice(where)
        before = analysis.text[max(roles.start, where.start - 120) : where.start]
        whole = Span(where.start, match.end())
        literal = not (match["width"] or b"32").isalpha() and (match["width"] or b"3")[:1].isdigit()
        if b"__shared__" in analysis.text[analysis.line(match.start()).start : where.start]:
            continue  # the size of an array
        if roles.is_lane(operand):
            continue  # whoever splits a lane's number knows that it goes past 31
        named = _is_named(before) or analysis.says_warp(match.start())
        if roles.is_thread(operand):
            exchanged = on_warps and not (roles.asks_width and not roles.sees_whole_warp and not roles.warp_helpers)
            if not (exchanged or named) or (_BIT_INDEX.search(before) and not on_warps):
                continue
            message = "a lane or warp number is computed with 32"
            yield _hazard(analysis, whole, message, _WHY_LANE, _sure(on_warps), match["width"])
        elif _BLOCK.fullmatch(operand):
            if on_warps and not match["low"] and not match["high"]:
                message = "the warps of a block are counted by 32"
                yield _hazard(analysis, whole, message, _WHY_COUNT, Confidence.LIKELY, match["width"])
        elif literal and not on_warps and _is_named(before) and not _BIT_INDEX.search(before):
            yield _hazard(analysis, whole, "a lane or warp number is computed with 32", _WHY_LANE, Confidence.POSSIBLE)
        elif on_warps and (named or roles.is_grid_thread(operand)) and not _BIT_INDEX.search(before):
            message = "a number of lanes or warps is computed with 32"
            sure = _sure(named and roles.is_grid_thread(operand))
            yield _hazard(analysis, whole, message, _WHY_LANE, sure, match["width"])


def _is_named(before: bytes) -> bool:
    """Whether what is worked out here goes into a name for a lane or a warp."""
    sink = _SINK.search(before)
    return bool(sink and (LANE_NAME.fullmatch(sink[1]) or WARP_ID_NAME.fullmatch(sink[1])))


def _comparisons(
    analysis: Analysis, roles: Roles, found: Iterator[re.Match[bytes]], on_warps: bool
) -> Iterator[Hazard]:
    for match in found:
        where = operand_before(analysis.text, match.start())
        operand = analysis.code.slice(where)
        number = match["number"]
        is_width = not re.fullmatch(rb"31[uU]?|16|24|15|23", number)
        last = _LAST.fullmatch(number) and (roles.sees_whole_warp or roles.calls_warp_code)
        if not operand or operand.isdigit() or not analysis.reachable(match.start()):
            continue
        lane = roles.is_lane(operand) or any(word in roles.lanes for word in re.findall(rb"[A-Za-z_]\w*", operand))
        if lane and b"[" not in operand:
            message = f"a lane's number is compared with {number.decode()}"
        elif on_warps and (is_width or last) and (roles.is_thread(operand) or _BLOCK.fullmatch(operand)):
            message = f"the first warp, or a block of one warp, is told by {number.decode()}"
        else:
            continue
        sure = _sure(on_warps and number not in _FRACTIONS)
        yield _hazard(analysis, Span(where.start, match.end()), message, _WHY_LANE, sure, number)


def _products(analysis: Analysis, roles: Roles, found: Iterator[re.Match[bytes]], on_warps: bool) -> Iterator[Hazard]:
    """``warp * 32``: where a warp's threads or data begin."""
    for match in found:
        if match["width"] or match["shifted"]:
            other = analysis.code.slice(operand_before(analysis.text, match.start()))
        else:
            after = re.match(rb"\s*\(?\s*([A-Za-z_]\w*)", analysis.text[match.end() : match.end() + 60])
            other = after[1] if after else b""
        words = re.findall(rb"[A-Za-z_]\w*", other)
        if analysis.reachable(match.start()) and any(
            WARP_ID_NAME.fullmatch(word) or word in roles.lanes for word in words
        ):
            message = "the threads of warps are counted by 32"
            width = match["width"] or match["left"]
            yield _hazard(analysis, Span(*match.span()), message, _WHY_LANE, _sure(on_warps), width)


def _last_lane(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``__shfl(v, 31)``: the last lane of 32 is in the middle of 64."""
    for shuffle in roles.shuffles:
        if len(shuffle.operands) == 2 and shuffle.name in (b"__shfl", b"__shfl_sync"):
            source = analysis.code.slice(shuffle.operands[1])
            if re.fullmatch(rb"31[uU]?|0x1[fF]", source) and analysis.reachable(shuffle.where.start):
                yield _hazard(
                    analysis,
                    shuffle.where,
                    "the value is taken from lane 31, the last of 32",
                    "lane 31 is in the middle of a 64-wide wave",
                    Confidence.LIKELY,
                )


def _sure(evidence: bool) -> Confidence:
    return Confidence.LIKELY if evidence else Confidence.POSSIBLE


def _hazard(
    analysis: Analysis, where: Span, message: str, why: str, confidence: Confidence, width: bytes | None = None
) -> Hazard:
    """``width`` is what stands for 32; where it is a constant of this file, it has to change too."""
    name = width.decode() if width and not width[:1].isdigit() else "32"
    partners = tuple(place.where for place in analysis.names.constants.get(width or b"", ()))
    return analysis.hazard(
        Kind.LANE_ARITHMETIC, where, message, why, confidence=confidence, symbol=name, partners=partners
    )
