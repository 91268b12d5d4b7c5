"""Lane and warp numbers worked out with 32, and comparisons that know where a warp ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Hazard
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import operand_before
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import LANE_NAME, SHUFFLE_HELPER, WARP_COUNT_NAME, WARP_ID_NAME, WIDTH, is_width

_WHY_LANE = "lanes 32 to 63 take themselves for the first 32 of another warp, while the wave's own functions see all 64"
_WHY_COUNT = "a block has half as many waves as this says"
_THREADS = (
    rb"(?:blockDim\s*\.\s*[xyz]|(?:max_?)?block_?(?:size|dim|threads)(?:_?[xyz])?|num_?threads|n_?threads|threads_?per_?(?:block|cta)"
    rb"|k?(?:block|num)_?(?:threads|size)|tpb|thread_?num|cta_?size|threads|kThreads|block|block_?t(?:hreads)?|kNThreads)"
)
_BLOCK = re.compile(
    rb"(?i)\(*\s*(?:\(\s*(?:int|unsigned|float)\s*\)\s*)?"
    + _THREADS
    + rb"(?:\s*\*\s*"
    + _THREADS
    + rb")*(?:\s*\+\s*(?:31[uU]?|32\s*-\s*1|\(\s*32\s*-\s*1\s*\)|\w+\s*-\s*1))?\s*\)*"
)
_COUNTS = re.compile(
    rb"\b(?P<name>[A-Za-z_]\w*)\s*(?:=|[ \t]|\{)\s*\(?\s*(?:"
    rb"(?:[\w.]+\s*::\s*)*(?P<of>[A-Za-z_]\w*)\s*\)?\s*(?P<by>(?:[/*]\s*32|>>\s*5)(?![\w.]))"
    rb"|32[uU]?\s*(?P<times>\*)\s*\(?\s*(?P<warps>[A-Za-z_]\w*))"
)
_SINK = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*[({=]\s*[^=;{}]*\Z")
_COUNT_SINK = re.compile(rb"(?<![\w.>])([A-Za-z_]\w*)\s*[={]\s*\(*\s*\Z")
_CAST = rb"(?:\(\s*(?:int|unsigned|float|size_t|unsigned\s+int)\s*\)\s*|(?:float|int|unsigned)\s*\(\s*)?"
_RETURNED = re.compile(rb"\breturn\s*(?:\(\s*)?\Z")
_NUMBER_OF = re.compile(r"(?i)(?:get|my|this|thread)?_?(?:lane|warp)_?(?:id|idx|index|rank|num|of\w*|in_\w+)?")
_SPEAKING = (b"lane", b"Lane", b"warp_id", b"warpId")
"""Names that say what they count, where nothing in the file shows it."""
_ADDED = re.compile(rb"\b([A-Za-z_]\w*)\s*\+\s*\Z")
_NEAR = 60
_MET = re.compile(rb"\s*(?:\)\s*)?[!=]=\s*([A-Za-z_]\w*)")
_LAST_LANE = re.compile(rb"31[uU]?|0[xX]1[fF]")
_BY_OFFSET = re.compile(rb"(?i)up|down|xor")
_TWO_WARPS = b"64"
_FRACTIONS = (b"16", b"24", b"15", b"23")
"""Half and three quarters of 32 lanes, which are many other things too."""
_BIT_INDEX = re.compile(rb"(?<![\w.])1[uU]?[lL]{0,2}\s*<<\s*\(?\s*\Z|(?:>>|<<)\s*\(?\s*\Z")
_SPLIT = re.compile(
    rb"(?P<by>[%/])=?\s*"
    + _CAST
    + rb"\(?\s*"
    + WIDTH
    + rb"|&\s*(?P<low>31[uU]?|0[xX]0*1[fF][uU]?|\(\s*"
    + WIDTH.replace(b"<width>", b"<less>")
    + rb"\s*-\s*1[uU]?\s*\))(?!\w)"
    rb"|&\s*(?P<high>~\s*(?:31[uU]?|0[xX]1[fF])|0[xX][fF]{6}[eE]0)[uU]?(?!\w)"
    rb"|(?P<shift>>>)=?\s*(?P<five>5|[A-Za-z_]\w*)(?!\w)"
)
_TURNED = re.compile(
    rb"(?<![\w.])~?(?:31|0[xX]1[fF])[uU]?\s*&(?!&)\s*(?P<of>[A-Za-z_][\w.]*)"
    rb"|(?<![\w.])32[uU]?\s*\*\s*(?P<row>(?:threadIdx|blockDim)\s*\.\s*y)\b|\b(?P<line>(?:threadIdx|blockDim)\s*\.\s*y)\s*\*\s*32[uU]?(?![\w.])"
)
_COMPARE = re.compile(
    rb"(?<![<>=!-])(?P<test>[!=]=|<=?(?!<)|>=?(?!>))\s*"
    + _CAST
    + rb"(?P<number>(?:[1-9]\s*\*\s*)?"
    + WIDTH
    + rb"(?:\s*-\s*1)?|31[uU]?|0[xX]1[fF]|16|24|15|23|64)(?![\w.*<])"
)


def find(analysis: Analysis) -> Iterator[Hazard]:
    yield from _outside(analysis)
    if not analysis.has_evidence and not any(word in analysis.text for word in _SPEAKING):
        return
    widths, shifts = analysis.meaning_width, analysis.meaning_shift
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
            yield from _splits(analysis, roles, _by_32(analysis, line), on_warps=on_warps)
            yield from _turned(analysis, roles, line) if on_warps else ()
        if on_warps or any(word in roles.text for word in _SPEAKING):
            for line in analysis.code.lines_in(*body, *words, *_FRACTIONS, _TWO_WARPS):
                yield from _comparisons(analysis, roles, _COMPARE.finditer(analysis.text, *line), on_warps)
        yield from _last_lane(analysis, roles)
    for roles in analysis.number_helpers:
        for line in analysis.code.lines_in(roles.start, roles.end, *words):
            yield from _splits(analysis, roles, _by_32(analysis, line), on_warps=True)


def _outside(analysis: Analysis) -> Iterator[Hazard]:
    """Constants of a file or a class: how many warps a block has, how many threads some warps are."""
    for match in analysis.on_lines(_COUNTS, b"32", b">> 5", b">>5"):
        function = analysis.code.function_at(match.start())
        if function and not function.is_macro:
            continue
        multiplied = match["times"] or match["by"][:1] == b"*"
        counts_warps = not multiplied and WARP_COUNT_NAME.fullmatch(match["name"])
        counts_threads = multiplied and WARP_COUNT_NAME.fullmatch(match["warps"] or match["of"])
        if counts_warps or counts_threads:
            message = (
                "the warps of a block are counted by 32" if counts_warps else "the threads of warps are counted by 32"
            )
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_COUNT, _sure(analysis.any_warp_code))


def _by_32(analysis: Analysis, where: Span) -> Iterator[re.Match[bytes]]:
    """What is divided by 32, or by a constant of it, in a stretch of code."""
    widths, shifts = analysis.meaning_width, analysis.meaning_shift
    for match in _SPLIT.finditer(analysis.text, *where):
        width = match["width"] or match["less"]
        if (width is None or is_width(width, widths)) and (match["five"] in (None, b"5") or match["five"] in shifts):
            yield match


def _splits(analysis: Analysis, roles: Roles, found: Iterator[re.Match[bytes]], *, on_warps: bool) -> Iterator[Hazard]:
    for match in found:
        if not analysis.reachable(match.start()):
            continue
        where = operand_before(analysis.text, match.start())
        operand = analysis.code.slice(where)
        before = analysis.text[max(roles.start, where.start - 120) : where.start]
        whole = Span(where.start, match.end())
        literal = not (match["width"] or b"32").isalpha() and (match["width"] or b"3")[:1].isdigit()
        if b"__shared__" in analysis.text[analysis.code.line(match.start()).start : where.start]:
            continue  # the size of an array
        if roles.is_lane(operand):
            continue  # whoever splits a lane's number knows that it goes past 31
        into_lane = _is_named(before) or _is_returned(roles, before) or _meets_number(analysis, match.end())
        named = into_lane or analysis.says_warp(match.start())
        exchanged = on_warps and not (roles.asks_width and not roles.sees_whole_warp and not roles.warp_helpers)
        if roles.is_thread(operand):
            if not (exchanged or named) or (_BIT_INDEX.search(before) and not on_warps):
                continue
            message = "a lane or warp number is computed with 32"
            sure = _sure(on_warps and (named or not _is_coordinate(roles, before)))
            yield analysis.lane_hazard(whole, message, _WHY_LANE, sure, match["width"])
        elif _is_block(roles, operand):
            if on_warps and not match["high"]:
                message = "the warps of a block are counted by 32"
                sure = _sure(not match["low"])
                yield analysis.lane_hazard(whole, message, _WHY_COUNT, sure, match["width"])
        elif not match["low"] and not match["high"] and match["by"] != b"%" and _counts_warps(before):
            sure = _sure(analysis.any_warp_code)
            yield analysis.lane_hazard(whole, "warps are counted by 32", _WHY_COUNT, sure, match["width"])
        elif literal and not on_warps and into_lane and not _BIT_INDEX.search(before):
            sure = _sure(analysis.any_warp_code and _is_returned(roles, before))
            yield analysis.lane_hazard(whole, "a lane or warp number is computed with 32", _WHY_LANE, sure)
        elif on_warps and (named or roles.is_grid_thread(operand)) and not _BIT_INDEX.search(before):
            message = "a number of lanes or warps is computed with 32"
            sure = _sure(into_lane or (roles.is_grid_thread(operand) and (named or exchanged)))
            yield analysis.lane_hazard(whole, message, _WHY_LANE, sure, match["width"])


def _turned(analysis: Analysis, roles: Roles, line: Span) -> Iterator[Hazard]:
    """``31 & thread``, ``32 * threadIdx.y``: the number comes first."""
    for match in _TURNED.finditer(analysis.text, *line):
        if (match["row"] or match["line"] or roles.is_thread(match["of"])) and analysis.reachable(match.start()):
            message = "a row of threads is taken for a warp of 32" if not match["of"] else "a lane is told by 31"
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_LANE, Confidence.LIKELY)


def _is_block(roles: Roles, operand: bytes) -> bool:
    return _BLOCK.fullmatch(operand) is not None or operand in roles.block_sizes


def _is_named(before: bytes) -> bool:
    """Whether what is worked out here goes into a name for a lane or a warp."""
    statement = max(before.rfind(b";"), before.rfind(b"}")) + 1
    sink = _SINK.search(before, statement)
    return bool(sink and (LANE_NAME.fullmatch(sink[1]) or WARP_ID_NAME.fullmatch(sink[1])))


def _counts_warps(before: bytes) -> bool:
    """``warps = items / 32``"""
    sink = _COUNT_SINK.search(before)
    return bool(sink and WARP_COUNT_NAME.fullmatch(sink[1]))


def _meets_number(analysis: Analysis, at: int) -> bool:
    """``first / 32 == warp``"""
    met = _MET.match(analysis.text, at)
    return bool(met and (LANE_NAME.fullmatch(met[1]) or WARP_ID_NAME.fullmatch(met[1])))


def _is_returned(roles: Roles, before: bytes) -> bool:
    """``return thread / 32;`` in a function that is called after lanes or warps."""
    return bool(_RETURNED.search(before) and _NUMBER_OF.fullmatch(roles.function.name))


def _is_coordinate(roles: Roles, before: bytes) -> bool:
    """Whether the sink has another name where lanes and warps are called so: rows and columns of a tile, mostly."""
    sink = _SINK.search(before)
    return bool(sink and len(sink[1]) > 2 and roles.has_named_lanes)


def _comparisons(
    analysis: Analysis, roles: Roles, found: Iterator[re.Match[bytes]], on_warps: bool
) -> Iterator[Hazard]:
    for match in found:
        number = match["number"]
        if match["width"] and not is_width(match["width"], analysis.meaning_width):
            continue
        where = operand_before(analysis.text, match.start())
        operand = analysis.code.slice(where)
        last = _LAST_LANE.fullmatch(number) and (roles.sees_whole_warp or roles.calls_warp_code)
        if not operand or operand.isdigit() or not analysis.reachable(match.start()):
            continue
        words = re.findall(rb"[A-Za-z_]\w*", operand)
        lane = roles.is_lane(operand) or any(word in roles.lanes for word in words)
        lane = lane or (on_warps and any(word in roles.lane_values for word in words))
        added = _ADDED.search(analysis.text, max(roles.start, where.start - _NEAR), where.start)
        lane = lane or bool(added and roles.is_lane(added[1]))
        if number == _TWO_WARPS:
            if not (on_warps and not roles.asks_width and _is_block(roles, operand) and match["test"][:1] in b"<>"):
                continue
            message = "a block of two warps is told by 64"
        elif lane and b"[" not in operand:
            message = f"a lane's number is compared with {number.decode()}"
        elif on_warps and (match["width"] or last) and (roles.is_thread(operand) or _is_block(roles, operand)):
            message = f"the first warp, or a block of one warp, is told by {number.decode()}"
        else:
            continue
        sure = _sure(on_warps and number not in (*_FRACTIONS, _TWO_WARPS))
        yield analysis.lane_hazard(Span(where.start, match.end()), message, _WHY_LANE, sure, number)


def _last_lane(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``__shfl(v, 31)``: the last lane of 32 is in the middle of 64; ``__shfl(v, (i + 1) & 31)`` never asks lane 40."""
    for where, source in _sources(analysis, roles):
        if not analysis.reachable(where.start):
            continue
        if _LAST_LANE.fullmatch(analysis.code.slice(source)):
            message = "the value is taken from lane 31, the last of 32"
            why = "lane 31 is in the middle of a 64-wide wave"
            yield analysis.lane_hazard(where, message, why, Confidence.LIKELY)
            continue
        for match in _by_32(analysis, source):
            if match["low"] or match["by"] == b"%":
                message = "the lane that a value is taken from is kept below 32"
                whole = Span(operand_before(analysis.text, match.start()).start, match.end())
                yield analysis.lane_hazard(whole, message, _WHY_LANE, Confidence.LIKELY, match["width"])


def _sources(analysis: Analysis, roles: Roles) -> Iterator[tuple[Span, Span]]:
    """The calls that take a value from one lane, and how they name it."""
    for shuffle in roles.shuffles:
        if shuffle.is_from_lane:
            yield shuffle.where, shuffle.operands[1]
    for at, name in analysis.code.warp_calls_in(roles.function.body):
        if SHUFFLE_HELPER.fullmatch(name) and not _BY_OFFSET.search(name):
            given = analysis.code.arguments(analysis.text.find(b"(", at))
            if len(given) == 2:
                yield Span(at, given[1].end + 1), given[1]


def _sure(evidence: bool) -> Confidence:
    return Confidence.LIKELY if evidence else Confidence.POSSIBLE
