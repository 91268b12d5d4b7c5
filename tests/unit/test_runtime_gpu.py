"""The vendored helper on a real GPU: `python tests/unit/test_runtime_gpu.py` needs torch and nothing else.

All tiers against float64; with flash-attn or aiter installed the library's too. Skipped where there is no GPU."""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import torch
except ImportError as error:
    raise unittest.SkipTest(str(error)) from None

HELPER = Path(__file__).parents[2] / "src" / "rewarp" / "runtime" / "rewarp_runtime.py"
TOLERANCE = {torch.float32: 2e-3, torch.float16: 4e-3, torch.bfloat16: 3e-2}
# batch, queries, keys, heads, heads of k and v, dim
SHAPES = [
    (2, 128, 128, 8, 8, 64),
    (1, 1, 777, 8, 2, 128),
    (2, 64, 200, 6, 1, 96),
    (1, 200, 64, 4, 2, 64),
    (1, 257, 257, 3, 3, 40),
    (1, 96, 96, 2, 2, 256),
]
MASKS: list[dict[str, Any]] = [{}, {"causal": True}, {"window": (17, 5)}, {"causal": True, "window": (33, -1)}]
WORST: dict[str, float] = {}


def load(name: str = "rewarp_runtime") -> Any:
    spec = importlib.util.spec_from_file_location(name, HELPER)
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gpu() -> Any:
    if not torch.cuda.is_available():
        raise unittest.SkipTest("no GPU")
    return load()


def tensors(shape: tuple[int, ...], dtype: Any) -> list[Any]:
    b, sq, sk, h, hk, d = shape
    torch.manual_seed(1)
    return [torch.randn(one, device="cuda").to(dtype) for one in ((b, sq, h, d), (b, sk, hk, d), (b, sk, hk, d))]


def close(what: str, found: Any, expected: Any, tolerance: float) -> None:
    error = (found.double() - expected.double()).abs().max().item()
    WORST[what] = max(WORST.get(what, 0.0), error)
    assert error <= tolerance, f"{what}: off by {error}"


def tiers_of(helper: Any, dtype: Any) -> list[str]:
    with_library = helper._attention_library() is not None and dtype is not torch.float32
    return ["sdpa", "eager"] + (["library"] if with_library else [])


def test_all_tiers_give_the_same() -> None:
    helper = gpu()
    for shape, mask, dtype in itertools.product(SHAPES, MASKS, TOLERANCE):
        q, k, v = tensors(shape, dtype)
        expected = helper.attention(*(x.double() for x in (q, k, v)), **mask, tier="eager")
        for tier in tiers_of(helper, dtype):
            close(f"{tier} {dtype}", helper.attention(q, k, v, **mask, tier=tier), expected, TOLERANCE[dtype])
            swapped = (x.transpose(1, 2).contiguous() for x in (q, k, v))
            out = helper.attention(*swapped, **mask, tier=tier, layout="bhsd").transpose(1, 2)
            close(f"{tier} {dtype}", out, expected, TOLERANCE[dtype])


def test_all_tiers_have_the_same_gradients() -> None:
    helper = gpu()
    for shape, mask, dtype in itertools.product(SHAPES, MASKS, TOLERANCE):
        inputs = [x.requires_grad_() for x in tensors(shape, dtype)]
        precise = [x.detach().double().requires_grad_() for x in inputs]
        expected = torch.autograd.grad(helper.attention(*precise, **mask, tier="eager").sum(), precise)
        for tier in tiers_of(helper, dtype):
            found = torch.autograd.grad(helper.attention(*inputs, **mask, tier=tier).sum(), inputs)
            for one, wanted in zip(found, expected):
                scale = max(1.0, wanted.abs().max().item())
                close(f"gradient {tier} {dtype}", one / scale, wanted / scale, 2 * TOLERANCE[dtype])


def test_sequences_of_different_length() -> None:
    helper = gpu()
    ends = torch.tensor([0, 5, 5, 70, 128], device="cuda", dtype=torch.int32)
    for dtype in TOLERANCE:
        q, k, v = (x[0] for x in tensors((1, 128, 128, 8, 2, 64), dtype))
        out = helper.flash_attn_varlen_func(q, k, v, ends, ends, 65, 65, causal=True)
        for a, b in itertools.pairwise(ends.tolist()):
            alone = helper.attention(*(x[None, a:b].double() for x in (q, k, v)), causal=True, tier="eager")[0]
            if b > a:
                close(f"varlen {dtype}", out[a:b], alone, TOLERANCE[dtype])


def test_dropout_keeps_the_mean() -> None:
    helper = gpu()
    for dtype in TOLERANCE:
        q, v = (
            torch.zeros(4, 256, 8, 64, device="cuda", dtype=dtype),
            torch.ones(4, 256, 8, 64, device="cuda", dtype=dtype),
        )
        for tier in tiers_of(helper, dtype):
            out = helper.attention(q, q, v, dropout_p=0.25, tier=tier).float()
            assert abs(out.mean().item() - 1) < 0.02, f"{tier} {dtype}: mean {out.mean()}"
            assert out.std().item() > 0.01, f"{tier} {dtype}: nothing was dropped"


def test_a_graph_replays_on_new_inputs() -> None:
    helper = gpu()
    q, k, v = tensors(SHAPES[0], torch.float16)

    def function(*inputs: Any) -> Any:
        return helper.attention(*inputs, causal=True)

    replay = helper.graph_capture(function, q, k, v)
    for seed in range(3):
        torch.manual_seed(seed)
        others = [torch.randn_like(x) for x in (q, k, v)]
        close("graph", replay(*others), function(*others), 1e-3)
    try:
        replay(q[:1], k[:1], v[:1])
    except ValueError:
        pass
    else:
        raise AssertionError("another shape was taken")
    helper.synchronize_stream()
    helper.synchronize_stream(torch.cuda.Stream())


def test_compiled() -> None:
    helper = gpu()
    q, k, v = tensors(SHAPES[2], torch.float16)

    def function(*inputs: Any) -> Any:
        return helper.attention(*inputs, causal=True) * 2 + 1

    compile_plain: Callable[..., Any] = torch.compile
    close("torch.compile", compile_plain(function)(q, k, v), function(q, k, v), 1e-2)
    # the way that ROCm goes, with whatever compiler is here and no version held against it
    helper.IS_ROCM, helper._attention_library, helper._version = True, lambda: None, lambda text: (99, 0)
    for mode in (None, "reduce-overhead"):
        torch._dynamo.reset()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            out = helper.safe_compile(function, mode=mode)(q, k, v)
        assert not [one for one in told if "runs uncompiled" in str(one.message)], told
        close(f"safe_compile {mode}", out, function(q, k, v), 1e-2)


def test_the_device_is_described() -> None:
    helper = gpu()
    on_amd = torch.version.hip is not None
    assert (helper.gfx_arch() is not None) is on_amd
    expected = 64 if (helper.gfx_arch() or "").startswith("gfx9") else 32
    assert helper.wave_size() == helper.wave_size("cuda:0") == expected
    e4m3, e5m2 = helper.fp8_dtypes()
    x = torch.tensor([1.5, -2.0], device="cuda")
    assert torch.equal(x.to(e4m3).float(), x)
    assert torch.equal(x.to(e5m2).float(), x)
    telemetry = helper.device_telemetry()
    if telemetry["source"]:
        total = torch.cuda.get_device_properties(0).total_memory
        assert abs(telemetry["memory_total_bytes"] - total) < 0.1 * total
        assert 0 < telemetry["power_w"] < 3000
        assert 0 < telemetry["temperature_c"] < 120
    else:
        assert telemetry["reasons"]["all"]


if __name__ == "__main__":
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                print("passed", name)
            except unittest.SkipTest as reason:
                print("skipped", name, reason)
            except Exception as reason:
                failed += 1
                print("FAILED", name, type(reason).__name__, reason)
    if torch.cuda.is_available():
        print(torch.__version__, torch.cuda.get_device_name(0), json.dumps(load().device_telemetry(), default=str))
    print(json.dumps(WORST, indent=1))
    sys.exit(1 if failed else 0)
