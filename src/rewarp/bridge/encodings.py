"""What the bytes of a KV cache mean on each side: type, FP8 flavour, scales, positions, layout."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from rewarp.bridge.crossing import Basis, Change, CrossingVerdict, Reason
from rewarp.bridge.deployment import Deployment
from rewarp.bridge.facts import accelerators, kv_types
from rewarp.bridge.reasons import in_sixteen_bits, not_known, on

_TYPES = (
    "vLLM 0.32.0 vllm/utils/torch_utils.py STR_DTYPE_TO_TORCH_DTYPE; LMCache 0.5.6 lmcache/integration/vllm/utils.py"
)
_SCALES = "vLLM 0.32.0 vllm/model_executor/layers/quantization/kv_cache.py"
_GAUDI2 = "vllm-gaudi 091bbadd extension/scales.py"
KV_TYPE = "vllm.kv_cache_dtype"
_PLAIN = ("bf16", "fp16", "e4m3fn", "e4m3fnuz", "e4m3-240", "e5m2")
_RULES = {
    ("e4m3fn", "e4m3fnuz", "none"): "re-encode by value: the 14 codes above 240 saturate",
    ("e4m3fnuz", "e4m3fn", "none"): "re-encode by value: 16 odd tiny codes round",
    ("e4m3fn", "e4m3fnuz", "checkpoint"): "keep the bits (vLLM doubles the scales): 80 becomes 00, 7F and FF become 80",
    ("e4m3fnuz", "e4m3fn", "checkpoint"): "keep the bits (vLLM halves nothing back): 80 becomes 7F, 7F and FF saturate",
    ("e4m3fn", "e4m3-240", "none"): "re-encode by value: the 14 codes above 240 saturate",
}


def encoding(side: Deployment) -> str | None:
    """What a byte, or two, of the cache are; None where it cannot be told."""
    row = kv_types().get(side.kv_type or "")
    if row is None:
        return None
    if row.encoding not in ("e4m3", "e5m2"):
        return row.encoding
    accelerator = accelerators().get(side.accelerator or "")
    if accelerator is None or not accelerator.e4m3:
        return None  # without FP8 units, which back ends keep an FP8 cache was not looked at, of either type
    gaudi = accelerator.vendor == "intel"
    if gaudi != (row.kv_cache_dtype == "fp8_inc") or (row.encoding == "e5m2" and accelerator.vendor != "nvidia"):
        return None  # vLLM does not offer this type there
    return accelerator.e4m3 if row.encoding == "e4m3" else row.encoding


def meaning(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """What the reader takes the writer's bytes for, given that it finds them."""
    yield from _values(writer, reader)
    yield from _positions(writer, reader)
    for side in (writer, reader):
        if side.vllm.shuffle_kv_cache_layout:
            cause = (
                f"{side.name}: VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT packs the cache; no connector was found that undoes it"
            )
            change = on(
                side, writer, "without VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT", {"vllm.shuffle_kv_cache_layout": False}
            )
            source = "vLLM 0.32.0 vllm/envs.py; LMCache 0.5.6 lmcache/v1/gpu_connector"
            yield Reason(
                CrossingVerdict.UNKNOWN, "vllm.shuffle_kv_cache_layout", cause, Basis.SOURCE, source, (change,)
            )


def _values(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    types = [encoding(side) for side in (writer, reader)]
    for side, found in zip((writer, reader), types, strict=True):
        if found is None and side.kv_type in kv_types():
            where = side.accelerator or "an accelerator that nobody named"
            yield not_known(KV_TYPE, f"{side.name}: what {side.kv_type} means on {where} was not looked at", _TYPES)
        elif found is not None and found not in _PLAIN:
            yield not_known(
                KV_TYPE, f"{side.name}: {side.kv_type} is packed with scales, which was not looked at", _TYPES
            )
    if any(found not in _PLAIN for found in types):
        return
    mine, theirs = str(types[0]), str(types[1])
    if mine in ("bf16", "fp16") and mine == theirs:
        return
    if (mine, theirs) == ("e4m3-240", "e4m3fn"):
        cause = "every finite code that Gaudi 2 is said to write means the same here; that was not seen on hardware"
        yield not_known(KV_TYPE, cause, _GAUDI2)
    elif mine != theirs:
        yield _flavours(writer, reader, mine, theirs)
    elif "dynamic" in (writer.scales, reader.scales):
        cause = "scales are computed on each side from what comes first, and are stored nowhere"
        yield Reason(CrossingVerdict.SILENTLY_WRONG, "vllm.kv_scales", cause, Basis.RUN, _SCALES, _away(writer, reader))
    else:
        yield from _scales(writer, reader)


def _flavours(writer: Deployment, reader: Deployment, mine: str, theirs: str) -> Reason:
    """Two encodings of the same size pass for each other."""
    scales = writer.scales if writer.scales == reader.scales else None
    rule = _RULES.get((mine, theirs, scales or ""), "")
    cause = f"{writer.name} writes {mine}, {reader.name} takes it for {theirs}: nothing that is stored tells them apart"
    if (mine, theirs) == ("e4m3fn", "e4m3fnuz") and scales == "none":
        cause += "; every value comes back halved, and -0 as NaN"
    elif (mine, theirs) == ("e4m3fnuz", "e4m3fn") and scales == "none":
        cause += "; every value comes back doubled, and NaN as -0"
    elif {mine, theirs} == {"e4m3fn", "e4m3fnuz"} and scales == "checkpoint":
        cause += "; vLLM doubles the checkpoint's scales on MI300, so all codes agree but three: -0 and the two ends"
    basis, source = (Basis.SOURCE, _GAUDI2) if "e4m3-240" in (mine, theirs) else (Basis.RUN, _TYPES)
    return Reason(CrossingVerdict.SILENTLY_WRONG, KV_TYPE, cause, basis, source, _away(writer, reader), rule)


def _scales(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """Of one FP8 encoding on both sides."""
    field = "vllm.kv_scales"
    for side in (writer, reader):
        if side.scales is None:
            yield not_known(
                field, f"{side.name}: nobody said whether the checkpoint brings k_scale and v_scale", _SCALES
            )
        elif side.scales == "checkpoint" and (side.accelerator or "").startswith("gaudi"):
            cause = f"{side.name}: Intel's calibration makes its own scales, which need not be the checkpoint's"
            yield not_known(field, cause, "vllm-gaudi 091bbadd extension/scales.py")
    if None not in (writer.scales, reader.scales) and writer.scales != reader.scales:
        cause = f"the scales are {_said(writer)} on {writer.name} and {_said(reader)} on {reader.name}; no key has them"
        yield Reason(CrossingVerdict.SILENTLY_WRONG, field, cause, Basis.RUN, _SCALES, _away(writer, reader))


def _said(side: Deployment) -> str:
    return {"none": "1.0", "checkpoint": "the checkpoint's"}.get(side.scales or "", str(side.scales))


def _away(writer: Deployment, reader: Deployment) -> tuple[Change, ...]:
    """What keeps the pools apart, or makes one type of both."""
    changes = [in_sixteen_bits(writer, reader), *own_store(reader)]
    tag = {**reader.lmcache.tags, "pool": reader.accelerator or reader.name}
    if reader.lmcache.mode == "in-process":
        changes.append(
            Change(
                f"lmcache.tag.pool={tag['pool']} on {reader.name}, only if every request carries it",
                {},
                {"lmcache.tags": tag},
            )
        )
    else:
        salt = tag["pool"]
        changes.append(
            Change(
                f"cache_salt {salt} on {reader.name}, only if every request carries it",
                {},
                {"lmcache.cache_salt": salt},
            )
        )
    return tuple(changes)


def own_store(side: Deployment) -> tuple[Change, ...]:
    """A store that a conversion can be written to."""
    own = _beside(side)
    return (Change(f"another store for {side.name}, such as {own}", {}, {"lmcache.remote_url": own}),) if own else ()


def _beside(side: Deployment) -> str:
    """An address beside the shared one: another folder, another server."""
    url = side.lmcache.remote_url or ""
    try:
        parts = urlsplit(url)
        if parts.scheme == "fs":
            return f"{url.rstrip('/')}-{side.accelerator}"
        return f"{parts.scheme}://{parts.hostname}-{side.accelerator}:{parts.port}" if parts.port else ""
    except ValueError:
        return ""


_LONG = "vLLM 0.32.0 vllm/model_executor/layers/rotary_embedding/phi3_long_rope_scaled_rope.py"
_OPTIONS = "vLLM 0.26.0 to 0.32.0 vllm/engine/arg_utils.py"


def _positions(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """Keys are stored after the rotation: other positions, other keys, under one name."""
    source = "LMCache 0.5.6 lmcache/v1/token_database.py; keys are cached after RoPE"
    if writer.vllm.rope != reader.vllm.rope:
        change = Change(f"{writer.name}'s RoPE overrides on {reader.name}", {}, {"vllm.rope": writer.vllm.rope})
        cause = "the RoPE overrides differ; they are in no key"
        yield Reason(CrossingVerdict.SILENTLY_WRONG, "vllm.rope", cause, Basis.SOURCE, source, (change,))
    yield from _longest(writer, reader)
    options = writer.vllm.model_options, reader.vllm.model_options
    if options[0] != options[1]:
        change = Change(f"{writer.name}'s options on {reader.name}", {}, {"vllm.model_options": options[0]})
        cause = (
            f"the model is made with {' and with '.join(it or 'nothing special' for it in options)}; that is in no key"
        )
        yield not_known("vllm.model_options", cause, _OPTIONS, change)
    revisions = writer.model.revision, reader.model.revision
    if (revisions[0] is None) != (revisions[1] is None):
        cause = f"the model's revision is {' and '.join(it or 'not said' for it in revisions)}; it is in no key"
        yield not_known("model.revision", cause, source)
    for field in ("rope", "revision", "shape"):
        mine, theirs = getattr(writer.model, field), getattr(reader.model, field)
        if mine is not None and theirs is not None and mine != theirs:
            change = Change(
                f"one config.json and one revision: {field} as on {writer.name}", {}, {f"model.{field}": mine}
            )
            cause = f"one name, two models: their {field} differs, which is in no key"
            yield Reason(CrossingVerdict.SILENTLY_WRONG, f"model.{field}", cause, Basis.SOURCE, source, (change,))


def _longest(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """Of most models only how much they take; where a config.json was not described, it may be one of the others."""
    lengths = writer.vllm.max_model_len, reader.vllm.max_model_len
    known = [side.model.rope for side in (writer, reader)]
    if lengths[0] == lengths[1] or not any(rope is None or "longrope" in rope or '"su"' in rope for rope in known):
        return
    field, said = "vllm.max_model_len", " and ".join(it or "the model's own" for it in lengths)
    cause = (
        f"--max-model-len is {said}: a model with longrope turns its keys by other factors from a length on, in no key"
    )
    unsaid = " (no config.json says that this is none)" if None in known else ""
    change = Change(f"one --max-model-len on both sides: {lengths[0]}", {}, {field: lengths[0]})
    yield not_known(field, cause + unsaid, _LONG, *([change] if lengths[0] else []))


def convert_rule(writer: Deployment, reader: Deployment) -> str:
    """How chunks of the one become chunks of the other; empty where no rule is known, or none is needed."""
    mine, theirs = encoding(writer), encoding(reader)
    scales = writer.scales if writer.scales == reader.scales else None
    types = [kv_types()[side.kv_type or ""].key_type for side in (writer, reader) if side.kv_type in kv_types()]
    files = all((side.lmcache.remote_url or "").startswith("fs:") for side in (writer, reader))
    alone = "multi-process" in (writer.lmcache.mode, reader.lmcache.mode)
    if None in (mine, theirs, scales) or len(types) < 2 or alone or not files:
        return ""  # `convert` reads files, and those of the multi-process mode say neither shape nor type
    rule = _RULES.get((str(mine), str(theirs), str(scales)), "")
    if mine == theirs == "e4m3fn" and types[0] != types[1] and scales == "none":
        rule = f"the codes stay, keys say {types[1]}"
    if not rule:
        return ""
    scaling = "--unit-scale" if scales == "none" else "--scales CHECKPOINT"
    spelt = f" --key-dtype {types[1]}" if types[0] != types[1] else ""
    return f"{rule} (rewarp bridge convert --from {mine} --to {reader.accelerator}{spelt} {scaling})"


def layouts(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """How a back end lays its cache out; a chunk is by token whatever the layout, if the connector knows it."""
    for side in (writer, reader):
        if (side.vllm.attention_backend or "").upper() == "ROCM_ATTN":
            cause = f"{side.name}: ROCM_ATTN packs its cache, and vLLM lets no KV connector near it"
            source = "vLLM 0.32.0 vllm/v1/attention/backends/rocm_attn.py supports_kv_connector"
            change = on(side, writer, "another attention back end", {"vllm.attention_backend": "TRITON_ATTN"})
            yield Reason(CrossingVerdict.IMPOSSIBLE, "vllm.attention_backend", cause, Basis.SOURCE, source, (change,))
