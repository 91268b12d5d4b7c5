"""BasicSR, and what is built on it: image restoration and quality."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import StepDialect, figure

BASICSR = StepDialect(
    name="basicsr",
    title="BasicSR",
    looks_for="[epoch:  1, iter:     100, lr:(2.000e-04,)] [eta: 2:37:00, time (data): 0.206 (0.002)] l_pix: 2.6487e-02",
    anchors=(b", iter:",),
    step=re.compile(rb"\[epoch: *[\d,]+, iter: *(?P<step>\d[\d,]*), lr:\("),
    figures=(
        figure("learning_rate", rb"lr:\(#,[^\n)]*\)"),
        figure("time_s", rb"time \(data\): # \("),
        figure("loss", rb"\bl_total: #"),
        # The only one there is, is the one that is trained on; of several each is a part.
        figure("loss", rb"\]\]? +l_\w+: #(?![^\n]* l_\w+: )"),
    ),
    averaged=True,
    notes={
        "time_s": "of an iteration, the mean since the line before",
        "loss": "l_total, or the only one that is said",
    },
)
