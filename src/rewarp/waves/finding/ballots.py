"""Ballots: one bit a lane, 64 of them on a 64-wide wave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.source import Span
from rewarp.waves.finding import ballot_words
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing, operand_before
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import ALL_ONES, BALLOT_NAME, BIT_CALL, VOTE_CALL, WIDER

_LANE_BIT = re.compile(
    rb"(?<![\w.])(?P<ones>1[uU]?|\(\s*(?:unsigned|uint32_t|int|unsigned\s+int)\s*\)\s*1[uU]?|(?:unsigned|uint32_t|uint)\s*\(\s*1[uU]?\s*\)"
    rb"|-\s*1|~\s*0[uU]?|0[xX][fF]{8}[uU]?)\s*(?P<shift><<|>>)\s*(?P<by>\(|[A-Za-z_][\w.]*)"
)
_FULL = re.compile(rb"(?P<test>[!=]=)\s*(?P<ones>" + ALL_ONES + rb"|[A-Za-z_]\w*)[uU]?(?![\w(.])")
_NAMES = re.compile(rb"(?<![\w.])[A-Za-z_]\w*\b(?!\s*\()")
_BIT_WORDS = (b"popc", b"POPC", b"ffs", b"FFS", b"clz", b"CLZ", b"ctz", b"brev", b"BREV", b"fns")
_OF_32_BITS = re.compile(rb"__\w+|[A-Z]+")
"""CUDA's and the compiler's; what a project calls ``ffs`` may be for words of any size."""
_WHILE = re.compile(rb"\bwhile\s*\([^;{}]*\Z")
_ENDLESS = re.compile(rb"\b(?:while\s*\((?:[^;(){}]|\([^;(){}]*\))*\)|do|for\s*\(\s*;\s*;\s*\))\s*\{")
"""Loops that end by what their bodies do."""
_NEAR = 120
_MASKED = re.compile(rb"\b([A-Za-z_]\w*)\s*&=?\s*~?\s*\(*\s*\Z")
_TESTED = re.compile(rb"\)\s*(?:[!=]=|[<>](?![<>]))")
"""``(ballot & mask) != 0``"""
_RETURN = re.compile(rb"\breturn\s+[^;]*$")
_NARROW_RETURN = re.compile(rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint|int32_t)\s+(?:\w+::)?\w+\s*\(")


def find(analysis: Analysis) -> Iterator[Hazard]:
    if not analysis.has_evidence:
        return
    getting = analysis.ballot_parameters.keys() - {roles.function.name for roles in analysis.functions}
    others = [function for function in analysis.code.functions if function.name in getting] if getting else []
    for roles in (*analysis.functions, *map(analysis.roles_of, others)):
        parameters = analysis.ballot_parameters.get(roles.function.name, frozenset())
        if parameters:
            yield from _passed(analysis, roles, parameters)
        elif not roles.has_votes and not roles.shuffles and not roles.has_sync and not roles.calls_warp_code:
            yield from _by_name(analysis, roles)
            continue
        if (roles.has_votes or roles.gathered) and not 0 < roles.tile <= 32:
            yield from _kept(analysis, roles)
            yield from ballot_words.find(analysis, roles)
            yield from _returned(analysis, roles)
            yield from _compared(analysis, roles)
        elif roles.has_votes:
            yield from _tile_votes(analysis, roles)
        yield from _counted(analysis, roles, parameters)
        yield from _lane_bits(analysis, roles)


def _kept(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Variables, arrays and fields of 32 bits that a ballot is stored in."""
    told: set[bytes] = set()
    for name, place, value in roles.assigned:
        text = analysis.code.slice(value)
        if not VOTE_CALL.search(text) or not roles.votes(text) or not analysis.reachable(place.start):
            continue
        declared = roles.declared.get(name)
        if declared and declared.bits != 32:
            continue
        symbol = name.decode()
        if declared and declared.where.end != place.end and name not in told:
            yield ballot_words.narrow(
                analysis, declared.where, f"{symbol} keeps a ballot in 32 bits; it has 64", symbol
            )
        told.add(name)
        where = Span(declared.where.start if declared and declared.where.end == place.end else place.start, place.end)
        yield ballot_words.narrow(
            analysis,
            where,
            f"the result of a ballot is kept in 32 bits by {symbol}; it has 64",
            symbol,
            known=bool(declared),
        )


def _returned(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """A ballot returned from a function of 32 bits."""
    head = analysis.code.slice(roles.function.head)
    narrow = _NARROW_RETURN.search(head)
    if not narrow or roles.function.is_macro:
        return
    for match in roles.finditer(VOTE_CALL):
        before = analysis.text[max(roles.function.body.start, match.start() - 80) : match.start()]
        returned = _RETURN.search(before)
        value = analysis.text[match.start() : analysis.text.find(b";", match.end())]
        if returned and roles.votes(returned[0][6:] + value) and not _TESTED.search(value, match.end() - match.start()):
            at = roles.function.head.start + narrow.start()
            yield ballot_words.narrow(
                analysis,
                Span(at, roles.function.head.start + narrow.end() - 1),
                f"{roles.function.name} returns a ballot in 32 bits; it has 64",
                roles.function.name,
            )
            return


def _tile_votes(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """A tile's ballot fits in 32 bits; HIP's type for it is wider, so only what keeps it is worth a word."""
    for name, place, value in roles.assigned:
        declared = roles.declared.get(name)
        if declared and declared.bits == 32 and roles.votes(analysis.code.slice(value)):
            yield analysis.hazard(
                Kind.BALLOT_32,
                Span(declared.where.start if declared.where.end == place.end else place.start, place.end),
                f"the ballot of a tile is 64 bits wide in HIP, {name.decode()} has 32",
                "it fits while the tile has at most 32 lanes",
                Consequence.SLOW,
                Confidence.POSSIBLE,
                name.decode(),
            )


def _passed(analysis: Analysis, roles: Roles, names: frozenset[bytes]) -> Iterator[Hazard]:
    """Parameters of 32 bits that a ballot is passed to."""
    for name in names:
        declared = roles.declared.get(name)
        if declared and declared.bits == 32 and analysis.reachable(declared.where.start):
            message = f"{name.decode()} is handed a ballot in 32 bits; it has 64"
            yield ballot_words.narrow(analysis, declared.where, message, name.decode())


def _counted(analysis: Analysis, roles: Roles, parameters: frozenset[bytes]) -> Iterator[Hazard]:
    """Bits of a ballot, or of a mask of lanes, counted in 32."""
    if 0 < roles.tile <= 32 or not (parameters or roles.has_votes or roles.has_sync or roles.gathered):
        return
    masks = parameters | roles.ballots | {name for name in roles.masks if b"ask" in name and name in roles.declared}
    masks |= {name for name in roles.declared if BALLOT_NAME.fullmatch(name)}
    for match in _bit_calls(roles):
        given = analysis.code.arguments(match.end() - 1)
        if not given or not analysis.reachable(match.start()):
            continue
        text = analysis.code.slice(given[0])
        if VOTE_CALL.search(text) or not masks.isdisjoint(_NAMES.findall(text)):
            known = _OF_32_BITS.fullmatch(match[1]) or analysis.defines(match[1].rpartition(b"::")[2])
            hazard = _in_32(analysis, match, given[0].end, Confidence.CERTAIN if known else Confidence.POSSIBLE)
            yield _endless(hazard) if _elects_until_done(analysis, roles, match, text) else hazard


def _elects_until_done(analysis: Analysis, roles: Roles, match: re.Match[bytes], mask: bytes) -> bool:
    """Whether the first set bit names the lane that may leave a loop: the loop goes round until every lane had its turn."""
    if b"ffs" not in match[1].lower():
        return False
    for loop in roles.finditer(_ENDLESS):
        body = Span(loop.end() - 1, closing(analysis.text, loop.end() - 1))
        inside = body.start <= match.start() < body.end
        voted = VOTE_CALL.search(mask) or any(
            body.start <= place.start < body.end
            and name in _NAMES.findall(mask)
            and roles.votes(analysis.code.slice(value))
            for name, place, value in roles.assigned
        )
        if inside and voted:
            return True
    return False


def _endless(hazard: Hazard) -> Hazard:
    why = "where only lanes 32 to 63 are left, no lane is elected and the loop never ends"
    return replace(hazard, why=why, consequence=Consequence.HANG)


def _bit_calls(roles: Roles) -> Iterator[re.Match[bytes]]:
    for line in roles.code.lines_in(roles.start, roles.end, *_BIT_WORDS):
        yield from BIT_CALL.finditer(roles.code.text, *line)


def _by_name(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Helpers that get a ballot or a lane from elsewhere, told by the names of what they get."""
    if 0 < roles.tile <= 32:
        return
    for hazard in _lane_bits(analysis, roles):
        yield replace(hazard, confidence=Confidence.POSSIBLE)
    for match in _bit_calls(roles):
        given = analysis.code.arguments(match.end() - 1)
        names = _NAMES.findall(analysis.code.slice(given[0])) if given else []
        if any(map(BALLOT_NAME.fullmatch, names)) and analysis.reachable(match.start()):
            yield _in_32(analysis, match, given[0].end, Confidence.POSSIBLE)


def _in_32(analysis: Analysis, match: re.Match[bytes], end: int, confidence: Confidence) -> Hazard:
    function = match[1].decode()
    twin = f" (use {WIDER[match[1]]})" if match[1] in WIDER else ""
    message = f"{function} looks at 32 bits of a ballot; it has 64{twin}"
    where = Span(match.start(), end)
    why = "lanes 32 to 63 are not counted"
    return analysis.hazard(Kind.BIT_COUNT, where, message, why, confidence=confidence, symbol=function)


def _lane_bits(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``1u << lane``, and the masks of lanes below or above one that are made with it."""
    lines = analysis.code.lines_in(roles.start, roles.end, b"<<", b">>")
    for match in (match for line in lines for match in _LANE_BIT.finditer(analysis.text, *line)):
        by = match["by"]
        if by == b"(":
            inner = analysis.code.arguments(match.start("by"))
            by = analysis.code.slice(inner[0]) if len(inner) == 1 else b""
        if not analysis.reachable(match.start()):
            continue
        if not _is_lane_number(roles, by) and not (roles.has_votes and _meets_ballot(analysis, roles, match)):
            continue
        where = Span(match.start(), match.end())
        yield analysis.hazard(
            Kind.LANE_BIT,
            where,
            f"{match['ones'].decode()} {match['shift'].decode()} {by.decode('utf-8', 'replace')} has 32 bits, a lane's number goes up to 63",
            "shifting 32 bits by 32 or more is undefined: upper lanes get another lane's bit",
            symbol=match["ones"].decode(),
        )


def _meets_ballot(analysis: Analysis, roles: Roles, match: re.Match[bytes]) -> bool:
    """``ballot & (1u << i)``: what a ballot is masked with is the bit of a lane."""
    line = analysis.code.line(match.start())
    before = analysis.text[line.start : match.start()]
    met = _MASKED.search(before)
    return bool(met and met[1] in roles.ballots)


def _is_lane_number(roles: Roles, text: bytes) -> bool:
    if not text:
        return False
    if roles.is_lane(text) or text in roles.sources:
        return True
    return any(word in roles.lanes for word in re.findall(rb"[A-Za-z_]\w*", text))


def _compared(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """A ballot compared with 32 ones: on 64 lanes it never is."""
    for match in roles.finditer(_FULL):
        ones = match["ones"]
        if re.fullmatch(rb"[A-Za-z_]\w*", ones) and ones not in analysis.names.masks:
            continue
        left = analysis.code.slice(operand_before(analysis.text, match.start()))
        if roles.is_ballot(left) and analysis.reachable(match.start()):
            start = operand_before(analysis.text, match.start()).start
            waits = match["test"] == b"!=" and _WHILE.search(analysis.text, max(0, start - _NEAR), start)
            yield analysis.hazard(
                Kind.FULL_COMPARE,
                Span(start, match.end()),
                "a ballot is compared with 32 ones",
                "a full wave's ballot has 64 ones, so the loop never ends"
                if waits
                else "a full wave's ballot has 64 ones, so the test fails where all lanes agree",
                Consequence.HANG if waits else Consequence.WRONG_RESULT,
                Confidence.CERTAIN,
                ones.decode(),
            )
