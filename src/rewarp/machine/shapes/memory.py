"""Shapes of loads, stores and atomics: global, flat, scratch, LDS and buffers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from rewarp.machine.assembly import Instruction, Operand
from rewarp.machine.dialects import SCRATCH_BUFFER
from rewarp.machine.shapes.shape import Access, Encoded, Fields, Unsupported, encoded, register, scalar_raw

_GLOBAL = re.compile(r"(global|flat|scratch|buffer)_(load|store|atomic)_(\w+)$")
_SIZES = {
    "dword": ("u32", 1),
    "dwordx2": ("u32", 2),
    "dwordx3": ("u32", 3),
    "dwordx4": ("u32", 4),
    "b32": ("u32", 1),
    "b64": ("u32", 2),
    "b96": ("u32", 3),
    "b128": ("u32", 4),
    "ubyte": ("u8", 0),
    "sbyte": ("i8", 0),
    "ushort": ("u16", 0),
    "sshort": ("i16", 0),
    "u8": ("u8", 0),
    "i8": ("i8", 0),
    "u16": ("u16", 0),
    "i16": ("i16", 0),
}
_HALVES = {
    "ubyte_d16": ("u8", 0),
    "sbyte_d16": ("i8", 0),
    "short_d16": ("u16", 0),
    "ubyte_d16_hi": ("u8", 1),
    "sbyte_d16_hi": ("i8", 1),
    "short_d16_hi": ("u16", 1),
    "d16_u8": ("u8", 0),
    "d16_i8": ("i8", 0),
    "d16_b16": ("u16", 0),
    "d16_hi_u8": ("u8", 1),
    "d16_hi_i8": ("i8", 1),
    "d16_hi_b16": ("u16", 1),
}
_STORES = {"byte": ("u8", 0), "short": ("u16", 0), "byte_d16_hi": ("u8", 16), "short_d16_hi": ("u16", 16)}
_STORES |= {"b8": ("u8", 0), "b16": ("u16", 0), "d16_hi_b8": ("u8", 16), "d16_hi_b16": ("u16", 16)}
ATOMICS = {
    "add": "old + x", "sub": "old - x", "and": "old & x", "or": "old | x", "xor": "old ^ x", "swap": "x",
    "smin": "(S)old < (S)x ? old : x", "smax": "(S)old > (S)x ? old : x", "umin": "old < x ? old : x",
    "umax": "old > x ? old : x", "inc": "old >= x ? 0 : old + 1", "dec": "old == 0 || old > x ? x : old - 1",
    "add_f32": "AS(AS(old, f32) + AS(x, f32), u32)", "add_f64": "AS(AS(old, f64) + AS(x, f64), u64)",
    "min_f64": "AS(x, f64) < AS(old, f64) ? x : old", "max_f64": "AS(x, f64) > AS(old, f64) ? x : old",
    "pk_add_f16": "halves_added(old, x)", "pk_add_bf16": "bf16_added(old, x)", "cmpswap": "old == compare ? x : old",
    "rsub": "x - old", "cond_sub": "old >= x ? old - x : old", "sub_clamp": "old < x ? 0 : old - x",
    "cmpswap_f32": "AS(old, f32) == AS(compare, f32) ? x : old",
    "min_num_f32": "AS(least((vf32)AS(x, f32), (vf32)AS(old, f32))[0], u32)",
    "max_num_f32": "AS(greatest((vf32)AS(x, f32), (vf32)AS(old, f32))[0], u32)",
    "min_num_f64": "AS(least64((vf64)AS(x, f64), (vf64)AS(old, f64))[0], u64)",
    "max_num_f64": "AS(greatest64((vf64)AS(x, f64), (vf64)AS(old, f64))[0], u64)",
    "min_f32": "AS(x, f32) < AS(old, f32) ? x : old", "max_f32": "AS(x, f32) > AS(old, f32) ? x : old",
}  # fmt: skip
_GFX11_ATOMICS = {
    "add_u32": "add", "sub_u32": "sub", "and_b32": "and", "or_b32": "or", "xor_b32": "xor", "swap_b32": "swap",
    "min_i32": "smin", "max_i32": "smax", "min_u32": "umin", "max_u32": "umax", "inc_u32": "inc", "dec_u32": "dec",
    "cmpswap_b32": "cmpswap", "add_u64": "add_x2", "sub_u64": "sub_x2", "and_b64": "and_x2", "or_b64": "or_x2",
    "xor_b64": "xor_x2", "swap_b64": "swap_x2", "min_i64": "smin_x2", "max_i64": "smax_x2", "min_u64": "umin_x2",
    "max_u64": "umax_x2", "inc_u64": "inc_x2", "dec_u64": "dec_x2", "cmpswap_b64": "cmpswap_x2",
    "csub_u32": "sub_clamp", "sub_clamp_u32": "sub_clamp", "cond_sub_u32": "cond_sub",
}  # fmt: skip
_SPACES = {"global": "global_place", "flat": "flat_place", "scratch": "scratch_place", "buffer": "global_place"}


class _Reach(NamedTuple):
    """Where lanes look: how their addresses come about, and what makes them host pointers."""

    address: tuple[str, ...]
    place: str
    fields: Fields
    skips: bool = False
    """Lanes out of range are passed over, and read zero: buffers."""


def encode(instruction: Instruction) -> Encoded | None:
    from rewarp.machine.shapes import lds

    match = _GLOBAL.match(instruction.mnemonic)
    if not match:
        return lds.encode(instruction) if instruction.mnemonic.startswith("ds_") else None
    space, what, rest = match.groups()
    if "lds" in instruction.flags or rest.startswith("lds_"):
        raise Unsupported(instruction, "straight to LDS")
    if rest == "addtid_b32":
        return _by_lane(instruction, what == "load")
    if what == "load":
        target, access = instruction.operands[0], _access(instruction, space, instruction.operands[1:])
        return load(instruction, access.address, access.place, access.fields, target, rest, access.skips)
    if what == "store":
        return _store(instruction, space, rest)
    return _atomic(instruction, space, _GFX11_ATOMICS.get(rest, rest))


# --- addresses ------------------------------------------------------------------------------


def _access(instruction: Instruction, space: str, operands: tuple[Operand, ...]) -> _Reach:
    fields = Fields(k=instruction.modifiers.get("offset", 0))
    if space == "buffer":
        return _buffer(instruction, operands, fields)
    address = operands[0]
    scalar = operands[1] if len(operands) > 1 else Operand("o")
    place = _SPACES[space]
    if space == "scratch":
        lines = ["vu64 address = (vu64)(u64)op->k;"]
        if address.kind == "v":
            fields.a = register(address)
            lines.append("address += CONVERT(*reg(w, op->a), vu64);")
        if scalar.kind == "s":
            lines.append(f"address += (u64){scalar_raw('b', scalar, 'u', fields, instruction)};")
        return _Reach(tuple(lines), place, fields)
    fields.a = register(address)
    if scalar.kind == "s" and scalar.count == 2:
        fields.b = scalar.index
        lines = ["vu64 address = s64(w, op->b) + CONVERT(*reg(w, op->a), vu64) + (u64)op->k;"]
    else:
        lines = ["vu64 address = pair(w, op->a) + (u64)op->k;"]
    return _Reach(tuple(lines), place, fields)


def _buffer(instruction: Instruction, operands: tuple[Operand, ...], fields: Fields) -> _Reach:
    """A descriptor of four registers: base, stride, count, format. Out of its range nothing is read or written."""
    vector, resource, scalar = operands
    if "idxen" in instruction.flags:
        raise Unsupported(instruction, "buffers with an index")
    fields.b = resource.index
    lines = ["vu64 at = (vu64)(u64)op->k;"]
    if "offen" in instruction.flags:
        fields.a = register(vector)
        lines.append("at += CONVERT(*reg(w, op->a), vu64);")
    if not (scalar.kind == "k" and scalar.value == 0):
        lines.append(f"u64 more = (u64){scalar_raw('c', scalar, 'u', fields, instruction)};")
    else:
        lines.append("u64 more = 0;")
    lines.append("u64 base = s64(w, op->b) & 0xfffffffffffful, count = w->s[op->b + 2];")
    if SCRATCH_BUFFER in instruction.flags:
        # Lanes lie side by side there: what the scalar offset counts is bytes of all of them.
        lines.append(
            "int is_scratch = base >> 32 == SCRATCH_BUFFER; more = is_scratch ? ((u32)base + more) / 64 : more;"
        )
        lines.append("base = is_scratch ? (u64)PRIVATE_APERTURE << 32 : base;")
    lines += [
        "vu64 address = base + at + more;",
        "const u64 *offset = (const u64 *)&at;",
        "#define OUTSIDE(lane, size) (offset[lane] + (size) > count)",
    ]
    place = "flat_place" if SCRATCH_BUFFER in instruction.flags else "global_place"
    return _Reach(tuple(lines), place, fields, skips=True)


# A lane's number as an index into a vector would have all of it written to memory for each lane.
EACH_ADDRESS = "vu64 kept = address; const u64 *at_lane = (const u64 *)&kept;"
SEEN = "WATCHED{w->seen(w, op, (const u64 *)&address, on, 0);}"


def _seen(skips: bool, size: int) -> str:
    """Tells which lanes reach memory, and where."""
    if not skips:
        return SEEN
    return (
        f"WATCHED{{mask in_ = on; EACH(lane, on) if (OUTSIDE(lane, {size})) in_ &= ~((mask)1 << lane); "
        "w->seen(w, op, (const u64 *)&address, in_, 0);}"
    )


# --- loads and stores -----------------------------------------------------------------------


def load(
    instruction: Instruction,
    address: tuple[str, ...],
    place: str,
    fields: Fields,
    target: Operand,
    form: str,
    skips: bool = False,
) -> Encoded:
    fields.d = register(target)
    lines = [*address, "mask on = exec(w); u32 *to = (u32 *)reg(w, op->d);"]
    if form in _SIZES:
        kind, words = _SIZES[form]
        each = f"for (int n = 0; n < {words}; n++) to[n * LANES + lane] = LOAD32(p + 4 * n);"
        if not words:
            each = f"to[lane] = (u32)LOAD({kind}, p);"
    elif form in _HALVES:
        kind, high = _HALVES[form]
        words = 0
        part = f"(u32)(u16)LOAD({kind}, p)"
        merged = f"(to[lane] & 0xffff) | {part} << 16" if high else f"(to[lane] & 0xffff0000u) | {part}"
        each = f"to[lane] = {merged};"
    else:
        raise Unsupported(instruction)
    size = 4 * words if words else {"8": 1, "6": 2}[kind[-1]]
    shift = 16 if form in _HALVES and _HALVES[form][1] else 0
    lines.append(_seen(skips, size))
    if words == 1 and place in ("global_place", "flat_place") and not skips:
        # The usual case: one piece of memory for all lanes.
        lines.append("if (in_a_row(address, on, 4) && address[0] >> 40 && allowed(w, address[0], 4 * LANES, 0)) {")
        lines.append("    __builtin_memcpy(to, (void *)address[0], 4 * LANES); NEXT; }")
    zero = f"for (int n = 0; n < {max(words, 1)}; n++) to[n * LANES + lane] = 0;"
    skip = f"if (OUTSIDE(lane, {size})) {{ {zero} continue; }} " if skips else ""
    lines.append(EACH_ADDRESS)
    lines += _together(
        place, words, skips, 0, lambda at: f"LOAD_TOGETHER(to, on, {words}, {at});",
        "__builtin_memcpy(to, w->lds + at[0], 4 * LANES);",
    )  # fmt: skip
    lines.append(
        f"EACH(lane, on) {{ {skip}const u8 *p = {place}(w, op, lane, at_lane[lane], {size}, 0); "
        f"if (!p) return fault(w, op, FAULT_READ, lane, at_lane[lane], {size}); {each} }}"
    )
    return encoded(
        fields, *lines, *_end(skips), access=Access(address, place, size, words, shift, target=register(target))
    )


def _together(place: str, words: int, skips: bool, writing: int, each: Callable[[str], str], row: str) -> list[str]:
    """All lanes in one piece of memory, which is looked at once; otherwise lane by lane. ``each`` is what happens at a lane's
    place, ``row`` where one word after the other lies in LDS."""
    if not words or skips:
        return []
    size = 4 * words
    if place == "lds_place":
        in_row = f"if (in_a_row(address, on, 4)) {{ {row} NEXT; }}" if words == 1 else ""
        return [
            f"{{ vu32 at = CONVERT(address, vu32); if (in_lds(w, at, on, {size})) {{",
            f"    {in_row} {each('w->lds + (u32)at_lane[lane]')} NEXT; }} }}",
        ]
    if place in ("global_place", "flat_place"):
        return [f"if (in_one_range(w, address, on, {size}, {writing})) {{ {each('at_lane[lane]')} NEXT; }}"]
    return []


def _by_lane(instruction: Instruction, loads: bool) -> Encoded:
    """Each lane has a word of its own behind a scalar address."""
    data, base = instruction.operands
    if base.kind != "s" or base.count != 2:
        raise Unsupported(instruction)
    fields = Fields(b=base.index, k=instruction.modifiers.get("offset", 0))
    address = ("vu64 address = lane_steps(4) + s64(w, op->b) + (u64)op->k;",)
    return (load if loads else store)(instruction, address, "global_place", fields, data, "dword")


def _end(skips: bool) -> tuple[str, ...]:
    return ("#undef OUTSIDE", "NEXT;") if skips else ("NEXT;",)


def _store(instruction: Instruction, space: str, form: str) -> Encoded:
    operands = instruction.operands
    if space == "buffer":
        data, access = operands[0], _access(instruction, space, operands[1:])
    else:
        data, access = operands[1], _access(instruction, space, (operands[0], *operands[2:]))
    return store(instruction, access.address, access.place, access.fields, data, form, access.skips)


def store(
    instruction: Instruction,
    address: tuple[str, ...],
    place: str,
    fields: Fields,
    data: Operand,
    form: str,
    skips: bool = False,
) -> Encoded:
    fields.d = register(data)
    lines = [*address, "mask on = exec(w); const u32 *from = (const u32 *)reg(w, op->d);"]
    if form in _STORES:
        kind, shift = _STORES[form]
        words, size = 0, 1 if kind == "u8" else 2
        each = f"STORE({kind}, p, from[lane] >> {shift});"
    elif form in _SIZES and _SIZES[form][1]:
        words = _SIZES[form][1]
        size = 4 * words
        each = f"for (int n = 0; n < {words}; n++) STORE(u32, p + 4 * n, from[n * LANES + lane]);"
    else:
        raise Unsupported(instruction)
    lines.append(_seen(skips, size))
    if words == 1 and place in ("global_place", "flat_place") and not skips:
        lines.append("if (in_a_row(address, on, 4) && address[0] >> 40 && allowed(w, address[0], 4 * LANES, 1)) {")
        lines.append("    __builtin_memcpy((void *)address[0], from, 4 * LANES); NEXT; }")
    skip = f"if (OUTSIDE(lane, {size})) continue; " if skips else ""
    lines.append(EACH_ADDRESS)
    lines += _together(
        place, words, skips, 1, lambda at: f"EACH(lane, on) {{ u8 *p = (u8 *)({at}); {each} }}",
        "__builtin_memcpy(w->lds + at[0], from, 4 * LANES);",
    )  # fmt: skip
    lines.append(
        f"EACH(lane, on) {{ {skip}u8 *p = {place}(w, op, lane, at_lane[lane], {size}, 1); "
        f"if (!p) return fault(w, op, FAULT_WRITE, lane, at_lane[lane], {size}); {each} }}"
    )
    shift = 0 if words else _STORES[form][1]
    return encoded(
        fields, *lines, *_end(skips), access=Access(address, place, size, words, shift, sources=(register(data),))
    )


# --- atomics --------------------------------------------------------------------------------


def _atomic(instruction: Instruction, space: str, form: str) -> Encoded:
    operands = list(instruction.operands)
    wide = form.endswith(("_x2", "_f64"))
    plain = form.removesuffix("_x2").replace("fadd", "add_f32")
    if plain not in ATOMICS:
        raise Unsupported(instruction)
    returns = bool({"sc0", "glc"} & instruction.flags) or instruction.modifiers.get("th") == "TH_ATOMIC_RETURN"
    target: Operand | None = None
    if space == "buffer":
        data, access = operands[0], _access(instruction, space, tuple(operands[1:]))
        target = data if returns else None
    else:
        target = operands.pop(0) if returns else None
        data, access = operands[1], _access(instruction, space, (operands[0], *operands[2:]))
    return atomic(instruction, access.address, access.place, access.fields, target, data, plain, wide, access.skips)


def atomic(
    instruction: Instruction,
    address: tuple[str, ...],
    place: str,
    fields: Fields,
    target: Operand | None,
    data: Operand,
    form: str,
    wide: bool,
    skips: bool = False,
) -> Encoded:
    """Each lane in turn, and against other cores in one step."""
    kind, size = ("u64", 8) if wide else ("u32", 4)
    fields.d = register(target) if target else 0
    fields.e = register(data)  # the other slots may hold parts of the address
    signed = "i64" if wide else "i32"
    width = 2 if wide else 1

    def word(at: str) -> str:
        low = f"from[({at}) * LANES + lane]"
        return f"(u64)from[({at} + 1) * LANES + lane] << 32 | {low}" if wide else low

    lines = [*address, "mask on = exec(w); const u32 *from = (const u32 *)reg(w, op->e);"]
    if target:
        lines.append("u32 *to = (u32 *)reg(w, op->d);")
    lines.append(_seen(skips, size))
    inner = [f"typedef {signed} S; {kind} x = {word('0')};"]
    if form.startswith("cmpswap"):
        inner.append(f"{kind} compare = {word(str(width))};")
    inner += [
        f"{kind} *p = ({kind} *){place}(w, op, lane, at_lane[lane], {size}, 1);",
        f"if (!p) return fault(w, op, FAULT_ATOMIC, lane, at_lane[lane], {size});",
        f"if ((u64)p & {size - 1}) return fault(w, op, FAULT_MISALIGNED, lane, at_lane[lane], {size});",
        f"{kind} old = __atomic_load_n(p, 5), new;",
        f"do new = {ATOMICS[form]}; while (!__atomic_compare_exchange_n(p, &old, new, 0, 5, 5));",
        "WATCHED{w->changes += new != old;}",
    ]
    if target:
        inner.append("to[lane] = (u32)old;")
        if wide:
            inner.append("to[LANES + lane] = (u32)(old >> 32);")
    skip = f"if (OUTSIDE(lane, {size})) continue; " if skips else ""
    lines.append(EACH_ADDRESS)
    lines.append(f"EACH(lane, on) {{ {skip}{' '.join(inner)} }}")
    reached = register(target) if target else None
    access = Access(address, place, size, width, target=reached, sources=(register(data),), atomic=form)
    return encoded(fields, *lines, *_end(skips), access=access)
