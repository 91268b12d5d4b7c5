"""llm.c."""

from __future__ import annotations

import re

from rewarp.bench.logs.facts import fact, positive, precision, word
from rewarp.bench.logs.steps import StepDialect, figure


def _row(name: bytes, value: bytes = rb"(\d+)") -> bytes:
    """A row of the table of parameters that llm.c prints first."""
    return rb"\| " + name + rb" +\| " + value + rb" {1,200}\|"


LLM_C = StepDialect(
    name="llm.c",
    title="llm.c",
    looks_for="step  127/18865 | loss 6.2 (-0.8z)| norm 0.9 (+0.1z)| lr 1.0e-04 | 340.1 ms | 49.9% bf16 MFU | 1541 tok/s",
    anchors=(b" tok/s",),
    step=re.compile(rb"\bstep +(?P<step>\d+)/(?P<of>\d+) \| (?=(?:train )?loss )"),
    then=(re.compile(rb"\bms\b"), re.compile(rb" tok/s")),
    figures=(
        figure("loss", rb"loss #"),
        figure("grad_norm", rb"norm #"),
        figure("learning_rate", rb"\blr #"),
        figure("time_s", rb"\| #(?: (?P<unit>ms)) \|"),
        figure("time_s", rb"\(#(?: (?P<unit>ms)), [\d.]+ tok/s"),
        figure("mfu_reported", rb"\| #% \w+ MFU", 0.01),
    ),
    facts=(
        fact("device.name", b"| device ", _row(b"device", rb"(\S.{0,200}?)"), word),
        fact("device.count", b"num_processes", _row(b"num_processes")),
        fact("configuration.tokens_per_step", b"total batch size", _row(b"total batch size")),
        fact("configuration.sequence", b"sequence length T", _row(b"sequence length T")),
        fact("configuration.micro_batch", b"micro batch size B", _row(b"micro batch size B")),
        fact("configuration.parameters", b"num_parameters", _row(b"num_parameters")),
        fact("configuration.layers", b"num_layers L", _row(b"num_layers L")),
        fact("configuration.heads", b"num_heads NH", _row(b"num_heads NH")),
        fact("configuration.hidden", b"channels C", _row(b"channels C")),
        fact("configuration.vocabulary", b"vocab_size V ", _row(b"vocab_size V")),
        fact("configuration.precision", b"| precision ", _row(b"precision", rb"(\w+)"), precision),
        fact(
            "reported.step_time_s",
            b"total average iteration time",
            rb"iteration time: ([\d.]+) ms",
            lambda text: float(text) / 1e3,
        ),
    ),
    notes={"mfu_reported": "against the peak that llm.c has for the card"},
)

LLM_C_MAIN_LOG = StepDialect(
    name="llm.c-main",
    title="llm.c (main.log)",
    looks_for="s:127 trl:6.2312 lr:0.000114 norm:0.92",
    anchors=(b" trl:",),
    step=re.compile(rb"(?:^|[\s:])s:(?P<step>\d+) (?=trl:)"),
    figures=(
        figure("loss", rb" trl:#"),
        figure("learning_rate", rb" lr:#"),
        figure("grad_norm", rb" norm:#"),
    ),
    facts=(fact("reported.validation_loss", b" tel:", rb"\bs:\d+ tel:([\d.]+)", positive),),
)
