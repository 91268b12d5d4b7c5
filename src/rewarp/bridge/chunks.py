"""KV chunks: is what LMCache wrote on one side found on the other, and is it read as what it was?"""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.bridge import keys
from rewarp.bridge.arguments import CONNECTORS, NO_CONNECTOR
from rewarp.bridge.chunk_hashes import hashes
from rewarp.bridge.chunk_stores import KEYS, MP_KEYS, addresses, store
from rewarp.bridge.crossing import Basis, Change, CrossingVerdict, Reason, Stages
from rewarp.bridge.deployment import OTHERS, Deployment
from rewarp.bridge.encodings import layouts, meaning, own_store
from rewarp.bridge.facts import kv_types, versions
from rewarp.bridge.reasons import in_sixteen_bits, miss, not_known, of_writer, on

_MP_STORE = "LMCache 0.5.6 lmcache/v1/distributed/l2_adapters/fs_l2_adapter.py"
_WIDE = {"bfloat16": 2, "half": 2}
"""Bytes of a value; one, or less, for all others."""
_HEADERS = "lmcache.save_chunk_meta"
_PROTOCOL = "LMCache 0.5.6 lmcache/v1/protocol.py"
_ADAPTER = "LMCache 0.5.6 lmcache/integration/vllm/vllm_v1_adapter.py"
_SERDES = {"naive": "raw", "kivi": "raw"}
"""What a serialiser leaves of the bytes; `kivi` returns its input."""


def stages(writer: Deployment, reader: Deployment) -> Stages:
    """Do the rules hold; can it be stored at all; is it found; is it read as what it was."""
    return (
        [*rules_hold(writer, reader), *_connectors(writer, reader)],
        [*_carried(writer, reader), *addresses(writer, reader), *layouts(writer, reader)],
        [*_roles(writer, reader), *store(writer, reader), *_key(writer, reader)],
        [*_payload(writer, reader), *meaning(writer, reader), *_others(writer, reader)],
    )


# --- what the rules hold for ------------------------------------------------------------------


def rules_hold(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    for side in (writer, reader):
        subject = "lmcache" if side.lmcache.mode == "in-process" else "lmcache multi-process"
        for what, field, version in (
            (subject, "lmcache.version", side.lmcache.version),
            ("vllm", "vllm.version", side.vllm.version),
        ):
            known = versions()[what]
            if version is None:
                yield not_known(
                    field, f"{side.name}: nobody said which version; the rules hold for {known}", known.source
                )
            elif not known.holds(version):
                yield not_known(
                    field, f"{side.name}: {version} is outside {known}, which the rules hold for", known.source
                )


def _connectors(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """vLLM's own connector: with another than LMCache's other things are stored, in another way."""
    field = "vllm.kv_connector"
    for side in (writer, reader):
        named = side.vllm.kv_connector
        if named not in (None, NO_CONNECTOR, *CONNECTORS):
            yield not_known(field, f"{side.name}: what {named} stores was not looked at", _ADAPTER)
        elif named in CONNECTORS and CONNECTORS[named] != side.lmcache.mode:
            cause = f"{side.name}: {named} is LMCache {CONNECTORS[named]}, and the description says {side.lmcache.mode}"
            yield not_known(field, cause, _ADAPTER)


def _roles(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """Who writes, and who reads."""
    for side in (writer, reader):
        if side.vllm.kv_connector == NO_CONNECTOR:
            cause = f"{side.name}: vLLM was started without --kv-transfer-config: it neither writes nor reads"
            yield Reason(CrossingVerdict.MISS, "vllm.kv_connector", cause, Basis.SOURCE, _ADAPTER)
    for side, role, does in ((writer, "kv_consumer", "writes"), (reader, "kv_producer", "reads")):
        if side.vllm.kv_role == role:
            change = on(side, writer, "kv_role kv_both", {"vllm.kv_role": "kv_both"})
            cause = f"{side.name} is a {role}, which {does} nothing"
            yield Reason(CrossingVerdict.MISS, "vllm.kv_role", cause, Basis.SOURCE, _ADAPTER, (change,))


def _others(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """What was said, and no rule knows: nothing is exact with it."""
    for side in (writer, reader):
        for field in OTHERS:
            group = field.partition(".")[0]
            for said in getattr(side, group).other:
                yield not_known(field, f"{side.name}: {said}: may change what is stored, and was not looked at")


def _carried(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """What LMCache cannot store at all."""
    row = kv_types().get(writer.kv_type or "")
    if writer.lmcache.mode == "in-process" and row and row.key_type and not row.carried:
        cause = f"LMCache's headers have no number for {row.key_type}: {writer.name} fails to store any chunk"
        yield Reason(
            CrossingVerdict.IMPOSSIBLE,
            "vllm.kv_cache_dtype",
            cause,
            Basis.RUN,
            _PROTOCOL,
            (in_sixteen_bits(writer, reader),),
        )


# --- keys -------------------------------------------------------------------------------------


def _key(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    yield from _model(writer, reader)
    yield from _ranks(writer, reader)
    yield from _types(writer, reader)
    yield from hashes(writer, reader)
    if reader.lmcache.save_chunk_meta and not writer.lmcache.save_chunk_meta and _keeps_headers(writer):
        cause = f"{reader.name} takes the first values for a header, cannot make sense of it, and goes on without"
        yield miss(_HEADERS, cause, _PROTOCOL, of_writer(writer, reader, _HEADERS, False))
    for field, basis in (("use_layerwise", Basis.SOURCE), ("tags", Basis.RUN)):
        value = getattr(writer.lmcache, field)
        if value != getattr(reader.lmcache, field):
            name = f"lmcache.{field}"
            change = of_writer(writer, reader, name, value)
            yield Reason(
                CrossingVerdict.MISS, name, f"{field} differs, which is part of the key", basis, KEYS, (change,)
            )
    if writer.lmcache.use_layerwise and reader.lmcache.use_layerwise:
        whole = {"lmcache.use_layerwise": False}
        change = Change("use_layerwise: false on both sides", whole, whole)
        yield not_known("lmcache.use_layerwise", "chunks of one layer each were not run", KEYS, change)
    if writer.lmcache.mode == "multi-process" and writer.lmcache.cache_salt != reader.lmcache.cache_salt:
        change = of_writer(writer, reader, "lmcache.cache_salt", writer.lmcache.cache_salt)
        yield miss("lmcache.cache_salt", "the salt of the requests differs, which is part of the key", MP_KEYS, change)


def _model(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    field, names = "vllm.model", (writer.vllm.model, reader.vllm.model)
    if None in names:
        yield not_known(field, "the name of the model is part of the key, and one side does not say it", KEYS)
    elif names[0] != names[1]:
        cause = (
            f"the model goes by two names, {names[0]} and {names[1]}: the key has the one that vLLM was started with"
        )
        yield miss(field, cause, KEYS, of_writer(writer, reader, field, names[0]))


def _ranks(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    field = "vllm.tensor_parallel_size"
    shares = [(side.vllm.tensor_parallel_size, side.vllm.pipeline_parallel_size) for side in (writer, reader)]
    if shares[0] == shares[1]:
        return
    change = Change(
        f"-tp {shares[0][0]} -pp {shares[0][1]} on {reader.name}: as many workers as on {writer.name}",
        {},
        {field: shares[0][0], "vllm.pipeline_parallel_size": shares[0][1]},
    )
    sizes = f"{writer.world_size} and {reader.world_size} workers"
    latent = writer.model.mla, reader.model.mla
    if None in latent:
        cause = f"{sizes}, and nobody said whether the model has one latent cache for all heads (MLA)"
        yield not_known(field, cause, KEYS)
    elif any(latent) and shares[0][1] != shares[1][1]:
        cause = "layers are split in other ways, and how LMCache keeps a latent cache of some layers was not looked at"
        yield not_known("vllm.pipeline_parallel_size", cause, KEYS, change)
    elif keys.key_world_size(writer) != keys.key_world_size(reader):
        yield miss(field, f"{sizes}: their number and each one's rank are part of the key", KEYS, change)
    elif not all(latent):
        cause = f"{sizes} on both sides, but one splits heads where the other splits layers: one key, other numbers"
        yield Reason(CrossingVerdict.SILENTLY_WRONG, field, cause, Basis.RUN, KEYS, (change,))


def _types(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """The type's name in the key; the multi-process mode has none."""
    types = kv_types()
    field = "vllm.kv_cache_dtype"
    for side in (writer, reader):
        if side.kv_type is None:
            yield not_known(
                field,
                f"{side.name}: what `auto` comes to stands in the model's config.json, and nobody said that",
                KEYS,
            )
        elif side.kv_type not in types:
            yield not_known(field, f"{side.name}: {side.kv_type} is a type that was not looked at", KEYS)
    mine, theirs = types.get(writer.kv_type or ""), types.get(reader.kv_type or "")
    if mine is None or theirs is None or mine.key_type == theirs.key_type:
        return
    if "multi-process" in (writer.lmcache.mode, reader.lmcache.mode):
        if _WIDE.get(mine.key_type, 1) < _WIDE.get(theirs.key_type, 1):
            cause = f"the key has no type: {reader.name} asks for more bytes than {writer.name} wrote, and takes none"
            yield miss(field, cause, _MP_STORE, in_sixteen_bits(writer, reader))
        return
    cause = f"the key says {mine.key_type} for {writer.name} and {theirs.key_type} for {reader.name}"
    yield miss(field, cause, KEYS, in_sixteen_bits(writer, reader), *own_store(reader))


# --- what lies around the values ----------------------------------------------------------------


def _payload(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    serdes = writer.lmcache.remote_serde, reader.lmcache.remote_serde
    source = "LMCache 0.5.6 lmcache/v1/storage_backend/naive_serde"
    for side, serde in zip((writer, reader), serdes, strict=True):
        if serde not in _SERDES:
            yield not_known("lmcache.remote_serde", f"{side.name}: the serialiser {serde} was not looked at", source)
    if writer.lmcache.save_chunk_meta and not reader.lmcache.save_chunk_meta and _keeps_headers(writer):
        cause = f"{reader.name} takes the 28 bytes of the header that {writer.name} writes for values: all of them are shifted"
        change = of_writer(writer, reader, _HEADERS, True)
        yield Reason(CrossingVerdict.SILENTLY_WRONG, _HEADERS, cause, Basis.RUN, _PROTOCOL, (change,))


def _keeps_headers(side: Deployment) -> bool:
    """In the file itself; Redis and LMCache's server keep them apart, whatever the setting says."""
    return side.lmcache.mode == "in-process" and (side.lmcache.remote_url or "").startswith("fs:")
