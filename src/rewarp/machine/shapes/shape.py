"""A shape: an instruction without the numbers of its registers and its constants. One C function serves all of a shape."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property

from rewarp.errors import RewarpError
from rewarp.machine.assembly import Instruction, Operand, float_bits

LETTERS = {
    "u": "vu32", "i": "vi32", "f": "vf32", "U": "vu64", "I": "vi64", "F": "vf64", "w": "vu16", "x": "vi16", "h": "vf16",
}  # fmt: skip
SCALARS = {"u": "u32", "i": "i32", "f": "f32", "U": "u64", "I": "i64", "F": "f64", "w": "u16", "x": "i16", "h": "f16"}
SIZES = {"u": 4, "i": 4, "f": 4, "U": 8, "I": 8, "F": 8, "w": 2, "x": 2, "h": 2}
FLOATS = "fFh"
ACCUMULATORS = 256
"""AccVGPRs lie behind the others."""
NULL = 125


class Unsupported(RewarpError):
    """An instruction that is not known, or not in this form. Never guessed, never skipped."""

    def __init__(self, instruction: Instruction, why: str = "") -> None:
        place = f" ({instruction.place.file}:{instruction.place.line})" if instruction.place else ""
        super().__init__(f"{instruction.text.strip()}: not supported by the machine{': ' + why if why else ''}{place}")
        self.instruction = instruction


@dataclass(frozen=True)
class Shape:
    """The body of a C function."""

    body: str

    @cached_property
    def name(self) -> str:
        return "f_" + hashlib.sha256(self.body.encode()).hexdigest()[:20]


@dataclass
class Fields:
    """What an instruction adds to its shape."""

    d: int = 0
    e: int = 0
    a: int = 0
    b: int = 0
    c: int = 0
    k: int = 0
    symbols: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    """Fields that are addresses, filled when the program is laid out: symbol, which part, plus how much."""


@dataclass(frozen=True)
class Access:
    """How an instruction reaches memory, for those who watch."""

    address: tuple[str, ...]
    """The lines that make the address."""
    place: str
    """The function that finds it on the host."""
    size: int
    words: int
    """Registers that a lane's data takes; 0 for a part of one."""
    shift: int = 0
    target: int | None = None
    """The register that is written; of scalar loads, a scalar one."""
    sources: tuple[int, ...] = ()
    atomic: str = ""
    stores: bool = False
    """Scalar registers are stored, which are always known."""


@dataclass(frozen=True)
class Encoded:
    shape: Shape
    fields: Fields
    watched: Shape | None = None
    """The same, and it says what it reaches: only what reaches memory has one."""
    access: Access | None = None


_WATCHED = re.compile(r"WATCHED\{([^}]*)\} ?")


def encoded(fields: Fields, *lines: str, access: Access | None = None) -> Encoded:
    """What stands in WATCHED{…} is left out, but where a launch is watched."""
    body = "\n    ".join(lines)
    plain = Shape(_WATCHED.sub("", body))
    if access is None:
        return Encoded(plain, fields)
    return Encoded(plain, fields, Shape(_WATCHED.sub(r"\1 ", body).replace("NEXT;", "TURN;")), access)


def register(operand: Operand) -> int:
    return operand.index + (ACCUMULATORS if operand.kind == "a" else 0)


def constant(operand: Operand, letter: str) -> int:
    """The bits of a constant as an operand of a type."""
    size = SIZES[letter]
    if operand.is_float:
        # Instructions on 16-bit integers see the bits of a 32-bit number.
        return float_bits(operand.number, 4 if letter in "wx" else size)
    if letter == "F" and not -16 <= operand.value <= 64:
        return (operand.value & 0xFFFFFFFF) << 32  # a literal is the upper half of a double
    return operand.value & ((1 << 64) - 1 if size == 8 else 0xFFFFFFFF)


_NAMED = {
    "shared_base": "((u64)SHARED_APERTURE << 32)",
    "private_base": "((u64)PRIVATE_APERTURE << 32)",
    "scc": "(u64)w->scc",
    "vccz": "(u64)!get_mask(w, VCC)",
    "execz": "(u64)!exec(w)",
}


def raw(slot: str, operand: Operand, letter: str, fields: Fields, instruction: Instruction) -> str:
    """The bits of a source in all lanes: of 32-bit registers, or of pairs."""
    wide = SIZES[letter] == 8
    vector = "vu64" if wide else "vu32"
    if operand.kind in "va":
        setattr(fields, slot, register(operand))
        return f"pair(w, op->{slot})" if wide else f"(*reg(w, op->{slot}))"
    return f"({vector}){scalar_raw(slot, operand, letter, fields, instruction)}"


def scalar_raw(slot: str, operand: Operand, letter: str, fields: Fields, instruction: Instruction) -> str:
    wide = SIZES[letter] == 8
    if operand.kind == "k" or (operand.kind == "s" and operand.index == NULL):
        setattr(fields, slot, constant(operand, letter) if operand.kind == "k" else 0)
        return f"(op->{slot})" if wide else f"((u32)op->{slot})"
    if operand.kind == "s":
        setattr(fields, slot, operand.index)
        return f"s64(w, op->{slot})" if wide and operand.count == 2 else f"(w->s[op->{slot}])"
    if operand.kind == "n" and operand.name in _NAMED:
        return f"({'u64' if wide else 'u32'}){_NAMED[operand.name]}"
    if operand.kind == "y" and operand.half != "expression":
        fields.symbols[slot] = (operand.name, operand.half, operand.value)
        return f"(op->{slot})" if wide else f"((u32)op->{slot})"
    raise Unsupported(instruction, f"operand {operand.name or operand.kind}")
