"""What `rewarp bridge check --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.bridge.crossing import Kind
from rewarp.bridge.deployment import MODES, SCALES
from rewarp.report.documents.bridge_matrix import Crossings
from rewarp.schema import AtLeast, AtMost, OneOf

Many = Annotated[int, AtLeast(1)]
Others = Annotated[list[str], "what may decide, and no rule knows"]


class Vllm(TypedDict):
    version: str | None
    model: str | None
    dtype: str
    kv_cache_dtype: str
    kv_scales: Annotated[str | None, OneOf(*SCALES)]
    tensor_parallel_size: Many
    pipeline_parallel_size: Many
    block_size: Annotated[int | None, AtLeast(1)]
    attention_backend: str | None
    rope: str
    max_model_len: str | None
    model_options: str
    shuffle_kv_cache_layout: bool
    prefix_caching_hash_algo: str
    kv_connector: str | None
    kv_role: str
    other: Others


class LMCache(TypedDict):
    version: str | None
    mode: Annotated[str, OneOf(*MODES)]
    remote_url: str | None
    remote_serde: str
    chunk_size: Many
    pre_caching_hash_algorithm: str | None
    use_layerwise: bool
    save_chunk_meta: bool
    save_unfull_chunk: bool
    save_only_first_rank: bool | None
    tags: dict[str, str]
    cache_salt: str
    other: Others


class Model(TypedDict):
    dtype: str | None
    kv_cache_dtype: str | None
    mla: bool | None
    shape: str | None
    rope: str | None
    revision: str | None
    weight_types: list[str] | None
    scale_types: list[str] | None
    has_kv_scales: bool | None
    other: Others


class Side(TypedDict):
    name: str
    accelerator: str | None
    python: str | None
    hash_seed: str | None
    vllm: Vllm
    lmcache: LMCache
    model: Model
    assumed: Annotated[list[str], "what was taken for granted because only a platform was named"]


class NotChecked(TypedDict):
    kind: Annotated[str, OneOf(Kind)]
    why: str


class Document(TypedDict):
    """The output of `rewarp bridge check --json`."""

    schema: Literal[1]
    a: Side
    b: Side
    crossings: list[Crossings]
    not_checked: list[NotChecked]
    not_run: str
    exit_code: Annotated[int, AtLeast(0), AtMost(3)]
