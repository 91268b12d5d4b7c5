"""Shapes of the scalar unit's loads, stores and atomics: one address for the whole wave."""

from __future__ import annotations

import re

from rewarp.machine.assembly import Instruction
from rewarp.machine.shapes.memory import ATOMICS
from rewarp.machine.shapes.shape import Access, Encoded, Fields, Unsupported, encoded, scalar_raw

_WORDS = re.compile(r"s_(buffer_)?(load|store)_(?:dword(?:x(\d+))?|b(\d+))$")
_PART = re.compile(r"s_(buffer_)?load_([ui])(8|16)$")
_ATOMIC = re.compile(r"s_(buffer_)?atomic_([a-z]+)(_x2)?$")


def encode(instruction: Instruction) -> Encoded | None:
    name = instruction.mnemonic
    if match := _WORDS.match(name):
        words = int(match[4]) // 32 if match[4] else int(match[3] or 1)
        return (_load if match[2] == "load" else _store)(instruction, words, bool(match[1]))
    if match := _PART.match(name):
        return _load_part(instruction, match[2] + match[3], int(match[3]) // 8, bool(match[1]))
    if (match := _ATOMIC.match(name)) and match[2] in ATOMICS:
        return _atomic(instruction, match[2], bool(match[3]), bool(match[1]))
    return None


def _address(instruction: Instruction, is_buffer: bool) -> tuple[Fields, list[str]]:
    """``p``, and how far it lies from the base."""
    target, base, *offsets = instruction.operands
    if target.kind != "s":
        raise Unsupported(instruction)
    fields = Fields(d=target.index, a=base.index, k=instruction.modifiers.get("offset", 0))
    lines = ["u64 at = 0;"]
    for slot, operand in zip("bc", offsets):
        if operand.kind == "k":
            fields.k += operand.value
        else:
            lines.append(f"at += {scalar_raw(slot, operand, 'u', fields, instruction)};")
    start = "(s64(w, op->a) & 0xffffffffffff)" if is_buffer else "s64(w, op->a)"
    return fields, [*lines, f"at += op->k; u64 p = {start} + at;"]


_OUTSIDE = "u64 stride = w->s[op->a + 1] >> 16 & 0x3fff, room = (u64)w->s[op->a + 2] * (stride ? stride : 1);"


def _reached(lines: list[str], size: int, align: int, is_buffer: bool, writes: bool, outside: str) -> list[str]:
    """Beyond the end of a buffer nothing is read or written. Addresses lose their last bits, which those who watch see."""
    found = [_OUTSIDE, f"int out = at + {size} > room;"] if is_buffer else []
    found.append(f"WATCHED{{w->seen(w, op, &p, {'!out' if is_buffer else '1'}, 0);}}")
    if is_buffer:
        found.append(f"if (out) {{ {outside} NEXT; }}")
    kind = "FAULT_WRITE" if writes else "FAULT_READ"
    return [
        *(*lines, *found, f"p &= ~{align - 1}ul; u8 *place = global_place(w, op, 0, p, {size}, {int(writes)});"),
        f"if (!place) return fault(w, op, {kind}, 0, p, {size});",
    ]


def _load(instruction: Instruction, words: int, is_buffer: bool) -> Encoded:
    fields, address = _address(instruction, is_buffer)
    access = Access(tuple(address), "global_place", 4 * words, words, target=fields.d)
    zero = f"for (int n = 0; n < {words}; n++) w->s[op->d + n] = 0;"
    lines = _reached(address, 4 * words, 4, is_buffer, False, zero)
    lines.append(f"for (int n = 0; n < {words}; n++) w->s[op->d + n] = LOAD32(place + 4 * n);")
    return encoded(fields, *lines, "NEXT;", access=access)


def _load_part(instruction: Instruction, kind: str, size: int, is_buffer: bool) -> Encoded:
    fields, address = _address(instruction, is_buffer)
    access = Access(tuple(address), "global_place", size, 0, target=fields.d)
    lines = _reached(address, size, size, is_buffer, False, "w->s[op->d] = 0;")
    return encoded(fields, *lines, f"w->s[op->d] = (u32)LOAD({kind}, place);", "NEXT;", access=access)


def _store(instruction: Instruction, words: int, is_buffer: bool) -> Encoded:
    fields, address = _address(instruction, is_buffer)
    access = Access(tuple(address), "global_place", 4 * words, words, stores=True)
    lines = _reached(address, 4 * words, 4, is_buffer, True, "")
    lines.append(f"for (int n = 0; n < {words}; n++) STORE(u32, place + 4 * n, w->s[op->d + n]);")
    return encoded(fields, *lines, "NEXT;", access=access)


def _atomic(instruction: Instruction, form: str, wide: bool, is_buffer: bool) -> Encoded:
    kind, signed, size = ("u64", "i64", 8) if wide else ("u32", "i32", 4)
    fields, address = _address(instruction, is_buffer)
    returns = "glc" in instruction.flags

    def word(at: int) -> str:
        return f"s64(w, op->d + {at})" if wide else f"w->s[op->d + {at}]"

    access = Access(
        tuple(address), "global_place", size, size // 4, target=fields.d if returns else None, atomic=form, stores=True
    )
    lines = _reached(address, size, size, is_buffer, True, "")
    lines += [
        f"typedef {signed} S; {kind} x = {word(0)}, compare = {word(size // 4)};",
        f"{kind} *to = ({kind} *)place, old = __atomic_load_n(to, 5), new;",
        f"do new = {ATOMICS[form]}; while (!__atomic_compare_exchange_n(to, &old, new, 0, 5, 5));",
        "WATCHED{w->changes += new != old;}",
    ]
    if returns:
        lines.append("set_s64(w, op->d, old);" if wide else "w->s[op->d] = old;")
    return encoded(fields, *lines, "NEXT;", access=access)
