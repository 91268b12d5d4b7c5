"""MLPerf Training logs: `:::MLLOG {"time_ms": …, "key": "run_start", …}`, from any rank, among any other lines.

In version 0.6 it was `:::MLL 1560873514.7 run_start: {"value": null, …}`, with the time in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rewarp.bench.logs.base import Facts, Fold, LineDialect
from rewarp.bench.logs.json_objects import JsonObject, integer, number, word
from rewarp.bench.logs.mlperf_power import power_log
from rewarp.bench.logs.mlperf_submission import submissions
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.lang import parsers

_TOKEN = b":::MLLOG "
_OLD_TOKEN = b":::MLL "
_KEY = re.compile(rb'"key":\s*"(\w+)"')
_OLD = re.compile(rb":::MLL (\d+(?:\.\d+)?) (\w+): (\{.*)")
_FACTS = {
    "submission_benchmark": "configuration.model",
    "global_batch_size": "configuration.global_batch",
    "local_batch_size": "configuration.micro_batch",
    "max_sequence_length": "configuration.sequence",
    "opt_name": "configuration.optimizer",
    "gradient_accumulation_steps": "configuration.gradient_accumulation",
    "opt_base_learning_rate": "configuration.base_learning_rate",
    "submission_org": "configuration.submitter",
    "submission_division": "configuration.division",
    "submission_platform": "configuration.system",
    "seed": "configuration.seed",
}
_COLUMNS = {
    "train_step_time": "time_s",
    "reduced_train_loss": "loss",
    "train_loss": "loss",
    "loss": "loss",
    "throughput": "throughput",
    "lr": "learning_rate",
}
_STEP_NAMES = ("samples_count", "step", "step_num", "iteration")
_EVALUATIONS = ("eval_accuracy", "eval_error", "eval_loss")
_POWER = "power_reading"
_TIMED = ("run_start", "run_stop", "tracked_stats", "train_loss", _POWER, *_EVALUATIONS)
_READ = frozenset(key.encode() for key in (*_FACTS, *_TIMED))


@dataclass
class Run:
    """One run: from its first line to the next run's."""

    first_line: int
    facts: Facts = field(default_factory=Facts)
    start_ms: float | None = None
    stop_ms: float | None = None
    stop_line: int | None = None
    status: str | None = None
    samples: float | None = None
    evaluations: list[tuple[str, float]] = field(default_factory=list)
    rows: dict[int, dict[str, float]] = field(default_factory=dict)
    last_step: int = 0
    power: list[tuple[float, float]] = field(default_factory=list)
    """Of a node: when, in milliseconds, and watts."""
    broken: int = 0

    @property
    def is_power_log(self) -> bool:
        """Readings of a meter, which lie beside the log of the run."""
        return bool(self.power) and self.start_ms is None and not self.facts.found and not self.rows

    @property
    def time_s(self) -> float | None:
        if self.start_ms is None or self.stop_ms is None:
            return None
        return (self.stop_ms - self.start_ms) / 1000


class MlPerf(LineDialect):
    name = "mlperf"
    title = "MLPerf Training"
    looks_for = ':::MLLOG {"namespace": "", "time_ms": …, "key": "run_start", …}'
    anchors = (_TOKEN, _OLD_TOKEN)

    def fold(self) -> Fold:
        return _Runs()

    def join(self, results: list[Result]) -> list[Result]:
        return submissions(results)


class _Runs:
    anchors = MlPerf.anchors

    def __init__(self) -> None:
        self._runs: list[Run] = []

    def feed(self, number_: int, line: bytes) -> bool:
        if not self._runs:
            self._runs.append(Run(number_))
        try:
            event = _event_in(line)
        except (ValueError, RecursionError):
            self._runs[-1].broken += 1
            return True
        if isinstance(event, dict):
            self._event(number_, event)
        return True

    def _event(self, line: int, event: JsonObject) -> None:
        key, value, about = event.get("key"), event.get("value"), event.get("metadata")
        metadata = about if isinstance(about, dict) else {}
        run = self._runs[-1]
        if key == "run_start":
            if run.stop_ms is not None:
                run = Run(line)
                self._runs.append(run)
            run.start_ms = number(event.get("time_ms"))
        elif key == "run_stop":
            _stop(run, line, event, metadata)
        elif key == _POWER:
            when, watts = number(event.get("time_ms")), number(value)
            if when is not None and watts is not None:
                run.power.append((when, watts))
        elif key in _FACTS:
            if value not in (None, ""):
                run.facts.add(_FACTS[key], value, f"log line {line}: {key}")
        else:
            _measure(run, str(key), value, metadata)

    def results(self, name: str) -> list[Result]:
        several = len(self._runs) > 1
        return [_result(run, f"{name}#{n}" if several else name) for n, run in enumerate(self._runs, 1)]


def _event_in(line: bytes) -> Any:
    """What the line says; None where it is nothing that is read. ValueError where it is not whole."""
    old = _OLD.search(line) if _TOKEN not in line else None
    key = old[2] if old else _new_key(line)
    # Some models log a line for every weight they make: those are not taken apart.
    if key not in _READ:
        return None
    if not old:
        return parsers.from_json(line[line.rindex(_TOKEN) + len(_TOKEN) :].decode("utf-8", "replace"))
    event = parsers.from_json(old[3].decode("utf-8", "replace"))
    return {**event, "time_ms": float(old[1]) * 1000, "key": old[2].decode()} if isinstance(event, dict) else None


def _new_key(line: bytes) -> bytes | None:
    found = _KEY.search(line)
    return found[1] if found else None


def _stop(run: Run, line: int, event: JsonObject, metadata: JsonObject) -> None:
    # Other ranks may say it again.
    if run.stop_ms is not None:
        return
    run.stop_ms, run.stop_line = number(event.get("time_ms")), line
    run.status = word(metadata.get("status"))
    run.samples = number(metadata.get("samples_count"))


def _measure(run: Run, key: str, value: Any, metadata: JsonObject) -> None:
    if key in _EVALUATIONS:
        quality = number(value)
        if quality is not None:
            run.evaluations.append((str(metadata.get("metric") or key), quality))
        return
    stats = value if isinstance(value, dict) else {key: value}
    found = {
        _COLUMNS[name]: figure for name in _COLUMNS if name in stats and (figure := number(stats[name])) is not None
    }
    if not found:
        return
    steps = (integer(metadata[name]) for name in _STEP_NAMES if name in metadata)
    step = next((at for at in steps if at is not None), run.last_step + 1)
    run.last_step = max(run.last_step, step)
    # Other ranks may say it again: the first counts.
    run.rows[step] = {**found, **run.rows.get(step, {})}


def _result(run: Run, name: str) -> Result:
    if run.is_power_log:
        return power_log(run.power, name, run.first_line)
    facts = run.facts
    facts.add("device.name", None, "the log names no device; a system description beside a submission does")
    where = f"log line {run.stop_line}" if run.stop_line else f"log line {run.first_line}"
    reported = {
        "run_time_s": Sourced(run.time_s, f"{where}: run_stop - run_start"),
        "status": Sourced(run.status, f"{where}: run_stop"),
        "samples_to_train": Sourced(run.samples, f"{where}: run_stop"),
    }
    for metric, quality in dict(run.evaluations).items():
        reported[f"last_{metric.lower()}"] = Sourced(quality, "the last evaluation")
    return Result(
        name=name,
        kind="mlperf",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=_series(run),
        reported={key: value for key, value in reported.items() if value.known},
        warnings=tuple(_warnings(run, where)),
        provenance={"dialect": MlPerf.name, "why": f"lines :::MLLOG, the first on line {run.first_line}"},
    )


def _series(run: Run) -> Series:
    steps = sorted(run.rows)
    names = sorted({column for row in run.rows.values() for column in row})
    return Series(tuple(steps), {name: tuple(run.rows[step].get(name) for step in steps) for name in names})


def _warnings(run: Run, where: str) -> Iterator[Warn]:
    if run.start_ms is None:
        yield Warn(
            "unfinished-run", "no run_start: the run never began, or the log does not begin with it", "error", where
        )
    elif run.stop_ms is None:
        yield Warn(
            "unfinished-run", "no run_stop: the run did not finish, and counts as one that failed", "error", where
        )
    elif run.status != "success":
        what = f"run_stop says {run.status or 'nothing'}: the target was not reached, and the run counts as failed"
        yield Warn("unfinished-run", what, "error", where)
    if run.time_s is not None and run.time_s <= 0:
        yield Warn("run-clock-backwards", f"run_stop is {-run.time_s:g} s before run_start", "error", where)
    if run.broken:
        yield Warn("broken-lines", f"{run.broken} lines :::MLLOG are not whole", "warning", where)


MLPERF = MlPerf()
