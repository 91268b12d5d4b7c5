"""ELF files, as far as code objects need them: sections, symbols, relocations, notes. 64-bit and little-endian.

Layout: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.intro.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

AMDGPU_MACHINE = 224
SYMBOLS, RELOCATIONS, DYNAMIC, NOTE, NO_CONTENT, DYNAMIC_SYMBOLS = 2, 4, 6, 7, 8, 11
"""Types of sections."""
WRITABLE, ALLOCATED, EXECUTABLE = 1, 2, 4
"""Flags of sections."""
FUNCTION, OBJECT = 2, 1
"""Types of symbols."""
RESERVED = 0xFF00
"""Numbers from here on are no sections: absolute and common symbols."""


class Section(NamedTuple):
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


class Symbol(NamedTuple):
    name: str
    type: int
    home: int
    """The number of its section; 0: it is used here, and is elsewhere."""
    value: int
    size: int
    weak: bool = False


class Relocation(NamedTuple):
    address: int
    type: int
    symbol: Symbol
    addend: int


class Elf:
    """One file. Raises ValueError or struct.error for what is damaged, from whichever call comes to it.
    ``machine``: the processor that it must be for; None: any."""

    def __init__(self, data: bytes, machine: int | None = AMDGPU_MACHINE) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit little-endian ELF file")
        self.type, found = struct.unpack_from("<HH", data, 16)
        if machine not in (None, found):
            raise ValueError("an ELF file for another processor")
        self.data = data
        self.abi_version = data[8]
        (self.flags,) = struct.unpack_from("<I", data, 48)
        self.sections = tuple(self._sections())

    def _sections(self) -> Iterator[Section]:
        (table,) = struct.unpack_from("<Q", self.data, 40)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        if table + size * count > len(self.data):
            raise ValueError("its table of sections is cut short")
        if count and size < 64:
            raise ValueError("its table of sections has entries that are too small")
        raw = [struct.unpack_from("<IIQQQQI", self.data, table + size * number) for number in range(count)]
        for name, type_, flags, address, offset, length, link in raw:
            if type_ != NO_CONTENT and offset + length > len(self.data):
                raise ValueError("a section beyond the end of the file")
            title = self._text(raw[names][4] + name) if names < count else ""
            yield Section(title, type_, flags, address, offset, length, link)

    def content(self, section: Section) -> bytes:
        if section.type == NO_CONTENT:
            return bytes(section.size)
        return self.data[section.offset : section.offset + section.size]

    def symbols(self, *types: int) -> Iterator[Symbol]:
        """Those of the tables of symbols of these types of section; the empty one that begins each is left out."""
        for section in self.sections:
            if section.type in types:
                yield from self._table(section)[1:]

    def relocations(self) -> Iterator[Relocation]:
        for section in self.sections:
            if section.type == RELOCATIONS:
                table = self._table(self.sections[section.link])
                for at in range(section.offset, section.offset + section.size - 23, 24):
                    address, info, addend = struct.unpack_from("<QQq", self.data, at)
                    yield Relocation(address, info & 0xFFFFFFFF, table[info >> 32], addend)

    def notes(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Owner, type, content."""
        for section in self.sections:
            if section.type == NOTE:
                yield from _notes(self.content(section))

    def needed(self) -> Iterator[str]:
        """The shared libraries that it asks for, by name."""
        for section in self.sections:
            if section.type == DYNAMIC:
                for at in range(section.offset, section.offset + section.size - 15, 16):
                    tag, value = struct.unpack_from("<QQ", self.data, at)
                    if tag == 1:
                        yield self._text(self.sections[section.link].offset + value)

    def _table(self, section: Section) -> list[Symbol]:
        names = self.sections[section.link] if section.link else None
        found = []
        for at in range(section.offset, section.offset + section.size - 23, 24):
            name, info, home, value, size = struct.unpack_from("<IBxHQQ", self.data, at)
            text = self._text(names.offset + name) if names and name else ""
            found.append(Symbol(text, info & 15, home, value, size, info >> 4 == 2))
        return found

    def _text(self, start: int) -> str:
        return self.data[start : self.data.index(b"\0", start)].decode("utf-8", "replace")


def _notes(section: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    at = 0
    while at + 12 <= len(section):
        name, content, type_ = struct.unpack_from("<III", section, at)
        start = at + 12 + (name + 3) // 4 * 4
        yield section[at + 12 : at + 12 + name].rstrip(b"\0"), type_, section[start : start + content]
        at = start + (content + 3) // 4 * 4
