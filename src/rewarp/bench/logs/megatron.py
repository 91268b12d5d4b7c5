"""Megatron-LM, and what its descendants (Megatron-DeepSpeed, ROCm's fork, Primus) print in the same way."""

from __future__ import annotations

import re
from dataclasses import replace

from rewarp.bench.logs.facts import NOT_DEEPSPEEDS, Fact, always, fact, integer, positive, word
from rewarp.bench.logs.steps import MIB, StepDialect, figure
from rewarp.bench.result import Series, Warn

ANCHOR = b"elapsed time per iteration"
STEP = rb"iteration +(?P<step>\d+) */ *(?P<of>\d+) \|"
_FAR_APART = 0.8


def argument(name: str, field: str, read=integer, surer: bool = False) -> Fact:  # type: ignore[no-untyped-def]
    """A line of the arguments dump: ``seq_length ..... 4096``, or Primus' ``seq_length   : 4096 (int)``."""
    pattern = NOT_DEEPSPEEDS + rb"(?:|.*\s)" + name.encode() + rb"(?: \.+ | +: |:\s+)(\S+)"
    return fact(field, name.encode(), pattern, read, surer)


def _if_true(name: str):  # type: ignore[no-untyped-def]
    return lambda text: name if text == "True" else None


def _if_given(name: str):  # type: ignore[no-untyped-def]
    return lambda text: None if text in ("None", "False", "") else name


def _sizes(text: str) -> str | None:
    """`data-parallel size: 8, … tensor-model-parallel size: 2` as `data 8, tensor 2`; those of 1 are left out."""
    found = re.findall(r"(data|context|tensor|pipeline|expert)-(?:model-)?parallel size: (\d+)", text)
    return ", ".join(f"{name} {size}" for name, size in found if int(size) > 1) or "none"


FIGURES = (
    figure("time_s", rb"elapsed time per iteration \(ms\): *#", 1e-3),
    figure("time_s", rb"elapsed time per iteration \(s\): *#"),
    figure("tflops_per_device", rb"(?:throughput|compute) per GPU \(TFLOPs?/s/GPU\): *#"),
    figure("tflops_per_device", rb"\| TFLOPs: *#"),
    figure("tflops_per_device", rb"[|:] *# MODEL_TFLOP/s/GPU"),
    figure("tokens_per_s_per_device", rb"tokens per GPU \(tokens/s/GPU\): *#"),
    figure("tokens_per_s_per_device", rb"tokens/s/GPU(?: inst/harmonic mean)?: *#"),
    figure("tokens_per_s_per_device", rb"tokens per gpu per second \(tgs\): *#"),
    figure("samples_per_s", rb"samples per second: *#"),
    figure("power_w", rb"power per GPU \(W/GPU\): *#"),
    figure("learning_rate", rb"learning rate: *#"),
    figure("global_batch", rb"global batch size: *#"),
    figure("loss", rb"\| (?:lm loss|loss): *#"),
    figure("grad_norm", rb"grad norm: *#"),
    figure("memory_bytes", rb"hip mem usage/free/total/usage_ratio: *#(?P<unit>[GM]i?B)/"),
    figure("memory_bytes", rb"rocm mem usage/free/total/usage_ratio: *#(?P<unit>[GM]i?B)/"),
    figure("memory_fraction", rb"mem usages: *#"),
    figure("memory_total_bytes", rb"hip mem usage/free/total/usage_ratio: *[\d.]+GB/[\d.]+GB/#(?P<unit>[GM]i?B)/"),
)
FACTS = (
    argument("seq_length", "configuration.sequence"),
    argument("global_batch_size", "configuration.global_batch"),
    argument("micro_batch_size", "configuration.micro_batch"),
    argument("num_layers", "configuration.layers"),
    argument("hidden_size", "configuration.hidden"),
    argument("num_attention_heads", "configuration.heads"),
    argument("padded_vocab_size", "configuration.vocabulary"),
    argument("optimizer", "configuration.optimizer", word),
    argument("world_size", "device.count"),
    argument("bf16", "configuration.precision", _if_true("bf16")),
    argument("fp16", "configuration.precision", _if_true("fp16")),
    argument("fp8", "configuration.precision", _if_given("fp8"), surer=True),
    fact("configuration.parallelism", b"using world size: ", rb"using world size: \d+, (.*)", _sizes),
    fact(
        "configuration.parameters",
        b"Total number of parameters in billions",
        rb"Total number of parameters in billions: *([\d.]+)",
        lambda text: round(float(text) * 1e9),
    ),
    argument("num_experts", "configuration.experts"),
    fact(
        "reported.max_allocated_bytes",
        b"max allocated: ",
        rb"memory \(MB\) \| .{0,200}?max allocated: ([\d.]+)",
        lambda text: (positive(text) or 0) * MIB,
    ),
    fact("reported.validation_loss", b"validation loss at iteration", rb"lm loss value: ([-\d.eE+]+)", positive),
    fact("platform", b"rocm mem usage", b"(rocm mem usage)", always("rocm")),
)


def adjust(series: Series) -> tuple[Series, list[Warn]]:
    """The second iteration's time is the mean of the first two in versions that do not reset their timer."""
    times, stamps = series.columns.get("time_s"), series.columns.get("stamp_s")
    if times is None or stamps is None or list(series.step[:2]) != [1, 2]:
        return series, []
    time, one, two = times[1], stamps[0], stamps[1]
    # Stamps to the second decide nothing about a shorter step.
    if time is None or one is None or two is None or not time > 2 or two - one + 1 > _FAR_APART * time:
        return series, []
    columns = {**series.columns, "time_s": [times[0], None, *times[2:]]}
    what = f"the time of step 2 ({time:.3g} s) is the mean of steps 1 and 2 by the log's own clock; it is not used"
    return replace(series, columns=columns), [Warn("averaged-with-first", what, "info", "step 2")]


MEGATRON = StepDialect(
    name="megatron",
    title="Megatron-LM",
    looks_for="iteration 3/ 5000 | consumed samples: … | elapsed time per iteration (ms): 12978.1 | …",
    anchors=(ANCHOR,),
    step=re.compile(STEP),
    figures=FIGURES,
    facts=FACTS,
    finished=(b"[after training is done]", b"[exiting program"),
    averaged=True,
    notes={"time_s": "the mean over the iterations since the line before", "memory_bytes": "in use"},
    yields_to=("primus",),
    adjust=adjust,
)
