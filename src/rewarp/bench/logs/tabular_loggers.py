"""Loggers that whole families of programs copied: torch's ImageNet example, the MetricLogger of torchvision and DETR, timm."""

from __future__ import annotations

import re

from rewarp.bench.logs.named import NOT_TRAINED
from rewarp.bench.logs.steps import MIB, StepDialect, figure

IMAGENET = StepDialect(
    name="imagenet",
    title="torch's ImageNet example",
    looks_for="Epoch: [0][  100/5004]  Time  0.345 ( 0.412)  Data  0.003 ( 0.020)  Loss 6.9012e+00 (6.9431e+00)",
    anchors=(b"Epoch: [", b"Epoch ["),
    never_before=NOT_TRAINED,
    step=re.compile(rb"\bEpoch:? +\[\d+\] ?\[ *(?P<step>\d+)/ *(?P<of>\d+)\]"),
    then=(re.compile(rb"\b(?:Batch )?[Tt]ime:? +[\d.]+s? +\( *[\d.]+"),),
    figures=(
        figure("epoch", rb"\bEpoch:? +\[#\]"),
        figure("time_s", rb"\b(?:Batch )?[Tt]ime:? +# *s? +\("),
        figure("loss", rb"[\s|]Loss:? +#"),
        figure("learning_rate", rb"\b(?:lr|LR):? +#"),
    ),
    notes={"time_s": "of the last step before the line; the mean of its epoch, in parentheses, is not used"},
)
METRIC_LOGGER = StepDialect(
    name="metric-logger",
    title="the MetricLogger of torchvision's references (DETR, MAE, DINO)",
    looks_for="Epoch: [0]  [ 100/5004]  eta: 0:40:12  lr: 0.0001  loss: 6.9012 (6.9431)  time: 0.4412  data: 0.0003  max mem: 8013",
    anchors=(b"eta: ",),
    step=re.compile(rb"\[ *(?P<step>\d+)/ *(?P<of>\d+)\] +eta: "),
    before=re.compile(rb"(?i)\b(?:epoch|train)\b"),
    then=(re.compile(rb"\btime: [\d.]+ "),),
    figures=(
        figure("epoch", rb"(?i)\bepoch:? *\[?#\]?"),
        figure("time_s", rb"\btime: #"),
        figure("loss", rb"[\s]loss: #"),
        figure("learning_rate", rb"[\s]lr: #"),
        figure("memory_bytes", rb"max mem: #", MIB),
    ),
    averaged=True,
    notes={
        "time_s": "the mean of the last steps before the line",
        "loss": "the median of the last steps before the line",
        "memory_bytes": "the highest of one device so far; MB is MiB",
    },
)
HRNET = StepDialect(
    name="hrnet",
    title="HRNet's segmentation and its descendants",
    looks_for="Epoch: [352/520] Iter:[180/495], Time: 0.33, lr: [0.018], Loss: 1.434728",
    anchors=(b"Iter:[",),
    never_before=NOT_TRAINED,
    step=re.compile(rb"\bEpoch: \[\d+/\d+\] Iter:\[(?P<step>\d+)/(?P<of>\d+)\], (?=Time: [\d.]+,)"),
    figures=(
        figure("epoch", rb"\bEpoch: \[#/"),
        figure("time_s", rb"\bTime: #,"),
        figure("loss", rb", Loss: #"),
        figure("learning_rate", rb"\blr: \[?#"),
    ),
    averaged=True,
    notes={"time_s": "the mean of the steps since the epoch began"},
)
TIMM = StepDialect(
    name="timm",
    title="timm",
    looks_for="Train: 0 [  50/1251 (  4%)]  Loss: 6.93 (6.94)  Time: 0.345s,  742.03/s  (0.412s,  621.36/s)  LR: 1.000e-05",
    anchors=(b"Train: ",),
    step=re.compile(rb"\bTrain: +\d+ +\[ *(?P<step>\d+)/(?P<of>\d+) +\( *\d+%\)\]"),
    figures=(
        figure("epoch", rb"\bTrain: +# +\["),
        figure("time_s", rb"\bTime: +#s,"),
        figure("samples_per_s", rb"\bTime: +[\d.]+s, +#/s"),
        figure("loss", rb"\bLoss: +#"),
        figure("learning_rate", rb"\bLR: +#"),
    ),
    counts_from_zero=True,
    notes={
        "time_s": "of the last step before the line; the mean of its epoch, in parentheses, is not used",
        "samples_per_s": "of all devices",
    },
)
FAIRSEQ = StepDialect(
    name="fairseq",
    title="fairseq",
    looks_for="| train_inner | epoch 001:    100 / 1122 loss=14.5, …, wps=31012.9, ups=8.9, …, num_updates=100, lr=1.25e-05",
    anchors=(b"num_updates",),
    step=re.compile(rb"[\s|\"]num_updates[= ]+\"?(?P<step>\d+)\b|\"num_updates\": \"(?P<global>\d+)\""),
    before=re.compile(rb"\btrain(?:_inner)?\b|\| epoch \d+:"),
    figures=(
        figure("steps_per_s", rb"[\s|\"]ups(?:=| |\": \")#"),
        figure("tokens_per_s", rb"[\s|\"]wps(?:=| |\": \")#"),
        figure("loss", rb"[\s|\"](?:train_)?loss(?:=| |\": \")#"),
        figure("learning_rate", rb"[\s|\"](?:train_)?lr(?:=| |\": \")#"),
        figure("grad_norm", rb"[\s|\"](?:train_)?gnorm(?:=| |\": \")#"),
    ),
    averaged=True,
    notes={
        "tokens_per_s": "words per second of all devices",
        "steps_per_s": "updates: with gradients accumulated, all of a step",
    },
)
