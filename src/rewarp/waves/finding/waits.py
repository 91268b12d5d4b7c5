"""Warps that wait for one another. Two of them are one wave of 64: while some of its lanes wait, the others do not go on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.functions import Function
from rewarp.waves.reading.spin_locks import IN_TURN, WIDTH, Takers, locks, tries
from rewarp.waves.reading.statements import conditions

_SPIN = re.compile(
    rb"while(?<!\wwhile)\s*\((?P<test>(?:[^;{}()]|\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\))*)\)\s*(?:;|\{\s*;?\s*\})"
)
_BRACE = re.compile(rb"\s*\{")
_ELSE = re.compile(rb"\s*else\s*\{")
_BARRIER = re.compile(rb"__syncthreads(?<!\w__syncthreads)\s*\(")
_BY_WARP = re.compile(
    rb"\b(?:threadIdx\s*\.\s*x|tid|tx)\s*(?:<|>=)\s*" + WIDTH + rb"\b"
    rb"|\b(?:warp(?:_?(?:id|idx|index|num|Id|Idx))?|wid)\s*(?:[<>]=?|[!=]=)"
)
_NAME = re.compile(rb"[A-Za-z_]\w*")


def find(analysis: Analysis) -> Iterator[Hazard]:
    if analysis.code.offsets_of(b"atomic") and analysis.code.lines_with(b"while"):
        yield from _locks(analysis)
        yield from _tries(analysis)
    if not analysis.code.lines_with(b"while", b"__syncthreads"):
        return
    for function in analysis.code.functions:
        body = analysis.code.slice(function.body)
        if not function.is_macro and b"Idx" in body:
            if b"while" in body:
                yield from _spins(analysis, function)
            if b"__syncthreads" in body and b"else" in body:
                yield from _barriers(analysis, function)


def _locks(analysis: Analysis) -> Iterator[Hazard]:
    for lock in locks(analysis):
        if lock.section and IN_TURN.search(analysis.text, max(0, lock.section.start - 80), lock.section.start):
            continue
        leaders = lock.takers is Takers.LEADERS
        yield _hang(
            analysis,
            lock.where,
            "the leaders of two warps wait for one lock" if leaders else "lanes of one wave may wait for one lock",
            f"{'both' if leaders else 'they'} are lanes of one wave: the one that waits keeps the one that holds the lock "
            "from going on",
            lock.how,
            Confidence.LIKELY if lock.sure else Confidence.POSSIBLE,
            on_any_width=not leaders,
        )


def _tries(analysis: Analysis) -> Iterator[Hazard]:
    for lock in tries(analysis):
        if lock.takers is Takers.LANES:
            yield _hang(
                analysis,
                lock.where,
                "lanes of one wave may wait for one lock",
                "what a lane does before it leaves the loop comes after the loop, and the lane that has the lock waits for the others",
                lock.how,
                Confidence.LIKELY if lock.sure else Confidence.POSSIBLE,
                on_any_width=True,
            )


def _spins(analysis: Analysis, function: Function) -> Iterator[Hazard]:
    for match in _SPIN.finditer(analysis.text, *function.body):
        if not analysis.reachable(match.start()) or b"atomic" in match["test"]:
            continue
        where = Span(*match.span())
        around = conditions(analysis.text, function.body, _BY_WARP)
        if any(match.start() in range(*item.then) for item in around) and _is_set(
            analysis.text, function, where, match["test"]
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
    for condition in conditions(text, function.body, _BY_WARP):
        brace = _BRACE.match(text, condition.then.start)
        if brace is None:
            continue
        block = Span(brace.start(), closing(text, brace.end() - 1, len(text)))
        other = _ELSE.match(text, block.end)
        first = _BARRIER.search(text, *block)
        if not (other and first and analysis.reachable(first.start())):
            continue
        if _BARRIER.search(text, other.end(), closing(text, other.end() - 1)):
            yield _hang(
                analysis,
                Span(first.start(), first.end() - 1),
                "the warps of a block meet at two barriers",
                "both are lanes of one wave, which comes to the barriers one after the other",
                "__syncthreads",
            )


def _hang(
    analysis: Analysis,
    where: Span,
    message: str,
    why: str,
    symbol: str,
    confidence: Confidence = Confidence.LIKELY,
    *,
    on_any_width: bool = False,
) -> Hazard:
    return analysis.hazard(
        Kind.IMPLICIT_SYNC, where, message, why, Consequence.HANG, confidence, symbol, on_any_width=on_any_width
    )
