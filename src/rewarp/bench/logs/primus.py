"""AMD's Primus on Megatron: Megatron's lines with instantaneous/average pairs, HIP memory, and the rank in front."""

from __future__ import annotations

import re

from rewarp.bench.logs import megatron
from rewarp.bench.logs.facts import always, fact
from rewarp.bench.logs.steps import StepDialect

# The lookaheads are what tells a Primus line: its rank, HIP memory, or pairs of instantaneous and average figures.
_OWN = re.compile(rb"\[rank-\d+/\d+\]|^(?=.*hip mem usage/)|^(?=.*\(ms\): [\d.]+/[\d.]+ )")

PRIMUS = StepDialect(
    name="primus",
    title="Primus (Megatron on ROCm)",
    looks_for="[rank-7/8] … iteration 2/ 3 | … elapsed time per iteration (ms): 889.1/22427.2 | hip mem usage/… |",
    anchors=(megatron.ANCHOR,),
    before=_OWN,
    step=re.compile(megatron.STEP),
    figures=megatron.FIGURES,
    facts=(
        *megatron.FACTS,
        fact("device.count", b"[rank-", rb"\[rank-\d+/(\d+)\]"),
        fact("platform", b"hip mem usage", rb"(hip mem usage)", always("rocm")),
    ),
    finished=megatron.MEGATRON.finished,
    averaged=True,
    notes={
        "time_s": "the first of two figures, of this iteration; the second is a running mean",
        "memory_bytes": "in use, by HIP; what the log calls GB is GiB",
    },
    adjust=megatron.adjust,
)
