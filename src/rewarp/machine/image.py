"""Programs as images: what the C side loads, with or without Python. ``core/program.h`` has the same layout."""

from __future__ import annotations

import struct
from typing import Any

from rewarp.errors import UsageError
from rewarp.machine import modes
from rewarp.machine.assembly import Instruction, Kernel, Program
from rewarp.machine.dialects import ASIDE, SPARE
from rewarp.machine.expressions import Expression
from rewarp.machine.library import library
from rewarp.machine.shapes import encode
from rewarp.machine.shapes.indexed import is_indexed
from rewarp.machine.shapes.shape import Encoded, Fields, Shape, Unsupported
from rewarp.machine.shapes.uses import Record, record
from rewarp.toolchain.arches import wave_size

MAGIC = b"REWARP01"
CODE_BASE = 0x7000_0000_0000
_CODE = 0xFFFFFFFF
_OP = struct.Struct("<QIIQQQq")
_MASK64 = (1 << 64) - 1
_SLOTS = {"d": 0, "e": 1, "a": 2, "b": 3, "c": 4, "k": 5}
_HALVES = {"": 0, "lo": 1, "hi": 2}
_HIDDEN = (
    "hidden_block_count_x hidden_block_count_y hidden_block_count_z hidden_group_size_x hidden_group_size_y "
    "hidden_group_size_z hidden_grid_dims hidden_dynamic_lds_size hidden_printf_buffer hidden_multigrid_sync_arg "
    "hidden_heap_v1 hidden_hostcall_buffer"
).split()
_VALUE, _POINTER, _OTHER_HIDDEN, _FIRST_HIDDEN = 0, 1, 2, 3
_HANDED = (
    "dispatch_ptr", "queue_ptr", "kernarg_segment_ptr", "dispatch_id", "private_segment_size", "private_segment_buffer",
    "flat_scratch_init",
)  # fmt: skip
_POINTERS = ("global_buffer", "dynamic_shared_pointer")
_ASSERTION = "__assert_fail"
# The place of a failed assertion is where the call came from; its text may have been folded away.
FAILED = Shape(
    """u64 from = (s64(w, 30) - CODE_BASE) / 4;
    w->pc = from && from <= w->code_size ? w->code + from - 1 : op;
    w->fault = FAULT_ASSERTION, w->fault_lane = first_lane(exec(w));
    return STOP_TRAP;"""
)
UNKNOWN = Shape("return fault(w, op, FAULT_NONE, 0, 0, 0);")


class _Strings:
    def __init__(self) -> None:
        self._known = {"": 0}
        self._parts = [b"\0"]
        self._size = 1

    def add(self, text: str) -> int:
        at = self._known.get(text)
        if at is None:
            data = text.encode("utf-8", "surrogateescape").replace(b"\0", b"?") + b"\0"
            at = self._known[text] = self._size
            self._parts.append(data)
            self._size += len(data)
        return at

    def data(self) -> bytes:
        return b"".join(self._parts)


class Image:
    """An image in the making. Instructions that are not known stop a kernel where it comes to them, not before."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lanes = wave_size(program.arch)
        for kernel in program.kernels.values():
            if self.lanes == 32 and not kernel.directives.get("wavefront_size32", 1):
                raise UsageError(
                    f"{kernel.name} is for waves of 64 lanes: on {program.arch} the machine runs those of 32"
                )
        self.unsupported: dict[int, Unsupported] = {}
        self._strings = _Strings()
        self._names = [section for section, data in program.data.items() if data.content]
        self._numbers = {section: number for number, section in enumerate(self._names)}
        self._slots: dict[str, int] = {}
        self._fixups: list[bytes] = []

    def data(self) -> bytes:
        """The image. Compiles the functions of shapes that are new."""
        encoded = self._encoded()
        shapes = [shape for made in encoded for shape in (made.shape, made.watched) if shape]
        functions = library(self.lanes).functions({shape.name: shape for shape in shapes})
        libraries = sorted({file for file, _ in functions.values()})
        order = {name: number for number, name in enumerate(functions)}
        table = [
            struct.pack("<II", libraries.index(file), self._strings.add(symbol)) for file, symbol in functions.values()
        ]
        ops = [
            _OP.pack(order[made.shape.name], f.d, f.e, f.a, f.b, f.c, f.k) for made in encoded for f in (made.fields,)
        ]
        sections: list[Any] = [
            [struct.pack("<I", self._strings.add(file)) for file in libraries],
            table,
            ops,
            [self._place(one) for one in self.program.instructions],
            [struct.pack("<I", self._strings.add(one.text.strip())) for one in self.program.instructions],
            self._fixups,
        ]
        stored, contents = self._blocks()
        kernels, arguments = self._kernels()
        formats = [struct.pack("<QII", n & _MASK64, self._strings.add(t), 0) for n, t in self.program.formats.items()]
        unknown = [struct.pack("<II", n, self._strings.add(str(e))) for n, e in self.unsupported.items()]
        sections += [stored, self._relocations(), self._symbols(), kernels, arguments, formats, unknown]
        sections.append(self._records(encoded, order))
        return _laid_out(self.lanes, self._strings.data(), sections, contents)

    # --- code -----------------------------------------------------------------------------

    def _encoded(self) -> list[Encoded]:
        found = []
        assertion = self.program.labels.get(_ASSERTION)
        for number, instruction in enumerate(self.program.instructions):
            try:
                made = Encoded(FAILED, Fields()) if number == assertion else encode(instruction)
                self._resolve(number, made)
            except Unsupported as error:
                self.unsupported[number] = error
                made = Encoded(UNKNOWN, Fields())
            found.append(made)
        return [*found, Encoded(UNKNOWN, Fields())]

    def _records(self, encoded: list[Encoded], order: dict[str, int]) -> list[bytes]:
        """What those who watch know of each instruction."""
        found = []
        for number, made in enumerate(encoded):
            known = number < len(self.program.instructions) and number not in self.unsupported
            one = record(self.program.instructions[number], made, self.lanes) if known else Record()
            found.append(one.packed(order[(made.watched or made.shape).name]))
        return found

    def _behind(self, number: int) -> int:
        """How many bytes a constant stands behind the program counter that was read: the compiler takes them off."""
        distance = 4
        for one in reversed(self.program.instructions[max(number - 8, 0) : number]):
            if one.mnemonic == "s_getpc_b64":
                return distance
            distance += 8 if any(operand.kind == "y" for operand in one.operands) else 4
        return 4 if "@lo" in self.program.instructions[number].text else 12

    def _resolve(self, number: int, made: Encoded) -> None:
        instruction = self.program.instructions[number]
        for slot, (name, part, more) in made.fields.symbols.items():
            if part == "distance":
                if name not in self.program.labels:
                    raise Unsupported(instruction, f"no label {name}")
                setattr(made.fields, slot, self.program.labels[name] - number)
            else:
                self._part(number, slot, made, (name, part, more), instruction)

    def _part(
        self, number: int, slot: str, made: Encoded, symbol: tuple[str, str, int], instruction: Instruction
    ) -> None:
        """What the linker would write, where the program counter reads zero."""
        name, part, more = symbol
        kind, _, half = part.partition("@")
        if kind in ("rel32", "gotpcrel32"):
            more -= self._behind(number) if half else 0
        elif kind not in ("abs32", ""):
            raise Unsupported(instruction, f"{name}@{part}")
        if kind == "gotpcrel32":
            block, value = self._slot(name), more
        elif name in self.program.values and name not in self.program.symbols and name not in self.program.labels:
            block, value = _CODE, Expression(self.program.values[name], self.program.values).value() + more
        else:
            found = self._symbol(name)
            if found is None:
                raise Unsupported(instruction, f"the program has no symbol {name}")
            block, value = found[0], found[1] + more
        if block == _CODE:
            value = (
                value >> 32 & 0xFFFFFFFF if half == "hi" else value & 0xFFFFFFFF if half == "lo" else value & _MASK64
            )
            setattr(made.fields, slot, value)
        else:
            self._fixups.append(struct.pack("<IBBHIIq", number, _SLOTS[slot], _HALVES[half], 0, block, 0, value))

    def _symbol(self, name: str) -> tuple[int, int] | None:
        """A block and an offset, or an address of code."""
        if name in self.program.labels:
            return _CODE, CODE_BASE + 4 * self.program.labels[name]
        section, offset = self.program.symbols.get(name, ("", 0))
        return (self._numbers[section], offset) if section in self._numbers else None

    def _slot(self, name: str) -> int:
        """A block that holds an address."""
        if name not in self._slots:
            self._slots[name] = len(self._names) + len(self._slots)
        return self._slots[name]

    def _place(self, instruction: Instruction) -> bytes:
        place = instruction.place
        return struct.pack("<II", self._strings.add(place.file), place.line) if place else bytes(8)

    # --- data -----------------------------------------------------------------------------

    def _blocks(self) -> tuple[list[tuple[int, int, int, int, int]], list[bytes]]:
        """What each block needs, and what it holds; zeros at its end are not kept."""
        described, contents = [], []
        for name in self._names:
            data = self.program.data[name]
            kept = bytes(data.content).rstrip(b"\0")
            writable = not name.startswith(".rodata")
            described.append((len(data.content), data.align, len(kept), int(writable), self._strings.add(name)))
            contents.append(kept)
        for name in self._slots:
            described.append((8, 16, 0, 0, self._strings.add(f"address of {name}")))
            contents.append(b"")
        return described, contents

    def _relocations(self) -> list[bytes]:
        found = []
        wanted = [
            (self._numbers[section], offset, name, more)
            for section in self._names
            for offset, name, more in self.program.data[section].relocations
        ]
        wanted += [(number, 0, name, 0) for name, number in self._slots.items()]
        for block, offset, name, more in wanted:
            target = self._symbol(name)
            if target is not None:
                found.append(struct.pack("<QQIIq", block, offset, target[0], 0, target[1] + more))
        return found

    def _symbols(self) -> list[bytes]:
        return [
            struct.pack(
                "<IIQQ", self._strings.add(name), self._numbers[section], offset, self.program.sizes.get(name, 0)
            )
            for name, (section, offset) in self.program.symbols.items()
            if section in self._numbers
        ]

    # --- kernels --------------------------------------------------------------------------

    def _kernels(self) -> tuple[list[bytes], list[bytes]]:
        kernels: list[bytes] = []
        arguments: list[bytes] = []
        operands = {(operand.kind, operand.index) for one in self.program.instructions for operand in one.operands}
        accumulators = any(kind == "a" for kind, _ in operands)
        least = ASIDE + 4 if ("v", ASIDE) in operands else 256 if any(map(is_indexed, self.program.instructions)) else 0
        for kernel in self.program.kernels.values():
            if kernel.name not in self.program.labels:
                continue
            first = len(arguments)
            arguments += [_argument(item) for item in kernel.arguments]
            fields = self._kernel(kernel, accumulators, least) + [first, len(arguments) - first]
            kernels.append(struct.pack(f"<{len(fields)}I", *fields))
        return kernels, arguments

    def _kernel(self, kernel: Kernel, accumulators: bool, least: int) -> list[int]:
        said = kernel.directives
        handed = sum(bool(said.get(f"user_sgpr_{name}")) << n for n, name in enumerate(_HANDED))
        ids = sum(bool(said.get(f"system_sgpr_workgroup_id_{axis}", axis == "x")) << n for n, axis in enumerate("xyz"))
        buffered = said.get("user_sgpr_private_segment_buffer") and said.get("enable_private_segment")
        ids |= bool(said.get("system_sgpr_private_segment_wavefront_offset") or buffered) << 3  # one more behind them
        declared = said.get("next_free_vgpr", 256)
        split = said.get("accum_offset", declared)
        if declared > split or accumulators:
            registers = max(512, least)
        else:
            # A called function may use more, and pairs of instructions need one that no program has.
            registers = SPARE + 1 if self.lanes == 32 else max(least, min(declared + 8, 256))
        return [
            *(self._strings.add(kernel.name), self.program.labels[kernel.name]),
            *(said.get("group_segment_fixed_size", 0), said.get("private_segment_fixed_size", 0)),
            *(int(bool(said.get("uses_dynamic_stack"))), said.get("kernarg_size", 0)),
            *(handed, said.get("user_sgpr_count", 0)),
            *(said.get("user_sgpr_kernarg_preload_length", 0), said.get("user_sgpr_kernarg_preload_offset", 0)),
            *(ids, said.get("system_vgpr_workitem_id", 0), registers),
            *(declared, said.get("next_free_sgpr", 0), int(kernel.metadata.get(".max_flat_workgroup_size", 1024))),
            self._strings.add(modes.refused(kernel, modes.shared_mode(self.program) is not None)),
        ]


def _argument(item: dict[str, Any]) -> bytes:
    kind = str(item[".value_kind"])
    if kind in _HIDDEN:
        number = _FIRST_HIDDEN + _HIDDEN.index(kind)
    else:
        number = _OTHER_HIDDEN if kind.startswith("hidden_") else _POINTER if kind in _POINTERS else _VALUE
    return struct.pack("<III", number, item[".offset"], item[".size"])


def _laid_out(lanes: int, strings: bytes, sections: list[Any], contents: list[bytes]) -> bytes:
    """Header, tables, contents of blocks."""
    blocks = sections[6]
    header_size = 16 + 16 * (len(sections) + 1)
    parts, table, at = [], [], header_size

    def put(data: bytes, count: int) -> None:
        nonlocal at
        table.append(struct.pack("<QQ", at, count))
        padded = data.ljust(-(-len(data) // 16) * 16, b"\0")
        parts.append(padded)
        at += len(padded)

    put(strings, len(strings))
    for number, section in enumerate(sections):
        if number == 6:
            put(b"", 0)  # they say where their contents are, which comes last
        else:
            put(b"".join(section), len(section))
    described = []
    start = at + 40 * len(blocks) + 15 & ~15
    for (size, align, stored, writable, name), content in zip(blocks, contents):
        described.append(struct.pack("<QQQQII", size, align, start, stored, writable, name))
        start += len(content)
    block_table = b"".join(described)
    table[7] = struct.pack("<QQ", at, len(blocks))
    parts += [block_table.ljust(len(block_table) + 15 & ~15, b"\0"), *contents]
    return MAGIC + struct.pack("<II", lanes, _OP.size) + b"".join(table) + b"".join(parts)
