"""PaddlePaddle's model collections: PaddleClas, PaddleDetection, PaddleSeg, PaddleNLP."""

from __future__ import annotations

import re

from rewarp.bench.logs.named import NOT_TRAINED
from rewarp.bench.logs.steps import StepDialect, figure

PADDLE = StepDialect(
    name="paddle",
    title="PaddlePaddle's collections",
    looks_for="[Train][Epoch 1/120][Iter: 10/5004]lr: 0.001, …, loss: 6.9, batch_cost: 0.32s, reader_cost: 0.01, ips: 79.6 samples/s",
    anchors=(b"batch_cost: ",),
    never_before=NOT_TRAINED,
    step=re.compile(
        rb"(?i)(?:\[iter: *|\biter: *|\bglobal step |\bbatch_id: *|\bEpoch: *\[\d+\] *\[ *|\bstep:? *)(?P<step>\d+)(?: */ *(?P<of>\d+))?"
    ),
    then=(re.compile(rb"\b(?:avg_)?batch_cost: "),),
    figures=(
        figure("epoch", rb"(?i)\bepoch:? *\[? *#(?!\.)"),
        figure("time_s", rb"\b(?:avg_)?batch_cost: *#"),
        figure("loss", rb"(?<![\w])loss: *#"),
        figure("learning_rate", rb"\b(?:lr(?:\(\w+\))?|learning_rate): *#"),
        figure("samples_per_s_per_device", rb"\bips: *# *(?:samples|images|sequences|sentences|ins(?:tances?)?)/s"),
        figure("tokens_per_s_per_device", rb"\bips: *# *tokens/s"),
    ),
    averaged=True,
    notes={"time_s": "the mean since the line before", "samples_per_s_per_device": "of one device"},
)
