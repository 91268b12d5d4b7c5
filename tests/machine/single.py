"""Single instructions on the machine: registers in, one instruction, registers out. Many of them in one program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rewarp import machine

GROUPS = {64: 3, 32: 6}
"""So many workgroups of one wave, each with inputs of its own."""
SOURCES = range(4, 16)
"""v4 to v15: four registers for each of three operands."""
TARGET = range(16, 20)
LOADED = range(4, 20)
SCALARS = ("s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s42", "s43", "s44", "s45", "vcc_lo", "vcc_hi")
"""What is set before the instruction, besides EXEC, SCC and M0, which follow."""
SAVED = ("scc", "exec_lo", "exec_hi", "vcc_lo", "vcc_hi", "s42", "s43", "s20", "s21", *(f"s{n}" for n in range(44, 60)))
ADDED = 64
"""M0, for instructions that take an address from it."""
M0_ADDS = re.compile(r"_addtid_|ds_append|ds_consume|_lds_")
M0_NUMBERS = re.compile(r"[sv]_(movrel|swaprel)")
"""Instructions that add M0 to the number of a register: one, so that they stay among those that are looked at."""
BEHIND = {"s46": 0x2345, "s47": 0x80000001}
"""What scalar instructions store of, behind s44 and s45."""
MEMORY = 16384
"""Bytes for each workgroup of an instruction that touches memory."""


@dataclass
class Inputs:
    """Registers of all lanes of all groups."""

    vectors: np.ndarray
    """Groups, registers (v4 to v19), lanes."""
    scalars: np.ndarray
    """Groups, then SCALARS, EXEC, SCC and M0."""

    @property
    def lanes(self) -> int:
        return int(self.vectors.shape[2])


@dataclass
class Case:
    """One instruction, and what it begins with."""

    text: str
    inputs: int
    """Which of the inputs."""
    memory: np.ndarray | None = None
    """Bytes for each group, where it touches memory: global memory or LDS."""
    space: str = ""
    """``global``: s[20:21] is where the memory lies; ``flat``: v[4:5] too; ``lds``."""


@dataclass
class After:
    vectors: np.ndarray
    """Groups, registers (v4 to v19), lanes."""
    scalars: dict[str, np.ndarray] = field(default_factory=dict)
    memory: np.ndarray | None = None


def after(arch: str, cases: Sequence[Case], inputs: Sequence[Inputs]) -> list[After]:
    """What each instruction leaves."""
    lanes = 64 if arch.startswith("gfx9") else 32
    groups = GROUPS[lanes]
    program = machine.load(_Assembly(arch, lanes).text(cases))
    assert not program.unsupported, next(iter(program.unsupported.values()))
    vectors = np.stack([one.vectors for one in inputs]).astype(np.uint32)
    scalars = np.zeros((len(inputs), groups, 32), np.uint32)
    for number, one in enumerate(inputs):
        scalars[number, :, : one.scalars.shape[1]] = one.scalars
    out = np.zeros((len(cases), groups, len(LOADED) + len(SAVED), lanes), np.uint32)
    memory = np.zeros((len(cases), groups, MEMORY), np.uint8)
    for number, case in enumerate(cases):
        if case.memory is not None:
            memory[number] = case.memory
    program.launch("single", (groups,), (lanes,), (vectors, scalars, out, memory), dynamic_lds=MEMORY)
    found = []
    for number, case in enumerate(cases):
        kept = {name: out[number, :, len(LOADED) + n, 0] for n, name in enumerate(SAVED)}
        found.append(After(out[number, :, : len(LOADED)], kept, memory[number] if case.memory is not None else None))
    return found


class _Assembly:
    def __init__(self, arch: str, lanes: int) -> None:
        self._arch, self._lanes = arch, lanes
        gfx9 = arch.startswith("gfx9")
        self._load, self._store = (
            ("global_load_dword", "global_store_dword") if gfx9 else ("global_load_b32", "global_store_b32")
        )
        self._read, self._write = ("ds_read_b32", "ds_write_b32") if gfx9 else ("ds_load_b32", "ds_store_b32")
        self._scalar = "s_load_dword" if gfx9 else "s_load_b32"
        self._exec, self._size = ("exec", "b64") if lanes == 64 else ("exec_lo", "b32")

    def text(self, cases: Sequence[Case]) -> str:
        lines = [f'.amdgcn_target "amdgcn-amd-amdhsa--{self._arch}"', ".text", "single:", *self._start()]
        for case in cases:
            lines += self._case(case)
        lines += ["s_endpgm", *self._prepare(), *self._keep(), *self._lds("fill"), *self._lds("drain")]
        return "\n".join([*lines, *_DESCRIPTION.format(lanes=self._lanes).splitlines()])

    def _start(self) -> list[str]:
        """Arguments: s[80:81] vectors, s[82:83] scalars, s[84:85] results, s[86:87] memory, each at this group's part."""
        lines = [f"{self._scalar}{'x8' if self._scalar.endswith('dword') else ''} s[80:87], s[0:1], 0x0"]
        lines = lines if self._scalar.endswith("dword") else ["s_load_b256 s[80:87], s[0:1], 0x0"]
        groups = GROUPS[self._lanes]
        self._vector_bytes = 4 * len(LOADED) * self._lanes
        results = 4 * (len(LOADED) + len(SAVED)) * self._lanes
        for at, step in ((80, self._vector_bytes), (82, 128), (84, results), (86, MEMORY)):
            lines += [f"s_mul_i32 s3, s2, {step}", f"s_add_u32 s{at}, s{at}, s3", f"s_addc_u32 s{at + 1}, s{at + 1}, 0"]
        self._steps = {82: 128 * groups, 80: self._vector_bytes * groups, 84: results * groups, 86: MEMORY * groups}
        return [*lines, "v_lshlrev_b32_e32 v1, 2, v0"]

    def _case(self, case: Case) -> list[str]:
        lines = [f"s_mov_b32 s90, {case.inputs * self._steps[80]}", f"s_mov_b32 s91, {case.inputs * self._steps[82]}"]
        if case.space == "lds":
            lines.append("s_call_b64 s[92:93], fill")
        lines.append("s_call_b64 s[92:93], prepare")
        if case.space in ("global", "flat", "buffer"):
            lines += ["s_mov_b32 s20, s86", "s_mov_b32 s21, s87"]
        if case.space == "buffer":
            lines += [f"s_mov_b32 s22, {MEMORY}", "s_mov_b32 s23, 0", "s_mov_b32 s24, 8"]
        if case.space == "flat":
            lines += self._flat_address()
        if re.match(r"s_(buffer_)?(store|atomic)", case.text):
            lines += [f"s_mov_b32 {name}, {value:#x}" for name, value in BEHIND.items()]
        if M0_ADDS.search(case.text):
            lines.append(f"s_mov_b32 m0, {ADDED}")
        if M0_NUMBERS.match(case.text):
            lines.append("s_mov_b32 m0, 1")
        lines += [*self._on(), case.text, "s_call_b64 s[92:93], keep"]
        if case.space == "lds":
            lines.append("s_call_b64 s[92:93], drain")
        for at in (84, 86):
            lines += [f"s_add_u32 s{at}, s{at}, {self._steps[at]}", f"s_addc_u32 s{at + 1}, s{at + 1}, 0"]
        return lines

    def _flat_address(self) -> list[str]:
        mask = "vcc" if self._lanes == 64 else "vcc_lo"
        add = (
            ("v_add_co_u32_e32", "v_addc_co_u32_e32") if self._lanes == 64 else ("v_add_co_u32", "v_add_co_ci_u32_e32")
        )
        return [
            "v_mov_b32_e32 v5, s21",
            f"{add[0]} v4, {mask}, s20, v4",
            f"{add[1]} v5, {mask}, 0, v5, {mask}",
        ]

    def _on(self) -> list[str]:
        """SCC and EXEC last: what sets the others needs them."""
        return ["s_cmp_lg_u32 s96, 0", "s_mov_b32 exec_lo, s94", "s_mov_b32 exec_hi, s95"]

    def _prepare(self) -> list[str]:
        lines = ["prepare:", f"s_mov_{self._size} {self._exec}, -1"]
        lines += [
            "s_add_u32 s98, s80, s90",
            "s_addc_u32 s99, s81, 0",
            "s_add_u32 s100, s82, s91",
            "s_addc_u32 s101, s83, 0",
        ]
        for number, register in enumerate(LOADED):
            offset = 4 * number * self._lanes  # too far for the field of an instruction: by steps
            if offset and offset % 2048 == 0:
                lines += ["s_add_u32 s98, s98, 2048", "s_addc_u32 s99, s99, 0"]
            lines.append(f"{self._load} v{register}, v1, s[98:99] offset:{offset % 2048}")
        for number, register in enumerate((*SCALARS, "s94", "s95", "s96", "m0")):
            lines.append(f"{self._scalar} {register}, s[100:101], {4 * number}")
        return [*lines, "s_setpc_b64 s[92:93]"]

    def _keep(self) -> list[str]:
        lines = ["keep:", "s_cselect_b32 s90, 1, 0", "s_mov_b32 s94, exec_lo", "s_mov_b32 s95, exec_hi"]
        lines += [f"s_mov_{self._size} {self._exec}, -1", "s_mov_b32 s98, s84", "s_mov_b32 s99, s85"]
        sources = [f"v{register}" for register in LOADED]
        sources += [{"scc": "s90", "exec_lo": "s94", "exec_hi": "s95"}.get(name, name) for name in SAVED]
        for number, source in enumerate(sources):
            offset = 4 * number * self._lanes
            if offset and offset % 2048 == 0:
                lines += ["s_add_u32 s98, s98, 2048", "s_addc_u32 s99, s99, 0"]
            if not source.startswith("v") or source.startswith("vcc"):
                lines.append(f"v_mov_b32_e32 v2, {source}")
                source = "v2"
            lines.append(f"{self._store} v1, {source}, s[98:99] offset:{offset % 2048}")
        return [*lines, "s_setpc_b64 s[92:93]"]

    def _lds(self, name: str) -> list[str]:
        """Copies memory to LDS, or back."""
        copy = [f"{self._load} v3, v2, s[86:87]", f"{self._write} v2, v3"]
        if name == "drain":
            copy = [f"{self._read} v3, v2", f"{self._store} v2, v3, s[86:87]"]
        step = 4 * self._lanes
        return [
            f"{name}:", f"s_mov_{self._size} {self._exec}, -1", "v_mov_b32_e32 v2, v1", "s_mov_b32 s97, 0", f"{name}_again:",
            *copy, f"v_add_{'nc_' if self._lanes == 32 else ''}u32_e32 v2, {step}, v2", f"s_add_u32 s97, s97, {step}",
            f"s_cmp_lt_u32 s97, {MEMORY}", f"s_cbranch_scc1 {name}_again", "s_setpc_b64 s[92:93]",
        ]  # fmt: skip


_DESCRIPTION = """
.amdhsa_kernel single
  .amdhsa_kernarg_size 32
  .amdhsa_private_segment_fixed_size 256
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 160
  .amdhsa_next_free_sgpr 104
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 8
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 16
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 24
        .size: 8
        .value_kind: global_buffer
    .name: single
    .symbol: single.kd
    .wavefront_size: {lanes}
...
.end_amdgpu_metadata
"""
