"""Pairs of deployments that are asked of `rewarp bridge check`, and then done with real LMCache.

Each pair is two platforms, settings of both, and settings of the one and of the other. No verdict stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Settings = Mapping[str, object]
FP8: Settings = {"vllm.kv_cache_dtype": "fp8"}
INC: Settings = {"vllm.kv_cache_dtype": "fp8_inc"}
FP16: Settings = {"vllm.dtype": "float16"}
SCALED: Settings = {"vllm.kv_scales": "checkpoint"}
DYNAMIC: Settings = {"vllm.kv_scales": "dynamic"}
INT8: Settings = {"vllm.kv_cache_dtype": "int8_per_token_head"}
CBOR: Settings = {"lmcache.pre_caching_hash_algorithm": "sha256_cbor"}
SHA: Settings = {"lmcache.pre_caching_hash_algorithm": "sha256"}
XXHASH: Settings = {"lmcache.pre_caching_hash_algorithm": "xxhash_cbor"}
UNSEEDED: Settings = {"hash_seed": "unset"}
OLDER: Settings = {"vllm.version": "0.28.0"}
MLA: Settings = {"model.mla": True}
MP: Settings = {"lmcache.mode": "multi-process"}


@dataclass(frozen=True)
class Pair:
    name: str
    writer: str
    reader: str
    store: str = "fs"
    both: Settings = field(default_factory=dict)
    a: Settings = field(default_factory=dict)
    b: Settings = field(default_factory=dict)


def _at(address: str) -> Settings:
    """Another way to write a store's address; {host} is all of it behind `//`."""
    return {"lmcache.remote_url": address}


def _crossed(name: str, writer: str, reader: str, **more: Settings) -> list[Pair]:
    """The same over every store."""
    return [Pair(f"{name}-{store}", writer, reader, store, **more) for store in ("fs", "lm", "redis")]


PAIRS: tuple[Pair, ...] = (
    *_crossed("bf16", "h100", "mi300x"),
    *_crossed("fp8-unit", "h100", "mi300x", both=FP8),
    *_crossed("fp8-unit-back", "mi300x", "h100", both=FP8),
    *_crossed("fp8-same", "h100", "mi350x", both=FP8),
    *_crossed("bf16-fp16", "h100", "mi300x", b=FP16),
    *_crossed("int8", "h100", "h200", both=INT8),
    Pair("bf16-gaudi", "h100", "gaudi3"),
    Pair("fp16", "mi300x", "gaudi2", both=FP16),
    Pair("fp8-mi300x-itself", "mi300x", "mi325x", both=FP8),
    Pair("fp8-b200", "b200", "h200", "redis", both=FP8),
    Pair("fp8-scaled", "h100", "mi300x", both={**FP8, **SCALED}),
    Pair("fp8-scaled-back", "mi325x", "b200", "lm", both={**FP8, **SCALED}),
    Pair("fp8-scaled-same", "h100", "b200", both={**FP8, **SCALED}),
    Pair("fp8-scaled-mi300x", "mi300x", "mi325x", "redis", both={**FP8, **SCALED}),
    Pair("fp8-half-scaled", "h100", "h200", both=FP8, a=SCALED),
    Pair("fp8-dynamic", "h100", "h200", both={**FP8, **DYNAMIC}),
    Pair("fp8-half-dynamic", "b200", "h100", "redis", both=FP8, b=DYNAMIC),
    Pair("e4m3-e5m2", "h100", "h200", a=FP8, b={"vllm.kv_cache_dtype": "fp8_e5m2"}),
    Pair("e5m2", "h100", "h200", "lm", both={"vllm.kv_cache_dtype": "fp8_e5m2"}),
    Pair("fp8-gaudi", "h100", "gaudi3", a=FP8, b=INC),
    Pair("gaudi3-itself", "gaudi3", "gaudi3", both=INC),
    Pair("bf16-fp8", "h100", "h200", b=FP8),
    Pair("model-path", "h100", "mi300x", b={"vllm.model": "/models/m"}),
    Pair("workers", "h100", "mi300x", b={"vllm.tensor_parallel_size": 2}),
    Pair("shares", "h100", "mi300x", a={"vllm.tensor_parallel_size": 2}, b={"vllm.pipeline_parallel_size": 2}),
    Pair("shares-same", "h100", "mi300x", "redis", both={"vllm.pipeline_parallel_size": 2}),
    Pair("latent", "h100", "mi300x", both=MLA, b={"vllm.tensor_parallel_size": 2}),
    Pair("latent-lm", "mi300x", "h100", "lm", both=MLA, a={"vllm.tensor_parallel_size": 8}),
    Pair("chunks", "h100", "mi300x", "redis", b={"lmcache.chunk_size": 32}),
    Pair("chunks-unfull", "h100", "mi300x", both={"lmcache.save_unfull_chunk": True}, b={"lmcache.chunk_size": 32}),
    Pair("tags", "h100", "mi300x", both=FP8, b={"lmcache.tags": {"pool": "amd"}}),
    Pair("tags-same", "h100", "mi350x", both={**FP8, "lmcache.tags": {"pool": "ocp"}}),
    Pair("stores", "h100", "mi300x", b={"lmcache.remote_url": "fs://other:0/elsewhere"}),
    Pair("redis-databases", "h100", "mi300x", "redis", b=_at("redis://{host}/1")),
    Pair("redis-database-asked", "h100", "mi300x", "redis", b=_at("redis://{host}?db=1")),
    Pair(
        "redis-database-both-ways", "h100", "mi300x", "redis", a=_at("redis://{host}/3"), b=_at("redis://{host}/2?db=3")
    ),
    Pair("redis-first-database", "h100", "mi300x", "redis", b=_at("redis://{host}/0")),
    Pair("redis-no-database", "h100", "mi300x", "redis", b=_at("redis://{host}/kv")),
    Pair("redis-upper-case", "h100", "mi300x", "redis", both=_at("REDIS://{host}")),
    Pair("lm-path", "h100", "mi300x", "lm", b=_at("lm://{host}/elsewhere?a=b")),
    Pair("lm-upper-case", "h100", "mi300x", "lm", both=_at("LM://{host}")),
    Pair("fs-asked", "h100", "mi300x", "fs", b=_at("fs://{host}?a=b")),
    Pair("fs-way", "h100", "mi300x", "fs", b=_at("fs://{host}/./x/..")),
    Pair("fs-slashes", "h100", "mi300x", "fs", b=_at("fs://{host}//")),
    Pair("seeds", "h100", "mi300x", "lm", b={"hash_seed": "1"}),
    Pair("seeds-cbor", "h100", "mi300x", both=CBOR, b={"hash_seed": "1"}),
    Pair("unseeded", "h100", "mi300x", both=UNSEEDED),
    Pair("half-unseeded", "h100", "mi300x", "redis", b=UNSEEDED),
    Pair("unseeded-cbor", "h100", "mi300x", both={**UNSEEDED, **CBOR}),
    Pair("unseeded-sha256", "h100", "gaudi3", "redis", both={**UNSEEDED, **SHA}),
    Pair("unseeded-xxhash", "h100", "mi300x", both={**UNSEEDED, **XXHASH}),
    Pair("unseeded-cbor-older", "h100", "mi300x", both={**UNSEEDED, **CBOR, **OLDER}),
    Pair("cbor-versions", "h100", "mi300x", both=CBOR, b=OLDER),
    Pair("builtin-versions", "h100", "gaudi3", "lm", b=OLDER),
    Pair("xxhash", "h100", "mi300x", both=XXHASH),
    Pair("algorithms", "h100", "mi300x", a=CBOR),
    Pair("cbor-sha256", "h100", "mi300x", a=CBOR, b=SHA),
    Pair("kivi", "h100", "mi300x", a={"lmcache.remote_serde": "kivi"}),
    Pair("headers", "h100", "mi300x", b={"lmcache.save_chunk_meta": False}),
    Pair("no-headers", "h100", "mi300x", a={"lmcache.save_chunk_meta": False}),
    Pair("never-headers", "h100", "mi300x", both={"lmcache.save_chunk_meta": False}),
    Pair("never-headers-redis", "h100", "mi300x", "redis", both={"lmcache.save_chunk_meta": False}),
    Pair("headers-lm", "h100", "mi300x", "lm", b={"lmcache.save_chunk_meta": False}),
    Pair("headers-redis", "h100", "mi300x", "redis", a={"lmcache.save_chunk_meta": False}),
    Pair("long-model-lm", "h100", "mi300x", "lm", both={"vllm.model": "/models/" + "x" * 130}),
    Pair("long-model-redis", "h100", "mi300x", "redis", both={"vllm.model": "/models/" + "x" * 130}),
    Pair("long-model-fs", "h100", "mi300x", "fs", both={"vllm.model": "/models/" + "x" * 240}),
    *_crossed("model-with-at", "h100", "mi300x", both={"vllm.model": "org/m@v1"}),
    Pair("no-port", "h100", "mi300x", both={"lmcache.remote_url": "fs:///nowhere"}),
    Pair("mp-bf16", "h100", "gaudi3", both=MP),
    Pair("mp-seeds", "h100", "mi300x", both=MP, b={"hash_seed": "1"}),
    Pair("mp-bf16-fp16", "h100", "mi300x", both=MP, b=FP16),
    Pair("mp-fp8", "h100", "mi300x", both={**MP, **FP8}),
    Pair("mp-fp8-gaudi", "h100", "gaudi3", both=MP, a=FP8, b=INC),
    Pair("mp-bf16-fp8", "h100", "h200", both=MP, b=FP8),
    Pair("mp-fp8-bf16", "h100", "h200", both=MP, a=FP8),
    Pair("mp-salt", "h100", "mi300x", both={**MP, **FP8}, b={"lmcache.cache_salt": "amd"}),
    Pair("mp-workers", "h100", "mi300x", both=MP, b={"vllm.tensor_parallel_size": 4}),
    Pair("mp-long-model", "h100", "mi300x", both={**MP, "vllm.model": "/models/" + "x" * 180}),
    Pair("modes", "h100", "mi300x", b=MP),
)
_OWN: Settings = {"lmcache.remote_url": "fs://other:0/elsewhere"}
CONVERSIONS: tuple[Pair, ...] = (
    Pair("ocp-fnuz", "h100", "mi300x", both=FP8, b=_OWN),
    Pair("fnuz-ocp", "mi300x", "h100", both=FP8, b=_OWN),
    Pair("b200-mi325x", "b200", "mi325x", both=FP8, b=_OWN),
    Pair("mi325x-mi350x", "mi325x", "mi350x", both=FP8, b=_OWN),
    Pair("h100-gaudi3", "h100", "gaudi3", a=FP8, b={**INC, **_OWN}),
    Pair("gaudi3-mi300x", "gaudi3", "mi300x", a=INC, b={**FP8, **_OWN}),
    Pair("mi300x-gaudi3", "mi300x", "gaudi3", a=FP8, b={**INC, **_OWN}),
)
"""Pairs with two stores: what one holds is converted, as the verdict says, and read from the other."""
