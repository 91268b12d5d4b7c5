"""Shapes of vector registers whose number M0 adds to: v_movrel*, and gfx9's moves between s_set_gpr_idx_on and _off."""

from __future__ import annotations

import re

from rewarp.machine.assembly import Instruction
from rewarp.machine.dialects import CHOICE
from rewarp.machine.shapes.model import Encoded, Fields, Unsupported, encoded, raw, register, scalar_raw
from rewarp.machine.shapes.vector import plain_name

_BITS = {"SRC0": 1, "SRC1": 2, "SRC2": 4, "DST": 8}
_MOVES = {"v_movrels_b32": {"SRC0"}, "v_movreld_b32": {"DST"}, "v_movrelsd_b32": {"SRC0", "DST"}}


def is_indexed(instruction: Instruction) -> bool:
    """Whether registers are used that the text does not name."""
    return instruction.mnemonic.startswith(("v_movrel", "s_set_gpr_idx_on"))


def encode(instruction: Instruction) -> Encoded | None:
    name = plain_name(instruction.mnemonic)
    if name == "s_set_gpr_idx_on":
        return _turned_on(instruction)
    if name == "v_mov_b32_relative":
        return _moved(instruction, set(instruction.flags) & {"SRC0", "DST"}, "(w->s[M0] & 255)")
    if name in _MOVES:
        return _moved(instruction, _MOVES[name], "w->s[M0]")
    return None


def _turned_on(instruction: Instruction) -> Encoded:
    match = CHOICE.search(instruction.text)
    chosen = re.split(r",\s*", match[1]) if match else []
    if not chosen or not set(chosen) <= set(_BITS):
        raise Unsupported(instruction)
    fields = Fields(k=sum(_BITS[one] for one in chosen) << 12)
    index = scalar_raw("a", instruction.operands[0], "u", fields, instruction)
    return encoded(fields, f"w->s[M0] = (w->s[M0] & 0xffff0f00) | ({index} & 255) | (u32)op->k;", "NEXT;")


def _moved(instruction: Instruction, relative: set[str], index: str) -> Encoded:
    """A number beyond the last register means none on a card; here it stays among those that a wave has."""
    to, from_ = instruction.operands
    fields = Fields(d=register(to))
    value = raw("a", from_, "u", fields, instruction)
    if "SRC0" in relative and from_.kind == "v":
        value = f"(*reg(w, (op->a + {index}) & 255))"
    elif "SRC0" in relative and from_.kind != "k":
        raise Unsupported(instruction, "a relative source that is no vector register")
    place = f"(op->d + {index}) & 255" if "DST" in relative else "op->d"
    return encoded(fields, f"vu32 x = {value};", f"put(w, {place}, x);", "NEXT;")
