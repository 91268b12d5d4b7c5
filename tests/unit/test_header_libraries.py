"""hipCUB, rocPRIM and rocThrust: where their headers are looked for, what is said where they are not, and programs that are
compiled with them. The headers here are tiny ones of our own, in the places of AMD's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.report import program as view
from rewarp.run.results import NotBuilt, Request, Step
from rewarp.run.staging import stage
from rewarp.run.verb import run_program
from rewarp.toolchain import header_libraries
from rewarp.toolchain.header_libraries import (
    LIBRARIES,
    asked_for,
    find_libraries,
    how_to_get,
    library_of,
    with_libraries,
)  # fmt: skip
from rewarp.toolchain.libraries import NotSupplied, supply

ROCPRIM, HIPCUB, ROCTHRUST = LIBRARIES
HIPCUB_HEADER = """#pragma once
#include <rocprim/rocprim.hpp>
// cudaMalloc, as AMD's own comments have it: a translated copy of this file would say hipMalloc.
namespace hipcub { template <class T> __device__ T twice(T x) { return rocprim::sum(x, x); } }
"""
PROGRAM = """#include <cstdio>
#include <cub/cub.cuh>
__global__ void fill(int *x) { x[threadIdx.x] = cub::twice(threadIdx.x); }
int main() {
  int *x;
  cudaMallocManaged(&x, 64 * sizeof(int));
  fill<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  printf("%d\\n", x[21]);
}
"""


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine has."""
    for name in ("ROCM_PATH", "HIP_PATH", "REWARP_HIP_INCLUDE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(header_libraries, "_ROCM", tmp_path / "no ROCm")
    monkeypatch.setattr(header_libraries, "_SYSTEM", tmp_path / "no system")


def headers(folder: Path, *libraries: header_libraries.HeaderLibrary) -> Path:
    """An include folder with these libraries in it."""
    for one in libraries or (ROCPRIM, HIPCUB):
        (folder / one.folder).mkdir(parents=True)
        numbers = {"MAJOR": 3, "MINOR": 4, "PATCH": 1}
        name = one.name.upper()
        lines = [f"#define {name}_VERSION_{part} {number}" for part, number in numbers.items()]
        (folder / one.sign).write_text("\n".join((f"#define {name}_VERSION 300401", *lines)))
    if (folder / "rocprim").is_dir():
        text = "#pragma once\nnamespace rocprim { template <class T> __device__ T sum(T a, T b) { return a + b; } }\n"
        (folder / "rocprim/rocprim.hpp").write_text(text)
    if (folder / "hipcub").is_dir():
        (folder / "hipcub/hipcub.hpp").write_text(HIPCUB_HEADER)
    return folder


def test_which_library_a_header_belongs_to() -> None:
    assert library_of("hipcub/hipcub.hpp") is HIPCUB
    assert library_of("cub/block/block_scan.cuh") is HIPCUB
    assert library_of("rocprim/rocprim.hpp") is ROCPRIM
    assert library_of("thrust/device_vector.h") is ROCTHRUST
    assert library_of("thrust") is None
    assert library_of("hipblas/hipblas.h") is None
    assert asked_for(["vector", "thrust/sort.h"]) == (ROCPRIM, ROCTHRUST)
    assert asked_for(["cub/cub.cuh"]) == (ROCPRIM, HIPCUB)
    assert asked_for(["cstdio"]) == ()


def test_the_nearest_place_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = replace(toolchain.find(), includes=(tmp_path / "hip",))
    (tmp_path / "hip").mkdir()
    monkeypatch.setattr(header_libraries, "_ROCM", tmp_path / "opt")
    monkeypatch.setattr(header_libraries, "_SYSTEM", tmp_path / "usr")
    variables = {"ROCM_PATH": str(tmp_path / "rocm"), "HIP_PATH": str(tmp_path / "hip path")}

    def place() -> Path | None:
        found = find_libraries([HIPCUB], compiler, [tmp_path / "told"], variables)
        return found[0].place if found else None

    assert place() is None
    for name in ("usr", "opt/include", "hip path/include", "rocm/include", "hip", "told"):
        headers(tmp_path / name, HIPCUB)
        assert place() == tmp_path / name


def test_what_it_is_is_told_with_its_version(tmp_path: Path) -> None:
    (found,) = find_libraries([ROCTHRUST], toolchain.find(), [headers(tmp_path / "here", ROCTHRUST)])
    assert str(found) == "rocThrust 3.4.1"
    assert (found.library.name, found.version, found.place) == ("rocThrust", "3.4.1", tmp_path / "here")


def test_thrust_of_nvidia_is_not_taken_for_amds(tmp_path: Path) -> None:
    (tmp_path / "thrust").mkdir()
    (tmp_path / "thrust/version.h").write_text("#define THRUST_VERSION 200000\n")
    assert find_libraries([ROCTHRUST], toolchain.find(), [tmp_path]) == ()


def test_the_systems_headers_hide_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = headers(tmp_path / "usr", HIPCUB)
    monkeypatch.setattr(header_libraries, "_SYSTEM", system)
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    compiler = replace(toolchain.find(), standard_library=())
    found = find_libraries([HIPCUB], compiler)
    assert with_libraries(compiler, found) is compiler  # the compiler searches there anyhow
    # One that brings its own C library sees that library's headers, and nothing else of the system's.
    other = replace(compiler, standard_library=("-nostdinc",))
    for _ in range(2):
        (place,) = set(with_libraries(other, found).includes) - set(other.includes)
        assert [path.name for path in place.iterdir()] == ["hipcub"]
        assert (place / "hipcub/hipcub.hpp").read_text() == HIPCUB_HEADER


def test_the_librarys_headers_are_not_translated(tmp_path: Path) -> None:
    include = headers(tmp_path / "include")
    (include / "mine.cuh").write_text("#define MINE cudaSuccess\n")
    source = tmp_path / "src" / "a.cu"
    source.parent.mkdir()
    source.write_text('#include "mine.cuh"\n#include <hipcub/hipcub.hpp>\nint x = cudaFree(0) == MINE;\n')
    staged = stage([source], [include], tmp_path / "work")
    copies = [file.relative_to(tmp_path / "work").as_posix() for file in (tmp_path / "work").rglob("*.*")]
    assert any(name.endswith("mine.cuh") for name in copies)  # the folder's other headers are the program's own
    assert not any("hipcub" in name for name in copies)
    assert "hipcub/hipcub.hpp" in staged.outside


def test_a_source_of_cxx_that_uses_them_has_device_code(tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text("#include <thrust/sort.h>\nint main() { return 0; }\n")
    assert stage([source], [], tmp_path / "work").device == {source}
    source.write_text("#include <vector>\nint main() { return 0; }\n")
    assert stage([source], [], tmp_path / "work").device == set()


def test_a_program_runs_with_them(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(PROGRAM)
    include = headers(tmp_path / "include")
    said: list[bytes] = []
    result = run_program(Request((source,), includes=(include,), watch=False), pass_on=said.append, capture=True)
    assert b"".join(said) == b"42\n"
    assert [str(found) for found in result.header_libraries] == ["rocPRIM 3.4.1", "hipCUB 3.4.1"]
    assert f"compiled into its kernels: rocPRIM 3.4.1, hipCUB 3.4.1 ({include})" in view.lines(result)
    described = json.loads(view.render_json(result))["header_libraries"]
    assert described[1] == {"name": "hipCUB", "version": "3.4.1", "folder": str(include)}


@pytest.mark.parametrize("here", [(), (HIPCUB,)])
def test_what_is_not_here_is_named(tmp_path: Path, here: tuple[header_libraries.HeaderLibrary, ...]) -> None:
    """Also the one that a library needs, and no include line of the program's names."""
    source = tmp_path / "a.cu"
    source.write_text(PROGRAM)
    include = headers(tmp_path / "include", *here) if here else tmp_path
    lacking = ROCPRIM if here else HIPCUB
    with pytest.raises(NotBuilt) as caught:
        run_program(Request((source,), includes=(include,), watch=False))
    assert caught.value.step in (Step.DEVICE, Step.HOST)
    assert how_to_get(lacking) in str(caught.value)
    assert f"install {lacking.package} (Debian" in str(caught.value)


def test_headers_of_another_rocm_are_named(tmp_path: Path) -> None:
    """Where they do not compile: Debian 12 has those of ROCm 5."""
    source = tmp_path / "a.cu"
    source.write_text(PROGRAM)
    include = headers(tmp_path / "include")
    version = include / HIPCUB.sign
    (include / "hipcub/hipcub.hpp").write_text("int device_kind(hipDeviceProp_t p) { return p.gcnArch; }\n")
    with pytest.raises(NotBuilt) as fitting:
        run_program(Request((source,), includes=(include,), watch=False))
    assert "belongs to" not in str(fitting.value)
    version.write_text(version.read_text().replace("MAJOR 3", "MAJOR 2"))
    with pytest.raises(NotBuilt) as caught:
        run_program(Request((source,), includes=(include,), watch=False))
    assert "gcnArch" in str(caught.value)
    hip = toolchain.find().hip_version
    assert f"(hipCUB 2.4.1 belongs to ROCm 5, and HIP's headers here are those of {hip})" in str(caught.value)


def test_verification_says_the_same(tmp_path: Path) -> None:
    found = supply(toolchain.find(), "rocprim/rocprim.hpp", {})
    assert isinstance(found, NotSupplied)
    assert found.reason == how_to_get(ROCPRIM)
    headers(tmp_path / "rocm/include")
    there = supply(toolchain.find(), "rocprim/rocprim.hpp", {"HIP_PATH": str(tmp_path / "rocm")})
    assert not isinstance(there, NotSupplied)
    assert not there.derived
    assert tmp_path / "rocm/include" in there.toolchain.includes
