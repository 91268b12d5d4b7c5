"""Held against float64: two correct ways lose about as much; less precision than the types allow, and another computation, show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewarp.verify import numbers
from rewarp.verify.checks import Evidence, Outcome

torch = pytest.importorskip("torch", reason="torch is not installed")
f = torch.nn.functional


def rows(dtype: Any, scale: float = 1.0) -> Any:
    return (torch.randn(64, 256, generator=torch.Generator().manual_seed(3)) * scale).to(dtype)


def compared(folder: Path, one: Any, other: Any, *given: Any) -> Evidence:
    file = folder / "golden.safetensors"
    numbers.record(lambda: (one, given, {}), file, device="cpu")
    return numbers.compare(file, lambda: (other, given, {}), device="cpu")


def wide_norm(x: Any, eps: float = 1e-5) -> Any:
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)


def low_norm(x: Any) -> Any:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)


def low_softmax(x: Any) -> Any:
    powers = torch.exp(x - x.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


def tanh_gelu(x: Any) -> Any:
    return f.gelu(x, approximate="tanh")


HALVES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    ("one", "other"), [(wide_norm, low_norm), (lambda x: f.softmax(x, -1), low_softmax), (tanh_gelu, f.gelu)]
)
def test_what_a_constant_let_pass(tmp_path: Path, dtype: Any, one: Any, other: Any) -> None:
    found = compared(tmp_path, one, other, rows(dtype))
    assert found.outcome is Outcome.FAILED
    assert "against float64" in found.details["divergence"]["why"]


def test_another_epsilon_is_another_computation(tmp_path: Path) -> None:
    found = compared(tmp_path, wide_norm, lambda x: wide_norm(x, 1e-6), rows(torch.float32))
    assert found.outcome is Outcome.FAILED
    assert "computes something else" in found.details["divergence"]["why"]


@pytest.mark.parametrize("dtype", [torch.float32, *HALVES])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: f.rms_norm(x, (256,), eps=1e-5), wide_norm),
        (f.gelu, lambda x: f.gelu(x.float()).to(x.dtype)),
        (lambda x: f.softmax(x, -1), lambda x: f.softmax(x.float(), -1).to(x.dtype)),
        (lambda x: x @ x.t(), lambda x: (x[:, :99].float() @ x.t()[:99].float() + x[:, 99:].float() @ x.t()[99:].float()).to(x.dtype)),
    ],
)  # fmt: skip
def test_another_correct_way_passes(tmp_path: Path, dtype: Any, one: Any, other: Any) -> None:
    assert compared(tmp_path, one, other, rows(dtype)).outcome is Outcome.PASSED


def test_the_module_that_computes_in_less_is_named(tmp_path: Path) -> None:
    class Norm(torch.nn.Module):
        def __init__(self, way: Any) -> None:
            super().__init__()
            self.way = way

        def forward(self, x: Any) -> Any:
            return self.way(x)

    def made(way: Any) -> Any:
        torch.manual_seed(0)
        layers = [torch.nn.Linear(256, 256, bias=False), Norm(way), torch.nn.Linear(256, 8, bias=False)]
        model = torch.nn.Sequential(*layers).to(torch.bfloat16)
        return lambda: (model, (rows(torch.bfloat16),), {})

    file = tmp_path / "golden.safetensors"
    numbers.record(made(wide_norm), file, device="cpu")
    assert numbers.compare(file, made(wide_norm), device="cpu").outcome is Outcome.PASSED
    found = numbers.compare(file, made(low_norm), device="cpu")
    assert (found.details["divergence"]["module"], found.details["divergence"]["how"]) == ("1", "own")


def test_code_that_does_not_run_in_float64_is_judged_as_before(tmp_path: Path) -> None:
    def picky(x: Any) -> Any:
        if x.dtype is torch.float64:
            raise TypeError("no float64 here")
        return wide_norm(x)

    assert compared(tmp_path, wide_norm, picky, rows(torch.bfloat16)).outcome is Outcome.PASSED
