"""One result, whatever it was measured with or read from: what is known, where it came from, and what is not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA: Literal["rewarp.bench/1"] = "rewarp.bench/1"


@dataclass(frozen=True)
class Sourced:
    """A value with its source. Unknown is None, and the source then says why."""

    value: Any
    source: str
    """`log line 42`, `--gpu`, `spec table: MI300X`, `this machine`, `computed: tokens / time`; or why there is none."""

    @property
    def known(self) -> bool:
        return self.value is not None


def unknown(why: str) -> Sourced:
    return Sourced(None, why)


@dataclass(frozen=True)
class Warn:
    """Something a reader of the figures must know."""

    code: str
    """A short stable name: `mfu-over-100`, `clock-backwards`, `unfinished-run`."""
    what: str
    severity: str = "warning"
    """`error`: the figure concerned is not to be used; `warning`; `info`."""
    where: str | None = None
    """`log line 42`."""


# Fields of a result by section. A field that is not known is there all the same, as unknown(why).
DEVICE_FIELDS = ("name", "arch", "count", "memory_bytes", "peak_tflops", "bandwidth_bytes_per_s")
"""Of one device, but for the count. A result may also have `matmul_tflops` (the best matrix product measured there)."""
CONFIGURATION_FIELDS = (
    "model",
    "parameters",
    "layers",
    "hidden",
    "heads",
    "vocabulary",
    "sequence",
    "global_batch",
    "micro_batch",
    "precision",
    "optimizer",
    "parallelism",
    "methodology",
)
"""A result may also have `flops_per_step`, `bytes_per_step`, `tokens_per_step` (all devices), `flops_per_token`, `experts`,
`active_parameters` (that one token uses), and `price_usd_per_device_hour`."""


@dataclass(frozen=True)
class Series:
    """Figures by step. Every column has the length of ``step``; a step without a figure has None or NaN there.

    A column may be an ``array("d")``: statistics are made of all steps, and only what is written down is thinned.
    """

    step: Sequence[int] = ()
    columns: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    """`time_s` (of the step alone), `tokens` (in the step, all devices), `loss`, `tokens_per_s` (all devices),
    `tflops_per_device`, `memory_bytes` (peak or in use, one device), `learning_rate`, `grad_norm`, `power_w` (one
    device), `stamp_s` (wall clock)."""
    thinned: int = 1
    """Every how many-th step was kept, where there were too many to keep."""

    def figures(self, column: str) -> list[float | None]:
        """A column, with None for what is not a finite number; all None where there is no such column."""
        values = self.columns.get(column)
        if values is None:
            return [None] * len(self.step)
        return [value if value is not None and math.isfinite(value) else None for value in values]

    def thin(self, limit: int) -> Series:
        """At most ``limit`` steps, evenly: every n-th of them."""
        every = -(-len(self.step) // limit)
        if every <= 1:
            return self
        columns = {name: values[::every] for name, values in self.columns.items()}
        return Series(self.step[::every], columns, self.thinned * every)


@dataclass(frozen=True)
class Result:
    """One run, or one benchmark of a run."""

    name: str
    """What a table calls it: the file, the run, the micro-benchmark."""
    kind: str
    """`training`, `inference`, `matmul`, `attention`, `bandwidth`, `collective`, `mlperf`."""
    platform: Sourced
    """`cuda`, `rocm`, `hpu`, `xpu`, `tpu`, `metal`, `cpu`."""
    device: Mapping[str, Sourced]
    software: Mapping[str, Sourced]
    configuration: Mapping[str, Sourced]
    series: Series = Series()
    summary: Mapping[str, Any] = field(default_factory=dict)
    """Statistics: warm-up (steps dropped, why), step time and rates with intervals; made by bench/summary.py alone."""
    derived: Mapping[str, Sourced] = field(default_factory=dict)
    """tokens_per_s, tokens_per_s_per_device, tflops_per_device, mfu, mfu_of_matmul, cost_per_million_tokens,
    joules_per_token …; made by bench/derive.py alone."""
    reported: Mapping[str, Sourced] = field(default_factory=dict)
    """Figures that the log or tool itself claims, kept apart from what is computed here."""
    warnings: tuple[Warn, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Tool and version, source files and their digests, dialect and why, when, where, command, git revision."""
