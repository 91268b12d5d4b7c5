"""Writes an ``asm`` statement of PTX as C++ for AMD: one expression, or a block where it is more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from rewarp.translation import ptx_table
from rewarp.translation.ptx_reader import Instruction, Operand, Statement
from rewarp.translation.ptx_types import (
    FLOATS,
    TYPES,
    NoForm,
    cpp_type,
    is_integer,
    literal,
    local_name,
    part_of,
)

_OF_CONSTRAINT = {"r": "b32", "l": "b64", "h": "b16", "f": "f32", "d": "f64", "q": "b128"}
_PLACEHOLDER = re.compile(r"\{(\w+)([:=+!]?)(\w*)\}")
_OPERAND = re.compile(r"%(\d+)\Z")
_ADDRESS = re.compile(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+))?\s*\]\Z")
_CALLED = re.compile(r"[\w:]+(?:<[^()]*>)?\($")
_SIMPLE = re.compile(r"[A-Za-z_][\w.]*(?:\[\w+\])?\Z|\d\w*\Z")


class Form(NamedTuple):
    lines: tuple[str, ...]
    """C++ statements; one stands for itself, more of them in a block."""
    differs: tuple[str, ...]
    """What is not the same on AMD."""

    @property
    def text(self) -> str:
        """All in one line, without the last ``;``."""
        return self.written(" ", " ")

    def written(self, before: str, after: str) -> str:
        """With what stands before each line of a block and after the last."""
        if len(self.lines) == 1 and not self.lines[0].startswith("if ("):
            return self.lines[0].removesuffix(";")
        return f"do {{{''.join(before + line for line in self.lines)}{after}}} while (0)"


@dataclass(frozen=True)
class _Place:
    """Something that holds a value: its C++ text and the type it is kept in (empty: whatever fits)."""

    text: str
    kept_as: str
    writable: bool = True
    may_be_pointer: bool = False


@dataclass
class _Writer:
    statement: Statement
    differs: dict[str, None] = field(default_factory=dict)
    carry_known: bool = False
    carry_pending: bool = False

    def form(self) -> Form:
        lines = [self._line(instruction) for instruction in self.statement.instructions]
        if self.carry_pending:
            raise NoForm("a carry that another statement takes")
        if not lines:
            raise NoForm("no instruction")
        return Form((*self._declarations(), *self._shared_registers(), *lines), tuple(self.differs))

    @cached_property
    def _operands(self) -> str:
        return " ".join(operand.replace(" ", "") for one in self.statement.instructions for operand in one.operands)

    # --- what stands before the instructions ------------------------------------------------

    def _declarations(self) -> list[str]:
        found = [
            f"{cpp_type(kind)} {local_name(name)};"
            for name, kind in self.statement.registers.items()
            if self._mentions(name)
        ]
        if self.carry_known:
            found.append("rewarp_ptx::Carry ptx_carry;")
        return found + [
            f"const auto ptx_{index} = {self.statement.operands[index].text};" for index in sorted(self._copied)
        ]

    def _mentions(self, name: str) -> bool:
        pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        return any(pattern.search(" ".join((one.guard, *one.operands))) for one in self.statement.instructions)

    def _shared_registers(self) -> list[str]:
        """``"0"(x)``: the input is what output 0 begins with."""
        operands = self.statement.operands
        return [f"{operands[int(one.constraint)].text} = {one.text};" for one in operands if one.constraint.isdigit()]

    @cached_property
    def _copied(self) -> frozenset[int]:
        """Inputs that are read when an output may have changed them, or whose expression must be computed only once:
        asm computes all inputs once, before it begins."""
        written = False
        reads: dict[int, int] = {}
        late = set()
        operands = self.statement.operands
        for instruction in self.statement.instructions:
            numbers = [int(number) for number in re.findall(r"%(\d+)", " ".join(instruction.operands))]
            for number in numbers:
                if number < len(operands) and not operands[number].output:
                    reads[number] = reads.get(number, 0) + 1
                    if written:
                        late.add(number)
            written = written or any(number < len(operands) and operands[number].output for number in numbers)
        again = {number for number, count in reads.items() if count > 1 and not _SIMPLE.match(operands[number].text)}
        return frozenset(number for number in late | again if operands[number].constraint in _OF_CONSTRAINT)

    # --- one instruction --------------------------------------------------------------------

    def _line(self, instruction: Instruction) -> str:
        match = ptx_table.find(instruction)
        if match is None:
            raise NoForm(instruction.name)
        if match.row.differs:
            self.differs[match.row.differs] = None
        types = self._types_of(instruction)
        slots = dict(zip((slot.name for slot in match.row.slots), zip(match.row.slots, instruction.operands)))
        text = _PLACEHOLDER.sub(lambda found: self._filled(found, match, slots, types), match.row.hip)
        for slot, operand in slots.values():
            if slot.shape in ("written", "pair"):
                text = self._assignment(operand.partition("|")[0], text, types.get(slot.type, slot.type))
        return f"if ({self._read(instruction.guard, 'bool', whole=True)}) {text};" if instruction.guard else text + ";"

    @staticmethod
    def _types_of(instruction: Instruction) -> dict[str, str]:
        types = {f"T{index}": kind for index, kind in enumerate(instruction.types)}
        return {**types, "T": instruction.types[-1]} if instruction.types else {"T": "b32"}

    def _filled(
        self,
        found: re.Match[str],
        match: ptx_table.Match,
        slots: Mapping[str, tuple[ptx_table.Slot, str]],
        types: Mapping[str, str],
    ) -> str:
        """What stands for a placeholder of a row's form."""
        name, sign, cast = found.groups()
        if name == "carry":
            return self._carry(sign)
        if name in match.words:
            word = match.words[name]
            return word if sign == "!" else ptx_table.meanings()[word]
        if name in types or name in TYPES:
            return cpp_type(types.get(name, name))
        if name == "p" and "p" not in slots:
            pair = next(operand for slot, operand in slots.values() if slot.shape == "pair")
            return self._written(pair.partition("|")[2].strip())
        slot, operand = slots[name]
        if sign == "!":
            return self._constant(operand)
        kind = types.get(cast or slot.type, cast or slot.type)
        if slot.shape == "address":
            return self._address(operand)
        if slot.shape == "vector":
            return self._vector(operand, kind, is_target=name == "d", joined="joined" in match.row.hip)
        if kind == "pointer":
            return f"rewarp_ptx::generic({self._read(operand, None, whole=True)})"
        whole = not cast and _is_argument(found.string, found.start(), found.end())
        return self._read(operand, cpp_type(kind), whole)

    def _vector(self, operand: str, kind: str, is_target: bool, joined: bool) -> str:
        parts = [part.strip() for part in operand.strip("{} ").split(",")]
        if is_target:
            return ", ".join(map(self._written, parts))
        of_part = cpp_type(part_of(kind, len(parts))) if joined else None
        return ", ".join(self._read(part, of_part, whole=not of_part) for part in parts)

    def _carry(self, sign: str) -> str:
        if sign != "=" and not self.carry_known:
            raise NoForm("a carry that another statement leaves")
        self.carry_known = True
        self.carry_pending = sign in ("=", "+")
        return "ptx_carry"

    # --- operands ---------------------------------------------------------------------------

    def _place(self, operand: str) -> _Place:
        number = _OPERAND.match(operand)
        if number:
            index = int(number[1])
            if index >= len(self.statement.operands):
                raise NoForm(f"the operand {operand}, which the statement does not have")
            return self._of_cpp(index, self.statement.operands[index])
        name = operand.lstrip("%")
        if name in self.statement.registers:
            return _Place(local_name(name), self.statement.registers[name])
        special = ptx_table.registers().get(name)
        if special is None:
            raise NoForm(f"the register {operand}")
        if special.differs:
            self.differs[special.differs] = None
        return _Place(special.hip, min(special.types[0]), writable=False)

    def _of_cpp(self, index: int, operand: Operand) -> _Place:
        constraint = operand.constraint
        if constraint.isdigit():
            return self._of_cpp(int(constraint), self.statement.operands[int(constraint)])
        if constraint in ("n", "i"):
            return _Place(operand.text, "", writable=False)
        if constraint not in _OF_CONSTRAINT:
            raise NoForm(f'the constraint "{constraint}"')
        text = f"ptx_{index}" if index in self._copied else operand.text
        return _Place(text, _OF_CONSTRAINT[constraint], operand.output, constraint == "l")

    def _read(self, operand: str, kind: str | None, whole: bool) -> str:
        """The value as a C++ type; ``whole`` where it is an argument of its own, which C++ converts by itself."""
        if operand.startswith("!"):
            return f"!{self._read(operand[1:].strip(), kind, whole=False)}"
        operand = operand.strip("{} ")
        number = literal(operand, kind)
        if number:
            return number
        place = self._place(operand)
        if kind is None:
            return place.text
        kept_as = cpp_type(place.kept_as) if place.kept_as else kind
        if (kept_as in FLOATS or kind in FLOATS) and kept_as != kind:
            return f"rewarp_ptx::as<{kind}>({place.text})"
        if place.may_be_pointer:
            return f"rewarp_ptx::as<{kind}>({place.text})"
        if whole:
            return place.text
        if not _OPERAND.match(operand) and kept_as == kind:
            return place.text
        if kind in FLOATS or kind == "bool":
            return f"({place.text})" if _OPERAND.match(operand) else place.text
        return f"static_cast<{kind}>({place.text})"

    def _written(self, operand: str) -> str:
        """What a function may write to."""
        place = self._place(operand)
        if not place.writable:
            raise NoForm(f"{operand} is written to")
        return place.text

    def _assignment(self, operand: str, value: str, kind: str) -> str:
        if operand == "_":
            return f"static_cast<void>({value})"
        place = self._place(operand.strip("{} "))
        if not place.writable:
            raise NoForm(f"{operand} is written to")
        kept_as, made_as = cpp_type(place.kept_as), cpp_type(kind)
        if kept_as != made_as and (kept_as in FLOATS or made_as in FLOATS):
            value = f"rewarp_ptx::as<{kept_as}>({value})"
        if place.may_be_pointer and f"[{operand.strip('{} ')}" in self._operands:  # a pointer that is chased
            return f"{place.text} = rewarp_ptx::as<decltype({place.text})>({value})"
        return f"{place.text} = {value}"

    def _address(self, operand: str) -> str:
        found = _ADDRESS.match(operand)
        if not found:
            raise NoForm(f"the address {operand}")
        base = self._place(found[1]).text
        return f"{base}, {self._offset(found[2])}" if found[2] else base

    def _offset(self, text: str) -> str:
        return text if is_integer(text) else self._place(text).text

    def _constant(self, operand: str) -> str:
        number = literal(operand, None).rstrip("u")
        if number:
            return number
        index = _OPERAND.match(operand)
        if not index or int(index[1]) >= len(self.statement.operands):
            raise NoForm(f"{operand} where a constant has to stand")
        return f"({self.statement.operands[int(index[1])].text})"


def form_of(statement: Statement) -> Form:
    """The statement in C++, without its ``;``. Raises NoForm."""
    return _Writer(statement).form()


def _is_argument(hip: str, start: int, end: int) -> bool:
    """Whether it is an argument of a function with parameters of its own types."""
    before = hip[:start].rstrip()
    called = _CALLED.search(before)
    return hip[end : end + 1] in (",", ")") and (before.endswith(",") or bool(called and "cast" not in called[0]))
