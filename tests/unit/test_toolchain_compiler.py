"""The HIP compiler at work: needs ROCm or the wheels of rewarp[compile]."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.errors import UsageError
from rewarp.toolchain import (
    DEFAULT_ARCHES,
    Cause,
    Toolchain,
    cause_of_failure,
    discovery,
    read_code_object,
    standard_library,
)
from rewarp.toolchain.diagnostics import Severity


@pytest.fixture(scope="module")
def compiler() -> Toolchain:
    return toolchain.find()


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
    assert [kernel.symbol for kernel in done.resources] == ["_Z5scaleIfEvPT_S0_"]
    assert (tmp_path / "out").read_bytes().startswith(b"\x7fELF")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "scale.cu"]


# powf and printf come from the device libraries, so a code object with them shows that these were linked.
RESOURCES = """#include <hip/hip_runtime.h>
#include <cstdio>
namespace ns {
template <typename T> __global__ void __launch_bounds__(256) scale(T *x, T f) {
  __shared__ T tile[128];
  tile[threadIdx.x % 128] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = powf(tile[(threadIdx.x + 1) % 128], f);
}
template __global__ void scale<float>(float *, float);
}
__global__ void print(double *x) { printf("%f", x[0]); }
"""


@pytest.mark.parametrize("arch", DEFAULT_ARCHES)
def test_code_objects_and_what_their_kernels_need(compiler: Toolchain, tmp_path: Path, arch: str) -> None:
    source = tmp_path / "r.hip"
    source.write_text(RESOURCES)
    done = compiler.compile_device(source, arch, output=tmp_path / "r.hsaco", level="code_object")
    assert done.errors == ()
    assert done.undefined == ()
    assert read_code_object(tmp_path / "r.hsaco") == done.resources
    found = {kernel.name: kernel for kernel in done.resources}
    assert found.keys() == {"print", "ns::scale<float>"}
    scale = found["ns::scale<float>"]
    assert (scale.max_workgroup, scale.lds_bytes, scale.scratch_bytes) == (256, 512, 0)
    assert scale.wave_size == toolchain.wave_size(arch)
    assert (scale.agprs is None) == arch.startswith("gfx1")
    assert 4 < scale.vgprs < 64
    assert found["print"].max_workgroup == 1024


def test_what_is_defined_nowhere_is_an_error_of_a_code_object_by_name(compiler: Toolchain, tmp_path: Path) -> None:
    user, owner = tmp_path / "user.hip", tmp_path / "owner.hip"
    user.write_text(
        "#include <hip/hip_runtime.h>\nextern __device__ float other(float);\n"
        "__global__ void use(float *x) { *x = other(*x); }\n"
    )
    owner.write_text("#include <hip/hip_runtime.h>\n__device__ float other(float x) { return sinf(x); }\n")
    assembly = compiler.compile_device(user, "gfx942")
    assert (assembly.ok, assembly.undefined, assembly.resources) == (True, ("_Z5otherf",), ())
    done = compiler.compile_device(user, "gfx942", level="code_object")
    assert done.failure
    assert (done.failure.cause, done.failure.subject) == (Cause.UNDEFINED, "other(float)")
    together = compiler.link((user, owner), "gfx942", options=("-fgpu-rdc",), output=tmp_path / "all.hsaco")
    assert together.errors == ()
    assert [kernel.name for kernel in together.resources] == ["use"]
    assert (tmp_path / "all.hsaco").read_bytes().startswith(b"\x7fELF")
    alone = compiler.link((user,), "gfx942")
    assert alone.failure
    assert alone.failure.cause is Cause.UNDEFINED
    text = compiler.link((owner, user), "gfx942", output=tmp_path / "all.s", level="assembly")
    assert text.errors == ()
    assert text.kernels == together.kernels
    assert (tmp_path / "all.s").read_text().count(".amdhsa_kernel") == 1
    alone = compiler.link((user,), "gfx942", output=tmp_path / "one.s", level="assembly")
    assert alone.failure
    assert alone.failure.cause is Cause.UNDEFINED


HOST = """#include <hip/hip_runtime.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>
__global__ void k(float *x) { *x = std::sqrt(std::max(x[1], 2.0f)); }
int main() { std::vector<float> v(3); std::sort(v.begin(), v.end()); k<<<1, 1>>>(v.data()); std::cout << v[0]; }
"""


def test_host_side(compiler: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "main.hip"
    source.write_text(HOST)
    assert compiler.compile_host(source).errors == ()
    assert compiler.compile_host(source, output=tmp_path / "main.o").errors == ()
    assert (tmp_path / "main.o").read_bytes().startswith(b"\x7fELF")
    with pytest.raises(UsageError, match="cannot write"):
        compiler.compile_host(source, output=tmp_path / "none/main.o")
    source.write_text(HOST.replace("v.data()", "v"))
    failure = compiler.compile_host(source).failure
    assert failure
    assert not failure.cause.is_of_compiler
    assert compiler.compile_device(source, "gfx942", level="syntax").ok is False


def test_a_machine_with_nothing_but_the_wheels(tmp_path: Path) -> None:
    compiler = next(found for found in toolchain.candidates() if found.kind == "wheels")
    own = standard_library.options_for(Path(compiler.clang[0]).parent / "lib")
    assert own
    source = tmp_path / "main.hip"
    source.write_text(HOST)
    bare = replace(compiler, standard_library=own)
    listing = tmp_path / "read"
    options = ("-Xclang", "-dependency-file", "-Xclang", str(listing), "-Xclang", "-MT", "-Xclang", "main")
    done = bare.compile_device(source, "gfx942", options=(*options, "-Xclang", "-sys-header-deps"), level="code_object")
    assert done.errors == ()
    assert " /usr/" not in listing.read_text()
    assert bare.compile_host(source).errors == ()


def test_odd_paths(compiler: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a b:3'é"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("-k @1.hip").write_text("#include <hip/hip_runtime.h>\n__global__ void k() { nothing(); }\n")
    for source in (Path("-k @1.hip"), folder / "-k @1.hip"):
        (error,) = compiler.compile_device(source, "gfx942").errors
        assert (Path(error.file or "").name, error.line) == ("-k @1.hip", 2)


def test_identity_follows_headers_and_libraries(compiler: Toolchain, tmp_path: Path) -> None:
    assert replace(compiler).identity == compiler.identity
    (tmp_path / "hipblas").mkdir()
    wider = replace(compiler, includes=(*compiler.includes, tmp_path))
    others = {replace(wider, kind="rocm").identity, replace(wider, bitcode=None).identity, wider.identity}
    (tmp_path / "more/hipblas").mkdir(parents=True)
    (tmp_path / "more/hipblas/hipblas.h").write_text("//")
    others.add(replace(compiler, includes=(*compiler.includes, tmp_path / "more")).identity)
    assert len(others) == 4
    assert compiler.describe()["identity"] == compiler.identity


def test_device_libraries_that_this_clang_cannot_read(compiler: Toolchain, tmp_path: Path) -> None:
    assert discovery._links_device_libraries(compiler)
    for name in ("ocml.bc", "ockl.bc"):
        (tmp_path / name).write_bytes(b"BC\xc0\xdeof another release")
    unreadable = replace(compiler, bitcode=tmp_path)
    assert not discovery._links_device_libraries(unreadable)
    source = tmp_path / "scale.hip"
    source.write_text(KERNEL)
    failure = unreadable.compile_device(source, "gfx942").failure
    assert failure
    assert failure.cause is Cause.NOT_USABLE


def test_kernels_with_several_traps(compiler: Toolchain, tmp_path: Path) -> None:
    """clang 22 crashes on these for gfx1100 unless its trap handler is switched off."""
    source = tmp_path / "trap.hip"
    body = "if (x[0]) __builtin_trap(); x[1] = 1; if (x[3]) __builtin_trap(); x[2] = 2;"
    source.write_text(f"#include <hip/hip_runtime.h>\n__global__ void k(int *x) {{ {body} }}\n")
    done = compiler.compile_device(source, "gfx1100", options=("-Werror",))
    assert done.errors == ()
    assert len(done.resources) == 1


def test_assembly_is_kept_where_asked_for(compiler: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "scale.hip"
    source.write_text(KERNEL)
    done = compiler.compile_device(source, "gfx1100", output=tmp_path / "scale.s")
    assert done.ok
    assert (done.kernels, done.resources) == tuple(
        getattr(compiler.compile_device(source, "gfx1100"), name) for name in ("kernels", "resources")
    )
    assert ".amdhsa_kernel _Z5scaleIfEvPT_S0_" in (tmp_path / "scale.s").read_text()


def test_ptx_passes_the_syntax_check_but_not_the_assembler(compiler: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "lane.cu"
    source.write_text(
        '#include <hip/hip_runtime.h>\n__global__ void lane(int *x) { asm("mov.u32 %0, %%lanemask_lt;" : "=v"(*x)); }\n'
    )
    assert compiler.check(source, "gfx942").ok
    for output in (None, tmp_path / "lane.s"):
        done = compiler.compile_device(source, "gfx942", output=output)
        assert not done.ok
        failure = cause_of_failure(done.diagnostics)
        assert failure
        assert failure.cause is Cause.INLINE_ASSEMBLY
        assert done.errors[0].line == 2


def test_errors_and_time_limit_are_outcomes(compiler: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "bad.cu"
    source.write_text('#include <hip/hip_runtime.h>\n#include "not_there.h"\n')
    done = compiler.check(source, "gfx942")
    assert [(found.line, found.severity) for found in done.errors] == [(2, Severity.FATAL)]
    failure = cause_of_failure(compiler.check(source, "gfx942", timeout=0.001).diagnostics)
    assert failure
    assert failure.cause is Cause.TIME_LIMIT
    assert not compiler.check(tmp_path / "none.cu", "gfx942").ok
