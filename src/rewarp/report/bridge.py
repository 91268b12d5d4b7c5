"""``rewarp bridge check`` as text, JSON, Markdown and a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from rewarp.bridge.check import Check
from rewarp.bridge.crossing import Crossing, CrossingVerdict
from rewarp.bridge.deployment import Deployment, LMCache, Model, Vllm
from rewarp.bridge.matrix import matrix
from rewarp.escape import joined, markdown_code, markdown_row
from rewarp.escape import markdown as plain
from rewarp.report import bridge_matrix
from rewarp.report.bridge_matrix import NOT_RUN
from rewarp.report.documents import bridge_check as documents

SCHEMA: Final = 1


def exit_code(checked: Check) -> int:
    """0 all is well, 1 something is not, 3 something could not be told."""
    if any(not verdict.is_good and verdict is not CrossingVerdict.UNKNOWN for verdict in checked.verdicts):
        return 1
    return 3 if CrossingVerdict.UNKNOWN in checked.verdicts or not checked.crossings else 0


def document(checked: Check) -> documents.Document:
    return {
        "schema": SCHEMA,
        "a": _side(checked.a),
        "b": _side(checked.b),
        "crossings": [bridge_matrix.crossing(crossing) for crossing in checked.crossings],
        "not_checked": [{"kind": kind.value, "why": why} for kind, why in checked.not_checked],
        "not_run": NOT_RUN,
        "exit_code": exit_code(checked),
    }


def _side(side: Deployment) -> documents.Side:
    return {
        "name": side.name,
        "accelerator": side.accelerator,
        "python": side.python,
        "hash_seed": side.hash_seed,
        "vllm": _vllm(side.vllm),
        "lmcache": _lmcache(side.lmcache),
        "model": _model(side.model),
        "assumed": list(side.assumed),
    }


def _vllm(of: Vllm) -> documents.Vllm:
    return {
        "version": of.version,
        "model": of.model,
        "dtype": of.dtype,
        "kv_cache_dtype": of.kv_cache_dtype,
        "kv_scales": of.kv_scales,
        "tensor_parallel_size": of.tensor_parallel_size,
        "pipeline_parallel_size": of.pipeline_parallel_size,
        "block_size": of.block_size,
        "attention_backend": of.attention_backend,
        "rope": of.rope,
        "max_model_len": of.max_model_len,
        "model_options": of.model_options,
        "shuffle_kv_cache_layout": of.shuffle_kv_cache_layout,
        "prefix_caching_hash_algo": of.prefix_caching_hash_algo,
        "kv_connector": of.kv_connector,
        "kv_role": of.kv_role,
        "other": list(of.other),
    }


def _lmcache(of: LMCache) -> documents.LMCache:
    return {
        "version": of.version,
        "mode": of.mode,
        "remote_url": of.remote_url,
        "remote_serde": of.remote_serde,
        "chunk_size": of.chunk_size,
        "pre_caching_hash_algorithm": of.pre_caching_hash_algorithm,
        "use_layerwise": of.use_layerwise,
        "save_chunk_meta": of.save_chunk_meta,
        "save_unfull_chunk": of.save_unfull_chunk,
        "save_only_first_rank": of.save_only_first_rank,
        "tags": dict(of.tags),
        "cache_salt": of.cache_salt,
        "other": list(of.other),
    }


def _model(of: Model) -> documents.Model:
    return {
        "dtype": of.dtype,
        "kv_cache_dtype": of.kv_cache_dtype,
        "mla": of.mla,
        "shape": of.shape,
        "rope": of.rope,
        "revision": of.revision,
        "weight_types": None if of.weight_types is None else list(of.weight_types),
        "scale_types": None if of.scale_types is None else list(of.scale_types),
        "has_kv_scales": of.has_kv_scales,
        "other": list(of.other),
    }


def render(checked: Check) -> str:
    return json.dumps(document(checked), indent=1) + "\n"


def page(checked: Check) -> str:
    """The pair, and below it all platforms against all."""
    return bridge_matrix.page(matrix({}), document(checked))


def text(checked: Check) -> str:
    return joined(_lines(checked))


def _lines(checked: Check) -> Iterator[str]:
    for side in (checked.a, checked.b):
        if side.assumed:
            yield f"{side.name} stands for a reference deployment: {', '.join(side.assumed)}"
    for crossing in checked.crossings:
        yield ""
        yield from _crossing(crossing)
    yield ""
    for kind, why in checked.not_checked:
        yield f"not checked: {kind.value}: {why}"
    yield NOT_RUN


def _crossing(crossing: Crossing) -> Iterator[str]:
    verdict = crossing.verdict.value
    yield f"{crossing.kind.value}, {crossing.writer} -> {crossing.reader}: {verdict if crossing.verdict.is_good else verdict.upper()}"
    yield f"  {crossing.cause} [{crossing.basis.value}]"
    if crossing.field:
        yield f"  decided by: {crossing.field}"
    if crossing.rule:
        yield f"  conversion: {crossing.rule}"
    for reason in crossing.reasons[1:]:
        yield f"  also: {reason.field}: {reason.cause} ({reason.verdict.value}) [{reason.basis.value}]"
    for remedy in crossing.remedies:
        yield f"  change: {remedy.what} -> {remedy.leads_to.value} (checked again)"


def markdown(checked: Check) -> str:
    lines = [f"## {plain(checked.a.name)} and {plain(checked.b.name)} on one store", ""]
    lines += [markdown_row("data", "from", "to", "verdict", "why", "decided by"), markdown_row(*["---"] * 6)]
    for crossing in checked.crossings:
        verdict = crossing.verdict.value if crossing.verdict.is_good else f"**{crossing.verdict.value}**"
        why = f"{plain(crossing.cause)} ({crossing.basis.value})"
        field = markdown_code(crossing.field) if crossing.field else ""
        lines.append(
            markdown_row(crossing.kind.value, plain(crossing.writer), plain(crossing.reader), verdict, why, field)
        )
    for crossing in (crossing for crossing in checked.crossings if crossing.remedies):
        lines += ["", f"{crossing.kind.value}, {plain(crossing.writer)} to {plain(crossing.reader)}:", ""]
        lines += [f"- {plain(remedy.what)}: then {remedy.leads_to.value}" for remedy in crossing.remedies]
    lines += [
        "",
        *(f"Not checked: {kind.value}: {plain(why)}." for kind, why in checked.not_checked),
        "",
        plain(NOT_RUN),
    ]
    return "\n".join(lines) + "\n"
