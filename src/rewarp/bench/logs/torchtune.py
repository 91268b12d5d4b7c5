"""torchtune: its metric file, and the same lines on standard output."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import GIB, StepDialect, figure

TORCHTUNE = StepDialect(
    name="torchtune",
    title="torchtune",
    looks_for="Step 3 | loss:1.17 lr:2e-05 tokens_per_second_per_gpu:655.9",
    anchors=(b" | loss:",),
    step=re.compile(rb"\bStep (?P<step>\d+) \| (?=loss:)"),
    figures=(
        figure("loss", rb"[ |]loss:#"),
        figure("learning_rate", rb" lr:#"),
        figure("tokens_per_s_per_device", rb"tokens_per_second_per_gpu:#"),
        figure("memory_bytes", rb"peak_memory_(?:alloc|active):#", GIB),
        figure("memory_bytes", rb"gpu_resources:#"),
        figure("grad_norm", rb"grad_norm:#"),
    ),
    notes={
        "memory_bytes": "the peak; torchtune divides by 1024**3",
        "tokens_per_s_per_device": "steps have different numbers of tokens",
    },
)
