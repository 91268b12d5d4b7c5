"""Writes tests/machine/instructions/ARCH.txt: every instruction of an architecture, each with one text that assembles, and
what its meaning was checked with.

The names and operands come from AMD's machine-readable description of the instruction sets as tinygrad carries it; what of
them an architecture has, LLVM's assembler says. Run by hand when either has a new version; needs the extras test and machine.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewarp.machine.library import compiler

FOLDER = Path(__file__).parent.parent / "tests" / "machine" / "instructions"
FAMILIES = {"gfx90a": "cdna", "gfx942": "cdna", "gfx950": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}
# Of gfx942 alone; the description is for gfx950, which has them no more.
_EXTRA = [
    "v_mfma_f32_16x16x8_xf32 a[0:3], v[4:5], v[8:9], a[0:3]",
    "v_mfma_f32_32x32x4_xf32 a[0:15], v[4:5], v[8:9], a[0:15]",
]
_ENDINGS = ("_e32", "_e64")
_MATRIX = re.compile(r"v_s?w?mfmac?_|v_s?wmmac?_|v_mfma_")


def registers(letter: str, first: int, bits: int) -> str:
    words = max(bits // 32, 1)
    return f"{letter}{first}" if words == 1 else f"{letter}[{first}:{first + words - 1}]"


class Texts:
    """Ways in which an instruction may be written; the assembler picks."""

    def __init__(self, lanes: int) -> None:
        self.vcc = "vcc" if lanes == 64 else "vcc_lo"
        self.mask = "s[42:43]" if lanes == 64 else "s42"
        self.mask_source = "s[44:45]" if lanes == 64 else "s44"

    def of(self, operation: Any, operands: dict[str, Any]) -> Iterator[str]:
        family, name = type(operation).__name__.removesuffix("Op"), operation.name.lower()
        bits = {field: size for field, (_, size, _) in operands.items()}
        kinds = {field: kind.name for field, (_, _, kind) in operands.items()}
        yield from getattr(self, f"_{family.lower()}", self._nothing)(name, bits, kinds)

    def _nothing(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        yield name

    def _vop(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        target = registers("v", 16, bits.get("vdst", 32))
        if "SREG" in kinds.get("vdst", "") or "SDST" in kinds.get("vdst", ""):
            target = self.mask if "_cmp" in name else "s42"
        starts = {"src0": 4, "vsrc0": 4, "src1": 8, "vsrc1": 8, "src2": 12}
        sources = [registers("v", start, bits[field]) for field, start in starts.items() if field in bits]
        if sources and "SREG" in kinds.get("src2", ""):
            sources[-1] = self.mask_source
        second = [self.vcc] if name.endswith("_e32") else [self.mask]
        carry = [self.vcc] if name.endswith("_e32") else [self.mask_source]
        if "lane" in name and ("read" in name or "write" in name) and "first" not in name:
            yield f"{name} {target}, {'v4' if 'read' in name else 's20'}, s22"
            yield f"{name} {target}, s20, 5"  # gfx9 reads one scalar register at a time
        if name.startswith("v_s_"):
            yield f"{name} s42, s20"
        if "permlane" in name and "swap" not in name and len(sources) > 1:
            yield f"{name} {target}, v4, {'v8' if 'var' in name else 's20, s22'}"
        if "accvgpr" in name:
            full = name + ("" if re.search(r"b32", name) else "_b32")
            yield f"{full} v16, a4"
            yield f"{full} a16, v4"
            yield f"{full} a16, a4"
        if _MATRIX.match(name):
            result = registers("v", 64, bits["vdst"])
            a, b = registers("v", 4, bits["src0"]), registers("v", 20, bits["src1"])
            yield f"{name} {result}, {a}, {b}, {'v3' if 'smfmac' in name or 'swmmac' in name else result}"
        if re.match(r"v_(mad|fma|fmaa|madm|mada|fmam)[am]?k_", name):
            literal = "0x40490fdb" if "f32" in name else "0x4248"
            yield f"{name.removesuffix('_e32')} {target}, v4, v8, {literal}"
            yield f"{name.removesuffix('_e32')} {target}, v4, {literal}, v8"
        for first in (second, []):
            for last in (carry, []):
                yield f"{name} {', '.join([target, *first, *sources, *last])}"
        yield f"{name} {', '.join([self.vcc, *sources])}"
        yield f"{name} {', '.join(sources)}"
        halves = [part + ".l" for part in (target, *sources)]
        yield f"{name} {', '.join(halves)}"

    _vop1 = _vop2 = _vop3 = _vop3p = _vop3sd = _vopc = _vop

    def _sop(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        starts = {"sdst": 42, "ssrc0": 20, "ssrc1": 24}
        parts = [registers("s", start, bits[field]) for field, start in starts.items() if field in bits]
        if "simm16" in bits:
            if "LABEL" in kinds["simm16"]:
                yield f"{name} {', '.join([*parts, 'kernel'])}"
            yield f"{name} {', '.join([*parts, '0x1234'])}"
            yield f"{name} {', '.join([*parts, '0'])}"
            yield f"{name} {', '.join(['hwreg(HW_REG_MODE)', *parts])}"
            yield f"{name} {', '.join([*parts, 'hwreg(HW_REG_MODE)'])}"
            yield f"{name} hwreg(HW_REG_MODE), 0x12"
            yield f"{name} null, 0"
            yield f"{name} sendmsg(MSG_INTERRUPT)"
        yield f"{name} {', '.join(parts)}"
        yield f"{name} {', '.join([*parts, '0x3'])}"
        yield f"{name} {', '.join([*parts, 'sendmsg(MSG_RTN_GET_DOORBELL)'])}"
        yield f"{name} {', '.join([*parts, '0x40490fdb'])}"
        yield f"{name} {', '.join([*parts[:-1], '0x40490fdb', *parts[-1:]])}"
        yield f"{name} -1"
        yield name

    _sop1 = _sop2 = _sopc = _sopk = _sopp = _sop

    def _smem(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        data = registers("s", 44, bits.get("sdata", 32))
        base = registers("s", 20, bits.get("sbase", 64))
        yield f"{name} {data}, {base}, 0x10"
        yield f"{name} {data}, s[20:23], 0x10"
        yield f"{name} {data}, {base}, s24"
        yield f"{name} {data}"
        yield f"{name} {base}, 0x10"
        yield f"{name} 0x1, {base}, 0x10"
        yield f"{name} {base}, 0x10, s24, 0x1"
        yield name

    def _ds(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        starts = {"vdst": ("v", 16), "addr": ("v", 4), "data0": ("v", 8), "data1": ("v", 12)}
        parts = [registers(letter, at, bits[field]) for field, (letter, at) in starts.items() if field in bits]
        for offset in (" offset0:1 offset1:3", " offset:16", "", " gds", " offset:16 gds"):
            yield f"{name} {', '.join(parts)}{offset}"
        yield f"{name} v[16:17], v[4:5], v8, v[12:15]"
        yield name

    def _flat(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        target, data = registers("v", 16, bits.get("vdst", 32)), registers("v", 8, bits.get("data", 32))
        if "lds" in name:
            yield f"{name} v4, s[20:21] offset:16"
        for address, tail in (
            ("v4", ", s[20:21] offset:16"),
            ("v4", ", s20 offset:16"),
            ("v[4:5]", " offset:16"),
            ("v[4:5]", ""),
        ):
            if "atomic" in name:
                yield f"{name} {target}, {address}, {data}{tail} sc0"
                yield f"{name} {target}, {address}, {data}{tail} glc"
                yield f"{name} {target}, {address}, {data}{tail} th:TH_ATOMIC_RETURN"
                yield f"{name} {address}, {data}{tail}"
            elif "store" in name:
                yield f"{name} {address}, {data}{tail}"
            else:
                yield f"{name} {target}, {address}{tail}"
        yield f"{name} v16, off, s[20:21] offset:16"
        yield f"{name} off, v8, s[20:21] offset:16"
        yield f"{name} v16, s[20:21] offset:16"
        yield f"{name} v8, s[20:21] offset:16"
        yield name

    _global = _scratch = _vglobal = _vscratch = _vflat = _flat

    def _mubuf(self, name: str, bits: dict[str, int], kinds: dict[str, str]) -> Iterator[str]:
        data = registers("v", 8, bits.get("vdata", 32))
        for shown in (data, "v8", "v[8:9]", "v[8:10]", "v[8:11]"):
            for tail in (
                " offen offset:16 sc0",
                " offen offset:16 glc",
                " offen offset:16 th:TH_ATOMIC_RETURN",
                " offen offset:16",
            ):
                if ("sc0" in tail or "glc" in tail or "th:" in tail) and "atomic" not in name:
                    continue
                for form in ("", " format:1", " format:[BUF_FMT_32_FLOAT]"):
                    yield f"{name} {shown}, v4, s[20:23], s24{form}{tail}"
        yield f"{name} v4, s[20:23], s24 offen offset:16 lds"
        yield name

    _mtbuf = _vbuffer = _mubuf


def accepted(texts: list[str], arch: str) -> list[bool]:
    """Which of them the assembler takes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.s")
        file.write_text("kernel:\n" + "\n".join(texts) + "\n")
        command = [
            *compiler()[0][:2],
            "-x",
            "assembler",
            "-target",
            "amdgcn-amd-amdhsa",
            f"-mcpu={arch}",
            "-c",
            str(file),
        ]
        done = subprocess.run([*command, "-o", str(Path(folder, "made.o"))], capture_output=True, text=True)
    wrong = {int(number) for number in re.findall(r"texts\.s:(\d+):\d+: error", done.stderr)}
    return [number + 2 not in wrong for number in range(len(texts))]


def listed(arch: str) -> dict[str, str]:
    """Each mnemonic of the architecture, with a text."""
    family = FAMILIES[arch]
    operands = importlib.import_module(f"tinygrad.runtime.autogen.amd.{family}.operands").OPERANDS
    texts = Texts(64 if arch.startswith("gfx9") else 32)
    candidates: list[tuple[str, str]] = [(text.split()[0], text) for text in _EXTRA]
    for operation, described in operands.items():
        if type(operation).__name__ in (
            "MIMGOp",
            "VIMAGEOp",
            "VSAMPLEOp",
            "EXPOp",
            "VEXPORTOp",
            "VINTERPOp",
            "LDSDIROp",
            "VDSDIROp",
            "VOPDOp",
        ):
            continue
        name = operation.name.lower()
        for text in texts.of(operation, described):
            if text:
                candidates.append((name, text))
    taken = accepted([text for _, text in candidates], arch)
    found: dict[str, str] = {}
    for (name, text), good in zip(candidates, taken):
        if good:
            found.setdefault(name, text)
    return found


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(FOLDER.parent.parent))
    from machine import second_source

    for arch in FAMILIES:
        file = FOLDER / f"{arch}.txt"
        file.write_text("".join(line + "\n" for line in sorted(set(listed(arch).values()))))
        sources = second_source.sources(arch)
        file.write_text(
            "".join(f"{text} | {sources.get(text, '')}".rstrip() + "\n" for text in second_source.texts(arch))
        )
        print(arch, len(second_source.texts(arch)), len(sources))


if __name__ == "__main__":
    main()
