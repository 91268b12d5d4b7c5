"""A node's power beside an MLPerf run: BENCHMARK/power/result_N/NODE.txt, read off a meter every second or so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rewarp.bench.logs.base import Facts
from rewarp.bench.result import Result, Series, Sourced, Warn

_CODE = "power-log"


def power_log(readings: Sequence[tuple[float, float]], name: str, line: int) -> Result:
    """The readings, each with its time in milliseconds, as a result that is no run."""
    facts = Facts()
    watts = [watt for _, watt in readings]
    what = "readings of a node's power beside a run; it is no run by itself"
    return Result(
        name=name,
        kind="mlperf",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=Series(
            tuple(range(1, len(watts) + 1)),
            {"node_power_w": tuple(watts), "stamp_s": tuple(when / 1000 for when, _ in readings)},
        ),
        reported={"node_power_w": Sourced(math.fsum(watts) / len(watts), f"mean of {len(watts)} readings")},
        warnings=(Warn(_CODE, what, "info", f"log line {line}"),),
        provenance={"dialect": "mlperf", "why": f"lines :::MLLOG with power readings, the first on line {line}"},
    )


def is_power_log(result: Result) -> bool:
    return any(warning.code == _CODE for warning in result.warnings)


def with_power(score: Result, logs: Iterable[Result]) -> Result:
    """A submission's score, with the power of its nodes: of each run the sum, of the runs the mean."""
    runs: dict[Path, float] = {}
    files: dict[str, str] = {}
    for log in logs:
        mine: Mapping[str, str] = log.provenance["files"]
        files.update(mine)
        folder = Path(next(iter(mine))).parent
        runs[folder] = runs.get(folder, 0.0) + log.reported["node_power_w"].value
    if not runs:
        return score
    power = Sourced(math.fsum(runs.values()) / len(runs), f"power/result_N: sum of the nodes, mean of {len(runs)} runs")
    return replace(
        score,
        reported={**score.reported, "system_power_w": power},
        provenance={**score.provenance, "files": {**score.provenance["files"], **files}},
    )
