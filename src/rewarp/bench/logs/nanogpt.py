"""nanoGPT and its many copies."""

from __future__ import annotations

import re
from dataclasses import replace

from rewarp.bench.logs.facts import fact
from rewarp.bench.logs.steps import StepDialect, figure
from rewarp.bench.result import Series, Warn


def _without_unset(series: Series) -> tuple[Series, list[Warn]]:
    """Until it has a mean, nanoGPT prints an MFU of -100 %."""
    shares = series.columns.get("mfu_reported")
    if shares is None:
        return series, []
    known = [share if share is not None and share >= 0 else None for share in shares]
    return replace(series, columns={**series.columns, "mfu_reported": known}), []


NANOGPT = StepDialect(
    name="nanogpt",
    title="nanoGPT",
    looks_for="iter 10: loss 3.1462, time 13.86ms, mfu 26.88%",
    anchors=(b": loss ",),
    step=re.compile(rb"\biter (?P<step>\d+): loss (?=\S+, )"),
    then=(re.compile(rb"\btime [\d.]+ ?m?s"),),
    figures=(
        figure("loss", rb": loss #"),
        figure("time_s", rb", time # ?(?P<unit>ms|s)"),
        figure("grad_norm", rb", grad_norm #"),
        figure("learning_rate", rb", lr #"),
        figure("mfu_reported", rb", mfu #%", 0.01),
    ),
    facts=(
        fact("configuration.tokens_per_step", b"tokens per iteration", rb"tokens per iteration will be: ([\d,]+)"),
        fact(
            "configuration.parameters",
            b"number of parameters: ",
            rb"number of parameters: ([\d.]+)M",
            lambda text: round(float(text) * 1e6),
        ),
        fact("reported.validation_loss", b", val loss ", rb"train loss [\d.]+, val loss ([\d.]+)", float),
    ),
    adjust=_without_unset,
    notes={"mfu_reported": "always against an A100's 312 TFLOP/s; -100 % stands for none yet"},
)
