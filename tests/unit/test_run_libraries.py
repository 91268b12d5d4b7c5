"""Programs that call BLAS, FFT and random numbers: translated, linked with the stand-ins, run, and said so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """#include <cstdio>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
__global__ void fill(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
int main() {
  const int n = 16;
  float *a, *c, alpha = 1, beta = 0, out;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  fill<<<4, 64>>>(a, n * n);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &alpha, a, n, a, n, &beta, c, n) != CUBLAS_STATUS_SUCCESS) return 2;
  cudaMemcpy(&out, c, 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", out);
  cufftHandle plan;
  if (cufftPlan1d(&plan, 128, CUFFT_C2C, 1) != CUFFT_SUCCESS) return 3;
  if (cufftExecC2C(plan, (cufftComplex *)a, (cufftComplex *)a, CUFFT_FORWARD) != CUFFT_SUCCESS) return 4;
  cudaMemcpy(&out, a, 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", out);
  curandGenerator_t generator;
  if (curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10) != CURAND_STATUS_SUCCESS) return 5;
  curandSetPseudoRandomGeneratorSeed(generator, 0ULL);
  unsigned first;
  curandGenerate(generator, (unsigned *)a, 4);
  cudaMemcpy(&first, a, 4, cudaMemcpyDeviceToHost);
  printf("%x\\n", first);
  return 0;
}
"""
SAID = "317440\n16256\n6627e8d5\n"


def rewarp(*words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewarp", "run", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "all.cu").write_text(SOURCE)
    return folder, rewarp("all.cu", "--keep", "kept", "--json", "report.json", folder=folder)


def test_libraries_of_cuda_become_those_of_rocm(built: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = built
    assert done.stdout == SAID, done.stderr
    assert done.returncode == 0
    assert "computed on the host: hipblasSgemm (hipBLAS)" in done.stderr
    assert "hipfftExecC2C" in (folder / "report.json").read_text()


def test_a_ready_program_finds_them_too(built: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = built
    program = next(folder.glob("kept/**/program"))
    done = rewarp(program, folder=folder)
    assert done.stdout == SAID, done.stderr
    assert "computed on the host: hiprandGenerate (hipRAND)" in done.stderr
