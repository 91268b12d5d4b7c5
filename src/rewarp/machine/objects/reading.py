"""What is in a code object: its architecture, kernels, code, data and the addresses in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rewarp.errors import ParseError
from rewarp.machine.objects.descriptors import SIZE, directives
from rewarp.toolchain import elf
from rewarp.toolchain.arches import is_arch, wave_size
from rewarp.toolchain.metadata import metadata_of

_LINKED = 3
_ABSOLUTE_64, _RELATIVE_64 = 3, 13
_MOST_DATA = 1 << 30
_NAME = re.compile(r"[\w.$]+")
_MACHINES = {
    0x2C: "gfx900", 0x2D: "gfx902", 0x2E: "gfx904", 0x2F: "gfx906", 0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c",
    0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032",
    0x39: "gfx1033", 0x3D: "gfx1035", 0x3E: "gfx1034", 0x3F: "gfx90a", 0x40: "gfx940", 0x41: "gfx1100",
    0x42: "gfx1013", 0x43: "gfx1150", 0x44: "gfx1103", 0x45: "gfx1036", 0x46: "gfx1101", 0x47: "gfx1102",
    0x48: "gfx1200", 0x4A: "gfx1151", 0x4B: "gfx941", 0x4C: "gfx942", 0x4E: "gfx1201", 0x4F: "gfx950",
    0x51: "gfx9-generic", 0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic", 0x54: "gfx11-generic", 0x55: "gfx1152",
    0x58: "gfx1153", 0x59: "gfx12-generic", 0x5F: "gfx9-4-generic",
}  # fmt: skip
"""EF_AMDGPU_MACH: https://llvm.org/docs/AMDGPUUsage.html#amdgpu-ef-amdgpu-mach-table"""


@dataclass
class Area:
    """Sections of data that keep their distances: one that may be written, one that may not."""

    name: str
    label: str
    start: int = 0
    end: int = 0
    pieces: list[tuple[int, bytes | int]] = field(default_factory=list)
    """By address: content, or so many zeros."""
    addresses: dict[int, int] = field(default_factory=dict)
    """Where an address stands, and which."""

    def add(self, address: int, content: bytes | int) -> None:
        size = content if isinstance(content, int) else len(content)
        self.start = min(self.start, address & ~255) if self.pieces else address & ~255
        self.end = max(self.end, address + size)
        self.pieces.append((address, content))
        if self.end - self.start > _MOST_DATA:
            raise ParseError(f"its {self.name} would take more than 1 GiB")


@dataclass(frozen=True)
class KernelCode:
    name: str
    entry: int
    directives: dict[str, int]


class CodeObject:
    def __init__(self, data: bytes, arch: str = "") -> None:
        self.data = data
        self._elf = elf.Elf(data)
        if self._elf.type != _LINKED:
            raise ValueError("it is not linked")
        self.metadata = _checked(metadata_of(self._elf))
        self.built_for = self._target()
        processor = self.built_for.partition(":")[0]
        self.arch = arch if arch and processor.endswith("-generic") else self.built_for
        self.code = [section for section in self._elf.sections if _is_code(section)]
        self.areas = self._areas()
        self._relocate()

    def _target(self) -> str:
        named = re.search(r"-(gfx[^-]\S*)$", str(self.metadata.get("amdhsa.target", "")))
        if named and is_arch(named[1]):
            return named[1]
        machine = self._elf.flags & 0xFF
        if machine not in _MACHINES:
            raise ValueError(f"the processor {machine:#x} is not known")
        return _MACHINES[machine]

    def content(self, section: elf.Section) -> bytes:
        return self._elf.content(section)

    # --- symbols and kernels --------------------------------------------------------------

    @cached_property
    def symbols(self) -> list[elf.Symbol]:
        """Those that have a place here, each one once."""
        found = self._elf.symbols(elf.SYMBOLS, elf.DYNAMIC_SYMBOLS)
        placed = {
            (symbol.name, symbol.value): symbol
            for symbol in found
            if 0 < symbol.home < elf.RESERVED and _NAME.fullmatch(symbol.name)
        }
        return sorted(placed.values(), key=lambda symbol: (symbol.value, symbol.name))

    @cached_property
    def kernels(self) -> list[KernelCode]:
        described = {item.get(".symbol"): item for item in self.metadata.get("amdhsa.kernels", [])}
        found = []
        for symbol in self.symbols:
            if symbol.name.endswith(".kd") and symbol.size == SIZE:
                found.append(self._kernel(symbol, described.get(symbol.name, {})))
        missing = described.keys() - {f"{kernel.name}.kd" for kernel in found}
        if missing:
            raise ValueError(f"the kernel {sorted(map(str, missing))[0]} is named in it, and is not there")
        return found

    def _kernel(self, symbol: elf.Symbol, metadata: dict[str, Any]) -> KernelCode:
        home = self._elf.sections[symbol.home]
        at = home.offset + symbol.value - home.address
        if home.type == elf.NO_CONTENT or not 0 <= at <= len(self.data) - SIZE:
            raise ValueError(f"the descriptor {symbol.name} lies outside of its section")
        found, distance = directives(self.data[at : at + SIZE], self.built_for, metadata)
        return KernelCode(symbol.name.removesuffix(".kd"), symbol.value + distance, found)

    @cached_property
    def wave_size(self) -> int:
        sizes = {kernel.directives.get("wavefront_size32", 0) for kernel in self.kernels}
        if len(sizes) > 1:
            raise ParseError("kernels for waves of 32 and of 64 lanes in one code object")
        if not sizes:
            return wave_size(self.built_for)
        return 32 if sizes.pop() else 64

    def function_at(self, address: int) -> bool:
        """Whether a function or kernel covers the address."""
        return any(start <= address < end for start, end in self._functions)

    @cached_property
    def _functions(self) -> list[tuple[int, int]]:
        found = ((symbol.value, symbol.value + symbol.size) for symbol in self.symbols if symbol.type == elf.FUNCTION)
        return sorted(span for span in found if span[1] > span[0])

    # --- data -----------------------------------------------------------------------------

    def _areas(self) -> list[Area]:
        constant, variable = Area(".rodata", ".Lconstants"), Area(".data", ".Lvariables")
        for section in self._elf.sections:
            if _is_data(section):
                content = section.size if section.type == elf.NO_CONTENT else self._elf.content(section)
                (variable if section.flags & elf.WRITABLE else constant).add(section.address, content)
        return [area for area in (constant, variable) if area.pieces]

    def area_of(self, address: int) -> Area | None:
        """The one that holds the address, or else the nearest: a compiler may count from before an array."""
        if not self.areas:
            return None
        return min(self.areas, key=lambda area: max(area.start - address, address - area.end, 0))

    def _relocate(self) -> None:
        for relocation in self._elf.relocations():
            if relocation.type not in (_ABSOLUTE_64, _RELATIVE_64):
                raise ParseError(f"a relocation of type {relocation.type} is not understood")
            symbol = relocation.symbol
            if relocation.type == _ABSOLUTE_64 and not symbol.home:
                if symbol.weak:
                    continue
                raise ParseError(f"it needs {symbol.name}, which is not in it")
            base = symbol.value if relocation.type == _ABSOLUTE_64 else 0
            area = self.area_of(relocation.address)
            if area is None or not area.start <= relocation.address <= area.end - 8:
                raise ParseError("an address belongs where there is no data")
            area.addresses[relocation.address] = base + relocation.addend

    def data_symbols(self) -> Iterator[tuple[Area, elf.Symbol]]:
        for symbol in self.symbols:
            for area in self.areas:
                if area.start <= symbol.value < max(area.end, area.start + 1):
                    yield area, symbol


def _is_code(section: elf.Section) -> bool:
    return bool(section.flags & elf.EXECUTABLE) and section.type == 1


def _is_data(section: elf.Section) -> bool:
    """What a program may read and write; not what only a loader reads."""
    wanted = section.flags & elf.ALLOCATED and not section.flags & elf.EXECUTABLE and section.size
    return bool(wanted) and section.type in (1, elf.NO_CONTENT, 14, 15) and section.name != ".relro_padding"


def _checked(metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata, if kernels can be launched by them."""
    if not metadata:
        raise ValueError("it has no metadata")
    for kernel in metadata.get("amdhsa.kernels", []):
        if not (isinstance(kernel, dict) and _is_name(kernel.get(".name")) and _is_name(kernel.get(".symbol"))):
            raise ValueError("its metadata has a kernel without a name")
        for argument in kernel.get(".args", []):
            numbers = (argument.get(".offset"), argument.get(".size"))
            if not all(isinstance(number, int) and 0 <= number < 1 << 20 for number in numbers):
                raise ValueError(f"an argument of {kernel['.name']} has no place")
            if not isinstance(argument.get(".value_kind"), str):
                raise ValueError(f"an argument of {kernel['.name']} has no kind")
    for line in metadata.get("amdhsa.printf", []):
        if not re.match(r"[^,]*:[0-9a-fA-F]{1,16},", line):
            raise ValueError("its metadata has a format of printf that cannot be read")
    return metadata


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
