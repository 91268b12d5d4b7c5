"""What a code object says about its kernels: the AMDGPU metadata note of an ELF file.

Layout and keys: https://llvm.org/docs/AMDGPUUsage.html#code-object-metadata
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rewarp.errors import UsageError
from rewarp.toolchain.demangle import demangled
from rewarp.toolchain.msgpack import unpack

_AMDGPU_MACHINE = 224
_NOTE_SECTION = 7
_METADATA_NOTE = 32
_SYMBOL_TABLES = (2, 11)


@dataclass(frozen=True)
class KernelResources:
    """What one kernel needs to run, as the compiler counted it."""

    symbol: str
    name: str
    """For people: demangled."""
    vgprs: int
    """Vector registers of a lane, those for accumulation included where the two share one file (gfx90a and later)."""
    agprs: int | None
    """None: the architecture has none."""
    sgprs: int
    lds_bytes: int
    """Known at compile time; memory asked for at launch comes on top."""
    scratch_bytes: int
    """Of one lane."""
    vgpr_spills: int
    sgpr_spills: int
    max_workgroup: int
    wave_size: int
    uses_dynamic_stack: bool
    kernarg_bytes: int


class _Section(NamedTuple):
    type: int
    offset: int
    size: int
    link: int


def read_code_object(code: Path | bytes) -> tuple[KernelResources, ...]:
    """The kernels of an AMD code object or relocatable object, in its order."""
    data = _bytes_of(code)
    try:
        return tuple(map(_resources, _kernels(data)))
    except (struct.error, IndexError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"not a whole AMD code object: {error}") from None


def undefined_symbols(code: Path | bytes, *, of_host: bool = False) -> tuple[str, ...]:
    """What an object for AMD's GPUs, or for this machine, uses and does not hold."""
    data = _bytes_of(code)
    try:
        sections = tuple(_sections(data, None if of_host else _AMDGPU_MACHINE))
        found: dict[str, None] = {}
        for table in sections:
            if table.type in _SYMBOL_TABLES:
                names = sections[table.link]
                for at in range(table.offset + 24, table.offset + table.size, 24):
                    name, _, _, home = struct.unpack_from("<IBBH", data, at)
                    if name and not home:
                        start = names.offset + name
                        found[data[start : data.index(b"\0", start)].decode("utf-8", "replace")] = None
        return tuple(found)
    except (struct.error, IndexError, ValueError) as error:
        raise UsageError(f"not a whole AMD code object: {error}") from None


def _bytes_of(code: Path | bytes) -> bytes:
    if isinstance(code, bytes):
        return code
    try:
        return code.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {code}: {error.strerror}") from None


def _kernels(data: bytes) -> Iterator[dict[str, Any]]:
    for section in _sections(data):
        if section.type == _NOTE_SECTION:
            for owner, type_, content in _notes(data[section.offset : section.offset + section.size]):
                if (owner, type_) == (b"AMDGPU", _METADATA_NOTE):
                    yield from unpack(content).get("amdhsa.kernels", ())


def _sections(data: bytes, machine: int | None = _AMDGPU_MACHINE) -> Iterator[_Section]:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    if machine not in (None, struct.unpack_from("<H", data, 18)[0]):
        raise ValueError("an ELF file for another processor")
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    if table + size * count > len(data):
        raise ValueError("its table of sections is cut short")
    for at in range(table, table + size * count, size or 1):
        type_, offset, length, link = struct.unpack_from("<4xI16xQQI", data, at)
        if type_ != 8 and offset + length > len(data):  # 8: a section without content
            raise ValueError("a section beyond the end of the file")
        yield _Section(type_, offset, length, link)


def _notes(section: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    at = 0
    while at + 12 <= len(section):
        name, content, type_ = struct.unpack_from("<III", section, at)
        start = at + 12 + (name + 3) // 4 * 4
        yield section[at + 12 : at + 12 + name].rstrip(b"\0"), type_, section[start : start + content]
        at = start + (content + 3) // 4 * 4


def _resources(kernel: dict[str, Any]) -> KernelResources:
    symbol = str(kernel[".name"])
    return KernelResources(
        symbol=symbol,
        name=demangled(symbol),
        vgprs=kernel[".vgpr_count"],
        agprs=kernel.get(".agpr_count"),
        sgprs=kernel[".sgpr_count"],
        lds_bytes=kernel[".group_segment_fixed_size"],
        scratch_bytes=kernel[".private_segment_fixed_size"],
        vgpr_spills=kernel.get(".vgpr_spill_count", 0),
        sgpr_spills=kernel.get(".sgpr_spill_count", 0),
        max_workgroup=kernel[".max_flat_workgroup_size"],
        wave_size=kernel[".wavefront_size"],
        uses_dynamic_stack=kernel.get(".uses_dynamic_stack", False),
        kernarg_bytes=kernel[".kernarg_segment_size"],
    )
