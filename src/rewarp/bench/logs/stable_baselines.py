"""Stable-Baselines3: a table for each rollout, in which a step is one of the environment."""

from __future__ import annotations

import re

from rewarp.bench.logs.base import LineDialect
from rewarp.bench.logs.clock import COARSE, coarse_times
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.result import Result, Warn

_CELL = re.compile(rb"^\s*\| +(?P<name>[\w/]+) +\| *(?P<value>[-\d.e+]+) *\|")
_COLUMNS = {b"time_elapsed": "clock_s", b"loss": "loss", b"learning_rate": "learning_rate"}
_NOTES = {
    "time_s": "of a step of the environment, by the run's clock of whole seconds; fps is a mean since the run began, and not used"
}
_OF_THE_ENVIRONMENT = Warn(
    "environment-steps", "steps are those of the environment (total_timesteps), not of the optimizer", "info"
)


class _Fold:
    anchors = (b" | ", b"-----")

    def __init__(self) -> None:
        self._runs: list[Rows] = []
        self._table: dict[bytes, float] = {}

    def feed(self, number: int, line: bytes) -> bool:
        found = _CELL.match(line)
        if found is not None:
            try:
                self._table[found["name"]] = float(found["value"])
            except ValueError:
                return False
            return False
        if not line.strip().startswith(b"-----"):
            return False
        table, self._table = self._table, {}
        if b"total_timesteps" not in table or b"fps" not in table:
            return False
        step = table[b"total_timesteps"]
        if not self._runs or step <= self._runs[-1].rows[-1]["step"]:
            self._runs.append(Rows())
        row = {column: table[name] for name, column in _COLUMNS.items() if name in table}
        self._runs[-1].add(
            number, b"total_timesteps %d, fps %d" % (int(step), int(table[b"fps"])), {"step": step, **row}
        )
        return True

    def results(self, name: str) -> list[Result]:
        many, found = len(self._runs) > 1, []
        for place, rows in enumerate(self._runs, 1):
            steps = [int(step) for step in rows.column("step") if step is not None]
            columns = rows.columns(list(_COLUMNS.values()))
            if (clock := columns.pop("clock_s", None)) is not None and len(steps) > 1:
                columns = {"time_s": coarse_times(steps, clock), **columns}
            title = f"{name}#{place}" if many else name
            made = result(
                title,
                STABLE_BASELINES.name,
                STABLE_BASELINES.title,
                rows,
                steps,
                columns,
                [_OF_THE_ENVIRONMENT, COARSE],
                _NOTES,
            )
            found.append(made)
        return found


class StableBaselines(LineDialect):
    name = "stable-baselines3"
    title = "Stable-Baselines3"
    looks_for = "| time/ |, |    fps | 3373 |, |    total_timesteps | 19987456 | and dashes"
    anchors = _Fold.anchors

    def fold(self) -> _Fold:
        return _Fold()


STABLE_BASELINES = StableBaselines()
