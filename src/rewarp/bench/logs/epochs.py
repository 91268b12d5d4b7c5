"""One line for each epoch, or a few, and none for its steps: losses, and what an epoch took. It is no time of a step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import lt

from rewarp.bench.logs.base import EVERYONE, LineDialect
from rewarp.bench.logs.epoch_lines import ALONE, EPOCH, EPOCH_TOOK, begun, iterations, time_taken, without_stamps
from rewarp.bench.logs.launches import Launches
from rewarp.bench.logs.named import (
    AVERAGE_LOSS,
    LOSSES,
    named_losses,
    parts_of_a_loss,
    test_loss,
    training_loss,
    unnamed_losses,
    validation_loss,
)
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.shapes import is_of_others, named_figures, without_twins
from rewarp.bench.result import Result, Sourced, Warn

_FEWEST = 2
_LONGEST = 2000
_MOST_ITERATIONS = 1 << 15
_LONGEST_JSON = 1 << 15
_FEW_TIMES = 4
_FEWEST_PARTS = 4
"""Lines of one kind in an epoch, from which on they are its course and not an epoch each of several things."""
_BY_NAME = "by name: "
_MOST_COLUMNS = 16
_NUMBERS = re.compile(rb"-?\d[\d.,]*(?:[eE][-+]?\d+)?|\bnan\b|\binf\b")
_CLOCK = Warn(
    "clock-or-time",
    "the time of the lines only grows: it may be a clock that runs through the run, and is not used",
    "info",
)
_NOT_STEPS = Warn(
    "epochs",
    "the lines are of whole epochs, and do not say how many steps these have, so no time of a step is given",
    "info",
)
_WHOSE = Warn("which-loss", "whose the losses are is said of some epochs alone, so none is given", "info")
_UNNAMED = Warn(
    "unnamed-loss",
    "the log calls its figures nothing but training and validation; those that fall are taken for losses, others for nothing",
    "info",
)
_COURSE = Warn("epochs-of-lines", "an epoch has many lines; its loss is that of the last of them", "info")


class _Fold:
    anchors = (b"poch", b"POCH", b"Ep ", b"ep ", b"oss", b"OSS")

    def __init__(self) -> None:
        self.launches = Launches()
        self._runs: list[_Run] = []
        self._open: re.Match[bytes] | None = None
        """The epoch that was said to begin."""
        self._is_of_parts = False
        """Whether an epoch has several lines that tell different things of it."""
        self._before_any = False
        """Whether a loss was said before any epoch began."""
        self._parts: tuple[bytes, ...] = ()
        """What the losses are called, where none is called that of the training."""

    def feed(self, number_: int, line: bytes) -> bool:
        if len(line) > (_LONGEST_JSON if line.startswith(b"{") else _LONGEST):
            return False
        found = EPOCH.search(line)
        row: dict[str, float] = {}
        if (loss := training_loss(line)) is not None:
            row["loss"] = loss
            row["named"] = float(LOSSES[0].find(line) is not None)
        if found is None and not row:
            return self._followed(number_, line)
        if found is None:
            if (of_validation := validation_loss(line)) is not None:
                row["validation_loss"] = of_validation
            if (whole := ALONE.match(line)) is not None and int(whole[1]) > 1:
                row["epoch_time_s"] = float(whole[1])  # a clock of whole seconds tells little of one
            return self._continued(number_, line, row | _more(line))
        if (time := time_taken(line, found.end())) is not None:
            row["epoch_time_s"] = time
        if (of_validation := validation_loss(line)) is not None:
            row["validation_loss"] = of_validation
        if "loss" in row and (of_test := test_loss(line)) is not None:
            row["test_loss"] = of_test
        if not row.keys() - {"epoch_time_s"} and (pair := unnamed_losses(line)) is not None:
            row |= {"train": pair[0], "val": pair[1]}
        head = begun(without_stamps(line)) if not row else None
        if head is not None:
            self._open = head
        if "loss" not in row:
            # What the epoch took may stand before its losses.
            self._open = found if row else self._open
        elif self._open is not None and int(self._open["epoch"]) == int(found["epoch"]):
            self._open = None
        if not row and head is None and b"poch" in found[0].lower() and (parts := named_losses(line)):
            self._parts = self._parts or parts
            return self._add(number_, line, found, row | _more(line))
        if not row:
            self._see_beside(line, found)
        return bool(row) and self._add(number_, line, found, row | _more(line))

    def _see_beside(self, line: bytes, found: re.Match[bytes]) -> None:
        """What a line without losses says of the epoch that was last: `Epoch 3: validation accuracy 0.91`."""
        last = self._runs[-1] if self._runs else None
        if last is not None and last.epochs[-1] == int(found["epoch"]):
            last.see_beside(_more(line))

    def _followed(self, number_: int, line: bytes) -> bool:
        """What a line without an epoch says of the one that was said to begin, behind its loss: `val_loss -0.61`,
        `Epoch time: 53.2 s`."""
        last = self._runs[-1] if self._runs and self._open is not None else None
        if last is None or self._open is None or last.epochs[-1] != int(self._open["epoch"]):
            return False
        plain = without_stamps(line)
        row: dict[str, float] = {}
        if (of_validation := validation_loss(plain)) is not None:
            row["validation_loss"] = of_validation
        elif (found := EPOCH_TOOK.search(plain)) is not None and (time := time_taken(plain, found.start())) is not None:
            row["epoch_time_s"] = time
        return bool(row) and last.follow(number_, row)

    def _continued(self, number_: int, line: bytes, row: dict[str, float]) -> bool:
        """A loss without an epoch is that of the epoch that was said to begin."""
        if self._open is None:
            self._before_any |= not self._runs
            return bool(self._runs) and self._runs[-1].correct(number_, line, row)
        last = self._runs[-1] if self._runs else None
        if last is not None and last.epochs[-1] == int(self._open["epoch"]):
            self._is_of_parts |= not last.complete(number_, line, row)
            return True
        return self._add(number_, line, self._open, row)

    def _add(self, number_: int, line: bytes, found: re.Match[bytes], row: dict[str, float]) -> bool:
        row = _of_validation(row)
        epoch, before = int(found["epoch"]), self._runs[-1].epochs if self._runs else []
        if before and epoch <= before[0] and len(before) > 1:
            before = []  # from the first one on again: another run
        if before and self.launches.between(self._runs[-1].rows.last_line, number_) is not None:
            before = []
        if before and epoch <= before[-1]:
            self._is_of_parts |= not (epoch == before[-1] and self._runs[-1].complete(number_, line, row))
            return True
        if not before:
            self._runs.append(_Run())
        self._runs[-1].begin(epoch, number_, line, row)
        self._runs[-1].planned = int(found["of"]) if found["of"] else self._runs[-1].planned
        return True

    def results(self, name: str) -> list[Result]:
        runs = [run for run in self._runs if len(run.epochs) >= _FEWEST]
        if any(run.is_one_line_each for run in runs):
            for run in runs:
                run.begin_late()
        if self._is_of_parts or (self._before_any and self._open is not None) or any(run.is_unclear for run in runs):
            return []
        many = len(runs) > 1
        return [run.result(f"{name}#{index}" if many else name, self._parts) for index, run in enumerate(runs, 1)]


@dataclass
class _Run:
    rows: Rows = field(default_factory=Rows)
    epochs: list[int] = field(default_factory=list)
    planned: int | None = None
    _counts: list[int] = field(default_factory=list)
    """Lines of each epoch that are like its first."""
    _kind: bytes = b""
    broken_off: int = 0
    """Runs before it that ended with their first epoch."""
    _iterations: list[int | None] = field(default_factory=list)
    """Of the run, after each epoch, where its line says that."""

    def begin(self, epoch: int, number_: int, line: bytes, row: dict[str, float]) -> None:
        self.epochs.append(epoch)
        if len(self._iterations) < _MOST_ITERATIONS:
            self._iterations.append(iterations(line))
        self._counts.append(1)
        self._kind = _NUMBERS.sub(b"#", line)
        self.rows.add(number_, line, {"epoch": float(epoch), **row})

    def complete(self, number_: int, line: bytes, row: dict[str, float]) -> bool:
        """Figures of the last epoch, from one more of its lines: others than it has, or the same ones later on."""
        last = self.rows.rows[-1]
        if self.rows.every > 1:
            return False
        if not _own(last).isdisjoint(_own(row)):
            if _NUMBERS.sub(b"#", line) != self._kind:
                return self._counts[-1] > 1 and self._close(last, line, row)
            if "mean" in last:
                return False
            self._counts[-1] += 1
        last.update(row)
        self.rows.last_line = number_
        return True

    def follow(self, number_: int, row: dict[str, float]) -> bool:
        """Figures of the last epoch that it has not yet; said twice, nobody knows which is its."""
        last = self.rows.rows[-1]
        if self.rows.every > 1:
            return False
        for name, value in row.items():
            if name in last or f"{name} twice" in last:
                last.pop(name, None)
                last[f"{name} twice"] = 1.0
            else:
                last[name] = value
        self.rows.last_line = number_
        return True

    def correct(self, number_: int, line: bytes, row: dict[str, float]) -> bool:
        """By a line behind that of the epoch which says whose its loss is: the other was then that of something else."""
        last = self.rows.rows[-1]
        if self.rows.every > 1 or not row["named"] or last.get("named") or "loss" not in last:
            return False
        if (of_validation := validation_loss(line)) is not None:
            row["validation_loss"] = of_validation
        last["corrected"] = last["loss"]
        last.update(row)
        self.rows.last_line = number_
        return True

    def see_beside(self, row: dict[str, float]) -> None:
        if self.rows.every == 1:
            last = self.rows.rows[-1]
            for name, value in row.items():
                last.setdefault(name, value)

    def _settled(self) -> bool:
        """Whether the losses are of one thing: of all epochs said by such lines, or of none. Behind the last one alone such a
        line is the summary of the run."""
        rows = [row for row in self.rows.rows if "loss" in row]
        corrected = [row for row in rows if "corrected" in row]
        if len(corrected) == 1 < len(rows) and corrected[0] is rows[-1]:
            corrected[0]["loss"] = corrected[0].pop("corrected")
            if not any("validation_loss" in row for row in rows[:-1]):
                corrected[0].pop("validation_loss", None)
            return True
        return len(corrected) in (0, len(rows)) or corrected == rows[:-1]

    def _more(self) -> dict[str, list[float | None]]:
        """Figures under the names that the log gives them."""
        names = dict.fromkeys(name for row in self.rows.rows for name in row if name.startswith(_BY_NAME))
        return {
            name.removeprefix(_BY_NAME): values
            for name, values in self.rows.columns(list(names)[:_MOST_COLUMNS]).items()
        }

    @staticmethod
    def _close(last: dict[str, float], line: bytes, row: dict[str, float]) -> bool:
        """The mean that ends an epoch of many lines."""
        if "mean" in last or AVERAGE_LOSS.find(line) is None:
            return False
        last["mean"] = row["loss"]
        return True

    @property
    def is_one_line_each(self) -> bool:
        return len(self._counts) > _FEWEST_PARTS and set(self._counts[1:]) == {1}

    def begin_late(self) -> None:
        """A first epoch that alone has several lines is that of as many runs, all but the last of which ended with it."""
        if set(self._counts[1:]) == {1}:
            self.broken_off = self._counts[0] - 1
            self._counts[0] = 1

    @property
    def is_unclear(self) -> bool:
        """Whether epochs have a few lines each: they may be of several things."""
        return max(self._counts) > 1 and min(self._counts[:-1]) < _FEWEST_PARTS

    def _about_steps(self) -> Warn:
        known = [count for count in self._iterations if count is not None]
        gaps = {two - one for one, two in pairwise(known)}
        if len(known) < max(_FEWEST, len(self._iterations)) or len(gaps) != 1 or min(gaps) < 1:
            return _NOT_STEPS
        what = f"the lines are of whole epochs, each of {gaps.pop()} iterations by what they say; no time of a step is given"
        return Warn("epochs", what, "info")

    def result(self, name: str, parts: tuple[bytes, ...]) -> Result:
        steps = [int(epoch) for epoch in self.rows.column("epoch") if epoch is not None]
        planned, warnings = self.planned, [self._about_steps()]
        is_settled = self._settled()
        if planned is not None and self.epochs[0] == 0:
            # Counted from zero, the number behind the stroke may be that of the last epoch, or how many there are.
            planned = planned + 1 if self.epochs[-1] == planned else None
        if self.broken_off:
            what = f"{self.broken_off} runs before it ended with their first epoch, and are not given"
            warnings.append(Warn("broken-off", what, "info"))
        columns = self.rows.columns(["loss", "validation_loss", "test_loss", "epoch_time_s"])
        if "loss" not in columns and any("train" in row for row in self.rows.rows):
            warnings.append(_UNNAMED)
            if _falls(self.rows.column("train")):
                columns |= {"loss": self.rows.column("train"), "validation_loss": self.rows.column("val")}
        if not is_settled:
            columns.pop("loss", None)
            warnings.append(_WHOSE)
        notes = {"loss": "the training's, by epoch", "epoch_time_s": "of an epoch, as the log says it"}
        if "validation_loss" in columns:
            notes["validation_loss"] = "the validation's, by epoch"
        if max(self._counts) == 1:
            columns |= self._more()
        times = [time for time in columns.get("epoch_time_s", ()) if time is not None]
        # Of a few, one that grows by as much as the first is as long may be a clock as well.
        grows = 2.0 if len(times) >= _FEW_TIMES else 1.5
        if len(times) >= 2 and all(map(lt, times, times[1:])) and times[-1] > grows * times[0]:
            del columns["epoch_time_s"]
            warnings.append(_CLOCK)
        if max(self._counts) > 1:
            # What a line within an epoch takes is not what the epoch takes.
            columns.pop("epoch_time_s", None)
            means = self.rows.column("mean")
            if all(mean is not None for mean in means[:-1]):
                columns["loss"] = means
                notes["loss"] = "the mean that ends each epoch"
            else:
                notes["loss"] = "the last that was said in each epoch"
                warnings.append(_COURSE)
        if "loss" not in columns and parts:
            warnings.append(parts_of_a_loss(parts))
        made = result(
            name, EPOCHS.name, EPOCHS.title, self.rows, steps, without_twins(columns), warnings, notes, planned
        )
        said = [value for value in columns.get("validation_loss", ()) if value is not None]
        if not said:
            return made
        return replace(made, reported={"validation_loss": Sourced(said[-1], "the last that the log says")})


def _more(line: bytes) -> dict[str, float]:
    return {_BY_NAME + name: value for name, value in named_figures(without_stamps(line)).items()}


def _of_validation(row: dict[str, float]) -> dict[str, float]:
    """Figures of a line whose loss is that of the validation alone are so called."""
    if "validation_loss" not in row or "loss" in row:
        return row
    named = [name for name in row if name.startswith(_BY_NAME) and not is_of_others(name.removeprefix(_BY_NAME))]
    return {f"{_BY_NAME}val_{name.removeprefix(_BY_NAME)}" if name in named else name: row[name] for name in row}


def _own(row: dict[str, float]) -> set[str]:
    """What a row says beside figures that are given as they are called."""
    return {name for name in row if not name.startswith(_BY_NAME)}


def _falls(values: Sequence[float | None]) -> bool:
    """As losses do, and accuracies do not."""
    known = [value for value in values if value is not None]
    down = sum(two < one for one, two in pairwise(known))
    return len(known) >= _FEW_TIMES and known[-1] < known[0] and 2 * down > len(known) - 1


class Epochs(LineDialect):
    name = "epochs"
    title = "one line for each epoch"
    looks_for = "Epoch 3/50, Train Loss: 0.512, Val Loss: 0.634, Time: 12.3s"
    anchors = _Fold.anchors
    yields_to = EVERYONE
    rank = 4

    def fold(self) -> _Fold:
        return _Fold()


EPOCHS = Epochs()
