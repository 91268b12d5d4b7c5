"""vLLM's own hashes of prefixes, as KV events, routers and stores of blocks use them."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.bridge import keys
from rewarp.bridge.crossing import Basis, Change, CrossingVerdict, Reason, Stages
from rewarp.bridge.deployment import UNSET, Deployment
from rewarp.bridge.facts import versions

_SOURCE = "vLLM 0.32.0 vllm/v1/core/kv_cache_utils.py hash_block_tokens, init_none_hash"
_FIELD = "vllm.prefix_caching_hash_algo"


def stages(writer: Deployment, reader: Deployment) -> Stages:
    hold = list(_rules_hold(writer, reader))
    return hold, [] if hold else list(_hashes(writer, reader))


def _rules_hold(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    known = versions()["vllm"]
    for side in (writer, reader):
        if side.vllm.version is None or not known.holds(side.vllm.version):
            said = side.vllm.version or "a version that nobody said"
            yield Reason(
                CrossingVerdict.UNKNOWN,
                "vllm.version",
                f"{side.name}: {said} is not within {known}",
                Basis.SOURCE,
                known.source,
            )
        if keys.algorithm(side.vllm.prefix_caching_hash_algo) == keys.BUILTIN:
            cause = f"{side.name}: {side.vllm.prefix_caching_hash_algo} is no hash of these versions"
            yield Reason(CrossingVerdict.UNKNOWN, _FIELD, cause, Basis.SOURCE, _SOURCE)


def _hashes(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    used = [side.vllm.prefix_caching_hash_algo for side in (writer, reader)]
    if used[0] != used[1]:
        change = Change(
            "--prefix-caching-hash-algo sha256_cbor on both sides", {_FIELD: "sha256_cbor"}, {_FIELD: "sha256_cbor"}
        )
        yield _miss(_FIELD, f"prefixes are hashed by {used[0]} and by {used[1]}", change)
    sizes = [side.hash_block_size for side in (writer, reader)]
    field = "vllm.block_size"
    if None in sizes:
        yield Reason(CrossingVerdict.UNKNOWN, field, "nobody said the size of a block", Basis.SOURCE, _SOURCE)
    elif sizes[0] != sizes[1]:
        change = Change("--block-size 128 on both sides", {field: 128}, {field: 128})
        yield _miss(field, f"blocks of {sizes[0]} and {sizes[1]} tokens: hashes run over other tokens", change)
    yield from _seeds(writer, reader)


def _seeds(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    change = Change("PYTHONHASHSEED=0 on both sides", {"hash_seed": "0"}, {"hash_seed": "0"})
    starts = []
    for side in (writer, reader):
        if side.hash_seed is None:
            cause = f"{side.name}: nobody said what PYTHONHASHSEED is (`{UNSET}` where it is not set)"
            yield Reason(CrossingVerdict.UNKNOWN, "hash_seed", cause, Basis.SOURCE, _SOURCE)
            return
        algorithm = side.vllm.prefix_caching_hash_algo
        starts.append(keys.start(algorithm, side.hash_seed, side.vllm.version or "", side.python or "3.12"))
    if any(begin.text is None for begin in starts):
        yield _miss("hash_seed", "without PYTHONHASHSEED every process begins its hashes anew", change)
    elif starts[0].text != starts[1].text:
        yield _miss("hash_seed", f"PYTHONHASHSEED is {writer.hash_seed} and {reader.hash_seed}", change)


def _miss(field: str, cause: str, change: Change) -> Reason:
    return Reason(CrossingVerdict.MISS, field, cause, Basis.SOURCE, _SOURCE, (change,))
