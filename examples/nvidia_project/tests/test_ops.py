"""The ops against torch, on the GPU. The extension is built on first use."""

import pytest
import torch
import torch.nn.functional as F

import warpnorm
from warpnorm import fp8, gpu, triton_kernels

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("shape", [(4, 32), (67, 1000), (2, 3, 4097)])
def test_layer_norm(shape):
    x = torch.randn(shape, device="cuda")
    weight, bias = torch.randn(2, shape[-1], device="cuda")
    torch.testing.assert_close(
        warpnorm.layer_norm(x, weight, bias), F.layer_norm(x, shape[-1:], weight, bias), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("cols", [1, 33, 1024, 20000])
def test_softmax(cols):
    x = torch.randn(17, cols, device="cuda")
    torch.testing.assert_close(warpnorm.softmax(x), x.softmax(-1), rtol=1e-4, atol=1e-6)


def test_histogram():
    x = torch.rand(100_003, device="cuda") * 0.999
    x[5] = float("nan")
    bins, finite = warpnorm.histogram(x, 0.0, 1.0)
    assert finite.item() == x.numel() - 1
    assert bins.sum().item() == x.numel() - 1
    expected = torch.bincount((x[~x.isnan()] * 256).long(), minlength=256)
    assert torch.equal(bins.long(), expected)


def test_gelu():
    x = torch.randn(5000, device="cuda") * 3
    torch.testing.assert_close(warpnorm.gelu(x), F.gelu(x), rtol=1e-2, atol=1e-3)


def test_matmul():
    a, b = torch.randn(48, 96, device="cuda"), torch.randn(96, 72, device="cuda")
    try:
        product = warpnorm.matmul(a, b)
    except RuntimeError as error:
        pytest.skip(str(error).splitlines()[0])
    torch.testing.assert_close(product, (a.double() @ b.double()).float(), rtol=1e-4, atol=1e-3)


def test_triton():
    x = torch.randn(10_001, device="cuda")
    torch.testing.assert_close(triton_kernels.swish(x), F.silu(x), rtol=1e-3, atol=1e-3)
    a, b = torch.randn(256, 64, device="cuda"), torch.randn(64, 128, device="cuda")
    torch.testing.assert_close(triton_kernels.matmul(a, b), a @ b, rtol=2e-2, atol=5e-2)


def test_index_out_of_range_asserts():
    """The device-side assert reaches Python; in a child, because it poisons the context."""
    import subprocess
    import sys

    code = "import torch; print(torch.zeros(4, device='cuda')[torch.tensor([9], device='cuda')].sum().item())"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.returncode != 0
    assert "device-side assert" in child.stderr


@pytest.mark.skipif(not torch.cuda.is_available() or not gpu.has_fp8(), reason="needs FP8 units")
def test_fp8():
    a, b = (torch.randn(64, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    torch.testing.assert_close(fp8.matmul(a, b).float(), a.float() @ b.float().t(), rtol=0.2, atol=4.0)
