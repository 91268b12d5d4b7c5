"""CUDA sources where they are compiled: translated, in a folder of their own, with a way back to every line."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.run.staging import stage
from rewarp.toolchain.diagnostics import Diagnostic, Severity

HEADER = """#pragma once
#include <cuda_runtime.h>
inline void check(cudaError_t error) { if (error != cudaSuccess) throw error; }
"""
MAIN = """#include <cstdio>
#include "kernels/check.cuh"
#include <shared.h>
__global__ void lanes(int *x) { x[threadIdx.x] = __shfl_down_sync(0xffffffff, x[threadIdx.x], 1); }
int main() {
  int *x;
  check(cudaMalloc(&x, 128));
  lanes<<<1, 32>>>(x);
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src/kernels").mkdir(parents=True)
    (root / "include").mkdir()
    (root / "src/main.cu").write_text(MAIN)
    (root / "src/kernels/check.cuh").write_text(HEADER)
    (root / "include/shared.h").write_text("#include <cuda_fp16.h>\n")
    return root


def test_local_headers_go_with_the_source(project: Path, tmp_path: Path) -> None:
    before = {file: file.read_bytes() for file in project.rglob("*") if file.is_file()}
    staged = stage([project / "src/main.cu"], [project / "include"], tmp_path / "work")
    ((named, source),) = staged.units
    assert named == project / "src/main.cu"
    assert source == tmp_path / "work/src/main.cu"
    assert "hipMalloc" in source.read_text()
    assert "hipError_t" in (source.parent / "kernels/check.cuh").read_text()
    assert "hip/hip_fp16.h" in (tmp_path / "work/include/shared.h").read_text()
    assert staged.options[:4] == ("-I", str(tmp_path / "work/include"), "-I", str(project / "include"))
    assert {file: file.read_bytes() for file in project.rglob("*") if file.is_file()} == before


def test_every_line_finds_its_origin(project: Path, tmp_path: Path) -> None:
    source = project / "src/main.cu"
    staged = stage([source], [project / "include"], tmp_path / "work")
    result = staged.units[0][1]
    lines, was = result.read_text().splitlines(), MAIN.splitlines()
    assert len(lines) > len(was), "the support header is included: the case that must be mapped"
    for number, line in enumerate(lines, 1):
        file, origin = staged.original(str(result), number)
        assert file == str(source)
        assert 1 <= origin <= len(was)
        if line in was:
            assert was[origin - 1] == line
    kernel = next(number for number, line in enumerate(lines, 1) if "void lanes" in line)
    error = Diagnostic(str(result), kernel, 7, Severity.ERROR, "no")
    assert str(staged.in_original(error)) == f"{source}:4:7: error: no"
    elsewhere = Diagnostic("/usr/include/stdio.h", 3, 1, Severity.ERROR, "no")
    assert staged.in_original(elsewhere) == elsewhere


@pytest.mark.parametrize("suffix", [".hip", ".cu", ".cpp"])
def test_hip_is_compiled_where_it_is(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"a{suffix}"
    source.write_text("#include <hip/hip_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    staged = stage([source], [], tmp_path / "work")
    assert staged.units == ((source, source),)
    assert not (tmp_path / "work").exists()


def test_what_is_not_translated_is_a_finding(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("#include <cuda_runtime.h>\nint main() { cudaFrobnicate(); cudaDeviceSynchronize(); }\n")
    (finding,) = stage([source], [], tmp_path / "work").findings
    assert (finding.symbol, finding.line) == ("cudaFrobnicate", 2)


def test_a_source_that_is_no_text(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(b"\x7fELF\0\0\0\0")
    with pytest.raises(UsageError, match=r"a\.cu"):
        stage([source], [], tmp_path / "work")


def test_which_files_hold_device_code(tmp_path: Path) -> None:
    (tmp_path / "kernels.h").write_text("__global__ void k();\n")
    texts = {
        "launches.cpp": "void f() { k<<<1, 2>>>(); }\n",
        "includes.cpp": '#include "kernels.h"\n',
        "host.cpp": "#include <vector>\nint main() {}\n",
        "host.c": "/* __global__ */\n",
        "any.cu": "int x;\n",
        "any.hip": "int x;\n",
    }
    files = [tmp_path / name for name in texts]
    for file in files:
        file.write_text(texts[file.name])
    found = stage(files, [], tmp_path / "work").device
    assert {file.name for file in found} == {"launches.cpp", "includes.cpp", "any.cu", "any.hip"}
