"""Correct pairs: an operation of torch's and another correct way to compute it, in each type. How often does `verify compare` cry wolf?

    python benchmarks/numeric_pairs.py [--seeds 2]     (needs torch)

Beside them bugs that people really make in ports (another epsilon, another GELU, a norm or a softmax in low precision): how many are seen?
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as f

from rewarp.verify import numbers

TYPES = (torch.float32, torch.float16, torch.bfloat16)
Way = Callable[..., torch.Tensor]


def _rows(seed: int, dtype: torch.dtype, *shape: int, scale: float = 1.0) -> torch.Tensor:
    made = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=made) * scale).to(dtype)


def _layer_norm(x: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    y = x.float()
    y = y - y.mean(-1, keepdim=True)
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)


def _rms_norm(x: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)


def _softmax(x: torch.Tensor) -> torch.Tensor:
    y = x.float()
    y = torch.exp(y - y.amax(-1, keepdim=True))
    return (y / y.sum(-1, keepdim=True)).to(x.dtype)


def _split_k(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    half = a.shape[-1] // 2
    return (a[..., :half].float() @ b[:half].float() + a[..., half:].float() @ b[half:].float()).to(a.dtype)


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float | None = None) -> torch.Tensor:
    scores = q.float() @ k.float().transpose(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    return (torch.softmax(scores, -1) @ v.float()).to(q.dtype)


def _online(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """As flash attention: block by block, with a running maximum; weights in the input's own type."""
    total = torch.zeros(*q.shape[:-1], v.shape[-1])
    most = torch.full((*q.shape[:-1], 1), -math.inf)
    below = torch.zeros(*q.shape[:-1], 1)
    for start in range(0, k.shape[-2], 32):
        scores = q.float() @ k[..., start : start + 32, :].float().transpose(-1, -2) / math.sqrt(q.shape[-1])
        new = torch.maximum(most, scores.amax(-1, keepdim=True))
        weights = torch.exp(scores - new)
        total = total * torch.exp(most - new) + weights.to(q.dtype).float() @ v[..., start : start + 32, :].float()
        below = below * torch.exp(most - new) + weights.sum(-1, keepdim=True)
        most = new
    return (total / below).to(q.dtype)


def _rotary(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2])[:, None] / 10000 ** (torch.arange(half) / half)
    cos, sin = torch.cos(angle), torch.sin(angle)
    one, other = x.float()[..., :half], x.float()[..., half:]
    return torch.cat([one * cos - other * sin, other * cos + one * sin], -1).to(x.dtype)


def _rotary_complex(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2])[:, None] / 10000 ** (torch.arange(half) / half)
    turned = torch.complex(x.float()[..., :half], x.float()[..., half:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], -1).to(x.dtype)


def _wide(way: Way) -> Way:
    return lambda *given: way(*(one.float() for one in given)).to(given[0].dtype)


def correct(seed: int, dtype: torch.dtype) -> list[tuple[str, Way, Way, tuple[torch.Tensor, ...]]]:
    x = _rows(seed, dtype, 64, 512)
    a, b, bias = _rows(seed, dtype, 48, 256), _rows(seed + 1, dtype, 256, 96), _rows(seed + 2, dtype, 96)
    q, k, v = (_rows(seed + at, dtype, 2, 4, 96, 64) for at in range(3))
    image, kernel = _rows(seed, dtype, 2, 8, 16, 16), _rows(seed + 1, dtype, 12, 8, 3, 3, scale=0.2)
    plain: list[tuple[str, Way, tuple[torch.Tensor, ...]]] = [
        ("gelu", f.gelu, (x,)), ("gelu tanh", lambda t: f.gelu(t, approximate="tanh"), (x,)), ("silu", f.silu, (x,)),
        ("sigmoid", torch.sigmoid, (x,)), ("tanh", torch.tanh, (x,)), ("exp", torch.exp, (x,)),
        ("softplus", f.softplus, (x,)), ("mish", f.mish, (x,)), ("log_softmax", lambda t: f.log_softmax(t, -1), (x,)),
        ("logsumexp", lambda t: torch.logsumexp(t, -1), (x,)), ("mean", lambda t: t.mean(-1), (x,)),
        ("sum", lambda t: t.sum(-1), (x,)), ("var", lambda t: t.var(-1), (x,)), ("norm", lambda t: t.norm(dim=-1), (x,)),
        ("group_norm", lambda t: f.group_norm(t.reshape(64, 8, 64), 4), (x,)),
        ("conv2d", lambda i, w: f.conv2d(i, w, padding=1), (image, kernel)),
        ("avg_pool", lambda i: f.avg_pool2d(i, 2), (image,)), ("bmm", torch.matmul, (q, k.transpose(-1, -2).contiguous())),
        ("linear", lambda t, w, c: f.linear(t, w.t(), c), (a, b, bias)),
    ]  # fmt: skip
    pairs = [(name, way, _wide(way), given) for name, way, given in plain]
    pairs += [
        ("layer_norm", lambda t: f.layer_norm(t, (512,)), _layer_norm, (x,)),
        ("rms_norm", lambda t: f.rms_norm(t, (512,), eps=1e-5), _rms_norm, (x,)),
        ("softmax", lambda t: f.softmax(t, -1), _softmax, (x,)),
        ("matmul", torch.matmul, _split_k, (a, b)),
        ("attention", f.scaled_dot_product_attention, _attention, (q, k, v)),
        ("flash attention", _attention, _online, (q, k, v)),
        ("rotary", _rotary, _rotary_complex, (q,)),
        ("swiglu", lambda t: f.silu(t[:, :256]) * t[:, 256:], lambda t: (f.silu(t[:, :256].float()).to(t.dtype) * t[:, 256:]), (x,)),
    ]  # fmt: skip
    return pairs


def wrong(seed: int, dtype: torch.dtype) -> list[tuple[str, Way, Way, tuple[torch.Tensor, ...]]]:
    x, small = _rows(seed, dtype, 64, 512), _rows(seed, dtype, 64, 512, scale=0.01)
    q, k, v = (_rows(seed + at, dtype, 2, 4, 96, 64) for at in range(3))
    low = lambda t: t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-5)  # noqa: E731
    return [
        ("eps", _layer_norm, lambda t: _layer_norm(t, 1e-6), (x,)),
        ("eps, small inputs", _layer_norm, lambda t: _layer_norm(t, 1e-6), (small,)),
        ("gelu", lambda t: f.gelu(t, approximate="tanh"), f.gelu, (x,)),
        ("norm in its own type", _rms_norm, low, (x,)),
        ("softmax in its own type", _softmax, lambda t: torch.exp(t - t.amax(-1, keepdim=True)) / torch.exp(t - t.amax(-1, keepdim=True)).sum(-1, keepdim=True), (x,)),
        ("scale of attention", _attention, lambda *t: _attention(*t, scale=1 / 8.1), (q, k, v)),
        ("sum in its own type", lambda t: t.sum(-1), lambda t: t.cumsum(-1)[:, -1], (x,)),
    ]  # fmt: skip


def outcome(pair: tuple[str, Way, Way, tuple[torch.Tensor, ...]]) -> tuple[str, str]:
    _, one, other, given = pair
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "golden.safetensors")
        numbers.record(lambda: (one, given, {}), file, device="cpu")
        found = numbers.compare(file, lambda: (other, given, {}), device="cpu")
    told: Any = next((check.why for check in found.checks if check.why), "")
    return found.outcome.value, str(told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for title, pairs in (("correct", correct), ("wrong", wrong)):
        counts: Counter[str] = Counter()
        for dtype in TYPES:
            for seed in range(arguments.seeds):
                for pair in pairs(seed * 10, dtype):
                    found, why = outcome(pair)
                    counts[found] += 1
                    if (found == "failed") == (title == "correct"):
                        print(f"  {title}: {found}: {pair[0]} in {str(dtype)[6:]}, seed {seed}: {why}", flush=True)
        print(title, dict(counts), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
