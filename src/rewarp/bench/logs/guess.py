"""The last resort: a line with a number that may be a step, and one with a unit of time. It is a guess, and says so."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rewarp.bench.logs.base import EVERYONE
from rewarp.bench.logs.generic import EPOCH
from rewarp.bench.logs.named import LOSSES, NOT_OF_VALIDATION, RATES, TIMES, clock_or_time
from rewarp.bench.logs.runs import StepFold
from rewarp.bench.logs.steps import Place, StepDialect, figure
from rewarp.bench.result import Result, Warn

_TIMED = ("loose_time_s", "time_s", "steps_per_s", "samples_per_s", "tokens_per_s", "tokens_per_s_per_device")


class GuessFold(StepFold):
    def results(self, name: str) -> list[Result]:
        line, text = self.example or (0, b"")
        shown = " ".join(text.decode("utf-8", "replace").split())[:120]
        what = f"a guess: no reader knows this log; which number is what was guessed from lines like this: {shown}"
        note = Warn("guess", what, "warning", f"log line {line}")
        return [replace(result, warnings=(note, *result.warnings)) for result in super().results(name)]


@dataclass(frozen=True)
class Guess(StepDialect):
    rank: int = 5

    def fold(self) -> StepFold:
        return GuessFold(self)

    def figures_in(self, line: bytes) -> list[Place] | None:
        """Without a time or a rate there is nothing to guess."""
        if b"%|" in line:
            # A bar that no words tell to be one of a training may be anything.
            return None
        places = super().figures_in(line)
        return places if places and any(place.column in _TIMED for place in places) else None


GUESS = Guess(
    name="guess",
    title="a step and a time, by guess",
    looks_for="any line with a number that is called step, iteration or batch, or stands as 10/100, and a time or a rate with its unit",
    anchors=(b"s/", b"/s", b"ime", b"sec", b"took", b"lapsed", b"/ s", b"per s", b"peed", b"ost"),
    step=re.compile(
        rb"(?i:\b(?:step|steps|iter|iters|iteration|iterations|batch|batches|update|updates|it)\b)[\s:=#\[(]{0,4}(?P<step>\d+)"
        rb"(?: ?/ ?(?P<of>\d+))?(?![\d.]*\d)"
    ),
    figures=(
        EPOCH,
        *TIMES,
        *RATES,
        figure(
            "loose_time_s",
            NOT_OF_VALIDATION
            + rb"(?i:\b(?:time|took|elapsed|cost|duration|dt|speed))\b[\s:=(]{0,4}# ?(?P<unit>ms|sec|secs|seconds|s)\b(?!/)",
        ),
        *LOSSES,
    ),
    fewest=3,
    yields_to=EVERYONE,
    adjust=clock_or_time,
)
