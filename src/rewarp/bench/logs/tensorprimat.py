"""TensorPrimat's old result files. Its step times are good; most of what it computes from them is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewarp.bench.logs.base import Document, Facts
from rewarp.bench.logs.json_objects import JsonObject, holding, integer, number, objects, word
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.errors import UnreadableSource
from rewarp.tables.gpus import specs_of_name

_KEYS = ("platform", "gpu_info", "training_config", "performance_metrics")
_PLATFORMS = {"nvd": "cuda", "cuda": "cuda", "nvidia": "cuda", "amd": "rocm", "rocm": "rocm"}
_VENDORS = {"cuda": "NVIDIA", "rocm": "AMD"}
_GB = 1e9


class TensorPrimat(Document):
    name = "tensorprimat"
    title = "TensorPrimat (old JSON)"
    looks_for = '"gpu_info", "training_config" and "performance_metrics" in one JSON document'

    def claims(self, head: bytes, file: Path) -> str | None:
        if all(re.search(rb'"%s"\s*:' % key.encode(), head) for key in _KEYS):
            return f"JSON with {', '.join(_KEYS)}"
        return None

    def read(self, data: bytes, file: Path) -> list[Result]:
        found = list(holding(objects(data.decode("utf-8", "replace")), _KEYS))
        if not found:
            raise UnreadableSource("TensorPrimat's fields are there, but no whole record: was it cut off?")
        provenance = {"dialect": self.name, "why": self.claims(data[: 1 << 16], file)}
        return [_result(file, record, provenance) for _, record in found]


def _part(record: JsonObject, name: str) -> JsonObject:
    part = record.get(name)
    return part if isinstance(part, dict) else {}


def _result(file: Path, record: JsonObject, provenance: dict[str, Any]) -> Result:
    facts, warnings = Facts(), list[Warn]()
    platform = _PLATFORMS.get(str(record.get("platform")).lower())
    facts.add("platform", platform, f"platform: {record.get('platform')}")
    _add_configuration(facts, record)
    extracted = _was_extracted(file, record)
    warnings += _add_device(facts, record, platform, extracted)
    return Result(
        name=file.name,
        kind="training",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=_series(record),
        reported=_reported(record, extracted),
        warnings=tuple(warnings),
        provenance={**provenance, "when": record.get("timestamp")},
    )


def _was_extracted(file: Path, record: JsonObject) -> bool:
    """Made from another program's log, on whatever machine that was; else by a callback inside the training."""
    return (
        "extraction" in str(record.get("source", ""))
        or re.search(r"(?:_|-)prim(?:us)?(?:_|-|\.)", file.name) is not None
    )


def _add_configuration(facts: Facts, record: JsonObject) -> None:
    settings, parallel = _part(record, "training_config"), _part(record, "parallelism_config")
    for key, field in (
        ("global_batch_size", "global_batch"),
        ("micro_batch_size", "micro_batch"),
        ("sequence_length", "sequence"),
    ):
        if (value := integer(settings.get(key))) is not None:
            facts.add(f"configuration.{field}", value, f"training_config: {key}")
    for key, field in (("precision", "precision"), ("model", "model"), ("model_name", "model")):
        if text := word(settings.get(key)) or word(record.get(key)):
            facts.add(f"configuration.{field}", text, key)
    degrees = [
        f"{short}{size}"
        for short, key in (("tp", "tensor"), ("pp", "pipeline"))
        if (size := integer(parallel.get(f"{key}_model_parallel_size")))
    ]
    if dp := integer(parallel.get("data_parallel_size")):
        degrees.append(f"dp{dp}")
    if degrees:
        facts.add("configuration.parallelism", " ".join(degrees), "parallelism_config")
    if count := integer(settings.get("num_gpus")):
        facts.add("device.count", count, "training_config: num_gpus")


def _add_device(facts: Facts, record: JsonObject, platform: str | None, extracted: bool) -> list[Warn]:
    """The device is believed only where the file was written by the run itself, and does not contradict itself."""
    about = _part(record, "gpu_info")
    name = word(about.get("device_name"))
    if extracted:
        why = f"made from a log, so gpu_info is of the machine that read it ({name})"
        facts.add("device.name", None, why)
        facts.add("device.memory_bytes", None, why)
        return [Warn("device-not-believed", f"{why}; say the device with --gpu")]
    doubts = list(_contradictions(about, name, platform))
    if doubts or not name:
        facts.add("device.name", None, doubts[0].what if doubts else "gpu_info names no device")
        return doubts
    facts.add("device.name", name, "gpu_info: device_name")
    if memory := number(about.get("total_memory_gb")):
        facts.add("device.memory_bytes", int(memory * _GB), "gpu_info: total_memory_gb, 10^9 bytes each")
    for key, field in (
        ("pytorch_version", "torch"),
        ("software_stack", "stack"),
        ("software_version", "stack_version"),
    ):
        if value := word(about.get(key)):
            facts.add(f"software.{field}", value, f"gpu_info: {key}")
    return []


def _contradictions(about: JsonObject, name: str | None, platform: str | None) -> Iterator[Warn]:
    specs = specs_of_name(name) if name else None
    if specs and platform and specs.vendor != _VENDORS[platform]:
        yield Warn("device-not-believed", f"{name} is no device of the platform {platform}", "error")
    cores = integer(about.get("gpu_cores"))
    if specs and specs.cores and cores and cores != specs.cores:
        what = f"gpu_info says {cores} cores, and {specs.name} has {specs.cores}: the name or the count is wrong"
        yield Warn("device-not-believed", what)


def _series(record: JsonObject) -> Series:
    listed = record.get("step_times") or record.get("raw_step_times")
    times = tuple(number(time) for time in listed) if isinstance(listed, list) else ()
    if not times:
        return Series()
    columns: dict[str, tuple[float | None, ...]] = {"time_s": times}
    for key, column in (("loss_values", "loss"), ("learning_rates", "learning_rate"), ("grad_norms", "grad_norm")):
        values = record.get(key)
        if isinstance(values, list) and len(values) == len(times):
            columns[column] = tuple(number(value) for value in values)
    return Series(tuple(range(1, len(times) + 1)), columns)


def _reported(record: JsonObject, extracted: bool) -> dict[str, Sourced]:
    """What it claims, kept apart; derive holds it against batch x sequence / step time."""
    claims, memory = _part(record, "performance_metrics"), _part(record, "memory_metrics")
    names = {
        "tokens_per_second": "tokens_per_s",
        "tokens_per_second_per_gpu": "tokens_per_s_per_device",
        "avg_step_time_seconds": "time_s",
        "total_time_seconds": "duration_s",
    }
    found = {
        ours: Sourced(value, f"performance_metrics: {theirs}")
        for theirs, ours in names.items()
        if (value := number(claims.get(theirs))) is not None
    }
    peak = number(memory.get("peak_memory_allocated_gb"))
    if peak is not None and extracted:
        found["peak_memory_gb"] = Sourced(
            peak, "memory_metrics: GB or GiB, for logs call GiB GB and some versions copy it"
        )
    elif peak is not None:
        found["memory_bytes"] = Sourced(peak * _GB, "memory_metrics: peak_memory_allocated_gb, 10^9 bytes each")
    named = word(_part(record, "gpu_info").get("device_name"))
    if named:
        found["device_name"] = Sourced(named, "gpu_info: device_name")
    return found


TENSORPRIMAT = TensorPrimat()
