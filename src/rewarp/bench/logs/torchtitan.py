"""torchtitan."""

from __future__ import annotations

import math
import re

from rewarp.bench.logs.facts import fact, precision, word
from rewarp.bench.logs.steps import StepDialect, figure


def _devices(mesh: str) -> int | None:
    """`['dp_shard', 'tp'], [4, 2]`, or `pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1`: experts share devices."""
    listed = re.search(r"\], \[([\d, ]+)\]", mesh)
    named = re.findall(r"\b(?:pp|dp_replicate|dp_shard|cp|tp)=(\d+)", mesh)
    sizes = [int(size) for size in (listed[1].split(",") if listed else named)]
    return math.prod(sizes) if sizes else None


TORCHTITAN = StepDialect(
    name="torchtitan",
    title="torchtitan",
    looks_for="[titan] … step: 50  loss: 7.1291  … memory: 81.85GiB(86.17%)  tps: 1,874  tflops: 389.87  mfu: 39.42%",
    anchors=(b" tps: ", b" wps: "),
    step=re.compile(rb"(?<!validate )\bstep: +(?P<step>\d+) "),
    then=(re.compile(rb"\bloss: "), re.compile(rb"\b(?:tps|wps): ")),
    figures=(
        figure("loss", rb"\bloss: +#"),
        figure("grad_norm", rb"grad_norm: +#"),
        figure("memory_bytes", rb"memory: +#(?P<unit>[GM]iB)"),
        figure("tokens_per_s_per_device", rb"\b(?:tps|wps): +#"),
        figure("tflops_per_device", rb"tflops: +#"),
        figure("mfu_reported", rb"mfu: +#%", 0.01),
    ),
    facts=(
        fact("configuration.sequence", b"sequence length", rb"sequence length:? (\d+)"),
        fact("configuration.sequence", b"training.seq_len", rb"training\.seq_len\.+ (\d+)"),
        fact("configuration.global_batch", b"global batch size", rb"global batch size:? (\d+)"),
        fact("configuration.micro_batch", b"local batch size", rb"local batch size:? (\d+)"),
        fact("configuration.parameters", b"total parameters", rb"size: ([\d,]+) total parameters"),
        fact("configuration.model", b"total parameters", rb"Model (\S.{0,200}?) size: [\d,]+ total parameters", word),
        fact(
            "configuration.parallelism",
            b"device mesh",
            rb"Building .{0,200}?device mesh with (?:parallelism: )?(.*)",
            word,
        ),
        fact("configuration.layers", b"n_layers=", rb"\bn_layers=(\d+)"),
        fact("configuration.heads", b"n_heads=", rb"\bn_heads=(\d+)"),
        fact("configuration.hidden", b" dim=", rb"[ (]dim=(\d+)"),
        fact("configuration.vocabulary", b"vocab_size=", rb"vocab_size=(\d+)"),
        fact(
            "configuration.precision", b"mixed_precision_param", rb"mixed_precision_param\S* +(\w*float\w*)", precision
        ),
        fact("configuration.optimizer", b"optimizer.name", rb"optimizer\.name\.+ (\S+)", word),
        fact("device.count", b"[rank-", rb"\[rank-\d+/(\d+)\]"),
        fact("device.count", b"device mesh with", rb"Building .{0,200}?device mesh with (.*)", _devices),
        fact(
            "reported.peak_tflops_for_mfu",
            b"Peak FLOPS used",
            rb"Peak FLOPS used for computing MFU: ([\d.e+]+)",
            lambda t: float(t) / 1e12,
        ),
        fact("reported.steps", b"total steps", rb"total steps (\d+)"),
    ),
    finished=(b"Training completed",),
    averaged=True,
    notes={
        "tokens_per_s_per_device": "the mean over the steps since the line before, of this rank",
        "mfu_reported": "torchtitan takes an A100's peak for a card it does not know",
        "memory_bytes": "the most reserved since the line before",
    },
)
