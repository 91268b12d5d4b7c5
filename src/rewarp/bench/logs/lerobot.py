"""LeRobot: `step:1K` is a thousand or so, and the next lines may say the same."""

from __future__ import annotations

import re

from rewarp.bench.logs.base import LineDialect
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.result import Result, Warn

_LINE = re.compile(rb"\bstep: ?(?P<step>[\d.]+)(?P<unit>[KMBT])? smpl: ?[\d.]+[KMBT]? ")
_FIGURES = {
    "time_s": re.compile(rb"\bupdt_s: ?([\d.]+)"),
    "data_s": re.compile(rb"\bdata_s: ?([\d.]+)"),
    "loss": re.compile(rb"\bloss: ?([-\d.]+)"),
    "grad_norm": re.compile(rb"\bgrdn: ?([\d.]+)"),
    "learning_rate": re.compile(rb"\blr: ?([\d.e+-]+)"),
}
_NOTES = {"time_s": "of the update alone, the mean since the line before; loading the data is data_s"}


class _Fold:
    anchors = (b" updt_s:",)

    def __init__(self) -> None:
        self._rows = Rows()

    def feed(self, number: int, line: bytes) -> bool:
        found = _LINE.search(line)
        if found is None:
            return False
        row = {column: float(at[1]) for column, pattern in _FIGURES.items() if (at := pattern.search(line))}
        if not found["unit"]:
            row["step"] = float(found["step"])
        self._rows.add(number, line, row)
        return True

    def results(self, name: str) -> list[Result]:
        rows = self._rows
        if not rows.rows:
            return []
        said = [int(step) for step in rows.column("step") if step is not None]
        if len(said) == len(rows.rows):
            steps, about = said, []
        elif len(said) >= 2 and rows.every == 1:
            every = said[1] - said[0]
            steps = [said[0] + every * place for place in range(len(rows.rows))]
            what = f"the log rounds its steps to thousands; they are counted on from those before, every {every}"
            about = [Warn("steps-rounded", what, "info")]
        else:
            steps = list(range(1, len(rows.rows) + 1))
            about = [Warn("steps-unnumbered", "the log rounds its steps to thousands; lines are counted", "info")]
        return [result(name, LEROBOT.name, LEROBOT.title, rows, steps, rows.columns(list(_FIGURES)), about, _NOTES)]


class LeRobot(LineDialect):
    name = "lerobot"
    title = "LeRobot"
    looks_for = "step:1K smpl:8K ep:19 epch:0.38 loss:1.943 grdn:38.1 lr:1.0e-05 updt_s:0.248 data_s:0.005"
    anchors = _Fold.anchors

    def fold(self) -> _Fold:
        return _Fold()


LEROBOT = LeRobot()
