"""Keras: a bar for each epoch, with the mean time of its steps."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rewarp.bench.logs.base import EVERYONE, LineDialect
from rewarp.bench.logs.launches import Launches
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.result import Result, Warn

_BAR = re.compile(
    rb"(?P<n>\d+)/(?P<of>\d+) (?:\[[=>.]*\] - |[=>.]{5,} *|[^\x00-\x7f]+[^\x00-\x7f ]* *)(?:(?P<gone>[\d:]+)s? )?"
    rb"(?P<per>[\d.]+)(?P<unit>us|ms|s)/(?P<what>step|epoch|sample)\b"
)
_PLAIN = re.compile(
    rb"^(?:.*\s)?(?P<n>\d+)/(?P<of>\d+) (?:\[[=>.]*\] )?- (?P<gone>\d+)s"
    rb"(?: - (?P<per>[\d.]+)(?P<unit>us|ms|s)/(?P<what>step))? - (?:\w+_)?(?:loss|acc)"
)
"""Of versions, and with a verbosity, that say the seconds of an epoch alone."""
_DRAWN = re.compile(rb"^\s*(?P<n>\d+)/(?P<of>\d+) \[[=>.]*\] - ETA: ")
_SAMPLES = re.compile(rb"^Train on (\d+) samples")
_EPOCH = re.compile(rb"^Epoch (\d+)/(\d+)\s*$")
_LOSS = re.compile(rb"(?:- | )(?<!val_)loss: ([-\d.e+]+)")
_VALIDATION_LOSS = re.compile(rb"(?:- | )val_loss: ([-\d.e+]+)")
_UNITS = {b"us": 1e-6, b"ms": 1e-3, b"s": 1.0}
_LONG_S = 50
_MUCH_BETTER = 4
_SHORT_S = 2
_FEW_STATES = 3
_ALIKE = 0.05
_JOINED = Warn("epochs-joined", "steps begin anew with every epoch, and are counted on through all of them", "info")
_OF_SAMPLES = Warn(
    "samples",
    "the bar counts samples: how many steps an epoch has it does not say, so its lines are given by epoch, and no time of a step",
    "info",
)
_TWO_TIMES = Warn(
    "time-of-what",
    "the bar says another time of a step before the validation than behind it, with that in it: where they differ, none is used",
    "info",
)
_NOTES = {
    "time_s": "the mean of an epoch, with its validation where there is one",
    "loss": "as the line says that closes the epoch",
    "epoch_time_s": "as the line says that closes the epoch, with the validation where there is one",
}


class _Counted:
    """Whether bars count samples: they then begin with those of one batch, and go on by batches."""

    def __init__(self) -> None:
        self._said: int | None = None
        self._first = self._states = self._last = 0
        self._are_multiples = True
        self._seen = False

    def said(self, samples: int) -> None:
        self._said = samples

    def draw(self, done: int, of: int) -> None:
        if done <= self._last:
            self._first = self._states = 0
            self._are_multiples = True
        self._first, self._last = self._first or done, done
        self._states += 1
        self._are_multiples &= done % self._first == 0 or done >= of
        self._seen |= self._first > 1 and self._states >= _FEW_STATES and self._are_multiples

    def samples(self, of: int) -> bool:
        return self._seen or of == self._said


@dataclass
class _Run:
    rows: Rows = field(default_factory=Rows)
    of_samples: bool = False
    says_two_times: bool = False
    """Whether an epoch has a time of a step without its validation, and another with it."""
    planned: int | None = None
    before: int = 0
    """Steps of the epochs that are over."""


class _Fold:
    anchors = (b"s/step", b"s/epoch", b"s/sample", b"s - ", b"Epoch ", b" - ETA: ", b"Train on ")

    def __init__(self) -> None:
        self.launches = Launches()
        self._runs = [_Run()]
        self._counted = _Counted()
        self._says_epochs = self._ended = self._moved = False
        self._open: tuple[int, bytes, int, dict[str, float]] | None = None

    def feed(self, number: int, line: bytes) -> bool:
        if (epoch := _EPOCH.match(line)) is not None:
            self._begin(number, int(epoch[1]), int(epoch[2]))
            return False
        if (said := _SAMPLES.match(line)) is not None:
            self._counted.said(int(said[1]))
            self._fit()
            return False
        if (drawn := _DRAWN.match(line)) is not None:
            self._counted.draw(int(drawn["n"]), int(drawn["of"]))
            return False
        found = _BAR.search(line)
        plain = _PLAIN.match(line) if found is None else None
        which = found or plain
        if which is None or b"%|" in line:
            return False
        done, of = int(which["n"]), int(which["of"])
        if not done:
            return True
        timed = found or (plain if plain and plain["per"] else None)
        row = _figures(line, timed, int(which["gone"]) if plain else None, done)
        run = self._runs[-1]
        run.of_samples |= (found is not None and found["what"] == b"sample") or self._counted.samples(of)
        if found is not None and self._ended and self._says_epochs:
            self._again(done, of, row)
            return True
        if self._open is not None and done <= self._open[2]:
            self._close()
        self._open = (number, line, done, row)
        if done >= of:
            self._close()
            self._ended, self._moved = True, False
        return True

    def _again(self, done: int, of: int, row: dict[str, float]) -> None:
        """The bar at its end once more: closed, with the validation in it, or that of an evaluation."""
        last = self._runs[-1].rows.rows
        if done < of or self._moved or not last or of == 1:
            self._moved = True
            return
        self._moved = True
        if "validation_loss" in row or "validation_loss" not in last[-1]:
            before, closed = last[-1].get("time_s"), row.get("time_s")
            last[-1].update(row)
            if before and closed and abs(before - closed) > _ALIKE * closed:
                # Before the validation one time of a step, behind it another: which of them is meant nobody says.
                self._runs[-1].says_two_times = True

    def _begin(self, number: int, epoch: int, of: int) -> None:
        self._close()
        self._says_epochs, self._ended = True, False
        rows = self._runs[-1].rows
        if rows.rows and (epoch == 1 or self.launches.between(rows.last_line, number) is not None):
            self._runs.append(_Run())
        self._runs[-1].planned = of

    def _fit(self) -> None:
        """Samples to train on are said once by each call that fits: what was before is another training."""
        self._close()
        self._ended = self._moved = self._says_epochs = False
        if self._runs[-1].rows.rows:
            self._runs.append(_Run())

    def _close(self) -> None:
        """The last state of an epoch's bar stands for the whole of it."""
        if self._open is None:
            return
        number, line, done, row = self._open
        run = self._runs[-1]
        run.before += done
        run.rows.add(number, line, {**row, "step": float(run.before)})
        self._open = None

    def results(self, name: str) -> list[Result]:
        self._close()
        runs = [run for run in self._runs if run.rows.rows]
        many = len(runs) > 1
        return [_result(f"{name}#{place}" if many else name, run) for place, run in enumerate(runs, 1)]


def _result(name: str, run: _Run) -> Result:
    steps = [int(step) for step in run.rows.column("step") if step is not None]
    names, warnings, planned = ["time_s", "loss", "validation_loss", "epoch_time_s"], [_JOINED], None
    if run.of_samples:
        steps, names, warnings, planned = list(range(1, len(steps) + 1)), names[1:], [_OF_SAMPLES], run.planned
    elif run.says_two_times:
        names, warnings = names[1:], [_JOINED, _TWO_TIMES]
    columns = run.rows.columns(names)
    notes = {column: note for column, note in _NOTES.items() if column in columns}
    made = (name, KERAS.name, KERAS.title, run.rows, steps, columns, warnings, notes, planned)
    return result(*made, warm_up_at_most=1)


def _figures(line: bytes, bar: re.Match[bytes] | None, gone: int | None, done: int) -> dict[str, float]:
    if bar is not None:
        time = _time(bar, done)
        whole = int(bar["gone"]) if bar["gone"] and b":" not in bar["gone"] else 0
    else:
        whole = gone or 0
        time = whole / done
    row = {"time_s": time} if time > 0 else {}
    if whole >= _SHORT_S:
        row["epoch_time_s"] = float(whole)
    for column, pattern in (("loss", _LOSS), ("validation_loss", _VALIDATION_LOSS)):
        if (said := pattern.search(line)) is not None:
            row[column] = float(said[1])
    return row


def _time(found: re.Match[bytes], done: int) -> float:
    """As it is said; where the seconds of the epoch say the same more exactly, by those."""
    said = float(found["per"]) * _UNITS[found["unit"]]
    gone = found["gone"]
    if gone is None or b":" in gone or not int(gone):
        return said
    # One in so many is what `3ms` may be wrong by, or `2.97ms`; the seconds of an epoch must be much better than that.
    steps_of = float(found["per"]) * 10 ** len(found["per"].partition(b".")[2])
    if int(gone) < _LONG_S and int(gone) < _MUCH_BETTER * steps_of:
        return said
    exact = int(gone) / done
    return exact if abs(exact - said) <= _UNITS[found["unit"]] else said


class Keras(LineDialect):
    name = "keras"
    title = "Keras"
    looks_for = "1875/1875 [==============================] - 5s 3ms/step - loss: 0.2912 - accuracy: 0.9146"
    anchors = _Fold.anchors
    yields_to = EVERYONE
    rank = 1

    def fold(self) -> _Fold:
        return _Fold()


KERAS = Keras()
