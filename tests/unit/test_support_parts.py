"""A project gets the parts of the support header that it uses, with all that they rest on."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.translation.support import is_support_header, support_for, support_header, waves_header_for
from rewarp.translation.support.parts import parts_of, read_parts, used_parts

WHOLE = support_header().decode()
NAMESPACES = "rewarp rewarp_ptx cooperative_groups nvcuda wmma precision fragments half bf16 of_std"
"""Without them the names that lie there mean something else."""
hip = lru_cache(maxsize=1)(toolchain.find)


def names() -> list[str]:
    return sorted({name for part in parts_of(read_parts(WHOLE)) for name in part.declares if name != "operator"})


def compiles(folder: Path, text: str) -> list[str]:
    folder.joinpath("rewarp_hip.h").write_text(text)
    source = folder / "unit.hip"
    source.write_text('#include "rewarp_hip.h"\n__global__ void k(int* x) { *x = 1; }\n')
    done = hip().compile_device(source, "gfx942", options=[f"-I{folder}"], level="syntax")
    return [str(error) for error in done.errors]


def test_what_nobody_uses_is_not_there() -> None:
    text = used_parts(WHOLE, [b"int main() {}"])
    assert len(text.splitlines()) < 60
    assert "__vabs" not in text
    assert "hip/hip_runtime.h" in text


@pytest.mark.parametrize(
    ("used", "needed", "not_needed"),
    [
        ("__vabs2(x)", ["each_lane", "REWARP_SIMD_UNARY(__vabs,", "#define REWARP_SIMD1"], ["__vavgs", "from_lane"]),
        ("__vcmpeq4(a, b)", ["REWARP_SIMD_COMPARE(UNSIGNED, eq", "#define REWARP_SIMD_UNSIGNED"], ["rewarp_shfl"]),
        ("__shfl_xor_sync(m, v, 1)", ["shfl_xor_lane", "from_lane", "struct Words"], ["__vabs", "each_lane"]),
        ("rewarp_ptx::shf_l_wrap(a, b, c)", ["shf_l_wrap"], ["lop3"]),
        ("shf_l_wrap(a, b, c); load(x); add(a, b)", [], ["namespace rewarp_ptx"]),
        ("auto r = cooperative_groups::reduce(g, v, f);", ["group_reduce"], ["namespace rewarp_ptx"]),
        ("auto r = reduce(v, less());", [], ["group_reduce", "namespace cooperative_groups"]),
        ("if (MY == REWARP_CUDA_ARCH) {}", ["#define REWARP_CUDA_ARCH 899", "#define REWARP_CUDA_ARCH 0"], ["__ldg"]),
        ("cudaErrorNotPermitted", ["#define cudaErrorNotPermitted"], ["cudaErrorTooManyPeers"]),
    ],
)  # fmt: skip
def test_what_is_used_brings_what_it_rests_on(used: str, needed: list[str], not_needed: list[str]) -> None:
    text = used_parts(WHOLE, [used.encode()])
    assert [word for word in needed if word not in text] == []
    assert [word for word in not_needed if word in text] == []


def test_names_that_a_source_pastes_together_count() -> None:
    assert "REWARP_SIMD_UNARY(__vabs," in used_parts(WHOLE, [b"#define F(n) __vabs##n(x)"])


def test_with_every_name_nothing_is_lost() -> None:
    text = used_parts(WHOLE, [" ".join([NAMESPACES, *names()]).encode()])
    code = [line for line in WHOLE.splitlines() if line.strip() and not line.startswith("//")]
    kept = set(text.splitlines())
    lost = [line for line in code if line not in kept]
    assert [line for line in lost if "PORTABLE_ONLY" not in line and line != "namespace rewarp {"] == []


def test_parts_are_told_from_what_somebody_changed() -> None:
    some = support_for([b"__vabs2"])
    assert is_support_header(some)
    assert is_support_header(support_header())
    assert not is_support_header(some.replace(b"return", b"retrun", 1))
    assert not is_support_header(b"#pragma once\n")
    assert not is_support_header(b"\xff\xfe")


def test_what_an_earlier_run_needed_stays() -> None:
    first = support_for([b"__vabs2"])
    both = support_for([b"__shfl_xor_sync"], first)
    assert b"__vabs" in both
    assert b"__shfl_xor_sync" in both
    assert support_for([b"__shfl_xor_sync"], b"int mine;") == support_for([b"__shfl_xor_sync"])


def test_a_second_run_changes_nothing() -> None:
    for name in names()[::7]:
        source = f"{name} {NAMESPACES}".encode()
        first = used_parts(WHOLE, [source])
        assert used_parts(WHOLE, [source], first) == first, name


def test_common_words_mean_nothing_outside_of_their_namespace() -> None:
    nothing = used_parts(WHOLE, [b"int main() {}"])
    assert used_parts(WHOLE, [b"precision Element Plain load store sub pair fabs copy address to_float"]) == nothing
    assert "mma_sync" in used_parts(WHOLE, [b"nvcuda::wmma::mma_sync(d, a, b, c); half x;"])


def test_switches_of_a_library_are_for_those_who_include_it() -> None:
    assert "HIPBLAS_V2" in used_parts(WHOLE, [b"#include <hipblas/hipblas.h>"])
    assert "HIPBLAS_V2" not in used_parts(WHOLE, [b"#include <hipfft/hipfft.h>"])


def test_what_is_for_half_is_not_there_without_half() -> None:
    assert "REWARP_BOTH_ATOMIC" not in used_parts(WHOLE, [b"atomicAdd(&x, 1);"])
    assert "REWARP_BOTH_ATOMIC" in used_parts(WHOLE, [b"half y; atomicAdd(&x, y);"])


def test_of_what_is_there_for_both_types_only_what_is_used_is_there() -> None:
    text = used_parts(WHOLE, [b"half y; atomicAdd(&x, y); __hmax_nan(y, y);"])
    assert "REWARP_FOR_HALF(REWARP_BOTH_EXTREMES_NAN)" in text
    assert "REWARP_BOTH_TANH" not in text
    assert "REWARP_BOTH_SATURATED" not in text


def test_where_kernels_alone_are_compiled_nothing_is_there_for_the_host(tmp_path: Path) -> None:
    source = b"half y; __hadd(y, y); rsqrtf(x); __hmax_nan(y, y); cudaMemcpyToSymbol"
    assert "REWARP_HOST_HALF" in used_parts(WHOLE, [source])
    text = used_parts(WHOLE, [source], kernels_alone=True)
    assert "host calls" not in text
    assert "__hmax_nan" in text
    assert compiles(tmp_path, text) == []


def test_what_rests_on_half_and_bf16_has_them_though_the_sources_name_neither(tmp_path: Path) -> None:
    assert compiles(tmp_path, used_parts(WHOLE, [b"__nv_cvt_float_to_fp8 __nv_fp8_e4m3 rewarp_fp8_e4m3"])) == []
    for name in [name for name in names() if "fp8" in name.lower()][::6]:
        assert compiles(tmp_path, used_parts(WHOLE, [name.encode()])) == [], name


@pytest.mark.parametrize("spaces", ["", NAMESPACES])
@pytest.mark.parametrize("seed", range(6))
def test_any_choice_of_parts_compiles(seed: int, spaces: str, tmp_path: Path) -> None:
    chosen = random.Random(seed).sample(names(), 12)
    assert compiles(tmp_path, used_parts(WHOLE, [" ".join([spaces, *chosen]).encode()])) == [], chosen


def test_without_any_part_it_compiles(tmp_path: Path) -> None:
    assert compiles(tmp_path, used_parts(WHOLE, [])) == []


def test_one_way_of_writing_warp_code_does_not_bring_the_other() -> None:
    text = waves_header_for([b"rewarp_warp32_syncwarp(); v = rewarp_warp32_shfl_down_sync(m, v, 1);"]).decode()
    assert "#define rewarp_warp32_shfl_down_sync __shfl_down_sync" in text
    assert "T rewarp_warp32_shfl_down_sync(" in text
    assert "rewarp_wave_sync" not in text
    assert "rewarp_wave_shfl" not in text


@pytest.mark.parametrize(
    "source",
    [
        b"void f() { thrust::exclusive_scan(a, b, c); std::reduce(a, b); }",
        b"#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>",
        b"// In place of CUDA's cooperative_groups/reduce.h.",
    ],
)
def test_names_of_other_libraries_ask_for_nothing(source: bytes) -> None:
    text = used_parts(WHOLE, [source])
    assert "group_reduce" not in text
    assert "_scan(" not in text


def test_a_bare_name_asks_for_it() -> None:
    source = b"namespace cg = cooperative_groups;\nint f() { return cg::reduce(g, 1, cg::plus<int>()); }"
    assert "group_reduce" in used_parts(WHOLE, [source])


def test_names_for_nvidia_are_those_of_the_sources() -> None:
    text = waves_header_for([b"rewarp_warp32_any_sync(0xffffffff, x); rewarp_warp32_shfl_sync(m, x, 0);"]).decode()
    amd, _, nvidia = text.partition("#else  // NVIDIA\n")
    assert "rewarp_warp32_ballot(" in amd
    assert "rewarp_warp32_shfl(" in amd
    names = [line.split()[1] for line in nvidia.splitlines() if line.startswith("#define")]
    assert names == ["rewarp_warp32_any_sync", "rewarp_warp32_shfl_sync"]
    again = waves_header_for([b"rewarp_warp32_shfl(x, 0);"], text.encode()).decode()
    assert "#define rewarp_warp32_any_sync __any_sync\n" in again
    assert "#define rewarp_warp32_shfl __shfl\n" in again
