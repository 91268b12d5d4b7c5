"""What the Hugging Face Trainer leaves: trainer_state.json, and train_results.json or all_results.json."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewarp.bench.logs.base import Document, Facts
from rewarp.bench.logs.json_objects import JsonObject, holding, integer, number, objects
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.errors import UnreadableSource

_STATE = ("log_history", "global_step")
_RESULTS = ("train_runtime", "train_samples_per_second")
_COLUMNS = {
    "loss": "loss",
    "learning_rate": "learning_rate",
    "grad_norm": "grad_norm",
    "step_time": "time_s",
    "tokens_per_second": "tokens_per_s",
}
_CLAIMS = {
    "train_runtime": "duration_s",
    "train_samples_per_second": "samples_per_s",
    "train_steps_per_second": "steps_per_s",
    "train_tokens_per_second": "tokens_per_s",
    "train_loss": "mean_loss",
    "total_flos": "total_flops",
}
_AGREE = 0.05
_ROUNDING = 0.0006
"""The Trainer writes its rates with three decimals."""


class HfTrainerState(Document):
    name = "hf-trainer-state"
    title = "Hugging Face Trainer (trainer_state.json, train_results.json)"
    looks_for = '"log_history" with "global_step", or "train_runtime" with "train_samples_per_second"'

    def claims(self, head: bytes, file: Path) -> str | None:
        # ms-swift writes the same fields line by line, and a speed with them.
        if not head.lstrip().startswith(b"{") or b'"global_step/max_steps": "' in head:
            return None
        for keys in (_STATE, _RESULTS):
            if all(re.search(rb'"%s"\s*:' % key.encode(), head) for key in keys):
                return f"JSON with {', '.join(keys)}"
        return None

    def read(self, data: bytes, file: Path) -> list[Result]:
        found = list(objects(data.decode("utf-8", "replace")))
        provenance = {"dialect": self.name, "why": self.claims(data[: 1 << 16], file)}
        name = f"{file.parent.name}/{file.name}" if file.parent.name else file.name
        results = [_of_state(name, record, provenance) for _, record in holding(found, _STATE)]
        if not results:
            results = [_result(name, [], record, {}, provenance) for _, record in holding(found, _RESULTS)]
        if not results:
            raise UnreadableSource("the Trainer's fields are there, but no whole document: was it cut off?")
        return results


def _of_state(name: str, state: JsonObject, provenance: dict[str, Any]) -> Result:
    history = state["log_history"] if isinstance(state["log_history"], list) else []
    entries = [entry for entry in history if isinstance(entry, dict)]
    last = next((entry for entry in reversed(entries) if "train_runtime" in entry), {})
    return _result(name, entries, last, state, provenance)


def _result(
    name: str, entries: Sequence[JsonObject], totals: JsonObject, state: JsonObject, provenance: dict[str, Any]
) -> Result:
    facts = Facts()
    facts.add("software.trainer", "Hugging Face Trainer", "the document")
    micro_batch = integer(state.get("train_batch_size"))
    if micro_batch:
        facts.add("configuration.micro_batch", micro_batch, "train_batch_size: of one device")
    reported = {
        ours: Sourced(value, theirs)
        for theirs, ours in _CLAIMS.items()
        if (value := number(totals.get(theirs))) is not None
    }
    if micro_batch and (batch := _global_batch(reported, micro_batch)):
        facts.add("configuration.global_batch", batch, "computed: samples per second / steps per second")
    return Result(
        name=name,
        kind="training",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=_series(entries),
        reported=reported,
        warnings=tuple(_warnings(entries, totals, state)),
        provenance=provenance,
    )


def _global_batch(reported: dict[str, Sourced], micro_batch: int) -> int | None:
    """Both rates are over the same time. Only a ratio that is whole up to their rounding, and made of whole batches of
    a device: epochs that end in a part of a batch make it too small."""
    samples, steps = reported.get("samples_per_s"), reported.get("steps_per_s")
    if not samples or not steps or not steps.value:
        return None
    ratio = samples.value / steps.value
    slack = ratio * _ROUNDING / steps.value
    batch = round(ratio)
    good = slack < 0.5 and abs(ratio - batch) <= slack and batch >= micro_batch and batch % micro_batch == 0
    return batch if good else None


def _series(entries: Sequence[JsonObject]) -> Series:
    """Entries of training; those of evaluation have no loss of their own, and the last sums up."""
    rows: dict[int, JsonObject] = {}
    for entry in entries:
        step = integer(entry.get("step"))
        if step is not None and "loss" in entry:
            rows[step] = entry
    steps = sorted(rows)
    columns = {
        ours: tuple(number(rows[step].get(theirs)) for step in steps)
        for theirs, ours in _COLUMNS.items()
        if any(theirs in row for row in rows.values())
    }
    return Series(tuple(steps), columns)


def _warnings(entries: Sequence[JsonObject], totals: JsonObject, state: JsonObject) -> Iterator[Warn]:
    done, planned = integer(state.get("global_step")), integer(state.get("max_steps"))
    if state and not totals:
        what = f"no train_runtime: saved at step {done} of {planned}, before the run summed itself up"
        yield Warn("unfinished-run", what, "info")
    time, rate = number(totals.get("train_runtime")), number(totals.get("train_steps_per_second"))
    # The Trainer divides the steps it planned, not those it did, by the time.
    if time and rate and done and time * rate / done > 1 + max(_AGREE, _ROUNDING / rate):
        what = f"train_steps_per_second counts {time * rate:.0f} steps, and {done} were done (stopped early?)"
        yield Warn("rate-disagrees", f"{what}: it is {done / time:.3g}", "error")
    if entries and not any("step_time" in entry for entry in entries):
        yield Warn(
            "only-totals", "the Trainer logs no time by step: only the mean over the whole run, warm-up in it", "info"
        )


HF_TRAINER_STATE = HfTrainerState()
