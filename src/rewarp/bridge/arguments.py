"""The command line of ``vllm serve``, as settings, read as vLLM's own parser reads it: underscores, short forms and
beginnings of names, keys of a JSON argument one by one, a file of arguments."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from rewarp import tables
from rewarp.bridge.lmcache_settings import Settings, lmcache_overrides
from rewarp.lang import parsers

_OPTIONS = {
    "model": "vllm.model",
    "revision": "model.revision",
    "dtype": "vllm.dtype",
    "kv-cache-dtype": "vllm.kv_cache_dtype",
    "tensor-parallel-size": "vllm.tensor_parallel_size",
    "pipeline-parallel-size": "vllm.pipeline_parallel_size",
    "block-size": "vllm.block_size",
    "max-model-len": "vllm.max_model_len",
    "attention-backend": "vllm.attention_backend",
    "prefix-caching-hash-algo": "vllm.prefix_caching_hash_algo",
}
_SHORT = {
    "tp": "tensor-parallel-size",
    "pp": "pipeline-parallel-size",
    "ac": "attention-config",
    "sc": "speculative-config",
    "dc": "diffusion-config",
    "dcp": "decode-context-parallel-size",
    "pcp": "prefill-context-parallel-size",
    "q": "quantization",
}
"""Those of options that may decide."""
_ROPE = ("hf-overrides", "rope-scaling", "rope-theta")
_SCALES, _CONFIG, _TRANSFER, _ATTENTION = "calculate-kv-scales", "config", "kv-transfer-config", "attention-config"
_OF_NO_EFFECT = {
    "decode-context-parallel-size": ("1",),
    "prefill-context-parallel-size": ("1",),
    "load-format": ("auto",),
    "model-impl": ("auto", "vllm"),
    "tokenizer-mode": ("auto",),
}
"""Values that change nothing, of options that may."""
_KNOWN = (*_OPTIONS, *_ROPE, _SCALES, _CONFIG, _TRANSFER, _ATTENTION)
_SECRET = re.compile(r"key|token|secret|passw")
CONNECTORS = {"LMCacheConnectorV1": "in-process", "LMCacheMPConnector": "multi-process"}
"""vLLM's connectors that were looked at, and where LMCache runs with each."""
NO_CONNECTOR = "none"
Read = Callable[[str], Mapping[str, Any]]


def vllm_arguments(words: str | Sequence[str], read: Read | None = None) -> Settings:
    """Options that decide nothing here are passed over. ``read`` reads the file of ``--config``. Raises ValueError for what
    is no command line."""
    options = _options(_of_vllm(shlex.split(words) if isinstance(words, str) else list(words)))
    others = []
    if file := options.pop(_CONFIG, None):
        if read:
            options = {**_options([*_words(read(str(file)))]), **options}
        else:
            others.append(f"--{_CONFIG} {file}")
    found: Settings = {setting: options[name] for name, setting in _OPTIONS.items() if name in options}
    if str(options.get(_SCALES, "false")).lower() != "false":
        found["vllm.kv_scales"] = "dynamic"
    if rope := {name: options[name] for name in _ROPE if name in options}:
        found["vllm.rope"] = json.dumps(rope, sort_keys=True)
    attention = options.get(_ATTENTION)
    if isinstance(attention, dict) and isinstance(attention.get("backend"), str):
        found["vllm.attention_backend"] = attention["backend"]
    elif attention is not None and not isinstance(attention, dict):
        others.append(f"--{_ATTENTION} {attention}")
    found |= _transfer(options.get(_TRANSFER), others)
    left = {name: value for name, value in options.items() if name not in _KNOWN and not _is_off(name, value)}
    model = {name: _text(value) for name, value in left.items() if decides().get(name) == "model"}
    if model:
        found["vllm.model_options"] = json.dumps(model, sort_keys=True)
    others += [_shown(name, value) for name, value in left.items() if name not in decides()]
    return {**found, "vllm.other": others} if others else found


@lru_cache(maxsize=1)
def decides() -> Mapping[str, str]:
    """By option of vLLM's: `nothing`, or `model`, where another value makes another model of one name."""
    return {row["name"]: row["decides"] for row in tables.rows("bridge_vllm_options.csv")}


def _is_off(name: str, value: Any) -> bool:
    written = str(value).lower()
    return written in ("false", *_OF_NO_EFFECT.get(name, ())) or name.startswith("no-enable-")


def _shown(name: str, value: Any) -> str:
    return f"--{name} {'***' if _SECRET.search(name) else _text(value)}".strip()[:200]


def _transfer(given: Any, others: list[str]) -> Settings:
    """What ``--kv-transfer-config`` says; its own settings for LMCache go before LMCache's file."""
    if given is None:
        return {}
    if not isinstance(given, dict) or not isinstance(given.get("kv_connector"), str):
        others.append(f"--{_TRANSFER} {_text(given)}")
        return {}
    extra = given.get("kv_connector_extra_config")
    own = extra if isinstance(extra, dict) else {}
    mine = {name.removeprefix("lmcache."): value for name, value in own.items() if name.startswith("lmcache.")}
    found = lmcache_overrides({name: value for name, value in mine.items() if not name.startswith("mp.")})
    found["vllm.kv_connector"] = given["kv_connector"]
    if mode := CONNECTORS.get(given["kv_connector"]):
        found["lmcache.mode"] = mode
    if isinstance(given.get("kv_role"), str):
        found["vllm.kv_role"] = given["kv_role"]
    if given.get("kv_connector_module_path"):
        others.append(f"--{_TRANSFER} kv_connector_module_path {given['kv_connector_module_path']}")
    return found


# --- words ------------------------------------------------------------------------------------


def _of_vllm(words: list[str]) -> list[str]:
    """What begins with vLLM's own command: options before it are those of `numactl`, or of Python."""
    for at, word in enumerate(words):
        if word == "serve" or word.startswith("vllm.entrypoints"):
            return words[at:]
    return words


def _options(words: Sequence[str]) -> dict[str, Any]:
    """Values by the whole names of options; of JSON arguments, what the JSON says. The last one goes before, as in vLLM."""
    found: dict[str, Any] = {}
    for at, word in enumerate(words):
        written, equals, value = word.partition("=")
        if not written.startswith("-"):
            if at and words[at - 1] == "serve":
                found["model"] = word
            continue
        head, *path = written.lstrip("-").split(".")
        name = _whole(head.replace("_", "-"), written.startswith("--"))
        if name is None:
            continue
        if not equals:
            after = words[at + 1] if at + 1 < len(words) else ""
            value = "" if after.startswith("--") else after
        if path:
            _put(found, [name, *path], _json(value))
        else:
            found[name] = _json(value) if name in (*_ROPE, _TRANSFER, _ATTENTION) else value
    return found


def _whole(name: str, is_long: bool) -> str | None:
    """The option that is meant: vLLM takes the beginning of a name for the whole, and a name that nobody knows is kept."""
    if not is_long:
        return _SHORT.get(name)
    if name in _KNOWN or name in decides() or not name:
        return name or None
    begun = [known for known in (*_KNOWN, *decides()) if known.startswith(name)]
    return begun[0] if len(begun) == 1 else name


def _put(found: dict[str, Any], path: Sequence[str], value: Any) -> None:
    *folders, last = path
    place = found
    for folder in folders:
        inner = place.get(folder)
        place[folder] = dict(inner) if isinstance(inner, dict) else {}
        place = place[folder]
    place[last] = value


def _words(table: Mapping[str, Any]) -> Iterator[str]:
    """A file of arguments as vLLM makes words of it."""
    for name, value in table.items():
        yield f"--{name}"
        yield _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _json(text: str) -> Any:
    try:
        return parsers.from_json(text)
    except ValueError:
        return text
