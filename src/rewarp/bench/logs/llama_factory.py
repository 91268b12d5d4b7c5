"""LLaMA-Factory: `trainer_log.jsonl`, with a clock of whole seconds."""

from __future__ import annotations

import re

from rewarp.bench.logs.clock import COARSE, coarse_times
from rewarp.bench.logs.steps import Figure, StepDialect, figure
from rewarp.bench.result import Series, Warn


def _by_step(series: Series) -> tuple[Series, list[Warn]]:
    columns = dict(series.columns)
    clocks = columns.pop("clock_s", None)
    if clocks is None or len(series.step) < 2:
        return Series(series.step, columns, series.thinned), []
    times = coarse_times(series.step, clocks)
    return Series(series.step, {"time_s": times, **columns}, series.thinned), [COARSE]


LLAMA_FACTORY = StepDialect(
    name="llama-factory",
    title="LLaMA-Factory",
    looks_for='{"current_steps": 10, "total_steps": 11900, "loss": 3.5663, …, "elapsed_time": "0:00:27", …}',
    anchors=(b'"current_steps": ',),
    step=re.compile(
        rb'^\{"current_steps": (?P<step>\d+), "total_steps": (?P<of>\d+), (?=.*"loss": [-\d.naif])(?=.*"elapsed_time": ")'
    ),
    figures=(
        Figure("clock", re.compile(rb'"elapsed_time": "((?:\d+ days?, )?[\d:]+)"')),
        figure("loss", rb'[ {]"loss": #'),
        figure("learning_rate", rb'"(?:lr|learning_rate)": #'),
    ),
    averaged=True,
    notes={"time_s": "from a clock of whole seconds: means over stretches long enough for that not to matter"},
    adjust=_by_step,
)
