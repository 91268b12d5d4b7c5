"""The installed LMCache, as the probe uses it: its configuration, its hashes and keys, its serialiser and its connectors."""

from __future__ import annotations

import asyncio
import os
import platform
import threading
from dataclasses import dataclass
from typing import Any

from rewarp.bridge.probe_pattern import HEADS, LAYERS, WIDTH
from rewarp.errors import UsageError

_WAIT = 60.0
_TOKENS = range(1000, 1_000_000)


@dataclass(frozen=True)
class Side:
    """A deployment as far as the probe needs it."""

    model: str
    dtype: str
    """Of the cache's numbers, as torch calls it."""
    world_size: int = 1


def lmcache() -> Any:
    """LMCache, or the reason why there is none."""
    os.environ.setdefault("LMCACHE_TRACK_USAGE", "false")
    os.environ.setdefault("LMCACHE_LOG_LEVEL", "ERROR")  # what it warns of is what is asked about
    try:
        import lmcache
        from lmcache.v1.storage_backend.remote_backend import RemoteBackend  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"bridge probe asks the LMCache that is installed, and there is none here ({error}): "
            "install rewarp beside it, in the environment that serves"
        ) from None
    return lmcache


class Store:
    """A connection to a store. ``chunk_size`` None: what the configuration says."""

    def __init__(self, url: str, side: Side, chunk_size: int | None = None) -> None:
        import torch
        from lmcache.v1.metadata import LMCacheMetadata
        from lmcache.v1.storage_backend.local_cpu_backend import LocalCPUBackend
        from lmcache.v1.storage_backend.remote_backend import RemoteBackend

        self.config = _config(url)
        if chunk_size is not None:
            self.config.chunk_size = chunk_size
        size = self.config.chunk_size
        self.dtype = getattr(torch, side.dtype)
        shape = (LAYERS, 2, size, HEADS, WIDTH)
        self.metadata = LMCacheMetadata(
            side.model, side.world_size, side.world_size, 0, 0, self.dtype, shape, chunk_size=size
        )
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._memory = LocalCPUBackend(self.config, self.metadata, "cpu")
        self._remote = RemoteBackend(self.config, self.metadata, self._loop, self._memory, "cpu")
        if self._remote.connection is None:
            raise UsageError(f"{url}: LMCache cannot connect to it")

    @property
    def chunk_size(self) -> int:
        return int(self.config.chunk_size)

    def keys(self, chunks: int) -> list[Any]:
        """The keys of the first chunks of a prompt, hashed as LMCache does it here."""
        from lmcache.v1.token_database import ChunkedTokenDatabase

        tokens = list(_TOKENS[: chunks * self.chunk_size])
        found = ChunkedTokenDatabase(self.config, self.metadata).process_tokens(tokens)
        return [key for _, _, key in found]

    def key(self, number: int) -> Any:
        """A key whose hash is given, and does not depend on how this process hashes."""
        from lmcache.utils import CacheEngineKey

        world = self.metadata.world_size
        return CacheEngineKey(self.metadata.model_name, world, 0, number, self.dtype)

    def put(self, key: Any, data: bytes) -> None:
        import torch
        from lmcache.v1.memory_management import MemoryFormat

        (shape,) = self.metadata.get_shapes()
        held = self._memory.allocate(shape, self.dtype, MemoryFormat.KV_2LTD)
        if held is None:
            raise UsageError("LMCache has no memory for a chunk")
        held.tensor.view(torch.uint8).flatten().copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        try:
            self._remote.submit_put_task(key, held).result(_WAIT)
        except Exception as error:  # of any client of any store
            raise UsageError(f"LMCache could not store a chunk ({type(error).__name__}: {error})") from None
        finally:
            held.ref_count_down()
        if not self.has(key):
            raise UsageError("LMCache says that it stored a chunk, and does not find it again")

    def has(self, key: Any) -> bool:
        return bool(self._remote.contains(key))

    def get(self, key: Any) -> tuple[str, bytes] | None:
        """The type that came back, and the bytes."""
        import torch

        found = self._remote.get_blocking(key)
        if found is None or found.tensor is None:
            return None
        tensor = found.tensor.contiguous()
        result = str(tensor.dtype).removeprefix("torch."), bytes(tensor.view(torch.uint8).flatten().tolist())
        found.ref_count_down()
        return result

    def remove(self, key: Any) -> bool:
        """Whether it is gone."""
        client = self._redis()
        if client is not None:
            names = [key.to_string() + part for part in ("kv_bytes", "metadata")]
            self._ask(client.delete(*names))
        else:
            self._remote.remove(key)
        return not self.has(key)

    def expire(self, key: Any, seconds: int) -> bool:
        """Let the store forget a key by itself; False where it cannot."""
        client = self._redis()
        if client is None:
            return False
        return all(self._ask(client.expire(key.to_string() + part, seconds)) for part in ("kv_bytes", "metadata"))

    def _redis(self) -> Any:
        """The client of a Redis server, where the store is one."""
        connector = self._remote.connection
        connector = getattr(connector, "_connector", connector)
        client = getattr(connector, "connection", None)
        return client if hasattr(client, "expire") and hasattr(client, "delete") else None

    def _ask(self, question: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(question, self._loop).result(_WAIT)

    def about(self) -> dict[str, str]:
        """What decides a key here, for the other side to compare; once keys were asked for."""
        from lmcache.v1 import token_database

        try:
            import vllm

            found = str(vllm.__version__)
        except (ImportError, AttributeError):
            found = "none"
        return {
            "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "unset"),
            "pre_caching_hash_algorithm": str(self.config.pre_caching_hash_algorithm),
            "first hash": f"{int(token_database.NONE_HASH) & (1 << 64) - 1:x}",
            "chunk_size": str(self.chunk_size),
            "Python": platform.python_version(),
            "vLLM": found,
            "LMCache": str(getattr(lmcache(), "__version__", "unknown")),
            "remote_serde": str(self.config.remote_serde),
        }


def _config(url: str) -> Any:
    """What LMCache is configured with here, with another store and little memory."""
    from lmcache.v1.config import LMCacheEngineConfig

    file = os.environ.get("LMCACHE_CONFIG_FILE")
    try:
        config = LMCacheEngineConfig.from_file(file) if file else LMCacheEngineConfig.from_env()
        config.remote_url, config.local_cpu, config.max_local_cpu_size = url, False, 0.05
        config.local_disk, config.enable_p2p, config.enable_pd = None, False, False
        config.validate()
    except Exception as error:  # whatever a configuration may be wrong with
        raise UsageError(f"LMCache's configuration: {type(error).__name__}: {error}") from None
    return config
