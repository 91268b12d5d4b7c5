"""Shapes of what changes the local data share in one step."""

from __future__ import annotations

import re

from rewarp.machine.assembly import Instruction, Operand
from rewarp.machine.shapes import memory
from rewarp.machine.shapes.shape import Access, Encoded, Fields, Unsupported, encoded, register

ADDRESS = ("vu64 address = CONVERT(*reg(w, op->a) + (u32)op->k, vu64);",)
_ONE = re.compile(
    r"ds_(add|sub|rsub|min|max|min_num|max_num|and|or|xor|inc|dec|wrxchg|storexchg|pk_add|cond_sub|sub_clamp)(_rtn)?_([uifb]\d+|bf16)$"
)
_TWO_OPERANDS = re.compile(r"ds_(cmpst|cmpstore|mskor|wrap)(_rtn)?_([fb])(32|64)$")
_TWO_PLACES = re.compile(r"ds_(?:wrxchg2|storexchg_2addr)(st64|_stride64)?_rtn_b(32|64)$")
_COUNTED = {"ds_append": "+", "ds_consume": "-"}
# Of what was there, and of the two operands. gfx9 has the value that is expected first, gfx11 last.
_CHANGES = {
    "cmpst": "{old} == {x} ? y : old", "cmpstore": "{old} == {y} ? x : old", "mskor": "(old & ~x) | y",
    "wrap": "old >= x ? old - x : old + y",
}  # fmt: skip


def encode(instruction: Instruction) -> Encoded | None:
    name = instruction.mnemonic
    if match := _ONE.match(name):
        return _changed(instruction, match[1], bool(match[2]), match[3])
    if match := _TWO_OPERANDS.match(name):
        return _changed_by_two(instruction, match[1], bool(match[2]), match[3] == "f", match[4] == "64")
    if match := _TWO_PLACES.match(name):
        return _exchanged_twice(instruction, bool(match[1]), int(match[2]) // 32)
    if name == "ds_condxchg32_rtn_b64":
        return _exchanged_if(instruction)
    return _counted(instruction, _COUNTED[name]) if name in _COUNTED else None


def _changed(instruction: Instruction, what: str, returns: bool, kind: str) -> Encoded:
    operands = list(instruction.operands)
    target: Operand | None = operands.pop(0) if returns or what in ("wrxchg", "storexchg") else None
    fields = Fields(a=register(operands[0]), k=instruction.modifiers.get("offset", 0))
    form = {"wrxchg": "swap", "storexchg": "swap"}.get(what, what)
    if what in ("min", "max") and kind[0] in "ui":
        form = ("s" if kind[0] == "i" else "u") + what
    elif kind[0] == "f" or what == "pk_add":
        form = f"{what}_{kind}"
    if form not in memory.ATOMICS:
        raise Unsupported(instruction)
    wide = kind.endswith("64")
    return memory.atomic(instruction, ADDRESS, "lds_place", fields, target, operands[1], form, wide)


def _word(pointer: str, wide: bool) -> str:
    return f"((u64){pointer}[LANES + lane] << 32 | {pointer}[lane])" if wide else f"{pointer}[lane]"


def _changed_by_two(instruction: Instruction, what: str, returns: bool, is_float: bool, wide: bool) -> Encoded:
    """A workgroup runs on one core, so that nothing else reaches its LDS meanwhile."""
    operands = list(instruction.operands)
    target = operands.pop(0) if returns else None
    fields = Fields(a=register(operands[0]), b=register(operands[1]), c=register(operands[2]))
    fields.d, fields.k = register(target) if target else 0, instruction.modifiers.get("offset", 0)
    kind, size = ("u64", 8) if wide else ("u32", 4)
    number = "f64" if wide else "f32"
    seen = {one: f"AS({one}, {number})" if is_float else one for one in ("old", "x", "y")}
    kept = "to[lane] = (u32)old;" + (" to[LANES + lane] = (u32)(old >> 32);" if wide else "") if target else ""
    lines = [
        *ADDRESS,
        "mask on = exec(w); u32 *to = (u32 *)reg(w, op->d);",
        memory.SEEN,
        memory.EACH_ADDRESS,
        "const u32 *first = (const u32 *)reg(w, op->b), *second = (const u32 *)reg(w, op->c);",
        f"EACH(lane, on) {{ u8 *p = lds_place(w, op, lane, at_lane[lane], {size}, 1); "
        f"if (!p) return fault(w, op, FAULT_ATOMIC, lane, at_lane[lane], {size}); "
        f"{kind} old = LOAD({kind}, p), x = {_word('first', wide)}, y = {_word('second', wide)}; "
        f"{kind} new = {_CHANGES[what].format(**seen)}; "
        f"WATCHED{{w->changes += new != old;}} STORE({kind}, p, new); {kept} }}",
    ]
    compares = what.startswith("cmpst")
    access = Access(
        *(ADDRESS, "lds_place", size, size // 4),
        target=register(target) if target else None,
        sources=(fields.b if what == "cmpstore" else fields.c,),
        atomic="cmpswap" if compares else what,
    )
    return encoded(fields, *lines, "NEXT;", access=access)


def _exchanged_twice(instruction: Instruction, strided: bool, words: int) -> Encoded:
    """Two places at offsets that count elements; both are read before either is written."""
    target, base, x, y = instruction.operands
    size = 4 * words
    step = size * (64 if strided else 1)
    places = [instruction.modifiers.get(name, 0) * step for name in ("offset0", "offset1")]
    fields = Fields(d=register(target), a=register(base), b=register(x), c=register(y), k=places[0] | places[1] << 32)
    lines = [
        "const u32 *base = (const u32 *)reg(w, op->a), *x = (const u32 *)reg(w, op->b), *y = (const u32 *)reg(w, op->c);",
        "u32 first = (u32)op->k, second = (u32)(op->k >> 32), *to = (u32 *)reg(w, op->d); mask on = exec(w);",
        "WATCHED{vu64 at_ = CONVERT(*reg(w, op->a) + first, vu64); w->seen(w, op, (const u64 *)&at_, on, 0); "
        f"at_ = CONVERT(*reg(w, op->a) + second, vu64); w->seen(w, op, (const u64 *)&at_, on, {words});}}",
        f"EACH(lane, on) {{ u8 *p = lds_place(w, op, lane, base[lane] + first, {size}, 1), "
        f"*q = lds_place(w, op, lane, base[lane] + second, {size}, 1); "
        f"if (!p || !q) return fault(w, op, FAULT_LDS, lane, base[lane] + first, {size}); "
        f"u32 new[{2 * words}], old[{2 * words}]; for (int n = 0; n < {words}; n++) {{ "
        f"new[n] = x[n * LANES + lane], new[n + {words}] = y[n * LANES + lane]; "
        f"old[n] = LOAD32(p + 4 * n), old[n + {words}] = LOAD32(q + 4 * n); }} "
        f"for (int n = 0; n < {words}; n++) STORE(u32, p + 4 * n, new[n]), STORE(u32, q + 4 * n, new[n + {words}]); "
        f"for (int n = 0; n < {2 * words}; n++) to[n * LANES + lane] = old[n]; }}",
    ]
    access = Access(ADDRESS, "lds_place", size, words, target=fields.d, sources=(fields.b, fields.c), atomic="swap")
    return encoded(fields, *lines, "NEXT;", access=access)


def _exchanged_if(instruction: Instruction) -> Encoded:
    """Two words side by side; each is written where the upper bit of its operand says so, without that bit."""
    target, address, data = instruction.operands
    fields = Fields(d=register(target), a=register(address), e=register(data), k=instruction.modifiers.get("offset", 0))
    where = ("vu64 address = CONVERT((*reg(w, op->a) + (u32)op->k) & 0xfff8, vu64);",)
    lines = [
        *where,
        "mask on = exec(w); u32 *to = (u32 *)reg(w, op->d); const u32 *from = (const u32 *)reg(w, op->e);",
        memory.SEEN,
        memory.EACH_ADDRESS,
        "EACH(lane, on) { u8 *p = lds_place(w, op, lane, at_lane[lane], 8, 1); "
        "if (!p) return fault(w, op, FAULT_ATOMIC, lane, at_lane[lane], 8); u32 x[2] = {from[lane], from[LANES + lane]}; "
        "for (int n = 0; n < 2; n++) { u32 old = LOAD32(p + 4 * n), new = x[n] >> 31 ? x[n] & 0x7fffffff : old; "
        "WATCHED{w->changes += new != old;} STORE(u32, p + 4 * n, new); to[n * LANES + lane] = old; } }",
    ]
    access = Access(where, "lds_place", 8, 2, target=fields.d, sources=(fields.e,), atomic="condxchg")
    return encoded(fields, *lines, "NEXT;", access=access)


def _counted(instruction: Instruction, sign: str) -> Encoded:
    """One word for the whole wave, where M0 says: as many are added or taken as lanes are on, and all get what was there."""
    fields = Fields(d=register(instruction.operands[0]), k=instruction.modifiers.get("offset", 0))
    where = ("vu64 address = (vu64)(u64)(w->s[M0] + (u32)op->k);",)
    lines = [
        *where,
        "mask on = exec(w); if (!on) NEXT; on &= -on;",
        memory.SEEN,
        memory.EACH_ADDRESS,
        "u64 lane = first_lane(on); u8 *p = lds_place(w, op, lane, at_lane[lane], 4, 1);",
        "if (!p) return fault(w, op, FAULT_ATOMIC, lane, at_lane[lane], 4);",
        f"u32 old = LOAD32(p); STORE(u32, p, old {sign} (u32)__builtin_popcountl(exec(w)));",
        "WATCHED{w->changes++;} put(w, op->d, (vu32)old);",
    ]
    access = Access(where, "lds_place", 4, 1, target=fields.d, atomic="count")
    return encoded(fields, *lines, "NEXT;", access=access)
