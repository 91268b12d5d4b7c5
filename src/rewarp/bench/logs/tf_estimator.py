"""TensorFlow's Estimator and `MonitoredTrainingSession`: the seconds in parentheses are those since the line before."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import StepDialect, figure
from rewarp.bench.result import Series, Warn


def _by_step(series: Series) -> tuple[Series, list[Warn]]:
    """What a step took: the seconds since the line before by the steps since then."""
    columns = dict(series.columns)
    gone = columns.pop("since_line_s", None)
    if gone is None:
        return series, []
    times: list[float | None] = [None]
    for place in range(1, len(series.step)):
        steps, seconds = series.step[place] - series.step[place - 1], gone[place]
        # Of a run too long to keep, lines between are gone.
        times.append(seconds / steps if seconds is not None and steps > 0 and series.thinned == 1 else None)
    if any(time is not None for time in times):
        columns["time_s"] = times
    return Series(series.step, columns, series.thinned), []


TF_ESTIMATOR = StepDialect(
    name="tf-estimator",
    title="TensorFlow's Estimator",
    looks_for="INFO:tensorflow:loss = 0.18656304, step = 2000 (144.471 sec)",
    anchors=(b"loss = ",),
    step=re.compile(rb"\bloss = [-\d.e+]+, (?:global_)?step = (?P<step>\d+)(?= \([\d.]+ sec\)|\s*$)"),
    figures=(
        figure("loss", rb"\bloss = #, (?:global_)?step = "),
        figure("since_line_s", rb" step = \d+ \(# sec\)"),
    ),
    averaged=True,
    adjust=_by_step,
    notes={"time_s": "the seconds since the line before, by the steps since then"},
)
