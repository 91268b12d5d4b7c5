"""Reductions in shared memory whose last steps have no barrier: they count on a warp that runs in lockstep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import WARP_ID_NAME

_STEP = re.compile(
    rb"\b(?P<array>[A-Za-z_]\w*)\s*(?P<row>(?:\[[^\[\];]*\])?)\[\s*(?P<at>[A-Za-z_][\w.]*)\s*\](?P<between>[^;{}]*?)"
    rb"\b(?P=array)\s*(?P=row)\[\s*(?P=at)\s*\+\s*(?P<by>32|16)\s*\]"
)
_SETS = rb"\s*[-+*|&^]?=(?!=)"
_SET = re.compile(_SETS)
_BARRIER = re.compile(rb"\b__syncthreads\b|_syncwarp\b|\.sync\s*\(|\bbarrier\b|\bREWARP_WARP32_STEP\b")
_VOLATILE = re.compile(rb"volatile(?<!\wvolatile)\b")
_FIRST_WARP = re.compile(
    rb"if(?<!\wif)\s*\(\s*(?:\w*tid\w*|threadIdx\s*\.\s*x|\w*idx\w*|t|tx|lane\w*)\s*<\s*(?:32|\w*WARP_?SIZE\w*|warpSize)\s*\)"
)
_LEFT_TO_32 = re.compile(
    rb"\bif\s*\(\s*(?:\w*tid\w*|threadIdx\s*\.\s*x|tx)\s*<\s*32[uU]?\s*\)(?=\s*\{\s*(?:\w+\s+)?volatile\b)"
)
_WARP_BARRIER = re.compile(rb"__syncwarp(?<!\w__syncwarp)\s*\(\s*\)")
_TWO_WARPS = re.compile(
    rb"for(?<!\wfor)\s*\([^;{}]*;\s*\w+\s*(?P<bound>>\s*32|>=\s*64)\s*;[^;{}]*(?:>>=\s*1|/=\s*2|>>\s*1|/\s*2)\s*\)"
)
_STEPS = re.compile(
    rb"for(?<!\wfor)\s*\(\s*(?:(?:unsigned|int|size_t|uint32_t)\s+)*(?P<name>\w+)\s*=\s*(?:16|32|1)[uU]?\s*;"
    rb"(?:[^;{}]*(?<!\w)(?:<=\s*16|<\s*32)\s*;[^;{}]*(?:<<=\s*1|\*=\s*2|\+=\s*\w+)"
    rb"|(?:(?<=16;)|(?<=32;))[^;{}]*;[^;{}]*(?:>>=\s*1|/=\s*2|>>\s*1|/\s*2))\s*\)\s*(?P<brace>(?=\{))?"
)
_FROM_16 = (b"= 16;", b"=16;", b"= 32;", b"=32;", b"<= 16", b"<=16", b"< 32", b"<32")
_ROWS = re.compile(
    rb"__shared__(?<!\w__shared__)\b[^;{}()=]*?\b(?P<name>[A-Za-z_]\w*)\s*\[[^\[\];]*\]\s*\[[^\[\];]*\]\s*;"
)
_ROW_USE = (
    rb"ARRAY(?<!\wARRAY)\s*\[\s*(?P<row>[^\[\]]+?)\s*\]\s*\[\s*(?P<at>[^\[\]]+?)\s*\]\s*(?P<set>[-+*|&^]?=(?!=))?"
)
_OF_32 = re.compile(rb"(.+?)\s*(?:/\s*(?:32|warpSize|[A-Z_]*WARP[A-Z_]*)|>>\s*5)[uU]?")
_NEXT = 200


def find(analysis: Analysis) -> Iterator[Hazard]:
    for roles in _around(analysis, b"< 32", b"<32") if b"volatile" in analysis.text else ():
        yield from _left_to_32(analysis, roles)
    if b"__shared__" in analysis.text or b"volatile" in analysis.text:
        for roles in _around(analysis, *_FROM_16):
            yield from _loops(analysis, roles)
    if b"__shared__" in analysis.text:
        for roles in _around(analysis, b"]["):
            yield from _rows(analysis, roles)
    for roles in _around(analysis, b"+ 32]", b"+32]", b"+ 16]", b"+16]"):
        steps = [match for match in roles.finditer(_STEP) if analysis.reachable(match.start())]
        if not steps:
            continue
        volatile = _VOLATILE.search(roles.text)
        if not volatile and not _FIRST_WARP.search(roles.text) and b"_syncwarp" not in roles.text:
            continue
        yield from _warp_barriers(analysis, roles)
        yield from _before_tail(analysis, roles)
        for match in steps:
            end = analysis.text.find(b";", match.end())
            after = analysis.text[end : end + _NEXT]
            next_step = _STEP.search(after) or re.search(rb"\+\s*(?:16|8)\s*\]", after)
            if _BARRIER.search(after[: next_step.start() if next_step else 60]):
                continue
            if not (
                _SET.match(match["between"]) or re.search(rb"\b%s\s*\[[^;{}]*\]%s" % (match["array"], _SETS), after)
            ):
                continue  # what is read once, and goes on in a register, waits for nobody
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


def _around(analysis: Analysis, *words: bytes) -> Iterator[Roles]:
    """The functions that these words stand in."""
    functions = {
        function.head.start: function
        for at in analysis.code.offsets_of(*words)
        if (function := analysis.code.function_at(at))
    }
    return map(analysis.roles_of, functions.values())


def _left_to_32(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``if (tid < 32) { volatile float *s = …``: what follows has no barriers, whatever it looks like."""
    for match in roles.finditer(_LEFT_TO_32):
        if analysis.reachable(match.start()):
            yield analysis.hazard(
                Kind.VOLATILE_TAIL,
                Span(*match.span()),
                "the tail of a reduction is left to one warp of 32",
                "its steps count on lockstep; where they are rewritten for 64 lanes, this has to follow",
                confidence=Confidence.POSSIBLE,
            )


def _before_tail(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """The steps with barriers end where two warps of 32 are left: the tail takes over from there."""
    for match in roles.finditer(_TWO_WARPS):
        if analysis.reachable(match.start()):
            yield analysis.hazard(
                Kind.VOLATILE_TAIL,
                Span(*match.span()),
                "the steps with barriers end at two warps of 32, for a tail of one warp",
                "where the tail is rewritten for 64 lanes, this bound has to follow",
                confidence=Confidence.POSSIBLE,
                symbol=match["bound"].decode(),
            )


def _loops(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Steps below 32 through shared memory in a loop without any barrier."""
    for match in roles.finditer(_STEPS):
        braced = match["brace"] is not None
        body = analysis.text[match.end() : closing(analysis.text, match.end()) if braced else match.end() + 160]
        body = body if braced else body.partition(b";")[0] + b";"
        step = re.search(
            rb"\b(?P<array>[A-Za-z_]\w*)\s*(?P<row>(?:\[[^\[\];]*\])?)\[\s*(?P<at>[\w.]+(?:\s*\+\s*\w+)?)\s*\][^;{}]*"
            rb"\b(?P=array)\s*(?P=row)\[\s*(?P=at)\s*[+^-]\s*" + re.escape(match["name"]) + rb"\s*\]",
            body,
        )
        if step and not _BARRIER.search(body) and analysis.reachable(match.start()):
            yield analysis.hazard(
                Kind.IMPLICIT_SYNC,
                Span(match.start(), match.start() + len(match[0].rstrip())),
                f"{step['array'].decode()} is reduced over 32 lanes without a barrier between the steps",
                "nothing keeps the order of the steps, and half of a 64-wide wave stays out",
                symbol=step["array"].decode(),
            )


def _rows(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``tile[warp][lane] = v; w = tile[warp][31 - lane];``: each warp has a row, and its lanes hand values through it."""
    if b"__shared__" not in roles.text or b"_syncwarp" in roles.text:
        return
    for array in {match["name"] for match in roles.finditer(_ROWS)}:
        written: re.Match[bytes] | None = None
        for use in roles.finditer(re.compile(_ROW_USE.replace(b"ARRAY", array))):
            if use["set"]:
                written = use
            elif written and _hands_over(analysis, roles, written, use):
                yield analysis.hazard(
                    Kind.IMPLICIT_SYNC,
                    Span(*use.span()),
                    f"lanes hand values through a warp's row of {array.decode()} without a barrier",
                    "nothing keeps the order of the steps, and no barrier covers 64 lanes",
                    confidence=Confidence.POSSIBLE,
                    symbol=array.decode(),
                )
                written = None


def _hands_over(analysis: Analysis, roles: Roles, written: re.Match[bytes], read: re.Match[bytes]) -> bool:
    """Whether a later statement reads what other lanes of the same warp have written."""
    return (
        read["row"] == written["row"]
        and read["at"] != written["at"]
        and b";" in analysis.text[written.end() : read.start()]
        and not _BARRIER.search(analysis.text, written.end(), read.start())
        and _is_warp(roles, read["row"])
        and analysis.reachable(read.start())
    )


def _is_warp(roles: Roles, row: bytes) -> bool:
    """Whether a row is that of the thread's warp."""
    if WARP_ID_NAME.fullmatch(row):
        return True
    given = (roles.code.slice(value) for name, _, value in roles.assigned if name == row)
    found = (_OF_32.fullmatch(text.strip()) for text in given)
    return any(match is not None and roles.is_thread(match[1]) for match in found)


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
