"""Megatron-LM's golden values of inference: requests by number, each with its text and latency, and the throughput."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

from rewarp.bench.logs.base import Document
from rewarp.bench.logs.golden_values import facts_of_names
from rewarp.bench.logs.json_objects import JsonObject, number, objects
from rewarp.bench.result import Result, Series, Sourced
from rewarp.errors import UnreadableSource

_FIRST_REQUEST = re.compile(rb'\s*\{\s*"\d+"\s*:\s*\{')
_LATENCIES = {"latency": "e2e", "ttft": "ttft", "tpot": "tpot"}


class GoldenInference(Document):
    name = "megatron-golden-inference"
    title = "Megatron-LM golden values of inference"
    looks_for = '{"0": {"input_prompt": …, "generated_tokens": …, "latency": …}, "throughput": […]}'

    def claims(self, head: bytes, file: Path) -> str | None:
        if _FIRST_REQUEST.match(head) and b'"generated_t' in head:
            return "JSON of numbered requests with what they generated"
        return None

    def read(self, data: bytes, file: Path) -> list[Result]:
        provenance = {"dialect": self.name, "why": self.claims(data[: 1 << 16], file)}
        for _, record in objects(data.decode("utf-8", "replace")):
            rates, reported = _rates(record), _reported(record)
            if rates or reported:
                return [_result(file, rates, reported, provenance)]
        raise UnreadableSource("the file holds what was generated, and neither a latency nor a throughput")


def _requests(record: JsonObject) -> list[JsonObject]:
    return [value for key, value in record.items() if key.isdigit() and isinstance(value, dict)]


def _rates(record: JsonObject) -> tuple[float | None, ...]:
    """Tokens per second of every repetition, the first with the warm-up in it."""
    listed = record.get("throughput")
    return tuple(number(rate) for rate in (listed if isinstance(listed, list) else [listed] if listed else []))


def _reported(record: JsonObject) -> dict[str, Sourced]:
    found = {}
    for key, ours in _LATENCIES.items():
        values = [_mean(request.get(key)) for request in _requests(record)]
        known = [value for value in values if value is not None]
        if known:
            source = f"computed: median of {key} of {len(known)} requests"
            found[f"median_{ours}_s"] = Sourced(statistics.median(known), source)
    memory = number(record.get("mem-max-allocated-bytes"))
    if memory is not None:
        found["memory_bytes"] = Sourced(memory, "mem-max-allocated-bytes")
    return found


def _mean(value: object) -> float | None:
    """A latency; of some requests there is one for every token."""
    if isinstance(value, list):
        known = [one for item in value if (one := number(item)) is not None]
        return statistics.fmean(known) if known else None
    return number(value)


def _result(
    file: Path, rates: tuple[float | None, ...], reported: dict[str, Sourced], provenance: dict[str, str | None]
) -> Result:
    facts = facts_of_names(file)
    return Result(
        name=f"{file.parent.name}/{file.name}" if file.parent.name else file.name,
        kind="inference",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=Series(tuple(range(1, len(rates) + 1)), {"tokens_per_s": rates}) if rates else Series(),
        reported=reported,
        provenance=provenance,
    )


GOLDEN_INFERENCE = GoldenInference()
