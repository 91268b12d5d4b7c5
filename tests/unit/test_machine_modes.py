"""Denormal numbers where the mode flushes them, and changes of the mode, beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rewarp import machine
from rewarp.errors import RewarpError

LANES = {"gfx942": 64, "gfx1100": 32}
SMALLEST = np.float32(1.1754944e-38)
_KERNEL = """
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
kernel:
  {load8} s[4:11], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  {load} v4, v1, s[4:5]
  {load} v8, v1, s[6:7]
  {load} v12, v1, s[8:9]
  v_mov_b32_e32 v16, 1.0
{code}
  {store} v1, v16, s[10:11]
  s_endpgm
.amdhsa_kernel kernel
  .amdhsa_kernarg_size 32
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 32
  {mode}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
{arguments}
    .name: kernel
    .symbol: kernel.kd
    .wavefront_size: {lanes}
...
.end_amdgpu_metadata
"""
_ARGUMENTS = "\n".join(
    f"      - .address_space: global\n        .offset: {8 * n}\n        .size: 8\n        .value_kind: global_buffer"
    for n in range(4)
)
FLUSH = ".amdhsa_float_denorm_mode_32 0"


def text(arch: str, code: str, mode: str = FLUSH) -> str:
    new = arch.startswith("gfx11")
    words = {"load": "global_load_b32", "store": "global_store_b32", "load8": "s_load_b256"}
    if not new:
        words = {"load": "global_load_dword", "store": "global_store_dword", "load8": "s_load_dwordx8"}
    return _KERNEL.format(arch=arch, code=code, mode=mode, lanes=LANES[arch], arguments=_ARGUMENTS, **words)


def numbers(lanes: int) -> list[np.ndarray]:
    """Three sources: zeros, denormal numbers, the smallest normal ones and large ones, of both signs, in all combinations."""
    edges = np.array([0.0, 1e-45, 1e-39, 1.17e-38, SMALLEST, 2.4e-38, 1.0, 3e38], np.float32)
    edges = np.concatenate([edges, -edges])
    random = np.random.default_rng(7)
    return [random.choice(edges, lanes).astype(np.float32) for _ in range(3)]


def run(arch: str, code: str, sources: list[np.ndarray], mode: str = FLUSH) -> np.ndarray:
    out = np.zeros(LANES[arch], np.float32)
    machine.load(text(arch, code, mode)).launch("kernel", (1,), (LANES[arch],), (*sources, out))
    return out


def flushed(x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, np.float32)
    return np.where(np.abs(x) < SMALLEST, np.copysign(np.float32(0), x), x)


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return (a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)).astype(np.float32)


WANTED = {
    "v_add_f32_e32 v16, v4, v8": lambda a, b, c: a + b,
    "v_sub_f32_e32 v16, v4, v8": lambda a, b, c: a - b,
    "v_mul_f32_e32 v16, v4, v8": lambda a, b, c: a * b,
    "v_mul_f32_e64 v16, |v4|, -v8": lambda a, b, c: np.abs(a) * -b,
    "v_fma_f32 v16, v4, v8, v12": fma,
    "v_max_f32_e32 v16, v4, v8": np.maximum,
    "v_mul_f32_e32 v16, 0.5, v4": lambda a, b, c: np.float32(0.5) * a,
}


def same(have: np.ndarray, want: np.ndarray) -> bool:
    return bool(np.array_equal(have.view(np.uint32), np.asarray(want, np.float32).view(np.uint32)))


@pytest.mark.parametrize(("arch", "mode"), list(itertools.product(LANES, (0, 1, 2, 3))))
def test_singles_are_flushed_as_the_descriptor_says(arch: str, mode: int) -> None:
    sources = numbers(LANES[arch])
    into = flushed if not mode & 1 else np.asarray
    out_of = flushed if not mode & 2 else np.asarray
    for code, compute in WANTED.items():
        if "max" in code:
            continue  # NumPy does not say which zero is the greater one
        with np.errstate(all="ignore"):
            want = out_of(compute(*(into(one) for one in sources)))
        have = run(arch, code, sources, f".amdhsa_float_denorm_mode_32 {mode}")
        assert np.array_equal(np.isnan(have), np.isnan(want))
        assert same(have[~np.isnan(have)], want[~np.isnan(want)]), code


@pytest.mark.parametrize("arch", LANES)
def test_comparisons_and_conversions_see_flushed_numbers_and_moves_do_not(arch: str) -> None:
    sources = numbers(LANES[arch])
    mask = "vcc" if LANES[arch] == 64 else "vcc_lo"
    less = run(arch, f"v_cmp_lt_f32_e32 {mask}, v4, v8\nv_cndmask_b32_e64 v16, 0, 1.0, {mask}", sources)
    assert same(less, (flushed(sources[0]) < flushed(sources[1])).astype(np.float32))
    assert same(run(arch, "v_mov_b32_e32 v16, v4", sources), sources[0])
    chosen = run(arch, f"v_cmp_class_f32_e64 {mask}, v4, 0x90\nv_cndmask_b32_e64 v16, 0, 1.0, {mask}", sources)
    denormal = (np.abs(sources[0]) < SMALLEST) & (sources[0] != 0)
    assert same(chosen, denormal.astype(np.float32))
    wide = run(arch, "v_cvt_f64_f32_e32 v[18:19], v4\nv_mov_b32_e32 v16, v19", sources)
    assert same(
        wide, flushed(sources[0]).astype(np.float64).view(np.uint64).__rshift__(32).astype(np.uint32).view(np.float32)
    )


def test_packed_singles_and_mixed_ones_are_flushed() -> None:
    sources = numbers(64)
    with np.errstate(all="ignore"):
        product = flushed(flushed(sources[0]) * flushed(sources[1]))
    code = "v_mov_b32_e32 v5, 1.0\nv_mov_b32_e32 v9, 1.0\nv_pk_mul_f32 v[16:17], v[4:5], v[8:9]"
    assert same(run("gfx942", code, sources), product)
    mixed = flushed(fma(flushed(sources[0]), flushed(sources[1]), np.zeros(64, np.float32)))
    assert same(run("gfx942", "v_fma_mix_f32 v16, v4, v8, 0", sources), mixed)


@pytest.mark.parametrize("arch", LANES)
def test_code_that_keeps_denormals_for_a_while(arch: str) -> None:
    """As clang writes a division: kept between two changes of the mode, flushed before and behind them."""
    on, off = ("s_denorm_mode 15", "s_denorm_mode 12") if arch == "gfx1100" else (
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0")  # fmt: skip
    sources = [np.full(LANES[arch], value, np.float32) for value in (1e-39, 0.5, 1.0)]
    half = np.float32(1e-39) * np.float32(0.5)
    assert run(arch, f"{on}\nv_mul_f32_e32 v16, v4, v8\n{off}", sources)[0] == half
    assert run(arch, f"{on}\n{off}\nv_mul_f32_e32 v16, v4, v8", sources)[0] == 0
    read = run(arch, f"{on}\ns_getreg_b32 s20, hwreg(HW_REG_MODE, 4, 4)\n{off}\nv_mov_b32_e32 v16, s20", sources)
    assert read.view(np.uint32)[0] == 15
    read = run(arch, "s_getreg_b32 s20, hwreg(HW_REG_MODE, 4, 4)\nv_mov_b32_e32 v16, s20", sources)
    assert read.view(np.uint32)[0] == 12


@pytest.mark.parametrize("arch", LANES)
def test_output_factors_count_only_where_denormals_go_and_ieee_is_off(arch: str) -> None:
    sources = [np.full(LANES[arch], value, np.float32) for value in (3.0, 0.5, 1.0)]
    code = "v_mul_f32_e64 v16, v4, v8 mul:4"
    assert run(arch, code, sources, FLUSH + "\n.amdhsa_ieee_mode 0")[0] == 6.0
    assert run(arch, code, sources, FLUSH)[0] == 1.5
    assert run(arch, code, sources, ".amdhsa_ieee_mode 0")[0] == 1.5
    assert run(arch, "v_mul_f32_e64 v16, v4, v8 div:2", sources, FLUSH + "\n.amdhsa_ieee_mode 0")[0] == 0.75


@pytest.mark.parametrize(
    ("code", "mode", "why"),
    [
        ("", ".amdhsa_float_round_mode_32 1", "round"),
        ("", ".amdhsa_float_denorm_mode_16_64 0", "16 and 64 bits"),
        ("", ".amdhsa_dx10_clamp 0", "NaN"),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3", "", "rounding"),
        ("s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s2", "", "not supported"),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0", "", "16 and 64 bits"),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\nagain:\ns_cbranch_scc1 again", FLUSH, "code comes here"),
    ],
)
def test_what_is_not_modelled_stops_a_kernel_with_its_reason(code: str, mode: str, why: str) -> None:
    with pytest.raises(RewarpError, match=why):
        run("gfx942", code, numbers(64), mode)
