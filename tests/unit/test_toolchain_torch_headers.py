"""Torch's headers as one for ROCm has them: made by renaming of those that the installed torch brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.toolchain.torch_headers import TorchHeaders, asks_for_torch, renamed, torch_in

STREAM = """#pragma once
#include <cuda_runtime_api.h>
#include <c10/cuda/CUDAMacros.h>
#include <ATen/ATen.h>
namespace c10::cuda {
struct CUDAStream { cudaStream_t stream() const; };
C10_CUDA_API CUDAStream getCurrentCUDAStream(cudaError_t e = cudaSuccess);  // no cudaNobodyKnows
}
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))


def package(folder: Path, **files: str) -> Path:
    given = {
        "include/ATen/ATen.h": "",
        "include/c10/cuda/CUDAStream.h": STREAM,
        "include/c10/cuda/CUDAMacros.h": "",
        "include/c10/util/Half.h": "cudaStream_t\n",
        "version.py": "__version__ = '2.9.1'\n",
        "utils/cpp_extension.py": "cflags = ['-std=c++17']\n",
    }
    for name, text in (given | files).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def made(torch: TorchHeaders) -> Path:
    assert torch.made is not None
    return torch.made


def test_headers_for_rocm_are_made_of_those_for_cuda(tmp_path: Path) -> None:
    torch = torch_in(package(tmp_path / "torch"))
    text = (made(torch) / "include/c10/hip/HIPStream.h").read_text()
    assert "#include <hip/hip_runtime_api.h>\n#include <c10/hip/HIPMacros.h>\n#include <ATen/ATen.h>\n" in text
    # Torch's own names stay, as they do in its builds for ROCm; so does what no table knows.
    assert "namespace c10::cuda {\nstruct CUDAStream { hipStream_t stream() const; };" in text
    assert "C10_CUDA_API CUDAStream getCurrentCUDAStream(hipError_t e = hipSuccess);  // no cudaNobodyKnows" in text
    assert (made(torch) / "as_cuda/c10/cuda/CUDAStream.h").read_text() == "#include <c10/hip/HIPStream.h>\n"
    assert not list(made(torch).rglob("Half.h")), "what is not CUDA's is read where it lies"


def test_what_only_a_build_for_cuda_makes_is_there_for_a_torch_of_the_cpu(tmp_path: Path) -> None:
    torch = torch_in(package(tmp_path / "torch"))
    assert "AT_ROCM_ENABLED() 1" in (made(torch) / "include/ATen/hip/HIPConfig.h").read_text()
    assert (made(torch) / "include/c10/hip/impl/hip_cmake_macros.h").is_file()


def test_only_translated_units_see_cudas_names(tmp_path: Path) -> None:
    torch = torch_in(package(tmp_path / "torch"))
    options = torch.options(translated=True, by_torch=True)
    order = [options.index(str(place)) for place in (made(torch) / "as_cuda", made(torch) / "include", torch.include)]
    assert order == sorted(order)
    assert {"-DUSE_ROCM=1", "-D__HIP_NO_HALF_OPERATORS__=1", "-std=c++17"} < set(options)
    options = torch.options(translated=False, by_torch=False)
    assert str(made(torch) / "as_cuda") not in options
    assert "-DUSE_ROCM=1" in options
    assert "-D__HIP_NO_HALF_OPERATORS__=1" not in options, "that is torch's builder's, and CMake does not say it"


def test_a_torch_for_rocm_is_taken_as_it_is(tmp_path: Path) -> None:
    torch = torch_in(package(tmp_path / "torch", **{"include/c10/hip/HIPStream.h": ""}))
    assert torch.made is None
    assert torch.handles() is None
    assert str(torch) == "the headers of torch 2.9.1"
    assert not torch.lacks("no member named 'x' in namespace 'c10::hip'")


def test_other_headers_and_another_version_are_made_anew(tmp_path: Path) -> None:
    first = torch_in(package(tmp_path / "torch"))
    torch_in.cache_clear()
    assert torch_in(tmp_path / "torch") == first
    torch_in.cache_clear()
    newer = torch_in(package(tmp_path / "torch", **{"version.py": "__version__ = '2.9.2'\n"}))
    assert newer.made != first.made


def test_whose_file_it_is(tmp_path: Path) -> None:
    torch = torch_in(package(tmp_path / "torch"))
    assert torch.is_own(str(torch.include / "c10/util/Half.h"))
    assert torch.is_own(str(made(torch) / "include/c10/hip/HIPStream.h"))
    assert not torch.is_own(str(tmp_path / "a.hip"))
    assert not torch.is_own(None)


@pytest.mark.parametrize(
    ("message", "lacking"),
    [
        ("no member named 'getStreamFromHere' in namespace 'c10::hip'", True),
        ("use of undeclared identifier 'getCurrentHIPStreamMasqueradingAsCUDA'", True),
        ("use of undeclared identifier 'hipMallocEverything'", False),
        ("no member named 'hipify' in 'ship'", False),
    ],
)
def test_names_that_a_torch_for_rocm_may_have(message: str, lacking: bool, tmp_path: Path) -> None:
    assert torch_in(package(tmp_path / "torch")).lacks(message) is lacking


def test_names_are_renamed_as_words() -> None:
    assert renamed("xcudaStream_t cudaStream_t2 cudaStream_t") == "xcudaStream_t cudaStream_t2 hipStream_t"
    assert renamed('#include "cublas_v2.h"\n') == "#include <hipblas/hipblas.h>\n"
    assert renamed('#include "own.h"\n') == '#include "own.h"\n'


def test_who_asks_for_torch() -> None:
    assert asks_for_torch(["vector", "torch/extension.h"])
    assert asks_for_torch(["c10/hip/HIPStream.h"])
    assert not asks_for_torch(["torch.h", "mytorch/extension.h", "csrc/torch/extension.h"])
