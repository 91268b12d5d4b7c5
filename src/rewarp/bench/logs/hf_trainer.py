"""Hugging Face's Trainer: dictionaries without a step, and a progress bar that has one."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rewarp import __version__
from rewarp.bench.logs.base import Facts, LineDialect
from rewarp.bench.logs.clock import COARSE, coarse_times
from rewarp.bench.logs.facts import Fact, fact
from rewarp.bench.logs.steps import GIB, MIB
from rewarp.bench.result import Result, Series, Sourced, Warn

_DICTIONARY = re.compile(rb"\{'(?:loss|train_runtime|grad_norm)': .*\}")
_BAR = re.compile(rb"(?P<step>\d{1,15})/(?P<of>\d{1,15}) \[(?P<gone>[\d:]{1,12})<[\d:?]+, *[\d.?]+(?:it/s|s/it)")
_COLUMNS = {
    "loss": ("loss", 1.0),
    "learning_rate": ("learning_rate", 1.0),
    "grad_norm": ("grad_norm", 1.0),
    "memory(GiB)": ("memory_bytes", GIB),
    "step_peak_memory_allocated_MB": ("memory_bytes", MIB),
}
"""Column and unit by what the Trainer, or one of its descendants, calls it."""
_SUMMARY = {
    "train_runtime": "runtime_s",
    "train_samples_per_second": "samples_per_s",
    "train_steps_per_second": "steps_per_s",
    "train_tokens_per_second": "tokens_per_s",
    "train_loss": "train_loss",
}
_FACTS = (
    fact("configuration.global_batch", b"Total train batch size", rb"Total train batch size .* = ([\d,]+)"),
    fact("configuration.micro_batch", b"batch size per device", rb"Instantaneous batch size per device = ([\d,]+)"),
    fact("configuration.steps", b"Total optimization steps", rb"Total optimization steps = ([\d,]+)"),
    fact("configuration.trainable", b"trainable parameters", rb"Number of trainable parameters = ([\d,]+)"),
)


_ANCHORS = (b"it/s", b"s/it", b"'loss': ", b"'train_runtime': ", *(known.anchor for known in _FACTS))
_MOST_BARS = 1000
_LARGEST_STEP = 1 << 53
_ROUNDED = 1e-3
"""What `train_steps_per_second` is rounded to."""
_COARSEST = 0.01
"""The error of a rate that is still worth a time of steps."""


_LONG_BAR = 1000
_NEAR = 0.05
"""Of the steps between two lines: so far from its step a bar may have been drawn last."""
_UNNUMBERED = Warn("steps-unnumbered", "the log gives no step numbers; lines are counted", "info")
_LATE = Warn(
    "steps-unnumbered",
    "the lines do not stand beside the bar at even steps, as the Trainer logs: they may have come late; they are counted instead",
    "info",
)


def _is_even(steps: Sequence[int]) -> bool:
    """Whether steps of a bar are those at which the Trainer logs: every so many, and perhaps the first."""
    later = steps[1:] if steps[0] == 1 else steps
    if len(later) < 2:
        return False
    gaps = sorted(two - one for one, two in pairwise(later))
    every = gaps[len(gaps) // 2]
    return every > 0 and all(abs(step - round(step / every) * every) <= max(2, _NEAR * every) for step in later)


def _number(value: Any) -> float | None:
    """Version 5 prints numbers as strings."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _seconds(clock: bytes) -> int:
    total = 0
    for part in clock.split(b":"):
        total = total * 60 + int(part or 0)
    return total


class _Bars:
    """The last state of each progress bar, by its total. They are many, and only those before a figure are read."""

    def __init__(self) -> None:
        self._latest: dict[bytes, bytes] = {}
        self._total = b""

    def see(self, line: bytes) -> None:
        state = line[line.rindex(b"%|") + 2 :].partition(b"|")[2]
        self._total = state.partition(b" [")[0].rpartition(b"/")[2]
        if len(self._latest) < _MOST_BARS or self._total in self._latest:
            self._latest[self._total] = state

    def read(self, total: int | None) -> tuple[int, int, int] | None:
        """Step, total and seconds of the bar with this total, or of the last one."""
        state = self._latest.get(self._total if total is None else str(total).encode(), b"")
        bar = _BAR.search(state)
        return (int(bar["step"]), int(bar["of"]), _seconds(bar["gone"])) if bar else None


class HfFold:
    anchors = _ANCHORS

    def __init__(self) -> None:
        self._runs = [_Run()]
        self._bars = _Bars()

    def feed(self, number: int, line: bytes) -> bool:
        run = self._runs[-1]
        if b"%|" in line:
            self._bars.see(line)
        for known in _FACTS:
            if known.anchor in line and (value := known.find(line)) is not None:
                run = self._of_facts(known, value, number)
        # To the last brace and no further: from there every beginning of a dictionary would be read to the end in vain.
        found = _DICTIONARY.search(line, 0, line.rfind(b"}") + 1) if b"{'" in line else None
        values = _literal(found[0]) if found else None
        if values is None:
            # A progress bar may be anyone's: it claims nothing.
            return False
        if run.summary and "train_runtime" in values:
            # `TrainOutput(… metrics={…})` says the same once more.
            return True
        if run.summary:
            run = self._new_run()
        # Evaluation has bars of its own, with another total.
        if bar := self._bars.read(run.total if run.rows else None):
            run.total, run.bar = bar[1], (bar[0], bar[2])
        run.add(number, values)
        return True

    def _of_facts(self, known: Fact, value: Any, number: int) -> _Run:
        run = self._runs[-1] if not self._runs[-1].rows else self._new_run()
        run.facts.add(known.name, value, f"log line {number}")
        return run

    def _new_run(self) -> _Run:
        self._runs.append(_Run())
        return self._runs[-1]

    def results(self, name: str) -> list[Result]:
        runs = [run for run in self._runs if run.rows or run.summary]
        if runs and (bar := self._bars.read(None)) and runs[-1].total not in (None, bar[1]) and bar[0] >= _LONG_BAR:
            runs[-1].beside = bar[:2]
        many = len(runs) > 1
        return [run.result(f"{name}#{index}" if many else name) for index, run in enumerate(runs, 1)]


def _literal(text: bytes) -> dict[str, Any] | None:
    """The dictionary; NaN is a name there, and not a literal."""
    plain = re.sub(rb"(?<=: )-?(?:nan|inf)\b", lambda found: b"'" + found[0] + b"'", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            value = ast.literal_eval(plain.decode("utf-8", "replace"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) and {"loss", "train_runtime"} & value.keys() else None


class _Run:
    def __init__(self) -> None:
        self.facts = Facts()
        self.rows: list[tuple[int | None, float | None, dict[str, float]]] = []
        self.summary: dict[str, Sourced] = {}
        self.total: int | None = None
        self.bar: tuple[int, int] | None = None
        self.beside: tuple[int, int] | None = None
        """How far another bar came behind the last line, and of how many."""
        self._said_steps = 0
        """Lines that name their step themselves."""
        self.first_line = self.last_line = 0

    def add(self, number: int, values: dict[str, Any]) -> None:
        self.first_line, self.last_line = self.first_line or number, number
        if "train_runtime" in values:
            source = f"log line {number}"
            for name, field in _SUMMARY.items():
                value = _number(values.get(name))
                if value is not None:
                    self.summary[field] = Sourced(value, source)
            return
        row = {
            column: value * unit
            for name, (column, unit) in _COLUMNS.items()
            if (value := _number(values.get(name))) is not None
        }
        step, clock = self.bar if self.bar else (None, None)
        said = _number(values.get("step"))
        said = said if said is not None and abs(said) < _LARGEST_STEP else None
        self._said_steps += said is not None
        self.rows.append((int(said) if said is not None else step, clock if said in (None, step) else None, row))

    def _mean_time(self) -> Sourced | None:
        """Of all steps; the Trainer rounds its rate to thousandths, which is too coarse for a slow one."""
        rate, runtime = self.summary.get("steps_per_s"), self.summary.get("runtime_s")
        if rate and rate.value * _COARSEST >= _ROUNDED / 2:
            return Sourced(1 / rate.value, f"1 / train_steps_per_second, {rate.source}; all steps")
        planned = self.facts.configuration()["steps"].value if "steps" in self.facts.configuration() else self.total
        if not planned or runtime is None or not rate or abs(planned / runtime.value - rate.value) > _ROUNDED:
            return None
        return Sourced(runtime.value / planned, f"train_runtime / {planned} steps, {runtime.source}; all steps")

    def result(self, name: str) -> Result:
        about: list[Warn] = []
        numbered = bool(self.rows) and all(step is not None for step, _, _ in self.rows)
        steps = [step or 0 for step, _, _ in self.rows]
        late = numbered and self._said_steps < len(steps) and not _is_even(steps)
        if not numbered or late or any(two <= one for one, two in zip(steps, steps[1:])):
            numbered, steps = False, list(range(1, len(self.rows) + 1))
            if steps:
                about.append(_LATE if late else _UNNUMBERED)
        columns: dict[str, list[float | None]] = {
            column: [row.get(column) for _, _, row in self.rows] for column, _ in _COLUMNS.values()
        }
        columns = {column: values for column, values in columns.items() if any(v is not None for v in values)}
        if numbered and len(steps) > 1 and any(clock is not None for _, clock, _ in self.rows):
            columns["time_s"] = coarse_times(steps, [clock for _, clock, _ in self.rows])
            about.append(COARSE)
        if not self.summary:
            about.append(Warn("unfinished-run", "the log has no closing summary (train_runtime)"))
        if self.beside is not None:
            what = f"behind the last line a bar of {self.beside[1]} came to {self.beside[0]}: a training or an evaluation without lines"
            about.append(Warn("bar-without-lines", what, "info"))
        reported = dict(self.summary)
        if time := self._mean_time():
            reported["step_time_s"] = time
        return Result(
            name=name,
            kind="training",
            platform=self.facts.platform(),
            device=self.facts.device(),
            software=self.facts.software(),
            configuration=self.facts.configuration(),
            series=Series(steps, columns),
            reported=reported,
            warnings=tuple(about),
            provenance={
                "tool": f"rewarp {__version__}",
                "dialect": HF_TRAINER.name,
                "why": f"dictionaries of the Trainer in lines {self.first_line} to {self.last_line}",
                "lines": [self.first_line, self.last_line],
                "steps_planned": self.total,
            },
        )


class HfTrainer(LineDialect):
    name = "hf-trainer"
    title = "Hugging Face Trainer"
    looks_for = "{'loss': 0.5, …}, {'train_runtime': 437.85, 'train_samples_per_second': 25.132, …}"
    anchors = _ANCHORS

    def fold(self) -> HfFold:
        return HfFold()


HF_TRAINER = HfTrainer()
