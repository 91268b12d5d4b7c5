"""modded-nanogpt's records: the program's own source first, then a clock that runs through the whole run."""

from __future__ import annotations

import re

from rewarp.bench.logs.facts import fact, positive
from rewarp.bench.logs.steps import MIB, StepDialect, figure

_STEP = rb"\bstep:(?P<step>\d+)/(?P<of>\d+) "
_CLOCK = figure("elapsed_s", rb"train_time:#(?P<unit>ms|s)\b")
_NOTES = {"time_s": "the difference of two readings of a clock with millisecond steps"}
_MEMORY = fact(
    "reported.peak_memory_bytes",
    b"peak memory ",
    rb"peak memory (?:consumption|allocated): (\d+) MiB",
    lambda text: int(text) * int(MIB),
)

MODDED_NANOGPT = StepDialect(
    name="modded-nanogpt",
    title="modded-nanogpt",
    looks_for="step:1480/1480 train_time:92506ms step_avg:62.50ms",
    anchors=(b" train_time:",),
    # Validation lines repeat the step and the clock of the training line before.
    step=re.compile(_STEP + rb"(?!val_loss)"),
    then=(re.compile(rb"train_time:\d"),),
    figures=(_CLOCK, figure("loss", rb"train_loss:#")),
    facts=(
        fact("reported.step_avg_s", b"step_avg:", rb"step_avg:([\d.]+)ms", lambda text: float(text) / 1e3),
        fact("reported.validation_loss", b"val_loss:", rb"\bstep:\d+/\d+ val_loss:([\d.]+)", positive),
        _MEMORY,
    ),
    notes=_NOTES,
)

VALIDATION_ONLY = StepDialect(
    name="modded-nanogpt-validation",
    title="modded-nanogpt, validation lines alone",
    looks_for="step:125/3225 val_loss:4.65174 train_time:23.802s step_avg:190.42ms",
    anchors=(b" val_loss:",),
    step=re.compile(_STEP + rb"val_loss:"),
    then=(re.compile(rb" train_time:\d"),),
    figures=(_CLOCK, figure("validation_loss", rb"val_loss:#")),
    facts=(_MEMORY,),
    averaged=True,
    notes=_NOTES,
    yields_to=(MODDED_NANOGPT.name,),
)
