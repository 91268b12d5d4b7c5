"""DeepSpeed's throughput timer: samples per second of all devices together."""

from __future__ import annotations

import re

from rewarp.bench.logs.facts import fact, word
from rewarp.bench.logs.steps import StepDialect, figure

DEEPSPEED = StepDialect(
    name="deepspeed",
    title="DeepSpeed",
    looks_for="epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=173.4, CurrSamplesPerSec=171.9, …",
    anchors=(b"SamplesPerSec=",),
    step=re.compile(
        rb"(?:epoch=\d+/micro_step=\d+/global_step=|(?:^|[\] ])\d+/)(?P<step>\d+), (?:RunningAvg)?SamplesPerSec="
    ),
    figures=(
        figure("samples_per_s", rb"CurrSamplesPerSec=#"),
        figure("samples_per_s", rb", SamplesPerSec=#"),
        figure("memory_bytes", rb"MaxMemAllocated=#(?P<unit>[GM]B)"),
        figure("memory_bytes", rb"MemAllocated=#(?P<unit>[GM]B)"),
    ),
    facts=(
        fact("configuration.global_batch", b"train_batch_size", rb"(?:^|\s|\")train_batch_size\"?(?: \.+ |: *)(\d+)"),
        fact(
            "configuration.micro_batch",
            b"train_micro_batch_size_per_gpu",
            rb"micro_batch_size_per_gpu\"?(?: \.+ |: *)(\d+)",
        ),
        fact(
            "configuration.micro_batch", b"--per_device_train_batch_size", rb"--per_device_train_batch_size[', =]+(\d+)"
        ),
        fact("configuration.sequence", b"--max_seq_len", rb"--max_seq_len[', =]+(\d+)"),
        fact("configuration.model", b"--model_name_or_path", rb"--model_name_or_path[', =]+([^\s',]+)", word),
        fact("configuration.precision", b"bfloat16_enabled", rb"bfloat16_enabled \.+ (True)", lambda _: "bf16"),
        fact("configuration.precision", b"fp16_enabled", rb"\bfp16_enabled \.+ (True|auto)", lambda _: "fp16"),
        fact(
            "configuration.parallelism",
            b"zero_optimization_stage",
            rb"zero_optimization_stage \.+ (\d)",
            lambda t: f"ZeRO stage {t}",
        ),
        fact("software.deepspeed", b"DeepSpeed info: version=", rb"DeepSpeed info: version=(\d[\w.]*)", word),
    ),
    notes={
        "samples_per_s": "of all devices, of the step that is printed",
        "memory_bytes": "the most allocated; what the log calls GB is GiB",
    },
)
