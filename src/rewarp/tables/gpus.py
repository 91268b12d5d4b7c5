"""GPUs by name: gpu_specs.csv, and the names that drivers give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rewarp import tables


@dataclass(frozen=True)
class Specs:
    """One row of gpu_specs.csv: peak rates are dense, for one device. None is unknown."""

    name: str
    vendor: str
    arch: str
    compute_units: int | None
    cores: int | None
    fp32_tflops: float | None
    tf32_tflops: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    memory_gb: float | None
    bandwidth_gb_s: float | None
    tdp_w: float | None
    devices_per_package: int | None
    source: str
    confidence: str
    note: str


def _number(text: str) -> float | None:
    return float(text) if text else None


def _integer(text: str) -> int | None:
    return int(text) if text else None


@lru_cache(maxsize=1)
def all_specs() -> Mapping[str, Specs]:
    """gpu_specs.csv, by name."""
    return {
        row["name"]: Specs(
            name=row["name"],
            vendor=row["vendor"],
            arch=row["arch_id"],
            compute_units=_integer(row["compute_units"]),
            cores=_integer(row["fp32_lanes"]),
            fp32_tflops=_number(row["fp32_tflops"]),
            tf32_tflops=_number(row["tf32_tflops"]),
            fp16_tflops=_number(row["fp16_dense_tflops"]),
            bf16_tflops=_number(row["bf16_dense_tflops"]),
            fp8_tflops=_number(row["fp8_dense_tflops"]),
            memory_gb=_number(row["memory_gb"]),
            bandwidth_gb_s=_number(row["bandwidth_gb_s"]),
            tdp_w=_number(row["tdp_w"]),
            devices_per_package=_integer(row["torch_devices_per_package"]),
            source=row["source"],
            confidence=row["confidence"],
            note=row["note"],
        )
        for row in tables.rows("gpu_specs.csv")
    }


@lru_cache(maxsize=1)
def _name_patterns() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    return tuple(
        (re.compile(row["pattern"], re.IGNORECASE), row["vendor"], row["specs"])
        for row in tables.rows("device_names.csv")
    )


def specs_of_name(name: str, vendor: str | None = None) -> Specs | None:
    """The row for a device name as drivers spell it; None when no row is surely right."""
    text = name.strip().removesuffix(" OAM")
    for pattern, maker, row in _name_patterns():
        if vendor in (None, maker) and pattern.search(text):
            return all_specs()[row]
    return None
