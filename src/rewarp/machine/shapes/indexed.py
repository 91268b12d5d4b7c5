"""Shapes of vector registers whose number M0 adds to: v_movrel*, and gfx9's moves between s_set_gpr_idx_on and _off."""

from __future__ import annotations

from rewarp.machine.assembly import Instruction
from rewarp.machine.dialects import RELATIVE, relative_operands
from rewarp.machine.shapes.shape import Encoded, Fields, Unsupported, encoded, raw, register, scalar_raw
from rewarp.machine.shapes.vector import plain_name

_MOVES = {"v_movrels_b32": {"SRC0"}, "v_movreld_b32": {"DST"}, "v_movrelsd_b32": {"SRC0", "DST"}}


def is_indexed(instruction: Instruction) -> bool:
    """Whether registers are used that the text does not name."""
    return instruction.mnemonic.startswith(("v_movrel", "v_swaprel", "s_set_gpr_idx_on"))


def encode(instruction: Instruction) -> Encoded | None:
    name = plain_name(instruction.mnemonic)
    if name in ("s_set_gpr_idx_on", "s_set_gpr_idx_mode"):
        return _turned_on(instruction)
    if name == "s_set_gpr_idx_idx":
        fields = Fields()
        index = scalar_raw("a", instruction.operands[0], "u", fields, instruction)
        return encoded(fields, f"w->s[M0] = (w->s[M0] & 0xffffff00) | ({index} & 255);", "NEXT;")
    if name == "v_swaprel_b32":
        return _swapped(instruction)
    if name == "v_mov_b32_relative":
        return _moved(instruction, set(instruction.flags) & {"SRC0", "DST"}, "(w->s[M0] & 255)")
    if name in _MOVES:
        return _moved(instruction, _MOVES[name], "w->s[M0]")
    if name == "v_movrelsd_2_b32":
        return _moved(instruction, {"SRC0", "DST"}, "(w->s[M0] & 1023)", "(w->s[M0] >> 16 & 1023)")
    return None


def _turned_on(instruction: Instruction) -> Encoded:
    chosen = relative_operands(instruction)
    if not chosen <= RELATIVE.keys():
        raise Unsupported(instruction)
    fields = Fields(k=sum(RELATIVE[one] for one in chosen) << 12)
    if instruction.mnemonic == "s_set_gpr_idx_mode":
        return encoded(fields, "w->s[M0] = (w->s[M0] & 0xffff0fff) | (u32)op->k;", "NEXT;")
    index = scalar_raw("a", instruction.operands[0], "u", fields, instruction)
    return encoded(fields, f"w->s[M0] = (w->s[M0] & 0xffff0f00) | ({index} & 255) | (u32)op->k;", "NEXT;")


def _swapped(instruction: Instruction) -> Encoded:
    """Both numbers have a part of M0 of their own."""
    to, from_ = instruction.operands
    fields = Fields(d=register(to), a=register(from_))
    lines = (
        "u64 to = (op->d + (w->s[M0] >> 16 & 1023)) & 255, from = (op->a + (w->s[M0] & 1023)) & 255;",
        "vu32 x = *reg(w, to), y = *reg(w, from);",
    )
    return encoded(fields, *lines, "put(w, to, y);", "put(w, from, x);", "NEXT;")


def _moved(instruction: Instruction, relative: set[str], index: str, target_index: str = "") -> Encoded:
    """A number beyond the last register means none on a card; here it stays among those that a wave has."""
    to, from_ = instruction.operands
    fields = Fields(d=register(to))
    value = raw("a", from_, "u", fields, instruction)
    if "SRC0" in relative and from_.kind == "v":
        value = f"(*reg(w, (op->a + {index}) & 255))"
    elif "SRC0" in relative and from_.kind != "k":
        raise Unsupported(instruction, "a relative source that is no vector register")
    place = f"(op->d + {target_index or index}) & 255" if "DST" in relative else "op->d"
    return encoded(fields, f"vu32 x = {value};", f"put(w, {place}, x);", "NEXT;")
