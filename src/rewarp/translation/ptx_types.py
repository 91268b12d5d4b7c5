"""PTX's types, registers and numbers in C++."""

from __future__ import annotations

import re

from rewarp.errors import GaveUp

TYPES = {
    **dict.fromkeys(("b8", "u8"), "unsigned char"),
    **dict.fromkeys(("b16", "u16", "f16", "bf16"), "unsigned short"),
    **dict.fromkeys(("b32", "u32", "f16x2", "bf16x2"), "unsigned"),
    **dict.fromkeys(("b64", "u64", "f32x2"), "unsigned long long"),
    "s8": "signed char",
    "s16": "short",
    "s32": "int",
    "s64": "long long",
    "f32": "float",
    "f64": "double",
    "b128": "unsigned __int128",
    "pred": "bool",
}
FLOATS = ("float", "double")
_SIGNED = ("signed char", "short", "int")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?\Z")
_FLOAT_BITS = re.compile(r"0([fFdD])([0-9a-fA-F]+)\Z")
_DECIMAL = re.compile(r"-?\d*\.\d+(?:[eE][-+]?\d+)?\Z")


class NoForm(GaveUp):
    """An instruction without a row, or one used in a way that its row does not speak of."""


def cpp_type(kind: str) -> str:
    if kind not in TYPES:
        raise NoForm(f"the type {kind}")
    return TYPES[kind]


def part_of(kind: str, count: int) -> str:
    """The type of each of the parts that a register is made of."""
    return f"b{int(kind[1:]) // count}"


def local_name(register: str) -> str:
    """The name of a register of the text. It must not hide a name that the operands use."""
    return "ptx_" + register.replace("$", "_")


def is_integer(operand: str) -> bool:
    return bool(_NUMBER.match(operand))


def literal(operand: str, kind: str | None) -> str:
    """A number of the text in C++; empty for what is none."""
    if is_integer(operand):
        text = operand.rstrip("U")
        if kind in FLOATS:
            return text + (".0f" if kind == "float" else ".0")
        if kind in _SIGNED and text.lower().startswith("0x") and int(text, 16) >> 31:
            return f"static_cast<{kind}>({text})"  # C++ reads it as unsigned
        return text + "u" if kind in (None, "unsigned") and not text.startswith("-") else text
    bits = _FLOAT_BITS.match(operand)
    if bits:
        single = bits[1] in "fF"
        return f"rewarp_ptx::as<{'float' if single else 'double'}>(0x{bits[2]}{'u' if single else 'ull'})"
    if _DECIMAL.match(operand):
        return operand + ("f" if kind == "float" else "")
    return ""
