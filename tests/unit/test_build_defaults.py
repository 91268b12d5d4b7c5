"""What the project's own build comes to with its defaults decides what counts: macros, lines of CMake files, headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.findings import Severity
from rewarp.project.build import read_build
from rewarp.project.build.losses import find_losses
from rewarp.project.build.skipped import skipped_lines
from rewarp.project.gates import GAUDI, NVIDIA, ROCM
from rewarp.project.overview import look
from rewarp.workspace import Folder

BOTH = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.21)
project(k LANGUAGES CXX)
option(K_USE_CUDA "for NVIDIA" ON)
option(K_USE_ROCM "for AMD" OFF)
option(K_TRACE "write traces" OFF)
if(K_USE_CUDA)
  enable_language(CUDA)
  include(cmake/toolkit.cmake)
  add_library(k a.cu b.cpp)
elseif(K_USE_ROCM)
  enable_language(HIP)
  add_library(k a.cu b.cpp)
  set_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)
endif()
target_compile_definitions(k PUBLIC
  $<$<BOOL:${K_USE_CUDA}>:K_GPU K_NV>
  $<$<BOOL:${K_USE_ROCM}>:K_GPU K_AMD>
  $<$<BOOL:${K_TRACE}>:K_TRACES>)
if(K_TRACE)
  find_package(NCCL REQUIRED)
endif()
""",
    "cmake/toolkit.cmake": "find_package(CUDAToolkit REQUIRED)\nadd_library(libs INTERFACE)\n"
    "target_link_libraries(libs INTERFACE CUDA::cublas)\n",
    "a.cu": "#if defined(K_NV)\n#include <cuda_runtime.h>\n#elif defined(K_AMD)\n#include <hip/hip_runtime.h>\n#endif\n"
    "__global__ void f(float* x) { x[0] = 1; }\n",
    "b.cpp": '#if defined(K_NV)\n#include "nv.hpp"\n#endif\n#ifdef K_TRACES\n#include <nvToolsExt.h>\n'
    'void traced() { nvtxRangePushA("x"); }\n#endif\n',
    "nv.hpp": "#pragma once\n#include <cublas_v2.h>\ninline void free_it(void* p) { cudaFree(p); }\n",
}


def written(folder: Path, files: dict[str, str]) -> Folder:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return Folder(folder, everything=True)


def _defines(tree: Folder, platform: object) -> set[str]:
    return {given.text for unit in read_build(tree, platform).units for given in unit.defines}  # type: ignore[arg-type]


def test_a_generator_expression_with_a_space_is_one(tmp_path: Path) -> None:
    tree = written(tmp_path, BOTH)
    assert {"K_GPU", "K_NV"} <= _defines(tree, NVIDIA)
    assert {"K_GPU", "K_AMD"} <= _defines(tree, ROCM)
    assert not any(">" in text or "$" in text for text in _defines(tree, NVIDIA))


def test_macros_of_nvidias_build_alone_are_undefined(tmp_path: Path) -> None:
    losses = find_losses(written(tmp_path, BOTH), ROCM)
    assert losses.undefined == {"K_NV"}
    assert {"K_TRACES", "K_TRACE"} <= losses.off
    assert not losses.off & {"K_GPU", "K_AMD", "K_NV"}


def test_without_a_build_for_the_target_nothing_is_known_of_its_macros(tmp_path: Path) -> None:
    text = "project(k LANGUAGES CXX)\noption(K_USE_CUDA x ON)\nif(K_USE_CUDA)\nenable_language(CUDA)\nadd_definitions(-DK_NV)\n"
    tree = written(tmp_path, {"CMakeLists.txt": text + "add_library(k a.cu)\nendif()\n", "a.cu": "int a;\n"})
    assert not find_losses(tree, ROCM).undefined


def test_a_library_that_the_build_can_do_without(tmp_path: Path) -> None:
    text = "project(k LANGUAGES CXX CUDA)\nfind_path(CUDNN_INCLUDE cudnn.h)\nadd_library(k a.cu)\n"
    given = "if(CUDNN_INCLUDE)\ntarget_compile_definitions(k PRIVATE USE_CUDNN)\nendif()\n"
    tree = written(tmp_path, {"CMakeLists.txt": text + given, "a.cu": "int a;\n"})
    assert find_losses(tree, ROCM).undefined == {"USE_CUDNN"}


def test_an_option_named_for_a_library_says_nothing_of_its_being_found(tmp_path: Path) -> None:
    text = "project(k LANGUAGES CXX CUDA)\noption(USE_CUDNN x ON)\nconfigure_file(k.h.in k.h)\nfind_path(CUDNN_INC cudnn.h)\nadd_library(k a.cu)\n"
    given = "if(USE_CUDNN AND CUDNN_INC)\nadd_definitions(-DUSE_CUDNN)\nendif()\nadd_library(l b.cu)\n"
    files = {
        "CMakeLists.txt": text + given,
        "k.h.in": "#cmakedefine USE_CUDNN\n",
        "a.cu": "int a;\n",
        "b.cu": "int b;\n",
    }
    assert find_losses(written(tmp_path, files), ROCM).undefined == {"USE_CUDNN"}
    always = files | {"CMakeLists.txt": text + "add_definitions(-DUSE_CUDNN)\nadd_library(l b.cu)\n"}
    assert not find_losses(written(tmp_path, always), ROCM).undefined


def test_a_header_that_cmake_writes_defines_macros(tmp_path: Path) -> None:
    files = BOTH | {
        "CMakeLists.txt": BOTH["CMakeLists.txt"].replace(
            "target_compile", "set(K_NV ${K_USE_CUDA})\nconfigure_file(k.h.in k.h)\ntarget_compile"
        ),
        "k.h.in": "#cmakedefine K_NV\n#cmakedefine01 K_USE_ROCM\n",
    }
    tree = written(tmp_path, files)
    assert dict(read_build(tree, NVIDIA).configured)["K_NV"]
    assert not dict(read_build(tree, ROCM).configured)["K_NV"]
    assert find_losses(tree, ROCM).undefined == {"K_NV"}


def test_lines_that_the_build_does_not_come_to(tmp_path: Path) -> None:
    tree = written(tmp_path, BOTH)
    lines = BOTH["CMakeLists.txt"].splitlines()
    nccl = lines.index("  find_package(NCCL REQUIRED)") + 1
    there = skipped_lines(tree, read_build(tree, ROCM))
    assert any(first <= nccl <= last for first, last in there["CMakeLists.txt"])
    assert there["cmake/toolkit.cmake"]  # only a skipped line includes it
    cuda = skipped_lines(tree, read_build(tree, NVIDIA))
    assert "cmake/toolkit.cmake" not in cuda
    assert not any(first <= 7 <= last for first, last in cuda["CMakeLists.txt"])


def test_nothing_is_skipped_where_cmake_ends_with_an_error(tmp_path: Path) -> None:
    text = "project(k CUDA)\nif(NOPE)\nfind_package(CUDA REQUIRED)\nendif()\nmessage(FATAL_ERROR no)\nadd_library(k a.cu)\n"
    tree = written(tmp_path, {"CMakeLists.txt": text, "a.cu": "int a;\n"})
    assert not skipped_lines(tree, read_build(tree, NVIDIA))


def test_headers_that_only_nvidias_code_includes_are_not_built(tmp_path: Path) -> None:
    assert "nv.hpp" in look(written(tmp_path, BOTH)).not_built


def test_what_the_defaults_leave_out_informs(tmp_path: Path) -> None:
    written(tmp_path, BOTH)
    report = scan(tmp_path)
    assert {finding.path for finding in report.findings if finding.severity.rank > Severity.INFO.rank} == set()


def test_what_the_defaults_build_counts(tmp_path: Path) -> None:
    """The same with the option on: its code counts."""
    text = (
        BOTH["CMakeLists.txt"].replace('traces" OFF', 'traces" ON').replace("find_package(NCCL REQUIRED)", "set(x 1)")
    )
    written(tmp_path, BOTH | {"CMakeLists.txt": text})
    worse = [finding for finding in scan(tmp_path).findings if finding.severity.rank > Severity.INFO.rank]
    assert {finding.path for finding in worse} == {"b.cpp"}


def test_a_constant_that_nothing_uses_informs(tmp_path: Path) -> None:
    kernel = "__global__ void f(float* x) { x[0] = __shfl_sync(0xffffffffu, x[0], threadIdx.x % WARP_LANES); }\n"
    files = {"a.cuh": "#define WARP_SIZE 32\n#define WARP_LANES 32\n", "b.cu": '#include "a.cuh"\n' + kernel}
    written(tmp_path, files)
    found = {finding.symbol: finding.severity for finding in scan(tmp_path).findings if finding.rule == "WAV-004"}
    assert found["WARP_SIZE"] is Severity.INFO
    assert found.get("WARP_LANES") is not Severity.INFO


def test_samples_that_nothing_builds_inform(tmp_path: Path) -> None:
    kernel = "#include <cuda_runtime.h>\n__global__ void f(float* x) { x[0] = 1; }\nvoid g(float* x) { f<<<1, 1>>>(x); cudaFree(x); }\n"
    files = {
        "CMakeLists.txt": "project(k LANGUAGES CXX CUDA)\nadd_library(k a.cu)\n",
        "a.cu": kernel,
        "examples/book/one.cu": kernel,
        "examples/built/one.cu": kernel,
        "examples/built/Makefile": "one: one.cu\n\tnvcc -o one one.cu\n",
        "Makefile.config.example": "CUDA_ARCH := -gencode arch=compute_80,code=sm_80\n",
    }
    not_built = look(written(tmp_path, files)).not_built
    assert {"examples/book/one.cu", "Makefile.config.example"} <= not_built.keys()
    assert not not_built.keys() & {"a.cu", "examples/built/one.cu", "examples/built/Makefile"}


def test_without_a_build_nothing_lies_about(tmp_path: Path) -> None:
    assert not look(written(tmp_path, {"examples/one.cu": "int one;\n", "b.cu": "int b;\n"})).not_built


def test_macros_that_a_build_on_gaudi_does_not_give_are_off(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "project(k LANGUAGES CXX)\noption(USE_CUDA x ON)\nadd_library(k b.cpp)\nif(USE_CUDA)\n"
        "enable_language(CUDA)\ntarget_sources(k PRIVATE a.cu)\ntarget_compile_definitions(k PRIVATE K_GPU)\nendif()\n",
        "a.cu": "int a;\n",
        "b.cpp": "int b;\n",
    }
    assert "K_GPU" in find_losses(written(tmp_path, files), GAUDI).off


def test_a_check_with_words_after_its_variable(tmp_path: Path) -> None:
    text = 'project(k CXX)\ncheck_fortran_source_compiles("end" HAS SRC_EXT f90)\nif(NOT HAS)\nmessage(FATAL_ERROR no)\nendif()\n'
    tree = written(tmp_path, {"CMakeLists.txt": f"{text}add_library(k a.cpp)\n", "a.cpp": "int a;\n"})
    assert not read_build(tree, ROCM).refusals


PLAIN = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.21)\nproject(k LANGUAGES CXX CUDA)\nadd_executable(k a.cu)\n",
    "a.cu": "#include <cstdio>\n#ifdef USE_PROFILING\n#include <nvToolsExt.h>\nvoid mark() { nvtxRangePushA(0); }\n#endif\n"
    "int main() { return cudaDeviceSynchronize(); }\n",
}


def _worse_than_info(folder: Path, files: dict[str, str]) -> set[int]:
    written(folder, files)
    found = scan(folder, use_cache=False).findings
    return {f.line for f in found if f.path == "a.cu" and f.severity.rank > Severity.INFO.rank}


def test_a_switch_that_nothing_sets_is_off(tmp_path: Path) -> None:
    assert _worse_than_info(tmp_path, PLAIN) == {6}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", "Pass -DUSE_PROFILING to see ranges.\n"),
        ("b.h", "#define USE_PROFILING\n"),
        ("setup.py", 'MACROS = [("USE_PROFILING", None)]\n'),
    ],
)
def test_a_switch_that_somebody_may_set(tmp_path: Path, path: str, text: str) -> None:
    assert 3 in _worse_than_info(tmp_path, PLAIN | {path: text})


@pytest.mark.parametrize("name", ["ENABLE_CUDA_TRACE", "TRACER", "_USE_IT"])
def test_a_macro_that_may_be_anothers(tmp_path: Path, name: str) -> None:
    files = {path: text.replace("USE_PROFILING", name) for path, text in PLAIN.items()}
    assert 3 in _worse_than_info(tmp_path, files)


@pytest.mark.parametrize(
    "line",
    [
        "cd src; hipify-perl -inplace `find -name *.cu`",
        "$ hipify-clang a.cu -o a.hip",
        "find . -name '*.cu' -exec hipify-perl -inplace {} +",
    ],
)
def test_sources_that_the_instructions_translate_first(tmp_path: Path, line: str) -> None:
    assert _worse_than_info(tmp_path, PLAIN | {"README.md": f"For AMD:\n\n```\n{line}\n```\n"}) == set()


@pytest.mark.parametrize(
    ("path", "line"),
    [("README.md", "You may try hipify-perl on it."), ("notes.md", "hipify-perl -inplace a.cu")],
)
def test_instructions_that_translate_nothing(tmp_path: Path, path: str, line: str) -> None:
    assert _worse_than_info(tmp_path, PLAIN | {path: f"{line}\n"}) == {6}
