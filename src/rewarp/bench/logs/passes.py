"""Steps that begin anew with every epoch: which epoch, and which step of it, a step of the run is by the log's own words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from rewarp.bench.logs.tracks import Pass, Thinned
from rewarp.bench.result import Series, Warn

NOT_COUNTED_ON = Warn(
    "epochs-apart",
    "steps begin anew with every epoch, and how many an epoch has the log does not say: `epoch` and `step_of_epoch` are what it says, "
    "and `step` counts the lines",
    "info",
)
_FIRST = attrgetter("first")


def apart(series: Series, passes: Sequence[Pass]) -> Series:
    """Where the length of an epoch is not known no number of a step in the run is, either: lines are counted instead."""
    columns = {**series.columns, **_columns(series.step, passes)}
    count = len(series.step)
    if isinstance(series, Thinned):
        whole = len(series.whole.step)
        numbered = replace(series.whole, step=range(1, whole + 1))
        return Thinned(range(1, whole + 1, series.thinned), columns, series.thinned, numbered)
    return Series(range(1, count + 1), columns, series.thinned)


def _columns(steps: Sequence[int], passes: Sequence[Pass]) -> dict[str, list[float | None]]:
    of = [passes[max(0, bisect_right(passes, step, key=_FIRST) - 1)] for step in steps]
    return {
        "epoch": [float(one.epoch) for one in of],
        "step_of_epoch": [float(step - one.done) for step, one in zip(steps, of)],
    }
