"""Megatron-LM's golden values: `{"iteration-time": {"values": {"1": 8.4, "2": 0.3}}}`, and lists in older ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rewarp.bench.logs.base import Document, Facts
from rewarp.bench.logs.json_objects import JsonObject, integer, number, objects
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.errors import UnreadableSource

_COLUMNS = {
    "iteration-time": "time_s",
    "lm loss": "loss",
    "reduced_train_loss": "loss",
    "mem-max-allocated-bytes": "memory_bytes",
    "grad-norm": "grad_norm",
    "learning-rate": "learning_rate",
}
_METRIC = re.compile(rb'"(?:iteration-time|lm loss|reduced_train_loss)"\s*:\s*\{\s*"start_step"\s*:')
_AVERAGE = "iteration_timing_avg"
_PARALLEL = re.compile(r"(?<![a-z])(tp|pp|vp|cp|ep|dp)(\d+)(?![a-z0-9])")
_MACHINE = re.compile(r"dgx_?(a100|h100|h200|b200|gb200|gb300)", re.IGNORECASE)

Steps = dict[int, float | None]


class GoldenValues(Document):
    name = "megatron-golden-values"
    title = "Megatron-LM golden values"
    looks_for = '{"lm loss": {"start_step": …, "values": …}, "iteration-time": {…}}'

    def claims(self, head: bytes, file: Path) -> str | None:
        return "JSON with metrics that have start_step and values" if _METRIC.search(head) else None

    def read(self, data: bytes, file: Path) -> list[Result]:
        provenance = {"dialect": self.name, "why": self.claims(data[: 1 << 16], file)}
        found = [
            _result(file, record, provenance)
            for _, record in objects(data.decode("utf-8", "replace"))
            if any(_steps(record.get(metric)) for metric in _COLUMNS)
        ]
        if not found:
            raise UnreadableSource("golden values are there, but no metric with steps: was the file cut off?")
        return found


def _steps(metric: Any) -> Steps:
    """Values by step: named, or counted from start_step."""
    if not isinstance(metric, dict):
        return {}
    values = metric.get("values")
    if isinstance(values, dict):
        named = ((integer(step), number(value)) for step, value in values.items())
        return {step: value for step, value in named if step is not None}
    if isinstance(values, list):
        start, every = integer(metric.get("start_step")), integer(metric.get("step_interval"))
        if start is None or not every:
            return {}
        return {start + place * every: number(value) for place, value in enumerate(values)}
    return {}


def _result(file: Path, record: JsonObject, provenance: dict[str, Any]) -> Result:
    facts = facts_of_names(file)
    columns = {column: steps for metric, column in _COLUMNS.items() if (steps := _steps(record.get(metric)))}
    every = sorted({step for steps in columns.values() for step in steps})
    series = Series(tuple(every), {name: tuple(steps.get(step) for step in every) for name, steps in columns.items()})
    average = number(record.get(_AVERAGE))
    return Result(
        name=f"{file.parent.name}/{file.name}" if file.parent.name else file.name,
        kind="training",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=series,
        reported={}
        if average is None
        else {"time_s": Sourced(average, f"{_AVERAGE}: which steps are in it is not told")},
        warnings=_warnings(record),
        provenance=provenance,
    )


def facts_of_names(file: Path) -> Facts:
    """The names of file and folder are all that says what ran where."""
    facts = Facts()
    if machine := _MACHINE.search(file.name):
        facts.add("device.name", f"NVIDIA {machine[1].upper()}", f"file name {file.name}: a DGX {machine[1].upper()}")
        facts.add("platform", "cuda", f"file name {file.name}")
    if degrees := _PARALLEL.findall(file.parent.name):
        words = " ".join(f"{kind}{size}" for kind, size in degrees)
        facts.add("configuration.parallelism", words, f"folder name {file.parent.name}")
    facts.add("software.trainer", "Megatron-LM", "golden values are its functional tests'")
    return facts


def _warnings(record: JsonObject) -> tuple[Warn, ...]:
    found = []
    times = record.get("iteration-time")
    every = integer(times.get("step_interval")) if isinstance(times, dict) else None
    if every is not None and every > 1:
        found.append(Warn("sampled-steps", f"only every {every}th step is in the file", "info"))
    losses = _steps(record.get("lm loss"))
    missing = [step for step, value in losses.items() if value is None]
    if missing:
        found.append(
            Warn("loss-missing", f"no loss for {len(missing)} steps (resumed, or NaN)", "info", f"step {missing[0]}")
        )
    return tuple(found)


GOLDEN_VALUES = GoldenValues()
