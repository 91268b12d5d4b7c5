"""One side of a shared store: an accelerator, vLLM, LMCache, Python, the model. What nobody said is None, never a guess."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from rewarp.bridge.facts import accelerators, kv_types
from rewarp.errors import UsageError, did_you_mean

UNSET = "unset"
"""PYTHONHASHSEED is not set, as far as is known; None: nobody said."""
SCALES = ("none", "checkpoint", "dynamic")
MODES = ("in-process", "multi-process")


@dataclass(frozen=True)
class Vllm:
    """Arguments of ``vllm serve`` and variables that it reads; defaults are vLLM's."""

    version: str | None = None
    model: str | None = None
    """The name or path as it was given: part of every key."""
    dtype: str = "auto"
    kv_cache_dtype: str = "auto"
    kv_scales: str | None = None
    """Of an FP8 cache: `none` (1.0), `checkpoint`, `dynamic` (computed from what comes first)."""
    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    block_size: int | None = None
    attention_backend: str | None = None
    rope: str = ""
    """Overrides of positions: `--hf-overrides`, `--rope-scaling`, as JSON with sorted keys."""
    max_model_len: str | None = None
    """As it was given: `longrope` chooses its factors by it."""
    model_options: str = ""
    """Options that make another model of one name (`--quantization`), as JSON with sorted keys."""
    shuffle_kv_cache_layout: bool = False
    """VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT."""
    prefix_caching_hash_algo: str = "sha256"
    kv_connector: str | None = None
    """Of `--kv-transfer-config`; None: nobody said, and it is LMCache's."""
    kv_role: str = "kv_both"
    other: tuple[str, ...] = ()
    """Options that may decide, and that no rule knows."""


@dataclass(frozen=True)
class LMCache:
    """LMCache's configuration; defaults are its own."""

    version: str | None = None
    mode: str = "in-process"
    remote_url: str | None = None
    remote_serde: str = "naive"
    chunk_size: int = 256
    pre_caching_hash_algorithm: str | None = None
    """None: LMCache's own choice, `builtin` in vLLM's process, `blake3` in one of its own."""
    use_layerwise: bool = False
    save_chunk_meta: bool = True
    save_unfull_chunk: bool = False
    save_only_first_rank: bool | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    """`lmcache.tag.*` that every request carries."""
    cache_salt: str = ""
    """That every request carries; multi-process only."""
    other: tuple[str, ...] = ()
    """Settings that may decide, and that no rule knows."""


@dataclass(frozen=True)
class Model:
    """The model's config.json and the headers of its checkpoint."""

    dtype: str | None = None
    kv_cache_dtype: str | None = None
    """What its config.json makes of `--kv-cache-dtype auto`: `auto` where nothing else than its own type."""
    mla: bool | None = None
    shape: str | None = None
    """Layers, KV heads, head size: the shape of a token's cache."""
    rope: str | None = None
    revision: str | None = None
    weight_types: tuple[str, ...] | None = None
    """Types of tensors in the checkpoint, as safetensors names them."""
    scale_types: tuple[str, ...] | None = None
    has_kv_scales: bool | None = None
    other: tuple[str, ...] = ()
    """What it keeps beside keys and values, which no rule knows."""


@dataclass(frozen=True)
class Deployment:
    name: str
    accelerator: str | None = None
    python: str | None = None
    hash_seed: str | None = None
    vllm: Vllm = field(default_factory=Vllm)
    lmcache: LMCache = field(default_factory=LMCache)
    model: Model = field(default_factory=Model)
    assumed: tuple[str, ...] = ()
    """What was taken for granted because only a platform was named."""

    @property
    def kv_type(self) -> str | None:
        """The type of the cache, with `auto` resolved; None where only the model could tell, and nobody said."""
        if self.vllm.kv_cache_dtype != "auto":
            return self.vllm.kv_cache_dtype
        if self.model.kv_cache_dtype != "auto":
            return self.model.kv_cache_dtype
        return _FULL.get(self.vllm.dtype if self.vllm.dtype != "auto" else self.model.dtype or "")

    @property
    def scales(self) -> str | None:
        """Where the scales of an FP8 cache come from, as said, or as the checkpoint's headers tell."""
        if self.vllm.kv_scales is not None:
            return self.vllm.kv_scales
        has = self.model.has_kv_scales
        return None if has is None else "checkpoint" if has else "none"

    @property
    def hash_algorithm(self) -> str:
        own = "builtin" if self.lmcache.mode == MODES[0] else "blake3"
        return self.lmcache.pre_caching_hash_algorithm or own

    @property
    def world_size(self) -> int:
        return self.vllm.tensor_parallel_size * self.vllm.pipeline_parallel_size

    @property
    def hash_block_size(self) -> int | None:
        """Tokens in a block of vLLM's own prefix cache."""
        known = accelerators().get(self.accelerator or "")
        return self.vllm.block_size or (known.block_size if known else None)


_FULL = {
    "bfloat16": "bfloat16",
    "float16": "float16",
    "half": "float16",
    "float": "float32",
    "float32": "float32",
}

REFERENCE: Mapping[str, object] = {
    "python": "3.12",
    "hash_seed": "0",
    "vllm.version": "0.32.0",
    "vllm.model": "MODEL",
    "vllm.dtype": "bfloat16",
    "vllm.kv_scales": "none",
    "lmcache.version": "0.5.6",
    "lmcache.remote_url": "fs://shared:0/kv",
    "model.mla": False,
    "model.kv_cache_dtype": "auto",
}
"""What a platform's bare name stands for. Every report says so."""


# --- settings by name -------------------------------------------------------------------------


def _text(value: object) -> str:
    if not isinstance(value, (str, int, float)) or isinstance(value, bool) or not str(value).strip():
        raise ValueError("must be a text")
    return str(value)


def _any_text(value: object) -> str:
    return "" if value == "" else _text(value)


def _whole(value: object) -> int:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 31:
        raise ValueError("must be a whole number from 1")
    return value


def _switch(value: object) -> bool:
    given = value.lower() if isinstance(value, str) else value
    if given in (True, "true", "1", "on"):
        return True
    if given in (False, "false", "0", "off"):
        return False
    raise ValueError("must be true or false")


def _one_of(*choices: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}{did_you_mean(str(value), choices)}")
        return str(value)

    return check


def _mapping(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise ValueError("must be a table of texts")
    return {name: _text(item) for name, item in value.items()}


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError("must be a list of texts")
    return tuple(map(_text, value))


def _python(value: object) -> str:
    """`3.12.1` is 3.12; TOML's and YAML's 3.10 is a number, and 3.1 to them."""
    if isinstance(value, float):
        raise ValueError('must be a text: "3.10", in quotes')
    major, _, rest = _text(value).partition(".")
    minor = rest.partition(".")[0]
    if not (major.isdecimal() and minor.isdecimal()):
        raise ValueError("must be a version such as 3.12")
    return f"{int(major)}.{int(minor)}"


def _seed(value: object) -> str:
    return UNSET if value is None else _text(value)


def _accelerator(value: object) -> str:
    """Upper case, blanks and dashes do not count."""
    plain = "".join(letter for letter in _text(value).lower() if letter.isalnum())
    for name, row in accelerators().items():
        if plain in (name, "".join(filter(str.isalnum, f"{row.vendor}{row.name}"))):
            return name
    known = ", ".join(accelerators())
    raise ValueError(f"is none that is known ({known}){did_you_mean(plain, accelerators())}")


def _address(value: object) -> str:
    text = _text(value)
    try:
        return without_password(text)
    except ValueError as error:
        raise ValueError(f"is no address: {error}") from None


def without_password(url: str) -> str:
    """Descriptions and reports go to others: a store's password is nothing that they need."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    hidden = f"{user.partition(':')[0]}:***" if ":" in user else user
    written = f"{hidden}{at}{host}"
    return url if written == parts.netloc else url.replace(parts.netloc, written, 1)


def _kv_type(value: object) -> str:
    """One that is not in the table is kept: it makes the verdict unknown, not the description wrong."""
    return {"half": "float16", "float": "float32"}.get(str(value), _text(value))


_CHECKS: dict[str, Callable[[Any], object]] = {
    "name": _text,
    "accelerator": _accelerator,
    "python": _python,
    "hash_seed": _seed,
    "vllm.version": _text,
    "vllm.model": _text,
    "vllm.dtype": _text,
    "vllm.kv_cache_dtype": _kv_type,
    "vllm.kv_scales": _one_of(*SCALES),
    "vllm.tensor_parallel_size": _whole,
    "vllm.pipeline_parallel_size": _whole,
    "vllm.block_size": _whole,
    "vllm.attention_backend": _text,
    "vllm.rope": _any_text,
    "vllm.max_model_len": _text,
    "vllm.model_options": _any_text,
    "vllm.shuffle_kv_cache_layout": _switch,
    "vllm.prefix_caching_hash_algo": _text,
    "vllm.kv_connector": _text,
    "vllm.kv_role": _one_of("kv_both", "kv_producer", "kv_consumer"),
    "vllm.other": _texts,
    "lmcache.version": _text,
    "lmcache.mode": _one_of(*MODES),
    "lmcache.remote_url": _address,
    "lmcache.remote_serde": _text,
    "lmcache.chunk_size": _whole,
    "lmcache.pre_caching_hash_algorithm": _text,
    "lmcache.use_layerwise": _switch,
    "lmcache.save_chunk_meta": _switch,
    "lmcache.save_unfull_chunk": _switch,
    "lmcache.save_only_first_rank": _switch,
    "lmcache.tags": _mapping,
    "lmcache.cache_salt": _any_text,
    "lmcache.other": _texts,
    "model.dtype": _text,
    "model.kv_cache_dtype": _kv_type,
    "model.mla": _switch,
    "model.shape": _text,
    "model.rope": _any_text,
    "model.revision": _text,
    "model.weight_types": _texts,
    "model.scale_types": _texts,
    "model.has_kv_scales": _switch,
    "model.other": _texts,
}
OTHERS = ("vllm.other", "lmcache.other", "model.other")
"""What was said and no rule knows."""
SETTINGS = tuple(_CHECKS)
_GROUPS = ("vllm", "lmcache", "model")


def with_settings(deployment: Deployment, settings: Mapping[str, object], where: str = "") -> Deployment:
    """The deployment with settings changed, each by its dotted name."""
    groups: dict[str, dict[str, Any]] = {}
    for name, value in settings.items():
        check = _CHECKS.get(name)
        place = f"{where}: {name}" if where else name
        if check is None:
            raise UsageError(f"{place}: no such setting{did_you_mean(name, SETTINGS)}")
        try:
            checked = check(value)
        except ValueError as error:
            raise UsageError(f"{place} {error}") from None
        group, _, leaf = name.rpartition(".")
        groups.setdefault(group, {})[leaf] = checked
    changed = {
        group: dataclasses.replace(getattr(deployment, group), **groups.pop(group))
        for group in _GROUPS
        if group in groups
    }
    return dataclasses.replace(deployment, **changed, **groups.get("", {}))


def flattened(table: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """A description's tables as dotted names; a table that is no group is a value."""
    for name, value in table.items():
        if name in _GROUPS and isinstance(value, dict):
            yield from ((f"{name}.{leaf}", inner) for leaf, inner in value.items())
        else:
            yield name, value


def nested(settings: Mapping[str, object]) -> dict[str, Any]:
    """Dotted names as a description's tables."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        group, _, leaf = name.rpartition(".")
        (found.setdefault(group, {}) if group else found)[leaf] = UNSET if value is None else value
    return found


def of_platform(name: str) -> Deployment:
    """What a platform's bare name stands for."""
    try:
        platform = _accelerator(name)
    except ValueError as error:
        raise UsageError(f"{name}: no such file, and as a platform it {error}") from None
    row = accelerators()[platform]
    made = with_settings(Deployment(row.title, platform), REFERENCE)
    return dataclasses.replace(made, assumed=tuple(f"{field} = {value}" for field, value in REFERENCE.items()))


def with_fp8(deployment: Deployment) -> Deployment:
    """With the FP8 cache that the platform has: Gaudi's goes by another name."""
    gaudi = (deployment.accelerator or "").startswith("gaudi")
    return with_settings(deployment, {"vllm.kv_cache_dtype": "fp8_inc" if gaudi else "fp8_e4m3"})


def is_known_kv_type(name: str) -> bool:
    return name in kv_types()
