"""Warps that wait for one another. Two of them are one wave of 64: while some of its lanes wait, the others do not go on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.analysis import Analysis
from rewarp.waves.brackets import closing
from rewarp.waves.functions import Function
from rewarp.waves.model import Confidence, Consequence, Hazard, Kind

_SPIN = re.compile(
    rb"while(?<!\wwhile)\s*\((?P<test>(?:[^;{}()]|\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\))*)\)\s*(?:;|\{\s*;?\s*\})"
)
_TAKES_LOCK = re.compile(rb"\b(atomic(?:CAS|Exch|Or))\s*\(")
_IF = re.compile(rb"if(?<!\wif)\s*(?=\()")
_BRACE = re.compile(rb"\s*\{")
_ELSE = re.compile(rb"\s*else\s*\{")
_BARRIER = re.compile(rb"__syncthreads(?<!\w__syncthreads)\s*\(")
_WIDTH = rb"(?:32|\w*(?i:warp_?size)\w*)"
_LEADER = re.compile(
    rb"%\s*" + _WIDTH + rb"\s*\)?\s*==\s*0|&\s*31\s*\)\s*==\s*0|\b(?:\w+_)?[lL]ane(?:_?[iI]dx?)?\s*==\s*0"
)
_BY_WARP = re.compile(
    rb"\b(?:threadIdx\s*\.\s*x|tid|tx)\s*(?:<|>=)\s*" + _WIDTH + rb"\b"
    rb"|\b(?:warp(?:_?(?:id|idx|index|num|Id|Idx))?|wid)\s*(?:[<>]=?|[!=]=)"
)
_NAME = re.compile(rb"[A-Za-z_]\w*")


def find(analysis: Analysis) -> Iterator[Hazard]:
    if not analysis.code.lines_with(b"while", b"__syncthreads"):
        return
    for function in analysis.code.functions:
        body = analysis.code.slice(function.body)
        if not function.is_macro and b"Idx" in body:
            if b"while" in body:
                yield from _spins(analysis, function)
            if b"__syncthreads" in body and b"else" in body:
                yield from _barriers(analysis, function)


def _spins(analysis: Analysis, function: Function) -> Iterator[Hazard]:
    for match in _SPIN.finditer(analysis.text, *function.body):
        if not analysis.reachable(match.start()):
            continue
        conditions = [
            test for test, block in _branches(analysis.text, function) if block.start < match.start() < block.end
        ]
        lock = _TAKES_LOCK.search(match["test"])
        where = Span(*match.span())
        if lock and any(map(_LEADER.search, conditions)):
            yield _hang(
                analysis,
                where,
                "the leaders of two warps wait for one lock",
                "both are lanes of one wave: the one that waits keeps the one that holds the lock from going on",
                lock[1].decode(),
            )
        elif (
            not lock
            and any(map(_BY_WARP.search, conditions))
            and _is_set(analysis.text, function, where, match["test"])
        ):
            yield _hang(
                analysis,
                where,
                "one warp waits for another of its block",
                "both are lanes of one wave: those that wait keep the others from going on",
                "while",
            )


def _is_set(text: bytes, function: Function, spin: Span, test: bytes) -> bool:
    """Whether the function itself writes to what it waits for."""
    return any(
        not spin.start <= found.start() < spin.end
        for name in set(_NAME.findall(test))
        for found in re.compile(rb"\b" + name + rb"(?:\[[^\]]*\])?\s*=(?!=)").finditer(text, *function.body)
    )


def _barriers(analysis: Analysis, function: Function) -> Iterator[Hazard]:
    """``if (warp == 0) { … __syncthreads(); } else { … __syncthreads(); }``"""
    text = analysis.text
    for test, block in _branches(text, function):
        other = _ELSE.match(text, block.end)
        first = _BARRIER.search(text, *block)
        if not (other and first and _BY_WARP.search(test) and analysis.reachable(first.start())):
            continue
        if _BARRIER.search(text, other.end(), closing(text, other.end() - 1)):
            yield _hang(
                analysis,
                Span(first.start(), first.end() - 1),
                "the warps of a block meet at two barriers",
                "both are lanes of one wave, which comes to the barriers one after the other",
                "__syncthreads",
            )


def _branches(text: bytes, function: Function) -> Iterator[tuple[bytes, Span]]:
    """The conditions of a function that tell warps apart, and the blocks that stand under them."""
    for match in _IF.finditer(text, *function.body):
        end = closing(text, match.end())
        test = text[match.end() : end]
        brace = _BRACE.match(text, end) if _BY_WARP.search(test) or _LEADER.search(test) else None
        if brace:
            yield test, Span(brace.end() - 1, closing(text, brace.end() - 1, len(text)))


def _hang(analysis: Analysis, where: Span, message: str, why: str, symbol: str) -> Hazard:
    return analysis.hazard(Kind.IMPLICIT_SYNC, where, message, why, Consequence.HANG, Confidence.LIKELY, symbol)
