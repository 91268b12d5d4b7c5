"""Shapes of the scalar unit, of branches, and of loads of constants."""

from __future__ import annotations

import re

from rewarp.machine import modes
from rewarp.machine.assembly import Instruction, Operand
from rewarp.machine.meaning import scalar as meaning
from rewarp.machine.shapes import scalar_memory
from rewarp.machine.shapes.shape import FLOATS, NULL, SCALARS, SIZES, Encoded, Fields, Unsupported, encoded, scalar_raw


def encode(instruction: Instruction) -> Encoded | None:
    name = instruction.mnemonic
    if name in meaning.NOTHING:
        return encoded(Fields(), "NEXT;")
    for table, make in (
        (meaning.SCALAR, _computed),
        (meaning.COMPARE, _compared),
        (meaning.SAVE_MASK, _masked),
        (meaning.CHANGE_MASK, _masked),
        (meaning.BRANCHES, _branch),
    ):
        if name in table:
            return make(instruction)
    return scalar_memory.encode(instruction) or _special(instruction)


def _source(slot: str, operand: Operand, letter: str, fields: Fields, instruction: Instruction) -> str:
    return f"{SCALARS[letter]} {slot} = {_as(scalar_raw(slot, operand, letter, fields, instruction), letter)};"


def _as(bits: str, letter: str) -> str:
    """Bits of a register as a value of a type."""
    if letter in FLOATS:
        return f"AS((u{8 * SIZES[letter]}){bits}, {SCALARS[letter]})"
    return f"({SCALARS[letter]}){bits}"


def _put(slot: str, letter: str, value: str) -> str:
    if letter in FLOATS:
        value = f"AS({value}, u{8 * SIZES[letter]})"
    if SIZES[letter] == 2:
        return f"w->s[op->{slot}] = (w->s[op->{slot}] & 0xffff0000) | {value};"
    return f"set_s64(w, op->{slot}, (u64){value});" if SIZES[letter] == 8 else f"w->s[op->{slot}] = (u32){value};"


def _computed(instruction: Instruction) -> Encoded:
    row = meaning.SCALAR[instruction.mnemonic]
    if instruction.flags & {modes.FLUSHES_SOURCES, modes.FLUSHES_RESULTS}:
        raise Unsupported(instruction, "denormal numbers that become zero")
    fields = Fields(d=instruction.operands[0].index)
    operands = instruction.operands[1:]
    if len(operands) < len(row.sources):  # s_addk_i32 s0, 1: the destination is the first source
        operands = instruction.operands[:1] + operands
    if len(operands) != len(row.sources) or instruction.operands[0].kind != "s":
        raise Unsupported(instruction)
    lines = [_source(s, o, t, fields, instruction) for s, o, t in zip("abc", operands, row.sources)]
    if re.search(r"\bd\b", row.expression):
        old = "s64(w, op->d)" if SIZES[row.result] == 8 else "w->s[op->d]"
        lines.append(f"{SCALARS[row.result]} d = {_as(old, row.result)};")
    lines.append(f"{SCALARS[row.result]} r = {row.expression};")
    if row.scc:
        lines.append(f"u32 scc = ({row.scc}) ? 1 : 0;")
    if fields.d != NULL:
        lines.append(_put("d", row.result, "r"))
    if row.scc:
        lines.append("w->scc = scc;")
    return encoded(fields, *lines, "NEXT;")


def _compared(instruction: Instruction) -> Encoded:
    row = meaning.COMPARE[instruction.mnemonic]
    fields = Fields()
    lines = [_source(s, o, t, fields, instruction) for s, o, t in zip("ab", instruction.operands, row.sources)]
    return encoded(fields, *lines, f"w->scc = ({row.expression}) ? 1 : 0;", "NEXT;")


def _masked(instruction: Instruction) -> Encoded:
    """EXEC becomes something of itself and the operand; the destination gets what it was, or what it is."""
    name = instruction.mnemonic
    letter = "U" if name.endswith("64") else "u"
    fields, kind = Fields(d=instruction.operands[0].index), SCALARS[letter]
    source = _source("a", instruction.operands[1], letter, fields, instruction)
    old, new = ("s64(w, EXEC)", "set_s64(w, EXEC, r);") if letter == "U" else ("w->s[EXEC]", "w->s[EXEC] = r;")
    expression = meaning.SAVE_MASK.get(name) or meaning.CHANGE_MASK[name]
    kept = _put("d", letter, "x" if name in meaning.SAVE_MASK else "r")
    return encoded(
        fields, source, f"{kind} x = {old};", f"{kind} r = {expression};", kept, new, "w->scc = r != 0;", "NEXT;"
    )


def _branch(instruction: Instruction) -> Encoded:
    fields = Fields()
    target = instruction.operands[0]
    if target.kind != "y":
        raise Unsupported(instruction, "a branch to a number")
    fields.symbols["k"] = (target.name, "distance", target.value)
    test = meaning.BRANCHES[instruction.mnemonic]
    return encoded(fields, f"if ({test}) JUMP(op->k);", *(() if test == "1" else ("NEXT;",)))


_STOPS = {
    "s_endpgm": "w->pc = op; return STOP_END;",
    "s_barrier": "w->pc = op + 1; return STOP_BARRIER;",
    "s_sleep": "w->pc = op + 1; return STOP_YIELD;",
    "s_trap": "w->pc = op; w->trap = (u32)op->a; return STOP_TRAP;",
}
_LINK = "set_s64(w, op->d, CODE_BASE + 4 * (u64)(op + 1 - w->code));"
_TIMES = {"s_memtime": 2, "s_memrealtime": 2}


def _special(instruction: Instruction) -> Encoded | None:
    name, operands = instruction.mnemonic, instruction.operands
    if name in _STOPS:
        return encoded(Fields(a=operands[0].value if operands else 0), _STOPS[name])
    if name in _TIMES:
        return encoded(Fields(d=operands[0].index), "set_s64(w, op->d, w->clock += 64);", "NEXT;")
    if name == "s_getpc_b64":
        # Addresses of symbols are absolute here, so that what is added to this is all there is.
        return encoded(Fields(d=operands[0].index), "set_s64(w, op->d, 0);", "NEXT;")
    if name in ("s_setpc_b64", "s_swappc_b64"):
        fields = Fields(a=operands[-1].index, d=operands[0].index)
        link = (_LINK,) if name == "s_swappc_b64" else ()
        return encoded(fields, "u64 to = s64(w, op->a);", *link, "GO(to);")
    if name == "s_call_b64":
        fields = Fields(d=operands[0].index)
        fields.symbols["k"] = (operands[1].name, "distance", operands[1].value)
        return encoded(fields, _LINK, "JUMP(op->k);")
    if name == "s_sendmsg":
        asks = "MSG_INTERRUPT" in instruction.text  # the host, which answers before the wave goes on
        return encoded(Fields(), "if (w->memory->answer) w->memory->answer();" if asks else "", "NEXT;")
    if name == "s_sendmsg_rtn_b64" and "GET_REALTIME" in instruction.text:
        return encoded(Fields(d=operands[0].index), "set_s64(w, op->d, w->clock += 64);", "NEXT;")
    if name == "s_sendmsg_rtn_b32":  # numbers of queues and doorbells, which nothing here has
        return encoded(Fields(d=operands[0].index), "w->s[op->d] = 0;", "NEXT;")
    if name == "s_getreg_b32":
        return _hardware(instruction)
    if name in ("s_setreg_b32", "s_setreg_imm32_b32", "s_denorm_mode", "s_round_mode"):
        return _set_mode(instruction)
    if name.startswith("s_movrel"):
        return _relative(instruction)
    return None


# The registers end; what lies behind them is not the program's.
_FROM, _TO = "(op->a + w->s[M0]) % (SGPRS - 1)", "(op->d + w->s[M0]) % (SGPRS - 1)"
_MOVES = {
    "s_movrels_b32": f"w->s[op->d] = w->s[{_FROM}];",
    "s_movrels_b64": f"set_s64(w, op->d, s64(w, {_FROM}));",
    "s_movreld_b32": f"w->s[{_TO}] = {{value}};",
    "s_movreld_b64": f"set_s64(w, {_TO}, {{value}});",
    "s_movrelsd_2_b32": "w->s[(op->d + (w->s[M0] >> 16 & 1023)) % SGPRS] = w->s[(op->a + (w->s[M0] & 1023)) % SGPRS];",
}


def _relative(instruction: Instruction) -> Encoded:
    """M0 adds to the number of a register."""
    target, from_ = instruction.operands
    line = _MOVES.get(instruction.mnemonic)
    if line is None or (from_.kind != "s" and "{value}" not in line):
        raise Unsupported(instruction)
    fields = Fields(d=target.index, a=from_.index)
    if "{value}" in line:
        letter = "U" if instruction.mnemonic.endswith("64") else "u"
        line = line.format(value=scalar_raw("a", from_, letter, fields, instruction))
    return encoded(fields, line, "NEXT;")


def _hardware(instruction: Instruction) -> Encoded:
    text = instruction.text
    fields = Fields(d=instruction.operands[0].index)
    if "HW_REG_XCC_ID" in text or "HW_REG_HW_ID" in text:
        return encoded(fields, "w->s[op->d] = 0;", "NEXT;")
    if "HW_REG_SHADER_CYCLES" in text:
        return encoded(fields, "w->s[op->d] = (u32)(w->clock += 64);", "NEXT;")
    if "HW_REG_MODE" in text and "mode" in instruction.modifiers:
        fields.a = modes.read(instruction, instruction.modifiers["mode"])
        return encoded(fields, "w->s[op->d] = (u32)op->a;", "NEXT;")
    raise Unsupported(instruction)


def _set_mode(instruction: Instruction) -> Encoded:
    """The instructions that follow know what was set. Other roundings than to the nearest are not modelled."""
    off, on = modes.written(instruction, 0), modes.written(instruction, -1)
    if off is None or on is None:
        raise Unsupported(instruction, "a change of more than how numbers are computed")
    changed = ~(off ^ on)  # bits that are what they are whatever they were
    if off & 15:
        raise Unsupported(instruction, "another rounding than to the nearest number")
    if changed >> 8 or ~off & changed & 0xC0:
        raise Unsupported(instruction, "denormal numbers of 16 and 64 bits that become zero, or a change beyond them")
    return encoded(Fields(), "NEXT;")
