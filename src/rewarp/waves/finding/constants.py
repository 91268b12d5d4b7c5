"""Constants, macros, enumerators and template parameters that fix the size of a warp."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing, opening
from rewarp.waves.reading.statements import statement_end
from rewarp.waves.reading.vocabulary import HALF_NAME, PLATFORM_WIDTHS, SHUFFLE, SHUFFLE_HELPER, WIDTH_NAME

_WHY = "everything that is worked out from it leaves half of a 64-wide wave out, or takes one wave for two warps"
_WHY_64 = "RDNA GPUs have waves of 32 lanes"
_NEEDS_NUMBER = re.compile(
    rb"\bconstexpr\b[^;={}]*=[^;{}]*\bwarpSize\b|\b__shared__\b[^;{}=]*\[[^\];]*\bwarpSize\b[^\];]*\]|<\s*warpSize\s*[,>]"
)
_MEMBER = rb"((?:\w+(?:\.|->|::))*(?P<SIDE>[A-Za-z_]\w*))"
_CHECK = re.compile(
    rb"\b"
    + _MEMBER.replace(b"SIDE", b"left")
    + rb"\s*[!=]=\s*32\b|\b32\s*[!=]=\s*"
    + _MEMBER.replace(b"SIDE", b"right")
)
_DEFAULT = re.compile(rb"\b(\w*[wW]idth\w*)\s*=\s*32[uU]?(?=\s*[,)])")
_SIZE_NAME = re.compile(rb"(?i)(?!\w*(?:logical|sub_?warp|virtual))\w*warp_?size\w*")
_OF_THREADS = re.compile(rb"(?i)threads|block_?(?:size|dim)")
_BOTH_CASES = re.compile(rb"\s*\?|[^;{}\n]*[!=]=\s*64\b")
_COMPILED_CASE = re.compile(rb"\bif\s+constexpr\s*\([^;{}]*\Z")
_IF = re.compile(rb"\bif\s*\Z")
_ELSE = re.compile(rb"\s*else\b")
_ASSIGNED = re.compile(rb"\b([A-Za-z_]\w*)\s*=(?!=)\s*([^;={}]*(?<![\w.])32[uU]?(?![\w.])[^;={}]*);")


def find(analysis: Analysis) -> Iterator[Hazard]:
    names = analysis.names
    logical = (
        analysis.functions and not analysis.any_warp_code and any(roles.keeps_to_32 for roles in analysis.functions)
    )
    for name in analysis.meaning_width & names.constants.keys() | names.halves:
        if logical and name not in names.halves:
            continue
        for place in names.constants[name]:
            value = place.value
            yield analysis.hazard(
                Kind.WIDTH_CONSTANT, place.where, f"{name.decode()} is fixed at {value}", _WHY, symbol=name.decode()
            )
    for shift, places in analysis.meaning_shift.items():
        message = f"{shift.decode()} is fixed at 5, for 32 lanes"
        for where in places:
            yield analysis.hazard(Kind.SHIFT_CONSTANT, where, message, _WHY, symbol=shift.decode())
    yield from _by_comment(analysis)
    yield from _fixed_at_64(analysis)
    yield from _assigned(analysis)
    yield from _taken_for_constant(analysis)
    yield from _defaults(analysis)
    for match in analysis.on_lines(_CHECK, b"32"):
        name = match["left"] or match["right"]
        means_width = name in analysis.meaning_width or _SIZE_NAME.fullmatch(name) or WIDTH_NAME.fullmatch(name)
        if not means_width or _is_one_of_two(analysis, match):
            continue
        checked = (match[1] or match[3]).decode()
        message = f"{checked} is checked to be 32: the code counts on it"
        yield analysis.hazard(Kind.WIDTH_CONSTANT, Span(*match.span()), message, _WHY, symbol=checked)


def _by_comment(analysis: Analysis) -> Iterator[Hazard]:
    """``constexpr int kThreads = 32;  // one warp``"""
    others = analysis.names.thirty_twos - analysis.meaning_width if analysis.any_warp_code else frozenset()
    for name in others:
        for place in analysis.names.constants[name]:
            if _OF_THREADS.search(name) and analysis.says_warp(place.where.start):
                message = f"{name.decode()} is 32, and its line speaks of warps"
                yield analysis.hazard(
                    Kind.WIDTH_CONSTANT,
                    place.where,
                    message,
                    _WHY,
                    confidence=Confidence.POSSIBLE,
                    symbol=name.decode(),
                )


def _is_one_of_two(analysis: Analysis, check: re.Match[bytes]) -> bool:
    """``width == 32 ? a : b``, ``if constexpr (width == 32)``, ``if (width == 32) … else …``: the other case is written down as well."""
    text, line = analysis.text, analysis.code.line(check.start())
    if _BOTH_CASES.match(text, check.end()) or _COMPILED_CASE.search(text, line.start, check.start()):
        return True
    bracket = opening(text, check.start())
    if bracket < 0 or b"==" not in check[0] or not _IF.search(text, 0, bracket):
        return False
    return _ELSE.match(text, statement_end(text, closing(text, bracket))) is not None


def _fixed_at_64(analysis: Analysis) -> Iterator[Hazard]:
    """A width of 64 outside any branch: right on CDNA, wrong on RDNA and on NVIDIA."""
    for name, places in analysis.names.constants.items():
        if not WIDTH_NAME.fullmatch(name) or HALF_NAME.fullmatch(name) or name in PLATFORM_WIDTHS:
            continue
        if {place.value for place in places} == {64}:
            yield analysis.hazard(
                Kind.WIDTH_CONSTANT,
                places[0].where,
                f"{name.decode()} is fixed at 64",
                _WHY_64,
                confidence=Confidence.POSSIBLE,
                symbol=name.decode(),
            )


def _assigned(analysis: Analysis) -> Iterator[Hazard]:
    """A variable for a warp's size that gets 32 in one of several cases."""
    for match in analysis.on_lines(_ASSIGNED, b"32"):
        if WIDTH_NAME.fullmatch(match[1]) and re.search(rb"[?<(,]", match[2]):
            name = match[1].decode()
            yield analysis.hazard(
                Kind.WIDTH_CONSTANT,
                Span(*match.span()),
                f"{name} is at most 32",
                _WHY,
                confidence=Confidence.LIKELY,
                symbol=name,
            )


def _defaults(analysis: Analysis) -> Iterator[Hazard]:
    """``int width = 32``, the width of a project's own shuffle where its caller names none."""
    for match in analysis.on_lines(_DEFAULT, b"32"):
        function = analysis.code.function_at(match.start())
        name = function.name.encode() if function and match.start() < function.body.start else b""
        if SHUFFLE.fullmatch(name) or SHUFFLE_HELPER.fullmatch(name):
            message = f"{name.decode()} goes among 32 lanes where nothing else is said"
            yield analysis.hazard(Kind.WIDTH_CONSTANT, Span(*match.span()), message, _WHY, symbol=match[1].decode())


def _taken_for_constant(analysis: Analysis) -> Iterator[Hazard]:
    """``warpSize`` where the compiler needs a number: it was one in HIP before ROCm 7, and never in CUDA."""
    for match in analysis.on_lines(_NEEDS_NUMBER, b"warpSize"):
        yield analysis.hazard(
            Kind.WIDTH_CONSTANT,
            Span(*match.span()),
            "warpSize is used as a constant",
            "it is known when the program runs, not when it is compiled (since ROCm 7)",
            Consequence.COMPILE_ERROR,
            Confidence.LIKELY,
            "warpSize",
            on_any_width=True,
        )
