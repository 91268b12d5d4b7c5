"""LMCache's own configuration, as settings. What may decide about a chunk and is known to no rule is kept by its name."""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from rewarp import tables
from rewarp.lang import parsers

Settings = dict[str, object]
NO_STORE = "none"
_READ = (
    *("chunk_size", "remote_url", "remote_serde", "pre_caching_hash_algorithm"),
    *("use_layerwise", "save_unfull_chunk"),
)
_EXTRA = ("save_chunk_meta", "save_only_first_rank")
_PLUGINS = "remote_storage_plugins"
_VARIABLE = "LMCACHE_"
_SECRET = re.compile(r"pass(word|wd)?$|secret|token|credentials?$|key$", re.I)
"""Names of settings whose values are nobody else's business."""
_NOT_SETTINGS = ("CONFIG_FILE", "LOG_LEVEL", "LOG_FORMAT", "LOG_FILE", "TRACK_USAGE", "USE_EXPERIMENTAL")
"""Variables of LMCache that are no settings of its engine."""


@lru_cache(maxsize=1)
def _decides_nothing() -> frozenset[str]:
    """Of LMCache 0.5.6 lmcache/v1/config.py."""
    return frozenset(row["name"] for row in tables.rows("bridge_lmcache_settings.csv"))


def lmcache_config(table: Mapping[str, Any]) -> Settings:
    """LMCache's own file. Without a remote store it is known that there is none."""
    found = lmcache_overrides(table)
    if "lmcache.remote_url" not in found and not table.get(_PLUGINS):
        found["lmcache.remote_url"] = NO_STORE
    return found


def lmcache_overrides(table: Mapping[str, Any]) -> Settings:
    """Some of LMCache's settings, by its names."""
    found: Settings = {f"lmcache.{name}": table[name] for name in _READ if table.get(name) is not None}
    extra = table.get("extra_config")
    if isinstance(extra, dict):
        found |= {f"lmcache.{name}": extra[name] for name in _EXTRA if name in extra}
    if others := list(_others(table)):
        found["lmcache.other"] = others
    return found


def _others(table: Mapping[str, Any]) -> Iterator[str]:
    """What is switched on, and neither read nor known to decide nothing: a name of next year, a plugin, a slip of the pen."""
    extra = table.get("extra_config")
    if extra and not isinstance(extra, dict):
        yield f"extra_config: {_short(extra)}"
    inner = {f"extra_config.{name}": value for name, value in extra.items()} if isinstance(extra, dict) else {}
    known = {*_READ, *(f"extra_config.{name}" for name in _EXTRA), *_decides_nothing()}
    for name, value in {**table, **inner}.items():
        off = value in (None, False, "", [], {}) or (isinstance(value, str) and value.lower() == "false")
        if name not in known and not off:
            yield f"{str(name)[:60]}: {'***' if _SECRET.search(str(name)) else _short(value)}"


def _short(value: object) -> str:
    """Short, and of no depth: what refers to itself again and again would be written out again and again."""
    return reprlib.repr(value) if not isinstance(value, (list, dict, tuple, set)) else "…"


def of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The table that LMCache makes of its variables; they go before its file."""
    table: dict[str, Any] = {
        name.removeprefix(_VARIABLE).lower(): value
        for name, value in environment.items()
        if name.startswith(_VARIABLE) and name.removeprefix(_VARIABLE) not in _NOT_SETTINGS and value
    }
    if "extra_config" in table:
        try:
            table["extra_config"] = parsers.from_json(table["extra_config"])
        except ValueError:
            table["extra_config"] = json.dumps(table["extra_config"])
    return table
