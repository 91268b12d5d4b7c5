"""Made-up runs for the tests of comparing: known speed, known noise."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewarp.bench.compare import Comparison, Settings, compare
from rewarp.bench.compare_inputs import Input, match
from rewarp.bench.derive import derive
from rewarp.bench.result import CONFIGURATION_FIELDS, DEVICE_FIELDS, Result, Series, Sourced, Warn, unknown
from rewarp.bench.summary import summarise

CONFIGURATION = {
    "model": "llama-3.1-8B",
    "parameters": 8.03e9,
    "layers": 32,
    "hidden": 4096,
    "sequence": 4096,
    "global_batch": 16,
    "precision": "bf16",
}


def times_of(step: float, count: int = 120, seed: int = 0, noise: float = 0.004) -> list[float]:
    """Step times about ``step`` after a warm-up of three steps."""
    chooser = random.Random(seed)
    return [step * (4 if place < 3 else 1) * (1 + chooser.gauss(0, noise)) for place in range(count)]


def make(
    name: str = "run",
    times: Sequence[float | None] = (),
    *,
    kind: str = "training",
    gpu: str | None = "NVIDIA H200",
    devices: int | None = 8,
    columns: dict[str, Sequence[float | None]] | None = None,
    warnings: tuple[Warn, ...] = (),
    reported: dict[str, Sourced] | None = None,
    **configuration: Any,
) -> Result:
    """A result as a reader makes it. A field set to None is unknown."""
    values = {**(CONFIGURATION if kind in ("training", "inference") else {}), **configuration}
    device: dict[str, Sourced] = {field: unknown("the log does not say") for field in DEVICE_FIELDS}
    device["name"] = Sourced(gpu, "log line 1") if gpu else unknown("the log does not say")
    device["count"] = Sourced(devices, "log line 2") if devices else unknown("the log does not say")
    series: dict[str, Sequence[float | None]] = {**({"time_s": tuple(times)} if times else {}), **(columns or {})}
    length = len(next(iter(series.values()))) if series else 0
    return Result(
        name=name,
        kind=kind,
        platform=Sourced("cuda", "log line 1"),
        device=device,
        software={},
        configuration={
            field: Sourced(values[field], "log line 3")
            if values.get(field) is not None
            else unknown("the log does not say")
            for field in {**dict.fromkeys(CONFIGURATION_FIELDS), **values}
        },
        series=Series(tuple(range(1, length + 1)), series),
        reported=reported or {},
        warnings=warnings,
    )


def measured(*arguments: Any, **named: Any) -> Result:
    result = derive(summarise(make(*arguments, **named)))
    return replace(result, warnings=(*result.warnings, *named.get("warnings", ())))


def compared(*results: Result, **settings: Any) -> Comparison:
    """Each result as a file of its own, the first the baseline."""
    inputs = [Input(f"{result.name}.json", f"{result.name}.json", (result,)) for result in results]
    benchmarks, unmatched = match(inputs)
    return compare(benchmarks, Settings(**settings), unmatched)
