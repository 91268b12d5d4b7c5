"""Loggers that give a step a block: a header with its number in brackets, then a line for each figure (OLMo, Composer)."""

from __future__ import annotations

import re

from rewarp.bench.logs.base import LineDialect
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.steps import number
from rewarp.bench.result import Result

_HEADER = re.compile(rb"\[(?:step|batch)=(?P<step>\d+)(?:/(?P<of>\d+))?[^\]\n]*\]:?\s*$")
_LINE = re.compile(
    rb"^(?:\S* ?\[?[\w,. :-]*\]?)?[ \t]+(?:Train )?(?P<name>[A-Za-z][\w/ ().-]*?)(?:=|: )(?P<value>[-+\d.,eE]+)\s*$"
)
_COLUMNS = {
    "train/crossentropyloss": ("loss", 1.0),
    "train/ce loss": ("loss", 1.0),
    "loss/train/total": ("loss", 1.0),
    "throughput/batches_per_sec": ("steps_per_s", 1.0),
    "throughput/device/batches_per_second": ("steps_per_s", 1.0),
    "throughput/device/bps": ("steps_per_s", 1.0),
    "throughput/tokens_per_sec": ("tokens_per_s", 1.0),
    "throughput/device/tokens_per_sec": ("tokens_per_s_per_device", 1.0),
    "throughput/device/tokens_per_second": ("tokens_per_s_per_device", 1.0),
    "throughput/device/tps": ("tokens_per_s_per_device", 1.0),
    "throughput/samples_per_sec": ("samples_per_s", 1.0),
    "throughput/device/mfu": ("mfu_reported", 1.0),
    "optim/total_grad_norm": ("grad_norm", 1.0),
    "optim/total grad norm": ("grad_norm", 1.0),
    "optim/learning_rate_group0": ("learning_rate", 1.0),
    "optim/lr (group 0)": ("learning_rate", 1.0),
    "system/peak gpu memory (mb)": ("memory_bytes", 1e6),
}
"""Column and unit by the name of the line. Composer's batches of one device are those of all / devices, and are not used."""


class _Fold:
    anchors = (
        b"[step=",
        b"batch=",
        *(name.encode() for name in ("throughput/", "train/", "optim/", "System/", "loss/")),
    )

    def __init__(self) -> None:
        self._runs = [Rows()]
        self._planned: int | None = None
        self._last = -1
        self._row: dict[str, float] | None = None

    def feed(self, number_: int, line: bytes) -> bool:
        header = _HEADER.search(line)
        if header is not None:
            self._begin(number_, line, int(header["step"]))
            self._planned = int(header["of"]) if header["of"] else None
            return True
        found = _LINE.match(line) if self._row is not None else None
        if found is None or self._row is None:
            return False
        known = _COLUMNS.get(found["name"].decode("utf-8", "replace").strip().lower())
        try:
            value = number(found["value"])
        except ValueError:
            return False
        if known is not None:
            self._row.setdefault(known[0], value * known[1])
        return True

    def _begin(self, number_: int, line: bytes, step: int) -> None:
        if step == self._last:
            return
        if step < self._last:
            self._runs.append(Rows())
        self._last, self._row = step, {"step": float(step)}
        self._runs[-1].add(number_, line, self._row)

    def results(self, name: str) -> list[Result]:
        names = list(dict.fromkeys(column for column, _ in _COLUMNS.values()))
        found = []
        for rows in self._runs:
            columns = rows.columns(names)
            if columns:
                steps = [int(step) for step in rows.column("step") if step is not None]
                found.append(result(name, BLOCKS.name, BLOCKS.title, rows, steps, columns, planned=self._planned))
        if len(found) < 2:
            return found
        from dataclasses import replace

        return [replace(one, name=f"{name}#{place}") for place, one in enumerate(found, 1)]


class Blocks(LineDialect):
    name = "blocks"
    title = "OLMo or Composer"
    looks_for = (
        "[step=10/739328,epoch=0], then lines as train/CrossEntropyLoss=11.2, throughput/device/tokens_per_second=7,300"
    )
    anchors = _Fold.anchors

    def fold(self) -> _Fold:
        return _Fold()


BLOCKS = Blocks()
