"""What ``rewarp bench run`` measures: one TOML or YAML file for every platform (docs/bench.md)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from rewarp.bench.presets import PRESETS
from rewarp.errors import UsageError, did_you_mean
from rewarp.lang import parsers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = ("training", "matmul", "attention", "bandwidth", "collective")
METHODOLOGIES = ("identical", "best")
PLATFORMS = ("cuda", "rocm", "hpu", "xpu", "cpu")
PRECISIONS = ("fp32", "tf32", "bf16", "bf16-pure", "fp16")
OPERATIONS = {
    "bandwidth": ("copy", "triad"),
    "collective": ("all_reduce", "all_gather", "reduce_scatter"),
    "attention": ("forward", "forward+backward"),
}
_LARGEST = 1 << 20
"""Bytes of a configuration."""


@dataclass(frozen=True)
class Benchmark:
    """One thing to measure. Fields that its kind does not use keep their defaults."""

    kind: str
    name: str = ""
    precision: str = "bf16"
    steps: int = 50
    seconds: float = 120.0
    """No new step begins after this long. On one device alone: ranks that stop at different steps wait for ever."""
    seed: int = 0
    # training
    model: str = "tiny"
    shape: Mapping[str, int] = field(default_factory=dict)
    """What differs from the preset: layers, hidden, heads, kv_heads, feed_forward, vocabulary."""
    sequence: int = 512
    micro_batch: int = 1
    """Sequences of one device in one pass."""
    global_batch: int = 0
    """Sequences of all devices in one step; 0: one pass of each device."""
    optimizer: str = "adamw"
    learning_rate: float = 3e-4
    parallelism: str = "single"
    devices: int = 1
    compile: bool = False
    recompute: bool = False
    """Activations are computed again in the backward pass."""
    attention: str = "auto"
    # micro-benchmarks
    size: int = 8192
    """matmul: rows and columns. attention: the sequence. bandwidth, collective: bytes of one buffer."""
    repeat: int = 1
    """Operations in one timed step: short ones need several."""
    rest: float = 0.0
    """Seconds of idleness after each step: bursts that no power limit slows down."""
    operation: str = ""
    heads: int = 32
    head_width: int = 128
    causal: bool = True
    flush: bool = False
    """Caches are emptied before each step, outside its time; bandwidth alone does so unless told not to."""
    processes: int = 0
    """How many processes measure it, one after the other: runs differ by more than their steps tell. 0: three where one
    takes no longer than half a minute, else one."""
    overrides: tuple[str, ...] = ()
    """Settings that methodology `best` changed for this platform."""


@dataclass(frozen=True)
class Plan:
    """A whole file."""

    benchmarks: tuple[Benchmark, ...]
    methodology: str
    platform: str
    source: str


def _whole(low: int, high: int = 1 << 50) -> Callable[[Any], Any]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"must be a whole number from {low}")
        return value

    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
        raise ValueError("must be a number above 0")
    return float(value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text")
    return value


def _one_of(*choices: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return str(value)

    return check


def _shape(value: Any) -> dict[str, int]:
    known = ("layers", "hidden", "heads", "kv_heads", "feed_forward", "vocabulary")
    if not isinstance(value, dict) or any(name not in known for name in value):
        raise ValueError(f"must be a table of {', '.join(known)}")
    return {name: _whole(1)(item) for name, item in value.items()}


_OPERATIONS = tuple(operation for operations in OPERATIONS.values() for operation in operations)
_CHECKS: dict[str, Callable[[Any], Any]] = {
    "kind": _one_of(*KINDS),
    "name": _text,
    "precision": _one_of(*PRECISIONS),
    "steps": _whole(1, 10**7),
    "seconds": _number,
    "seed": _whole(0),
    "model": _one_of(*PRESETS),
    "shape": _shape,
    "sequence": _whole(1),
    "micro_batch": _whole(1),
    "global_batch": _whole(1),
    "optimizer": _one_of("adamw", "sgd"),
    "learning_rate": _number,
    "parallelism": _one_of("single", "ddp", "fsdp"),
    "devices": _whole(1, 1 << 16),
    "compile": _switch,
    "recompute": _switch,
    "attention": _one_of("auto", "flash", "efficient", "cudnn", "math"),
    "size": _whole(1),
    "repeat": _whole(1),
    "rest": _number,
    "operation": _one_of(*_OPERATIONS),
    "heads": _whole(1),
    "head_width": _whole(1),
    "causal": _switch,
    "flush": _switch,
    "processes": _whole(0, 100),
}


def load(path: Path, platform: str, changes: Mapping[str, Any] | None = None) -> Plan:
    """The plan in a file, for one platform. ``changes`` are settings for all its benchmarks (``--set``)."""
    return plan_of(read(path), path, platform, changes)


def plan_of(data: Mapping[str, Any], path: Path, platform: str, changes: Mapping[str, Any] | None = None) -> Plan:
    extra = set(data) - {"methodology", "benchmark", "defaults"}
    if extra:
        raise UsageError(f"{path}: knows no {sorted(extra)[0]!r}; it knows methodology, defaults and benchmark")
    methodology = data.get("methodology", "identical")
    if methodology not in METHODOLOGIES:
        raise UsageError(f"{path}: methodology must be one of {', '.join(METHODOLOGIES)}")
    tables, defaults = data.get("benchmark"), data.get("defaults", {})
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}: holds no [[benchmark]]")
    if not isinstance(defaults, dict):
        raise UsageError(f"{path}: defaults must be a table")
    benchmarks = []
    for number, table in enumerate(tables, 1):
        where = f"{path}: benchmark {number}"
        merged = {**defaults, **table, **(changes or {})}
        benchmarks.append(benchmark_of(merged, methodology, platform, where))
    return Plan(tuple(benchmarks), methodology, platform, str(path))


def benchmark_of(table: Mapping[str, Any], methodology: str, platform: str, where: str) -> Benchmark:
    """One benchmark; with methodology `best`, as its table ``best.PLATFORM`` changes it."""
    settings = dict(table)
    best = settings.pop("best", {})
    if not isinstance(best, dict) or any(name not in PLATFORMS for name in best):
        raise UsageError(f"{where}: best must hold tables of {', '.join(PLATFORMS)}")
    # Overrides are checked on every platform, so that a mistake is found on the first machine and not on the last.
    checked = {name: _checked(changes, f"{where}, best.{name}") for name, changes in best.items()}
    settings = _checked(settings, where)
    if "kind" not in settings:
        raise UsageError(f"{where}: kind is missing; it is one of {', '.join(KINDS)}")
    settings.setdefault("flush", settings["kind"] == "bandwidth")
    changes = checked.get(platform, {}) if methodology == "best" else {}
    if "kind" in changes:
        raise UsageError(f"{where}, best.{platform}: the kind cannot change")
    differing = {name: value for name, value in changes.items() if settings.get(name, _DEFAULTS.get(name)) != value}
    overrides = tuple(f"{name} = {value}" for name, value in differing.items())
    return _sound(Benchmark(**{**settings, **changes, "overrides": overrides}), where)


_DEFAULTS = {item.name: item.default for item in fields(Benchmark)}


def _checked(table: Any, where: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UsageError(f"{where}: must be a table")
    found = {}
    for name, value in table.items():
        check = _CHECKS.get(name)
        if check is None:
            hint = did_you_mean(str(name), _CHECKS)
            raise UsageError(f"{where}: knows no {name!r}; it knows {', '.join(_CHECKS)}{hint}")
        try:
            found[name] = check(value)
        except ValueError as error:
            raise UsageError(f"{where}: {name} {error}") from None
    return found


def _sound(benchmark: Benchmark, where: str) -> Benchmark:
    """Settings that must fit together, and the ones that follow from others."""
    if benchmark.kind == "training":
        passes = benchmark.micro_batch * benchmark.devices
        batch = benchmark.global_batch or passes
        if batch % passes:
            raise UsageError(f"{where}: global_batch {batch} is no multiple of micro_batch x devices ({passes})")
        if (benchmark.parallelism == "single") != (benchmark.devices == 1):
            raise UsageError(f"{where}: parallelism {benchmark.parallelism} with {benchmark.devices} devices")
        benchmark = replace(benchmark, global_batch=batch)
    operations = OPERATIONS.get(benchmark.kind, ())
    if benchmark.operation not in ("", *operations):
        raise UsageError(f"{where}: {benchmark.kind} has no operation {benchmark.operation}")
    if operations and not benchmark.operation:
        benchmark = replace(benchmark, operation=operations[0])
    if benchmark.kind == "collective" and benchmark.devices < 2:
        raise UsageError(f"{where}: a collective needs at least 2 devices")
    return benchmark if benchmark.name else replace(benchmark, name=_name(benchmark))


def _name(benchmark: Benchmark) -> str:
    if benchmark.kind == "training":
        return f"{benchmark.model} {benchmark.precision}"
    if benchmark.kind == "matmul":
        return f"matmul {benchmark.size} {benchmark.precision}{' in bursts' if benchmark.rest else ''}"
    return f"{benchmark.kind} {benchmark.operation} {benchmark.precision}"


def read(path: Path) -> dict[str, Any]:
    """What a file holds, before any of it is checked."""
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None
    data = _yaml(path, text) if path.suffix.lower() in (".yaml", ".yml") else _toml(path, text)
    if not isinstance(data, dict):
        raise UsageError(f"{path}: must be a table")
    return data


def content(path: Path) -> bytes:
    """All of it; what has no end, a device or a pipe, says nothing about its size."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise UsageError(f"{path} is too large for a configuration")
    return data


def _toml(path: Path, text: str) -> Any:
    try:
        return parsers.toml(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from None


def _yaml(path: Path, text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise UsageError(f"{path}: YAML needs pip install 'rewarp[bench]'; TOML needs nothing") from None
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"{path} is not YAML: {error}") from None


def parse_change(text: str) -> tuple[str, Any]:
    """`steps=5` of ``--set``: the value is written as in TOML; a bare word is a text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--set {text}: say NAME=VALUE")
    try:
        return name.strip(), parsers.toml(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()
