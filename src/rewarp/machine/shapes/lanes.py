"""Shapes of what looks across lanes, carries, selects by a mask, or has two results."""

from __future__ import annotations

import re
from collections.abc import Callable

from rewarp.machine.assembly import Instruction
from rewarp.machine.meaning import vector as meaning
from rewarp.machine.shapes.shape import LETTERS, SIZES, Encoded, Fields, Unsupported, encoded, raw, register, scalar_raw
from rewarp.machine.shapes.vector import around, finished, flushed, plain_name, source

Make = Callable[[Instruction], Encoded]
_CARRY = re.compile(r"v_(add|sub|subrev)(c|b|brev)?_co_u32$")
_GFX10_CARRY = {"v_add_co_ci_u32": "addc", "v_sub_co_ci_u32": "subb", "v_subrev_co_ci_u32": "subbrev"}
_MIX = {"v_fma_mix_f32": "", "v_fma_mixlo_f16": "low", "v_fma_mixhi_f16": "high", "v_mad_mix_f32": ""}
_MIX |= {"v_mad_mixlo_f16": "low", "v_mad_mixhi_f16": "high"}


def encode(instruction: Instruction) -> Encoded | None:
    name = plain_name(instruction.mnemonic)
    if made := _TABLE.get(name):
        return made(instruction)
    if name in _GFX10_CARRY or _CARRY.match(name) or re.match(r"v_(subb|addc|subbrev)_co_u32$", name):
        return _carried(instruction, _GFX10_CARRY.get(name) or name.removeprefix("v_").removesuffix("_co_u32"))
    if name in _MIX:
        return _mixed(instruction, _MIX[name])
    if name.startswith("v_s_") and (plain := "v_" + name.removeprefix("v_s_")) in meaning.VECTOR:
        return _for_the_wave(instruction, plain)
    return None


# --- masks ----------------------------------------------------------------------------------


def _chosen(instruction: Instruction) -> Encoded:
    """v_cndmask_b32: by the mask, which is VCC where none is written."""
    fields = Fields(d=register(instruction.operands[0]))
    lines = source("a", instruction.operands[1], "u", fields, instruction)
    lines += source("b", instruction.operands[2], "u", fields, instruction)
    fields.c = instruction.operands[3].index if len(instruction.operands) > 3 else 106
    lines.append("put(w, op->d, lanes_of(get_mask(w, op->c)) ? b : a);")
    return encoded(fields, *around(instruction, lines), "NEXT;")


def _carried(instruction: Instruction, what: str) -> Encoded:
    operands = instruction.operands
    fields = Fields(d=register(operands[0]), e=operands[1].index)
    lines = source("a", operands[2], "u", fields, instruction) + source("b", operands[3], "u", fields, instruction)
    carry = what in ("addc", "subb", "subbrev")
    lines.append("vu64 i = 0;")
    if carry:
        fields.c = operands[4].index
        lines[-1] = "vu64 i = AS(CONVERT(-lanes_of(get_mask(w, op->c)), vi64), vu64);"
    x, y = ("b", "a") if what.endswith("rev") else ("a", "b")
    sign = "+" if what.startswith("add") else "-"
    lines.append(f"vu64 r = CONVERT({x}, vu64) {sign} CONVERT({y}, vu64) {sign} i;")
    lines.append("mask out = BITS(AS(r >> 32 & 1, vi64)) & exec(w);")
    if "clamp" in instruction.flags:
        lines.append(f"r = (r >> 32 & 1) != 0 ? (vu64){'0xffffffff' if sign == '+' else '0'} : r;")
    lines += ["put(w, op->d, CONVERT(r, vu32));", "set_mask(w, op->e, out);"]
    return encoded(fields, *lines, "NEXT;")


def _wide_product(letter: str) -> Make:
    def make(instruction: Instruction) -> Encoded:
        operands = instruction.operands
        fields = Fields(d=register(operands[0]), e=operands[1].index)
        lines = source("a", operands[2], letter, fields, instruction) + source(
            "b", operands[3], letter, fields, instruction
        )
        lines += source("c", operands[4], letter.upper(), fields, instruction)
        wide = LETTERS[letter.upper()]
        lines.append(f"{wide} r = CONVERT(a, {wide}) * CONVERT(b, {wide}) + c;")
        # The bit above the result: a carry, or the sign of the exact sum.
        product = "CONVERT(a, vi64) * CONVERT(b, vi64)"
        over = "r < c" if letter == "u" else f"((r < c) != ({product} < 0)) ? r >= 0 : r < 0"
        lines += [f"mask out = BITS({over}) & exec(w);", "put_pair(w, op->d, AS(r, vu64));", "set_mask(w, op->e, out);"]
        return encoded(fields, *lines, "NEXT;")

    return make


def _divided(letter: str) -> Make:
    def make(instruction: Instruction) -> Encoded:
        operands = instruction.operands
        fields = Fields(d=register(operands[0]), e=operands[1].index)
        lines: list[str] = []
        for slot, operand in zip("abc", operands[2:]):
            lines += source(slot, operand, letter, fields, instruction)
        part = "scaled_part" if letter == "f" else "scaled_part64"
        put = "put(w, op->d, AS(r, vu32));" if letter == "f" else "put_pair(w, op->d, AS(r, vu64));"
        lines += [
            f"{LETTERS[letter]} r; mask out = 0; int set;",
            f"for (int l = 0; l < LANES; l++) r[l] = {part}(a[l], b[l], c[l], &set), out |= (mask)set << l;",
            put,
            "set_mask(w, op->e, out & exec(w));",
        ]
        return encoded(fields, *lines, "NEXT;")

    return make


def _finished(letter: str) -> Make:
    def make(instruction: Instruction) -> Encoded:
        fields = Fields(d=register(instruction.operands[0]))
        lines: list[str] = []
        for slot, operand in zip("abc", instruction.operands[1:]):
            lines += source(slot, operand, letter, fields, instruction)
        kind = LETTERS[letter]
        on = "lanes_of(get_mask(w, VCC))" if letter == "f" else "CONVERT(lanes_of(get_mask(w, VCC)), vi64)"
        # What was scaled up on the way comes back down, and the other way round: the quotient's size tells which it was.
        up, down, one = ("0x1p64f", "0x1p-64f", "2.0f") if letter == "f" else ("0x1p128", "0x1p-128", "2.0")
        factor = f"((__builtin_elementwise_abs(c) >= {one}) ? ({kind}){up} : ({kind}){down})"
        put = "put(w, op->d, AS(r, vu32));" if letter == "f" else "put_pair(w, op->d, AS(r, vu64));"
        lines += [f"{kind} r = __builtin_elementwise_fma(a, b, c);", f"r = {on} ? r * {factor} : r;"]
        lines += [*finished(instruction, letter), put]
        return encoded(fields, *lines, "NEXT;")

    return make


def _chosen_half(instruction: Instruction) -> Encoded:
    target = instruction.operands[0]
    fields = Fields(d=register(target))
    lines = source("a", instruction.operands[1], "w", fields, instruction)
    lines += source("b", instruction.operands[2], "w", fields, instruction)
    fields.c = instruction.operands[3].index if len(instruction.operands) > 3 else 106
    lines.append("vu32 x = CONVERT(CONVERT(lanes_of(get_mask(w, op->c)), vi16) ? b : a, vu32), old = *reg(w, op->d);")
    merged = "(old & 0xffff) | x << 16" if target.half == "h" else "(old & 0xffff0000) | x"
    return encoded(fields, *lines, f"put(w, op->d, {merged});", "NEXT;")


def _any_bits(instruction: Instruction) -> Encoded:
    """v_bitop3: a table says for each combination of three bits what becomes of them."""
    fields = Fields(d=register(instruction.operands[0]))
    lines: list[str] = []
    for slot, operand in zip("abc", instruction.operands[1:]):
        lines += source(slot, operand, "u", fields, instruction)
    table = instruction.modifiers.get("bitop3", 0)
    terms = [
        " & ".join(f"{'' if number >> 2 - at & 1 else '~'}{slot}" for at, slot in enumerate("abc"))
        for number in range(8)
        if table >> number & 1
    ]
    value = " | ".join(f"({term})" for term in terms) or "(vu32)0"
    return encoded(fields, *lines, f"put(w, op->d, {value});", "NEXT;")


def _signed_dot(count: int, width: int) -> Make:
    def make(instruction: Instruction) -> Encoded:
        """neg_lo says which of the factors is signed."""
        operands = instruction.operands
        fields = Fields(d=register(operands[0]))
        lines: list[str] = []
        for slot, operand in zip("abc", operands[1:]):
            lines += source(slot, operand, "u", fields, instruction)
        signs = instruction.modifiers.get("neg_lo", (0, 0, 0))

        def part(slot: str, signed: int) -> str:
            up = f"{slot} << (vu32)({32 - width} - n * {width})"
            return f"AS(AS({up}, {'vi32' if signed else 'vu32'}) >> {32 - width}, vu32)"

        lines.append(f"for (int n = 0; n < {count}; n++) c += {part('a', signs[0])} * {part('b', signs[1])};")
        return encoded(fields, *lines, "put(w, op->d, c);", "NEXT;")

    return make


# --- one lane -------------------------------------------------------------------------------


def _read_first(instruction: Instruction) -> Encoded:
    target, from_ = instruction.operands
    fields = Fields(d=target.index)
    if from_.kind not in "va":
        return encoded(fields, f"w->s[op->d] = {scalar_raw('a', from_, 'u', fields, instruction)};", "NEXT;")
    fields.a = register(from_)
    return encoded(fields, "w->s[op->d] = ((u32 *)reg(w, op->a))[first_lane(exec(w))];", "NEXT;")


def _read_lane(instruction: Instruction) -> Encoded:
    target, from_, lane = instruction.operands
    fields = Fields(d=target.index, a=register(from_))
    which = scalar_raw("b", lane, "u", fields, instruction)
    return encoded(fields, f"w->s[op->d] = ((u32 *)reg(w, op->a))[{which} & (LANES - 1)];", "NEXT;")


def _write_lane(instruction: Instruction) -> Encoded:
    target, value, lane = instruction.operands
    fields = Fields(d=register(target))
    what, which = scalar_raw("a", value, "u", fields, instruction), scalar_raw("b", lane, "u", fields, instruction)
    return encoded(fields, f"((u32 *)reg(w, op->d))[{which} & (LANES - 1)] = {what};", "NEXT;")


def _permuted_rows(other_row: bool) -> Make:
    def make(instruction: Instruction) -> Encoded:
        """Each lane of a row of 16 names one of its own row, or of the row beside it, by four bits."""
        target, from_, low, high = instruction.operands
        fields = Fields(d=register(target), a=register(from_))
        which = [scalar_raw(slot, operand, "u", fields, instruction) for slot, operand in (("b", low), ("c", high))]
        chosen = instruction.modifiers.get("op_sel", (0, 0))
        lines = [
            f"vu32 x = *reg(w, op->a), r = *reg(w, op->d); mask on = exec(w); u64 which = (u64){which[1]} << 32 | {which[0]};",
            f"for (int l = 0; l < LANES; l++) {{ int from = ((l & ~15) ^ {16 if other_row else 0}) + (int)(which >> (l & 15) * 4 & 15);",
            f"    r[l] = {int(chosen[0])} || on >> from & 1 ? x[from] : {'0' if chosen[1] else 'r[l]'}; }}",
            "put(w, op->d, r);",
        ]
        return encoded(fields, *lines, "NEXT;")

    return make


def _permuted_by_lane(other_row: bool) -> Make:
    def make(instruction: Instruction) -> Encoded:
        """As above, but that each lane has the number in a register of its own."""
        target, from_, which = instruction.operands[:3]
        fields = Fields(d=register(target), a=register(from_), b=register(which))
        if instruction.modifiers.get("op_sel"):
            raise Unsupported(instruction, "lanes that are off")
        lines = (
            "vu32 x = *reg(w, op->a), which = *reg(w, op->b), r;",
            f"for (int l = 0; l < LANES; l++) r[l] = x[((l & ~15) ^ {16 if other_row else 0}) + (which[l] & 15)];",
        )
        return encoded(fields, *lines, "put(w, op->d, r);", "NEXT;")

    return make


def _swapped_rows(size: int) -> Make:
    def make(instruction: Instruction) -> Encoded:
        """gfx950: the odd rows of the one register and the even ones of the other change places, whatever lanes are on."""
        fields = Fields(d=register(instruction.operands[0]), a=register(instruction.operands[1]))
        lines = (
            "vu32 *to = reg(w, op->d), *from = reg(w, op->a), x = *to, y = *from;",
            f"for (int l = 0; l < LANES; l++) if (l & {size}) {{ (*to)[l] = y[l ^ {size}]; (*from)[l ^ {size}] = x[l]; }}",
        )
        return encoded(fields, *lines, "NEXT;")

    return make


def _masked_differences(instruction: Instruction) -> Encoded:
    """v_mqsad_u32_u8: four windows of four bytes, each one byte further, each with a sum of its own."""
    target, a, b, c = instruction.operands
    fields = Fields(d=register(target), c=register(c))
    lines = source("a", a, "U", fields, instruction) + source("b", b, "u", fields, instruction)
    lines.append("vu32 r[4]; for (int n = 0; n < 4; n++)")
    lines.append("    r[n] = *reg(w, op->c + n) + masked_bytes(CONVERT(a >> (vu64)(n * 8), vu32), b);")
    return encoded(fields, *lines, "for (int n = 0; n < 4; n++) put(w, op->d + n, r[n]);", "NEXT;")


def _for_the_wave(instruction: Instruction, name: str) -> Encoded:
    """v_s_*: the vector unit's function of a scalar register."""
    row = meaning.VECTOR[name]
    target, from_ = instruction.operands
    if from_.kind in "va":
        raise Unsupported(instruction)
    fields = Fields(d=target.index)
    lines = source("a", from_, row.sources, fields, instruction)
    lines += [f"{LETTERS[row.result]} r = {row.expression};", *finished(instruction, row.result)]
    bits = "AS(r, vu32)[0]" if SIZES[row.result] == 4 else "(u32)AS(r, vu16)[0]"
    return encoded(fields, *lines, f"w->s[op->d] = {bits};", "NEXT;")


def _permuted_halves(instruction: Instruction) -> Encoded:
    """v_permlane64: the halves of a wave of 64 change places; a wave of 32 has none, and nothing happens."""
    fields = Fields(d=register(instruction.operands[0]), a=register(instruction.operands[1]))
    lines = (
        "if (LANES == 32) NEXT;",
        "vu32 x = *reg(w, op->a), r;",
        "for (int l = 0; l < LANES; l++) r[l] = x[(l ^ 32) & (LANES - 1)];",
    )
    return encoded(fields, *lines, "put(w, op->d, r);", "NEXT;")


def _swapped(instruction: Instruction) -> Encoded:
    fields = Fields(d=register(instruction.operands[0]), a=register(instruction.operands[1]))
    lines = ("vu32 x = *reg(w, op->d), y = *reg(w, op->a);", "put(w, op->d, y);", "put(w, op->a, x);")
    return encoded(fields, *lines, "NEXT;")


def _swapped_halves(instruction: Instruction) -> Encoded:
    to, from_ = instruction.operands
    fields = Fields(d=register(to), a=register(from_))
    shifts = [16 if operand.half == "h" else 0 for operand in (to, from_)]
    keeps = [f"{0xFFFF0000 >> shift:#x}u" for shift in shifts]
    lines = (
        "vu32 x = *reg(w, op->d), y = *reg(w, op->a);",
        f"vu32 low = x >> {shifts[0]} & 0xffff, high = y >> {shifts[1]} & 0xffff;",
        f"put(w, op->d, (x & {keeps[0]}) | high << {shifts[0]}); y = *reg(w, op->a);",
        f"put(w, op->a, (y & {keeps[1]}) | low << {shifts[1]});",
    )
    return encoded(fields, *lines, "NEXT;")


# --- conversions with two results -----------------------------------------------------------


def _packed_bytes(function: str) -> Make:
    def make(instruction: Instruction) -> Encoded:
        fields = Fields(d=register(instruction.operands[0]))
        lines = source("a", instruction.operands[1], "f", fields, instruction)
        lines += source("b", instruction.operands[2], "f", fields, instruction)
        chosen = instruction.modifiers.get("op_sel", (0, 0, 0, 0))
        lines.append(f"vu32 r = {function}(a) | {function}(b) << 8, old = *reg(w, op->d);")
        high = len(chosen) > 2 and chosen[-1]
        lines.append(f"put(w, op->d, {'(old & 0xffff) | r << 16' if high else '(old & 0xffff0000) | r'});")
        return encoded(fields, *lines, "NEXT;")

    return make


def _unpacked_bytes(function: str) -> Make:
    def make(instruction: Instruction) -> Encoded:
        fields = Fields(d=register(instruction.operands[0]))
        lines = source("a", instruction.operands[1], "u", fields, instruction)
        if instruction.modifiers.get("op_sel", (0,))[0]:
            lines.append("a >>= 16;")
        lines += [
            f"vf32 x = {function}(a & 255), y = {function}(a >> 8 & 255);",
            "put(w, op->d, AS(x, vu32));",
            "put(w, op->d + 1, AS(y, vu32));",
        ]
        return encoded(fields, *lines, "NEXT;")

    return make


def _mixed(instruction: Instruction, half: str) -> Encoded:
    """Sources of 16 or 32 bits each: op_sel_hi says which are halves, op_sel which half."""
    fields = Fields(d=register(instruction.operands[0]))
    is_half = instruction.modifiers.get("op_sel_hi", (0, 0, 0))
    high = instruction.modifiers.get("op_sel", (0, 0, 0))
    lines: list[str] = []
    for number, (slot, operand) in enumerate(zip("abc", instruction.operands[1:])):
        word = raw(slot, operand, "u", fields, instruction)
        value = (
            f"half_of({word}, {int(high[number])})"
            if is_half[number]
            else flushed(instruction, "f", f"AS({word}, vf32)")
        )
        if operand.absolute:
            value = f"__builtin_elementwise_abs({value})"
        lines.append(f"vf32 {slot} = {'-' if operand.negative else ''}{value};")
    lines.append("vf32 r = __builtin_elementwise_fma(a, b, c);")
    lines += finished(instruction, "f")
    if not half:
        return encoded(fields, *lines, "put(w, op->d, AS(r, vu32));", "NEXT;")
    lines.append("vu32 x = CONVERT(AS(CONVERT(r, vf16), vu16), vu32), old = *reg(w, op->d);")
    merged = "(old & 0xffff0000) | x" if half == "low" else "(old & 0xffff) | x << 16"
    return encoded(fields, *lines, f"put(w, op->d, {merged});", "NEXT;")


# --- DPP ------------------------------------------------------------------------------------


def dpp(instruction: Instruction) -> tuple[list[str], list[str]]:
    """What goes around an instruction whose first source comes from other lanes."""
    modifiers = instruction.modifiers
    from_ = _sources(instruction)
    row_mask, bank_mask = modifiers.get("row_mask", 15), modifiers.get("bank_mask", 15)
    bound = modifiers.get("bound_ctrl") is not None and "dpp8" not in instruction.mnemonic
    fetch_off = bool(modifiers.get("fi"))
    on = "".join(
        "1" if row_mask >> (lane // 16) & 1 and bank_mask >> (lane // 4 % 4) & 1 else "0" for lane in range(64)
    )
    places = ", ".join(str(place if place is not None else 255) for place in from_)
    before = [
        f"static const u8 from_[64] = {{{places}}};",
        f"const mask on_ = (mask){int(on[::-1], 2):#x}ul, was_ = exec(w); mask valid_ = 0; vu32 moved_;",
        "#define moved(x) ({ vu32 x_ = (x); valid_ = 0; for (int l = 0; l < LANES; l++) { int f_ = from_[l]; "
        f"int ok_ = f_ < LANES && ({int(fetch_off)} || was_ >> (f_ & 63) & 1); valid_ |= (mask)ok_ << l; "
        "moved_[l] = ok_ ? x_[f_ & (LANES - 1)] : 0; } "
        f"set_mask(w, EXEC, was_ & on_ & ({'ALL' if bound else 'valid_'})); moved_; }})",
    ]
    return before, ["set_mask(w, EXEC, was_);", "#undef moved"]


def _sources(instruction: Instruction) -> list[int | None]:
    """For each lane, the lane it looks at; None where there is none."""
    modifiers = instruction.modifiers
    found: list[int | None] = []
    for lane in range(64):
        row, at = lane & ~15, lane & 15
        place: int | None
        if "quad_perm" in modifiers:
            place = (lane & ~3) + modifiers["quad_perm"][lane & 3]
        elif "row_shl" in modifiers:
            place = lane + modifiers["row_shl"] if at + modifiers["row_shl"] < 16 else None
        elif "row_shr" in modifiers:
            place = lane - modifiers["row_shr"] if at >= modifiers["row_shr"] else None
        elif "row_ror" in modifiers:
            place = row + (at - modifiers["row_ror"]) % 16
        elif "row_newbcast" in modifiers:
            place = row + modifiers["row_newbcast"]
        elif "row_share" in modifiers:
            place = row + modifiers["row_share"]
        elif "row_xmask" in modifiers:
            place = row + (at ^ modifiers["row_xmask"])
        elif "row_mirror" in instruction.flags:
            place = row + 15 - at
        elif "row_half_mirror" in instruction.flags:
            place = (lane & ~7) + 7 - (lane & 7)
        elif "row_bcast" in modifiers:
            place = _broadcast(lane, modifiers["row_bcast"])
        elif "wave_shl" in modifiers:
            place = lane + 1 if lane < 63 else None
        elif "wave_rol" in modifiers:
            place = (lane + 1) % 64
        elif "wave_shr" in modifiers:
            place = lane - 1 if lane else None
        elif "wave_ror" in modifiers:
            place = (lane - 1) % 64
        elif "dpp8" in modifiers:
            place = (lane & ~7) + modifiers["dpp8"][lane & 7]
        else:
            raise Unsupported(instruction, "this way to move lanes")
        found.append(place)
    return found


def _broadcast(lane: int, width: int) -> int | None:
    if width == 15:
        return (lane & ~15) - 1 if lane >= 16 else None
    return 31 if lane >= 32 else None


_TABLE: dict[str, Make] = {
    "v_cndmask_b32": _chosen,
    "v_cndmask_b16": _chosen_half,
    "v_bitop3_b32": _any_bits,
    "v_dot4_i32_iu8": _signed_dot(4, 8),
    "v_dot8_i32_iu4": _signed_dot(8, 4),
    "v_mad_u64_u32": _wide_product("u"),
    "v_mad_i64_i32": _wide_product("i"),
    "v_div_scale_f32": _divided("f"),
    "v_div_scale_f64": _divided("F"),
    "v_div_fmas_f32": _finished("f"),
    "v_div_fmas_f64": _finished("F"),
    "v_readfirstlane_b32": _read_first,
    "v_readlane_b32": _read_lane,
    "v_writelane_b32": _write_lane,
    "v_swap_b32": _swapped,
    "v_swap_b16": _swapped_halves,
    "v_permlane16_b32": _permuted_rows(False),
    "v_permlanex16_b32": _permuted_rows(True),
    "v_permlane64_b32": _permuted_halves,
    "v_permlane16_var_b32": _permuted_by_lane(False),
    "v_permlanex16_var_b32": _permuted_by_lane(True),
    "v_permlane16_swap_b32": _swapped_rows(16),
    "v_permlane32_swap_b32": _swapped_rows(32),
    "v_mqsad_u32_u8": _masked_differences,
    "v_cvt_pk_fp8_f32": _packed_bytes("to_fp8"),
    "v_cvt_pk_bf8_f32": _packed_bytes("to_bf8"),
    "v_cvt_pk_f32_fp8": _unpacked_bytes("from_fp8"),
    "v_cvt_pk_f32_bf8": _unpacked_bytes("from_bf8"),
}
