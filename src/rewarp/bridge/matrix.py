"""All platforms against all: what crosses between any two, for each kind of cache and checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rewarp.bridge.check import cross
from rewarp.bridge.crossing import Crossing, Kind
from rewarp.bridge.deployment import Deployment, of_platform, with_fp8, with_settings
from rewarp.bridge.facts import accelerators

_SCALED = {"vllm.kv_scales": "checkpoint"}
_DYNAMIC = {"vllm.kv_scales": "dynamic"}


@dataclass(frozen=True)
class Table:
    """Platforms that write, by platforms that read."""

    title: str
    rows: Mapping[str, Mapping[str, Crossing]]


@dataclass(frozen=True)
class Matrix:
    platforms: Mapping[str, str]
    """Names and titles."""
    tables: tuple[Table, ...]


_TABLES: Sequence[tuple[str, Kind, Callable[[Deployment], Deployment]]] = (
    ("KV chunks, bf16 or fp16 on both sides", Kind.CHUNKS, lambda side: side),
    ("KV chunks, FP8 with scales of 1.0", Kind.CHUNKS, with_fp8),
    ("KV chunks, FP8 with the checkpoint's scales", Kind.CHUNKS, lambda side: with_settings(with_fp8(side), _SCALED)),
    (
        "KV chunks, FP8 with scales computed on the fly",
        Kind.CHUNKS,
        lambda side: with_settings(with_fp8(side), _DYNAMIC),
    ),
    ("FP8 weights, e4m3fn", Kind.WEIGHTS, lambda side: with_settings(side, {"model.weight_types": ["F8_E4M3"]})),
    ("FP8 weights, e4m3fnuz", Kind.WEIGHTS, lambda side: with_settings(side, {"model.weight_types": ["F8_E4M3FNUZ"]})),
    ("prefix hashes of vLLM", Kind.PREFIXES, lambda side: side),
)


def matrix(settings: Mapping[str, object]) -> Matrix:
    """Every platform as a reference deployment, with settings changed on all of them."""
    sides = {name: with_settings(of_platform(name), settings, "--set") for name in accelerators()}
    tables = []
    for title, kind, made in _TABLES:
        changed = {name: made(side) for name, side in sides.items()}
        rows = {a: {b: cross(kind, changed[a], changed[b]) for b in changed} for a in changed}
        tables.append(Table(title, rows))
    return Matrix({name: row.title for name, row in accelerators().items()}, tuple(tables))
