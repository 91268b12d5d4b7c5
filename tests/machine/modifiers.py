"""Modifiers, and forms of instructions that reach into parts of registers or into other lanes: what they do, said once more, for
one plain instruction each. What the instruction itself computes is held against AMD's pseudocode elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Lanes = np.ndarray
_BYTES = {
    "BYTE_0": (0, 8),
    "BYTE_1": (8, 8),
    "BYTE_2": (16, 8),
    "BYTE_3": (24, 8),
    "WORD_0": (0, 16),
    "WORD_1": (16, 16),
    "DWORD": (0, 32),
}


# --- SDWA -----------------------------------------------------------------------------------


def selected(words: Lanes, name: str, signed: bool = False) -> Lanes:
    """A byte or a half of each register."""
    first, width = _BYTES[name]
    part = words >> np.uint32(first) & np.uint32((1 << width) - 1)
    if not signed or width == 32:
        return part
    top = np.uint32(1 << (width - 1))
    return (part ^ top) - top


def placed(result: Lanes, old: Lanes, name: str, unused: str) -> Lanes:
    """The result as a byte or half of the target; the rest zero, the sign, or what was there."""
    first, width = _BYTES[name]
    mask = np.uint32(((1 << width) - 1) << first)
    part = result << np.uint32(first) & mask
    if unused == "UNUSED_PRESERVE":
        return part | (old & ~mask)
    if unused == "UNUSED_SEXT":
        negative = part >> np.uint32(first + width - 1) & np.uint32(1)
        above = np.uint32(0xFFFFFFFF ^ ((1 << (first + width)) - 1) & 0xFFFFFFFF)
        return np.where(negative == 1, part | above, part)
    return part


# --- DPP ------------------------------------------------------------------------------------

Source = Callable[[int], "int | None"]


def _in_row(lane: int, at: int) -> int | None:
    return (lane & ~15) + at if 0 <= at < 16 else None


def _broadcast(lane: int, width: int) -> int | None:
    first = lane // (width + 1) * (width + 1)
    return first - 1 if first else None


CONTROLS: dict[str, Source] = {
    "quad_perm:[3,0,2,1]": lambda lane: (lane & ~3) + (3, 0, 2, 1)[lane & 3],
    "row_shl:3": lambda lane: _in_row(lane, (lane & 15) + 3),
    "row_shr:5": lambda lane: _in_row(lane, (lane & 15) - 5),
    "row_ror:7": lambda lane: _in_row(lane, ((lane & 15) - 7) % 16),
    "row_mirror": lambda lane: (lane & ~15) + 15 - (lane & 15),
    "row_half_mirror": lambda lane: (lane & ~7) + 7 - (lane & 7),
}
GFX9_CONTROLS: dict[str, Source] = {
    **CONTROLS,
    "wave_shl:1": lambda lane: lane + 1 if lane < 63 else None,
    "wave_rol:1": lambda lane: (lane + 1) % 64,
    "wave_shr:1": lambda lane: lane - 1 if lane else None,
    "wave_ror:1": lambda lane: (lane - 1) % 64,
    "row_bcast:15": lambda lane: _broadcast(lane, 15),
    "row_bcast:31": lambda lane: _broadcast(lane, 31),
    "row_newbcast:6": lambda lane: (lane & ~15) + 6,
}
GFX11_CONTROLS: dict[str, Source] = {
    **CONTROLS,
    "row_share:9": lambda lane: (lane & ~15) + 9,
    "row_xmask:6": lambda lane: (lane & ~15) + ((lane & 15) ^ 6),
}


def moved(
    words: Lanes, old: Lanes, on: np.ndarray, source: Source, row_mask: int, bank_mask: int, bound: bool, inactive: bool
) -> Lanes:
    """v_mov_b32_dpp: from other lanes; lanes of rows and banks that are masked keep what they had, and so do those whose source
    is not there or off, unless bound_ctrl makes it zero."""
    found = old.copy()
    for lane in range(len(words)):
        if not on[lane] or not row_mask >> (lane // 16) & 1 or not bank_mask >> (lane // 4 % 4) & 1:
            continue
        at = source(lane)
        if at is not None and at < len(words) and (on[at] or inactive):
            found[lane] = words[at]
        elif bound:
            found[lane] = 0
    return found
