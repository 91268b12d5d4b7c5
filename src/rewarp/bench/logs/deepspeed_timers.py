"""DeepSpeed's wall clock breakdown: forward, backward and step in milliseconds, without a number of the step."""

from __future__ import annotations

import re

from rewarp.bench.logs.base import LineDialect
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.result import Result, Warn

_PARTS = {name: re.compile(rb"\| " + name + rb": ([\d.]+)") for name in (b"fwd", b"bwd", b"step")}


class _Fold:
    anchors = (b"time (ms) | fwd: ", b"time (ms) | forward: ")

    def __init__(self) -> None:
        self._rows = Rows()

    def feed(self, number: int, line: bytes) -> bool:
        found = {name: pattern.search(line) for name, pattern in _PARTS.items()}
        if not all(found.values()):
            return False
        parts = {name.decode(): float(at[1]) / 1e3 for name, at in found.items() if at}
        row = {"time_s": sum(parts.values()), "forward_s": parts["fwd"], "backward_s": parts["bwd"]}
        self._rows.add(number, line, {**row, "optimizer_s": parts["step"]})
        return True

    def results(self, name: str) -> list[Result]:
        if not self._rows.rows:
            return []
        steps = range(1, len(self._rows.rows) + 1)
        columns = self._rows.columns(["time_s", "forward_s", "backward_s", "optimizer_s"])
        about = [Warn("steps-unnumbered", "the log gives no step numbers; lines are counted", "info")]
        notes = {"time_s": "forward, backward and optimizer together; what lies between them is not in it"}
        made = result(name, TIMERS.name, TIMERS.title, self._rows, steps, columns, about, notes, averaged=False)
        return [made]


class Timers(LineDialect):
    name = "deepspeed-timers"
    title = "DeepSpeed's timers"
    looks_for = "[Rank 0] time (ms) | fwd: 120.51 | bwd: 240.10 | bwd_inner: 238.9 | bwd_allreduce: 1.1 | step: 31.25"
    anchors = _Fold.anchors
    yields_to = ("deepspeed", "megatron", "primus")

    def fold(self) -> _Fold:
        return _Fold()


TIMERS = Timers()
