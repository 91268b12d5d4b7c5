"""Detectron2: lines of its log, and `metrics.json` beside it."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import MIB, StepDialect, figure
from rewarp.bench.result import Series, Warn


def _without_mean(series: Series) -> tuple[Series, list[Warn]]:
    """`time` is the mean since the run began, and no time of the steps since the line before."""
    columns = dict(series.columns)
    means = [mean for mean in columns.pop("mean_time_s", ()) if mean is not None]
    about = []
    if means and "time_s" not in columns:
        what = f"the log gives only the mean time since the run began ({means[-1]:g} s at its end), and none by step"
        about.append(Warn("only-totals", what, "info"))
    return Series(series.step, columns, series.thinned), about


DETECTRON2 = StepDialect(
    name="detectron2",
    title="Detectron2",
    looks_for="eta: 0:01:51  iter: 19  total_loss: 1.589  …  time: 0.1136  last_time: 0.1120  …  max_mem: 2030M",
    anchors=(b" iter: ",),
    step=re.compile(rb"\biter: (?P<step>\d+)(?=  total_loss: )"),
    then=(re.compile(rb"  max_mem: \d+M"),),
    figures=(
        figure("time_s", rb" last_time: #"),
        figure("mean_time_s", rb" time: #"),
        figure("loss", rb" total_loss: #"),
        figure("learning_rate", rb" lr: #"),
        figure("memory_bytes", rb" max_mem: #M", MIB),
    ),
    notes={"time_s": "of the last step before the line alone"},
    adjust=_without_mean,
)
DETECTRON2_METRICS = StepDialect(
    name="detectron2-metrics",
    title="Detectron2's metrics.json",
    looks_for='{"data_time": 0.004, "eta_seconds": 175.9, "iteration": 19, …, "time": 0.11, "total_loss": 1.589}',
    anchors=(b'"iteration": ',),
    before=re.compile(rb'^\{.*?"data_time": '),
    step=re.compile(rb'"iteration": (?P<step>\d+),'),
    then=(re.compile(rb'"total_loss": '),),
    figures=(
        figure("time_s", rb' "time": #'),
        figure("loss", rb' "total_loss": #'),
        figure("learning_rate", rb' "lr": #'),
    ),
    notes={"time_s": "the median of the last 20 steps"},
)
