"""Shapes of the local data share, and of what goes through its crossbar."""

from __future__ import annotations

import re
from dataclasses import replace

from rewarp.machine.assembly import Instruction
from rewarp.machine.shapes import lds_atomics, memory
from rewarp.machine.shapes.lds_atomics import ADDRESS
from rewarp.machine.shapes.shape import Access, Encoded, Fields, Unsupported, encoded, register

_READ = {
    "ds_read_b32": "dword", "ds_read_b64": "dwordx2", "ds_read_b96": "dwordx3", "ds_read_b128": "dwordx4",
    "ds_read_u8": "ubyte", "ds_read_i8": "sbyte", "ds_read_u16": "ushort", "ds_read_i16": "sshort",
    "ds_read_u8_d16": "ubyte_d16", "ds_read_u8_d16_hi": "ubyte_d16_hi", "ds_read_i8_d16": "sbyte_d16",
    "ds_read_i8_d16_hi": "sbyte_d16_hi", "ds_read_u16_d16": "short_d16", "ds_read_u16_d16_hi": "short_d16_hi",
}  # fmt: skip
_WRITE = {
    "ds_write_b32": "dword", "ds_write_b64": "dwordx2", "ds_write_b96": "dwordx3", "ds_write_b128": "dwordx4",
    "ds_write_b8": "byte", "ds_write_b16": "short", "ds_write_b8_d16_hi": "byte_d16_hi",
    "ds_write_b16_d16_hi": "short_d16_hi",
}  # fmt: skip
# What each lane reads or writes, and the bits of M0 that say where; the last ones are half of a load that goes to LDS.
_BY_LANE = {
    "ds_read_addtid_b32": ("dword", 4, 0xFFFF), "ds_write_addtid_b32": ("dword", 4, 0xFFFF),
    "ds_write_behind_m0_dword": ("dword", 4, 0xFFFFFFFF), "ds_write_behind_m0_dwordx3": ("dwordx3", 12, 0xFFFFFFFF),
    "ds_write_behind_m0_dwordx4": ("dwordx4", 16, 0xFFFFFFFF),
}  # fmt: skip
_TWO = re.compile(r"ds_(read2|write2|load_2addr|store_2addr)(st64|_stride64)?_b(32|64)$")


def encode(instruction: Instruction) -> Encoded | None:
    # gfx11 says load and store.
    name = re.sub(r"^ds_load_(?!2addr)", "ds_read_", re.sub(r"^ds_store_(?!2addr)", "ds_write_", instruction.mnemonic))
    operands = instruction.operands
    if "gds" in instruction.flags:
        raise Unsupported(instruction, "memory that all workgroups share on the card")
    if name in _BY_LANE:
        return _by_lane(instruction, name, *_BY_LANE[name])
    if name in _READ:
        fields = Fields(a=register(operands[1]), k=instruction.modifiers.get("offset", 0))
        return memory.load(instruction, ADDRESS, "lds_place", fields, operands[0], _READ[name])
    if name in _WRITE:
        fields = Fields(a=register(operands[0]), k=instruction.modifiers.get("offset", 0))
        return memory.store(instruction, ADDRESS, "lds_place", fields, operands[1], _WRITE[name])
    if match := _TWO.match(name):
        return _two(instruction, "r" in match[1][:1] or "load" in match[1], bool(match[2]), int(match[3]) // 32)
    if name in ("ds_bpermute_b32", "ds_permute_b32", "ds_bpermute_fi_b32"):
        return _permuted(instruction, name)
    if name == "ds_swizzle_b32":
        return _swizzled(instruction)
    return lds_atomics.encode(instruction)


def _by_lane(instruction: Instruction, name: str, form: str, size: int, bits: int) -> Encoded:
    """Each lane has a place of its own, behind what M0 says."""
    fields = Fields(k=instruction.modifiers.get("offset", 0))
    address = (f"vu64 address = lane_steps({size}) + (u64)((w->s[M0] & {bits:#x}u) + (u32)op->k);",)
    make = memory.load if name.startswith("ds_read") else memory.store
    return make(instruction, address, "lds_place", fields, instruction.operands[0], form)


def _two(instruction: Instruction, reads: bool, strided: bool, words: int) -> Encoded:
    """Two places at offsets that count elements."""
    operands = instruction.operands
    step = 4 * words * (64 if strided else 1)
    first, second = (instruction.modifiers.get(name, 0) * step for name in ("offset0", "offset1"))
    size = 4 * words
    fields = Fields(a=register(operands[1 if reads else 0]), k=first | second << 32)
    lines = ["const u32 *base = (const u32 *)reg(w, op->a);", "u32 first = (u32)op->k, second = (u32)(op->k >> 32);"]
    fault = f"return fault(w, op, FAULT_LDS, lane, base[lane] + first, {size});"
    places = (
        f"u8 *p = lds_place(w, op, lane, base[lane] + first, {size}, 1), *q = lds_place(w, op, lane, base[lane] + second, {size}, 1); "
        f"if (!p || !q) {fault}"
    )
    lines.append(
        "WATCHED{vu64 at_ = CONVERT(*reg(w, op->a) + first, vu64); w->seen(w, op, (const u64 *)&at_, exec(w), 0); "
        f"at_ = CONVERT(*reg(w, op->a) + second, vu64); w->seen(w, op, (const u64 *)&at_, exec(w), {words});}}"
    )
    access = Access(ADDRESS, "lds_place", size, words)
    both = (
        "{ vu32 one = *reg(w, op->a) + first, other = *reg(w, op->a) + second; "
        f"if (in_lds(w, one, on, {size}) && in_lds(w, other, on, {size}))"
    )
    if reads:
        fields.d = register(operands[0])
        access = replace(access, target=fields.d)
        # The address may be one of the registers that are written.
        lines.append("u32 *to = (u32 *)reg(w, op->d); mask on = exec(w);")
        lines.append(
            f"{both} {{ u32 at[LANES] __attribute__((aligned(64))); *(vu32 *)at = one; "
            f"LOAD_TOGETHER(to, on, {words}, w->lds + at[lane]); *(vu32 *)at = other; "
            f"LOAD_TOGETHER(to + {words} * LANES, on, {words}, w->lds + at[lane]); NEXT; }} }}"
        )
        lines.append(
            f"EACH(lane, on) {{ {places} for (int n = 0; n < {words}; n++) {{ u32 x = LOAD32(p + 4 * n); "
            f"held[0][n][lane] = x; held[1][n][lane] = LOAD32(q + 4 * n); }} }}"
        )
        lines.insert(2, f"u32 held[2][{words}][LANES];")
        lines.append(f"EACH(lane, on) for (int n = 0; n < {words}; n++) "
                     f"to[n * LANES + lane] = held[0][n][lane], to[(n + {words}) * LANES + lane] = held[1][n][lane];")  # fmt: skip
    else:
        fields.b, fields.c = register(operands[1]), register(operands[2])
        access = replace(access, sources=(fields.b, fields.c))
        lines.append("const u32 *x = (const u32 *)reg(w, op->b), *y = (const u32 *)reg(w, op->c); mask on = exec(w);")
        each = (
            f"for (int n = 0; n < {words}; n++) "
            "STORE(u32, p + 4 * n, x[n * LANES + lane]), STORE(u32, q + 4 * n, y[n * LANES + lane]);"
        )
        lines.append(
            f"{both} {{ EACH(lane, on) {{ u8 *p = w->lds + base[lane] + first, *q = w->lds + base[lane] + second; {each} }} "
            "NEXT; } }"
        )
        lines.append(f"EACH(lane, on) {{ {places} {each} }}")
    return encoded(fields, *lines, "NEXT;", access=access)


def _permuted(instruction: Instruction, name: str) -> Encoded:
    target, address, data = instruction.operands
    fields = Fields(d=register(target), a=register(address), b=register(data), k=instruction.modifiers.get("offset", 0))
    lines = [
        "vu32 at = (*reg(w, op->a) + (u32)op->k) >> 2 & (LANES - 1), x = *reg(w, op->b), r = 0; mask on = exec(w);"
    ]
    if name != "ds_permute_b32":
        # From lanes that are off comes zero, unless it is said that they count. A table in memory is looked up for many lanes at once.
        lines.append("u32 table[LANES] __attribute__((aligned(64)));")
        off = "x" if name == "ds_bpermute_fi_b32" else "on == ALL ? x : lanes_of(on) ? x : (vu32)0"
        lines.append(f"*(vu32 *)table = {off};")
        lines.append("for (int l = 0; l < LANES; l++) r[l] = table[at[l]];")
        lines.append("put(w, op->d, r);")
    else:
        lines.append("EACH(lane, on) r[at[lane]] = x[lane];")
        lines.append("put(w, op->d, r);")
    return encoded(fields, *lines, "NEXT;")


def _swizzled(instruction: Instruction) -> Encoded:
    target, data = instruction.operands[:2]  # the pattern behind them is read from the text
    fields = Fields(d=register(target), a=register(data))
    match = re.search(r"offset:swizzle\((\w+),\s*([^)]*)\)", instruction.text)
    offset = instruction.modifiers.get("offset", 0)
    places = _swizzle(match[1], match[2]) if match else _swizzle_bits(int(offset))
    listed = ", ".join(map(str, places))
    lines = [
        f"static const u8 from[64] = {{{listed}}}; mask on = exec(w); vu32 x = *reg(w, op->a), r = 0;",
        "for (int l = 0; l < LANES; l++) r[l] = on >> from[l] & 1 ? x[from[l]] : 0;",
        "put(w, op->d, r);",
    ]
    return encoded(fields, *lines, "NEXT;")


def _swizzle(mode: str, rest: str) -> list[int]:
    parts = [part.strip().strip('"') for part in rest.split(",")]
    if mode == "QUAD_PERM":
        return [lane & ~3 | int(parts[lane & 3]) for lane in range(64)]
    if mode == "BITMASK_PERM":
        keep = int("".join("1" if bit in "pi" else "0" for bit in parts[0]), 2)
        set_ = int("".join("1" if bit == "1" else "0" for bit in parts[0]), 2)
        flip = int("".join("1" if bit == "i" else "0" for bit in parts[0]), 2)
        return [lane & 32 | ((lane & 31 & keep | set_) ^ flip) for lane in range(64)]
    size = int(parts[0], 0)
    if mode == "BROADCAST":
        return [lane & ~(size - 1) | int(parts[1], 0) for lane in range(64)]
    if mode == "SWAP":
        return [lane ^ size for lane in range(64)]
    if mode == "REVERSE":
        return [lane ^ (size - 1) for lane in range(64)]
    raise ValueError(mode)


def _swizzle_bits(offset: int) -> list[int]:
    if offset & 0x8000:
        return [lane & ~3 | (offset >> 2 * (lane & 3) & 3) for lane in range(64)]
    keep, set_, flip = offset & 31, offset >> 5 & 31, offset >> 10 & 31
    return [lane & 32 | ((lane & 31 & keep | set_) ^ flip) for lane in range(64)]
