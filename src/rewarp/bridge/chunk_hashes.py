"""The hashes in the keys of chunks: do two sides come to the same ones?"""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.bridge import keys
from rewarp.bridge.crossing import Change, Reason
from rewarp.bridge.deployment import UNSET, Deployment
from rewarp.bridge.facts import versions
from rewarp.bridge.reasons import both, miss, not_known, of_writer

SOURCE = "LMCache 0.5.6 lmcache/v1/token_database.py; vLLM 0.32.0 vllm/v1/core/kv_cache_utils.py init_none_hash"


def hashes(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    if writer.lmcache.chunk_size != reader.lmcache.chunk_size:
        sizes = f"{writer.lmcache.chunk_size} and {reader.lmcache.chunk_size}"
        change = of_writer(writer, reader, "lmcache.chunk_size", writer.lmcache.chunk_size)
        yield miss("lmcache.chunk_size", f"chunks of {sizes} tokens: hashes run over other tokens", SOURCE, change)
    algorithms = [side.hash_algorithm for side in (writer, reader)]
    if algorithms == ["blake3", "blake3"] and writer.lmcache.mode == reader.lmcache.mode == "multi-process":
        return  # has no seed
    if "multi-process" in (writer.lmcache.mode, reader.lmcache.mode):
        if writer.lmcache.mode == reader.lmcache.mode:
            yield not_known(
                "lmcache.pre_caching_hash_algorithm", "of the multi-process mode only blake3 was looked at", SOURCE
            )
        return
    yield from _starts(writer, reader)


def _starts(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """Where the chains of hashes begin."""
    sides = (writer, reader)
    field = "lmcache.pre_caching_hash_algorithm"
    used = [keys.algorithm(side.hash_algorithm) for side in sides]
    mend = both("a hash that needs no seed's luck", field, "sha256_cbor")
    if used[0] != used[1]:
        yield miss(field, f"chunks are hashed by {used[0]} and by {used[1]}", SOURCE, mend)
        return
    for side in sides:
        if side.hash_seed is None:
            yield not_known(
                "hash_seed", f"{side.name}: nobody said what PYTHONHASHSEED is (`unset` where it is not set)", SOURCE
            )
        if side.python is None and used[0] == keys.BUILTIN:
            yield not_known(
                "python", f"{side.name}: nobody said which Python, and they hash a seed differently", SOURCE
            )
        elif side.python is not None and not versions()["python"].holds(side.python):
            yield not_known("python", f"{side.name}: Python {side.python} is outside {versions()['python']}", SOURCE)
    if any(
        side.hash_seed is None or (side.python is None and used[0] == keys.BUILTIN) or side.vllm.version is None
        for side in sides
    ):
        return
    yield from _compared_starts(writer, reader, used[0])


def _compared_starts(writer: Deployment, reader: Deployment, used: str) -> Iterator[Reason]:
    field = "lmcache.pre_caching_hash_algorithm"
    seed = writer.hash_seed if writer.hash_seed not in (None, UNSET, "random") else "0"
    one_seed = Change(f"PYTHONHASHSEED={seed} on both sides", {"hash_seed": seed}, {"hash_seed": seed})
    stable = Change(
        f"pre_caching_hash_algorithm: sha256_cbor and PYTHONHASHSEED={seed} on both sides",
        {field: "sha256_cbor", "hash_seed": seed},
        {field: "sha256_cbor", "hash_seed": seed},
    )
    starts = []
    for side in (writer, reader):
        try:
            starts.append(
                keys.start(side.hash_algorithm, side.hash_seed or "", side.vllm.version or "", side.python or "3.11")
            )
        except ValueError as error:
            yield not_known("hash_seed", f"{side.name}: {error}", SOURCE)
    if len(starts) < 2:
        return
    for side, begin in zip((writer, reader), starts, strict=True):
        if begin.text is None:
            cause = f"{side.name}: without PYTHONHASHSEED every process begins its hashes anew: nothing is found, not even by itself after a restart"
            yield miss("hash_seed", cause, SOURCE, one_seed, stable)
            return
    if starts[0].text != starts[1].text:
        cause = f"PYTHONHASHSEED is {writer.hash_seed} and {reader.hash_seed}"
        yield miss("hash_seed", cause, SOURCE, one_seed, stable)
    elif starts[0].python != starts[1].python:
        cause = (
            f"Python {writer.python} and {reader.python} hash the same seed differently (up to 3.10 and from 3.11 on)"
        )
        change = of_writer(writer, reader, "python", writer.python)
        yield miss(
            "python", cause, SOURCE, both("a hash that is the same on every Python", field, "sha256_cbor"), change
        )
