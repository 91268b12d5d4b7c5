"""What follows from a log's figures together with its facts: the one step time, the one rate of all devices."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

from rewarp.bench.hardware import LARGEST
from rewarp.bench.logs.base import NOT_FOUND
from rewarp.bench.logs.tracks import Thinned
from rewarp.bench.result import Result, Series, Sourced
from rewarp.tables.gpus import all_specs, specs_of_name

_GIB = 1 << 30
_SAME_MEMORY = 0.005
_PLATFORMS = {"NVIDIA": "cuda", "AMD": "rocm", "Intel": "hpu"}

Column = Sequence[float | None]


def given(result: Result, values: Mapping[str, Sourced]) -> Result:
    """The result with what the user says (``device.name``, ``configuration.sequence`` …), which is surer than the log."""

    def section(name: str, before: Mapping[str, Sourced]) -> dict[str, Sourced]:
        mine = {key.partition(".")[2]: value for key, value in values.items() if key.partition(".")[0] == name}
        return {**before, **mine}

    return replace(
        result,
        platform=values.get("platform", result.platform),
        device=section("device", result.device),
        configuration=section("configuration", result.configuration),
    )


def complete(result: Result) -> Result:
    """With a time for every step, and the rate of all devices, where the log has what it takes to work them out."""
    result = _with_device(result)
    series = result.series
    if isinstance(series, Thinned):
        whole, _ = _filled(result, series.whole)
        thin, how = _filled(result, series)
        series = Thinned(thin.step, thin.columns, thin.thinned, whole)
    else:
        series, how = _filled(result, series)
    result = replace(result, series=series, provenance={**result.provenance, "computed_columns": how})
    return _with_work(result)


def _filled(result: Result, series: Series) -> tuple[Series, dict[str, str]]:
    columns: dict[str, Column] = dict(series.columns)
    how: dict[str, str] = {}
    devices = _positive(result.device.get("count"))
    sequence = _positive(result.configuration.get("sequence"))
    batch = _positive(result.configuration.get("global_batch"))
    known_tokens = _positive(result.configuration.get("tokens_per_step"))
    per_device = columns.get("tokens_per_s_per_device")
    if "tokens_per_s" not in columns and per_device is not None and devices:
        columns["tokens_per_s"] = [_times(rate, devices) for rate in per_device]
        how["tokens_per_s"] = "tokens/s of a device × devices"
    if "tokens" not in columns and sequence and "global_batch" in columns and _varies(columns["global_batch"]):
        columns["tokens"] = [_times(size, sequence) for size in columns["global_batch"]]
        how["tokens"] = "batch of the step × sequence length"
    if "time_s" not in columns:
        if "steps_per_s" in columns:
            columns["time_s"] = [_over(1.0, rate) for rate in columns["steps_per_s"]]
            how["time_s"] = "1 / steps per second"
        elif "samples_per_s" in columns and batch:
            columns["time_s"] = [_over(batch, rate) for rate in columns["samples_per_s"]]
            how["time_s"] = "global batch / samples per second"
        elif "tokens_per_s" in columns and batch and sequence:
            columns["time_s"] = [_over(batch * sequence, rate) for rate in columns["tokens_per_s"]]
            how["time_s"] = "global batch × sequence length / tokens per second"
    if "tokens" not in columns and not (batch and sequence) and not known_tokens:
        rates, times = columns.get("tokens_per_s"), columns.get("time_s")
        if rates is not None and times is not None:
            columns["tokens"] = [None if r is None or t is None else r * t for r, t in zip(rates, times)]
            how["tokens"] = "tokens per second × time of the step"
    return Series(series.step, columns, series.thinned), how


def _with_work(result: Result) -> Result:
    """Operations per token as the log counts them, where it gives both rates: it knows the model, 6 N does not."""
    rates, flops = (result.series.columns.get(name) for name in ("tokens_per_s_per_device", "tflops_per_device"))
    if rates is None or flops is None or "flops_per_token" in result.configuration:
        return result
    counted = [work * 1e12 / rate for rate, work in zip(rates, flops) if rate and work and isfinite(work / rate)]
    if not counted:
        return result
    source = "computed: the log's TFLOP/s / its tokens/s, per device; what counts as an operation is the log's choice"
    value = Sourced(float(f"{statistics.median(counted):.4g}"), source)
    return replace(result, configuration={**result.configuration, "flops_per_token": value})


def with_claims(result: Result) -> Result:
    """What the lines claim and nothing here can be computed from, over the steps that count. Call after ``summarise``."""
    columns, claims = result.series.columns, dict[str, Sourced]()
    first = result.summary.get("first_step")
    counted = [place for place, step in enumerate(result.series.step) if first is None or step >= first]
    which = f"{len(counted)} lines" + (", warm-up and all" if first is None else f" from step {first} on")

    def usable(name: str) -> list[float]:
        values = columns.get(name)
        found = [values[place] for place in counted] if values is not None else []
        return [value for value in found if value is not None and isfinite(value) and value > 0]

    if shares := usable("mfu_reported"):
        claims["mfu"] = Sourced(statistics.median(shares), f"median of the MFU in {which}")
    if "time_s" not in columns and (rates := usable("samples_per_s")):
        claims["samples_per_s"] = Sourced(statistics.harmonic_mean(rates), f"harmonic mean of the rates in {which}")
    if "tokens_per_s" not in columns and (rates := usable("tokens_per_s_per_device")):
        source = f"harmonic mean of the rates in {which}"
        claims["tokens_per_s_per_device"] = Sourced(statistics.harmonic_mean(rates), source)
    return replace(result, reported={**claims, **result.reported})


def _positive(value: Sourced | None) -> float | None:
    known = value.value if value is not None else None
    return float(known) if isinstance(known, (int, float)) and 0 < known < LARGEST else None


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _over(amount: float, rate: float | None) -> float | None:
    return amount / rate if rate is not None and isfinite(rate) and rate > 0 else None


def _varies(values: Column) -> bool:
    return len({value for value in values if value is not None}) > 1


def _with_device(result: Result) -> Result:
    """The card, where its memory leaves only one; the platform, by the card. Never the machine that reads the log."""
    name, memory = result.device.get("name"), _positive(result.device.get("memory_bytes"))
    if name is not None and name.known:
        return _with_platform(result, name)
    if not memory or result.platform.value != "rocm":
        return result
    cards = [
        specs.name
        for specs in all_specs().values()
        if specs.vendor == "AMD" and specs.memory_gb and abs(memory / _GIB / specs.memory_gb - 1) < _SAME_MEMORY
    ]
    size = f"{memory / _GIB:.2f} GiB, {result.device['memory_bytes'].source}"
    if len(cards) == 1:
        found = Sourced(cards[0], f"the AMD card with this memory ({size})")
    else:
        found = Sourced(None, f"{NOT_FOUND}; with this memory ({size}): {' or '.join(cards) or 'no known card'}")
    return replace(result, device={**result.device, "name": found})


def _with_platform(result: Result, name: Sourced) -> Result:
    specs = specs_of_name(str(name.value))
    platform = _PLATFORMS.get(specs.vendor) if specs and not result.platform.known else None
    if platform is None:
        return result
    return replace(result, platform=Sourced(platform, f"the device is a {name.value} ({name.source})"))
