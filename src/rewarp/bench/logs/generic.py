"""Lines with a step and figures that no dialect knows: only what a name or a unit says beyond doubt is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewarp.bench.logs.base import EVERYONE
from rewarp.bench.logs.named import (
    IS,
    LOOSE_TIMES,
    LOSSES,
    METRICS,
    NAME,
    OF_VALIDATION,
    OTHERS,
    RATES,
    SAID_OF_VALIDATION,
    TIMES,
    VALIDATION_LOSS,
    clock_or_time,
)
from rewarp.bench.logs.steps import Place, StepDialect, figure

_OF = rb"(?: */ *(?P<of>\d+))?"
_STEP_NAME = rb"(?i:global[_ ]step|num_updates|training[_ ]step|train[_ ]step|step|iteration|iter|batch|update)(?:s|_?id|_?idx|_?num)?"
STEP = re.compile(
    NAME
    + _STEP_NAME
    + rb"(?:"
    + IS
    + rb"\[?|(?=\d+ ?/ ?\d)|\s+\[? *(?=\d+(?: */ *\d+)?\]?(?: \([\d.]+%\))?\s*(?:[|:,;()\]-]|[a-zA-Z])))"
    rb" *(?P<step>\d+)" + _OF + rb"(?![\d.]*\d)"
)
"""`step=10`, `"step": 10`, `step 10 |`, `Step 100 per-step time`, `Iter: [10/100]`; not `step 0.5`."""
EPOCH = figure("epoch", rb"(?<![\w./])[\"']?(?i:epoch)(?:" + IS + rb"| +|(?=\[))\[? *#(?![\d.])")
"""Where steps begin anew with every epoch; a part of an epoch, as `0.25`, is no number of one."""
_EPOCH_IN_BRACKETS = figure(
    "epoch", rb"(?i:(?<![a-z])train(?:ing)?)[\s:|-]{0,3}\[ *# ?/ ?\d+ *\](?=[\s:,|-]{0,3}(?i:step|iter|batch))"
)
"""`Train: [ 1/5] Step 000/335`"""


_OF_AN_EPOCH = re.compile(
    rb"(?i)(?<![a-z])epoch\W{0,3}\d+\W{1,3}steps\W{1,3}\d+\W{1,4}(?:avg |average )?train[ _]loss\b"
)
"""`Epoch: 1, Steps: 350 | Train Loss: 0.88`: how many steps the epoch had, and the mean of all."""
_IS_NONE = re.compile(SAID_OF_VALIDATION.pattern + b"|" + _OF_AN_EPOCH.pattern.removeprefix(b"(?i)"))
ENDS = tuple(
    word + ended
    for word in (b"Training ", b"training ", b"Training is ")
    for ended in (b"completed", b"complete!", b"complete.", b"finished", b"done", b"has finished")
)
_BAR = re.compile(rb"\d%\|[^\[]{0,400}\[[^\]]{0,200}\]")


@dataclass(frozen=True)
class Generic(StepDialect):
    def figures_in(self, line: bytes) -> list[Place] | None:
        """A number called step is no step of a training unless a figure stands beside it: a learning rate alone may be what a
        stage of a script will use."""
        places = super().figures_in(line) if not _IS_NONE.search(line) else None
        if places and (bar := _BAR.search(line)) is not None:
            # What a bar says of its iterations is no figure of the line that is printed behind it.
            places = [place for place in places if place.start >= bar.end()]
        if places and not any(place.column == "step" for place in places):
            return None
        known = {place.column for place in places or ()} & {figure.column for figure in self.figures} - {
            "epoch",
            "learning_rate",
            "validation_loss",
            *(metric.column for metric in METRICS),
        }
        return places if known else None


@dataclass(frozen=True)
class Counter(StepDialect):
    """A number of so many at the beginning of a line is a step where a time or a rate with its unit stands beside it."""

    rank: int = 3

    def figures_in(self, line: bytes) -> list[Place] | None:
        places = super().figures_in(line) if b"%|" not in line else None
        timed = ("time_s", "steps_per_s", "samples_per_s", "tokens_per_s", "tokens_per_s_per_device")
        return places if places and any(place.column in timed for place in places) else None


GENERIC = Generic(
    name="generic",
    title="lines of a step and named figures, or JSON",
    looks_for="step=10 loss=2.31 step_time_ms=412.7, step 10, loss = 2.3 (68.5 examples/sec; 3.74 sec/batch), or JSON",
    anchors=(b"step", b"iter", b"Step", b"Iter", b"STEP", b"batch", b"Batch", b"pdate", b"poch", b"EPOCH"),
    never_before=OF_VALIDATION,
    has_headlines=True,
    step=STEP,
    figures=(EPOCH, _EPOCH_IN_BRACKETS, *TIMES, *RATES, *LOOSE_TIMES, *LOSSES, VALIDATION_LOSS, *OTHERS, *METRICS),
    finished=ENDS,
    fewest=3,
    doubts_losses=True,
    adjust=clock_or_time,
    yields_to=EVERYONE,
    notes={
        "tokens_per_s": "taken as that of all devices; the log does not say",
        "samples_per_s": "taken as that of all devices; the log does not say",
        "memory_bytes": "taken as binary units; the log does not say",
    },
)

COUNTER = Counter(
    name="counter",
    title="lines that begin with a counter, with named figures",
    looks_for="[001000/50000] loss 0.0300 | 3.14 it/s | ETA 259.9 min",
    anchors=(b"/", b"poch", b"EPOCH"),
    never_before=OF_VALIDATION,
    has_headlines=True,
    step=re.compile(rb"^(?:[^\[\n]{0,60}[\s\]])?\[? *(?P<step>\d+) ?/ ?(?P<of>\d{2,})(?: *\]|[\s:,|])"),
    figures=(EPOCH, *TIMES, *RATES, *LOSSES, VALIDATION_LOSS, *OTHERS),
    finished=ENDS,
    fewest=3,
    doubts_losses=True,
    yields_to=EVERYONE,
    rank=3,
    notes=GENERIC.notes,
)
