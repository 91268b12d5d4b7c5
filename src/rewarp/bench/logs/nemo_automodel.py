"""NeMo AutoModel."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import StepDialect, figure

NEMO_AUTOMODEL = StepDialect(
    name="nemo-automodel",
    title="NeMo AutoModel",
    looks_for="step 9 | epoch 0 | loss 0.6974 | … | mem 24.90 GiB | tps 11278.56(1409.82/gpu) | num_label_tokens 21541",
    anchors=(b" | epoch ",),
    step=re.compile(rb"\bstep (?P<step>\d+) \| epoch \d+ \| (?=loss )"),
    then=(re.compile(rb"\btps "),),
    figures=(
        figure("loss", rb"\| loss #"),
        figure("grad_norm", rb"\| grad_norm #"),
        figure("learning_rate", rb"\| lr #"),
        figure("memory_bytes", rb"\| mem # (?P<unit>[GM]iB)"),
        figure("tokens_per_s", rb"\| tps #"),
        figure("tokens_per_s_per_device", rb"\(#/gpu\)"),
    ),
    notes={"tokens_per_s": "steps may have different numbers of tokens"},
)
