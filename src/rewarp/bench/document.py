"""A result as JSON has it, and what `rewarp bench run --json` and `rewarp bench logs --json` write."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.schema import AtLeast, OneOf, Text, opened

_SOURCE = "where the value comes from (`log line 42`, `--gpu`, `spec table: MI300X`, `this machine: torch`, `computed: …`), or why there is none"
Severity = OneOf("error", "warning", "info")


class Fact(TypedDict):
    value: Annotated[Any, "null: not known"]
    source: Annotated[str, _SOURCE]


Facts = dict[str, Fact]


class Figure(TypedDict):
    value: float | None
    source: str


class Interval(TypedDict):
    low: float
    high: float
    method: str


@opened
class Statistics(TypedDict):
    mean: Annotated[float, "of times; of rates the harmonic one"]
    median: float
    p5: float
    p95: float
    min: float
    max: float
    standard_deviation: float | None
    level: float
    mean_interval: Interval | None
    median_interval: Interval | None
    interval_unknown: Annotated[str | None, "why there is no interval"]


@opened
class LeftOut(TypedDict):
    bad: int
    impossible: int


@opened
class Processes(TypedDict):
    count: Annotated[int, AtLeast(1)]
    means: Annotated[list[float], "mean step time of each"]
    spread: Annotated[float, "(highest - lowest) / mean"]


class _WarmUp(TypedDict, total=False):
    was_fast: bool


@opened
class WarmUp(_WarmUp):
    steps: Annotated[int, AtLeast(0)]
    first: int | None
    last: int | None
    why: str
    sure: bool
    ratio: Annotated[float | None, "their median time over that of the others"]


@opened
class Outliers(TypedDict):
    count: int
    steps: Annotated[list[int], "the first of them"]
    share_of_time: float


@opened
class LateChange(TypedDict):
    steps: int
    ratio: Annotated[float, "median time of these last steps over that of the others"]


@opened
class Summary(TypedDict, total=False):
    steps: Annotated[int, "in the whole series", AtLeast(0)]
    basis: Annotated[
        str,
        "what the statistics are made of; rates are turned into times first",
        OneOf("time_s", "tokens_per_s", "tokens_per_s_per_device", "samples_per_s", "tflops_per_device", "none"),
    ]
    left_out: LeftOut
    used: Annotated[int, AtLeast(1)]
    processes: Annotated[
        Processes, "where several processes measured it: each is one measurement, with a warm-up of its own"
    ]
    first_step: int
    last_step: int
    warm_up: WarmUp
    outliers: Outliers
    autocorrelation: Annotated[float, "of neighbouring steps"]
    drift: Annotated[
        float | None,
        "change of the median from the first to the last third, relative to the first, where it is more than chance",
    ]
    late_change: LateChange | None
    total_s: Annotated[
        float,
        "of the steps that count; where lines stand for unequal numbers of steps, their number times the weighted mean",
    ]
    total_tokens: float
    wall_s: float
    time_s: Statistics
    tokens_per_s: Statistics
    tokens_per_s_per_device: Statistics
    samples_per_s: Statistics
    tflops_per_device: Statistics
    loss: dict[str, Any]
    memory_bytes: dict[str, Any]
    power_w: dict[str, Any]


class Series(TypedDict):
    step: list[int]
    thinned: Annotated[int, "every n-th step was kept; statistics are of all steps", AtLeast(1)]
    columns: Annotated[
        dict[str, list[float | None]],
        "time_s, tokens, loss, tokens_per_s, tflops_per_device, memory_bytes, learning_rate, grad_norm, power_w, stamp_s, "
        "process (which of several, from 1), epoch and step_of_epoch (where the log does not say how many steps an epoch has: step then "
        "counts lines); of lines that no reader knows also what they call their figures; each as long as step",
    ]


class Warnings(TypedDict):
    code: Annotated[str, Text(pattern="^[a-z0-9-]+$")]
    severity: Annotated[str, "error: the figure concerned is not to be used", Severity]
    what: str
    where: str | None


class Results(TypedDict):
    name: Annotated[str, "what a table calls it"]
    kind: Annotated[str, OneOf("training", "inference", "matmul", "attention", "bandwidth", "collective", "mlperf")]
    platform: Annotated[Fact, "cuda, rocm, hpu, xpu, tpu, metal, cpu"]
    device: Annotated[
        Facts,
        "name, arch, count, memory_bytes, peak_tflops (dense, for the precision), bandwidth_bytes_per_s, "
        "matmul_tflops (measured); of one device, but for the count",
    ]
    software: Annotated[Facts, "versions; which attention and which libraries ran"]
    configuration: Annotated[
        Facts,
        "model, parameters, layers, hidden, heads, vocabulary, sequence, global_batch, micro_batch, precision, optimizer, "
        "parallelism, methodology, and what else is known",
    ]
    series: Series
    summary: Annotated[Summary, "of the steps that count. Only what the series allows is there."]
    derived: Annotated[
        dict[str, Figure],
        "tokens_per_s, tokens_per_s_per_device, tflops_per_device, mfu, mfu_of_matmul, bandwidth_bytes_per_s, "
        "bandwidth_share, cost_per_million_tokens (USD), joules_per_token, memory_share",
    ]
    reported: Annotated[Facts, "what the log or the tool itself claims"]
    warnings: list[Warnings]
    provenance: Annotated[dict[str, Any], "tool, version, time, command, git revision, source files, dialect and why"]


class Document(TypedDict):
    """The output of `rewarp bench run --json` and `rewarp bench logs --json`. Fields may be added within version 1; none is removed or changes its meaning. Times are in seconds, memory in bytes, rates per second. What is not known is null, and its source says why."""

    schema: Literal["rewarp.bench/1"]
    rewarp: Annotated[str, "version of rewarp"]
    results: list[Results]
