"""WMMA of gfx1100, all of them, beside NumPy: both halves of a wave hold A and B, and every second row of the result each."""

from __future__ import annotations

import numpy as np
import pytest

from machine.matrices import bits
from rewarp import machine

_KERNEL = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text
matrix:
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
{code}
  s_endpgm
.amdhsa_kernel matrix
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 64
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
    .wavefront_size: 32
...
.end_amdgpu_metadata
"""
CASES = [
    ("v_wmma_f32_16x16x16_f16", "f16", ""), ("v_wmma_f32_16x16x16_bf16", "bf16", ""), ("v_wmma_f16_16x16x16_f16", "f16", ""),
    ("v_wmma_f16_16x16x16_f16", "f16", " op_sel:[0,0,1]"), ("v_wmma_bf16_16x16x16_bf16", "bf16", ""),
    ("v_wmma_bf16_16x16x16_bf16", "bf16", " op_sel:[0,0,1]"), ("v_wmma_i32_16x16x16_iu8", "i8", " neg_lo:[1,1,0]"),
    ("v_wmma_i32_16x16x16_iu8", "u8", ""), ("v_wmma_i32_16x16x16_iu4", "i4", " neg_lo:[1,1,0]"),
    ("v_wmma_i32_16x16x16_iu4", "u4", ""),
]  # fmt: skip
_WIDTHS = {"f16": 16, "bf16": 16, "i8": 8, "u8": 8, "i4": 4, "u4": 4}


def held(kind: str, rows: np.ndarray) -> np.ndarray:
    """Registers (8 of them), lanes: a row of 16 numbers in a lane and in the lane 16 further."""
    width = _WIDTHS[kind]
    words = np.zeros((8, 32), np.uint32)
    for lane in range(32):
        for k, number in enumerate(rows[lane % 16].tolist()):
            value = number & ((1 << width) - 1) if kind[0] in "iu" else bits(kind, number)
            words[k * width // 32, lane] |= np.uint32(value << k * width % 32)
    return words


@pytest.mark.parametrize(("name", "kind", "modifiers"), CASES)
def test_products_and_where_they_lie(name: str, kind: str, modifiers: str) -> None:
    random = np.random.default_rng(4)
    low, high = (0, 8) if kind[0] == "u" else (-2, 3)
    a, b = random.integers(low, high, (16, 16)), random.integers(low, high, (16, 16))
    inputs, out = np.concatenate([held(kind, a), held(kind, b.T)]), np.zeros((8, 32), np.uint32)
    count = _WIDTHS[kind] // 2
    wide = [f"v[{first}:{first + count - 1}]" for first in (8, 16)]
    code = [f"global_load_b32 v{8 + n}, v1, s[4:5] offset:{n * 128}" for n in range(16)]
    code += [f"v_mov_b32_e32 v{32 + n}, 0" for n in range(8)]
    code += [f"{name} v[32:39], {wide[0]}, {wide[1]}, v[32:39]{modifiers}"]
    code += [f"global_store_b32 v1, v{32 + n}, s[6:7] offset:{n * 128}" for n in range(8)]
    machine.load(_KERNEL.format(code="\n".join(code))).launch("matrix", (1,), (32,), (inputs, out))
    product = np.zeros((16, 16), np.int64)
    result = name.split("_")[2]
    shift = 16 if "op_sel" in modifiers else 0
    for register, lane in np.ndindex(8, 32):
        word = int(out[register, lane]) >> shift
        form = {"f32": np.float32, "i32": np.int32, "f16": np.float16, "bf16": np.float32}[result]
        raw = (
            np.uint16(word & 0xFFFF)
            if result == "f16"
            else np.uint32(word << 16 & 0xFFFFFFFF if result == "bf16" else word)
        )
        product[2 * register + lane // 16, lane % 16] = raw.view(form)
    assert np.array_equal(product, a @ b)
