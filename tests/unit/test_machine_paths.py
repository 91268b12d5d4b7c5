"""Ways through memory that are an architecture's own: scratch through a buffer, loads that go straight to LDS."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rewarp import machine
from rewarp.machine.watch import Watch

_SOURCE = """
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) float chosen(const float *from, const int *which) {
  float kept[24];
  for (int n = 0; n < 24; n++) kept[n] = from[n] * 2;
  float sum = 0;
  for (int n = 0; n < 24; n++) sum += kept[which[n] & 15] * n;
  return sum;
}
__global__ void scratch(const float *a, const int *which, float *out) {
  float kept[40];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int n = 0; n < 40; n++) kept[n] = a[n * gridDim.x * blockDim.x + i];
  float sum = 0;
  for (int n = 0; n < 40; n++) sum += kept[which[n]] * n;
  out[i] = sum + chosen(kept, which);
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("paths") / "scratch.hip"
    file.write_text(_SOURCE)
    return file


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
@pytest.mark.parametrize("watched", [False, True])
def test_scratch_is_each_lanes_own(arch: str, watched: bool, source: Path) -> None:
    program = machine.compile_source(source, arch)
    random = np.random.default_rng(3)
    a = random.integers(-8, 8, (40, 256)).astype(np.float32)
    which = random.integers(0, 40, 40).astype(np.int32)
    out = np.zeros(256, np.float32)
    name = next(iter(program.program.kernels))
    watch = Watch() if watched else None
    program.launch(name, (2,), (128,), (a, which, out), watch=watch)
    weights = np.arange(40, dtype=np.float32)
    want = (a[which] * weights[:, None]).sum(0) + (2 * a[which[:24] & 15] * weights[:24, None]).sum(0)
    assert np.array_equal(out, want)
    assert watch is None or watch.alarms == []


_TO_LDS = """
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
kernel:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, {power}, v0
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_mov_b32 s10, 4096
  s_mov_b32 s11, 0
  s_mov_b32 m0, 64
  {load}
  s_waitcnt vmcnt(0)
  ds_read_b{bits} v[{first}:{last}], v1 offset:80
  s_waitcnt lgkmcnt(0)
  global_store_{form} v1, v[{first}:{last}], s[6:7]
  s_endpgm
.amdhsa_kernel kernel
  .amdhsa_group_segment_fixed_size 2048
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 32
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
    .name: kernel
    .symbol: kernel.kd
    .wavefront_size: 64
...
.end_amdgpu_metadata
"""


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(
    ("arch", "load", "words"),
    [
        ("gfx942", "global_load_lds_dword v1, s[4:5] offset:16", 1),
        ("gfx942", "buffer_load_dword v1, s[8:11], 0 offen offset:16 lds", 1),
        ("gfx950", "global_load_lds_dwordx4 v1, s[4:5] offset:16", 4),
        ("gfx950", "buffer_load_dwordx4 v1, s[8:11], 0 offen offset:16 lds", 4),
    ],
)
def test_loads_that_go_to_lds_lie_there_lane_by_lane(arch: str, load: str, words: int, watched: bool) -> None:
    """M0 and the offset say where: 64 + 16."""
    text = _TO_LDS.format(
        arch=arch, load=load, power={1: 2, 4: 4}[words], bits=32 * words, first=4, last=3 + words,
        form="dword" if words == 1 else "dwordx4",
    )  # fmt: skip
    given = np.arange(1024, dtype=np.uint32) * 7
    out = np.zeros(64 * words, np.uint32)
    watch = Watch() if watched else None
    machine.load(text).launch("kernel", (1,), (64,), (given, out), watch=watch)
    assert np.array_equal(out, given[4 : 4 + 64 * words])
    assert watch is None or watch.alarms == []
