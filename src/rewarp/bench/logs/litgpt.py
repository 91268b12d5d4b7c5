"""LitGPT: a line is an iteration, which is a step only where gradients do not accumulate."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import StepDialect, figure
from rewarp.bench.result import Series, Warn


def _steps_of_iterations(series: Series) -> tuple[Series, list[Warn]]:
    """As many iterations make a step as go by between two of them; the time of a step is that of its iterations."""
    columns = dict(series.columns)
    counts, times = columns.pop("optimizer_step", None), columns.pop("iteration_s", None)
    if counts is None or times is None:
        return series, []
    last: dict[int, int] = {}
    for place, count in enumerate(counts):
        if count is not None:
            last[int(count)] = place
    steps = sorted(step for step in last if step > 0)
    if len(steps) < 2:
        what = "the log holds iterations of one step alone; what a step takes is not known"
        return Series((), {}, series.thinned), [Warn("iterations", what)]
    each = (series.step[last[steps[-1]]] - series.step[last[steps[0]]]) / (steps[-1] - steps[0])
    found: dict[str, list[float | None]] = {"time_s": [], **{name: [] for name in columns}}
    for step in steps:
        places = [place for place, count in enumerate(counts) if count == step]
        known = [time for place in places if (time := times[place]) is not None]
        found["time_s"].append(each * sum(known) / len(known) if known else None)
        for name, values in columns.items():
            found[name].append(values[last[step]])
    what = f"{each:g} iterations make a step; its time is theirs together, from the mean of those that are logged"
    return Series(steps, found, series.thinned), [Warn("iterations", what, "info")] if each > 1 else []


LITGPT = StepDialect(
    name="litgpt",
    title="LitGPT",
    looks_for="Epoch 1 | iter 3 step 1 | loss train: 2.134, val: n/a | iter time: 512.20 ms (step)",
    anchors=(b"iter time: ",),
    step=re.compile(rb"\biter (?P<step>\d+) step (?=\d+)"),
    then=(re.compile(rb"\biter time: [\d.]+ ?m?s"),),
    figures=(
        figure("optimizer_step", rb"\biter \d+ step #"),
        figure("iteration_s", rb"\biter time: # ?(?P<unit>ms|s)"),
        figure("loss", rb"\bloss (?:train: )?#"),
    ),
    adjust=_steps_of_iterations,
)
