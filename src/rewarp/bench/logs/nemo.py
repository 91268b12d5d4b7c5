"""NeMo 2 (Lightning): one line of ``name: value`` pairs per step."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import StepDialect, figure

NEMO = StepDialect(
    name="nemo",
    title="NeMo 2",
    looks_for="Training epoch 0, iteration 98/99 | lr: 1.484e-05 | … | train_step_timing in s: 12.21 | …",
    anchors=(b"Training epoch ",),
    step=re.compile(
        rb"Training epoch \d+, iteration (?P<step>\d+)/(?P<of>\d+) \|(?:.*?\bglobal_step: *(?P<global>\d+))?"
    ),
    figures=(
        figure("time_s", rb"train_step_timing in s: *#"),
        figure("tokens_per_s_per_device", rb"tokens_per_sec_per_gpu: *#"),
        figure("tflops_per_device", rb"(?:TFLOPS_per_GPU|tflops_per_sec_per_gpu): *#"),
        figure("loss", rb"(?:reduced_train_loss|train_loss): *#"),
        figure("learning_rate", rb"\| lr: *#"),
        figure("grad_norm", rb"grad_norm: *#"),
        figure("global_batch", rb"global_batch_size: *#"),
        figure("memory_bytes", rb"(?:peak_memory_usage|max_memory_allocated): *#"),
    ),
    finished=(b"`Trainer.fit` stopped",),
    notes={"time_s": "four significant digits; absent unless the timing callback is on"},
)
