"""What an instruction leaves, by its pseudocode. Texts keep to one convention: v4, v8, v12 are the sources, v16 the target,
s20, s24 the scalar sources, s42 the scalar target, s44 a mask that is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from machine import pcode
from machine.pcode import Env
from machine.places import Bytes, Registers, Scalars
from machine.single import ADDED, BEHIND, LOADED, M0_NUMBERS, SAVED, SCALARS, Case, Inputs
from machine.values import Value, real

_NAMES = {name: number for number, name in enumerate((*SCALARS, "exec_lo", "exec_hi", "scc", "m0"))}
Pseudocode = Mapping[str, str]


class Wave:
    """The registers of one group before an instruction, and, as its pseudocode runs, after it."""

    def __init__(self, inputs: Inputs, group: int, gfx9: bool, memory: np.ndarray | None = None) -> None:
        self.vectors = inputs.vectors[group].copy()
        self._before = inputs.vectors[group]
        self.scalars = dict.fromkeys(SAVED, 0)
        self.scalars |= {name: int(inputs.scalars[group, number]) for name, number in _NAMES.items()}
        self.scalars["scc"] = int(self.scalars["scc"] != 0)
        self.lanes, self.gfx9 = inputs.lanes, gfx9
        self.loaded: list[str] = []
        self.words = 2 if self.lanes == 64 else 1
        self.memory = memory.copy() if memory is not None else None

    @property
    def mask(self) -> int:
        return self.pair("exec_lo") & ((1 << self.lanes) - 1)

    @property
    def active(self) -> list[int]:
        return [lane for lane in range(self.lanes) if self.mask >> lane & 1]

    @staticmethod
    def _halves(name: str) -> tuple[str, str]:
        name = re.sub(r"\[(\d+):\d+\]", r"\1", {"exec": "exec_lo", "vcc": "vcc_lo"}.get(name, name))
        return name, name.replace("lo", "hi") if name.endswith("lo") else f"s{int(name[1:]) + 1}"

    def pair(self, name: str) -> int:
        low, high = self._halves(name)
        return self.scalars[low] | self.scalars[high] << 32

    def set_scalar(self, name: str, value: int, words: int = 2) -> None:
        for number, part in zip(range(words), self._halves(name)):
            self.scalars[part] = value >> 32 * number & 0xFFFFFFFF

    def mask_of(self, name: str) -> int:
        return self.pair(name) & ((1 << self.lanes) - 1)

    def vector(self, register: int, lane: int) -> Value:
        rows = self._before[register - LOADED.start : register - LOADED.start + 4, lane]
        return Value("b", 128, sum(int(row) << 32 * n for n, row in enumerate(rows)))

    def put_vector(self, register: int, lane: int, value: Value) -> None:
        for n in range(4):
            self.vectors[register - LOADED.start + n, lane] = value.bits >> 32 * n & 0xFFFFFFFF


def _environment(wave: Wave, pseudocode: Pseudocode) -> Env:
    found: Env = {
        "pcode": pseudocode, "given": ("CVT_OFF_TABLE", "S", "RETURN_DATA", "OFFSET0", "OFFSET1"), "registers": True,
        "halves_clear": wave.gfx9, "EXEC": Value("u", 64, wave.pair("exec")), "EXEC_LO": Value("u", 32, wave.scalars["exec_lo"]),
        "VCC": Value("u", 64, wave.mask_of("vcc")), "SCC": Value("u", 1, wave.scalars["scc"]),
        "CVT_OFF_TABLE": [real(32, (n - 16 if n > 7 else n) / 16) for n in range(16)], "IEEE": Value("u", 1, 1),
        "VDST": Value("u", 32, 16), "SRC0": Value("u", 32, 4), "SRC1": Value("u", 32, 8), "wave32": Value("u", 1, int(wave.lanes == 32)), "SDWA_SRC0_SEL": Value("u", 3, 6),
    }  # fmt: skip
    zero = {"OPSEL": 4, "OPSEL_HI": 3, "NEG": 3}
    found |= {name: Value("u", width, 0) for name, width in zero.items()}
    found |= {f"WAVE{size}": Value("u", 1, int(wave.lanes == size)) for size in (32, 64)}
    found["WAVE_MODE"] = Value("u", 1, 1)
    return found


def _operands(text: str) -> list[str]:
    return [part.strip() for part in text.partition(" ")[2].split(",")]


def _literal(text: str) -> int | None:
    return next((int(part, 0) for part in _operands(text) if re.fullmatch(r"0x[0-9a-f]+|\d+", part)), None)


# --- lane by lane ---------------------------------------------------------------------------


def vector(text: str, pseudocode: Pseudocode, code: str, wave: Wave) -> None:
    if "v_cmp" in text:
        return _compare(text, pseudocode, code, wave)
    name, operands = text.split()[0], _operands(text)
    masks = [part for part in operands[1:2] if part in ("vcc", "vcc_lo", "s[42:43]", "s42")]
    base, out = _environment(wave, pseudocode), 0
    if carry := _carry(operands[-1]):
        base["VCC"] = Value("u", 64, wave.mask_of(carry))
    everywhere = "VGPR[" in code and "laneId" not in code  # says by itself what all lanes do
    for lane in wave.active[:1] if everywhere else wave.active:
        env = {**base, **_sources(text, wave, lane)}
        if "div_scale" in name:  # what it does not scale it hands on
            env["D0"] = pcode.replaced(env, env["D0"], [("type", "b" + name[-2:], None)], env["S0"])
        pcode.run(code, env)
        if masks:
            bit = env["D1"].bits if "D1" in env else env["VCC"].bits >> (0 if "div_scale" in name else lane)
            out |= (bit & 1) << lane
        if operands[0].startswith("s"):
            wave.set_scalar(operands[0], env["D0"].bits, 1)
        elif "VGPR[" not in code or re.search(r"^D0\.", code, re.MULTILINE):
            wave.put_vector(16, lane, env["D0"])
        if re.search(r"^S0\.\w+ =", code, re.MULTILINE):  # a swap
            wave.put_vector(4, lane, env["S0"])
    if masks:
        wave.set_scalar(masks[0], out, wave.words)
    return None


def _sources(text: str, wave: Wave, lane: int) -> Env:
    env: Env = {"laneId": Value("u", 32, lane), "laneID": Value("u", 32, lane), "VGPR": Registers(wave.vectors)}
    env |= {f"S{number}": wave.vector(4 + 4 * number, lane) for number in range(3)}
    name = text.split()[0]
    scalars = {
        "readlane": {"S1": "s22"},
        "permlane": {"S1": "s20", "S2": "s22"},
        "writelane": {"S0": "s20", "S1": "s22"},
    }
    for part, slots in scalars.items():
        if part in name and "first" not in name and "permlane64" not in name:
            env |= {slot: Value("b", 32, wave.scalars[register]) for slot, register in slots.items()}
    literal = _literal(text)
    if literal is not None:
        env |= {"SIMM32": Value("b", 32, literal), "SIMM16": Value("b", 16, literal & 0xFFFF)}
        if "writelane" in name:
            env["S1"] = Value("b", 32, literal)
    if name.startswith("v_s_"):
        env["S0"] = Value("b", 32, wave.scalars["s20"])
    env["S"] = [Value("b", 32, env[f"S{n}"].bits & 0xFFFFFFFF) for n in range(3)]
    env["D0"] = wave.vector(16, lane)
    if M0_NUMBERS.match(name):
        env |= {"M0": Value("u", 32, 1), "DST": Value("u", 32, 16)}
    return env


def _carry(last: str) -> str:
    """The mask that an instruction reads."""
    return "vcc" if last in ("vcc", "vcc_lo") else "s44" if last in ("s44", "s[44:45]") else ""


def _compare(text: str, pseudocode: Pseudocode, code: str, wave: Wave) -> None:
    """Lanes that are off get zero, in the mask and in EXEC."""
    base = _environment(wave, pseudocode) | {"D0": Value("u", 64, 0)}
    changes_exec = "v_cmpx" in text
    if changes_exec:
        base["EXEC"] = Value("u", 64, 0)
    for lane in wave.active:
        env = {**base, **_sources(text, wave, lane), "D0": base["D0"]}
        pcode.run(code, env)
        base["D0"], base["EXEC"] = env["D0"], env["EXEC"]
    target = _operands(text)[0]
    if target in ("vcc", "vcc_lo", "s42", "s[42:43]"):
        wave.set_scalar(target, base["D0"].bits, wave.words)
    if changes_exec:
        wave.set_scalar("exec", base["EXEC"].bits, wave.words)


# --- the scalar unit ------------------------------------------------------------------------


def scalar(text: str, pseudocode: Pseudocode, code: str, wave: Wave) -> None:
    env, operands = _environment(wave, pseudocode), _operands(text)
    env |= {
        "S0": Value("b", 64, wave.pair("s20")),
        "S1": Value("b", 64, wave.pair("s24")),
        "D0": Value("b", 64, wave.pair("s42")),
    }
    if M0_NUMBERS.match(text):
        env |= {"M0": Value("u", 32, 1), "SRC0": Value("u", 32, 20), "DST": Value("u", 32, 42)}
        env["SGPR"] = Scalars(wave.scalars)
    literal = _literal(text)
    if literal is not None:
        env["SIMM16"], env["SIMM32"] = Value("b", 16, literal & 0xFFFF), Value("b", 32, literal)
    if literal is not None and "fmaak" not in text and "fmamk" not in text:
        # An instruction with a constant in it names it now so, now so.
        env |= {"S0": env["D0"], "S1": env["SIMM16"]} if "cmpk" in text else {"S0": env["SIMM16"], "S1": env["SIMM16"]}
    pcode.run(code, env)
    if operands[0] in ("s42", "s[42:43]") and not re.search(r"^SGPR", code, re.MULTILINE):
        wave.set_scalar("s42", env["D0"].bits)
    wave.scalars["scc"] = env["SCC"].bits & 1
    wave.set_scalar("exec", env["EXEC"].bits)


# --- memory ---------------------------------------------------------------------------------


def memory(text: str, pseudocode: Pseudocode, code: str, wave: Wave) -> None:
    """Lane after lane: their addresses are apart from one another."""
    assert wave.memory is not None
    name, base = (
        text.split()[0],
        _environment(wave, pseudocode) | {"MEM": Bytes(wave.memory), "OFFSET": Value("u", 32, 0)},
    )
    offsets = {key: int(value) for key, value in re.findall(r"(offset[01]?):(\d+)", text)}
    base |= {f"OFFSET{n}": Value("u", 32, offsets.get(f"offset{n}", 0)) for n in (0, 1)}
    if "addtid" in name:  # the offset as it stands in the instruction; M0 is what the case sets
        base |= {f"OFFSET{n}": Value("u", 8, offsets["offset"] >> 8 * n & 255) for n in (0, 1)}
        base |= {
            "M0": Value("u", 32, ADDED),
            "SGPR_ADDR": Value("u", 64, 0),
            "INST_OFFSET": Value("u", 32, offsets["offset"]),
        }
    base["LDS"] = base["MEM"]
    if name.startswith("s_"):
        start = int(_operands(text)[2].split()[0], 0) if not _operands(text)[2].startswith("s") else wave.scalars["s24"]
        _scalar_memory(text, code, wave, base, start)
        return
    is_buffer = name.startswith("buffer_")
    data_register = 16 if name == "global_store_addtid_b32" else 8
    quiet = "_atomic_" in name and not re.search(r" (sc0|glc|th:TH_ATOMIC_RETURN)$", text)
    target = (
        None
        if quiet
        else 8
        if is_buffer
        else None
        if data_register == 16
        else 16
        if _operands(text)[0].startswith(("v16", "v[16"))
        else None
    )
    for lane in wave.active:
        address = wave.vector(4, lane).bits + offsets.get("offset", 0) + (8 if is_buffer else 0) & 0xFFFFFFFF
        data = wave.vector(data_register, lane)
        old = wave.vector(target, lane) if target else data
        env = {**base, "laneId": Value("u", 32, lane), "laneID": Value("u", 32, lane), "ADDR": Value("u", 32, address)}
        env |= {
            "VADDR": env["ADDR"],
            "ADDR_BASE": env["ADDR"],
            "DATA": data,
            "DATA0": data,
            "DATA1": wave.vector(12, lane),
            "S0": env["ADDR"],
            "S1": data,
        }
        env |= {"DATA2": wave.vector(12, lane), "RETURN_DATA": old, "VDATA": old}
        env |= dict.fromkeys(("vgpr_a", "v_addr"), env["ADDR"])
        env |= dict.fromkeys(("sgpr_o", "s_saddr", "flat_scratch", "offset"), env["OFFSET"])
        env |= {"SADDR": env["OFFSET"], "SRSRC": env["OFFSET"], "SOFFSET": env["OFFSET"]}
        pcode.run(code, env)
        if target:
            wave.put_vector(target, lane, env["RETURN_DATA" if "RETURN_DATA" in code else "VDATA"])


def _scalar_memory(text: str, code: str, wave: Wave, base: Env, start: int) -> None:
    """One address for all lanes; s44 and those behind it are loaded or stored."""
    if not re.match(r"s_(buffer_)?load", text):
        wave.scalars |= BEHIND
    data = Value("b", 512, sum(wave.scalars[f"s{44 + n}"] << 32 * n for n in range(4)))
    env = {**base, "ADDR": Value("u", 64, start), "SBASE": Value("u", 64, start), "SOFFSET": base["OFFSET"]}
    env |= {"sgpr_base": env["ADDR"], "offset": base["OFFSET"]}
    env |= {"SDATA": Value("b", 512, 0) if "_load_" in text else data, "DATA": data, "RETURN_DATA": data}
    pcode.run(code, env)
    if "_store_" in text or ("_atomic_" in text and not text.endswith(" glc")):
        return
    result = env["RETURN_DATA" if "_atomic_" in text else "SDATA"].bits
    words = len(re.findall(r"SDATA\[", code)) or (2 if "_x2" in text else 1)
    wave.loaded = [f"s{44 + n}" for n in range(words)]
    for n in range(words):
        wave.scalars[f"s{44 + n}"] = result >> 32 * n & 0xFFFFFFFF


def crossbar(text: str, pseudocode: Pseudocode, code: str, wave: Wave) -> None:
    """ds_permute and ds_bpermute: once for the whole wave."""
    numbers = {"ADDR": 4, "DATA0": 8, "VDST": 16, "OFFSET": int((re.search(r"offset:(\d+)", text) or [0, 0])[1])}
    env = _environment(wave, pseudocode) | {name: Value("u", 32, number) for name, number in numbers.items()}
    pcode.run(code, env | {"VGPR": Registers(wave.vectors), "given": ("OFFSET", "DATA0", "VDST")})


def after(case: Case, inputs: Inputs, pseudocode: Pseudocode, code: str, gfx9: bool) -> list[Wave]:
    """For each group what it leaves."""
    run: Any = (
        crossbar
        if "permute_" in case.text
        else memory
        if case.memory is not None
        else scalar
        if case.text.startswith("s_")
        else vector
    )
    found = []
    for group in range(inputs.vectors.shape[0]):
        wave = Wave(inputs, group, gfx9, None if case.memory is None else case.memory[group])
        run(case.text, pseudocode, code, wave)
        found.append(wave)
    return found
