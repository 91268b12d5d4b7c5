"""Threads, items and rounds that are counted in warps of 32: products, strides, batches, a lane's next item."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Hazard
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import called_around, operand_before
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import (
    ABOUT_WARPS,
    LANE_NAME,
    SHUFFLE,
    SHUFFLE_HELPER,
    WARP_COUNT_NAME,
    WARP_ID_NAME,
    WIDTH,
    is_width,
)

_WHY_PRODUCT = "so many waves are twice as many threads, and the data of one begins 64 items after the other's"
_WHY_STRIDE = "lanes 32 to 63 take the items of the next round once more"
_WHY_BATCH = "a wave has lanes for 64 at once: half of them stay idle, or work on items of the next round"
_WHY_MIRRORED = (
    "lanes 32 to 63 take themselves for the first 32 of another warp, while the wave's own functions see all 64"
)
_FACTOR = rb"(?:\(?\s*[A-Za-z_]\w*\s*\)?)"
_STRIDE = re.compile(
    rb"for(?<!\wfor)\s*\((?:[^;=()]{0,120}\b(?P<name>[A-Za-z_]\w*)\s*\+?=\s*(?P<first>[^;{}]{1,240})|\s*);[^;{}]{1,240};"
    rb"(?:[^;{}]{0,120},)?[\s\\]*(?P<stepped>[A-Za-z_]\w*)\s*[+-]=\s*"
    rb"(?:(?:\w+::)*(?P<width>32[uU]?|[A-Za-z_]\w*)(?:\s*\*\s*" + _FACTOR + rb")?"
    rb"|" + _FACTOR + rb"\s*\*\s*(?:\w+::)*(?P<last>32[uU]?|[A-Za-z_]\w*))\s*[,)]"
)
_FROM_END = re.compile(rb"(?<![\w.])3[12][uU]?\s*-\s*(?P<lane>[A-Za-z_]\w*)")
_NEXT_ITEM = re.compile(
    rb"\b(?P<lane>[A-Za-z_]\w*)\s*\+\s*32[uU]?(?![\w.])(?!\s*[*/%])|(?<![\w.])(?<![*/%]\s)32[uU]?\s*\+\s*(?P<other>[A-Za-z_]\w*)\b(?!\s*[*/%(\[])"
)
_ARGUMENT = rb"(?:[^;,(){}]|\([^;(){}]*\)){1,120}"
_BATCH = re.compile(rb"min(?<!\wmin)\s*(?:<\s*\w+\s*>\s*)?\((" + _ARGUMENT + rb"),(" + _ARGUMENT + rb")\)")
_SHARE = re.compile(rb"\b(?P<name>[A-Za-z_]\w*)\s*=\s*\(?\s*32[uU]?\s*/\s*[A-Za-z_]\w*")
_THIRTY_TWO = re.compile(rb"(?:\(\s*\w+\s*\)\s*)?32[uU]?(?:[lL]{1,2})?")
_LANE_OF_32 = re.compile(rb"\b(?P<lane>[A-Za-z_]\w*)\s*(?=,\s*" + WIDTH + rb"\s*[,)])")
_STEP = re.compile(rb"(?<![\w.>])(?P<name>[A-Za-z_]\w*)\s*\+=\s*" + WIDTH + rb"\s*;")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LANE_AFTER = re.compile(rb"\s*\)?\s*\+\s*([A-Za-z_]\w*)")
_LANE_BEFORE = re.compile(rb"([A-Za-z_]\w*)\s*\+\s*\(?\s*\Z")
_LAST_TERM = re.compile(rb"(?:\A|\+)\s*\(?\s*([A-Za-z_]\w*)\s*\)?\s*\Z")
_FIXED_NAME = re.compile(rb"k[A-Z]\w*|[A-Z][A-Z0-9_]+")
_DIVIDED = rb"\bNAME\s*(?:/\s*32[uU]?|>>\s*5)(?![\w.])"
_LOOKED_AT = 600
_MULTIPLIED = re.compile(rb"\s*\*\s*\(?\s*([A-Za-z_]\w*)")
_PRODUCT = re.compile(
    rb"\*\s*" + WIDTH + rb"|<<\s*(?P<shifted>5)(?!\w)|\b" + WIDTH.replace(b"<width>", b"<left>") + rb"(?=\s*\*)"
)


def find(analysis: Analysis) -> Iterator[Hazard]:
    widths = analysis.meaning_width
    words = (b"32", b"<< 5", b"<<5", *widths)
    for roles in analysis.functions:
        if analysis.in_logical_warps(roles):
            continue
        on_warps = analysis.on_warps(roles)
        for line in analysis.code.lines_in(roles.start, roles.end, *words):
            yield from _products(analysis, roles, _PRODUCT.finditer(analysis.text, *line), on_warps)
            if on_warps:
                yield from _next_items(analysis, roles, line)
                yield from _batches(analysis, roles, line)
                yield from _shares(analysis, line)
                yield from _told_steps(analysis, roles, line)
                yield from _steps(analysis, roles, line)
        yield from _strides(analysis, roles, on_warps)
        yield from _mirrored(analysis, roles, on_warps)


def _products(analysis: Analysis, roles: Roles, found: Iterator[re.Match[bytes]], on_warps: bool) -> Iterator[Hazard]:
    """``warp * 32``: where a warp's threads or data begin; ``warps * 32``: how many threads they are."""
    for match in found:
        width = match["width"] or match["left"]
        if width and not is_width(width, analysis.meaning_width):
            continue
        right = match["left"] is not None
        other = _right_operand(analysis, match.end()) if right else operand_before(analysis.text, match.start())
        words = _WORD.findall(analysis.code.slice(other))
        one = any(WARP_ID_NAME.fullmatch(word) or word in roles.lanes for word in words)
        several = not match["shifted"] and any(map(WARP_COUNT_NAME.fullmatch, words))
        whole = Span(match.start(), other.end) if right else Span(other.start, match.end())
        if one or (several and (on_warps or not _is_logical(analysis))):
            sure = Confidence.LIKELY if on_warps else Confidence.POSSIBLE
            message = "the threads of warps are counted by 32"
        elif on_warps and _is_row_of_lanes(analysis, roles, whole):
            sure, message = Confidence.LIKELY, "each row has one item for each of 32 lanes"
        elif on_warps and _begins_with_warp(analysis, roles, whole):
            sure, message = Confidence.LIKELY, "what a warp takes at once is counted by 32"
        elif on_warps and _has_lanes(roles) and any(map(_FIXED_NAME.fullmatch, words)):
            sure, message = Confidence.POSSIBLE, "what a warp takes at once is counted by 32"
        else:
            continue
        line = analysis.code.line(match.start())
        if analysis.text.find(b"__launch_bounds__", line.start, match.start()) < 0 and analysis.reachable(
            match.start()
        ):
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_PRODUCT, sure, width)


def _begins_with_warp(analysis: Analysis, roles: Roles, product: Span) -> bool:
    """``first_of_warp + (k << 5)``: the rounds of a warp, from where its items begin."""
    before = _LANE_BEFORE.search(analysis.text, max(roles.start, product.start - 60), product.start)
    return bool(before and ABOUT_WARPS.search(before[1]))


def _right_operand(analysis: Analysis, at: int) -> Span:
    after = _MULTIPLIED.match(analysis.text, at, at + 60)
    return Span(*after.span(1)) if after else Span(at, at)


def _has_lanes(roles: Roles) -> bool:
    return bool(roles.lane_parameters or (roles.lanes and roles.sees_whole_warp))


def _is_row_of_lanes(analysis: Analysis, roles: Roles, product: Span) -> bool:
    """``row * 32 + lane``"""
    after = _LANE_AFTER.match(analysis.text, product.end)
    before = _LANE_BEFORE.search(analysis.text, max(roles.start, product.start - 60), product.start)
    return any(
        found is not None and (_is_any_lane(roles, found[1]) or _begins_with_lane(roles, found[1]))
        for found in (after, before)
    )


def _begins_with_lane(roles: Roles, name: bytes) -> bool:
    """``for (i = lane; …)``, ``i = first + lane``: what a lane takes."""
    return any(
        found == name and (last := _LAST_TERM.search(roles.code.slice(value))) is not None and roles.is_lane(last[1])
        for found, _, value in roles.assigned
    )


def _is_logical(analysis: Analysis) -> bool:
    """Whether what the file has of warps are logical ones of 32."""
    return not analysis.any_warp_code and any(roles.keeps_to_32 for roles in analysis.functions)


def _strides(analysis: Analysis, roles: Roles, on_warps: bool) -> Iterator[Hazard]:
    """``for (i = lane; i < n; i += 32)``: each lane takes every 32nd item."""
    for match in roles.finditer(_STRIDE):
        width = match["width"] or match["last"]
        if width[:2] != b"32" and width not in analysis.meaning_width:
            continue
        first = _first_of(match)
        if not first or not analysis.reachable(match.start()):
            continue
        if on_warps and (_is_lane_like(roles, first) or _lanes_follow(analysis, roles, match)):
            sure = Confidence.LIKELY
        elif any(LANE_NAME.fullmatch(word.lower()) and _is_passed_in(roles, word) for word in _WORD.findall(first)):
            sure = Confidence.POSSIBLE
        else:
            continue
        message = "the lanes of a warp take every 32nd item"
        where = Span(match.start("stepped"), match.end() - 1)
        yield analysis.lane_hazard(where, message, _WHY_STRIDE, sure, width)
        if sure is Confidence.LIKELY:
            yield from _rounds(analysis, roles, match)


def _first_of(loop: re.Match[bytes]) -> bytes:
    """What the loop's stepped variable begins with; empty where another one is set."""
    if not loop["name"] or loop["name"] == loop["stepped"]:
        return loop["first"] or loop["stepped"]
    also = re.search(rb",\s*" + re.escape(loop["stepped"]) + rb"\s*=\s*([^,;]+)", loop["first"])
    return also[1] if also else b""


def _rounds(analysis: Analysis, roles: Roles, loop: re.Match[bytes]) -> Iterator[Hazard]:
    """``i / 32`` in such a loop: how often a warp has gone round."""
    end = min(loop.end() + _LOOKED_AT, roles.end)
    for match in re.finditer(_DIVIDED.replace(b"NAME", re.escape(loop["stepped"])), analysis.text[loop.end() : end]):
        where = Span(loop.end() + match.start(), loop.end() + match.end())
        if analysis.reachable(where.start):
            message = "the rounds of a warp are counted by 32"
            yield analysis.lane_hazard(where, message, _WHY_STRIDE, Confidence.LIKELY)


def _is_lane_like(roles: Roles, text: bytes) -> bool:
    return roles.is_thread(text) or any(roles.is_lane(word) or word in roles.threads for word in _WORD.findall(text))


def _is_any_lane(roles: Roles, name: bytes) -> bool:
    return roles.is_lane(name) or name in roles.lane_values


def _lanes_follow(analysis: Analysis, roles: Roles, match: re.Match[bytes]) -> bool:
    """``for (i = begin; i < end; i += 32) { … i + lane … }``"""
    name = re.escape(match["stepped"])
    beside = re.compile(
        rb"\b" + name + rb"\s*[+-]\s*(?P<after>[A-Za-z_]\w*)|\b(?P<before>[A-Za-z_]\w*)\s*\+\s*" + name + rb"\b"
    )
    return any(
        _is_any_lane(roles, found["after"] or found["before"])
        for found in beside.finditer(analysis.text, match.end(), min(match.end() + _LOOKED_AT, roles.end))
    )


def _is_passed_in(roles: Roles, name: bytes) -> bool:
    """Whether a function, or a macro, gets a value from its caller: what its lane counts is not known here."""
    return re.search(rb"\b" + name + rb"\b", roles.code.slice(roles.function.head)) is not None


def _mirrored(analysis: Analysis, roles: Roles, on_warps: bool) -> Iterator[Hazard]:
    """``31 - lane``: the lane on the other end of the warp, or how many come after this one."""
    for line in analysis.code.lines_in(*roles.function.body, b"31 -", b"31-", b"32 -", b"32-") if on_warps else ():
        for match in _FROM_END.finditer(analysis.text, *line):
            if _is_any_lane(roles, match["lane"]) and analysis.reachable(match.start()):
                message = f"lanes are counted from the end of 32: {match[0].decode()}"
                yield analysis.lane_hazard(Span(*match.span()), message, _WHY_MIRRORED, Confidence.LIKELY)


def _next_items(analysis: Analysis, roles: Roles, line: Span) -> Iterator[Hazard]:
    """``lane + 32``: the second item of each lane. Where the hardware's width is asked for, it is the upper half."""
    for match in _NEXT_ITEM.finditer(analysis.text, *line):
        lane = match["lane"] or match["other"]
        if not roles.asks_width and _is_any_lane(roles, lane) and analysis.reachable(match.start()):
            message = f"the next item of a lane is taken to be 32 further: {match[0].decode()}"
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_STRIDE, Confidence.LIKELY)


def _batches(analysis: Analysis, roles: Roles, line: Span) -> Iterator[Hazard]:
    """``min(left, 32)`` beside warp functions: as many as a warp takes at once."""
    for match in _BATCH.finditer(analysis.text, *line) if roles.sees_whole_warp or roles.warp_helpers else ():
        if any(_is_all_lanes(analysis, given.strip()) for given in match.groups()) and analysis.reachable(
            match.start()
        ):
            message = "at most 32 items are taken at once"
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_BATCH, Confidence.POSSIBLE)


def _shares(analysis: Analysis, line: Span) -> Iterator[Hazard]:
    """``rows_per_warp = 32 / columns``"""
    for match in _SHARE.finditer(analysis.text, *line):
        if ABOUT_WARPS.search(match["name"]) and analysis.reachable(match.start()):
            message = f"{match['name'].decode()} is a share of 32 lanes"
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_BATCH, Confidence.LIKELY)


def _told_steps(analysis: Analysis, roles: Roles, line: Span) -> Iterator[Hazard]:
    """``copy(to, from, lane, 32)``: a function that is told who does the work, and how many they are."""
    for match in _LANE_OF_32.finditer(analysis.text, *line):
        if not roles.is_lane(match["lane"]) or not is_width(match["width"], analysis.meaning_width):
            continue
        called = called_around(analysis.text, match.start())
        shuffles = SHUFFLE.fullmatch(called) or SHUFFLE_HELPER.fullmatch(called)
        if called and not shuffles and analysis.reachable(match.start()):
            message = f"{called.decode()} is told that a warp has 32 lanes"
            where = Span(match.start(), match.end("width"))
            yield analysis.lane_hazard(where, message, _WHY_STRIDE, Confidence.LIKELY, match["width"])


def _steps(analysis: Analysis, roles: Roles, line: Span) -> Iterator[Hazard]:
    """``i += 32;``, where ``i`` begins with a lane, or a lane's number is added to it."""
    for match in _STEP.finditer(analysis.text, *line):
        if not is_width(match["width"], analysis.meaning_width) or not analysis.reachable(match.start()):
            continue
        if _begins_with_lane(roles, match["name"]) or _is_added_to_lane(roles, match["name"]):
            message = "the lanes of a warp take every 32nd item"
            yield analysis.lane_hazard(Span(*match.span()), message, _WHY_STRIDE, Confidence.LIKELY, match["width"])


def _is_added_to_lane(roles: Roles, name: bytes) -> bool:
    sums = re.findall(rb"\b" + name + rb"\s*\+\s*([A-Za-z_]\w*)|\b([A-Za-z_]\w*)\s*\+\s*" + name + rb"\b", roles.text)
    return any(_is_any_lane(roles, after or before) for after, before in sums)


def _is_all_lanes(analysis: Analysis, text: bytes) -> bool:
    return _THIRTY_TWO.fullmatch(text) is not None or text in analysis.meaning_width
