"""Triton kernels of public projects, compiled by Triton's AMD back end, run on the machine, held against torch.

    python benchmarks/triton_kernels.py FOLDER [--arch gfx942] [--only NAME]

FOLDER holds the sources: `liger/` (linkedin/Liger-Kernel), `sglang/` (sgl-project/sglang), `triton/` (triton-lang/triton).
Needs torch; no GPU. Projects' functions are called as their users call them; forwards, and backwards where there is one.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import json
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from rewarp import machine
from rewarp.machine.cuda_on_cpu import cuda_on_cpu
from rewarp.machine.triton import launches

Pairs = list[tuple[torch.Tensor, torch.Tensor]]
CASES: dict[str, tuple[str, float, Callable[[], Pairs]]] = {}


def case(name: str, family: str, tolerance: float = 2e-5) -> Callable[[Callable[[], Pairs]], Callable[[], Pairs]]:
    def add(function: Callable[[], Pairs]) -> Callable[[], Pairs]:
        CASES[name] = family, tolerance, function
        return function

    return add


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def both_ways(ours: Callable[..., Any], reference: Callable[..., Any], *inputs: torch.Tensor) -> Pairs:
    """Results, and gradients of every input, of a function and of its reference."""
    found = []
    for function in (ours, reference):
        given = [value.clone().detach().requires_grad_(value.is_floating_point()) for value in inputs]
        # A kernel may write over its input, as leaves of a graph may not be.
        result = function(*[value * 1 if value.requires_grad else value for value in given])
        results = list(result) if isinstance(result, tuple) else [result]
        torch.manual_seed(5)
        sum((one * torch.randn(one.shape)).sum() for one in results).backward()
        found.append([one.detach() for one in results] + [one.grad for one in given if one.grad is not None])
    return list(zip(found[0], found[1], strict=True))


# --- Liger-Kernel ---------------------------------------------------------------------------


def liger(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"liger_kernel.ops.{module}"), name)


@case("liger/rms_norm", "norms")
def _() -> Pairs:
    function = liger("rms_norm", "LigerRMSNormFunction").apply
    reference = lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w  # noqa: E731
    return both_ways(lambda x, w: function(x, w, 1e-6), reference, normal(4, 9, 200), normal(200))


@case("liger/layer_norm", "norms")
def _() -> Pairs:
    function = liger("layer_norm", "LigerLayerNormFunction").apply
    return both_ways(
        lambda x, w, b: function(x, w, b, 1e-5),
        lambda x, w, b: F.layer_norm(x, (200,), w, b),
        normal(4, 9, 200),
        normal(200),
        normal(200),
    )


@case("liger/group_norm", "norms", 1e-4)
def _() -> Pairs:
    function = liger("group_norm", "LigerGroupNormFunction").apply
    return both_ways(
        lambda x, w, b: function(x, w, b, 12, 3, 1e-5),
        lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5),
        normal(3, 12, 50),
        normal(12),
        normal(12),
    )


@case("liger/fused_add_rms_norm", "norms")
def _() -> Pairs:
    function = liger("fused_add_rms_norm", "LigerFusedAddRMSNormFunction").apply

    def reference(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        s = x + r
        return s * torch.rsqrt(s.pow(2).mean(-1, keepdim=True) + 1e-6) * w, s

    return both_ways(
        lambda x, r, w: function(x, r, w, 1e-6), reference, normal(5, 6, 130), normal(5, 6, 130), normal(130)
    )


@case("liger/dyt", "norms", 1e-4)
def _() -> Pairs:
    function = liger("dyt", "LigerDyTFunction").apply
    return both_ways(
        function,
        lambda x, a, g, b: g * torch.tanh(a * x) + b,
        normal(3, 8, 128),
        torch.full((1,), 0.5),
        normal(128),
        normal(128),
    )


@case("liger/poly_norm", "norms", 1e-4)
def _() -> Pairs:
    function = liger("poly_norm", "LigerPolyNormFunction").apply

    def reference(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        def norm(y: torch.Tensor) -> torch.Tensor:
            return y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)

        return w[0] * norm(x**3) + w[1] * norm(x**2) + w[2] * norm(x) + b

    return both_ways(
        lambda x, w, b: function(x, w, b, 1e-6, False), reference, normal(4, 6, 96), normal(3), torch.tensor(0.3)
    )


@case("liger/softmax", "attention")
def _() -> Pairs:
    return both_ways(liger("softmax", "LigerSoftmaxFunction").apply, lambda x: torch.softmax(x, -1), normal(6, 7, 300))


@case("liger/sparsemax", "attention", 1e-4)
def _() -> Pairs:
    def reference(x: torch.Tensor) -> torch.Tensor:
        ordered = torch.sort(x, -1, descending=True).values
        rank = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
        total = ordered.cumsum(-1)
        count = (1 + rank * ordered > total).sum(-1, keepdim=True)
        return torch.clamp(x - (total.gather(-1, count - 1) - 1) / count, min=0)

    return both_ways(lambda x: liger("sparsemax", "LigerSparsemaxFunction").apply(x, -1), reference, normal(11, 90))


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


@case("liger/rope", "attention")
def _() -> Pairs:
    function = liger("rope", "LigerRopeFunction").apply
    angles = torch.outer(torch.arange(20).float(), 1e4 ** (-torch.arange(16).float() / 16)).repeat(1, 2)[None]
    cos, sin = angles.cos(), angles.sin()
    return both_ways(
        lambda q, k: function(q, k, cos, sin), lambda q, k: (rotated(q, cos[:, None], sin[:, None]), rotated(k, cos[:, None], sin[:, None])),
        normal(2, 4, 20, 32), normal(2, 2, 20, 32),
    )  # fmt: skip


@case("liger/swiglu", "activations")
def _() -> Pairs:
    return both_ways(
        liger("swiglu", "LigerSiLUMulFunction").apply, lambda a, b: F.silu(a) * b, normal(5, 9, 150), normal(5, 9, 150)
    )


@case("liger/geglu", "activations")
def _() -> Pairs:
    return both_ways(
        liger("geglu", "LigerGELUMulFunction").apply,
        lambda a, b: F.gelu(a, approximate="tanh") * b,
        normal(5, 9, 150),
        normal(5, 9, 150),
    )


@case("liger/relu_squared", "activations")
def _() -> Pairs:
    return both_ways(liger("relu_squared", "LigerReLUSquaredFunction").apply, lambda x: F.relu(x) ** 2, normal(7, 222))


@case("liger/cross_entropy", "losses")
def _() -> Pairs:
    target = torch.randint(0, 1000, (24,))
    target[3] = -100
    function = liger("cross_entropy", "LigerCrossEntropyFunction").apply
    return both_ways(lambda x: function(x, target, None)[0], lambda x: F.cross_entropy(x, target), normal(24, 1000))


@case("liger/fused_linear_cross_entropy", "losses", 1e-4)
def _() -> Pairs:
    target = torch.randint(0, 300, (20,))
    function = liger("fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction").apply
    return both_ways(
        lambda x, w: function(x, w, target)[0],
        lambda x, w: F.cross_entropy(x @ w.T, target),
        normal(20, 64),
        normal(300, 64),
    )


@case("liger/kl_div", "losses")
def _() -> Pairs:
    target = torch.softmax(normal(12, 333), -1)
    function = liger("kl_div", "LigerKLDivLossFunction").apply
    return both_ways(
        lambda x: function(torch.log_softmax(x, -1), target),
        lambda x: F.kl_div(torch.log_softmax(x, -1), target, reduction="batchmean"),
        normal(12, 333),
    )


@case("liger/jsd", "losses", 1e-4)
def _() -> Pairs:
    target = torch.log_softmax(normal(12, 200), -1)
    function = liger("jsd", "LigerJSDFunction").apply

    def reference(x: torch.Tensor) -> torch.Tensor:
        p, q = torch.log_softmax(x, -1), target
        middle = torch.log((p.exp() + q.exp()) / 2)
        return 0.5 * ((p.exp() * (p - middle)).sum() + (q.exp() * (q - middle)).sum()) / x.shape[0]

    return both_ways(lambda x: function(torch.log_softmax(x, -1), target), reference, normal(12, 200))


@case("liger/tvd", "losses", 1e-4)
def _() -> Pairs:
    target = torch.softmax(normal(12, 200), -1)
    function = liger("tvd", "LigerTVDLossFunction").apply
    return both_ways(
        lambda x: function(torch.softmax(x, -1), target),
        lambda x: 0.5 * (torch.softmax(x, -1) - target).abs().sum() / x.shape[0],
        normal(12, 200),
    )


# --- SGLang ---------------------------------------------------------------------------------


def sglang(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"sglang.kernels.ops.{module}"), name)


@case("sglang/prefill_attention", "attention", 2e-3)
def _() -> Pairs:
    lengths, heads, size = [37, 70], 4, 64
    q, k, v = (normal(sum(lengths), heads, size, dtype=torch.float16) for _ in range(3))
    out, starts = torch.zeros_like(q), torch.tensor([0, lengths[0]])
    sglang("attention.prefill_attention", "context_attention_fwd")(
        q, k, v, out, starts, torch.tensor(lengths), max(lengths)
    )
    parts = []
    for start, length in zip(starts.tolist(), lengths):
        x, y, z = (value[start : start + length].float().transpose(0, 1) for value in (q, k, v))
        parts.append(F.scaled_dot_product_attention(x, y, z, is_causal=True).transpose(0, 1))
    return [(out.float(), torch.cat(parts))]


def decode(heads: int, kv_heads: int) -> Pairs:
    batch, size, splits, length = 3, 64, 4, 45
    q = normal(batch, heads, size, dtype=torch.float16)
    k, v = (normal(batch * length, kv_heads, size, dtype=torch.float16) for _ in range(2))
    out = torch.zeros_like(q)
    indptr = torch.arange(0, (batch + 1) * length, length, dtype=torch.int32)
    indices = torch.randperm(batch * length).to(torch.int64)
    logits, lse = torch.zeros(batch, heads, splits, size), torch.zeros(batch, heads, splits)
    run = sglang("attention.decode_attention", "decode_attention_fwd")
    run(
        q,
        k,
        v,
        out,
        indptr,
        indices,
        logits,
        lse,
        torch.full((batch,), splits, dtype=torch.int32),
        splits,
        size**-0.5,
        1.0,
        1.0,
    )
    expected = []
    for one in range(batch):
        rows = indices[one * length : (one + 1) * length]
        x, y, z = q[one].float()[:, None], k[rows].float().transpose(0, 1), v[rows].float().transpose(0, 1)
        y, z = (value.repeat_interleave(heads // kv_heads, 0) for value in (y, z))
        expected.append(F.scaled_dot_product_attention(x, y, z)[:, 0])
    return [(out.float(), torch.stack(expected))]


@case("sglang/decode_attention", "attention", 2e-3)
def _() -> Pairs:
    return decode(4, 4)


@case("sglang/grouped_decode_attention", "attention", 2e-3)
def _() -> Pairs:
    return decode(8, 2)


@case("sglang/merge_state", "attention")
def _() -> Pairs:
    a, b, x, y = normal(30, 4, 64), normal(30, 4, 64), normal(30, 4), normal(30, 4)
    out, lse = sglang("attention.merge_state", "merge_state_triton")(a, x, b, y)
    both = torch.logaddexp(x, y)
    return [(out, a * (x - both).exp()[..., None] + b * (y - both).exp()[..., None]), (lse, both)]


@case("sglang/softcap", "activations")
def _() -> Pairs:
    x = normal(40, 257)
    return [(sglang("activation.softcap", "softcap_out")(x, 30.0), 30 * torch.tanh(x / 30))]


@case("sglang/l2norm", "norms")
def _() -> Pairs:
    x = normal(2, 19, 4, 64)
    return [(sglang("attention.fla.l2norm", "l2norm_fwd")(x), x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6))]


@case("sglang/chunk_local_cumsum", "attention")
def _() -> Pairs:
    x = normal(2, 128, 4)
    expected = x.view(2, 2, 64, 4).cumsum(2).view(2, 128, 4)
    return [(sglang("attention.fla.cumsum", "chunk_local_cumsum")(x, 64), expected)]


@case("sglang/fused_recurrent_gated_delta_rule", "attention", 1e-4)
def _() -> Pairs:
    batch, tokens, heads, size = 1, 12, 2, 32
    q, k, v = (F.normalize(normal(batch, tokens, heads, size), dim=-1) for _ in range(3))
    g, beta, state = (
        -torch.rand(batch, tokens, heads),
        torch.rand(batch, tokens, heads),
        normal(batch, heads, size, size),
    )
    run = sglang("attention.fla.fused_recurrent", "fused_recurrent_gated_delta_rule")
    out, last = run(q, k, v, g, beta, scale=size**-0.5, initial_state=state.clone(), output_final_state=True)
    kept, expected = state.clone(), torch.zeros_like(v)
    for t in range(tokens):
        kept = kept * g[:, t].exp()[..., None, None]
        fresh = (v[:, t] - torch.einsum("bhvk,bhk->bhv", kept, k[:, t])) * beta[:, t][..., None]
        kept = kept + torch.einsum("bhv,bhk->bhvk", fresh, k[:, t])
        expected[:, t] = torch.einsum("bhvk,bhk->bhv", kept, q[:, t]) * size**-0.5
    return [(out, expected), (last, kept)]


@case("sglang/per_token_quant_int8", "quantised")
def _() -> Pairs:
    x = normal(33, 256)
    q, scale = sglang("quantization.int8_kernel", "per_token_quant_int8")(x)
    expected = x.abs().amax(-1, keepdim=True) / 127
    return [(scale, expected), ((q.float() * scale - x).abs() / scale <= 0.5001, torch.ones_like(x, dtype=torch.bool))]


@case("sglang/per_token_group_quant_int8", "quantised")
def _() -> Pairs:
    x = normal(20, 256)
    q, scale = sglang("quantization.int8_kernel", "per_token_group_quant_int8")(x, 64)
    expected = x.view(20, 4, 64).abs().amax(-1) / 127
    error = (q.float().view(20, 4, 64) * scale[..., None] - x.view(20, 4, 64)).abs() / scale[..., None]
    return [(scale, expected), (error <= 1.0001, torch.ones_like(error, dtype=torch.bool))]


@case("sglang/w8a8_block_int8_matmul", "quantised", 2e-3)
def _() -> Pairs:
    a, b = torch.randint(-127, 128, (32, 256), dtype=torch.int8), torch.randint(-127, 128, (128, 256), dtype=torch.int8)
    left, right = torch.rand(32, 2) * 0.01, torch.rand(1, 2) * 0.01
    out = sglang("quantization.int8_kernel", "w8a8_block_int8_matmul")(a, b, left, right, [128, 128], torch.float32)
    wide = (a.float().view(32, 2, 128) * left[..., None]).view(32, 256) @ (
        b.float().view(128, 2, 128) * right[0][None, :, None]
    ).view(128, 256).T
    return [(out, wide)]


@case("sglang/w8a8_block_fp8_matmul", "quantised", 2e-3)
def _() -> Pairs:
    module = importlib.import_module("sglang.kernels.ops.quantization.fp8_kernel")
    kind = module.fp8_dtype
    a, b = normal(32, 256).to(kind), normal(128, 256).to(kind)
    left, right = torch.rand(32, 2), torch.rand(1, 2)
    out = module.w8a8_block_fp8_matmul_triton(a, b, left, right, [128, 128], torch.float32)
    wide = (a.float().view(32, 2, 128) * left[..., None]).view(32, 256) @ (
        b.float().view(128, 2, 128) * right[0][None, :, None]
    ).view(128, 256).T
    return [(out, wide)]


@case("sglang/scaled_mm", "quantised", 2e-3)
def _() -> Pairs:
    module = importlib.import_module("sglang.kernels.ops.quantization.fp8_kernel")
    a, b = normal(40, 128).to(module.fp8_dtype), normal(128, 64).to(module.fp8_dtype)
    left, right = torch.rand(40, 1), torch.rand(64, 1)
    out = module.triton_scaled_mm(a, b, left, right, torch.float32)
    return [(out, (a.float() @ b.float()) * left * right.T)]


def awq() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Words of eight nibbles in AWQ's order, and what they stand for."""
    rows, columns, group = 128, 64, 64
    values, zeros = torch.randint(0, 16, (rows, columns)), torch.randint(0, 16, (rows // group, columns))
    scales = (torch.rand(rows // group, columns) * 0.1).half()
    places = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7]) * 4

    def packed(x: torch.Tensor) -> torch.Tensor:
        words = (x.view(x.shape[0], -1, 8).to(torch.int64) << places).sum(-1)
        return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32)

    wide = (values.half() - zeros.repeat_interleave(group, 0).half()) * scales.repeat_interleave(group, 0)
    return packed(values), scales, packed(zeros), wide


@case("sglang/awq_dequantize", "quantised", 2e-3)
def _() -> Pairs:
    words, scales, zeros, wide = awq()
    return [(sglang("quantization.awq_triton", "awq_dequantize_triton")(words, scales, zeros).float(), wide.float())]


@case("sglang/awq_gemm", "quantised", 5e-3)
def _() -> Pairs:
    words, scales, zeros, wide = awq()
    x = normal(24, 128, dtype=torch.float16)
    out = sglang("quantization.awq_triton", "awq_gemm_triton")(x, words, scales, zeros, 2)
    return [(out.float(), x.float() @ wide.float())]


@case("sglang/act_and_mul", "MoE")
def _() -> Pairs:
    x, out = normal(30, 256), torch.zeros(30, 128)
    sglang("moe.fused_moe_triton_kernels", "act_and_mul_triton")(
        x, out, {"BLOCK_SIZE_M": 16}, torch.zeros(30, 1, dtype=torch.int32), torch.zeros(2, dtype=torch.int32)
    )
    return [(out, F.silu(x[:, :128]) * x[:, 128:])]


@case("sglang/moe_sum_reduce", "MoE")
def _() -> Pairs:
    x, out = normal(20, 4, 128), torch.zeros(20, 128)
    sglang("moe.fused_moe_triton_kernels", "moe_sum_reduce_triton")(x, out, 0.5)
    return [(out, x.sum(1) * 0.5)]


@case("sglang/fused_moe", "MoE", 2e-3)
def _() -> Pairs:
    import triton.language as tl

    tokens, experts, top, size, inner, block = 20, 4, 2, 64, 96, 16
    module = importlib.import_module("sglang.kernels.ops.moe.fused_moe_triton_kernels")
    x, w = normal(tokens, size, dtype=torch.float16), normal(experts, inner, size, dtype=torch.float16)
    weights, ids = torch.softmax(normal(tokens, experts), -1).topk(top)
    ids = ids.to(torch.int32)
    ordered, expert_ids = [], []
    for expert in range(experts):
        mine = (ids.view(-1) == expert).nonzero().view(-1).tolist()
        mine += [tokens * top] * (-len(mine) % block)
        ordered += mine
        expert_ids += [expert] * (len(mine) // block)
    out = torch.zeros(tokens, top, inner, dtype=torch.float16)
    given = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 1}
    module.invoke_fused_moe_kernel(
        x, w, None, out, None, None, None, weights, ids, torch.tensor(ordered, dtype=torch.int32), torch.tensor(expert_ids, dtype=torch.int32),
        torch.tensor([len(ordered)], dtype=torch.int32), True, top, given, compute_type=tl.float16, use_fp8_w8a8=False, use_int8_w8a8=False,
        use_int8_w8a16=False, use_int4_w4a16=False, per_channel_quant=False,
    )  # fmt: skip
    expected = torch.einsum("tk,tmnk->tmn", x.float(), w.float()[ids.long()]) * weights[..., None]
    return [(out.float(), expected)]


# --- Triton's tutorials ---------------------------------------------------------------------


def tutorial(number: str) -> Any:
    """A tutorial up to where it begins to test and to measure itself."""
    file = next((FOLDER / "triton" / "python" / "tutorials").glob(f"{number}-*.py"))
    text = file.read_text("utf-8")
    for end in (
        "\n# Unit Test",
        "\ndef test_",
        "@triton.testing.perf_report",
        "\ngroup_A = []",
        "\nif __name__",
        "@pytest.mark",
    ):
        text = text.partition(end)[0]
    copy = WORK / f"tutorial_{number}.py"  # Triton reads the sources of its kernels from files
    copy.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(copy.stem, copy)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[copy.stem] = module
    spec.loader.exec_module(module)
    return module


@case("triton/03-matrix-multiplication", "matmuls", 2e-3)
def _() -> Pairs:
    a, b = normal(96, 80, dtype=torch.float16), normal(80, 72, dtype=torch.float16)
    return [(tutorial("03").matmul(a, b).float(), a.float() @ b.float())]


@case("triton/04-low-memory-dropout", "activations")
def _() -> Pairs:
    module, x = tutorial("04"), normal(1000)
    first, again = module.seeded_dropout(x, 0.5, 123), module.seeded_dropout(x, 0.5, 123)
    kept = first != 0
    return [
        (first, again),
        (first[kept], x[kept] * 2),
        (kept.float().mean().view(1).round(decimals=1), torch.tensor([0.5])),
    ]


@case("triton/05-layer-norm", "norms", 2e-3)
def _() -> Pairs:
    function = tutorial("05").LayerNorm.apply
    return both_ways(
        lambda x, w, b: function(x, (128,), w, b, 1e-5), lambda x, w, b: F.layer_norm(x, (128,), w, b, 1e-5),
        normal(33, 128, dtype=torch.float16), normal(128, dtype=torch.float16), normal(128, dtype=torch.float16),
    )  # fmt: skip


@case("triton/06-fused-attention", "attention", 5e-3)
def _() -> Pairs:
    function = tutorial("06").attention
    return both_ways(
        lambda q, k, v: function(q, k, v, True, 0.5, False), lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5),
        *(normal(1, 2, 128, 64, dtype=torch.float16) for _ in range(3)),
    )  # fmt: skip


@case("triton/08-grouped-gemm", "matmuls", 2e-3)
def _() -> Pairs:
    sizes = [(128, 128, 128), (256, 128, 128)]  # whole tiles of every configuration: the kernel takes no others
    left, right = (
        [normal(m, k, dtype=torch.float16) for m, n, k in sizes],
        [normal(k, n, dtype=torch.float16) for m, n, k in sizes],
    )
    found = tutorial("08").group_gemm_fn(left, right)
    return [(one.float(), a.float() @ b.float()) for one, a, b in zip(found, left, right, strict=True)]


# --- running --------------------------------------------------------------------------------


class _Absent(types.ModuleType):
    """A module of a server, of which kernels only ask what is there: nothing is, but an AMD GPU."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "is_hip":
            return lambda: True
        if name.endswith("_release"):
            return (9, 9)
        if name == "get_device_name":
            return lambda: "emulator"
        if name.startswith("register_"):
            return lambda *given, **named: given[0] if given and callable(given[0]) else (lambda function: function)
        return lambda *given, **named: False


def use(folder: Path) -> None:
    """Sources on the path; packages whose beginning would load a whole server are entered past it."""
    sys.path.insert(0, str(folder / "liger" / "src"))
    root = folder / "sglang" / "python" / "sglang"
    for package in (
        "",
        "kernels",
        "kernels.ops",
        *(f"kernels.ops.{one}" for one in ("attention", "attention.fla", "activation", "quantization", "moe")),
    ):
        module = types.ModuleType(f"sglang.{package}".rstrip("."))
        module.__path__ = [str(root.joinpath(*package.split(".")) if package else root)]
        sys.modules[module.__name__] = module
    absent = "srt srt.utils srt.utils.common srt.environ srt.layers srt.utils.custom_op srt.utils.patch_torch srt.batch_invariant_ops srt.layers.moe srt.layers.moe.utils kernels.jit kernels.jit.utils"
    for name in ("tabulate", *(f"sglang.{one}" for one in absent.split())):
        sys.modules[name] = _Absent(name)
        sys.modules[name].__spec__ = importlib.machinery.ModuleSpec(name, None)


def results(only: str) -> Iterator[dict[str, Any]]:
    for name, (family, tolerance, function) in CASES.items():
        if only not in name:
            continue
        torch.manual_seed(1)
        before, start, error = set(launches), time.perf_counter(), 0.0
        count = sum(launches.values())
        try:
            for found, expected in function():
                scale = expected.abs().max() if expected.is_floating_point() else torch.tensor(1)
                error = max(error, float((found.float() - expected.float()).abs().max() / scale.clamp(min=1e-9)))
            ran = sum(launches.values()) - count
            outcome = "right" if error <= tolerance and ran else f"wrong: {error:.2g}" if ran else "no kernel ran"
        except Exception as failure:
            outcome = f"failed: {type(failure).__name__}: {str(failure).strip().splitlines()[-1] if str(failure).strip() else ''}"
        yield {
            "case": name, "family": family, "outcome": outcome, "error": error, "seconds": round(time.perf_counter() - start, 1),
            "kernels": sorted(set(launches) - before),
        }  # fmt: skip


if __name__ == "__main__":
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    FOLDER = chosen.folder
    use(FOLDER)
    with tempfile.TemporaryDirectory() as made, machine.triton(chosen.arch), cuda_on_cpu(chosen.arch):
        WORK = Path(made)
        for one in results(chosen.only):
            print(json.dumps(one), flush=True)
