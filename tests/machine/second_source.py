"""Every instruction that the machine supports beside AMD's pseudocode: one program for all of them."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from machine import expected, pcode
from machine.inputs import inputs, memory_inputs, words
from machine.single import GROUPS, LOADED, MEMORY, SAVED, After, Case, Inputs, after
from rewarp.machine.assembly import parse
from rewarp.machine.shapes import Unsupported, encode

FOLDER = Path(__file__).parent / "instructions"
FAMILIES = {"gfx942": "cdna", "gfx1100": "rdna3", "gfx90a": "cdna", "gfx950": "cdna", "gfx1201": "rdna4"}
ALIKE = ("gfx90a", "gfx950")
"""What these write as gfx942 does is the same function: checked there."""
_ENDING = re.compile(r"_(e32|e64)$")
_MEMORY = re.compile(
    r"(global|flat|buffer|ds)_(?!permute|bpermute|swizzle|gws|nop|append|consume)|s_(buffer_)?(load|store|atomic)_"
)
# Not by this: control flow, what only waits, and what has tests of its own because the pseudocode says it in words.
_ELSEWHERE = re.compile(
    r"v_s?mfma|v_wmma|v_smfmac|v_accvgpr|s_(c?branch|cbranch|endpgm|barrier|trap|sleep|setpc|swappc|call|getpc|sendmsg|memtime|memrealtime"
    r"|getreg|setreg|nop|wait|delay|clause|set|icache|dcache|inc|dec|ttrace|round_mode|denorm_mode|version|code_end|gl1)"
    r"|ds_(swizzle|nop|gws|append|consume)|buffer_(wbl2|inv|wbinv|gl)|scratch_|v_nop|tbuffer|v_cvt\w*_[bf]p?f?8|v_(exp|log)_legacy"
)
_KEEPS_HALF = re.compile(r"v_(fma|mad|div_fixup|med3|min3|max3)_[fui]16$|v_(add|sub)_i16$")
"""On gfx9 the instructions that can write either half leave the other alone; all others clear it."""


@dataclass(frozen=True)
class Amended:
    """Where the pseudocode says less than cards do."""

    names: str
    code: str
    why: str


AMENDED = (
    Amended(r"[vs]_rndne_(f\d+)", "D0.T = round_even(S0.T)", "the sign of a zero stays"),
    Amended(r"v_fract_(f\d+)", "D0.T = below_one(S0.T)", "never one: LLVM selects it for a fract() that must not be"),
    Amended(r"v_frexp_exp_i32_(f\d+)", "D0.i32 = frexp_exponent(S0.T)", "of denormal numbers and of zero"),
    Amended(r"v_frexp_exp_i16_(f16)", "D0.i16 = frexp_exponent(S0.T)", "of denormal numbers and of zero"),
    Amended(r"v_trig_preop_(f64)", "D0.f64 = trig_preop(S0.f64, S1.u32)", "the digits of 2/pi"),
    Amended(
        r"v_div_fmas_(f32)",
        "if VCC.u64[laneId] then D0.T = (exponent(S2.T) > 127 ? 2.0F ** 64 : 2.0F ** -64) * fma(S0.T, S1.T, S2.T) "
        "else D0.T = fma(S0.T, S1.T, S2.T) endif",
        "scaled back by the way it was scaled: confirmed on gfx1100",
    ),
    Amended(
        r"v_div_fmas_(f64)",
        "if VCC.u64[laneId] then D0.T = (exponent(S2.T) > 1023 ? 2.0 ** 128 : 2.0 ** -128) * fma(S0.T, S1.T, S2.T) "
        "else D0.T = fma(S0.T, S1.T, S2.T) endif",
        "scaled back by the way it was scaled: confirmed on gfx1100",
    ),
    Amended(r"v_fmac_dx9_zero_(f32)", "if ((S0.f32 == 0.0F) || (S1.f32 == 0.0F)) then D0.f32 = D0.f32 "
            "else D0.f32 = fma(S0.f32, S1.f32, D0.f32) endif", "it has no third source"),
)  # fmt: skip
_REPLACED = (
    # A NaN from the steps before means that they overflowed; a quotient of zero sets VCC. Confirmed on gfx1100.
    (r"v_div_fixup_", r"(\S+) = sign_out \? -abs\(S0\.(f\d+)\) : abs\(S0\.\2\)",
     r"if isNAN(S0.\2) then \1 = sign_out ? -INF.\2 : +INF.\2 else \1 = sign_out ? -abs(S0.\2) : abs(S0.\2) endif"),
    # Bits of what is returned, not elements.
    (r"ds_condxchg32", r"RETURN_DATA\[0\]", "RETURN_DATA[31 : 0]"),
    (r"ds_condxchg32", r"RETURN_DATA\[1\]", "RETURN_DATA[63 : 32]"),
    (r"v_div_scale_", r"(D0\.f\d+ = NAN\.f\d+)", r"VCC = 0x1LL; \1"),
)  # fmt: skip
APPROXIMATE = re.compile(r"v_(?:s_)?(exp|log|rcp|rsq|sqrt|sin|cos)_")
"""One unit in the last place from the exact result, here; cards are further away."""


@cache
def _tables(arch: str) -> tuple[dict[str, str], dict[str, str], dict[str, Any]]:
    """Pseudocode by mnemonic, by mnemonic without the encoding, and the operands."""
    family = f"tinygrad.runtime.autogen.amd.{FAMILIES[arch]}"
    codes = {key.name.lower(): text for key, text in importlib.import_module(f"{family}.str_pcode").PCODE.items()}
    operands = {
        key.name.lower(): value for key, value in importlib.import_module(f"{family}.operands").OPERANDS.items()
    }
    return codes, {_ENDING.sub("", name): text for name, text in codes.items()}, operands


def table(arch: str) -> dict[str, str]:
    """One text for each mnemonic of the architecture, and what it was checked with."""
    lines = FOLDER.joinpath(f"{arch}.txt").read_text("utf-8").splitlines()
    return {text.strip(): source.strip() for text, _, source in (line.partition("|") for line in lines)}


def texts(arch: str) -> list[str]:
    return list(table(arch))


def is_supported(arch: str, text: str) -> bool:
    try:
        for instruction in parse(f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.text\nkernel:\n{text}\n').instructions:
            encode(instruction)
    except Unsupported:
        return False
    return True


def code_of(arch: str, text: str) -> str | None:
    name = text.split()[0]
    plain = _ENDING.sub("", name)
    for one in AMENDED:
        if match := re.fullmatch(one.names, plain):
            return one.code.replace(".T", f".{match[1]}")
    codes, bare, _ = _tables(arch)
    code = codes.get(name) or bare.get(plain)
    for names, old, new in _REPLACED:
        if code and re.match(names, plain):
            code = re.sub(old, new, code)
    return code


def _kind(described: Any) -> str:
    last = described[0].name.rpartition("_")[2].lower()
    return last if last in ("f16", "f32", "f64", "bf16") else "u32"


def _kinds(arch: str, text: str) -> tuple[str, ...]:
    """The types of the sources and of the target."""
    operands = _tables(arch)[2]
    name = text.split()[0]
    found = next(
        (operands[key] for key in (name, _ENDING.sub("", name), name + "_e32", name + "_e64") if key in operands), {}
    )
    fields = ("src0", "src1", "src2", "vdst") if name.startswith("v_") else ("ssrc0", "ssrc1", "", "")
    spare = {"src1": "vsrc1", "src0": "vsrc0"}
    return tuple(
        _kind(found[key]) if (key := field if field in found else spare.get(field, "")) in found else "u32"
        for field in fields
    )


@dataclass
class Check:
    text: str
    source: str
    differences: list[str] = field(default_factory=list)


def checked(arch: str) -> list[Check]:
    """All that is supported and has pseudocode that can be run, run both ways."""
    return _Checker(arch).checks()


SCRATCH = r"scratch_"
NOTHING = {
    "gfx942": r"s_(nop|waitcnt|sethalt|setprio|incperflevel|decperflevel)",
    "gfx1100": r"s_(nop|waitcnt\w*|sethalt|setprio|incperflevel|decperflevel|clause|delay_alu|set_inst_prefetch_distance|ttracedata_imm"
    r"|version|wait_event)",
}
"""What is done for a card's sake, and leaves no trace."""
OTHERWISE = (
    *((SCRATCH + what, "NumPy") for what in ("load", "store")),
    (r"ds_(append|consume|swizzle_b32)", "NumPy"),
    (r"v_accvgpr_|s_set_gpr_idx_|v_(sin|cos)_f16", "NumPy"),
    (r"s_(branch|cbranch_(scc|vcc|exec)|call_b64|setpc_b64|swappc_b64|getpc_b64)", "a kernel of its own"),
    (r"s_denorm_mode", "NumPy"),
    (r"v_mfma_|v_smfmac_|v_wmma_", "NumPy, with AMD's matrix calculator for the layout"),
    (r"v_(sin|cos)_f32", "NumPy"),
    (r"v_cvt_(pk_)?(f32_[bf]p?f?8|[bf]p?f?8_f32)", "NumPy"),
)
"""Names of instructions that have a test of their own on gfx942 and gfx1100, and what it holds them against."""


def sources(arch: str) -> dict[str, str]:
    """What each text was checked with; what is not here was not."""
    if arch not in FAMILIES:
        return {}
    found = {check.text: check.source for check in checked(arch)}
    for text in texts(arch) if arch in NOTHING else ():
        for names, source in OTHERWISE:
            if re.match(names, text.split()[0]) and is_supported(arch, text):
                found.setdefault(text, source)
    return found


def other_form(text: str) -> str:
    """The same atomic, but that its result is not wanted, or is; empty for what is none."""
    if re.match(r"s_(buffer_)?atomic_", text):
        return text + " glc"
    match = re.fullmatch(r"(\w+_atomic_\w+) (.*?) (?:sc0|glc|th:TH_ATOMIC_RETURN)", text)
    if not match or "csub" in text:  # on gfx11 that one always returns
        return ""
    operands = match[2] if text.startswith("buffer_") else match[2].partition(", ")[2]
    return f"{match[1]} {operands}"


class _Checker:
    def __init__(self, arch: str) -> None:
        self._arch, self._lanes = arch, 64 if arch.startswith("gfx9") else 32
        self._inputs: dict[tuple[str, ...], tuple[int, Inputs]] = {}
        self._expected: dict[Any, list[expected.Wave]] = {}

    def checks(self) -> list[Check]:
        cases: list[tuple[Case, str]] = []
        elsewhere = table("gfx942") if self._arch in ALIKE else {}
        for text in texts(self._arch):
            code = code_of(self._arch, text) if text not in elsewhere else None
            if code is None or _ELSEWHERE.match(text) or not is_supported(self._arch, text):
                continue
            cases.append((self._case(text), code))
        others = [(self._case(text), code) for case, code in cases if (text := other_form(case.text))]
        every = [one for _, one in self._inputs.values()]
        found = after(self._arch, [case for case, _ in cases + others], every)
        checks = [self._check(case, code, got, every) for (case, code), got in zip(cases + others, found)]
        by_name = {check.text.split()[0]: check for check in checks[: len(cases)] if check}
        for check in checks[len(cases) :]:
            if check:
                by_name[check.text.split()[0]].differences += check.differences
        return list(by_name.values())

    def _case(self, text: str) -> Case:
        if _MEMORY.match(text):
            return self._memory_case(text)
        kinds = _kinds(self._arch, text)
        whole = "permlane" in text  # what comes from a lane that is off depends on modifiers
        key = (*kinds, str(whole))
        if key not in self._inputs:
            self._inputs[key] = (len(self._inputs), inputs(self._lanes, kinds, len(self._inputs), full=whole))
        return Case(text, self._inputs[key][0])

    def _memory_case(self, text: str) -> Case:
        kind = _data_kind(text)
        step = 8 if "st64" in text or "stride64" in text else 64
        key = (kind, str(step), "memory")
        if key not in self._inputs:
            self._inputs[key] = (len(self._inputs), memory_inputs(self._lanes, kind, step, len(self._inputs)))
        space = {"g": "global", "f": "flat", "b": "buffer", "d": "lds", "s": "global"}[text[0]]
        if text.startswith("s_buffer"):
            space = "buffer"
        return Case(text, self._inputs[key][0], _content(self._lanes, kind, self._inputs[key][1], step), space)

    def _check(self, case: Case, code: str, got: After, every: list[Inputs]) -> Check | None:
        gfx9 = self._lanes == 64
        keeps = not gfx9 or bool(_KEEPS_HALF.match(_ENDING.sub("", case.text.split()[0])))
        key = (code, case.inputs, case.text.partition(" ")[2], keeps, case.memory is not None)
        if key not in self._expected:
            try:
                self._expected[key] = expected.after(case, every[case.inputs], _tables(self._arch)[1], code, not keeps)
            except pcode.NotExecutable:
                return None
        plain = _ENDING.sub("", case.text.split()[0])
        amended = any(re.fullmatch(one.names, plain) for one in AMENDED) or any(
            re.match(one[0], plain) for one in _REPLACED
        )
        check = Check(case.text, "AMD, amended" if amended else "AMD")
        for group, want in enumerate(self._expected[key]):
            check.differences += _differences(self._arch, case, group, got, want)
        return check


def _data_kind(text: str) -> str:
    match = re.search(r"_(f64|f32|f16|bf16)\b|_(fadd)", text.split()[0])
    return (match[1] or "f32") if match else "u32"


@cache
def _content_of(lanes: int, kind: str) -> np.ndarray:
    random = np.random.default_rng(5)
    size = (GROUPS[lanes], MEMORY // 8)
    if kind == "f64":
        return np.stack(list(words(random, "f64", (2, *size))), axis=-1)
    return words(random, kind, (*size, 2))


def _content(lanes: int, kind: str, given: Inputs, step: int) -> np.ndarray:
    """Memory in which some lanes find what they hold in a register: comparisons must come out both ways."""
    content = _content_of(lanes, kind).reshape(GROUPS[lanes], MEMORY // 4).copy()
    if step == 64:
        for lane in range(lanes):
            register = {1: 4, 2: 5, 3: 6, 4: 8}.get(lane % 6)
            for offset in (16, 24) if register is not None else ():
                at = (lane * step + offset) // 4
                content[:, at : at + 2] = given.vectors[:, register : register + 2, lane]
    return content.view(np.uint8).reshape(GROUPS[lanes], MEMORY)


def _differences(arch: str, case: Case, group: int, got: After, want: expected.Wave) -> list[str]:
    found = []
    kind = _kinds(arch, case.text)[3] if case.memory is None else _data_kind(case.text)
    slack = 1 if APPROXIMATE.match(case.text) else 0
    moved = (0, 1) if case.space == "flat" else ()  # addresses were put there
    for row, lane in zip(*np.nonzero(got.vectors[group] != want.vectors)):
        if row in moved or _same(kind, got.vectors[group], want.vectors, row, lane, slack):
            continue
        found.append(
            f"group {group} v{row + LOADED.start}[{lane}]: {got.vectors[group, row, lane]:#x}, not {want.vectors[row, lane]:#x}"
        )
    for name in SAVED:
        if name in _IGNORED.get(case.space, ()) or (re.fullmatch(r"s(4[4-9]|5\d)", name) and name not in want.loaded):
            continue
        have = int(got.scalars[name][group])
        bits = np.array([[have], [want.scalars[name]]], np.uint32)
        if have != want.scalars[name] and not (slack and _same(kind, bits[:1], bits[1:], 0, 0, slack)):
            found.append(f"group {group} {name}: {have:#x}, not {want.scalars[name]:#x}")
    if case.memory is not None and got.memory is not None and want.memory is not None:
        for at in np.nonzero(got.memory[group] != want.memory)[0][:4]:
            start = int(at) & ~7
            if not _same_memory(kind, got.memory[group], want.memory, start):
                found.append(f"group {group} byte {at}: {got.memory[group, at]:#x}, not {want.memory[at]:#x}")
    return found


def _same_memory(kind: str, have: np.ndarray, want: np.ndarray, at: int) -> bool:
    pair = [part[at : at + 8].view(np.uint32)[:, None] for part in (have, want)]
    return all(_same(kind, pair[0], pair[1], row, 0, 0) for row in (0, 1))


_IGNORED = {
    "global": ("s20", "s21"), "buffer": ("s20", "s21"), "flat": ("s20", "s21", "vcc_lo", "vcc_hi"), "lds": (),
}  # fmt: skip
"""What holds addresses."""
_FORMS = {"f16": (np.uint16, 5, 10), "bf16": (np.uint16, 8, 7), "f32": (np.uint32, 8, 23)}


def _same(kind: str, have: np.ndarray, want: np.ndarray, row: int, lane: int, slack: int) -> bool:
    """One NaN is as good as another; approximations may be next to one another."""
    if kind == "f64":
        first = int(row) & ~1
        bits = [int(part[first, lane]) | int(part[first + 1, lane]) << 32 for part in (have, want)]
        return _close(bits[0], bits[1], 11, 52, slack)
    if kind not in _FORMS:
        return int(have[row, lane]) == int(want[row, lane])
    form, exponents, mantissas = _FORMS[kind]
    parts = [np.array([part[row, lane]], np.uint32).view(form) for part in (have, want)]
    return all(_close(int(x), int(y), exponents, mantissas, slack) for x, y in zip(*parts))


def _close(x: int, y: int, exponents: int, mantissas: int, slack: int) -> bool:
    sizes = [bits & ((1 << (exponents + mantissas)) - 1) for bits in (x, y)]
    infinite = ((1 << exponents) - 1) << mantissas
    if all(size > infinite for size in sizes):
        return True
    return x == y or (slack > 0 and abs(x - y) <= slack and all(size <= infinite for size in sizes))
