"""Fixed warp code, compiled for both widths: the cases of tests/waves. tests/lanes runs such code lane by lane."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanes.case import CASES, WITHOUT_FIX, fixed_by_rewarp
from rewarp import toolchain
from rewarp.translation.support import is_waves_header, waves_header_for
from rewarp.waves.support import HEADER, portable_header

TESTS = Path(__file__).parents[1]

_LIBRARY = b"""
namespace hipcub {  // as hipCUB has them: the width is the hardware's where it is not told
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_TRANSPOSE };
template <int Lanes> struct Storage { struct TempStorage { char lanes[Lanes]; }; __device__ explicit Storage(TempStorage&) {} };
template <typename T, int Lanes = REWARP_WAVE_LANES> struct WarpReduce : Storage<Lanes> {
  using Storage<Lanes>::Storage;
  __device__ T Sum(T value) { return value; }
};
template <typename T, int Lanes = REWARP_WAVE_LANES> struct WarpScan : Storage<Lanes> {
  using Storage<Lanes>::Storage;
  __device__ void InclusiveSum(T value, T& sum) { sum = value; }
};
template <typename T, int Items, int Lanes = REWARP_WAVE_LANES> struct WarpExchange : Storage<Lanes> {};
template <typename T, int Items, int Lanes = REWARP_WAVE_LANES> struct WarpMergeSort : Storage<Lanes> {};
template <typename T, int Items, WarpLoadAlgorithm = WARP_LOAD_DIRECT, int Lanes = REWARP_WAVE_LANES>
struct WarpLoad : Storage<Lanes> {};
template <typename T, int Items, WarpStoreAlgorithm = WARP_STORE_DIRECT, int Lanes = REWARP_WAVE_LANES>
struct WarpStore : Storage<Lanes> {};
}
namespace cub = hipcub;
"""
_TOLD = b"""
typedef library_warp_classes::Row<int, 4> Row;
static_assert(sizeof(Row::Exchange::TempStorage) == 32 && sizeof(Row::Load::TempStorage) == 32, "");
static_assert(sizeof(Row::Store::TempStorage) == 32 && sizeof(Row::Sort::TempStorage) == 32, "");
static_assert(sizeof(library_warp_classes::Half::TempStorage) == 16, "");
"""
_WIDEST = (
    *(
        "rewarp_warp32_shfl_sync(-1, x, 1)",
        "rewarp_warp32_shfl_up(x, 1u)",
        "rewarp_warp32_shfl_down_sync(-1, x, 1u, 8)",
    ),
    *("rewarp_warp32_shfl_xor(x, 3)", "rewarp_wave_shfl_sync(~0ull, x, 1)", "rewarp_wave_shfl_xor_sync(~0ull, x, 32)"),
)

_FIRST = f'#include <stdint.h>\n#include <hip/hip_cooperative_groups.h>\n#include "{HEADER}"\n'.encode()
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b[^\n]*\n", re.M)
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_golden_outputs_compile(arch: str, tmp_path: Path) -> None:
    """All of them in one file, each in a namespace; the header is included first, so that it lies in none."""
    compiler = toolchain.find()
    (tmp_path / HEADER).write_bytes(portable_header())
    parts = [_FIRST, _LIBRARY]
    for file in sorted((TESTS / "waves").glob("*.cu")):
        _, found, after = file.read_bytes().partition(b"// output\n")
        if found:
            body = _INCLUDE.sub(b"", after).replace(b"#pragma once", b"")
            parts += [b"namespace %s {\n" % file.stem.encode(), body, b"}\n#undef WARP_SIZE\n#undef FULL_MASK\n"]
    source = tmp_path / "all.hip"
    source.write_bytes(b"".join(parts) + _TOLD + _every_type())
    done = compiler.compile_device(source, arch)
    assert done.ok, "\n".join(str(item) for item in done.diagnostics)
    assert done.undefined == (), "a device has no library to find these in"
    assert {"block_sum", "compact", "rows"} <= {_plain(kernel) for kernel in done.kernels}


def test_a_source_compiles_with_the_parts_of_the_header_that_it_uses(tmp_path: Path) -> None:
    """Each kernel here with a header of its own: what one part rests on comes with it."""
    compiler = toolchain.find()
    sizes = []
    for number, use in enumerate((b"rewarp_warp32_shfl_xor_sync(~0u, x, 1)", b"rewarp_warp32_ballot_sync(~0u, x > 0)")):
        text = b'#include "%s"\n__global__ void k(float *p) { float x = p[threadIdx.x]; p[0] = %s; }\n' % (
            HEADER.encode(),
            use,
        )
        header = waves_header_for([text])
        assert is_waves_header(header)
        assert waves_header_for([text], header) == header
        sizes.append(header.count(b"\n"))
        (tmp_path / HEADER).write_bytes(header)
        source = tmp_path / f"k{number}.hip"
        source.write_bytes(text)
        done = compiler.compile_device(source, "gfx942")
        assert done.ok, "\n".join(str(item) for item in done.diagnostics)
    assert max(sizes) * 3 < portable_header().count(b"\n"), sizes
    assert not is_waves_header(header + b"// mine\n")


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_fixed_lane_cases_compile(arch: str, tmp_path: Path) -> None:
    """What tests/lanes runs on the CPU, as rewarp fixes it, for the GPUs."""
    compiler = toolchain.find()
    (tmp_path / HEADER).write_bytes(portable_header())
    fixed = {case.name: fixed_by_rewarp(case) for case in CASES.values() if case.fixed}
    parts = [_FIRST]
    for name, text in fixed.items():
        if text is not None:
            parts += [b"namespace %s {\n" % name.encode(), _INCLUDE.sub(b"", text), b"}\n"]
            parts += [b"#undef %s\n" % word for word in dict.fromkeys(_DEFINED.findall(text))]
    source = tmp_path / "all.hip"
    source.write_bytes(b"".join(parts))
    done = compiler.compile_device(source, arch)
    assert done.ok, "\n".join(str(item) for item in done.diagnostics)
    assert done.undefined == (), "a device has no library to find these in"
    assert {name for name, text in fixed.items() if text is None} <= WITHOUT_FIX


def _every_type() -> bytes:
    """Shuffles move whatever CUDA's do, and structs; values of any of them are compared."""
    types = ("char", "short", "int", "unsigned", "long long", "float", "double", "__half", "__hip_bfloat16", "Three")
    uses = "".join(
        f"__device__ {name} f{index}({name} x) {{ {''.join(f'x = {use}; ' for use in _WIDEST)}return x; }}\n"
        f"__device__ unsigned same{index}({name} x) {{ return rewarp_warp32_match_any_sync(-1, x); }}\n"
        for index, name in enumerate(types)
    )
    return f"#include <hip/hip_fp16.h>\n#include <hip/hip_bf16.h>\nstruct Three {{ int x, y, z; }};\n{uses}".encode()


def _plain(name: str) -> str:
    return next((plain for plain in ("block_sum", "compact", "rows") if plain in name), name)
