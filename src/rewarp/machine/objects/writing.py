"""A code object's assembly: labels for what is jumped to, symbols for what addresses are computed of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rewarp.errors import ParseError
from rewarp.machine.assembly import Place
from rewarp.machine.objects.disassembler import Decoded, disassembled
from rewarp.machine.objects.lines import places
from rewarp.machine.objects.reading import Area, CodeObject

_JUMP = re.compile(r"(s_branch|s_cbranch_\w+|s_call_b64|s_subvector_loop_\w+)\b(.*?)\S+$")
_OWN_ADDRESS = re.compile(r"s_getpc_b64 s\[(\d+):(\d+)\]$")
_ADD = re.compile(r"(s_add_u32|s_add_co_u32|s_addc_u32|s_add_co_ci_u32) s(\d+), s(\d+), (-?(?:0x[0-9a-f]+|\d+))$")
_KEY = re.compile(r"[\w.]+")
_FILLING = ("s_code_end", "s_nop 0")
_NEAR = 8
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1


def assembly(code: CodeObject) -> str:
    return "\n".join(_Writer(code).lines()) + "\n"


class _Writer:
    def __init__(self, code: CodeObject) -> None:
        self._code = code
        self._decoded: list[Decoded] = []
        for section in code.code:
            content = code.content(section)
            processor = code.built_for.partition(":")[0]
            found = disassembled(content, section.address, processor, code.wave_size)
            self._decoded += (one for one in found if one.text not in _FILLING or code.function_at(one.address))
        self._boundaries = {one.address for one in self._decoded}
        self._words = {section.address: content for section in code.code for content in [code.content(section)]}
        self._targets: set[int] = set()
        self._replaced: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        self._find_jumps()
        self._find_addresses()
        data = [line for area in self._code.areas for line in self._data(area)]  # what it points to needs labels
        for kernel in self._code.kernels:
            if kernel.entry not in self._boundaries:
                raise ParseError(f"the kernel {kernel.name} begins where there is no instruction")
        yield f'\t.amdgcn_target "amdgcn-amd-amdhsa--{self._code.arch}"'
        yield "\t.text"
        yield from self._text()
        for kernel in self._code.kernels:
            yield f"\t.amdhsa_kernel {kernel.name}"
            yield from (f"\t\t.amdhsa_{name} {value}" for name, value in kernel.directives.items())
            yield "\t.end_amdhsa_kernel"
        yield from data
        yield from ("\t.amdgpu_metadata", "---", *_yaml(self._code.metadata, ""), "...", "\t.end_amdgpu_metadata")

    # --- code -----------------------------------------------------------------------------

    def _text(self) -> Iterator[str]:
        names: dict[int, list[str]] = {}
        for symbol in self._code.symbols:
            if symbol.value in self._boundaries:
                names.setdefault(symbol.value, []).append(symbol.name)
        for kernel in self._code.kernels:
            if kernel.name not in names.setdefault(kernel.entry, []):
                names[kernel.entry].append(kernel.name)
        table, files, here = places(self._code.data), _Files(), None
        for one in self._decoded:
            yield from (f"{name}:" for name in names.get(one.address, ()))
            if one.address in self._targets:
                yield f"{_label(one.address)}:"
            if (place := table.get(one.address)) and place != here:
                here = place
                yield from files.lines(place)
            yield f"\t{self._replaced.get(one.address, one.text) or self._unknown(one)}"

    def _unknown(self, one: Decoded) -> str:
        return f"no_instruction_0x{self._word(one.address):08x}"

    def _word(self, address: int) -> int:
        for start, content in self._words.items():
            if start <= address <= start + len(content) - 4:
                return int.from_bytes(content[address - start : address - start + 4], "little")
        return 0

    def _find_jumps(self) -> None:
        for one in self._decoded:
            if found := _JUMP.match(one.text):
                distance = self._word(one.address) & 0xFFFF
                target = one.address + 4 + 4 * (distance - 0x10000 if distance & 0x8000 else distance)
                self._replaced[one.address] = f"{found[1]}{found[2]}{_label(target)}"
                if target in self._boundaries:  # one that goes elsewhere is reported by the jump that has no label
                    self._targets.add(target)

    def _find_addresses(self) -> None:
        """``s_getpc_b64`` and two additions give the address of something: the machine lays it out anew, and wants
        its name. Linked code has only the distance."""
        for number, one in enumerate(self._decoded):
            if (found := _OWN_ADDRESS.match(one.text)) and not self._add_name(number, found[1], found[2]):
                self._replaced[one.address] = f"s_getpc_b64_for_its_own_address s[{found[1]}:{found[2]}]"

    def _add_name(self, number: int, low: str, high: str) -> bool:
        """Whether the additions were found, and what they point at."""
        additions: dict[str, tuple[Decoded, int]] = {}
        for one in self._decoded[number + 1 : number + 1 + _NEAR]:
            found = _ADD.match(one.text)
            if found and found[2] == found[3] and found[2] in (low, high) and found[2] not in additions:
                additions[found[2]] = one, int(found[4], 0) & _MASK32
            if one.address in self._targets or one.text.startswith(("s_branch", "s_cbranch", "s_setpc", "s_swappc")):
                break
        if len(additions) < 2:
            return False
        (lower, less), (upper, more) = additions[low], additions[high]
        name, offset = self._name(self._decoded[number].address + 4 + (more << 32 | less) & _MASK64)
        if not name:
            return False
        for one, part, behind in ((lower, "lo", 4), (upper, "hi", 12)):
            start = one.text.rpartition(" ")[0]
            self._replaced[one.address] = f"{start} {name}@rel32@{part}{offset + behind:+d}"
        return True

    def _name(self, address: int) -> tuple[str, int]:
        """A label and the distance from it; no label: it lies in the middle of an instruction, or there is no data."""
        if any(section.address <= address < section.address + section.size for section in self._code.code):
            if address not in self._boundaries:
                return "", 0
            self._targets.add(address)
            return _label(address), 0
        area = self._code.area_of(address)
        return (area.label, address - area.start) if area else ("", 0)

    # --- data -----------------------------------------------------------------------------

    def _data(self, area: Area) -> list[str]:
        found = [f"\t.section {area.name}", "\t.p2align 8", f"{area.label}:"]
        symbols = [symbol for home, symbol in self._code.data_symbols() if home is area]
        cuts = sorted({symbol.value for symbol in symbols} | area.addresses.keys() | {area.end})
        names: dict[int, list[str]] = {}
        for symbol in symbols:
            names.setdefault(symbol.value, []).append(symbol.name)
            if symbol.size:
                found.append(f"\t.size {symbol.name}, {symbol.size}")
        at = area.start
        for cut in cuts:
            found += _values(area, at, cut)
            at = max(at, cut)
            found += (f"{name}:" for name in names.get(cut, ()))
            if cut in area.addresses:
                name, offset = self._name(area.addresses[cut])
                if not name:
                    raise ParseError(f"the address {area.addresses[cut]:#x} in its data points into an instruction")
                found.append(f"\t.quad {name}{offset:+d}")
                at = cut + 8
        return found


def _values(area: Area, start: int, end: int) -> list[str]:
    """What lies there; between sections, zeros."""
    found, at = [], start
    for address, content in sorted(area.pieces, key=lambda piece: piece[0]):
        size = content if isinstance(content, int) else len(content)
        if address + size <= at or address >= end:
            continue
        if address > at:
            found.append(f"\t.zero {address - at}")
            at = address
        last = min(end, address + size)
        if isinstance(content, int):
            found.append(f"\t.zero {last - at}")
        else:
            found += _bytes(content[at - address : last - address])
        at = last
    if at < end:
        found.append(f"\t.zero {end - at}")
    return found


def _bytes(content: bytes) -> list[str]:
    found = []
    for at in range(0, len(content), 64):
        part = content[at : at + 64]
        if not any(part):
            found.append(f"\t.zero {len(part)}")
        elif len(part) == 64:
            found.append("\t.quad " + ", ".join(f"0x{part[n : n + 8][::-1].hex()}" for n in range(0, 64, 8)))
        else:
            found.append("\t.byte " + ", ".join(map(str, part)))
    return found


class _Files:
    """Numbers for files, each one told when it is first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def lines(self, place: Place) -> Iterator[str]:
        name = re.sub(r'["\\\n\r]', "?", place.file)
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers) + 1
            yield f'\t.file {self._numbers[name]} "{name}"'
        yield f"\t.loc {self._numbers[name]} {place.line} 0"


def _label(address: int) -> str:
    return f".Lcode_{address:x}"


# --- metadata -------------------------------------------------------------------------------


def _yaml(value: Any, indent: str) -> Iterator[str]:
    """The part of YAML that LLVM writes, and its reader reads."""
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, item in pairs:
        if key is not None and not _KEY.fullmatch(str(key)):
            raise ParseError("its metadata has a key that is none")
        head = f"{indent}{key}:" if key is not None else f"{indent}-"
        if isinstance(item, (dict, list)) and item:
            inner = list(_yaml(item, indent + "  "))
            if key is None:
                yield f"{indent}- {inner[0].lstrip()}"
                yield from inner[1:]
            else:
                yield head
                yield from inner
        else:
            yield f"{head} {_scalar(item)}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.encode("unicode_escape").decode().replace('"', r"\x22") + '"'
    return str(value) if isinstance(value, int) else "[]"
