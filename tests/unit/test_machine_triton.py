"""Triton's kernels, compiled by its AMD back end, run on this CPU and held against NumPy."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewarp import machine
from rewarp.errors import UsageError
from rewarp.machine import tensor

RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def kernels() -> Any:
    file = Path(__file__).parents[1] / "machine" / "triton_kernels.py"
    spec = importlib.util.spec_from_file_location("triton_kernels", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["gfx942", "gfx1100"])
def arch(request: pytest.FixtureRequest) -> Iterator[str]:
    with machine.triton(request.param):
        yield request.param


def normal(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(dtype)


def test_add(kernels: Any, arch: str) -> None:
    x, y, out = normal(5000), normal(5000), np.zeros(5024, np.float32)
    kernels.add[(5,)](tensor(x), tensor(y), tensor(out), 5000, BLOCK=1024)
    assert np.array_equal(out[:5000], x + y)
    assert not out[5000:].any()


def test_softmax(kernels: Any, arch: str) -> None:
    x = normal(9, 781)
    out = np.zeros_like(x)
    kernels.softmax[(9,)](tensor(out), tensor(x), 781, 781, BLOCK=1024)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-8)


def test_layer_norm(kernels: Any, arch: str) -> None:
    x, w, b = normal(7, 300), normal(300), normal(300)
    out = np.zeros_like(x)
    kernels.layer_norm[(7,)](tensor(x), tensor(w), tensor(b), tensor(out), 300, 1e-5, BLOCK=512)
    wide = x.astype(np.float64)
    exact = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(out, exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "precision", "tolerance"), [
    (np.float16, "ieee", 1e-3), (np.float32, "ieee", 1e-4), (np.float32, "tf32", 3e-2),
])  # fmt: skip
def test_matmul(kernels: Any, arch: str, kind: Any, precision: str, tolerance: float) -> None:
    if precision == "tf32" and arch != "gfx942":
        precision = "ieee"
    a, b, c = normal(64, 96, dtype=kind), normal(96, 64, dtype=kind), np.zeros((64, 64), np.float32)
    kernels.matmul[(2, 2)](tensor(a), tensor(b), tensor(c), 64, 64, 96, BM=32, BN=32, BK=32, PRECISION=precision)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=tolerance, rtol=tolerance)


def test_attention(kernels: Any, arch: str) -> None:
    n, width = 90, 32
    q, k, v = (normal(n, width, dtype=np.float16) for _ in range(3))
    out = np.zeros((n, width), np.float32)
    kernels.attention[(3,)](tensor(q), tensor(k), tensor(v), tensor(out), n, width**-0.5, BLOCK=32, WIDTH=width)
    score = q.astype(np.float64) @ k.astype(np.float64).T * width**-0.5
    score[np.triu_indices(n, 1)] = -np.inf
    weight = np.exp(score - score.max(1, keepdims=True))
    np.testing.assert_allclose(out, weight / weight.sum(1, keepdims=True) @ v, atol=3e-3, rtol=3e-3)


def test_atomics_and_scans(kernels: Any, arch: str) -> None:
    x, out = RANDOM.integers(0, 50, 3000).astype(np.int32), np.zeros(50, np.int32)
    kernels.histogram[(3,)](tensor(x), tensor(out), 3000, BLOCK=1024)
    assert np.array_equal(out, np.bincount(x, minlength=50))
    whole, summed = RANDOM.integers(-9, 9, 512).astype(np.int32), np.zeros(512, np.int32)
    kernels.running_sum[(1,)](tensor(whole), tensor(summed), BLOCK=512)
    assert np.array_equal(summed, np.cumsum(whole))


def test_a_mask_that_is_missing_is_found(kernels: Any, arch: str) -> None:
    x, out = normal(1000), np.zeros(1000, np.float32)
    with pytest.raises(machine.LaunchError, match="which belong to nothing"):
        kernels.add[(1,)](tensor(x), tensor(x), tensor(out), 1024, BLOCK=1024)


def test_what_was_chosen_before_comes_back() -> None:
    import triton.backends as registry
    from triton.runtime.driver import driver

    before = registry.backends["amd"], driver._active
    with machine.triton("gfx942"):
        assert driver.active.get_current_target().arch == "gfx942"
    assert (registry.backends["amd"], driver._active) == before
    with pytest.raises(UsageError, match="gfx803"), machine.triton("gfx803"):
        pass
