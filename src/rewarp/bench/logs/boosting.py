"""Rounds of gradient boosting, as LightGBM and XGBoost print them; several trainings at once name their data differently."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rewarp.bench.logs.base import EVERYONE, LineDialect
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.result import Result, Warn

_VALUE = rb":\s?(-?[\d.]+(?:[eE][-+]?\d+)?)(?:\s?\+\s?[\d.]+)?"
_ROUND = re.compile(rb"^\[(?P<round>\d+)\](?P<figures>(?:\t[^\t:]{1,80}" + _VALUE + rb")+)\s*$")
_FIGURE = re.compile(rb"\t(?P<data>[^\t:]+?)(?:'s |-)(?P<metric>[^\t:'-]+)" + _VALUE)
_LOSS = re.compile(rb"(?i)(?:binary_|multi_|m)?log_?loss|cross_?entropy|loss")
_FEWEST = 3
_MOST_RUNS = 200


@dataclass
class _Run:
    rows: Rows = field(default_factory=Rows)
    metrics: dict[bytes, None] = field(default_factory=dict)


class _Fold:
    anchors = (b"]\t", b"est iteration")

    def __init__(self) -> None:
        self._runs: dict[bytes, list[_Run]] = {}
        self._is_best = False

    def feed(self, number: int, line: bytes) -> bool:
        if b"est iteration" in line:
            # What follows is a round that was printed before.
            self._is_best = True
            return False
        found = _ROUND.match(line)
        figures = list(_FIGURE.finditer(found["figures"])) if found else []
        if found is None or not figures:
            return False
        if self._is_best:
            self._is_best = False
            return True
        called = b"\t".join(figure["data"] + b" " + figure["metric"] for figure in figures)
        if called not in self._runs and len(self._runs) >= _MOST_RUNS:
            return True
        runs = self._runs.setdefault(called, [_Run()])
        done = int(found["round"])
        if runs[-1].rows.rows and done <= runs[-1].rows.rows[-1]["step"] and len(runs) < _MOST_RUNS:
            runs.append(_Run())
        runs[-1].metrics |= dict.fromkeys(figure["metric"].strip() for figure in figures)
        runs[-1].rows.add(number, line, {"step": float(done), **_losses(figures)})
        return True

    def results(self, name: str) -> list[Result]:
        runs = [run for runs in self._runs.values() for run in runs if len(run.rows.rows) >= _FEWEST]
        runs.sort(key=lambda run: run.rows.first_line)
        many = len(runs) > 1
        return [_result(f"{name}#{place}" if many else name, run) for place, run in enumerate(runs, 1)]


def _losses(figures: list[re.Match[bytes]]) -> dict[str, float]:
    """Of the training and of a validation, where the metric is a loss and there is one of each."""
    found: dict[str, list[float]] = {"loss": [], "validation_loss": []}
    for figure in figures:
        data = figure["data"].strip().lower()
        column = "loss" if data.startswith((b"train", b"learn")) else "validation_loss"
        if _LOSS.fullmatch(figure["metric"].strip()) and (column == "loss" or data.startswith((b"val", b"eval"))):
            found[column].append(float(figure[3]))
    return {column: values[0] for column, values in found.items() if len(values) == 1}


def _result(name: str, run: _Run) -> Result:
    steps = [int(step) for step in run.rows.column("step") if step is not None]
    columns = run.rows.columns(["loss", "validation_loss"])
    metrics = ", ".join(metric.decode("utf-8", "replace") for metric in run.metrics)
    warnings = [Warn("rounds", "a step is a round of boosting", "info")]
    if not columns:
        warnings.append(Warn("which-loss", f"no figure is called a loss ({metrics}), so none is given", "info"))
    notes = dict.fromkeys(columns, f"by round: {metrics}")
    return result(name, BOOSTING.name, BOOSTING.title, run.rows, steps, columns, warnings, notes)


class Boosting(LineDialect):
    name = "boosting"
    title = "LightGBM or XGBoost"
    looks_for = "[10]	train's binary_logloss: 0.512	valid's binary_logloss: 0.534"
    anchors = _Fold.anchors
    yields_to = EVERYONE
    rank = 5

    def fold(self) -> _Fold:
        return _Fold()


BOOSTING = Boosting()
