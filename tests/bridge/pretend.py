"""A pretend platform: real LMCache, vLLM's own hashing and type tables, and a chip made of torch's casts.

Runs with LMCache's Python, not with rewarp's, and shares no table with it: what a platform does is written here a second
time. Reads jobs as JSON from standard input (one process stands for one deployment's process, with its hash seed) and
writes what it saw, one line for each job, to the file that is its argument.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import torch
from lmcache.v1.cache_engine import LMCacheEngineBuilder
from lmcache.v1.config import LMCacheEngineConfig
from lmcache.v1.distributed.api import ObjectKey
from lmcache.v1.distributed.l2_adapters.fs_l2_adapter import FSL2Adapter, FSL2AdapterConfig
from lmcache.v1.gpu_connector.gpu_connectors import GPUConnectorInterface
from lmcache.v1.memory_management import MemoryFormat, MemoryObjMetadata, TensorMemoryObj
from lmcache.v1.metadata import LMCacheMetadata
from lmcache.v1.multiprocess.token_hasher import TokenHasher
from vllm.utils.torch_utils import STR_DTYPE_TO_TORCH_DTYPE

LAYERS, HEADS, WIDTH = 2, 2, 8
TOKENS = 48
CHECKPOINT_SCALE = 0.5
_SETTLED = 8.0


# --- the chip ---------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Chip:
    """How a platform encodes eight bits, and what it does to the checkpoint's scales."""

    cast: torch.dtype
    largest: float
    scale_factor: float = 1.0

    def encode(self, values: torch.Tensor, scale: float) -> torch.Tensor:
        return (values / scale).clamp(-self.largest, self.largest).to(self.cast).view(torch.uint8)

    def decode(self, codes: torch.Tensor, scale: float) -> torch.Tensor:
        return codes.view(self.cast).float() * scale


class Gaudi2(Chip):
    """Exponent 15 stands for infinity and NaN."""

    def decode(self, codes: torch.Tensor, scale: float) -> torch.Tensor:
        values = super().decode(codes, scale)
        return torch.where((codes & 0x78) == 0x78, torch.full_like(values, float("nan")), values)


def chip(accelerator: str, cache_type: str) -> Chip:
    if cache_type == "fp8_e5m2":
        return Chip(torch.float8_e5m2, 57344.0)
    if accelerator in ("mi300x", "mi325x"):
        return Chip(torch.float8_e4m3fnuz, 240.0, 2.0)
    if accelerator == "gaudi2":
        return Gaudi2(torch.float8_e4m3fn, 240.0)
    return Chip(torch.float8_e4m3fn, 448.0)


def truth() -> torch.Tensor:
    """What the model computed, [2, layers, tokens, heads x width]: zeros of both signs, small and large values."""
    generator = torch.Generator().manual_seed(7)
    values = torch.randn(2, LAYERS, TOKENS, HEADS * WIDTH, generator=generator) * 4
    values[:, :, :, 0] = -0.0
    values[:, :, :, 1] = 300.0
    values[:, :, :, 2] = torch.arange(TOKENS) + 1.0
    return values


class Cache:
    """A KV cache on a platform: values in, bytes kept, values out."""

    def __init__(self, side: dict) -> None:
        name = side["kv_cache_dtype"]
        self.type = STR_DTYPE_TO_TORCH_DTYPE[side["dtype"] if name == "auto" else name]
        self.chip = chip(side["accelerator"], name) if name.startswith("fp8") else None
        scales = side.get("kv_scales", "none")
        factor = self.chip.scale_factor if self.chip else 1.0
        dynamic = 0.25 if side["role"] == "write" else 0.125  # from what came first, which is never the same
        self.scale = {"none": 1.0, "checkpoint": CHECKPOINT_SCALE * factor, "dynamic": dynamic}[scales]
        latent, workers = side.get("mla", False), side.get("tensor_parallel_size", 1)
        self.planes = 1 if latent else 2
        self.layers = LAYERS // side.get("pipeline_parallel_size", 1)
        self.width = HEADS * WIDTH // (1 if latent else workers)
        self.memory = torch.zeros(self.shape(TOKENS), dtype=self.type)

    def shape(self, tokens: int) -> torch.Size:
        """Of the first rank: it has some of the heads, or of the layers, and of a latent cache all."""
        return torch.Size([self.planes, self.layers, tokens, self.width])

    def compute(self) -> None:
        """The platform's own prefill."""
        own = truth()[: self.planes, : self.layers, :, : self.width]
        self.memory = self.chip.encode(own, self.scale).view(self.type) if self.chip else own.to(self.type)

    def values(self) -> torch.Tensor:
        if self.chip:
            return self.chip.decode(self.memory.view(torch.uint8), self.scale)
        return self.memory.float()


class Connector(GPUConnectorInterface):
    """Copies tokens between the cache and LMCache's chunks, as the connectors of the platforms do."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache

    def to_gpu(self, memory_obj, start, end, **kwargs) -> None:
        self.cache.memory[:, :, start:end] = memory_obj.tensor.reshape(self.cache.shape(end - start))

    def from_gpu(self, memory_obj, start, end, **kwargs) -> None:
        memory_obj.tensor.view(self.cache.shape(end - start)).copy_(self.cache.memory[:, :, start:end])

    def batched_from_gpu(self, memory_objs, starts, ends, **kwargs) -> None:
        for one, start, end in zip(memory_objs, starts, ends, strict=True):
            self.from_gpu(one, start, end)

    def batched_to_gpu(self, memory_objs=None, starts=None, ends=None, **kwargs) -> None:
        for one, start, end in zip(memory_objs, starts, ends, strict=True):
            self.to_gpu(one, start, end)

    def get_shape(self, num_tokens):
        return self.cache.shape(num_tokens)


# --- LMCache ----------------------------------------------------------------------------------


def config(side: dict) -> LMCacheEngineConfig:
    named = {"pre_caching_hash_algorithm": side["hash_algorithm"]} if side["hash_algorithm"] else {}
    made = LMCacheEngineConfig.from_defaults(
        **named,
        chunk_size=side["chunk_size"],
        local_cpu=False,
        max_local_cpu_size=0.004,  # gigabytes, for every engine that a process has
        remote_url=side["remote_url"],
        remote_serde=side.get("remote_serde", "naive"),
        save_unfull_chunk=side.get("save_unfull_chunk", False),
        extra_config={"save_chunk_meta": side.get("save_chunk_meta", True)},
    )
    made.validate()
    return made


def done(job: dict) -> dict:
    side = {**job["side"], "role": job["do"]}
    cache = Cache(side)
    return in_own_process(side, cache) if side.get("mode") == "multi-process" else in_vllms_process(job, side, cache)


def in_own_process(side: dict, cache: Cache) -> dict:
    """LMCache's server keeps its chunks in a store of the second level."""
    adapter = FSL2Adapter(FSL2AdapterConfig(urlsplit(side["remote_url"]).path))
    size, workers = side["chunk_size"], side["tensor_parallel_size"] * side["pipeline_parallel_size"]
    hashes = TokenHasher(size).compute_chunk_hashes(list(range(1000, 1000 + TOKENS)))
    rank = ObjectKey.ComputeKVRank(workers, 0, workers, 0)
    keys = [ObjectKey(found, side["model"], rank, 0, side.get("cache_salt", "")) for found in hashes]
    shape = cache.shape(size)
    raw = [torch.zeros(shape.numel() * cache.type.itemsize, dtype=torch.uint8) for _ in keys]
    chunks = [
        TensorMemoryObj(one, MemoryObjMetadata(shape, cache.type, 0, one.numel(), 1, fmt=MemoryFormat.KV_2LTD), None)
        for one in raw
    ]
    if side["role"] == "write":
        cache.compute()
        for number, chunk in enumerate(chunks):
            chunk.tensor.copy_(cache.memory[:, :, number * size : (number + 1) * size])
        task = adapter.submit_store_task(keys, chunks)
        results = _awaited(adapter.pop_completed_store_tasks)
        stored = bool(results) and int(results[task]) >= 0
        return {"stored": TOKENS // size * size if stored else 0, "values": cache.values().flatten().tolist()}
    task = adapter.submit_load_task(keys, chunks)
    loaded = _awaited(lambda: adapter.query_load_result(task))
    found = loaded.get_indices_list() if loaded is not None else []
    for number in found:
        cache.memory[:, :, number * size : (number + 1) * size] = chunks[number].tensor
    return {"hits": len(found) * size, "values": cache.values().flatten().tolist()}


def _awaited(ask):
    until = time.monotonic() + _SETTLED
    while (answer := ask()) is None or answer == {}:
        if time.monotonic() > until:
            return None
        time.sleep(0.01)
    return answer


def in_vllms_process(job: dict, side: dict, cache: Cache) -> dict:
    heads = cache.width // WIDTH
    shape = (cache.layers, cache.planes, side["chunk_size"], heads, WIDTH)
    workers = side["tensor_parallel_size"] * side["pipeline_parallel_size"]
    metadata = LMCacheMetadata(
        side["model"], workers, workers, 0, 0, cache.type, shape, side.get("mla", False), chunk_size=side["chunk_size"]
    )
    engine = LMCacheEngineBuilder.get_or_create(
        job["id"], config(side), metadata, Connector(cache), lambda tensor, source: None, lambda item, source: item
    )
    engine.post_init()
    tokens = torch.arange(1000, 1000 + TOKENS)
    tags = {f"lmcache.tag.{name}": value for name, value in side.get("tags", {}).items()}
    if job["do"] == "write":
        cache.compute()
        engine.store(tokens, request_configs=tags or None)
        size = side["chunk_size"]
        whole = TOKENS if side.get("save_unfull_chunk") else TOKENS // size * size
        stored = _stored(engine, tokens, tags, whole)
        return {"stored": stored, "values": cache.values().flatten().tolist()}
    mask = engine.retrieve(tokens, request_configs=tags or None, req_id=job["id"])
    return {"hits": int(mask.sum()), "values": cache.values().flatten().tolist()}


def _stored(engine, tokens, tags, whole: int) -> int:
    """How many tokens the writer itself finds again. Puts are done behind its back: wait for them, or for a failure."""
    until = time.monotonic() + _SETTLED
    backends = list(engine.storage_manager.storage_backends.values())
    while (found := engine.lookup(tokens, request_configs=tags or None)) < whole and time.monotonic() < until:
        if any(getattr(backend, "put_failed_count", 0) for backend in backends):
            break
        time.sleep(0.05)
    return found


def main() -> None:
    with Path(sys.argv[1]).open("w") as out:
        for line in sys.stdin:
            job = json.loads(line)
            try:
                seen = done(job)
            except Exception as error:
                seen = {"error": f"{type(error).__name__}: {error}"}
            out.write(json.dumps({"id": job["id"], **seen}) + "\n")
            out.flush()
    os._exit(0)  # LMCache's connection to Redis waits for itself when it is closed


if __name__ == "__main__":
    main()
