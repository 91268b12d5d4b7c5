"""Functions that cards approximate: near the exact result, and moved within the bounds where that is asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rewarp import machine
from rewarp.machine.accuracy import BOUNDS

_TEXT = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
functions:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, {shift}, v0
  global_load_dword{wide} {source}, v1, s[4:5]
  {name}_e32 {target}, {source}
  global_store_dword{wide} v1, {target}, s[6:7]
  s_endpgm
.amdhsa_kernel functions
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
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
    .name: functions
    .symbol: functions.kd
...
.end_amdgpu_metadata
"""
_EXACT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.exp2, "log": np.log2, "rcp": np.reciprocal, "rsq": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt,
    "sin": lambda x: np.sin(2 * np.pi * x), "cos": lambda x: np.cos(2 * np.pi * x),
}  # fmt: skip


def results(name: str, perturb: int | None) -> tuple[np.ndarray, np.ndarray]:
    """What the instruction makes of 64 numbers, and what is exact."""
    form = np.float64 if name.endswith("64") else np.float32
    wide = form is np.float64
    given = (np.random.default_rng(1).random(64) * 8 + 0.01).astype(form)
    names = {"source": "v[2:3]", "target": "v[4:5]"} if wide else {"source": "v2", "target": "v4"}
    text = _TEXT.format(name=name, shift=3 if wide else 2, wide="x2" if wide else "", **names)
    out = np.zeros(64, form)
    machine.load(text, perturb=perturb).launch("functions", (1,), (64,), (given, out))
    return out, _EXACT[name.split("_")[1]](given.astype(np.float64))


@pytest.mark.parametrize("name", [name for name in BOUNDS if name.count("_") == 2 and not name.endswith("f16")])
def test_results_stay_within_their_bound(name: str) -> None:
    bound = BOUNDS[name]
    plain, exact = results(name, None)
    width = np.abs(np.spacing(exact.astype(plain.dtype))).astype(np.float64)
    room = 2.0**bound.power if bound.power else bound.units * width
    assert (np.abs(plain - exact) <= width).all()
    moved, _ = results(name, 7)
    assert (moved != plain).any()
    assert (np.abs(moved.astype(np.float64) - plain.astype(np.float64)) <= room * 1.01).all()
    again, _ = results(name, 7)
    assert np.array_equal(moved, again)
    assert not np.array_equal(moved, results(name, 8)[0])
