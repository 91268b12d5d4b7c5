"""Ballots that go on into other variables and into memory made of 32-bit words, and what reads them there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import VOTE_CALL

_LOST = "the votes of lanes 32 to 63 are lost"
_TO_MEMORY = re.compile(rb"\b(?P<array>[A-Za-z_]\w*)\s*\[[^;=\n]*\]\s*=\s*(?P<value>[A-Za-z_]\w*)\s*(?P<end>[;(])")
_ATOMIC = re.compile(rb"\b(atomic(?:Or|And|Xor|Exch))\s*\(")
_NARROW_TYPE = rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint|int32_t)"


def find(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    told = {name for name, _, value in roles.assigned if roles.votes(analysis.code.slice(value))}
    for name in roles.ballots - told:
        declared = roles.declared.get(name)
        if declared and declared.bits == 32 and analysis.reachable(declared.where.start):
            yield narrow(
                analysis, declared.where, f"{name.decode()} keeps a ballot in 32 bits; it has 64", name.decode()
            )
    yield from _to_memory(analysis, roles)
    yield from _to_atomics(analysis, roles)


def _to_memory(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    stores: dict[bytes, list[Span]] = {}
    for match in roles.finditer(_TO_MEMORY):
        voted = VOTE_CALL.match(analysis.text, match.start("value")) is not None
        held = match["end"] == b";" and match["value"] in roles.ballots
        if (voted or held) and analysis.reachable(match.start()):
            stores.setdefault(match["array"], []).append(Span(match.start(), match.end("value")))
    for name, places in stores.items():
        if _is_wide(analysis, name):
            continue
        symbol = name.decode()
        words = _declared_words(analysis, roles, name)
        for place in places:
            message = f"a ballot is stored in {symbol}: its words need 64 bits"
            yield narrow(analysis, place, message, symbol, known=bool(words))
        for word in words:
            yield narrow(analysis, Span(*word.span()), f"{symbol} holds ballots in words of 32 bits", symbol)
        yield from _read_back(analysis, name)


def _to_atomics(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``atomicOr(&words[i], ballot)``: words of 32 bits, unless something says otherwise."""
    for match in roles.finditer(_ATOMIC):
        given = analysis.code.arguments(match.end() - 1)
        value = analysis.code.slice(given[1]) if len(given) > 1 else b""
        if (value in roles.ballots or roles.votes(value)) and analysis.reachable(match.start()):
            name = match[1].decode()
            message = f"{name} puts a ballot into memory: its words need 64 bits"
            yield narrow(analysis, Span(match.start(), given[1].end), message, name, known=False)


def _declared_words(analysis: Analysis, roles: Roles, name: bytes) -> list[re.Match[bytes]]:
    """Where memory of this name is declared with words of 32 bits: a function's own array, or that of a class, and any
    pointer, since one kernel writes what another one reads."""
    pointer = rb"\s*(?:const\s*)?\*\s*(?:const\s+|__restrict__\s+)?" + re.escape(name) + rb"\b"
    array = re.compile(_NARROW_TYPE + rb"\s+" + re.escape(name) + rb"\s*(?=\[)")
    arrays = list(roles.finditer(array)) or list(array.finditer(analysis.text))
    return [*arrays, *re.finditer(_NARROW_TYPE + pointer, analysis.text)]


def _is_wide(analysis: Analysis, name: bytes) -> bool:
    """Whether a pointer or an array of this name is declared with words of 64 bits."""
    wide = (
        rb"\b(?:long|u?int64_t|size_t)\s*(?:const\s*)?[*\s]\s*(?:const\s+|__restrict__\s+)?" + re.escape(name) + rb"\b"
    )
    return re.search(wide, analysis.text) is not None


def _read_back(analysis: Analysis, memory: bytes) -> Iterator[Hazard]:
    """What was stored as a ballot is one where it is read again, in another function as well."""
    read = re.compile(
        rb"\b(?P<name>[A-Za-z_]\w*)\s*(?:\[[^;=\n]*\]\s*)?=\s*(?:\w+\s*(?:\.|->)\s*)*" + re.escape(memory) + rb"\s*\["
    )
    for match in analysis.each(read):
        symbol = match["name"].decode()
        message = f"{symbol} gets a ballot back from {memory.decode()}; it has 64 bits"
        function = analysis.code.function_at(match.start())
        declared = analysis.roles_of(function).declared.get(match["name"]) if function else None
        if declared and declared.bits != 32:
            continue
        yield narrow(analysis, Span(*match.span()), message, symbol, known=bool(declared))
        if declared:
            yield narrow(analysis, declared.where, f"{symbol} keeps a ballot in 32 bits; it has 64", symbol)


def narrow(analysis: Analysis, where: Span, message: str, symbol: str, *, known: bool = True) -> Hazard:
    confidence = Confidence.CERTAIN if known else Confidence.POSSIBLE
    return analysis.hazard(Kind.BALLOT_32, where, message, _LOST, confidence=confidence, symbol=symbol)
