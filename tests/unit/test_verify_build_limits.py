"""Occupancy: the same figures as clang's, and what keeps it down."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.toolchain import DEFAULT_ARCHES, KernelResources, wave_size
from rewarp.verify.build.limits import all_limits, limits_of, occupancy


def kernel(arch: str, **figures: int) -> KernelResources:
    plain = KernelResources(
        symbol="_Z1kv",
        name="k()",
        vgprs=8,
        agprs=None,
        sgprs=16,
        lds_bytes=0,
        scratch_bytes=0,
        vgpr_spills=0,
        sgpr_spills=0,
        max_workgroup=1024,
        wave_size=wave_size(arch),
        uses_dynamic_stack=False,
        kernarg_bytes=8,
    )
    return replace(plain, **figures)


def waves(arch: str, block: int | None = None, **figures: int) -> tuple[int, str]:
    limits = limits_of(arch)
    assert limits
    found = occupancy(kernel(arch, **figures), limits, block)
    return found.waves, found.limiter


@pytest.mark.parametrize(
    ("arch", "figures", "expected"),
    [
        # What clang 22 prints as "Occupancy" for kernels with these figures.
        ("gfx900", {"lds_bytes": 48000}, (4, "LDS")),
        ("gfx90a", {}, (8, "")),
        ("gfx90a", {"lds_bytes": 48000}, (4, "LDS")),
        ("gfx90a", {"lds_bytes": 48000, "max_workgroup": 256}, (1, "LDS")),
        ("gfx942", {"lds_bytes": 48000, "max_workgroup": 256}, (1, "LDS")),
        ("gfx950", {"lds_bytes": 48000}, (8, "")),
        ("gfx950", {"lds_bytes": 48000, "max_workgroup": 256}, (3, "LDS")),
        ("gfx1100", {"lds_bytes": 48000}, (16, "")),
        ("gfx1100", {"lds_bytes": 48000, "max_workgroup": 256}, (4, "LDS")),
        ("gfx1201", {"lds_bytes": 48000, "max_workgroup": 256}, (4, "LDS")),
        ("gfx90a", {"vgprs": 64}, (8, "")),
        ("gfx90a", {"vgprs": 65}, (7, "VGPRs")),
        ("gfx942", {"vgprs": 128}, (4, "VGPRs")),
        ("gfx942", {"vgprs": 129}, (3, "VGPRs")),
        ("gfx942", {"vgprs": 512}, (1, "VGPRs")),
        ("gfx906", {"vgprs": 24}, (10, "")),
        ("gfx906", {"vgprs": 25}, (9, "VGPRs")),
        ("gfx1100", {"vgprs": 96}, (16, "")),
        ("gfx1100", {"vgprs": 97}, (12, "VGPRs")),
        ("gfx1100", {"vgprs": 256}, (5, "VGPRs")),
        ("gfx1030", {"vgprs": 64}, (16, "")),
        ("gfx1030", {"vgprs": 65}, (12, "VGPRs")),
        ("gfx942", {"sgprs": 100}, (8, "")),
        ("gfx942", {"sgprs": 101}, (7, "SGPRs")),
        ("gfx900", {"sgprs": 88}, (9, "SGPRs")),
        ("gfx1100", {"sgprs": 106}, (16, "")),
    ],
)
def test_same_as_clang(arch: str, figures: dict[str, int], expected: tuple[int, str]) -> None:
    assert waves(arch, **figures) == expected


def test_a_block_size_narrows_it() -> None:
    # 32 wave slots hold two blocks of 13 waves: 26 waves on four SIMDs.
    assert waves("gfx942", 832) == (7, "block size")
    assert waves("gfx942", 256) == (8, "")
    # One wave a block needs no barrier, so the 16 barriers do not matter; two do.
    assert waves("gfx90a", 64) == (8, "")


def test_dynamic_lds_counts() -> None:
    limits = limits_of("gfx942")
    assert limits
    assert occupancy(kernel("gfx942"), limits, 256, dynamic_lds=32768).waves == 2
    assert occupancy(kernel("gfx942"), limits, 256).waves == 8


def test_a_wave_of_64_on_rdna_takes_two_lanes() -> None:
    assert waves("gfx1100", vgprs=96, wave_size=64) == (8, "VGPRs")


def test_features_of_an_architecture_make_no_difference() -> None:
    assert limits_of("gfx90a:sramecc+:xnack-") == limits_of("gfx90a")
    assert limits_of("gfx777") is None


def test_the_table_knows_what_is_compiled_for() -> None:
    assert set(DEFAULT_ARCHES) <= set(all_limits())
    for limits in all_limits().values():
        assert limits.wave_size == wave_size(limits.arch)
        assert limits.source
        assert limits.lds_per_block <= limits.lds_bytes


@given(
    st.sampled_from(sorted(all_limits())),
    st.integers(1, 512),
    st.integers(1, 108),
    st.integers(0, 65536),
    st.integers(1, 1024),
)
def test_more_of_anything_never_fits_better(arch: str, vgprs: int, sgprs: int, lds: int, block: int) -> None:
    limits = limits_of(arch)
    assert limits
    base = kernel(arch, vgprs=vgprs, sgprs=sgprs, lds_bytes=lds)
    found = occupancy(base, limits, block)
    assert 1 <= found.waves <= found.most == limits.waves_per_simd
    assert bool(found.limiter) == (found.waves < found.most)
    for more in ({"vgprs": vgprs + 8}, {"sgprs": sgprs + 16}, {"lds_bytes": lds + 512}):
        assert occupancy(replace(base, **more), limits, block).waves <= found.waves
    assert occupancy(base, limits).waves >= found.waves or block > 1024
