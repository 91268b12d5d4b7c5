"""A program ready to run: code as the loop reads it, data in memory, symbols with addresses."""

from __future__ import annotations

import ctypes
import os
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.machine.assembly import Program, parse
from rewarp.machine.expressions import Expression
from rewarp.machine.library import library
from rewarp.machine.shapes import encode
from rewarp.machine.shapes.model import Encoded, Fields, Shape, Unsupported

ARCHES = ("gfx942", "gfx1100")
CODE_BASE = 0x7000_0000_0000
_OP = struct.Struct("<QIIQQQq")
_MASK64 = (1 << 64) - 1


@dataclass
class Block:
    """A piece of memory of the program's own."""

    name: str
    buffer: ctypes.Array[ctypes.c_char]
    address: int
    size: int
    writable: bool = True


def block(name: str, content: bytes, align: int = 16, writable: bool = True) -> Block:
    room = ctypes.create_string_buffer(len(content) + align + 16)
    address = (ctypes.addressof(room) + align - 1) // align * align
    ctypes.memmove(address, content, len(content))
    return Block(name, room, address, max(len(content), 1), writable)


class LoadedProgram:
    """Code for one architecture. Instructions that are not known stop a kernel where it comes to them, not before."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lanes = 64 if program.arch.startswith("gfx9") else 32
        self.blocks = self._data()
        self._slots: dict[str, int] = {}
        self.unsupported: dict[int, Unsupported] = {}
        self._symbols = self._addresses()
        self._relocate()
        self._code = self._assembled()

    # --- data -----------------------------------------------------------------------------

    def _data(self) -> dict[str, Block]:
        found = {}
        for section, data in self.program.data.items():
            if data.content:
                found[section] = block(section, bytes(data.content), data.align, not section.startswith(".rodata"))
        return found

    def _addresses(self) -> dict[str, int]:
        found = {name: CODE_BASE + 4 * at for name, at in self.program.labels.items()}
        for name, (section, offset) in self.program.symbols.items():
            if section in self.blocks:
                found[name] = self.blocks[section].address + offset
        return found

    def _relocate(self) -> None:
        for section, data in self.program.data.items():
            for offset, name, more in data.relocations:
                if name in self._symbols:
                    value = struct.pack("<Q", self._symbols[name] + more & _MASK64)
                    ctypes.memmove(self.blocks[section].address + offset, value, 8)

    def symbol(self, name: str) -> int:
        if name not in self._symbols:
            raise UsageError(f"the program has no symbol {name}")
        return self._symbols[name]

    # --- code -----------------------------------------------------------------------------

    def _assembled(self) -> ctypes.Array[ctypes.c_char]:
        encoded: list[Encoded] = []
        shapes: dict[str, Shape] = {}
        for number, instruction in enumerate(self.program.instructions):
            try:
                made = encode(instruction)
                self._resolve(number, made)
            except Unsupported as error:
                self.unsupported[number] = error
                made = Encoded(_UNKNOWN, _FIELDS)
            encoded.append(made)
            shapes[made.shape.name] = made.shape
        shapes[_UNKNOWN.name] = _UNKNOWN
        functions = library(self.lanes).addresses(shapes)
        end = _OP.pack(functions[_UNKNOWN.name], 0, 0, 0, 0, 0, 0)
        parts = []
        for made in encoded:
            f = made.fields
            parts.append(_OP.pack(functions[made.shape.name], f.d, f.e, f.a, f.b, f.c, f.k))
        return ctypes.create_string_buffer(b"".join(parts) + end)

    def _resolve(self, number: int, made: Encoded) -> None:
        instruction = self.program.instructions[number]
        for slot, (name, part, more) in made.fields.symbols.items():
            if part == "distance":
                if name not in self.program.labels:
                    raise Unsupported(instruction, f"no label {name}")
                value = self.program.labels[name] - number
            else:
                value = self._part(name, part, more, instruction)
            setattr(made.fields, slot, value)

    def _part(self, name: str, part: str, more: int, instruction: object) -> int:
        """What the linker would write, where the program counter reads zero."""
        kind, _, half = part.partition("@")
        behind = {"lo": 4, "hi": 12}.get(half, 0)
        if kind in ("rel32", "gotpcrel32"):
            value = self._slot(name) if kind == "gotpcrel32" else self.symbol(name)
            value += more - behind
        elif kind in ("abs32", ""):
            if name in self.program.values and name not in self._symbols:
                value = Expression(self.program.values[name], self.program.values).value() + more
            else:
                value = self.symbol(name) + more
        else:
            raise Unsupported(instruction, f"{name}@{part}")  # type: ignore[arg-type]
        return value >> 32 & 0xFFFFFFFF if half == "hi" else value & 0xFFFFFFFF if half == "lo" else value & _MASK64

    def _slot(self, name: str) -> int:
        """The address of an address."""
        if name not in self._slots:
            made = block(f"address of {name}", struct.pack("<Q", self.symbol(name)), writable=False)
            self.blocks[made.name] = made
            self._slots[name] = made.address
        return self._slots[name]

    def launch(
        self, name: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], **options: Any
    ) -> bytes:
        """Run a kernel; see ``rewarp.machine.launch``."""
        from rewarp.machine.launch import launch

        return launch(self, name, grid, block, arguments, **options)

    @cached_property
    def uses_accumulators(self) -> bool:
        return any(operand.kind == "a" for one in self.program.instructions for operand in one.operands)

    @property
    def code(self) -> int:
        return ctypes.addressof(self._code)

    @property
    def size(self) -> int:
        return len(self.program.instructions) + 1


_UNKNOWN = Shape("return fault(w, op, FAULT_NONE, 0, 0, 0);")
_FIELDS = Fields()


def load(text: str) -> LoadedProgram:
    """Assembly, ready to run. Raises UsageError for an architecture that the machine is not made for."""
    program = parse(text)
    if program.arch.partition(":")[0] not in ARCHES:
        raise UsageError(f"the machine runs code for {', '.join(ARCHES)}, not for {program.arch or 'an unknown card'}")
    return LoadedProgram(program)


def compile_source(source: str | os.PathLike[str], arch: str = "gfx942", options: Sequence[str] = ()) -> LoadedProgram:
    """A HIP source, compiled by the toolchain that there is and made ready to run."""
    from rewarp.toolchain import discovery

    with tempfile.TemporaryDirectory(prefix="rewarp-machine-") as folder:
        made = Path(folder, "device.s")
        wanted = ("-gline-tables-only", "-mprintf-kind=buffered", *options)
        done = discovery.find().compile_device(Path(source), arch, options=wanted, output=made)
        if not done.ok:
            first = next(iter(done.errors), None)
            raise UsageError(
                f"{os.fspath(source)} does not compile for {arch}: {first.message if first else 'unknown'}"
            )
        return load(made.read_text("utf-8"))
