"""MFMA and SMFMAC of gfx942, all of them, beside NumPy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from machine.matrices import Matrix, prepare, result_place
from rewarp import machine

TABLE = Path(__file__).parents[1] / "machine" / "instructions" / "gfx942.txt"
NAMES = [line.split()[0] for line in TABLE.read_text("utf-8").splitlines() if re.match(r"v_mfma|v_smfmac", line)]
_KERNEL = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
matrix:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
{code}
  s_endpgm
.amdhsa_kernel matrix
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 256
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
    .name: matrix
    .symbol: matrix.kd
    .wavefront_size: 64
...
.end_amdgpu_metadata
"""
# In registers: A from v16, B from v32, the indices of sparse ones v48, C and D from v64.
_ROOM = {"a": 16, "b": 32, "index": 48, "d": 64}


def variants(name: str) -> list[dict[str, int]]:
    """The modifiers that an instruction takes."""
    matrix = Matrix.of(name)
    found: list[dict[str, int]] = [{}]
    if matrix.sparse:
        return [*found, {"abid": 1}, {"cbsz": 1, "abid": 1}]
    if matrix.result == "f64":
        return [*found, {"blgp": 1}, {"blgp": 2}]
    found += [{"cbsz": 1, "abid": 1}] if matrix.blocks > 1 else []
    found += [{"cbsz": 2, "abid": 3}] if matrix.blocks > 2 else []
    takes_groups = matrix.kinds[0] in ("f32", "f16", "bf16", "i8") and matrix.blocks > 1
    return found + [{"blgp": number} for number in range(1, 8)] if takes_groups else found


def wide(first: int, count: int) -> str:
    return f"v[{first}:{first + count - 1}]" if count > 1 else f"v{first}"


def text(name: str, modifiers: dict[str, int]) -> str:
    matrix = Matrix.of(name)
    sizes = {"f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "i8": 8, "fp8": 8, "bf8": 8, "f64": 64}
    held = matrix.depth * matrix.rows * matrix.blocks // 64
    a = held * sizes[matrix.kinds[0]] // 32 // (2 if matrix.sparse else 1)
    b = held * sizes[matrix.kinds[1]] // 32
    d = matrix.rows * matrix.columns * matrix.blocks // 64 * (2 if matrix.result == "f64" else 1)
    last = "v48" if matrix.sparse else wide(64, d)
    shown = "".join(f" {key}:{value}" for key, value in modifiers.items())
    if matrix.result == "f64" and "blgp" in modifiers:
        shown = f" neg:[{modifiers['blgp'] & 1},{modifiers['blgp'] >> 1 & 1},0]"
    return f"{name} {wide(64, d)}, {wide(16, max(a, 1))}, {wide(32, max(b, 1))}, {last}{shown}"


def test_products_and_where_they_lie() -> None:
    random = np.random.default_rng(3)
    cases = [(name, modifiers) for name in NAMES for modifiers in variants(name)]
    prepared = [prepare(Matrix.of(name), random, **modifiers) for name, modifiers in cases]
    inputs = np.zeros((len(cases), 49, 64), np.uint32)
    code: list[str] = []
    for number, ((name, modifiers), given) in enumerate(zip(cases, prepared)):
        for part, first in (("a", 0), ("b", 16), ("index", 32)):
            inputs[number, first : first + 16] = getattr(given, part).words[:, :16].T
        code += _case(number, text(name, modifiers))
    out = np.zeros((len(cases), 64, 64), np.uint32)
    program = machine.load(_KERNEL.format(code="\n".join(code)))
    assert not program.unsupported
    program.launch("matrix", (1,), (64,), (inputs, out))
    wrong = [
        case
        for case, given, found in zip(cases, prepared, out)
        if not _agrees(Matrix.of(case[0]), given.product, found)
    ]
    assert wrong == []


def _case(number: int, instruction: str) -> list[str]:
    lines = [f"s_mov_b32 s8, {number * 49 * 256}", "s_add_u32 s10, s4, s8", "s_addc_u32 s11, s5, 0"]
    lines += [f"s_mov_b32 s8, {number * 64 * 256}", "s_add_u32 s12, s6, s8", "s_addc_u32 s13, s7, 0"]
    for register in range(33):
        if register and register % 8 == 0:
            lines += ["s_add_u32 s10, s10, 2048", "s_addc_u32 s11, s11, 0"]
        lines.append(f"global_load_dword v{16 + register}, v1, s[10:11] offset:{register % 8 * 256}")
    lines += [f"v_mov_b32_e32 v{64 + register}, 0" for register in range(32)]
    lines += ["s_mov_b64 exec, 1", instruction, "s_mov_b64 exec, -1"]  # matrices do not look at EXEC
    for register in range(32):
        if register and register % 8 == 0:
            lines += ["s_add_u32 s12, s12, 2048", "s_addc_u32 s13, s13, 0"]
        lines.append(f"global_store_dword v1, v{64 + register}, s[12:13] offset:{register % 8 * 256}")
    return lines


def _agrees(matrix: Matrix, product: np.ndarray, found: np.ndarray) -> bool:
    for block, row, column in np.ndindex(product.shape):
        lane, register = result_place(matrix, row, column, block)
        words = found[register : register + 2, lane].copy()
        value = {"f32": words[:1].view(np.float32), "i32": words[:1].view(np.int32), "f64": words.view(np.float64)}[
            matrix.result
        ]
        if value[0] != product[block, row, column]:
            return False
    return True
