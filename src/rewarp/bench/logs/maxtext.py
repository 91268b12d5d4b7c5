"""MaxText (JAX)."""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import replace

from rewarp.bench.logs.facts import always, fact, positive, precision, word
from rewarp.bench.logs.steps import StepDialect, figure
from rewarp.bench.result import Series, Warn

_FEWEST = 5
_FAR_TOO_SHORT = 0.5
"""Of the median: the host did not wait for the device."""


def _without_run_ahead(series: Series) -> tuple[Series, list[Warn]]:
    times = series.columns.get("time_s", ())
    known = [time for time in times if time is not None and math.isfinite(time)]
    if len(known) < _FEWEST:
        return series, []
    least = _FAR_TOO_SHORT * statistics.median(known)
    ahead = [step for step, time in zip(series.step, times) if time is not None and time < least]
    if not ahead:
        return series, []
    real = [time is None or time >= least for time in times]
    what = f"{len(ahead)} steps took less than half the median: the host ran ahead of the device; their times and rates are not used"
    columns = {
        name: [value if kept or name == "loss" else None for value, kept in zip(values, real)]
        for name, values in series.columns.items()
    }
    return replace(series, columns=columns), [Warn("asynchronous-step", what, "warning", f"step {ahead[0]}")]


MAXTEXT = StepDialect(
    name="maxtext",
    title="MaxText",
    looks_for="completed step: 3, seconds: 11.715, TFLOP/s/device: 193.354, Tokens/s/device: 4195.595, … loss: 9.774",
    anchors=(b"completed step: ",),
    step=re.compile(rb"completed step: (?P<step>\d+), "),
    then=(re.compile(rb"(?:seconds|loss): "),),
    figures=(
        figure("time_s", rb", seconds: #"),
        figure("tflops_per_device", rb"TFLOP/s(?:/device)?: #"),
        figure("tokens_per_s_per_device", rb"Tokens/s/device: #"),
        figure("loss", rb", loss: #"),
    ),
    facts=(
        fact("configuration.sequence", b"max_target_length", rb"Config param max_target_length: (\d+)"),
        fact("configuration.micro_batch", b"per_device_batch_size", rb"Config param per_device_batch_size: ([\d.]+)"),
        fact(
            "configuration.global_batch",
            b"global_batch_size_to_train_on",
            rb"Config param global_batch_size_to_train_on: (\d+)",
        ),
        fact("configuration.model", b"model_name", rb"Config param model_name: (\S+)", word),
        fact("configuration.precision", b"Config param dtype", rb"Config param dtype: (\S+)", precision),
        fact("configuration.optimizer", b"Config param opt_type", rb"Config param opt_type: (\S+)", word),
        fact(
            "configuration.parameters",
            b"number parameters: ",
            rb"number parameters: ([\d.]+) billion",
            lambda text: round(float(text) * 1e9),
        ),
        fact("device.count", b"Num_devices: ", rb"Num_devices: (\d+)"),
        fact("software.jax", b"Jax Version", rb"Jax Version: (\S+)", word),
        fact("platform", b"TFRT TPU", rb"(TFRT TPU)", always("tpu")),
        fact("reported.tflop_per_device_and_step", b"Total TFLOPs: ", rb"Total TFLOPs: ([\d.]+)", positive),
    ),
    adjust=_without_run_ahead,
    notes={
        "time_s": "asynchronous: the host may run ahead of the device, most in the first steps",
    },
)
