"""An extension of torch, built by torch's own ways, whose kernels run as AMD code on tensors of the CPU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")
if shutil.which("g++") is None:
    pytest.skip("no g++, which extensions of torch need", allow_module_level=True)

KERNELS = """
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

__global__ void scale_kernel(const float* x, float* out, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * by;
}

__global__ void warp_kernel(float* out) {
  float sum = 1;
  for (int step = warpSize / 2; step; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  out[threadIdx.x] = sum;
}

at::Tensor scaled(const at::Tensor& x, double by, int64_t beyond) {
  TORCH_CHECK(x.is_cuda() && x.device().type() == at::DeviceType::CUDA, "x is not on the device");
  const c10::cuda::CUDAGuard guard(x.device());
  auto out = at::empty_like(x);
  const int n = x.numel() + beyond;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  scale_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), by, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

at::Tensor widths(const at::Tensor& x) {
  auto out = at::empty_like(x);
  warp_kernel<<<1, x.numel()>>>(out.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

TORCH_LIBRARY(rewarp_test, m) {
  m.def("scaled(Tensor x, float by, int beyond) -> Tensor");
  m.def("widths(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(rewarp_test, CUDA, m) {
  m.impl("scaled", &scaled);
  m.impl("widths", &widths);
}
"""
SCRIPT = """
import sys
import torch
from rewarp.run import torch_extension
from rewarp.run.torch import launches
from torch.utils.cpp_extension import load

with torch_extension(sys.argv[1]):
    load("rewarp_test", ["ops.cu"], is_python_module=False, build_directory="build")
    ops = torch.ops.rewarp_test
"""


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "ops.cu").write_text(KERNELS, "utf-8")
    (folder / "build").mkdir()
    return folder, request.param


def run_inside(project: tuple[Path, str], *lines: str) -> subprocess.CompletedProcess[str]:
    folder, arch = project
    (folder / "use.py").write_text(SCRIPT + "".join(f"    {line}\n" for line in lines), "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "use.py", arch]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1200)


def test_kernels_run_as_amd_code(project: tuple[Path, str]) -> None:
    done = run_inside(
        project,
        "x = torch.randn(1000)",
        "torch.testing.assert_close(ops.scaled(x, 3.0, 0), x * 3)",
        "print(int(ops.widths(torch.zeros(64))[5]), launches())",
    )
    # CUDA's warps have 32 lanes, and translated code keeps that on waves of 64.
    assert done.stdout.startswith("32 "), done.stdout + done.stderr
    assert "scale_kernel" in done.stdout
    assert "warp_kernel" in done.stdout
    again = (project[0] / "build" / "rewarp_test.so").stat().st_mtime_ns
    assert run_inside(project, "pass").returncode == 0
    assert (project[0] / "build" / "rewarp_test.so").stat().st_mtime_ns == again


def test_beyond_a_tensor(project: tuple[Path, str]) -> None:
    done = run_inside(project, "ops.scaled(torch.randn(1000), 3.0, 1)", "print('went on')")
    assert done.returncode == 134
    assert "behind the end of" in done.stderr
    # Of the translated text, in which one line more includes HIP's header.
    assert "ops.cu:12" in done.stderr
    assert "went on" not in done.stdout


def test_one_card_for_a_process(project: tuple[Path, str]) -> None:
    done = run_inside(project, "with torch_extension('gfx90a'): pass")
    assert done.returncode
    assert "needs a process of its own" in done.stderr
