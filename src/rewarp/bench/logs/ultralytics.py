"""Ultralytics since it draws its bars itself: a headline of columns, then a row for each epoch, drawn again as its batches go by.
Its bars of tqdm, before that, are read as such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rewarp.bench.logs.base import LineDialect
from rewarp.bench.logs.named import parts_of_a_loss
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.steps import number
from rewarp.bench.result import Result

_HEAD = re.compile(rb"^\s*Epoch\s+GPU_mem\s+(?P<names>\w[\w/ ]*?)\s+Size\s*$")
_ROW = re.compile(
    rb"^\s*(?P<epoch>\d+)/(?P<of>\d+)\s+(?P<memory>[\d.]+)G\s+(?P<figures>[-\d.e+naif\s]+?)\s+\d+:\s+\d{1,3}%\s+[^\s\w|][^\s|]*\s+"
    rb"(?P<done>\d+)/(?P<batches>\d+)(?:\s+(?P<rate>\d+(?:\.\d+)?)\s?(?P<unit>it/s|s/it))?\s+(?:(?P<gone>[\d.]+)s\b(?!/)|[\d:]+)"
)
"""Of a bar under way the time that is left stands behind that which is gone: `4.1s<2.0s`, `1:05<2:00`."""
_NO_FIGURE = ("instances",)
_NOTES = {
    "steps_per_s": "batches of an epoch by its time, as its bar says at its end",
    "epoch_time_s": "of the training of an epoch, without its validation, as its bar says at its end",
    "memory_bytes": "the highest that the program says; in units of 10^9",
}


@dataclass
class _Run:
    planned: int
    rows: Rows = field(default_factory=Rows)
    batches: int = 0
    """Of the epochs before the last."""
    epoch: int = 0
    length: int = 0

    def add(self, line_number: int, line: bytes, found: re.Match[bytes], names: Sequence[str]) -> None:
        self.batches += self.length if self.epoch else 0
        self.epoch, self.length = int(found["epoch"]), int(found["batches"])
        row = {"step": float(self.batches + self.length), "epoch": float(self.epoch)}
        row |= {
            name: value for name, value in zip(names, map(number, found["figures"].split())) if name not in _NO_FIGURE
        }
        if (memory := float(found["memory"])) > 0:
            row["memory_bytes"] = memory * 1e9
        if found["rate"] and (rate := float(found["rate"])) > 0:
            row["steps_per_s"] = rate if found["unit"] == b"it/s" else 1 / rate
        if found["gone"]:
            row["epoch_time_s"] = float(found["gone"])
        self.rows.add(line_number, line, row)


class _Fold:
    anchors = (b"GPU_mem", b"G  ")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._runs: list[_Run] = []

    def feed(self, number_: int, line: bytes) -> bool:
        head = _HEAD.match(line)
        if head is not None:
            self._names = [name.lower() for name in head["names"].decode("ascii", "replace").split()]
            return False  # the bars of tqdm have it as well
        found = _ROW.match(line) if self._names else None
        if found is None or len(found["figures"].split()) != len(self._names):
            return False
        if found["done"] != found["batches"]:
            return True
        epoch, planned = int(found["epoch"]), int(found["of"])
        if not self._runs or epoch < self._runs[-1].epoch or planned != self._runs[-1].planned:
            self._runs.append(_Run(planned))
        elif epoch == self._runs[-1].epoch:
            return True  # its end is drawn twice
        self._runs[-1].add(number_, line, found, self._names)
        return True

    def results(self, name: str) -> list[Result]:
        found = [_result(name, run) for run in self._runs if run.rows.rows]
        if len(found) < 2:
            return found
        return [replace(one, name=f"{name}#{place}") for place, one in enumerate(found, 1)]


def _result(name: str, run: _Run) -> Result:
    steps = [int(step) for step in run.rows.column("step") if step is not None]
    names = dict.fromkeys(column for row in run.rows.rows for column in row if column != "step")
    columns = run.rows.columns(list(names))
    begun = run.rows.rows[0]["epoch"]
    lengths = {round(two - one) for one, two in zip([0, *steps], steps)}
    planned = run.planned * lengths.pop() if len(lengths) == 1 and begun == 1 else None
    return result(
        name,
        ULTRALYTICS.name,
        ULTRALYTICS.title,
        run.rows,
        steps,
        columns,
        [parts_of_a_loss([column.encode() for column in columns if column.endswith("_loss")])],
        {column: note for column, note in _NOTES.items() if column in columns},
        planned=planned,
    )


class Ultralytics(LineDialect):
    name = "ultralytics"
    title = "Ultralytics"
    looks_for = (
        "Epoch  GPU_mem  box_loss  cls_loss …, and 1/100  2.1G  1.335  2.818 … 640: 100% ━━━━━━━━━━━━ 8/8 3.5it/s 2.3s"
    )
    anchors = _Fold.anchors

    def fold(self) -> _Fold:
        return _Fold()


ULTRALYTICS = Ultralytics()
