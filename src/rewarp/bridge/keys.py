"""The keys under which LMCache keeps chunks: what is in them, and what they are, computed without LMCache.

In its own process LMCache spells ``model@world_size@worker@hash@type[@layer][@tag%value]``; the hash runs over
(hash before, tokens, ()) from a first value, NONE_HASH, that vLLM derives from PYTHONHASHSEED. Sources: LMCache 0.5.6
lmcache/utils.py and v1/token_database.py; vLLM 0.32.0 vllm/v1/core/kv_cache_utils.py and vllm/utils/hashing.py.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewarp.bridge.deployment import UNSET, Deployment
from rewarp.bridge.facts import kv_types, versions
from rewarp.bridge.siphash import hash_of_text

FIXED_SEED = "vllm-none-hash"
"""What newer vLLMs hash where PYTHONHASHSEED is not set."""
_ALGORITHMS = {
    "sha256": "sha256",
    "sha256_cbor": "sha256_cbor",
    "sha256_cbor_64bit": "sha256_cbor",
    "xxhash": "xxhash",
    "xxhash_cbor": "xxhash_cbor",
}
_NOT_CRYPTOGRAPHIC = ("xxhash", "xxhash_cbor")
BUILTIN = "builtin"


@dataclass(frozen=True)
class Start:
    """Where a chain of hashes begins: equal starts give equal chains. ``text`` None: another one in each process."""

    algorithm: str
    text: str | None
    python: str = ""
    """Which of CPython's hashes of a text it was; empty where that does not matter."""


def algorithm(name: str) -> str:
    """What LMCache computes for that name: what vLLM does not know is Python's own hash."""
    return _ALGORITHMS.get(name, BUILTIN)


def start(name: str, seed: str, vllm: str, python: str) -> Start:
    """The first value of the chain. Raises ValueError for a seed that Python would not take."""
    used = algorithm(name)
    if used == BUILTIN and seed not in (UNSET, "random") and not (seed.isdecimal() and int(seed) < 1 << 32):
        raise ValueError(f"Python does not start with PYTHONHASHSEED={seed}")
    fixed = versions()["vllm fixed seed"].holds(vllm)
    text = seed if seed != UNSET else FIXED_SEED if fixed and used not in _NOT_CRYPTOGRAPHIC else None
    if used != BUILTIN:
        return Start(used, text)
    if seed in (UNSET, "random"):
        return Start(used, None)  # a text hashes differently in every process
    return Start(used, text, "from 3.11 on" if python_version(python) >= (3, 11) else "up to 3.10")


def python_version(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def none_hash(begin: Start) -> int | None:
    """NONE_HASH as LMCache takes it; None where it is another one in every process, or needs the package xxhash."""
    if begin.text is None or begin.algorithm in _NOT_CRYPTOGRAPHIC:
        return None
    if begin.algorithm == BUILTIN:
        python = (3, 10) if begin.python == "up to 3.10" else (3, 11)
        return hash_of_text(begin.text, int(begin.text), python)
    return _digest(begin.algorithm, begin.text)


def chunk_hashes(begin: Start, tokens: Sequence[int], chunk_size: int, unfull: bool = False) -> Iterator[int]:
    """The hashes of a prompt's chunks."""
    before = none_hash(begin)
    if before is None:
        raise ValueError("these hashes cannot be told without the process itself")
    last = len(tokens) if unfull else len(tokens) // chunk_size * chunk_size
    for at in range(0, last, chunk_size):
        inputs = (before, tuple(tokens[at : min(at + chunk_size, last)]), ())
        # Tuples of numbers hash alike on every 64-bit CPython from 3.8 on, whatever the seed.
        before = hash(inputs) if begin.algorithm == BUILTIN else _digest(begin.algorithm, inputs)
        yield before


def chunk_key(deployment: Deployment, chunk_hash: int, worker: int = 0) -> str:
    """The key of one chunk (of all layers) of LMCache in vLLM's process."""
    row = kv_types()[deployment.kv_type or ""]
    parts = [deployment.vllm.model, str(key_world_size(deployment)), str(worker), f"{chunk_hash:x}", row.key_type]
    parts += [f"{name}%{value}" for name, value in deployment.lmcache.tags.items()]
    return "@".join(part or "" for part in parts)


def file_name(key: str) -> str:
    """As `fs://` stores it."""
    return key.replace("/", "-SEP-") + ".data"


def key_world_size(deployment: Deployment) -> int:
    """Models with one latent cache for all heads are saved by the first rank alone, as if there were no other."""
    alone = deployment.lmcache.save_only_first_rank
    return 1 if deployment.model.mla and alone is not False else deployment.world_size


def _digest(name: str, value: object) -> int:
    data = pickle.dumps(value, protocol=5) if name == "sha256" else cbor(value)
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


def cbor(value: object) -> bytes:
    """Canonical CBOR (RFC 8949) of what keys are made of: whole numbers, texts, tuples of them."""
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, str):
        data = value.encode()
        return _head(3, len(data)) + data
    if isinstance(value, tuple):
        return _head(4, len(value)) + b"".join(map(cbor, value))
    raise TypeError(f"no part of a key: {type(value).__name__}")


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << (8 * size):
            return bytes([major << 5 | code]) + number.to_bytes(size, "big")
    raise ValueError("no number of a key is that large")
