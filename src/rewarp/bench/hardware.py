"""What the spec tables add to a result: the dense peak for its precision, the bandwidth; and what no step can beat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rewarp.bench.result import Result, Sourced, unknown
from rewarp.tables.gpus import Specs, specs_of_name

LARGEST = 1e300
"""A whole number may have any number of digits; what is larger than this is none that was measured."""
_PRECISIONS = {
    "bf16": r"b(f|float)16|bfloat16",
    "fp16": r"(fp|float|f)16|half",
    "tf32": r"tf32",
    "fp32": r"(fp|float|f)32|single",
    "fp8": r"(fp|float|f)8(\W|_|$|e)",
}


def precision_of(text: object) -> str | None:
    """`bf16`, `fp16`, `tf32`, `fp32`, `fp8` out of `torch.bfloat16`, `bf16-mixed`, `FP8 hybrid`; None where unsure.

    The products of a step run in the narrowest type that is named.
    """
    named = [
        name for name, pattern in _PRECISIONS.items() if re.search(rf"(?<![a-z0-9])({pattern})", str(text).lower())
    ]
    for narrow in ("fp8", "bf16", "fp16", "tf32", "fp32"):
        if narrow in named:
            return narrow
    return None


def specs_of(result: Result) -> Specs | None:
    """The row of the spec table for the device that the result names."""
    name = field(result.device, "name").value
    return specs_of_name(name) or _row_of(name) if isinstance(name, str) else None


def _row_of(name: str) -> Specs | None:
    """A person may give the row itself: `--gpu MI300X`, `--gpu "H100 SXM"`."""
    from rewarp.tables.gpus import all_specs

    wanted = name.strip().casefold()
    return next((row for key, row in all_specs().items() if key.casefold() == wanted), None)


def field(section: Mapping[str, Sourced], name: str) -> Sourced:
    return section.get(name) or unknown("nothing says it")


def number(section: Mapping[str, Sourced], name: str) -> float | None:
    """A field that is a number above zero; None else."""
    value = field(section, name).value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < LARGEST:
        return None
    return float(value)


def with_specs(result: Result) -> Result:
    """The result, with peak rate and bandwidth of its device from the tables where it does not say them itself."""
    specs = specs_of(result)
    device = dict(result.device)
    found = {
        "arch": Sourced(specs.arch, f"spec table: {specs.name}") if specs else None,
        "peak_tflops": _peak(result, specs),
        "bandwidth_bytes_per_s": _bandwidth(specs),
    }
    for name, fact in found.items():
        if fact is not None and not field(device, name).known:
            device[name] = fact
    return replace(result, device=device)


def _peak(result: Result, specs: Specs | None) -> Sourced:
    if specs is None:
        name = field(result.device, "name")
        return unknown(f"no row of the spec table is surely {name.value}" if name.known else "the device is not known")
    precision = precision_of(field(result.configuration, "precision").value)
    if precision is None:
        return unknown("the precision is not known, and the peak depends on it")
    peak = getattr(specs, f"{precision}_tflops")
    if peak is None:
        return unknown(f"the spec table has no {precision} rate of {specs.name}")
    return Sourced(peak, f"spec table: {specs.name}, {precision}, dense")


def _bandwidth(specs: Specs | None) -> Sourced | None:
    if specs is None or specs.bandwidth_gb_s is None:
        return None
    return Sourced(specs.bandwidth_gb_s * 1e9, f"spec table: {specs.name}")


def highest_possible_tflops(result: Result) -> float | None:
    """No step of any precision is faster than this; None where the device is not known. What was measured is no such bound."""
    specs = specs_of(result)
    if specs is None:
        return None
    rates = (specs.fp8_tflops, specs.bf16_tflops, specs.fp16_tflops, specs.tf32_tflops, specs.fp32_tflops)
    precision = precision_of(field(result.configuration, "precision").value)
    own = getattr(specs, f"{precision}_tflops") if precision else None
    return own or max((rate for rate in rates if rate is not None), default=None)
