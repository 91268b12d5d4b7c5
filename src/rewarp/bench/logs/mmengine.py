"""OpenMMLab: mmengine, and mmcv before it."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import MIB, StepDialect, figure

MMENGINE = StepDialect(
    name="mmengine",
    title="mmengine or mmcv",
    looks_for="Epoch(train) [1][10/1563]  lr: 1.0000e-03  eta: 0:18:23  time: 0.1414  data_time: 0.0077  memory: 392  loss: 5.3465",
    anchors=(b"Epoch(train) ", b"Iter(train) ", b"Epoch [", b"Iter ["),
    step=re.compile(rb"\b(?:Epoch|Iter)(?:\(train\))? +(?:\[ *\d+\])?\[ *(?P<step>\d+)/ *(?P<of>\d+)\]"),
    then=(re.compile(rb"\beta: "), re.compile(rb"\btime: [\d.]+,?\s")),
    figures=(
        figure("epoch", rb"\bEpoch(?:\(train\))? +\[ *#\]\["),
        figure("time_s", rb"[\s,]time: #"),
        figure("loss", rb"[\s,]loss: #"),
        figure("learning_rate", rb"[\s,]lr: #"),
        figure("grad_norm", rb"[\s,]grad_norm: #"),
        figure("memory_bytes", rb"[\s,]memory: #", MIB),
    ),
    averaged=True,
    notes={"time_s": "a mean over the last steps before the line", "memory_bytes": "the highest of one device so far"},
)
