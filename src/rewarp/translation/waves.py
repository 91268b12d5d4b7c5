"""What still counts on 32 lanes once the support header's warps of 32 stand for CUDA's."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.lang.cfamily import CodeFile
from rewarp.source import Span
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Changes, Options, Problem

_RULES = {
    "MASK_32": "WAV-001",
    "BALLOT_32": "WAV-002",
    "BIT_COUNT": "WAV-002",
    "FULL_COMPARE": "WAV-002",
    "LANE_BIT": "WAV-002",
    "LANE_ARITHMETIC": "WAV-003",
    "WIDTH_CONSTANT": "WAV-004",
    "SHIFT_CONSTANT": "WAV-004",
    "LOOP": "WAV-005",
    "SHARED_SIZE": "WAV-006",
    "LAUNCH_GEOMETRY": "WAV-007",
    "LAUNCH_BOUNDS": "WAV-007",
    "IMPLICIT_SYNC": "WAV-008",
    "VOLATILE_TAIL": "WAV-008",
    "GROUPS": "WAV-009",
    "MATRIX": "WAV-009",
}
"""PTX is not among them: its own translation speaks of every piece that is left."""
_WORDS = (b"coalesced_threads", b"meta_group_")
_LIBRARIES = (b"cub", b"rocprim")
_LIBRARY_WORDS = (b"::Warp", b":: Warp")
"""Whatever sees the whole wave in a translated file is one of these."""
_FIX = "Count with the width of the wave here, or have it work in groups of 32: a tile, a logical width."


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if any(word in view for word in _WORDS):
        return True
    by_library = any(word in lexed.vocabulary for word in _LIBRARIES)
    return by_library and any(word in view for word in _LIBRARY_WORDS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Changes nothing; notes each place that the header does not reach."""
    from rewarp.waves import beyond_warps_of_32  # late: few files need it, and it takes a while to load

    changes = Changes()
    for hazard in beyond_warps_of_32(document):
        rule = _RULES.get(hazard.kind.name)
        if rule:
            message = f"{hazard.message}: {hazard.why}"
            changes.problems.append(Problem(rule, Span(*hazard.where), "noted", message, _FIX, hazard.symbol))
    return changes
