"""Fat binaries: one program's device code for several architectures, alone or inside of a host's program.

The formats: https://clang.llvm.org/docs/ClangOffloadBundler.html (plain and compressed).
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewarp.errors import ParseError
from rewarp.machine.objects import assembly_of
from rewarp.toolchain.elf import AMDGPU_MACHINE, Elf

PLAIN, COMPRESSED, ELF = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB", b"\x7fELF"
_SECTION = ".hip_fatbin"
_HEADERS = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
"""What follows the version and the method: sizes, and a hash that is for caches."""
_MOST = 1 << 32
_TARGET = re.compile(r"(?:hip|hipv4|openmp)-(?:amdgcn|spirv64)-amd-amdhsa-(?:unknown)?-(.+)")
_MEMBERS = {
    "gfx9-generic": ("gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"),
    "gfx9-4-generic": ("gfx940", "gfx941", "gfx942", "gfx950"),
    "gfx10-1-generic": ("gfx1010", "gfx1011", "gfx1012", "gfx1013"),
    "gfx10-3-generic": ("gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"),
    "gfx11-generic": ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"),
    "gfx12-generic": ("gfx1200", "gfx1201"),
}
"""https://llvm.org/docs/AMDGPUUsage.html#amdgpu-generic-processor-table"""
_USUAL = {"xnack": "-", "sramecc": "+"}
"""How a card runs where nobody asked for anything else."""


@dataclass(frozen=True)
class Entry:
    """Device code for one target: ``gfx942:sramecc+:xnack-``."""

    target: str
    content: bytes


def entries(data: bytes) -> list[Entry]:
    """The device code in a fat binary, a code object or a host's program. Raises ParseError for what is none."""
    if data.startswith(ELF) and data[18:20] != AMDGPU_MACHINE.to_bytes(2, "little"):
        return [entry for bundle in _embedded(data) for entry in entries(bundle)]
    if data.startswith((PLAIN, COMPRESSED)):
        return list(_entries(data if data.startswith(PLAIN) else _expanded(data)))
    raise ParseError("no fat binary: it begins with none of the marks")


def size_of(data: bytes) -> int:
    """How many bytes a fat binary or a code object takes that begins here; only its head has to be there."""
    try:
        if data.startswith(PLAIN):
            return max((offset + size for _, offset, size in _table(data)), default=len(PLAIN) + 8)
        if data.startswith(COMPRESSED):
            version = struct.unpack_from("<H", data, 4)[0]
            if version in (2, 3):
                return int(_HEADERS[version].unpack_from(data, 8)[0])
        if data.startswith(ELF):
            (table,) = struct.unpack_from("<Q", data, 40)
            size, count = struct.unpack_from("<HH", data, 58)
            return int(table + size * count)
    except struct.error:
        raise ParseError("a fat binary that is cut short") from None
    raise ParseError("device code whose size cannot be told")


def best(found: Sequence[Entry], arch: str) -> Entry | None:
    """The entry that a card would be given: for the card rather than for its family, and the more is said, the better."""
    fitting = [
        (score, -number) for number, entry in enumerate(found) if (score := _fit(entry.target, arch)) is not None
    ]
    return found[-max(fitting)[1]] if fitting else None


def code_for(data: bytes, arch: str) -> str:
    """The assembly for a card: of a fat binary, a program with one in it, a code object, or assembly itself."""
    if not data.startswith((PLAIN, COMPRESSED, ELF)):
        return _text(data)
    if data.startswith(ELF) and data[18:20] == AMDGPU_MACHINE.to_bytes(2, "little"):
        return assembly_of(data, arch)
    found = entries(data)
    entry = best(found, arch)
    if entry is None:
        there = ", ".join(dict.fromkeys(entry.target for entry in found)) or "nothing"
        raise ParseError(f"no code for {arch}: it has {there}")
    return assembly_of(entry.content, arch) if entry.content.startswith(ELF) else _text(entry.content)


# --- the formats ----------------------------------------------------------------------------


def _entries(bundle: bytes) -> Iterator[Entry]:
    try:
        for identity, offset, size in _table(bundle):
            if offset + size > len(bundle):
                raise ParseError(f"a fat binary that is cut short: {identity}")
            if size and (target := _TARGET.fullmatch(identity)):
                yield Entry(target[1], bundle[offset : offset + size])
    except struct.error:
        raise ParseError("a fat binary that is cut short") from None


def _table(bundle: bytes) -> Iterator[tuple[str, int, int]]:
    at = len(PLAIN) + 8
    for _ in range(struct.unpack_from("<Q", bundle, len(PLAIN))[0]):
        offset, size, length = struct.unpack_from("<QQQ", bundle, at)
        name = bundle[at + 24 : at + 24 + length]
        if len(name) < length:
            raise ParseError("a fat binary whose table is cut short")
        yield name.decode("utf-8", "replace"), offset, size
        at += 24 + length


def _expanded(data: bytes) -> bytes:
    try:
        version, method = struct.unpack_from("<HH", data, 4)
        header = _HEADERS.get(version)
        if header is None:
            raise ParseError(f"a compressed fat binary of version {version}, which is not known")
        *total, size, _ = header.unpack_from(data, 8)
    except struct.error:
        raise ParseError("a compressed fat binary that is cut short") from None
    if size > _MOST:
        raise ParseError("a compressed fat binary of more than 4 GiB")
    packed = data[8 + header.size : total[0] if total else len(data)]
    plain = _inflated(packed, size) if method == 0 else _unzstd(packed, size) if method == 1 else None
    if plain is None:
        raise ParseError(f"a fat binary compressed by method {method}, which is not known")
    if len(plain) != size or not plain.startswith(PLAIN):
        raise ParseError("a compressed fat binary that is damaged")
    return plain


def _inflated(packed: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, size or 1)
    except zlib.error as error:
        raise ParseError(f"a compressed fat binary that is damaged: {error}") from None


def _unzstd(packed: bytes, size: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise ParseError('this fat binary needs zstd: pip install "rewarp[machine]"') from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            return bytes(reader.read(size))
    except (zstandard.ZstdError, MemoryError) as error:
        raise ParseError(f"a compressed fat binary that is damaged: {error}") from None


def _embedded(data: bytes) -> Iterator[bytes]:
    """Those in a host's program: its sources' fat binaries lie in one section, one behind the other."""
    try:
        host = Elf(data, machine=None)
        content = next((host.content(one) for one in host.sections if one.name == _SECTION), b"")
    except (struct.error, ValueError, IndexError) as error:
        raise ParseError(f"a program that cannot be read: {error}") from None
    at = _next(content, 0)
    if at < 0:
        raise ParseError("a program without device code")
    while at >= 0:
        rest = content[at:]
        following = _next(content, at + 4)
        length = size_of(rest) if _has_size(rest) else following - at if following >= 0 else len(rest)
        yield rest[:length]
        at = _next(content, at + max(length, 8))


def _has_size(data: bytes) -> bool:
    return not (data.startswith(COMPRESSED) and data[4:6] == b"\1\0")


def _next(content: bytes, start: int) -> int:
    found = [at for mark in (PLAIN, COMPRESSED) if (at := content.find(mark, start)) >= 0]
    return min(found, default=-1)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ParseError("device code in no form that is known") from None


# --- targets --------------------------------------------------------------------------------


def _fit(target: str, arch: str) -> tuple[int, int] | None:
    """How well code for a target serves a card; None: not at all. What the code does not name, it does not mind."""
    processor, *features = target.split(":")
    wanted, *given = arch.split(":")
    if processor != wanted and wanted not in _MEMBERS.get(processor, ()):
        return None
    runs = _USUAL | {feature[:-1]: feature[-1] for feature in given}
    if any(runs.get(feature[:-1]) != feature[-1:] for feature in features):
        return None
    return int(processor == wanted), len(features)
