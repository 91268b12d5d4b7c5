"""One test of llama-bench, whichever of its five formats it was printed in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewarp.bench.logs.base import Facts
from rewarp.bench.logs.json_objects import integer, number, word
from rewarp.bench.result import Result, Series, Sourced, Warn

_PLATFORMS = {
    "CUDA": "cuda",
    "ROCm": "rocm",
    "HIP": "rocm",
    "Metal": "metal",
    "MTL": "metal",
    "CPU": "cpu",
    "BLAS": "cpu",
}
_KNOBS = (
    "n_batch",
    "n_ubatch",
    "n_threads",
    "type_k",
    "type_v",
    "n_gpu_layers",
    "n_cpu_moe",
    "split_mode",
    "main_gpu",
    "no_kv_offload",
    "flash_attn",
    "devices",
    "tensor_split",
    "tensor_buft_overrides",
    "use_mmap",
    "use_direct_io",
    "load_mode",
    "embeddings",
    "no_op_offload",
    "no_host",
    "cpu_mask",
    "cpu_strict",
    "poll",
)
_MODEL = re.compile(r"(\S+) ((?=\S*\d)\S+|\?\S*) (?:\(guessed\) )?(?:mostly |all )?(\S.*)")
"""`llama 8B Q4_K - Medium`: family, size, precision."""
_ROUNDING = 0.001
_APART = 0.05
_TEST = re.compile(r"(?:pp ?(?P<prompt>\d+))?\+?(?:tg ?(?P<generated>\d+))?(?: @ d(?P<depth>\d+))?")


@dataclass(frozen=True)
class Device:
    """One device of the lines that ggml prints at its start."""

    name: str
    where: str
    arch: str | None = None
    wave_size: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Test:
    """A record under llama-bench's own field names, and what is known beside it."""

    record: Mapping[str, Any]
    where: str
    devices: Sequence[Device] = ()
    """What the preamble lists; the record itself then names none."""
    slow_build: str | None = None


def test_of_label(label: str) -> dict[str, int] | None:
    """The token counts in `pp512`, `tg 128`, `pp512+tg128 @ d4096`."""
    found = _TEST.fullmatch(label.strip())
    if not found or not (found["prompt"] or found["generated"]):
        return None
    return {
        "n_prompt": int(found["prompt"] or 0),
        "n_gen": int(found["generated"] or 0),
        "n_depth": int(found["depth"] or 0),
    }


def results(tests: Sequence[Test], name: str, provenance: Mapping[str, Any]) -> list[Result]:
    """One result for each test, told apart by whatever differs between them."""
    shown = [knob for knob in _KNOBS if len({str(test.record.get(knob)) for test in tests}) > 1]
    found = []
    for test in tests:
        result = _result(test, provenance)
        details = "".join(f" {knob}={test.record[knob]}" for knob in shown if test.record.get(knob) is not None)
        found.append(replace(result, name=f"{name}: {result.name}{details}"))
    return found


def failed(name: str, where: str, devices: Sequence[Device], provenance: Mapping[str, Any]) -> Result:
    """A table with a head and no row: the model did not load, or the first test did not end."""
    facts = Facts()
    _add_device(facts, Test({}, where, devices))
    return Result(
        name=name,
        kind="inference",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        warnings=(Warn("unfinished-run", "llama-bench began its table, and no test came to an end", "error", where),),
        provenance=provenance,
    )


def _label(prompt: int, generated: int, depth: int) -> str:
    parts = [f"pp{prompt}"] * bool(prompt) + [f"tg{generated}"] * bool(generated)
    return "+".join(parts) + f" @ d{depth}" * bool(depth)


def _result(test: Test, provenance: Mapping[str, Any]) -> Result:
    record, where = test.record, test.where
    facts = Facts()
    prompt, generated, depth = (integer(record.get(key)) or 0 for key in ("n_prompt", "n_gen", "n_depth"))
    label = _label(prompt, generated, depth)
    for key in ("model", "precision"):
        value = _of_model(record, key)
        if value:
            facts.add(f"configuration.{key}", value, where)
    if parameters := number(record.get("model_n_params")):
        facts.add("configuration.parameters", round(parameters), where)
    facts.add("configuration.sequence", prompt + generated + depth, f"{where}: {label}")
    facts.add("configuration.global_batch", 1, "llama-bench runs one sequence at a time")
    facts.add("configuration.workload", label, where)
    facts.add("configuration.tokens_per_step", prompt + generated, f"{where}: {label}")
    for knob in _KNOBS:
        if record.get(knob) not in (None, ""):
            facts.add(f"configuration.{knob}", record[knob], where)
    _add_software(facts, record, where)
    _add_device(facts, test)
    return Result(
        name=" ".join(filter(None, (_of_model(record, "model"), label))),
        kind="inference",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=_series(record, prompt + generated),
        reported=_reported(record, where),
        warnings=tuple(_warnings(test, prompt + generated)),
        provenance={**provenance, "when": record.get("test_time")},
    )


def _of_model(record: Mapping[str, Any], what: str) -> str | None:
    """Name or precision of `llama 8B Q4_K - Medium`; the whole of it is the name where it is written otherwise."""
    described = word(record.get("model_type"))
    parts = _MODEL.fullmatch(described) if described else None
    if what == "precision":
        return parts[3] if parts else None
    return f"{parts[1]} {parts[2]}" if parts else described


def _series(record: Mapping[str, Any], tokens: int) -> Series:
    samples = record.get("samples_ns")
    if not isinstance(samples, list) or not samples:
        return Series()
    times = [number(sample) for sample in samples]
    seconds = tuple(time / 1e9 if time is not None else None for time in times)
    return Series(tuple(range(1, len(seconds) + 1)), {"time_s": seconds, "tokens": (float(tokens),) * len(seconds)})


def _reported(record: Mapping[str, Any], where: str) -> dict[str, Sourced]:
    figures = {
        "tokens_per_s": (number(record.get("avg_ts")), "mean of the rates of the repetitions"),
        "tokens_per_s_sd": (number(record.get("stddev_ts")), "standard deviation"),
        "time_s": (_seconds(record.get("avg_ns")), "mean of the repetitions"),
        "time_s_sd": (_seconds(record.get("stddev_ns")), "standard deviation"),
    }
    return {name: Sourced(value, f"{where}: {what}") for name, (value, what) in figures.items() if value is not None}


def _seconds(nanoseconds: Any) -> float | None:
    value = number(nanoseconds)
    return None if value is None else value / 1e9


def _add_software(facts: Facts, record: Mapping[str, Any], where: str) -> None:
    commit, build = word(record.get("build_commit")), integer(record.get("build_number"))
    if commit:
        facts.add("software.llama.cpp", commit + (f" ({build})" if build else ""), where)
    backend = _backend(record)
    if backend:
        facts.add("software.backend", backend, where)


def _backend(record: Mapping[str, Any]) -> str | None:
    """The back ends in use. Builds of before 2025 had a flag for each instead of a list."""
    if named := word(record.get("backends")):
        return named
    flags = {"cuda": "CUDA", "rocm": "ROCm", "vulkan": "Vulkan", "metal": "Metal", "sycl": "SYCL", "kompute": "Kompute"}
    on = [name for flag, name in flags.items() if str(record.get(flag)).lower() in ("1", "true")]
    return ",".join(on) or ("CPU" if any(flag in record for flag in flags) else None)


def _add_device(facts: Facts, test: Test) -> None:
    backend = _backend(test.record) or ""
    platforms = {_PLATFORMS[part] for part in backend.split(",") if part in _PLATFORMS}
    platforms = platforms - {"cpu"} or platforms
    if len(platforms) == 1:
        facts.add("platform", platforms.pop(), f"{test.where}: back end {backend}")
    elif backend:
        facts.add("platform", None, f"the back end {backend} belongs to no one platform")
    remote = "RPC" in backend.split(",")
    names = _device_names(test, cpu=facts.platform().value == "cpu")
    if remote:
        facts.add("device.count", None, "RPC: devices of other machines took part, and are not listed")
    if not names:
        return
    name, where = names[0]
    facts.add("device.name", name if len({name for name, _ in names}) == 1 else "; ".join(n for n, _ in names), where)
    one = str(test.record.get("split_mode")) == "none"
    facts.add("device.count", 1 if one else len(names), f"{where}: split mode none" if one else where)
    if test.devices:
        first = test.devices[0]
        for field in ("arch", "wave_size", "memory_bytes"):
            if getattr(first, field) is not None:
                facts.add(f"device.{field}", getattr(first, field), first.where)


def _device_names(test: Test, cpu: bool) -> list[tuple[str, str]]:
    if test.devices:
        return [(device.name, device.where) for device in test.devices]
    key = "cpu_info" if cpu else "gpu_info"
    listed = word(test.record.get(key))
    if not listed:
        return []
    names = [listed] if cpu else [name for part in re.split(r", |/(?=\S)", listed) if (name := part.strip())]
    return [(name, f"{test.where}: {key}") for name in names]


def _warnings(test: Test, tokens: int) -> list[Warn]:
    record, where, found = test.record, test.where, list[Warn]()
    if test.slow_build:
        found.append(Warn("slow-build", f"llama-bench says of itself: {test.slow_build}, performance may be affected"))
    if not record.get("samples_ns"):
        what = "the format keeps the mean of the rates and its spread, not the repetitions: no interval can be made"
        found.append(Warn("no-repetitions", what, "info", where))
    if integer(record.get("n_gpu_layers")) == 0 and _backend(record) not in (None, "CPU", "BLAS"):
        found.append(
            Warn("not-offloaded", "no layer was put on the device: this is mostly the CPU's speed", where=where)
        )
    rate, time = number(record.get("avg_ts")), _seconds(record.get("avg_ns"))
    if rate and time and tokens:
        found += _about_rate(rate, tokens / time, where)
    return found


def _about_rate(rate: float, of_totals: float, where: str) -> list[Warn]:
    """The mean of rates is never below the rate of the mean time; above it by as much as the repetitions differ."""
    if rate < of_totals * (1 - _ROUNDING):
        what = f"{rate:.4g} tokens/s do not go with its own mean time, which makes {of_totals:.4g}"
        return [Warn("rate-disagrees", what, "error", where)]
    if rate > of_totals * (1 + _APART):
        what = f"{rate:.4g} tokens/s is a mean of rates; by the mean time it is {of_totals:.4g}"
        return [Warn("mean-of-rates", what, where=where)]
    return []
