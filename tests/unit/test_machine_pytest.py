"""A project's own tests of Triton kernels, written for CUDA tensors, run without a GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")

PROJECT = """
import pytest
import torch
import triton
import triton.language as tl

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def scale_rows(x, s, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns)
    tl.store(out + row * columns + at, values * tl.load(s + row), mask=at < columns)


def scaled(x, s):
    assert x.is_cuda and x.device.type == "cuda" and s.device == x.device
    out = torch.empty_like(x)
    scale_rows[(x.shape[0],)](x, s, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out


@pytest.mark.parametrize("device", ["cuda", torch.device("cuda", 0), DEVICE])
def test_rows(device):
    torch.cuda.manual_seed(3)
    x, s = torch.randn(7, 100, device=device), torch.rand(7, dtype=torch.float32).to(device)
    with torch.cuda.device(0):
        result = scaled(x.cuda(), s)
    torch.cuda.synchronize()
    torch.testing.assert_close(result.cpu(), x.cpu() * s.cpu()[:, None])


def test_which_card():
    assert torch.version.hip and triton.runtime.driver.active.get_current_target().backend == "hip"
    assert torch.cuda.get_device_properties(0).gcnArchName.startswith("gfx")
    assert torch.cuda.get_device_properties(0).warp_size == WIDTH


def test_wrong():
    x = torch.ones(2, 8, device="cuda")
    torch.testing.assert_close(scaled(x, torch.full((2,), 2.0, device="cuda")), x)
"""


def run_tests(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rsf", *options]
    return subprocess.run([*command, str(folder)], capture_output=True, text=True, cwd=folder, timeout=600)


@pytest.mark.parametrize(("arch", "width"), [("gfx942", 64), ("gfx1100", 32)])
def test_tests_for_cuda_run_on_the_machine(tmp_path: Path, arch: str, width: int) -> None:
    (tmp_path / "test_rows.py").write_text(PROJECT.replace("WIDTH", str(width)), "utf-8")
    # A project's own settings may ask for a GPU before any test is read.
    (tmp_path / "conftest.py").write_text("import torch\n\nassert torch.cuda.is_available()\n", "utf-8")
    done = run_tests(tmp_path, f"--rewarp-machine={arch}")
    assert "1 failed, 4 passed" in done.stdout, done.stdout + done.stderr
    assert "FAILED test_rows.py::test_wrong" in done.stdout
    assert f"kernels of Triton and of torch extensions run as {arch} code on an emulator" in done.stdout
    assert "scale_rows: 4 launches" in done.stdout
    assert f"1 test passed without a kernel: it shows nothing about {arch}" in done.stdout


def test_without_the_option_nothing_changes(tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    (tmp_path / "test_rows.py").write_text(
        PROJECT.replace("DEVICE = triton.runtime.driver.active.get_active_torch_device()", 'DEVICE = "cuda"'), "utf-8"
    )
    assert "5 skipped" in run_tests(tmp_path).stdout


def test_an_unknown_card_is_told(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "--rewarp-machine=gfx803")
    assert done.returncode == 4
    assert "gfx803" in done.stderr
