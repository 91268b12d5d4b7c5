"""nanochat."""

from __future__ import annotations

import re

from rewarp.bench.logs.facts import fact
from rewarp.bench.logs.steps import StepDialect, figure

NANOCHAT = StepDialect(
    name="nanochat",
    title="nanochat",
    looks_for="step 00004/21400 (0.02%) | loss: 8.893647 | … | dt: 989.44ms | tok/sec: 529,882 | mfu: 74.13 | …",
    anchors=(b" | tok/sec: ",),
    step=re.compile(rb"\bstep (?P<step>\d+)/(?P<of>\d+) \([\d.]+%\) \| (?=loss: )"),
    then=(re.compile(rb"\bdt: "),),
    figures=(
        figure("loss", rb"\| loss: #"),
        figure("time_s", rb"\| dt: #(?P<unit>ms|s)"),
        figure("tokens_per_s", rb"\| tok/sec: #"),
        figure("mfu_reported", rb"\| (?:bf16_)?mfu: #", 0.01),
    ),
    facts=(
        fact("configuration.tokens_per_step", b"Total batch size", rb"Total batch size ([\d,]+) =>"),
        fact("configuration.parameters", b"Number of parameters: ", rb"Number of parameters: ([\d,]+)"),
        fact("configuration.layers", b"num_layers: ", rb"\bnum_layers: (\d+)"),
        fact("configuration.hidden", b"model_dim: ", rb"\bmodel_dim: (\d+)"),
        fact("configuration.heads", b"num_heads: ", rb"\bnum_heads: (\d+)"),
    ),
    counts_from_zero=True,
    notes={"mfu_reported": "against an H100's peak in versions that know no other card"},
)
