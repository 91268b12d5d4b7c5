"""ms-swift: `logging.jsonl`, whose speed is the mean since the run began."""

from __future__ import annotations

import math
import re

from rewarp.bench.logs.steps import GIB, StepDialect, figure
from rewarp.bench.result import Series, Warn


def _by_step(series: Series) -> tuple[Series, list[Warn]]:
    """Steps so far x their mean time is a clock; its differences are the times between two lines."""
    columns = dict(series.columns)
    means = columns.pop("mean_time_s", None)
    rates = columns.pop("mean_steps_per_s", None)
    if means is None and rates is not None:
        means = [1 / rate if rate else None for rate in rates]
    if means is None:
        return series, []
    times: list[float | None] = []
    at, clock = 0, 0.0
    for step, mean in zip(series.step, means):
        if mean is None or not math.isfinite(mean) or step <= at:
            times.append(None)
            continue
        # A log that begins late does not say when its run, or the part of it since a restart, began.
        late = not times and step > 1 and len(series.step) > 1 and step > series.step[1] - step
        times.append(None if late else (step * mean - clock) / (step - at))
        at, clock = step, step * mean
    return Series(series.step, {"time_s": times, **columns}, series.thinned), []


SWIFT = StepDialect(
    name="swift",
    title="ms-swift",
    looks_for='{"loss": 2.03, …, "global_step/max_steps": "1/294", …, "train_speed(s/it)": 119.868104}',
    anchors=(b'"global_step/max_steps": "',),
    step=re.compile(rb'"global_step/max_steps": "(?P<step>\d+)/(?P<of>\d+)"'),
    before=re.compile(rb'[{ ]"loss": '),
    then=(re.compile(rb'"train_speed\((?:s/it|iter/s)\)": '),),
    figures=(
        figure("mean_time_s", rb'"train_speed\(s/it\)": #'),
        figure("mean_steps_per_s", rb'"train_speed\(iter/s\)": #'),
        figure("loss", rb'[{ ]"loss": #'),
        figure("learning_rate", rb'"learning_rate": #'),
        figure("grad_norm", rb'"grad_norm": #'),
        figure("memory_bytes", rb'"memory\(GiB\)": #', GIB),
    ),
    averaged=True,
    notes={
        "time_s": "from the mean since the run began; that of a slow step is spread over the steps to the next line"
    },
    adjust=_by_step,
)
