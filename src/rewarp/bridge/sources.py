"""What vLLM's arguments, LMCache's configuration, a model's config.json and a checkpoint's headers say, as settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rewarp.bench.config import content
from rewarp.bench.config import read as read_table
from rewarp.bridge.arguments import vllm_arguments
from rewarp.bridge.checkpoint import read_checkpoint
from rewarp.bridge.deployment import OTHERS
from rewarp.bridge.lmcache_settings import Settings, lmcache_config
from rewarp.bridge.scales import is_cache_scale
from rewarp.errors import UsageError
from rewarp.lang import parsers

_VARIABLES = {
    "VLLM_ATTENTION_BACKEND": "vllm.attention_backend",
    "VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT": "vllm.shuffle_kv_cache_layout",
}
_OWN_STATE = ("index_topk", "num_kv_shared_layers", "mamba_d_state", "ssm_cfg", "linear_num_key_heads")
"""Of a config.json: layers that keep something beside, or instead of, keys and values of their own."""


def variables(environment: Mapping[str, str]) -> Settings:
    """What vLLM and Python read from the environment. PYTHONHASHSEED that is not there is known not to be."""
    found: Settings = {"hash_seed": environment.get("PYTHONHASHSEED") or None}
    found |= {name: environment[variable] for variable, name in _VARIABLES.items() if environment.get(variable)}
    if environment.get("VLLM_MLA_DISABLE", "0") not in ("", "0"):
        found["model.mla"] = False
    return found


def model_config(table: Mapping[str, Any]) -> Settings:
    """A config.json."""
    inner = table.get("text_config")
    text = {**table, **inner} if isinstance(inner, dict) else table
    found: Settings = {"model.mla": text.get("kv_lora_rank") is not None, "model.kv_cache_dtype": _of_auto(table)}
    dtype = text.get("dtype") or text.get("torch_dtype")
    if isinstance(dtype, str):
        found["model.dtype"] = dtype.removeprefix("torch.")
    heads = text.get("num_key_value_heads", text.get("num_attention_heads"))
    width = text.get("head_dim")
    if width is None and isinstance(text.get("hidden_size"), int) and isinstance(text.get("num_attention_heads"), int):
        width = text["hidden_size"] // max(1, text["num_attention_heads"])
    if text.get("num_hidden_layers") is not None:
        found["model.shape"] = f"{text['num_hidden_layers']} layers, {heads} KV heads of {width}"
    rope = {name: value for name, value in text.items() if name.startswith("rope")}
    found["model.rope"] = json.dumps(rope, sort_keys=True) if rope else ""
    if others := [f"{name}: {text[name]}" for name in _OWN_STATE if text.get(name)]:
        found["model.other"] = others
    return found


def _of_auto(table: Mapping[str, Any]) -> str:
    """What vLLM makes of `--kv-cache-dtype auto`: `auto` is the model's own type, if its quantisation says no other."""
    quantised = table.get("quantization_config")
    if not isinstance(quantised, dict):
        return "auto"
    inner = quantised.get("quantization")
    said = {**quantised, **inner} if isinstance(inner, dict) else quantised
    scheme = said.get("kv_cache_scheme") or said.get("kv_cache_quant_algo")
    if not scheme:
        return "auto"
    if str(quantised.get("quant_method", "")).startswith("modelopt"):
        eight = {"num_bits": 8, "type": "float", "dynamic": False}
        if isinstance(scheme, dict) and eight.items() <= scheme.items():
            return "fp8_e4m3"
        if isinstance(scheme, str):
            return {"fp8": "fp8_e4m3", "nvfp4": "nvfp4"}.get(scheme.lower(), "auto")
    return "what the checkpoint's kv_cache_scheme says"


def checkpoint(path: Path) -> Settings:
    """The headers of its safetensors files; no weight is read."""
    tensors = read_checkpoint(path).tensors
    scales = {name for name in tensors if "scale" in name.rpartition(".")[2]}
    return {
        "model.weight_types": sorted({tensor.dtype for name, tensor in tensors.items() if name not in scales}),
        "model.scale_types": sorted({tensors[name].dtype for name in scales}),
        "model.has_kv_scales": any(map(is_cache_scale, tensors)),
    }


def _named(path: Path, folder: Path) -> Path:
    return path if path.is_absolute() else folder / path


def _lmcache_file(given: object, folder: Path) -> Settings:
    return lmcache_config(read_any(_path(given, folder)))


def _model_file(given: object, folder: Path) -> Settings:
    """ModelOpt may say in a file beside it what it quantised."""
    file = _path(given, folder)
    table = read_any(file)
    beside = file.with_name("hf_quant_config.json")
    if "quantization_config" not in table and beside.is_file():
        table["quantization_config"] = {"quant_method": "modelopt", **read_any(beside)}
    return model_config(table)


def _checkpoint(given: object, folder: Path) -> Settings:
    """Its headers, and its config.json."""
    path = _path(given, folder)
    config = path / "config.json"
    return (_model_file(str(config), folder) if config.is_file() else {}) | checkpoint(path)


def _path(given: object, folder: Path) -> Path:
    if not isinstance(given, str) or not given:
        raise UsageError("must be a path")
    return _named(Path(given), folder)


def _arguments(given: object, folder: Path) -> Settings:
    if not isinstance(given, (str, list)) or (isinstance(given, list) and not all(isinstance(it, str) for it in given)):
        raise UsageError("must be a command line, or a list of its words")
    try:
        return vllm_arguments(given, lambda file: read_any(_path(file, folder)))
    except ValueError as error:
        raise UsageError(f"is no command line: {error}") from None


SOURCES: Mapping[str, Callable[[object, Path], Settings]] = {
    "lmcache.config": _lmcache_file,
    "model.checkpoint": _checkpoint,
    "model.config": _model_file,
    "vllm.arguments": _arguments,
}
"""Settings that stand for what a file, or a command line, says: later ones go before, and what is said beside them most."""


def merged(before: Settings, after: Settings) -> Settings:
    """The later goes before; what no rule knows is not forgotten."""
    others = {name: [*_texts(before, name), *_texts(after, name)] for name in OTHERS}
    return before | after | {name: found for name, found in others.items() if found}


def _texts(settings: Settings, name: str) -> list[str]:
    found = settings.get(name)
    return list(map(str, found)) if isinstance(found, (list, tuple)) else []


def resolved(settings: Mapping[str, object], folder: Path, where: str) -> Settings:
    """Settings, with those that name sources replaced by what the sources say."""
    found: Settings = {}
    for name, read in SOURCES.items():
        if name in settings:
            try:
                found = merged(found, read(settings[name], folder))
            except UsageError as error:
                raise UsageError(f"{where}: {name}: {error}") from None
    return found | {name: value for name, value in settings.items() if name not in SOURCES}


def read_any(file: Path) -> dict[str, Any]:
    """A table of a TOML, YAML or JSON file."""
    if file.suffix != ".json":
        return read_table(file)
    try:
        found = parsers.from_json(content(file))
    except ValueError as error:
        raise UsageError(f"{file} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{file}: must be a table")
    return found
