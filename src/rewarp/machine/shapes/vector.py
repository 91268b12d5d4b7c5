"""Shapes of instructions that compute lane by lane, in all their encodings: plain, with modifiers, SDWA, DPP, packed."""

from __future__ import annotations

import re

from rewarp.machine import accuracy, modes
from rewarp.machine.assembly import Instruction, Operand
from rewarp.machine.meaning import vector as meaning
from rewarp.machine.shapes.shape import (
    FLOATS,
    LETTERS,
    SCALARS,
    SIZES,
    Encoded,
    Fields,
    Unsupported,
    encoded,
    raw,
    register,
)

_ENDINGS = re.compile(r"_(e32|e64|sdwa|dpp|e64_dpp|dpp8|e64_dpp8)$")
_SELECT = {
    "BYTE_0": (0, 8),
    "BYTE_1": (8, 8),
    "BYTE_2": (16, 8),
    "BYTE_3": (24, 8),
    "WORD_0": (0, 16),
    "WORD_1": (16, 16),
}
_SATURATING = {
    "v_add_u32": "add", "v_sub_u32": "sub", "v_add_i32": "add", "v_sub_i32": "sub", "v_add_u16": "add", "v_sub_u16": "sub",
    "v_add_i16": "add", "v_sub_i16": "sub",
}  # fmt: skip


def plain_name(mnemonic: str) -> str:
    """Without the words for its encoding."""
    return _ENDINGS.sub("", mnemonic)


def encode(instruction: Instruction) -> Encoded | None:
    name = plain_name(instruction.mnemonic)
    if name in meaning.VECTOR:
        return _computed(instruction, name)
    if name in meaning.COMPARE:
        return _compared(instruction, meaning.COMPARE[name], also_mask=False)
    if name in meaning.COMPARE_AND_MASK:
        return _compared(instruction, meaning.COMPARE_AND_MASK[name], also_mask=True)
    if name in meaning.PACKED or name == "v_pk_fmac_f16":
        return _packed(instruction, name)
    return None


# --- sources --------------------------------------------------------------------------------


def source(
    slot: str, operand: Operand, letter: str, fields: Fields, instruction: Instruction, *, high: bool = False
) -> list[str]:
    """Declares a source in its type, with all that the instruction does to it on the way."""
    number = "abc".index(slot)
    value = raw(slot, operand, letter, fields, instruction)
    modifiers = instruction.modifiers
    select = modifiers.get(f"src{number}_sel", "DWORD")
    if select in _SELECT:
        shift, width = _SELECT[select]
        up = 32 - shift - width
        value = f"AS(AS({value} << {up}, {'vi32' if operand.extended else 'vu32'}) >> {32 - width}, vu32)"
    if SIZES[letter] == 2:
        high = high or operand.half == "h"
        value = f"CONVERT({value} >> 16, vu16)" if high else f"CONVERT({value}, vu16)"
    if slot == "a" and is_dpp(instruction):
        value = f"moved({value})"
    value = flushed(instruction, letter, f"AS({value}, {LETTERS[letter]})")
    if operand.absolute or operand.negative:
        value = _signed(value, letter, operand, instruction)
    return [f"{LETTERS[letter]} {slot} = {value};"]


def flushed(instruction: Instruction, letter: str, value: str) -> str:
    """A source as the mode has it. What asks for the class of a number sees it as it is."""
    flushes = letter == "f" and modes.FLUSHES_SOURCES in instruction.flags and "_class_" not in instruction.mnemonic
    return f"flushed({value})" if flushes else value


def _signed(value: str, letter: str, operand: Operand, instruction: Instruction) -> str:
    """Absolute and negative values of numbers; of plain bits, those of the number that they are."""
    if letter == "u":
        value = f"({value} & 0x7fffffff)" if operand.absolute else value
        return f"({value} ^ 0x80000000)" if operand.negative else value
    if letter not in FLOATS:
        raise Unsupported(instruction, "the sign of an integer")
    value = f"__builtin_elementwise_abs({value})" if operand.absolute else value
    return f"-{value}" if operand.negative else value


def is_dpp(instruction: Instruction) -> bool:
    return instruction.mnemonic.endswith(("_dpp", "_dpp8"))


def _selected(instruction: Instruction, number: int) -> bool:
    """Whether a 16-bit operand is the upper half of its register."""
    chosen = instruction.modifiers.get("op_sel")
    return bool(chosen and number < len(chosen) and chosen[number])


def around(instruction: Instruction, lines: list[str]) -> list[str]:
    """DPP: lanes look at their neighbours, and those that have none stay out."""
    if not is_dpp(instruction):
        return lines
    from rewarp.machine.shapes.lanes import dpp

    before, after = dpp(instruction)
    return [*before, *lines, *after]


# --- results --------------------------------------------------------------------------------


def _computed(instruction: Instruction, name: str) -> Encoded:
    row = meaning.VECTOR[name]
    operands = instruction.operands[1:]
    if len(operands) != len(row.sources) or instruction.operands[0].kind not in "va":
        raise Unsupported(instruction)
    fields = Fields(d=register(instruction.operands[0]))
    lines: list[str] = []
    for number, (slot, operand, letter) in enumerate(zip("abc", operands, row.sources)):
        high = SIZES[letter] == 2 and _selected(instruction, number)
        lines += source(slot, operand, letter, fields, instruction, high=high)
    high = SIZES[row.result] == 2 and (_selected(instruction, len(row.sources)) or instruction.operands[0].half == "h")
    if re.search(r"\bd\b", row.expression):
        old = flushed(instruction, row.result, _old(row.result, high))
        lines.append(f"{LETTERS[row.result]} d = {old};")
    lines.append(f"{LETTERS[row.result]} r = {_expression(instruction, name, row)};")
    lines += _perturbed(instruction, row.result, fields)
    lines += finished(instruction, row.result)
    lines += _kept(instruction, row.result, row.keeps_half or "keeps" in instruction.flags, high)
    return encoded(fields, *around(instruction, lines), "NEXT;")


def _perturbed(instruction: Instruction, letter: str, fields: Fields) -> list[str]:
    """Where it was asked for: the result moved by less than what a card may be off."""
    bound = accuracy.bound(instruction.mnemonic)
    if bound is None or "perturb" not in instruction.modifiers:
        return []
    fields.k = instruction.modifiers["perturb"]
    if bound.power:
        return [f"r = moved_by(r, 0x1p{bound.power}f, (u32)op->k);"]
    return [f"r = moved_{SCALARS[letter]}(r, {bound.units}, (u32)op->k);"]


def _old(letter: str, high: bool) -> str:
    if SIZES[letter] == 8:
        return f"AS(pair(w, op->d), {LETTERS[letter]})"
    word = "(*reg(w, op->d) >> 16)" if high else "*reg(w, op->d)"
    return f"AS(CONVERT({word}, vu16), {LETTERS[letter]})" if SIZES[letter] == 2 else f"AS({word}, {LETTERS[letter]})"


def _expression(instruction: Instruction, name: str, row: meaning.Vector) -> str:
    if "clamp" in instruction.flags and row.result not in FLOATS:
        if name not in _SATURATING:
            raise Unsupported(instruction, "clamp")
        return f"__builtin_elementwise_{_SATURATING[name]}_sat(a, b)"
    return row.expression


def finished(instruction: Instruction, letter: str, name: str = "r") -> list[str]:
    """Output modifiers of floating-point results, and what the mode does to them. Cards pass over mul and div where denormals are
    kept, or where MODE says IEEE."""
    if letter not in FLOATS:
        return []
    t, lines = LETTERS[letter], []
    singles = letter == "f"
    for word, sign in (("mul", "*"), ("div", "/")):
        if word in instruction.modifiers and singles and modes.SCALES_RESULTS in instruction.flags:
            lines.append(f"{name} = {name} {sign} {instruction.modifiers[word]}.0f;")
    if singles and modes.FLUSHES_RESULTS in instruction.flags:
        lines.append(f"{name} = flushed({name});")
    if "clamp" in instruction.flags:
        lines.append(f"{name} = ({name} > 0) ? ({name} < 1) ? {name} : ({t})1 : ({t})0;")
    return lines


def _kept(instruction: Instruction, letter: str, keeps_half: bool, high: bool) -> list[str]:
    """The result to its register."""
    if SIZES[letter] == 8:
        return ["put_pair(w, op->d, AS(r, vu64));"]
    if SIZES[letter] == 4:
        word = "AS(r, vu32)"
    else:
        word = "CONVERT(AS(r, vu16), vu32)"
    select = instruction.modifiers.get("dst_sel", "DWORD")
    if select in _SELECT:
        return [_placed(instruction, word, *_SELECT[select])]
    if SIZES[letter] == 2 and high:
        return [f"put(w, op->d, (*reg(w, op->d) & 0xffff) | {word} << 16);"]
    if SIZES[letter] == 2 and keeps_half:
        return [f"put(w, op->d, (*reg(w, op->d) & 0xffff0000) | {word});"]
    return [f"put(w, op->d, {word});"]


def _placed(instruction: Instruction, word: str, shift: int, width: int) -> str:
    """SDWA: the result is one byte or half of the register."""
    bits = ((1 << width) - 1) << shift
    part = f"({word} << {shift} & {bits:#x}u)"
    unused = instruction.modifiers.get("dst_unused", "UNUSED_PAD")
    if unused == "UNUSED_PRESERVE":
        return f"put(w, op->d, (*reg(w, op->d) & {~bits & 0xFFFFFFFF:#x}u) | {part});"
    if unused == "UNUSED_SEXT":
        up = 32 - shift - width
        return f"put(w, op->d, AS(AS({part} << {up}, vi32) >> {up}, vu32));"
    return f"put(w, op->d, {part});"


def _compared(instruction: Instruction, row: meaning.Vector, *, also_mask: bool) -> Encoded:
    operands = instruction.operands
    target = operands[0] if len(operands) == 3 else Operand("s", 126, 2)
    fields = Fields(d=target.index)
    lines: list[str] = []
    for number, (slot, operand, letter) in enumerate(zip("ab", operands[-2:], row.sources)):
        high = SIZES[letter] == 2 and _selected(instruction, number)
        lines += source(slot, operand, letter, fields, instruction, high=high)
    lines.append(f"mask r = BITS({row.expression}) & exec(w);")
    lines.append("set_mask(w, op->d, r);")
    if also_mask:
        lines.append("set_mask(w, EXEC, r);")
    return encoded(fields, *around(instruction, lines), "NEXT;")


# --- packed ---------------------------------------------------------------------------------


def _packed(instruction: Instruction, name: str) -> Encoded:
    """Two results: the halves of a register, or of a pair of registers."""
    if name == "v_pk_fmac_f16":
        name, operands = "v_pk_fma_f16", (*instruction.operands[1:], instruction.operands[0])
    else:
        operands = instruction.operands[1:]
    row = meaning.PACKED[name]
    if len(operands) != len(row.sources):
        raise Unsupported(instruction)
    fields = Fields(d=register(instruction.operands[0]))
    wide = SIZES[row.result] == 4
    count = len(operands)
    low = instruction.modifiers.get("op_sel", (0,) * count)
    high = instruction.modifiers.get("op_sel_hi", (1,) * count)
    negative = instruction.modifiers.get("neg_lo", (0,) * count), instruction.modifiers.get("neg_hi", (0,) * count)
    kind = LETTERS[row.result]
    lines: list[str] = []
    for half, choice in enumerate((low, high)):
        if name == "v_pk_mov_b32":  # each result has a source of its own
            slot = "ab"[half]
            value = _half(slot, operands[half], row.sources[half], fields, instruction, bool(low[half]))
            lines.append(f"vu32 r{half} = {value};")
            continue
        inner = []
        for number, (slot, operand, letter) in enumerate(zip("abc", operands, row.sources)):
            value = _half(slot, operand, letter, fields, instruction, bool(choice[number]))
            value = flushed(instruction, letter, value)
            sign = "-" if negative[half][number] and letter in FLOATS else ""
            inner.append(f"{LETTERS[letter]} {slot} = {sign}{value};")
        inner.append(f"{kind} r_ = {row.expression};")
        if "clamp" in instruction.flags and row.result not in FLOATS:
            raise Unsupported(instruction, "clamp")
        inner += finished(instruction, row.result, "r_")
        lines.append(f"{kind} r{half} = ({{ {' '.join(inner)} r_; }});")
    if wide:
        lines += ["put(w, op->d, AS(r0, vu32));", "put(w, op->d + 1, AS(r1, vu32));"]
    else:
        lines.append("put(w, op->d, packed(AS(r0, vu16), AS(r1, vu16)));")
    return encoded(fields, *lines, "NEXT;")


def _half(slot: str, operand: Operand, letter: str, fields: Fields, instruction: Instruction, high: bool) -> str:
    if SIZES[letter] == 4:
        if operand.kind in "va":
            setattr(fields, slot, register(operand))
            word = f"*reg(w, op->{slot} + {int(high)})"
        elif operand.kind == "s" and operand.count == 2:
            setattr(fields, slot, operand.index)
            word = f"(vu32)w->s[op->{slot} + {int(high)}]"
        else:
            word = raw(slot, operand, letter, fields, instruction)
        return f"AS({word}, {LETTERS[letter]})"
    word = raw(slot, operand, letter, fields, instruction)
    return f"AS(CONVERT({word}{' >> 16' if high else ''}, vu16), {LETTERS[letter]})"
