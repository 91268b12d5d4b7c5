"""Groups as wide as a warp, lane registers in PTX, and matrix fragments that a warp of 32 holds together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.cub_warps import warp_classes
from rewarp.waves.reading.groups import is_within_a_warp
from rewarp.waves.reading.vocabulary import Words

_COALESCED = re.compile(rb"\bcoalesced_threads\s*\(\s*\)")
_DECLARED = re.compile(rb"\b(?!(?:return|else|throw|case)\b)[A-Za-z_]\w*[\s&*]+\Z")
"""A type before the name: a function of the project's own that is called so."""
_META = re.compile(rb"\b(?:meta_group_size|meta_group_rank)\s*\(\s*\)")
_PTX = re.compile(
    r"%?%(laneid|lanemask_\w\w|warpid|nwarpid)\b|\b(vote(?:\.sync)?\.(?:ballot|any|all|uni)\S*|shfl\.(?:sync\.)?\w+\.b32|activemask\.b32|match\.\w+\.sync\S*|redux\.sync\S*)|\bbar(?:rier)?(?:\.cta)?\.(?:sync|arrive|warp)\b"
)
_LONGEST_TYPE = 80
_PTX_WORDS = Words(
    *(b"laneid", b"lanemask_", b"warpid", b"vote.", b"shfl.", b"activemask.", b"match.", b"redux."),
    *(b"bar.", b"barrier."),
)
_FRAGMENT = re.compile(rb"\b(?:wmma\s*::\s*)?fragment\s*<")
_MATRIX_THREADS = re.compile(rb"\bWMMA\w*\s*\*\s*32\b|\b32\s*\*\s*\w*WMMA\w*|\bWMMA\w*\s*\*\s*\w*WARP_?SIZE\w*")


def find(analysis: Analysis) -> Iterator[Hazard]:
    yield from _cooperative(analysis)
    yield from _library(analysis)
    yield from _ptx(analysis)
    yield from _matrices(analysis)


def _cooperative(analysis: Analysis) -> Iterator[Hazard]:
    for match in analysis.on_lines(_COALESCED, b"coalesced_threads"):
        if is_within_a_warp(analysis.text, match.start()) or _DECLARED.search(
            analysis.text, max(0, match.start() - _LONGEST_TYPE), match.start()
        ):
            continue
        yield analysis.hazard(
            Kind.GROUPS,
            Span(*match.span()),
            "coalesced_threads holds up to 64 threads",
            "sizes, ranks and ballots of the group go past 32",
            confidence=Confidence.POSSIBLE,
            symbol="coalesced_threads",
        )
    for match in analysis.on_lines(_META, b"meta_group_"):
        roles = analysis.roles_at(match.start())
        if roles and roles.tile != 32 and not 0 < roles.tile < 32:
            yield analysis.hazard(
                Kind.GROUPS,
                Span(*match.span()),
                "how many groups a block has follows the width of the wave",
                "with 64 lanes there are half as many groups",
                confidence=Confidence.POSSIBLE,
                symbol=match[0].split(b"(")[0].decode().strip(),
            )


def _library(analysis: Analysis) -> Iterator[Hazard]:
    """CUB's classes without a width; those of code that asks for the width elsewhere may be meant so."""
    sure = Confidence.POSSIBLE if analysis.names.portable else Confidence.LIKELY
    for used in warp_classes(analysis.text):
        if used.is_cudas and used.takes_width and analysis.reachable(used.where.start):
            name = f"{used.scope.decode()}::{used.name.decode()}"
            yield analysis.hazard(
                Kind.GROUPS,
                used.where,
                f"{name} is as wide as the wave",
                "it takes the lanes of two warps together: one result where there were two",
                confidence=sure,
                symbol=name,
            )


def _ptx(analysis: Analysis) -> Iterator[Hazard]:
    """String literals of ``asm`` that read lanes. Every one of them also is inline PTX, which other rules speak of."""
    if b"asm" not in analysis.text or not _PTX_WORDS.any_in(analysis.document.source.view):
        return
    for literal in analysis.document.literals:
        found = _PTX.search(literal.text)
        if not found or not analysis.reachable(literal.where.start) or not _in_asm(analysis.text, literal.where.start):
            continue
        register = found[1] or found[2] or found[0]
        lanes = bool(found[1] or found[2])
        yield analysis.hazard(
            Kind.PTX_LANE,
            literal.where,
            f"PTX reads {register} for a warp of 32 lanes" if lanes else f"PTX {register} has another name in HIP",
            "masks of lanes have 64 bits and lane numbers go up to 63; AMD's compiler does not read PTX"
            if lanes
            else "AMD's compiler does not read PTX",
            Consequence.COMPILE_ERROR,
            Confidence.CERTAIN if lanes else Confidence.LIKELY,
            register,
            on_any_width=True,
        )


def _in_asm(text: bytes, at: int) -> bool:
    before = text[max(0, at - 400) : at]
    index = max(before.rfind(b"asm"), before.rfind(b";"))
    return before[index : index + 3] == b"asm"


def _matrices(analysis: Analysis) -> Iterator[Hazard]:
    for match in analysis.on_lines(_MATRIX_THREADS, b"WMMA"):
        yield analysis.hazard(
            Kind.MATRIX,
            Span(*match.span()),
            "the threads that hold matrix fragments are counted by 32",
            "a fragment is held by a wave: 64 threads on CDNA",
            confidence=Confidence.LIKELY,
        )
    told: set[int] = set()
    for match in analysis.on_lines(_FRAGMENT, b"fragment"):
        roles = analysis.roles_at(match.start())
        if roles and b"wmma" in roles.text and roles.start not in told:
            told.add(roles.start)
            yield analysis.hazard(
                Kind.MATRIX,
                Span(*match.span()),
                "a matrix fragment is held by a warp",
                "rocWMMA holds it in 64 lanes on CDNA: elements sit elsewhere, and a block needs whole waves",
                Consequence.COMPILE_ERROR,
                Confidence.POSSIBLE,
                "fragment",
                on_any_width=True,
            )
