"""What a code object says about its kernels: the AMDGPU metadata note of an ELF file.

Layout and keys: https://llvm.org/docs/AMDGPUUsage.html#code-object-metadata
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.toolchain.demangle import demangled
from rewarp.toolchain.elf import AMDGPU_MACHINE, DYNAMIC_SYMBOLS, SYMBOLS, Elf
from rewarp.toolchain.msgpack import unpack

_METADATA_NOTE = 32
_LISTS = ("amdhsa.kernels", "amdhsa.printf")


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


def read_code_object(code: Path | bytes) -> tuple[KernelResources, ...]:
    """The kernels of an AMD code object or relocatable object, in its order."""
    data = _bytes_of(code)
    try:
        return tuple(map(_resources, metadata_of(Elf(data)).get("amdhsa.kernels", ())))
    except (struct.error, IndexError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"not a whole AMD code object: {error}") from None


def undefined_symbols(code: Path | bytes, *, of_host: bool = False) -> tuple[str, ...]:
    """What an object for AMD's GPUs, or for this machine, uses and does not hold."""
    data = _bytes_of(code)
    try:
        elf = Elf(data, None if of_host else AMDGPU_MACHINE)
        found = (symbol for symbol in elf.symbols(SYMBOLS, DYNAMIC_SYMBOLS) if symbol.name and not symbol.home)
        return tuple(dict.fromkeys(symbol.name for symbol in found))
    except (struct.error, IndexError, ValueError) as error:
        raise UsageError(f"not a whole AMD code object: {error}") from None


def metadata_of(elf: Elf) -> dict[str, Any]:
    """The whole document; empty where there is none. Raises ValueError for one that is damaged."""
    found: dict[str, Any] = {}
    for owner, type_, content in elf.notes():
        if (owner, type_) == (b"AMDGPU", _METADATA_NOTE):
            document = unpack(content)
            if not isinstance(document, dict):
                raise ValueError("its metadata is no table")
            for key, value in document.items():  # objects that were linked together have one note each
                found[key] = found[key] + value if isinstance(found.get(key), list) and key in _LISTS else value
    return found


def _bytes_of(code: Path | bytes) -> bytes:
    if isinstance(code, bytes):
        return code
    try:
        return code.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {code}: {error.strerror}") from None


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
