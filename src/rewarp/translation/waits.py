"""Lanes that wait for one another: on NVIDIA's cards since Volta each goes on by itself, the lanes of a wave go on together."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import OF_HAZARDS

_MARKS = (b"atomicCAS", b"atomicExch", b"Idx.x < 32)", b"Idx.x >= 32)")
"""Locks, and branches for the first warp."""
_FIX = (
    "Have the lanes take it one after another: a loop over them, in which one takes the lock, works and frees it. "
    "`rewarp waves --fix` writes that where it sees the whole section."
)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return b"while" in view and any(mark in view for mark in _MARKS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Says it where they wait: the kernel compiles, and hangs."""
    from rewarp.waves import Confidence, Consequence, beyond_warps_of_32  # late: it takes a while to load

    changes = Changes()
    for hazard in beyond_warps_of_32(document):
        if hazard.consequence is Consequence.HANG:
            kind = "noted" if hazard.confidence is Confidence.POSSIBLE else "unsupported"
            message = f"{hazard.message}: {hazard.why}"
            rule = OF_HAZARDS[hazard.kind.name]
            changes.problems.append(Problem(rule, Span(*hazard.where), kind, message, _FIX, hazard.symbol))
    return changes
