"""Tables that loggers write: Keras's CSVLogger, Lightning's, and others whose first line names an epoch or a step, and a loss."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from rewarp.bench.logs.base import Document
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.result import Result, Warn
from rewarp.errors import UnreadableSource

_STEPS = ("step", "global_step", "iteration", "iter")
_LOSSES = ("loss", "train_loss", "train/loss", "training_loss", "train_loss_step", "train_loss_epoch", "trainloss")
_VALIDATION = ("val_loss", "valid_loss", "validation_loss", "val/loss", "valloss", "val_loss_epoch")
_RATES = ("lr", "learning_rate", "train/lr")
_FEWEST = 2
_EPOCHS = Warn(
    "epochs",
    "the rows are of whole epochs, and do not say how many steps these have, so no time of a step is given",
    "info",
)


class CsvLog(Document):
    name = "csv-log"
    title = "a table of epochs or steps"
    looks_for = "epoch,accuracy,loss,val_accuracy,val_loss, and rows of numbers"

    def claims(self, head: bytes, file: Path) -> str | None:
        lines = head.split(b"\n", 2)
        if len(lines) < 2 or not lines[1].strip():
            return None
        names, first = _cells(lines[0]), _cells(lines[1])
        if (
            len(names) < 2
            or len(names) != len(first)
            or not _counter(names)
            or not any(name in _LOSSES for name in names)
        ):
            return None
        if not all(_number(cell) is not None for cell in first if cell):
            return None
        return f"its first line names {_counter(names)} and {next(name for name in names if name in _LOSSES)}"

    def read(self, data: bytes, file: Path) -> list[Result]:
        try:
            table = list(csv.reader(io.StringIO(data.decode("utf-8", "replace"))))
        except csv.Error as error:
            raise UnreadableSource(f"the table cannot be read: {error}") from None
        names = [name.strip().lower() for name in table[0]]
        counter = _counter(names)
        loss = next(name for name in _LOSSES if name in names)
        rate = next((name for name in _RATES if name in names), "")
        validation = next((name for name in _VALIDATION if name in names), "")
        runs: list[Rows] = []
        for line, cells in enumerate(table[1:], 2):
            row = {name: value for name, cell in zip(names, cells) if (value := _number(cell)) is not None}
            if counter not in row or loss not in row:
                continue  # a row of a validation
            if not runs or row[counter] <= runs[-1].rows[-1]["step"]:
                runs.append(Rows())
            more = {"learning_rate": rate, "validation_loss": validation}
            figures = {"loss": row[loss], **{column: row[cell] for column, cell in more.items() if cell in row}}
            runs[-1].add(line, ",".join(cells).encode(), {"step": row[counter], **figures})
        runs = [rows for rows in runs if len(rows.rows) >= _FEWEST]
        if not runs:
            raise UnreadableSource("the table has no two rows of a run")
        warnings = [] if counter in _STEPS else [_EPOCHS]
        return [
            self._result(f"{file.name}#{place}" if len(runs) > 1 else file.name, rows, warnings)
            for place, rows in enumerate(runs, 1)
        ]

    def _result(self, name: str, rows: Rows, warnings: Sequence[Warn]) -> Result:
        steps = [int(step) for step in rows.column("step") if step is not None]
        columns = rows.columns(["loss", "learning_rate", "validation_loss"])
        return result(
            name,
            self.name,
            self.title,
            rows,
            steps,
            columns,
            warnings,
            {"loss": "the training's, as the table names it"},
        )


def _cells(line: bytes) -> list[str]:
    text = line.decode("utf-8", "replace").strip()
    try:
        return [cell.strip().lower() for cell in next(csv.reader([text]), [])] if "," in text else []
    except csv.Error:
        return []


def _counter(names: Sequence[str]) -> str:
    """A step where there is one, else an epoch."""
    return next((name for name in (*_STEPS, "epoch") if name in names), "")


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


CSV_LOG = CsvLog()
