"""A step, a name and a value in each line, and nothing else: `250 val 6.3112`, `251 train 6.2871`."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from rewarp.bench.logs.base import Document
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.shapes import RESERVED
from rewarp.bench.result import Result, Warn
from rewarp.errors import UnreadableSource

_LINE = re.compile(rb"\s*(\d{1,12})[ \t]+([A-Za-z][\w/-]{0,39})[ \t:=]+(-?\d+\.\d+(?:[eE][-+]?\d+)?|nan|inf)\s*")
_TRAINING = ("train", "train_loss", "loss")
_VALIDATION = ("val", "valid", "val_loss", "valid_loss")
_FEWEST = 3
_MOST_NAMES = 16
_UNNAMED = Warn(
    "unnamed-loss",
    "the log calls its figures nothing but training and validation; those that fall are taken for losses, others for nothing",
    "info",
)


class StepNameValue(Document):
    name = "step-name-value"
    title = "lines of a step, a name and a value"
    looks_for = "250 val 6.3112, 251 train 6.2871, and nothing else"

    def claims(self, head: bytes, file: Path) -> str | None:
        lines = [line for line in head.split(b"\n")[:-1] if line.strip()]
        names = [found[2].decode() for line in lines if (found := _LINE.fullmatch(line))]
        if len(names) < _FEWEST or len(names) < len(lines) or not any(name in _TRAINING for name in names):
            return None
        return f"every line is a step, a name and a value: {', '.join(dict.fromkeys(names))}"

    def read(self, data: bytes, file: Path) -> list[Result]:
        runs: list[Rows] = []
        for at, line in enumerate(data.split(b"\n"), 1):
            if (found := _LINE.fullmatch(line)) is None:
                continue
            step, name, value = float(found[1]), found[2].decode(), float(found[3])
            last = runs[-1].rows[-1] if runs else None
            if last is None or (step < last["step"] and step <= runs[-1].rows[0]["step"]):
                runs.append(Rows(most=1 << 20))
            elif step < last["step"]:
                raise UnreadableSource(f"the steps go back from {last['step']:.0f} to {step:.0f} in line {at}")
            if runs[-1].rows and runs[-1].rows[-1]["step"] == step:
                runs[-1].rows[-1].setdefault(name, value)
                runs[-1].last_line = at
            else:
                runs[-1].add(at, line, {"step": step, name: value})
        runs = [rows for rows in runs if len(rows.rows) >= _FEWEST]
        if not runs:
            raise UnreadableSource("there are no three steps of a run")
        many = len(runs) > 1
        return [_result(f"{file.name}#{at}" if many else file.name, rows) for at, rows in enumerate(runs, 1)]


def _result(name: str, rows: Rows) -> Result:
    names = list(dict.fromkeys(key for row in rows.rows for key in row if key != "step"))[:_MOST_NAMES]
    columns, warnings = rows.columns(names), list[Warn]()
    training = next((one for one in _TRAINING if one in columns), "")
    validation = next((one for one in _VALIDATION if one in columns), "")
    is_named = training.endswith("loss")
    known = [value for value in columns.get(training, ()) if value is not None]
    found = {
        one: values for one, values in columns.items() if one not in (training, validation) and one not in RESERVED
    }
    if not is_named:
        warnings.append(_UNNAMED)
    if is_named or (len(known) > 1 and known[-1] < known[0] and _falls(known)):
        found |= {"loss": columns[training]} if training else {}
        found |= {"validation_loss": columns[validation]} if validation else {}
    steps = [int(row["step"]) for row in rows.rows]
    made = STEP_NAME_VALUE
    return result(name, made.name, made.title, rows, steps, found, warnings, {"loss": "the training's, by step"})


def _falls(values: list[float]) -> bool:
    return 2 * sum(two < one for one, two in pairwise(values)) > len(values) - 1 or values[-1] < 0.9 * values[0]


STEP_NAME_VALUE = StepNameValue()
