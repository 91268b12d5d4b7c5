"""Results to test with."""

from __future__ import annotations

import random
from typing import Any

from rewarp.bench.result import Result, Series, Sourced


def facts(**values: Any) -> dict[str, Sourced]:
    return {name: Sourced(value, "log line 1") for name, value in values.items()}


def training(
    times: list[float] | None = None,
    *,
    columns: dict[str, Any] | None = None,
    device: dict[str, Any] | None = None,
    configuration: dict[str, Any] | None = None,
    reported: dict[str, Any] | None = None,
    kind: str = "training",
) -> Result:
    """Eight MI300X that train 2 billion parameters in bf16, as a log tells."""
    chooser = random.Random(0)
    if times is None and columns is None:
        times = [5.0, 2.0, *(0.5 + chooser.gauss(0, 0.005) for _ in range(60))]
    series = {**({"time_s": tuple(times)} if times is not None else {}), **(columns or {})}
    count = len(next(iter(series.values()), ()))
    known = {"name": "AMD Instinct MI300X", "count": 8, **(device or {})}
    settings = {"sequence": 4096, "global_batch": 32, "parameters": 2e9, "precision": "bf16", **(configuration or {})}
    return Result(
        name="run.log",
        kind=kind,
        platform=Sourced("rocm", "log line 1"),
        device=facts(**known),
        software={},
        configuration=facts(**settings),
        series=Series(tuple(range(1, count + 1)), series),
        reported=facts(**(reported or {})),
    )


def codes(result: Result) -> list[str]:
    return [warning.code for warning in result.warnings]
