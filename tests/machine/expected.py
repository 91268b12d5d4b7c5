"""What an instruction leaves, by its pseudocode."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from machine import pcode
from machine.single import LOADED, SAVED, SCALARS, After, Case, Inputs
from machine.values import Value, real

_NAMES = {name: number for number, name in enumerate((*SCALARS, "exec_lo", "exec_hi", "scc", "m0"))}


class Registers:
    """VGPR[lane][number]: all lanes of a wave."""

    def __init__(self, words: np.ndarray, lane: int | None = None) -> None:
        self.words, self._lane = words, lane

    def at(self, number: int) -> Any:
        if self._lane is None:
            return Registers(self.words, number)
        return _Cell(self.words, number - LOADED.start, self._lane)


class _Cell:
    def __init__(self, words: np.ndarray, row: int, lane: int) -> None:
        self._words, self._row, self._lane = words, row, lane

    def load(self, width: int = 32) -> Value:
        return Value("b", 32, int(self._words[self._row, self._lane]))

    def store(self, env: pcode.Env, steps: list[Any], value: Value) -> None:
        new = pcode._replaced({**env, "halves_clear": False}, self.load(), steps, value) if steps else value
        self._words[self._row, self._lane] = new.bits & 0xFFFFFFFF


class Bytes:
    """MEM[address]."""

    def __init__(self, content: np.ndarray) -> None:
        self.content = content

    def at(self, address: int) -> _Place:
        return _Place(self.content, address & 0xFFFFFFFF)


class _Place:
    def __init__(self, content: np.ndarray, address: int) -> None:
        self._content, self._address = content, address

    def load(self, width: int = 32) -> Value:
        part = self._content[self._address : self._address + width // 8]
        return Value("b", width, int.from_bytes(part.tobytes(), "little"))

    def store(self, env: pcode.Env, steps: list[Any], value: Value) -> None:
        width = int(re.sub(r"\D", "", steps[0][1])) if steps else value.width
        kind = re.sub(r"\d", "", steps[0][1]) if steps else "b"
        bits = pcode.converted(value, kind, width).bits
        self._content[self._address : self._address + width // 8] = np.frombuffer(bits.to_bytes(width // 8, "little"), np.uint8)


@dataclass
class Form:
    """How the operands of a text stand to the names of the pseudocode."""

    text: str
    target: str = ""
    second: str = ""
    literal: int | None = None

    @classmethod
    def of(cls, text: str) -> Form:
        parts = [part.strip() for part in text.partition(" ")[2].split(",")]
        parts = [parts[0], *parts[1:]]
        literal = next((int(part, 0) for part in parts if re.fullmatch(r"0x[0-9a-f]+|\d+", part)), None)
        masks = [part for part in parts[1:2] if part in ("vcc", "vcc_lo", "s[42:43]", "s42")]
        return cls(text, parts[0], masks[0] if masks else "", literal)


def first_register(name: str) -> str:
    """s[42:43] is s42."""
    return re.sub(r"\[(\d+):\d+\]", r"\1", name)


class Wave:
    """One group's registers before an instruction, changed by running its pseudocode for every lane that is on."""

    def __init__(self, inputs: Inputs, group: int, gfx9: bool, memory: np.ndarray | None = None) -> None:
        self.vectors = inputs.vectors[group].copy()
        self.before = inputs.vectors[group]
        self.scalars = {name: int(inputs.scalars[group, number]) for name, number in _NAMES.items()}
        self.scalars["scc"] = int(self.scalars["scc"] != 0)
        self.lanes, self.gfx9 = inputs.lanes, gfx9
        if self.lanes == 32:
            self.mask = self.scalars["exec_lo"]
        else:
            self.mask = self.pair("exec_lo")
        self.memory = memory.copy() if memory is not None else None

    def pair(self, name: str) -> int:
        low = "exec_lo" if name == "exec" else "vcc_lo" if name == "vcc" else name
        high = low.replace("lo", "hi") if low.endswith("lo") else f"s{int(low[1:]) + 1}"
        return self.scalars[low] | self.scalars[high] << 32

    def set_pair(self, name: str, value: int, words: int = 2) -> None:
        low = {"exec": "exec_lo", "vcc": "vcc_lo"}.get(name, name)
        self.scalars[low] = value & 0xFFFFFFFF
        if words == 2:
            high = low.replace("lo", "hi") if low.endswith("lo") else f"s{int(low[1:]) + 1}"
            self.scalars[high] = value >> 32 & 0xFFFFFFFF

    def mask_of(self, name: str) -> int:
        return self.pair(name) if self.lanes == 64 else self.scalars[{"vcc": "vcc_lo"}.get(name, name)]

    def vector(self, register: int, lane: int, words: int = 4) -> Value:
        rows = [int(self.before[register - LOADED.start + n, lane]) for n in range(words)]
        return Value("b", 32 * words, sum(row << 32 * n for n, row in enumerate(rows)))

    def put_vector(self, register: int, lane: int, value: Value) -> None:
        for n in range(4):
            self.vectors[register - LOADED.start + n, lane] = value.bits >> 32 * n & 0xFFFFFFFF

    def after(self) -> After:
        kept = {name: np.array([self.scalars[name]], np.uint32) for name in SAVED if name in self.scalars}
        if self.lanes == 32:
            del kept["exec_hi"]
        return After(self.vectors[None], kept, self.memory[None] if self.memory is not None else None)


Sources = Mapping[str, Value]


def environment(wave: Wave, pseudocode: Mapping[str, str]) -> pcode.Env:
    return {
        "pcode": pseudocode, "given": ("CVT_OFF_TABLE", "S"), "halves_clear": wave.gfx9, "registers": True,
        "EXEC": Value("u", 64, wave.mask), "VCC": Value("u", 64, wave.mask_of("vcc")), "SCC": Value("u", 1, wave.scalars["scc"]),
        "EXEC_LO": Value("u", 32, wave.mask & 0xFFFFFFFF), "M0": Value("b", 32, wave.scalars["m0"]), "WAVE_MODE": _Mode(), "OPSEL": Value("u", 4, 0), "OPSEL_HI": Value("u", 3, 0),
        "VDST": Value("u", 32, 16), "SRC0": Value("u", 32, 4), "SDWA_SRC0_SEL": Value("u", 3, 6), "WAVE64": Value("u", 1, int(wave.lanes == 64)),
        "CVT_OFF_TABLE": [real(32, (n - 16 if n > 7 else n) / 16) for n in range(16)],
        "WAVE32": Value("u", 1, int(wave.lanes == 32)), "NEG": Value("u", 3, 0),
    }  # fmt: skip


class _Mode:
    """WAVE_MODE.IEEE: set for compute kernels on gfx9 and gfx11."""

    kind, width, bits, is_float = "u", 1, 1, False

    @property
    def number(self) -> int:
        return 1


def vector(text: str, pseudocode: Mapping[str, str], code: str, wave: Wave) -> None:
    """An instruction that computes lane by lane."""
    form = Form.of(text)
    target, name = form.target, text.split()[0]
    compares = "v_cmp" in name
    result_mask = out_mask = 0
    base = environment(wave, pseudocode)
    if compares and "cmpx" in name:
        base["EXEC"] = Value("u", 64, 0)
    carry_in = wave.mask_of(_carry(text, wave)) if _carry(text, wave) else 0
    base["VCC"] = Value("u", 64, carry_in if _carry(text, wave) else wave.mask_of("vcc"))
    if compares:
        base["D0"] = Value("u", 64, 0)
    for lane in range(wave.lanes):
        if not wave.mask >> lane & 1:
            continue
        env = {**base, "laneId": Value("u", 32, lane), "VGPR": Registers(wave.vectors)}
        env |= {"S0": wave.vector(4, lane), "S1": wave.vector(8, lane), "S2": wave.vector(12, lane)}
        for slot, scalar in _scalar_sources(text):
            env[slot] = Value("b", 32, wave.scalars[scalar])
        if form.literal is not None:
            env["SIMM32"] = Value("b", 32, form.literal)
        env["S"] = [Value("b", 32, env[f"S{n}"].bits & 0xFFFFFFFF) for n in range(3)]
        if not compares:
            env["D0"] = wave.vector(16, lane)
            if "div_scale" in name:  # what it does not scale it hands on
                env["D0"] = pcode._replaced(env, env["D0"], [("type", name[-3:].replace("f", "b"), None)], env["S0"])
        pcode.run(code, env)
        if compares:
            base["D0"], base["EXEC"] = env["D0"], env["EXEC"]
            continue
        if form.second:
            d1 = env.get("D1")
            out_mask |= (d1.bits if d1 is not None else env["VCC"].bits >> lane if "div_scale" not in name else env["VCC"].bits) % 2 << lane
        if target.startswith("s") or target == "vcc":
            wave.scalars[first_register(target)] = env["D0"].bits & 0xFFFFFFFF
            break
        if "VGPR[" not in code:
            wave.put_vector(16, lane, env["D0"])
        if "S0." in code.partition("=")[0] or re.search(r"^S0\.\w+ =", code, re.M):  # a swap
            wave.put_vector(4, lane, env["S0"])
    words = 2 if wave.lanes == 64 else 1
    result_mask = base["D0"].bits if compares else 0
    if compares:
        if target in ("vcc", "vcc_lo", "s42", "s[42:43]"):
            wave.set_pair(first_register(target), result_mask, words)
        if "cmpx" in name:
            wave.set_pair("exec_lo", base["EXEC"].bits, words)
    elif form.second:
        wave.set_pair(first_register(form.second), out_mask, words)


def _carry(text: str, wave: Wave) -> str:
    """The mask that an instruction reads."""
    last = text.rpartition(",")[2].strip()
    if last in ("vcc", "vcc_lo"):
        return "vcc"
    return "s44" if last in ("s44", "s[44:45]") else ""


def _scalar_sources(text: str) -> list[tuple[str, str]]:
    name = text.split()[0]
    if "readlane" in name:
        return [("S1", "s22")]
    if "writelane" in name:
        return [("S0", "s20")] + ([("S1", "s22")] if "s22" in text else [])
    return [("S1", "s20"), ("S2", "s22")] if "permlane" in name else []


def scalar(text: str, pseudocode: Mapping[str, str], code: str, wave: Wave) -> None:
    """An instruction of the scalar unit."""
    form = Form.of(text)
    env = environment(wave, pseudocode)
    parts = [part.strip() for part in text.partition(" ")[2].split(",")]
    target = first_register(parts[0]) if parts[0].startswith("s[42") or parts[0] == "s42" else ""
    sources = {"S0": "s20", "S1": "s24"}
    for slot, register in sources.items():
        env[slot] = Value("b", 64, wave.pair(register))
    if "cmpk" in text:
        env["S0"] = Value("b", 64, wave.pair("s42"))
    if form.literal is not None:
        env["SIMM16"] = env["S1" if "cmpk" in text else "SIMM16"] = Value("b", 16, form.literal & 0xFFFF)
        env["SIMM32"] = Value("b", 32, form.literal)
        if re.search(r"s_c?movk|s_addk|s_mulk", text):
            env["S0"] = env["S1"] = env["SIMM16"]
    env["D0"] = Value("b", 64, wave.pair("s42"))
    pcode.run(code, env)
    if target:
        wave.set_pair("s42", env["D0"].bits)
    wave.scalars["scc"] = env["SCC"].bits & 1
    wave.set_pair("exec_lo", env["EXEC"].bits, 2 if wave.lanes == 64 else 1)


def case_after(case: Case, inputs: Inputs, pseudocode: Mapping[str, str], code: str, gfx9: bool) -> list[After]:
    """For each group what it leaves."""
    found = []
    run = scalar if case.text.startswith("s_") else vector
    for group in range(inputs.vectors.shape[0]):
        wave = Wave(inputs, group, gfx9)
        run(case.text, pseudocode, code, wave)
        found.append(wave.after())
    return found
