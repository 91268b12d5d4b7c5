"""The vendored helper with torch on the CPU: every tier of attention against the definition, and what stands in for GPUs."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import math
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import rewarp.runtime  # noqa: E402

HELPER = Path(rewarp.runtime.__file__).with_name("rewarp_runtime.py")
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def load() -> Any:
    """The helper as a project imports it, with a state of its own."""
    spec = importlib.util.spec_from_file_location("vendored", HELPER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def helper() -> Any:
    return load()


def by_definition(
    q: Any,
    k: Any,
    v: Any,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Any = None,
    **_: Any,
) -> Any:
    """flash-attn's documentation, one query at a time, in float64."""
    batches, queries, heads, dim = q.shape
    keys, groups = k.shape[1], heads // k.shape[2]
    scale = 1 / math.sqrt(dim) if softmax_scale is None else softmax_scale
    out = torch.zeros(batches, queries, heads, v.shape[3], dtype=torch.float64)
    for b in range(batches):
        for h in range(heads):
            for i in range(queries):
                at = i + keys - queries
                first = 0 if window_size[0] < 0 else at - window_size[0]
                last = at if causal else keys if window_size[1] < 0 else at + window_size[1]
                seen = [j for j in range(keys) if first <= j <= last]
                if not seen:
                    continue
                scores = k[b, seen, h // groups].double() @ q[b, i, h].double() * scale
                if softcap > 0:
                    scores = softcap * torch.tanh(scores / softcap)
                if alibi_slopes is not None:
                    slope = alibi_slopes[h] if alibi_slopes.dim() == 1 else alibi_slopes[b, h]
                    scores = scores - slope.double() * torch.tensor([abs(at - j) for j in seen]).double()
                out[b, i, h] = scores.softmax(0) @ v[b, seen, h // groups].double()
    return out


def tensors(b: int, sq: int, sk: int, h: int, hk: int, d: int, dtype: Any = torch.float32, seed: int = 0) -> Any:
    generator = torch.Generator().manual_seed(seed)
    shapes = ((b, sq, h, d), (b, sk, hk, d), (b, sk, hk, d))
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]


def close(found: Any, expected: Any, dtype: Any) -> None:
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), expected, atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])


class Library(types.ModuleType):
    """A stand-in with flash-attn's or aiter's interface that computes by the definition and notes what it was given."""

    def __init__(self, name: str = "flash_attn", version: str = "2.8.3") -> None:
        super().__init__(name)
        self.__version__ = version
        self.given: list[dict[str, Any]] = []

    def flash_attn_func(self, q: Any, k: Any, v: Any, *args: Any, **kwargs: Any) -> Any:
        self.given.append({"args": args, **kwargs})
        out = by_definition(q, k, v, *args, **kwargs).to(q.dtype)
        return (out,) if self.__name__ == "aiter" else out

    def flash_attn_varlen_func(
        self, q: Any, k: Any, v: Any, cu_q: Any, cu_k: Any, mq: int, mk: int, *a: Any, **kw: Any
    ) -> Any:
        self.given.append({"args": a, "lengths": (mq, mk), **kw})
        ends = zip(cu_q, cu_q[1:], cu_k, cu_k[1:])
        return torch.cat(
            [
                by_definition(q[None, a0:a1], k[None, b0:b1], v[None, b0:b1], *a, **kw)[0].to(q.dtype)
                for a0, a1, b0, b1 in ends
            ]
        )


@pytest.fixture
def no_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("flash_attn", "aiter"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def on_amd(helper: Any, monkeypatch: pytest.MonkeyPatch, no_libraries: None) -> Any:
    """The helper as on an MI300X, as far as it asks."""
    monkeypatch.setattr(helper, "IS_ROCM", True)
    monkeypatch.setattr(helper, "gfx_arch", lambda device=None: "gfx942")
    return helper


# --- attention: three tiers, one result --------------------------------------------------


@settings(max_examples=100)
@given(data=st.data())
def test_all_tiers_are_the_definition(data: st.DataObject) -> None:
    draw = data.draw
    b, sq, sk = draw(st.integers(1, 2)), draw(st.integers(0, 6)), draw(st.integers(0, 6))
    hk, groups, d = draw(st.integers(1, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 8))
    dtype = draw(st.sampled_from(list(TOLERANCE)))
    causal, scale = draw(st.booleans()), draw(st.sampled_from([None, 0.3, 1.0]))
    window = draw(st.none() | st.tuples(st.integers(-1, 4), st.integers(-1, 4)))
    layout = draw(st.sampled_from(["bshd", "bhsd"]))
    q, k, v = tensors(b, sq, sk, hk * groups, hk, d, dtype, draw(st.integers(0, 9)))
    expected = by_definition(q, k, v, 0.0, scale, causal, window or (-1, -1))
    tiers = ["eager"] + (["sdpa"] if sq and sk else [])
    tiers += ["library"] if sq and sk and dtype in (torch.float16, torch.bfloat16) else []
    helper = load()
    helper._attention_library = lambda: Library()
    for tier in [*tiers, None]:
        given_q, given_k, given_v = (x if layout == "bshd" else x.transpose(1, 2) for x in (q, k, v))
        options = {"causal": causal, "scale": scale, "window": window, "layout": layout, "tier": tier}
        out = helper.attention(given_q, given_k, given_v, **options)
        close(out if layout == "bshd" else out.transpose(1, 2), expected, dtype)
        name = {"library": "flash_attn", None: "sdpa" if sq and sk else "eager"}.get(tier, tier)
        assert helper.last_attention_tier() == name


def test_a_short_query_sees_all_but_the_last_keys(helper: Any) -> None:
    """What torch's is_causal gets wrong: against two queries of five keys, the first sees four."""
    q, k, v = tensors(1, 2, 5, 1, 1, 4)
    for tier in ("sdpa", "eager"):
        out = helper.attention(q, k, v, causal=True, tier=tier)
        without_last = helper.attention(q[:, :1], k[:, :4], v[:, :4], tier="eager")
        torch.testing.assert_close(out[:, :1], without_last, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("tier", ["sdpa", "eager"])
@pytest.mark.parametrize(
    ("sq", "sk", "causal", "window"), [(5, 2, True, None), (4, 4, False, (1, 0)), (1, 4, True, None)]
)
def test_gradients_are_those_of_the_definition(
    helper: Any, tier: str, sq: int, sk: int, causal: bool, window: Any
) -> None:
    """Also where a query sees no key: zeros, not NaN."""
    inputs = [x.requires_grad_() for x in tensors(2, sq, sk, 4, 2, 4, torch.float64)]
    weight = torch.randn(2, sq, 4, 4, dtype=torch.float64)
    by_tier = torch.autograd.grad(
        (helper.attention(*inputs, causal=causal, window=window, tier=tier) * weight).sum(), inputs
    )
    expected = by_definition(*inputs, causal=causal, window_size=window or (-1, -1))
    for found, wanted in zip(by_tier, torch.autograd.grad((expected * weight).sum(), inputs)):
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("tier", ["sdpa", "eager"])
def test_dropout_keeps_the_mean_and_drops(helper: Any, tier: str) -> None:
    torch.manual_seed(0)
    q, k, v = torch.zeros(1, 64, 4, 8), torch.zeros(1, 64, 4, 8), torch.ones(1, 64, 4, 8)
    out = helper.attention(q, k, v, dropout_p=0.5, tier=tier)
    assert abs(out.mean().item() - 1) < 0.05
    # every weight is 1/64; each kept one counts double
    counts = out * 32
    torch.testing.assert_close(counts, counts.round(), atol=1e-3, rtol=0)
    assert out.std() > 0.05
    assert torch.equal(helper.attention(q, k, v, dropout_p=0.0, tier=tier), torch.ones_like(out))


def test_the_result_can_be_viewed_as_flash_attns_can(helper: Any) -> None:
    q, k, v = tensors(2, 3, 3, 4, 2, 8)
    for tier in ("sdpa", "eager"):
        assert helper.attention(q, k, v, tier=tier).view(2, 3, 32).shape == (2, 3, 32)
    assert helper.flash_attn_func(q, k, v, deterministic=True).view(2, 3, 32).shape == (2, 3, 32)


def test_sdpa_never_gets_a_row_without_a_key(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older versions of torch give NaN for one, and NaN gradients."""
    masks = []
    real = torch.nn.functional.scaled_dot_product_attention

    def note(*inputs: Any, **options: Any) -> Any:
        masks.append(options["attn_mask"])
        return real(*inputs, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", note)
    helper.attention(*tensors(1, 5, 2, 1, 1, 4), causal=True, tier="sdpa")
    assert masks[0].any(-1).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layout": "sbhd"}, "layout"),
        ({"enable_gqa": False}, "4 heads and k has 2"),
        ({"tier": "library"}, "cannot do this here"),
        ({"tier": "fastest"}, "cannot do this here"),
    ],
)
def test_what_cannot_be_done_is_refused(helper: Any, no_libraries: None, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        helper.attention(*tensors(1, 2, 2, 4, 2, 4), **change)


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3, 4), (2, 3, 4), (2, 3, 4)],
        [(1, 3, 3, 4), (1, 3, 2, 4), (1, 3, 2, 4)],
        [(1, 3, 2, 4), (1, 3, 0, 4), (1, 3, 0, 4)],
        [(1, 3, 2, 4), (2, 3, 2, 4), (2, 3, 2, 4)],
        [(1, 3, 2, 4), (1, 3, 2, 8), (1, 3, 2, 8)],
        [(1, 3, 2, 4), (1, 3, 2, 4), (1, 4, 2, 4)],
    ],
)
def test_shapes_that_do_not_fit_are_refused(helper: Any, shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"dimensions|fit together|cannot share"):
        helper.attention(*(torch.zeros(shape) for shape in shapes))


# --- which tier ----------------------------------------------------------------------------


def test_an_amd_library_comes_first(on_amd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setitem(sys.modules, "flash_attn", library)
    q, k, v = tensors(1, 3, 5, 4, 2, 8, torch.bfloat16)
    out = on_amd.attention(q, k, v, causal=True, scale=0.2, dropout_p=0.25, window=(2, 1))
    assert on_amd.last_attention_tier() == "flash_attn"
    assert library.given == [{"args": (0.25, 0.2, True, (2, 1)), "alibi_slopes": None, "deterministic": False}]
    close(out, by_definition(q, k, v, 0, 0.2, True, (2, 1)), torch.bfloat16)


def test_aiter_is_the_second_choice_and_keeps_what_training_needs(on_amd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library("aiter")
    monkeypatch.setitem(sys.modules, "aiter", library)
    q, k, v = tensors(1, 3, 3, 2, 2, 8, torch.float16)
    close(on_amd.attention(q, k, v), by_definition(q, k, v), torch.float16)
    on_amd.attention(q.requires_grad_(), k, v)
    with torch.no_grad():
        on_amd.attention(q, k, v)
    assert on_amd.last_attention_tier() == "aiter"
    assert [given["return_lse"] for given in library.given] == [False, True, False]


@pytest.mark.parametrize(
    ("name", "version", "arch", "dtype", "sizes", "options"),
    [
        ("flash_attn", "2.8.3", "gfx1030", "float16", (3, 3, 8), {}),
        ("flash_attn", "2.8.3", "gfx906", "float16", (3, 3, 8), {}),
        ("aiter", "0.1.5", "gfx1100", "float16", (3, 3, 8), {}),
        ("flash_attn", "2.8.3", None, "float16", (3, 3, 8), {}),
        ("flash_attn", "2.8.3", "gfx942", "float32", (3, 3, 8), {}),
        ("flash_attn", "2.8.3", "gfx942", "float16", (3, 3, 264), {}),
        ("flash_attn", "2.0.4", "gfx942", "float16", (3, 5, 8), {"causal": True}),
        ("flash_attn", "2.5.9", "gfx942", "float16", (3, 3, 8), {}),
    ],
)
def test_what_the_library_cannot_do_goes_to_torch(
    on_amd: Any,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    version: str,
    arch: Any,
    dtype: str,
    sizes: Any,
    options: Any,
) -> None:
    library = Library(name, version)
    monkeypatch.setitem(sys.modules, name, library)
    monkeypatch.setattr(on_amd, "gfx_arch", lambda device=None: arch)
    q, k, v = tensors(1, sizes[0], sizes[1], 2, 2, sizes[2], getattr(torch, dtype))
    expected = by_definition(q, k, v, causal=options.get("causal", False))
    close(on_amd.attention(q, k, v, **options), expected, q.dtype)
    assert on_amd.last_attention_tier() == "sdpa"
    assert library.given == []


def test_an_old_flash_attn_leaves_the_work_to_aiter(on_amd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flash_attn", Library(version="2.0.4"))
    monkeypatch.setitem(sys.modules, "aiter", Library("aiter", "0.1.5"))
    on_amd.attention(*tensors(1, 3, 3, 2, 2, 8, torch.float16), causal=True)
    assert on_amd.last_attention_tier() == "aiter"


def test_values_of_another_width_go_to_torch(on_amd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flash_attn", Library())
    q, k, _ = tensors(1, 3, 3, 2, 2, 8, torch.float16)
    v = torch.randn(1, 3, 2, 4).half()
    close(on_amd.attention(q, k, v), by_definition(q, k, v), torch.float16)
    assert on_amd.last_attention_tier() == "sdpa"


def test_softcap_never_goes_to_the_library(on_amd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Composable Kernel build takes the argument and ignores it."""
    library = Library()
    monkeypatch.setitem(sys.modules, "flash_attn", library)
    q, k, v = tensors(1, 3, 3, 2, 2, 8, torch.float16)
    close(on_amd.flash_attn_func(q * 9, k, v, softcap=2.0), by_definition(q * 9, k, v, softcap=2.0), torch.float16)
    lengths = torch.tensor([0, 3])
    out = on_amd.flash_attn_varlen_func(q[0] * 9, k[0], v[0], lengths, lengths, 3, 3, softcap=2.0)
    close(out, by_definition(q * 9, k, v, softcap=2.0)[0], torch.float16)
    assert (on_amd.last_attention_tier(), library.given) == ("eager", [])


def test_elsewhere_no_library_is_even_looked_for(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "_attention_library", lambda: pytest.fail("looked for a library"))
    q, k, v = tensors(1, 3, 3, 2, 2, 8, torch.float16)
    helper.attention(q, k, v)
    helper.flash_attn_varlen_func(q[0], k[0], v[0], torch.tensor([0, 3]), torch.tensor([0, 3]), 3, 3)
    assert helper.last_attention_tier() == "sdpa"


def test_a_library_that_does_not_load_is_told_of_and_passed_by(
    on_amd: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "flash_attn.py").write_text("import flash_attn_2_cuda_of_another_platform\n")
    monkeypatch.delitem(sys.modules, "flash_attn")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning, match="flash_attn is installed and cannot be imported.*of_another_platform"):
        on_amd.attention(*tensors(1, 3, 3, 2, 2, 8, torch.float16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on_amd.attention(*tensors(1, 3, 3, 2, 2, 8, torch.float16))
    assert on_amd.last_attention_tier() == "sdpa"


# --- flash-attn's own functions ------------------------------------------------------------

DENSE = "dropout_p softmax_scale causal window_size softcap alibi_slopes deterministic return_attn_probs".split()
LENGTHS = "cu_seqlens_q cu_seqlens_k max_seqlen_q max_seqlen_k".split()


def test_signatures_are_flash_attns(helper: Any) -> None:
    assert list(inspect.signature(helper.flash_attn_func).parameters) == ["q", "k", "v", *DENSE]
    varlen = list(inspect.signature(helper.flash_attn_varlen_func).parameters)
    assert varlen == ["q", "k", "v", *LENGTHS, *DENSE, "block_table"]
    packed = list(inspect.signature(helper.flash_attn_varlen_qkvpacked_func).parameters)
    assert packed[:3] == ["qkv", "cu_seqlens", "max_seqlen"]


@pytest.mark.parametrize("slopes", [(2,), (3, 2)])
def test_alibi_and_softcap_are_written_out(helper: Any, slopes: tuple[int, ...]) -> None:
    q, k, v = tensors(3, 4, 6, 2, 1, 8)
    alibi = torch.rand(slopes)
    out = helper.flash_attn_func(q, k, v, 0.0, 0.5, True, (3, -1), 1.5, alibi)
    close(out, by_definition(q, k, v, 0.0, 0.5, True, (3, -1), 1.5, alibi), torch.float32)
    assert helper.last_attention_tier() == "eager"


def test_a_deterministic_backward_pass_is_not_left_to_sdpa(helper: Any) -> None:
    helper.flash_attn_func(*tensors(1, 2, 2, 1, 1, 4), deterministic=True)
    assert helper.last_attention_tier() == "eager"


def test_packed_forms(helper: Any) -> None:
    q, k, v = tensors(2, 4, 4, 3, 3, 8)
    expected = by_definition(q, k, v, 0.0, 0.7, True)
    close(helper.flash_attn_qkvpacked_func(torch.stack([q, k, v], 2), 0.0, 0.7, True), expected, torch.float32)
    close(helper.flash_attn_kvpacked_func(q, torch.stack([k, v], 2), 0.0, 0.7, causal=True), expected, torch.float32)
    ends = torch.tensor([0, 4, 8])
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    packed = helper.flash_attn_varlen_qkvpacked_func(torch.stack([q, k, v], 1), ends, 4, 0.0, 0.7, True)
    close(packed.unflatten(0, (2, 4)), expected, torch.float32)
    packed = helper.flash_attn_varlen_kvpacked_func(q, torch.stack([k, v], 1), ends, ends, 4, 4, 0.0, 0.7, causal=True)
    close(packed.unflatten(0, (2, 4)), expected, torch.float32)


@pytest.mark.parametrize("lengths_k", [[3, 0, 4, 1], [2, 5, 1, 0]])
def test_sequences_of_different_length(
    helper: Any, on_amd: Any, monkeypatch: pytest.MonkeyPatch, lengths_k: list[int]
) -> None:
    lengths_q = [3, 0, 4, 1]
    ends_q, ends_k = ([0, *torch.tensor(x).cumsum(0).tolist()] for x in (lengths_q, lengths_k))
    q, k, v = (x[0] for x in tensors(1, 10, 8, 4, 2, 8, torch.float16))
    alibi = torch.rand(4, 4)
    arguments = (torch.tensor(ends_q), torch.tensor(ends_k), 4, 5, 0.0, 0.5, True, (2, -1))

    def expected(slopes: Any) -> Any:
        out = torch.zeros(10, 4, 8, dtype=torch.float64)
        for i in range(4):
            own_q, own_k = slice(ends_q[i], ends_q[i + 1]), slice(ends_k[i], ends_k[i + 1])
            own = None if slopes is None else slopes[i]
            given = (q[None, own_q], k[None, own_k], v[None, own_k])
            out[own_q] = by_definition(*given, 0.0, 0.5, True, (2, -1), 0.0, own)[0]
        return out

    close(helper.flash_attn_varlen_func(q, k, v, *arguments), expected(None), torch.float16)
    close(helper.flash_attn_varlen_func(q, k, v, *arguments, alibi_slopes=alibi), expected(alibi), torch.float16)
    library = Library()
    monkeypatch.setitem(sys.modules, "flash_attn", library)
    on_amd._attention_library.cache_clear()
    out = on_amd.flash_attn_varlen_func(q, k, v, *arguments)
    close(out, expected(None)[: ends_q[-1]], torch.float16)
    assert (on_amd.last_attention_tier(), library.given[0]["lengths"]) == ("flash_attn", (4, 5))


def test_gradients_through_sequences_of_different_length(helper: Any) -> None:
    q, k, v = (x[0].requires_grad_() for x in tensors(1, 5, 5, 2, 1, 4, torch.float64))
    ends = torch.tensor([0, 2, 5])
    helper.flash_attn_varlen_func(q, k, v, ends, ends, 3, 3, causal=True).square().sum().backward()
    found = [x.grad.clone() for x in (q, k, v)]
    parts = [
        by_definition(q[None, a:b], k[None, a:b], v[None, a:b], causal=True).square().sum() for a, b in [(0, 2), (2, 5)]
    ]
    for one, wanted in zip(found, torch.autograd.grad(sum(parts), (q, k, v))):
        torch.testing.assert_close(one, wanted)


def test_what_only_flash_attn_can_do_is_refused(helper: Any) -> None:
    q, k, v = tensors(1, 2, 2, 1, 1, 4)
    ends = torch.tensor([0, 2])
    with pytest.raises(NotImplementedError, match="return_attn_probs"):
        helper.flash_attn_func(q, k, v, return_attn_probs=True)
    with pytest.raises(NotImplementedError, match="block_table"):
        helper.flash_attn_varlen_func(q[0], k[0], v[0], ends, ends, 2, 2, block_table=torch.zeros(1, 1))


@pytest.mark.parametrize("rocm", [False, True])
def test_attention_can_be_compiled(
    helper: Any, no_libraries: None, monkeypatch: pytest.MonkeyPatch, rocm: bool
) -> None:
    monkeypatch.setitem(sys.modules, "vendored", helper)  # where torch.compile looks for globals
    monkeypatch.setattr(helper, "IS_ROCM", rocm)
    q, k, v = tensors(1, 3, 5, 4, 2, 8)
    compiled = torch.compile(lambda *x: helper.attention(*x, causal=True), backend="eager", fullgraph=not rocm)
    close(compiled(q, k, v), by_definition(q, k, v, causal=True), torch.float32)
    assert helper.last_attention_tier() == "sdpa"


# --- the device ----------------------------------------------------------------------------


def put_gpu(helper: Any, monkeypatch: pytest.MonkeyPatch, rocm: bool = True, **properties: Any) -> None:
    monkeypatch.setattr(helper, "IS_ROCM", rocm)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    cards = {0: types.SimpleNamespace(gcnArchName="gfx1100"), 1: types.SimpleNamespace(**properties)}
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: cards[index])


def test_the_architecture_of_a_device(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert helper.gfx_arch() is None
    assert helper.is_rocm() is helper.IS_ROCM is (torch.version.hip is not None)
    put_gpu(helper, monkeypatch, gcnArchName="gfx942:sramecc+:xnack-")
    assert helper.is_rocm() is True
    named = [helper.gfx_arch(device) for device in (None, 1, "cuda:1", "cuda", torch.device("cuda", 0), "cpu", "meta")]
    assert named == ["gfx942", "gfx942", "gfx942", "gfx942", "gfx1100", None, None]
    monkeypatch.setattr(helper, "IS_ROCM", False)
    assert helper.gfx_arch() is None


@pytest.mark.parametrize(
    ("rocm", "properties", "size"),
    [
        (True, {"gcnArchName": "gfx90a:xnack-", "warp_size": 64}, 64),
        (True, {"gcnArchName": "gfx1201", "warp_size": 32}, 32),
        (True, {"gcnArchName": "gfx942"}, 64),
        (True, {"gcnArchName": "gfx1100"}, 32),
        (False, {}, 32),
    ],
)
def test_the_size_of_a_wave(
    helper: Any, monkeypatch: pytest.MonkeyPatch, rocm: bool, properties: dict[str, Any], size: int
) -> None:
    put_gpu(helper, monkeypatch, rocm, **properties)
    assert helper.wave_size() == size


def test_a_cpu_has_no_waves(helper: Any) -> None:
    with pytest.raises(RuntimeError, match="GPU"):
        helper.wave_size("cpu")


@pytest.mark.parametrize(
    ("arch", "fnuz"), [("gfx940", True), ("gfx942", True), ("gfx950", False), ("gfx90a", False), ("gfx1201", False)]
)
def test_the_fp8_types_of_a_device(helper: Any, monkeypatch: pytest.MonkeyPatch, arch: str, fnuz: bool) -> None:
    put_gpu(helper, monkeypatch, gcnArchName=arch)
    e4m3, e5m2 = helper.fp8_dtypes()
    assert e4m3 is (torch.float8_e4m3fnuz if fnuz else torch.float8_e4m3fn)
    assert e5m2 is (torch.float8_e5m2fnuz if fnuz else torch.float8_e5m2)
    assert torch.finfo(e4m3).max == (240 if fnuz else 448)


def test_waiting_for_a_stream(helper: Any) -> None:
    waited = []
    helper.synchronize_stream()
    helper.synchronize_stream(types.SimpleNamespace(synchronize=lambda: waited.append(1)))
    assert waited == [1]


def test_graphs_need_a_gpu(helper: Any) -> None:
    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    with pytest.raises(RuntimeError, match="GPU"):
        helper.graph_capture(lambda x: x, torch.zeros(1))


# --- sensors -------------------------------------------------------------------------------

PCI = {"pci_domain_id": 0, "pci_bus_id": 0x76, "pci_device_id": 0}
SENSORS = ("temperature_c", "utilization_percent", "power_w", "clock_mhz", "memory_used_bytes", "memory_total_bytes")


def amdsmi(**changes: Any) -> Any:
    smi = types.ModuleType("amdsmi")
    values = {
        "amdsmi_init": lambda: None,
        "amdsmi_get_processor_handle_from_bdf": {"0000:76:00.0": "card"}.__getitem__,
        "AmdSmiTemperatureType": types.SimpleNamespace(JUNCTION="junction"),
        "AmdSmiTemperatureMetric": types.SimpleNamespace(CURRENT="current"),
        "AmdSmiClkType": types.SimpleNamespace(GFX="gfx"),
        "amdsmi_get_temp_metric": lambda *a: {("card", "junction", "current"): 51}[a],
        "amdsmi_get_gpu_activity": lambda card: {"gfx_activity": 70, "umc_activity": 3},
        "amdsmi_get_power_info": lambda card: {"current_socket_power": 420, "average_socket_power": "N/A"},
        "amdsmi_get_clock_info": lambda *a: {("card", "gfx"): {"clk": 1700, "max_clk": 2100}}[a],
        "amdsmi_get_gpu_vram_usage": lambda card: {"vram_used": 283, "vram_total": 196592},
    }
    smi.__dict__.update({**values, **changes})
    return smi


def pynvml(**changes: Any) -> Any:
    nvml = types.ModuleType("pynvml")
    values = {
        "NVML_TEMPERATURE_GPU": "gpu",
        "NVML_CLOCK_SM": "sm",
        "nvmlInit": lambda: None,
        "nvmlDeviceGetHandleByPciBusId": {"0000:76:00.0": "card"}.__getitem__,
        "nvmlDeviceGetTemperature": lambda *a: {("card", "gpu"): 51}[a],
        "nvmlDeviceGetUtilizationRates": lambda card: types.SimpleNamespace(gpu=70, memory=3),
        "nvmlDeviceGetPowerUsage": lambda card: 420000,
        "nvmlDeviceGetClockInfo": lambda *a: {("card", "sm"): 1700}[a],
        "nvmlDeviceGetMemoryInfo": lambda card: types.SimpleNamespace(used=283 * 2**20, total=196592 * 2**20),
    }
    nvml.__dict__.update({**values, **changes})
    return nvml


@pytest.mark.parametrize(("rocm", "library"), [(True, amdsmi()), (False, pynvml())])
def test_both_vendors_give_the_same_figures(
    helper: Any, monkeypatch: pytest.MonkeyPatch, rocm: bool, library: Any
) -> None:
    put_gpu(helper, monkeypatch, rocm, **PCI)
    monkeypatch.setitem(sys.modules, library.__name__, library)
    found = helper.device_telemetry()
    assert [found[name] for name in SENSORS] == [51, 70, 420, 1700, 283 * 2**20, 196592 * 2**20]
    assert (found["source"], found["reasons"]) == (library.__name__, {})


def test_other_spellings_of_amdsmi(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    power = {"current_socket_power": "N/A", "average_socket_power": 95}
    library = amdsmi(amdsmi_get_power_info=lambda card: power, amdsmi_get_clock_info=lambda *a: {"cur_clk": 132})
    put_gpu(helper, monkeypatch, **PCI)
    monkeypatch.setitem(sys.modules, "amdsmi", library)
    found = helper.device_telemetry()
    assert (found["power_w"], found["clock_mhz"]) == (95, 132)


def test_a_sensor_that_is_missing_leaves_the_others(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: Any) -> None:
        raise RuntimeError("not supported")

    library = amdsmi(amdsmi_get_temp_metric=unsupported, amdsmi_get_gpu_activity=lambda card: {"gfx_activity": "N/A"})
    put_gpu(helper, monkeypatch, **PCI)
    monkeypatch.setitem(sys.modules, "amdsmi", library)
    found = helper.device_telemetry()
    assert (found["temperature_c"], found["utilization_percent"], found["power_w"]) == (None, None, 420)
    assert found["reasons"] == {
        "temperature_c": "RuntimeError: not supported",
        "utilization_percent": "ValueError: amdsmi gives ['N/A']",
    }


@pytest.mark.parametrize(
    ("properties", "library", "reason"),
    [(PCI, None, "amdsmi"), ({}, amdsmi(), "pci_domain_id"), ({**PCI, "pci_bus_id": 1}, amdsmi(), "0000:01:00.0")],
)
def test_without_a_way_to_ask_there_is_a_reason(
    helper: Any, monkeypatch: pytest.MonkeyPatch, properties: dict[str, int], library: Any, reason: str
) -> None:
    put_gpu(helper, monkeypatch, **properties)
    monkeypatch.setitem(sys.modules, "amdsmi", library)
    found = helper.device_telemetry()
    assert found["source"] is None
    assert [found[name] for name in SENSORS] == [None] * 6
    assert reason in found["reasons"]["all"]


def test_a_cpu_has_no_sensors(helper: Any) -> None:
    assert "not a GPU" in helper.device_telemetry("cpu")["reasons"]["all"]


# --- torch.compile -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rocm", "torch_version", "hip", "mode", "expected"),
    [
        (True, "2.10.0+rocm7.0", "7.0.51831", "reduce-overhead", "default"),
        (True, "2.10.0+rocm7.0", "7.0.51831", "max-autotune", "max-autotune-no-cudagraphs"),
        (True, "2.10.0+rocm7.2", "7.2.0", "reduce-overhead", "default"),
        (True, "2.12.0+rocm7.1", "7.1.25424-4179531dcd", "reduce-overhead", "default"),
        (True, "2.11.0+rocm7.2", "7.2.0", "reduce-overhead", "reduce-overhead"),
        (True, "2.9.0+rocm6.4", "6.4.1", "max-autotune-no-cudagraphs", "max-autotune-no-cudagraphs"),
        (True, "2.9.0+rocm6.4", "6.4.1", None, None),
        (False, "2.10.0+cu130", None, "reduce-overhead", "reduce-overhead"),
    ],
)
def test_the_mode_follows_the_versions(
    helper: Any, monkeypatch: pytest.MonkeyPatch, rocm: bool, torch_version: str, hip: Any, mode: Any, expected: Any
) -> None:
    compiled: list[dict[str, Any]] = []
    monkeypatch.setattr(helper, "IS_ROCM", rocm)
    monkeypatch.setattr(torch, "__version__", torch_version)
    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(torch, "compile", lambda function, **options: compiled.append(options) or function)
    helper.safe_compile(len, mode=mode, dynamic=True)
    helper.safe_compile(mode=mode, backend="aot_eager")(len)
    assert [options["mode"] for options in compiled] == [expected, expected]
    assert compiled[0].get("backend") == (helper._inductor_or_as_it_is if rocm else None)
    assert (compiled[0]["dynamic"], compiled[1]["backend"]) == (True, "aot_eager")


@pytest.mark.parametrize("broken", [False, True])
def test_a_graph_that_does_not_compile_runs_as_it_is(
    helper: Any, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    from torch._inductor import compile_fx

    seen = []

    def compile_it(graph: Any, inputs: Any, config_patches: dict[str, Any]) -> Any:
        seen.append(config_patches)
        if broken:
            raise ImportError("cannot import name 'triton_key'")
        return lambda *x: [value + 100 for value in graph.forward(*x)]

    monkeypatch.setattr(helper, "IS_ROCM", True)
    monkeypatch.setattr(torch.version, "hip", "9.9")
    monkeypatch.setattr(torch, "__version__", "9.9")
    monkeypatch.setattr(compile_fx, "compile_fx", compile_it)
    module = helper.safe_compile(torch.nn.Linear(3, 3), mode="reduce-overhead")
    assert set(module._orig_mod.state_dict()) == {"weight", "bias"}
    x = torch.ones(2, 3)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        out = module(x)
    torch.testing.assert_close(out, module._orig_mod(x) + (0 if broken else 100))
    assert seen == [{"triton.cudagraphs": True}]
    assert any("runs uncompiled: ImportError" in str(one.message) for one in told) is broken


# --- the file ------------------------------------------------------------------------------


def test_importing_it_does_nothing(tmp_path: Path) -> None:
    check = (
        "import sys, torch; before = set(sys.modules); state = torch.get_rng_state();"
        "import rewarp_runtime; new = set(sys.modules) - before;"
        "assert not torch.cuda.is_initialized();"
        "assert torch.equal(state, torch.get_rng_state());"
        "assert new <= {'rewarp_runtime'}, new;"
        "assert rewarp_runtime.last_attention_tier() is None"
    )
    (tmp_path / "rewarp_runtime.py").write_bytes(HELPER.read_bytes())
    subprocess.run([sys.executable, "-W", "error::UserWarning:rewarp_runtime", "-c", check], cwd=tmp_path, check=True)


def test_projects_on_older_pythons_can_read_it() -> None:
    ast.parse(HELPER.read_text(), feature_version=(3, 8))


def two_cards(**changes: Any) -> Any:
    return amdsmi(
        amdsmi_shut_down=lambda: None,
        amdsmi_get_processor_handles=lambda: ["other", "card"],
        amdsmi_get_gpu_asic_info=lambda card: {"market_name": f"MI300X {card}"},
        amdsmi_get_gpu_device_uuid=lambda card: f"uuid of {card}",
        amdsmi_get_gpu_driver_info=lambda card: {"driver_version": "6.12"},
        AmdSmiClkType=types.SimpleNamespace(GFX="gfx", MEM="mem"),
        amdsmi_get_clock_info=lambda *a: {("card", "gfx"): {"clk": 1700}, ("card", "mem"): {"cur_clk": 1300}}[a],
        **changes,
    )


def test_nvml_is_answered_by_amdsmi(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amdsmi", two_cards())
    nvml = helper
    nvml.nvmlInit()
    card = nvml.nvmlDeviceGetHandleByIndex(1)
    assert (nvml.nvmlDeviceGetCount(), card) == (2, "card")
    memory, rates = nvml.nvmlDeviceGetMemoryInfo(card), nvml.nvmlDeviceGetUtilizationRates(card)
    assert (memory.total, memory.used) == (196592 * 2**20, 283 * 2**20)
    assert memory.free == memory.total - memory.used
    assert (rates.gpu, rates.memory) == (70, 3)
    assert nvml.nvmlDeviceGetPowerUsage(card) == 420_000
    assert nvml.nvmlDeviceGetTemperature(card, nvml.NVML_TEMPERATURE_GPU) == 51
    assert nvml.nvmlDeviceGetClockInfo(card, nvml.NVML_CLOCK_SM) == 1700
    assert nvml.nvmlDeviceGetClockInfo(card, nvml.NVML_CLOCK_MEM) == 1300
    assert (nvml.nvmlDeviceGetName(card), nvml.nvmlDeviceGetUUID(card)) == ("MI300X card", "uuid of card")
    assert nvml.nvmlSystemGetDriverVersion() == "6.12"
    nvml.nvmlShutdown()


@pytest.mark.parametrize("index", [2, -1])
def test_nvml_has_no_other_card(helper: Any, monkeypatch: pytest.MonkeyPatch, index: int) -> None:
    monkeypatch.setitem(sys.modules, "amdsmi", two_cards())
    with pytest.raises(helper.NVMLError):
        helper.nvmlDeviceGetHandleByIndex(index)


def test_what_amdsmi_cannot_tell_is_an_error_of_nvml(helper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amdsmi", two_cards(amdsmi_get_power_info=lambda card: {}))
    with pytest.raises(helper.NVMLError, match="amdsmi gives"):
        helper.nvmlDeviceGetPowerUsage("card")
    monkeypatch.setitem(sys.modules, "amdsmi", None)
    with pytest.raises(helper.NVMLError, match="amdsmi"):
        helper.nvmlInit()
