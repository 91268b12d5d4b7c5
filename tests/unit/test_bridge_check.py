"""Verdicts: what decides, what is not known, and remedies that were asked again. LMCache itself: test_bridge_lmcache.py."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.bridge.check import check, cross
from rewarp.bridge.crossing import Basis, CrossingVerdict, Kind
from rewarp.bridge.deployment import Deployment, of_platform, with_fp8, with_settings
from rewarp.bridge.facts import accelerators, versions
from rewarp.bridge.matrix import matrix
from rewarp.report.bridge import exit_code

H100, MI300X, GAUDI3 = (of_platform(name) for name in ("h100", "mi300x", "gaudi3"))
FP8 = {"vllm.kv_cache_dtype": "fp8"}
Settings = Mapping[str, object]
NOTHING: Settings = MappingProxyType({})


def verdict(kind: Kind = Kind.CHUNKS, both: Settings = NOTHING, b: Settings = NOTHING) -> CrossingVerdict:
    return cross(kind, with_settings(H100, both), with_settings(MI300X, {**both, **b})).verdict


# --- KV chunks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, CrossingVerdict.EXACT),
        (FP8, CrossingVerdict.SILENTLY_WRONG),
        ({**FP8, "vllm.kv_scales": "checkpoint"}, CrossingVerdict.SILENTLY_WRONG),
        ({"vllm.kv_cache_dtype": "int8_per_token_head"}, CrossingVerdict.IMPOSSIBLE),
        ({"vllm.kv_cache_dtype": "nvfp4"}, CrossingVerdict.UNKNOWN),
        ({"vllm.kv_cache_dtype": "fp8_e5m2"}, CrossingVerdict.UNKNOWN),  # AMD has none
        ({"vllm.kv_cache_dtype": "a type of next year"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.version": "0.5.6rc1"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.version": "0.5.7"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.version": "0.5.0"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.version": "0.5.1"}, CrossingVerdict.EXACT),
        ({"vllm.version": "0.25.1"}, CrossingVerdict.UNKNOWN),
        ({"vllm.version": "0.33.0"}, CrossingVerdict.UNKNOWN),
        ({"vllm.version": "0.26.1rc0+1114"}, CrossingVerdict.UNKNOWN),
        ({"python": "3.14"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.remote_serde": "cachegen"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.remote_url": "s3://bucket.host:443"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.remote_url": "none"}, CrossingVerdict.MISS),
        ({"lmcache.remote_url": "fs:///shared"}, CrossingVerdict.IMPOSSIBLE),
        ({"lmcache.remote_url": "redis://cache"}, CrossingVerdict.IMPOSSIBLE),
        ({"lmcache.remote_url": "redis://cache:6379"}, CrossingVerdict.EXACT),
        ({"vllm.attention_backend": "ROCM_ATTN"}, CrossingVerdict.IMPOSSIBLE),
        ({"vllm.attention_backend": "TRITON_ATTN"}, CrossingVerdict.EXACT),
        ({"vllm.shuffle_kv_cache_layout": True}, CrossingVerdict.UNKNOWN),
        ({"lmcache.mode": "multi-process", "lmcache.remote_url": "redis://cache:6379"}, CrossingVerdict.UNKNOWN),
        ({"lmcache.mode": "multi-process", "lmcache.pre_caching_hash_algorithm": "builtin"}, CrossingVerdict.UNKNOWN),
    ],
)
def test_both_sides_alike(settings: Settings, expected: CrossingVerdict) -> None:
    assert verdict(both=settings) is expected


@pytest.mark.parametrize(
    ("settings", "expected", "field"),
    [
        ({"vllm.block_size": 128}, CrossingVerdict.EXACT, ""),
        ({"vllm.rope": '{"rope-theta": 1000000}'}, CrossingVerdict.SILENTLY_WRONG, "vllm.rope"),
        ({"python": "3.10"}, CrossingVerdict.MISS, "python"),
        ({"python": "3.11"}, CrossingVerdict.EXACT, ""),
        ({"hash_seed": "random"}, CrossingVerdict.MISS, "hash_seed"),
        ({"hash_seed": "tuesday"}, CrossingVerdict.UNKNOWN, "hash_seed"),
        ({"lmcache.use_layerwise": True}, CrossingVerdict.MISS, "lmcache.use_layerwise"),
        ({"vllm.pipeline_parallel_size": 2}, CrossingVerdict.MISS, "vllm.tensor_parallel_size"),
        ({"lmcache.remote_url": "fs://another:0/kv/"}, CrossingVerdict.EXACT, ""),  # the host of a path decides nothing
        ({"lmcache.remote_url": "fs://shared:0/elsewhere"}, CrossingVerdict.MISS, "lmcache.remote_url"),
    ],
)
def test_one_side_differs(settings: Settings, expected: CrossingVerdict, field: str) -> None:
    crossing = cross(Kind.CHUNKS, H100, with_settings(MI300X, settings))
    assert (crossing.verdict, crossing.field) == (expected, field)


def test_a_latent_cache_does_not_care_for_workers() -> None:
    assert verdict(both={"model.mla": True}, b={"vllm.tensor_parallel_size": 8}) is CrossingVerdict.EXACT


@pytest.mark.parametrize(
    "missing",
    [
        "accelerator",
        "python",
        "hash_seed",
        "vllm.version",
        "vllm.model",
        "vllm.kv_scales",
        "lmcache.version",
        "lmcache.remote_url",
    ],
)
def test_what_nobody_said_is_not_known(missing: str) -> None:
    """Whatever decides, and is missing on one side, makes the verdict unknown, never exact."""
    from rewarp.bridge.deployment import REFERENCE

    said = {name: value for name, value in {**REFERENCE, **FP8, "accelerator": "h100"}.items() if name != missing}
    side = with_settings(Deployment("somewhere"), said)
    whole = with_settings(H100, FP8)
    assert cross(Kind.CHUNKS, whole, side).verdict is CrossingVerdict.UNKNOWN
    assert cross(Kind.CHUNKS, side, whole).verdict is CrossingVerdict.UNKNOWN


def test_two_stores_with_two_encodings_are_to_be_converted() -> None:
    own = {"lmcache.remote_url": "fs://shared:0/amd"}
    crossing = cross(Kind.CHUNKS, with_settings(H100, FP8), with_settings(MI300X, {**FP8, **own}))
    assert crossing.verdict is CrossingVerdict.CONVERT
    assert "14 codes" in crossing.rule
    other_model = with_settings(MI300X, {**FP8, **own, "vllm.model": "another"})
    assert cross(Kind.CHUNKS, with_settings(H100, FP8), other_model).verdict is CrossingVerdict.MISS


def test_where_the_key_spells_the_type_otherwise_another_store_can_be_converted_to() -> None:
    h100, gaudi = with_fp8(of_platform("h100")), with_fp8(of_platform("gaudi3"))
    crossing = next(one for one in check(h100, gaudi).crossings if one.kind is Kind.CHUNKS)
    assert crossing.verdict is CrossingVerdict.MISS
    leads = {remedy.leads_to: remedy.reader for remedy in crossing.remedies}
    assert "lmcache.remote_url" in leads[CrossingVerdict.CONVERT]


def test_layouts_and_positions_are_marked_as_read() -> None:
    for settings in (
        {"vllm.rope": "x"},
        {"vllm.attention_backend": "ROCM_ATTN"},
        {"vllm.shuffle_kv_cache_layout": True},
    ):
        assert cross(Kind.CHUNKS, H100, with_settings(MI300X, settings)).basis is Basis.SOURCE


# --- remedies ---------------------------------------------------------------------------------


def test_every_remedy_was_asked_again() -> None:
    """And leads where it says: the changes are applied once more, here."""
    seen = 0
    for settings in (FP8, {"hash_seed": "unset"}, {"python": "3.10"}, {"vllm.model": "x", "lmcache.chunk_size": 64}):
        a, b = H100, with_settings(MI300X, settings)
        for crossing in check(a, b).crossings:
            for remedy in crossing.remedies:
                writer, reader = (a, b) if crossing.writer == a.name else (b, a)
                after = cross(crossing.kind, with_settings(writer, remedy.writer), with_settings(reader, remedy.reader))
                assert after.verdict is remedy.leads_to
                assert after.verdict.rank < crossing.verdict.rank
                seen += 1
    assert seen > 8


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("fs://shared:0/kv", CrossingVerdict.CONVERT),
        ("redis://cache:6379", CrossingVerdict.MISS),
        ("lm://cache:65432", CrossingVerdict.MISS),
    ],
)
def test_pools_can_be_kept_apart(url: str, expected: CrossingVerdict) -> None:
    """Another store leaves nothing silently wrong, whatever the store is; only files can be converted."""
    both = {**FP8, "lmcache.remote_url": url}
    crossing = check(with_settings(H100, both), with_settings(MI300X, both)).crossings[0]
    apart = [remedy for remedy in crossing.remedies if "another store" in remedy.what]
    assert [remedy.leads_to for remedy in apart] == [expected]


def test_several_differences_are_mended_together() -> None:
    b = with_settings(MI300X, {"vllm.model": "/models/m", "lmcache.chunk_size": 64, "hash_seed": "7"})
    crossing = next(it for it in check(H100, b).crossings if it.kind is Kind.CHUNKS)
    assert len(crossing.reasons) == 3
    assert crossing.remedies[0].leads_to is CrossingVerdict.EXACT
    assert len(crossing.remedies[0].reader) == 3


def test_python_is_mended_by_another_hash() -> None:
    crossing = check(H100, with_settings(MI300X, {"python": "3.10"})).crossings[0]
    assert {"lmcache.pre_caching_hash_algorithm": "sha256_cbor"} in [remedy.reader for remedy in crossing.remedies]


# --- checkpoints and prefixes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("types", "reader", "expected"),
    [
        (["F8_E4M3"], "h100", CrossingVerdict.EXACT),
        (["BF16", "F8_E4M3"], "mi300x", CrossingVerdict.READER_CONVERTS),
        (["F8_E4M3"], "mi355x", CrossingVerdict.EXACT),
        (["F8_E4M3"], "gaudi3", CrossingVerdict.EXACT),
        (["F8_E4M3"], "gaudi2", CrossingVerdict.CONVERT),
        (["F8_E4M3FNUZ"], "h100", CrossingVerdict.CONVERT),
        (["F8_E4M3FNUZ"], "mi300x", CrossingVerdict.UNKNOWN),
        (["F8_E5M2"], "h100", CrossingVerdict.UNKNOWN),
    ],
)
def test_weights(types: list[str], reader: str, expected: CrossingVerdict) -> None:
    writer = with_settings(H100, {"model.weight_types": types})
    assert cross(Kind.WEIGHTS, writer, of_platform(reader)).verdict is expected


def test_only_what_is_described_is_checked() -> None:
    assert {kind for kind, _ in check(H100, MI300X).not_checked} == {Kind.WEIGHTS, Kind.SAFETENSORS}
    plain = check(with_settings(H100, {"model.weight_types": ["BF16"]}), MI300X)
    assert [kind for kind, _ in plain.not_checked] == [Kind.WEIGHTS]
    assert {it.verdict for it in plain.crossings if it.kind is Kind.SAFETENSORS} == {CrossingVerdict.EXACT}


def test_containers() -> None:
    odd = with_settings(H100, {"model.weight_types": ["F8_E4M3"], "model.scale_types": ["F8_E8M0"]})
    assert cross(Kind.SAFETENSORS, odd, MI300X).verdict is CrossingVerdict.UNKNOWN


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, CrossingVerdict.EXACT),
        ({"vllm.block_size": 64}, CrossingVerdict.MISS),
        ({"hash_seed": "1"}, CrossingVerdict.MISS),
        ({"hash_seed": "unset"}, CrossingVerdict.MISS),
        ({"vllm.prefix_caching_hash_algo": "sha256_cbor"}, CrossingVerdict.MISS),
        ({"vllm.prefix_caching_hash_algo": "builtin"}, CrossingVerdict.UNKNOWN),
        ({"vllm.version": "0.40.0"}, CrossingVerdict.UNKNOWN),
        ({"python": "3.10"}, CrossingVerdict.EXACT),
    ],
)
def test_prefixes(settings: Settings, expected: CrossingVerdict) -> None:
    assert verdict(Kind.PREFIXES, b=settings) is expected
    assert cross(Kind.PREFIXES, H100, GAUDI3).verdict is CrossingVerdict.MISS


# --- all of it --------------------------------------------------------------------------------


def test_the_matrix_has_no_green_between_two_encodings() -> None:
    made = matrix({})
    names = list(accelerators())
    assert all(set(table.rows) == set(names) == set(row) for table in made.tables for row in table.rows.values())
    unit = next(table for table in made.tables if "1.0" in table.title)
    for a, b in itertools.product(names, names):
        same = accelerators()[a].e4m3 == accelerators()[b].e4m3
        if unit.rows[a][b].verdict is CrossingVerdict.EXACT:
            assert same


@pytest.mark.parametrize("kv_type", ["fp8", "fp8_e5m2"])
def test_an_fp8_cache_without_fp8_units_was_not_looked_at(kv_type: str) -> None:
    a100, b200 = (
        with_settings(with_fp8(of_platform(name)), {"vllm.kv_cache_dtype": kv_type}) for name in ("a100", "b200")
    )
    assert cross(Kind.CHUNKS, a100, b200).verdict is CrossingVerdict.UNKNOWN
    assert cross(Kind.CHUNKS, b200, a100).verdict is CrossingVerdict.UNKNOWN


settings = st.fixed_dictionaries(
    {},
    optional={
        "hash_seed": st.sampled_from(["0", "1", "unset", "random"]),
        "python": st.sampled_from(["3.10", "3.11", "3.12", "3.13", "3.14"]),
        "vllm.version": st.sampled_from(["0.25.0", "0.26.0", "0.29.0", "0.32.0", "0.33.0"]),
        "vllm.kv_cache_dtype": st.sampled_from(["auto", "fp8", "fp8_e5m2", "fp8_inc", "nvfp4"]),
        "vllm.kv_scales": st.sampled_from(["none", "checkpoint", "dynamic"]),
        "vllm.tensor_parallel_size": st.sampled_from([1, 2]),
        "lmcache.mode": st.sampled_from(["in-process", "multi-process"]),
        "lmcache.version": st.sampled_from(["0.5.0", "0.5.1", "0.5.6", "0.5.7"]),
        "lmcache.pre_caching_hash_algorithm": st.sampled_from(["builtin", "sha256", "sha256_cbor", "xxhash", "blake3"]),
    },
)
platform = st.sampled_from(sorted(accelerators()))


@given(platform, settings, platform, settings)
def test_never_a_false_green(a: str, mine: Settings, b: str, theirs: Settings) -> None:
    """Exact means: within the versions, one key, one encoding, one scale."""
    writer, reader = with_fp8(of_platform(a)), with_fp8(of_platform(b))
    writer, reader = with_settings(writer, mine), with_settings(reader, theirs)
    checked = check(writer, reader)
    assert exit_code(checked) in (0, 1, 3)
    if cross(Kind.CHUNKS, writer, reader).verdict is not CrossingVerdict.EXACT:
        return
    for side in (writer, reader):
        assert versions()["vllm"].holds(side.vllm.version or "")
        assert versions()["lmcache"].holds(side.lmcache.version or "")
        assert side.scales != "dynamic" or side.kv_type in ("bfloat16", "float16")
    assert writer.lmcache.mode == reader.lmcache.mode
    assert writer.world_size == reader.world_size
    assert writer.kv_type == reader.kv_type or {writer.kv_type, reader.kv_type} <= {"fp8", "fp8_e4m3", "fp8_inc"}
    if writer.kv_type not in ("bfloat16", "float16"):
        assert accelerators()[writer.accelerator or ""].e4m3 == accelerators()[reader.accelerator or ""].e4m3
        assert writer.scales == reader.scales
