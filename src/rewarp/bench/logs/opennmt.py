"""OpenNMT-py: a clock of whole seconds, and tokens of both languages."""

from __future__ import annotations

import re

from rewarp.bench.logs.clock import COARSE, coarse_times
from rewarp.bench.logs.steps import StepDialect, figure
from rewarp.bench.result import Series, Warn


def _by_step(series: Series) -> tuple[Series, list[Warn]]:
    columns = dict(series.columns)
    clocks = columns.pop("clock_seconds", None)
    if clocks is None or len(series.step) < 2:
        return Series(series.step, columns, series.thinned), []
    return Series(series.step, {"time_s": coarse_times(series.step, clocks), **columns}, series.thinned), [COARSE]


OPENNMT = StepDialect(
    name="opennmt",
    title="OpenNMT-py",
    looks_for="Step 50/100000; acc: 5.6; ppl: 5000.0; xent: 8.5; lr: 0.00001; …; 12000/11500 tok/s;    50 sec;",
    anchors=(b" tok/s",),
    step=re.compile(rb"\bStep +(?P<step>\d+)/ *(?P<of>\d+); "),
    then=(re.compile(rb"\d/ *\d+ tok/s[;,] "),),
    figures=(
        figure("clock_seconds", rb"tok/s[;,] +# sec"),
        figure("source_tokens_per_s", rb"[; ]#/ *\d+ tok/s"),
        figure("target_tokens_per_s", rb"\d/ *# tok/s"),
        figure("loss", rb"\bxent: +#"),
        figure("learning_rate", rb"\blr: +#"),
    ),
    averaged=True,
    notes={"time_s": "from the seconds since the run began", "loss": "cross entropy by target token"},
    adjust=_by_step,
)
