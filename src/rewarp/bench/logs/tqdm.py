"""Progress bars of tqdm, whoever made them: Lightning, Ultralytics, diffusers, SimpleTuner, scripts of all kinds.

Which bar is one of a training, its words tell: a loss beside it, or what it is called.
"""

from __future__ import annotations

import re

from rewarp.bench.logs.base import EVERYONE, LineDialect
from rewarp.bench.logs.clock import COARSE
from rewarp.bench.logs.launches import LAUNCHED, Launches
from rewarp.bench.logs.rows import Rows, result
from rewarp.bench.logs.steps import seconds_gone
from rewarp.bench.result import Result, Warn

_BAR = re.compile(
    rb"(?P<desc>[^|]*?)(?P<percent>\d{1,3})%\|[^|]*\| *(?P<n>\d+)(?:\.0+)?/(?P<of>\d+) \[(?P<gone>[\d:]+)<[\d:? days,]+, *"
    rb"(?P<rate>[\d.]+|\?) ?(?P<unit>(?:it|batch|batches|step|steps|iter|iters|ba)/s|s/(?:it|batch|batches|step|steps|iter|iters|ba))"
    rb"(?P<post>[^\]]*)"
)
_OPEN = re.compile(
    rb"(?P<desc>[^|\[\]]*?)(?<![\d.])(?P<n>\d+)it \[(?P<gone>[\d:]+), *(?P<rate>[\d.]+|\?) ?(?P<unit>it/s|s/it)(?P<post>[^\]]*)"
)
"""Without a total, or beyond it."""
_TRAINS = re.compile(rb"(?i)train|\bepochs?\b|\bsteps?\b|^\s*\d+/\d+\s+[\d.]+G\b")
_OTHER = re.compile(
    rb"(?i)\bval|valid|eval|\btest|predict|sanity|download|load|fetch|\bmap\b|filter|token|generat|infer|process"
    rb"|extract|cach|convert|shard|mAP50|\bAP\b|Class\s+Images|denois|sampling"
)
_LOSS = re.compile(
    rb"(?:^|[,\s])(?i:loss|train[_/]?loss(?:_step)?|step_loss|av[rg]_loss|loss_step|total_loss)[=:] *([-\d.e+]+|nan)"
)
_RATE = re.compile(rb"(?:^|[,\s])lr[=:] *([-\d.e+]+)")
_STAMP = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b")
_OF_EPOCHS = re.compile(rb"(?i)[^\d]*\bepochs?\s*:?\s*")
"""A bar called nothing but that counts epochs, and no steps."""
_WITHIN = re.compile(rb"(?i)\s*(?:iteration|iter|batch|batches)\W*")
"""A bar called nothing but that is one of the training below a bar of epochs."""
_EPOCH = re.compile(rb"(?i)(?<![.\d])(\d+) ?/ ?(\d+)|epoch\D{0,3}(\d+)")
_NUMBERS = re.compile(rb"[\d.]+")
_SHORT_S = 20.0
_SAME_S = 2.0
_LONG_S = 10.0
_STRETCHES = 8
_LEAPS = 3
_ITERATIONS = Warn(
    "iterations", "iterations of a progress bar: how many of them make a step of the optimizer is not known", "info"
)
_JOINED = Warn(
    "epochs-joined", "a bar begins anew with every epoch; its iterations are counted on through all of them", "info"
)
_NOTES = {
    "time_s": "of an iteration of the bar, the mean since the row before: rows are some seconds apart, for the bar's clock "
    "counts whole ones. Where gradients accumulate, several iterations make a step of the optimizer",
}


class _Bar:
    """One bar through all its epochs: how many iterations were done, and after how many seconds."""

    def __init__(self, launch: int | None = None) -> None:
        self.launch = launch
        self.rows = Rows()
        self._before = (0, 0.0)
        self._last: tuple[int, float] | None = None
        self._desc = b""
        self._was_under_way = False
        """Whether the bar was seen before its end."""
        self._counts_behind = False
        """Whether a loss is shown before its iteration counts: what the bar shows last at a place is then that of the next."""
        self.rate: float | None = None

    def is_past(self, desc: bytes) -> bool:
        """Whether the epoch that a bar is called by came before the last one, or is one of another number of epochs: another
        run, as of the next fold."""
        now, before = _EPOCH.search(desc), _EPOCH.search(self._desc)
        if now is None or before is None:
            return False
        return int(now[1] or now[3]) < int(before[1] or before[3]) or now[2] != before[2]

    def see(self, number: int, line: bytes, found: re.Match[bytes], desc: bytes, figures: dict[str, float]) -> None:
        done, gone, desc = int(found["n"]), seconds_gone(found["gone"]), desc.strip()
        ended = "of" in found.re.groupindex and done == int(found["of"])
        rate = _rate(found)
        if rate:
            # The clock counts whole seconds that are over: within the one under way the bar's rate tells. At its end a bar shows
            # the mean of the whole, or once more the rate of late.
            gone = min(max(done / rate, gone), gone + 1)
        if self._last is not None and self._is_another(desc, done, gone):
            self._before = (self._before[0] + self._last[0], self._before[1] + self._last[1])
            self._last, self._was_under_way = None, False
        if done and (self._last is None or done > self._last[0]):
            self.rows.add(
                number,
                line,
                {
                    "step": float(self._before[0] + done),
                    "clock": self._before[1] + gone,
                    "ended": float(ended),
                    **figures,
                },
            )
            self.rate = rate
        elif done and "loss" in figures and not self._counts_behind and self.rows.every == 1:
            # Drawn once before the loss of the iteration was known, and again with it.
            self.rows.rows[-1].update(figures)
        self._counts_behind |= not done and "loss" in figures
        self._was_under_way |= not ended
        self._last, self._desc = (done, max(gone, self._last[1] if self._last else 0.0)), desc

    def _is_another(self, desc: bytes, done: int, gone: float) -> bool:
        """Whether this is the bar of the next epoch. One that is drawn again at the same place, with a later clock, is not."""
        last, before = self._last or (0, 0.0)
        if done != last or desc != self._desc:
            return done < last or desc != self._desc
        return not self._was_under_way and abs(gone - before) > _SAME_S

    def result(self, name: str) -> Result | None:
        """A row for each stretch that is long enough for a clock of whole seconds: the mean time of its iterations."""
        rows = [(int(row["step"]), row["clock"], row) for row in self.rows.rows]
        if not rows:
            return None
        last = rows[-1][1]
        stretch = max(2.0, min(_LONG_S, last / _STRETCHES))
        # As many iterations in each: what is drawn of a bar comes in leaps, and leaps of different lengths weigh differently.
        leaps = sorted(two - one for (one, *_), (two, *_) in zip(rows, rows[1:])) or [1]
        together = max(1.0, stretch * rows[-1][0] / last if last else 1.0, _LEAPS * leaps[len(leaps) // 2])
        notes = _NOTES
        steps, times, kept, before = list[int](), list[float | None](), list[dict[str, float]](), (0, 0.0)
        for step, clock, row in rows:
            if step - before[0] >= together and clock > before[1]:
                steps.append(step)
                times.append((clock - before[1]) / (step - before[0]))
                kept.append(row)
                before = (step, clock)
        if not steps and last >= _SHORT_S:
            # Drawn too seldom for stretches: all of it is one.
            steps, times, kept = [rows[-1][0]], [last / rows[-1][0]], [rows[-1][2]]
        elif last < _SHORT_S or not steps:
            # Too short for that: what the bar itself says at the end.
            steps, kept = [rows[-1][0]], [rows[-1][2]]
            times = [1 / self.rate if self.rate else None]
            notes = {"time_s": "of an iteration of the bar, by the rate that it says at its end, which is smoothed"}
        elif steps[-1] < rows[-1][0]:
            # What is left is too short for a time of its own; where the bar ended, it tells.
            steps.append(rows[-1][0])
            times.append(None)
            kept.append(rows[-1][2])
        # Stretches are for the clock's sake alone: a loss is that of its line, the first and the lowest among them.
        lossy = {step: (None, row) for step, _, row in rows if "loss" in row}
        known: dict[int, tuple[float | None, dict[str, float]]] = lossy | dict(zip(steps, zip(times, kept)))
        steps, kept = sorted(known), [known[step][1] for step in sorted(known)]
        times = [known[step][0] for step in steps]
        columns: dict[str, list[float | None]] = {"time_s": times}
        for column in ("loss", "learning_rate"):
            columns[column] = [row.get(column) for row in kept]
        columns = {name: values for name, values in columns.items() if any(value is not None for value in values)}
        warnings = [COARSE, _ITERATIONS, *([_JOINED] if self._before[0] else [])]
        if self.launch is not None:
            warnings.append(Warn("launch", LAUNCHED, "info", f"log line {self.launch}"))
        long = max(1, sum(time is not None for time in times) // 10)
        return result(name, TQDM.name, TQDM.title, self.rows, steps, columns, warnings, notes, warm_up_at_most=long)


def _rate(found: re.Match[bytes]) -> float | None:
    """Iterations per second, as the bar says."""
    if found["rate"] == b"?" or not float(found["rate"]):
        return None
    value = float(found["rate"])
    return value if found["unit"].endswith(b"/s") else 1 / value


class _Fold:
    anchors = (b"%|", b"it [")
    _MOST = 200

    def __init__(self) -> None:
        self.launches = Launches()
        self._bars: dict[bytes, list[_Bar]] = {}
        self._has_epochs = False

    def feed(self, number: int, line: bytes) -> bool:
        found = _BAR.search(line) or _OPEN.search(line)
        if found is None:
            return False
        desc = _STAMP.sub(b"", found["desc"])
        described = desc + b" " + found["post"]
        loss, rate = _LOSS.search(found["post"]), _RATE.search(found["post"])
        is_of_epochs = _OF_EPOCHS.fullmatch(desc) is not None
        self._has_epochs |= is_of_epochs
        trains = loss or _TRAINS.search(described) or (self._has_epochs and _WITHIN.fullmatch(desc))
        if is_of_epochs or _OTHER.search(desc) or not trains:
            return False
        figures = {"loss": float(loss[1])} if loss else {}
        if rate:
            figures["learning_rate"] = float(rate[1])
        called = _NUMBERS.sub(b"", desc).strip(b" :")
        if called not in self._bars and len(self._bars) >= self._MOST:
            return True
        runs = self._bars.setdefault(called, [_Bar()])
        launch = self.launches.between(runs[-1].rows.last_line, number) if runs[-1].rows.rows else None
        if (launch is not None or runs[-1].is_past(desc)) and len(runs) < self._MOST:
            runs.append(_Bar(launch))
        runs[-1].see(number, line, found, desc, figures)
        return True

    def results(self, name: str) -> list[Result]:
        """Of several bars the one that counted most: that of epochs around it counts less."""
        bars = [runs for bars in self._bars.values() if (runs := [bar for bar in bars if bar.rows.rows])]
        if not bars:
            return []
        most = max(bars, key=lambda runs: sum(bar.rows.rows[-1]["step"] for bar in runs))
        names = [f"{name}#{index}" for index in range(1, len(most) + 1)] if len(most) > 1 else [name]
        return [made for bar, called in zip(most, names) if (made := bar.result(called)) is not None]


class Tqdm(LineDialect):
    name = "tqdm"
    title = "a progress bar of tqdm"
    looks_for = "Epoch 1:  39%|███▉      | 4846/12331 [05:59<09:15, 13.47it/s, loss=0.0136, v_num=1]"
    anchors = _Fold.anchors
    yields_to = EVERYONE
    rank = 1

    def fold(self) -> _Fold:
        return _Fold()


TQDM = Tqdm()
