"""Tables that loggers write: Keras's CSVLogger, Lightning's, and others whose first line names an epoch or a step, and a loss."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from rewarp.bench.logs.base import Document
from rewarp.bench.logs.passes import NOT_COUNTED_ON, apart
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.shapes import RESERVED
from rewarp.bench.logs.tracks import Pass
from rewarp.bench.result import Result, Warn
from rewarp.errors import UnreadableSource

_STEPS = ("global_step", "step", "iteration", "iter")
_LOSSES = (
    "loss",
    "train_loss",
    "train/loss",
    "training_loss",
    "train_loss_step",
    "train_loss_epoch",
    "trainloss",
    "tr_loss",
)
_VALIDATION = ("val_loss", "valid_loss", "validation_loss", "val/loss", "valloss", "val_loss_epoch")
_RATES = ("lr", "learning_rate", "train/lr")
_NO_FIGURES = ("time", "timestamp", "date", "grad_step", "batch")
_FEWEST = 2
_FARTHEST = 200
"""Lines before which a table has begun."""
_MOST_ROWS = 1 << 20
_MOST_OTHERS = 16
_EPOCHS = Warn(
    "epochs",
    "the rows are of whole epochs, and do not say how many steps these have, so no time of a step is given",
    "info",
)


_UNCOUNTED = Warn("counter-unnamed", "the table has no column that counts; its rows are counted", "info")


class CsvLog(Document):
    name = "csv-log"
    title = "a table of epochs or steps"
    looks_for = "epoch,accuracy,loss,val_accuracy,val_loss, and rows of numbers"

    def claims(self, head: bytes, file: Path) -> str | None:
        found = _headline(head.split(b"\n"))
        if found is None:
            return None
        at, names = found
        loss = next(name for name in names if name in _LOSSES)
        return f"its line {at + 1} names {_counter(names) or 'no counter'} and {loss}"

    def read(self, data: bytes, file: Path) -> list[Result]:
        lines = data.split(b"\n")
        found = _headline(lines)
        if found is None:
            raise UnreadableSource("the table has no headline")
        at, names = found
        runs = _runs(lines, at, names)
        if not runs:
            raise UnreadableSource("the table has no two rows of a run")
        many = len(runs) > 1
        return [
            self._result(f"{file.name}#{place}" if many else file.name, run, names) for place, run in enumerate(runs, 1)
        ]

    def _result(self, name: str, run: _Run, names: Sequence[str]) -> Result:
        steps = [int(step) for step in run.rows.column("step") if step is not None]
        warnings = [] if _counter(names) in _STEPS else [_EPOCHS if _counter(names) else _UNCOUNTED]
        if run.goes_back:
            warnings.append(NOT_COUNTED_ON)
        columns = [name for name in dict.fromkeys(key for row in run.rows.rows for key in row) if name != "step"]
        made = result(
            name,
            self.name,
            self.title,
            run.rows,
            steps,
            run.rows.columns(columns),
            warnings,
            {"loss": "the training's, as the table names it"},
        )
        return replace(made, series=apart(made.series, run.passes)) if run.goes_back else made


@dataclass
class _Run:
    rows: Rows = field(default_factory=lambda: Rows(most=_MOST_ROWS))
    passes: list[Pass] = field(default_factory=list)
    last: float = 0.0
    """What the counter was in the last row."""
    done: int = 0
    """Of the epochs before."""

    @property
    def goes_back(self) -> bool:
        return len(self.passes) > 1


def _runs(lines: Sequence[bytes], at: int, names: Sequence[str]) -> list[_Run]:
    """Where what counts goes back, another run begins; not where an epoch beside it goes on."""
    counter, runs = _counter(names), list[_Run]()
    loss = next(name for name in _LOSSES if name in names)
    for place, line in enumerate(lines[at + 1 :], at + 2):
        row = {name: value for name, cell in zip(names, _cells(line)) if (value := _number(cell)) is not None}
        if loss not in row or (counter and counter not in row):
            continue  # a row of a validation
        run = runs[-1] if runs else None
        step = row[counter] if counter else float(len(run.rows.rows) + 1 if run else 1)
        epoch = row.get("epoch", 0.0)
        if run is None or (step <= run.last and (counter == "epoch" or epoch <= run.passes[-1].epoch)):
            run = _Run()
            run.passes.append(Pass(int(step), 0, int(epoch)))
            runs.append(run)
        elif step <= run.last:
            run.done += int(run.last)
            run.passes.append(Pass(run.done + int(step), run.done, int(epoch)))
        run.last = step
        run.rows.add(place, line, {"step": run.done + step, **_figures(row, loss, counter)})
    return [run for run in runs if len(run.rows.rows) >= _FEWEST]


def _figures(row: Mapping[str, float], loss: str, counter: str) -> dict[str, float]:
    """By columns of a result; what has no other name bears that of the table."""
    found = {"loss": row[loss]}
    for column, names in (("learning_rate", _RATES), ("validation_loss", _VALIDATION)):
        found |= next(({column: row[name]} for name in names if name in row), {})
    known = {loss, counter, *_STEPS, *_RATES, *_VALIDATION, *_NO_FIGURES}
    others = [name for name in row if name and name not in known and name not in RESERVED]
    return found | {name: row[name] for name in others[:_MOST_OTHERS]}


def _headline(lines: Sequence[bytes]) -> tuple[int, list[str]] | None:
    """Where the table begins, and what its columns are called."""
    for at, (line, after) in enumerate(pairwise(lines[:_FARTHEST])):
        names = [_plain(cell) for cell in _cells(line)]
        if not any(name in _LOSSES for name in names):
            continue
        first = _cells(after)
        counts = _counter(names) or any(name in _VALIDATION for name in names)
        if len(names) == len(first) > 1 and counts and all(_number(cell) is not None for cell in first if cell):
            return at, names
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "_", name.strip(" .#\"'"))


def _cells(line: bytes) -> list[str]:
    """Between commas, tabs, or, in rows of numbers, blanks."""
    text = line.decode("utf-8", "replace").strip()
    try:
        if "," in text:
            return [cell.strip().lower() for cell in next(csv.reader([text]), [])]
    except csv.Error:
        return []
    if "\t" in text:
        return [cell.strip().lower() for cell in text.split("\t")]
    blank = text.split()
    return blank if blank and all(_number(cell) is not None for cell in blank) else []


def _counter(names: Sequence[str]) -> str:
    """A step where there is one, else an epoch."""
    return next((name for name in (*_STEPS, "epoch") if name in names), "")


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


CSV_LOG = CsvLog()
