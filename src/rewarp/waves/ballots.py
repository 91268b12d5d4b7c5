"""Ballots: one bit a lane, 64 of them on a 64-wide wave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.source import Span
from rewarp.waves.analysis import Analysis
from rewarp.waves.model import Confidence, Consequence, Hazard, Kind
from rewarp.waves.roles import Roles
from rewarp.waves.syntax import arguments, operand_before
from rewarp.waves.vocabulary import ALL_ONES, BALLOT_NAME, BIT_CALL, VOTE_CALL, WIDER

_LOST = "the votes of lanes 32 to 63 are lost"
_LANE_BIT = re.compile(
    rb"(?<![\w.])(?P<ones>1[uU]?|\(\s*(?:unsigned|uint32_t|int|unsigned\s+int)\s*\)\s*1[uU]?|(?:unsigned|uint32_t|uint)\s*\(\s*1[uU]?\s*\)"
    rb"|-\s*1|~\s*0[uU]?|0[xX][fF]{8}[uU]?)\s*(?P<shift><<|>>)\s*(?P<by>\(|[A-Za-z_][\w.]*)"
)
_FULL = re.compile(rb"(?P<test>[!=]=)\s*(?P<ones>" + ALL_ONES + rb"|[A-Za-z_]\w*)[uU]?(?![\w(.])")
_NAMES = re.compile(rb"(?<![\w.])[A-Za-z_]\w*\b(?!\s*\()")
_TO_MEMORY = re.compile(rb"\b(?P<array>[A-Za-z_]\w*)\s*\[[^;=\n]*\]\s*=\s*(?P<value>[A-Za-z_]\w*)\s*;")
_RETURN = re.compile(rb"\breturn\s+[^;]*$")
_NARROW_RETURN = re.compile(rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint|int32_t)\s+(?:\w+::)?\w+\s*\(")


def find(analysis: Analysis) -> Iterator[Hazard]:
    if not analysis.has_evidence:
        return
    for roles in analysis.functions:
        if not roles.has_votes and not roles.shuffles and not roles.has_sync and not roles.calls_warp_code:
            yield from _by_name(analysis, roles)
            continue
        if roles.has_votes and not 0 < roles.tile <= 32:
            yield from _kept(analysis, roles)
            yield from _stored(analysis, roles)
            yield from _handed_back(analysis, roles)
            yield from _compared(analysis, roles)
        elif roles.has_votes:
            yield from _tile_votes(analysis, roles)
        yield from _counted(analysis, roles)
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
            yield _narrow(analysis, declared.where, f"{symbol} keeps a ballot in 32 bits; it has 64", symbol)
        told.add(name)
        where = Span(declared.where.start if declared and declared.where.end == place.end else place.start, place.end)
        yield _narrow(
            analysis,
            where,
            f"the result of a ballot is kept in 32 bits by {symbol}; it has 64",
            symbol,
            known=bool(declared),
        )


def _stored(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Ballots that go on into other variables and into memory made of 32-bit words."""
    told = {name for name, _, value in roles.assigned if roles.votes(analysis.code.slice(value))}
    for name in roles.ballots - told:
        declared = roles.declared.get(name)
        if declared and declared.bits == 32 and analysis.reachable(declared.where.start):
            yield _narrow(
                analysis, declared.where, f"{name.decode()} keeps a ballot in 32 bits; it has 64", name.decode()
            )
    for match in roles.finditer(_TO_MEMORY):
        name = match["array"]
        if match["value"] not in roles.ballots or not analysis.reachable(match.start()):
            continue
        yield _narrow(
            analysis,
            Span(*match.span()),
            f"a ballot is stored in {name.decode()}: its words need 64 bits",
            name.decode(),
            known=False,
        )
        words = re.compile(
            rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint|int32_t)\s*\*\s*(?:const\s+|__restrict__\s+)?"
            + re.escape(name)
            + rb"\b"
        )
        for place in words.finditer(analysis.text):
            yield _narrow(
                analysis,
                Span(*place.span()),
                f"{name.decode()} holds ballots in words of 32 bits",
                name.decode(),
                known=False,
            )


def _narrow(analysis: Analysis, where: Span, message: str, symbol: str, *, known: bool = True) -> Hazard:
    confidence = Confidence.CERTAIN if known else Confidence.POSSIBLE
    return analysis.hazard(Kind.BALLOT_32, where, message, _LOST, confidence=confidence, symbol=symbol)


def _handed_back(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """A ballot returned from a function of 32 bits."""
    head = analysis.code.slice(roles.function.head)
    narrow = _NARROW_RETURN.search(head)
    if not narrow or roles.function.is_macro:
        return
    for match in roles.finditer(VOTE_CALL):
        before = analysis.text[max(roles.function.body.start, match.start() - 80) : match.start()]
        returned = _RETURN.search(before)
        if returned and roles.votes(returned[0][6:] + analysis.text[match.start() : match.end() + 60]):
            at = roles.function.head.start + narrow.start()
            yield _narrow(
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


def _counted(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Bits of a ballot, or of a mask of lanes, counted in 32."""
    if 0 < roles.tile <= 32 or not (roles.has_votes or roles.has_sync):
        return
    masks = roles.ballots | {name for name in roles.masks if b"ask" in name and name in roles.declared}
    masks |= {name for name in roles.declared if BALLOT_NAME.fullmatch(name)}
    for match in roles.finditer(BIT_CALL):
        given = arguments(analysis.text, match.end() - 1)
        if not given or not analysis.reachable(match.start()):
            continue
        text = analysis.code.slice(given[0])
        if VOTE_CALL.search(text) or not masks.isdisjoint(_NAMES.findall(text)):
            yield _in_32(analysis, match, given[0].end, Confidence.CERTAIN)


def _by_name(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Helpers that get a ballot or a lane from elsewhere, told by the names of what they get."""
    if 0 < roles.tile <= 32:
        return
    for hazard in _lane_bits(analysis, roles):
        yield replace(hazard, confidence=Confidence.POSSIBLE)
    for match in roles.finditer(BIT_CALL):
        given = arguments(analysis.text, match.end() - 1)
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
    for match in roles.finditer(_LANE_BIT):
        by = match["by"]
        if by == b"(":
            inner = arguments(analysis.text, match.start("by"))
            by = analysis.code.slice(inner[0]) if len(inner) == 1 else b""
        if not analysis.reachable(match.start()) or not _is_lane_number(roles, by):
            continue
        where = Span(match.start(), match.end())
        yield analysis.hazard(
            Kind.LANE_BIT,
            where,
            f"{match['ones'].decode()} {match['shift'].decode()} {by.decode('utf-8', 'replace')} has 32 bits, a lane's number goes up to 63",
            "shifting 32 bits by 32 or more is undefined: upper lanes get another lane's bit",
            symbol=match["ones"].decode(),
        )


def _is_lane_number(roles: Roles, text: bytes) -> bool:
    if not text:
        return False
    if roles.is_lane(text):
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
            yield analysis.hazard(
                Kind.FULL_COMPARE,
                Span(start, match.end()),
                "a ballot is compared with 32 ones",
                "a full wave's ballot has 64 ones, so the test fails where all lanes agree",
                confidence=Confidence.CERTAIN,
                symbol=ones.decode(),
            )
