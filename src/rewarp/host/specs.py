"""What the tables know of a device that the device does not say itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from rewarp import tables
from rewarp.host.facts import Backend, Device, Fact
from rewarp.tables.gpus import specs_of_name

_GIB = 1 << 30
_VENDORS = {Backend.CUDA: "NVIDIA", Backend.ROCM: "AMD", Backend.GAUDI: "Intel"}
LANES_PER_CU = 64


@dataclass(frozen=True)
class AmdArch:
    """What holds for every product of one gfx architecture in amd_arch.csv."""

    gfx: str
    wave_size: int | None
    fp8: str | None


@lru_cache(maxsize=1)
def amd_archs() -> Mapping[str, AmdArch]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in tables.rows("amd_arch.csv"):
        found.setdefault(row["gfx_target"], []).append(row)
    return {
        gfx: AmdArch(gfx, int(_common(rows, "warp_size_torch_default") or 0) or None, _common(rows, "fp8_format"))
        for gfx, rows in found.items()
    }


def _common(rows: list[dict[str, str]], column: str) -> str | None:
    values = {row[column] for row in rows}
    return values.pop() if len(values) == 1 else None


@lru_cache(maxsize=1)
def sm_cores() -> Mapping[str, tuple[int, int]]:
    """CUDA cores per SM and warp size, by ``sm_90``."""
    return {row["sm"]: (int(row["fp32_cores_per_sm"]), int(row["warp_size"])) for row in tables.rows("nvidia_arch.csv")}


@lru_cache(maxsize=1)
def _sm_counts() -> Mapping[tuple[str, str], int]:
    """SM counts by (architecture, product) for the products nvidia_arch.csv counts."""
    counts: dict[tuple[str, str], set[int]] = {}
    for row in tables.rows("nvidia_arch.csv"):
        for products, count in re.findall(r"([\w /]+?) \((\d+)(?: SM)?\)", row["products_sm_counts"]):
            for product in products.split("/"):
                counts.setdefault((row["sm"], _squeeze(product)), set()).add(int(count))
    # Two forms of one product with two counts (H100 SXM and PCIe) cannot be told apart here.
    return {key: values.pop() for key, values in counts.items() if len(values) == 1}


def _squeeze(name: str) -> str:
    """A product name without vendor words, memory size, form factor, spaces and dashes."""
    words = re.split(r"[\s-]+", name.upper())
    kept = (word for word in words if not re.fullmatch(r"NVIDIA|TESLA|GEFORCE|\d+GB|HBM\w*|PCIE|SXM\d?", word))
    return "".join(kept).removeprefix("RTX")


def enrich(device: Device) -> Device:
    """The device, with what the tables add to what it said itself."""
    if device.backend is Backend.CUDA:
        return _enrich_nvidia(_recognise(device))
    if device.backend is Backend.ROCM:
        return _enrich_amd(_recognise(_named_by_shape(device)))
    if device.backend is Backend.GAUDI:
        return _recognise(device)
    return device


def _recognise(device: Device) -> Device:
    """Find the spec row by name. A device with another unit count is a part of that product, not the product."""
    named = device.name or device.product
    specs = specs_of_name(named.value, _VENDORS[device.backend]) if named else None
    if specs is None:
        return device
    units = device.compute_units
    if units and specs.compute_units and units.value != specs.compute_units:
        note = f"{units.value} units where {specs.name} has {specs.compute_units}: a partition of it, or another model"
        return replace(device, product=None, note=device.note or note)
    source = f"gpu_specs.csv: {specs.name}"
    return replace(
        device,
        product=Fact(specs.name, source),
        arch=device.arch or Fact(specs.arch, source),
        compute_units=units or (Fact(specs.compute_units, source) if specs.compute_units else None),
        cores=device.cores or (Fact(specs.cores, source) if specs.cores else None),
        note=device.note or (specs.note if "GCD" in specs.name else ""),
    )


def _enrich_nvidia(device: Device) -> Device:
    if device.arch is None or device.arch.value not in sm_cores():
        return device
    per_sm, warp = sm_cores()[device.arch.value]
    units = device.compute_units
    if units is None and device.name:
        counted = _sm_counts().get((device.arch.value, _squeeze(device.name.value)))
        units = Fact(counted, "nvidia_arch.csv") if counted else None
    cores = device.cores
    if cores is None and units is not None:
        cores = Fact(units.value * per_sm, f"{units.value} SMs x {per_sm} (nvidia_arch.csv)")
    wave = device.wave_size or Fact(warp, "nvidia_arch.csv")
    return replace(device, compute_units=units, cores=cores, wave_size=wave)


def _enrich_amd(device: Device) -> Device:
    arch = amd_archs().get(device.arch.value) if device.arch else None
    units, cores, wave, fp8 = device.compute_units, device.cores, device.wave_size, device.fp8
    if cores is None and units is not None:
        cores = Fact(units.value * LANES_PER_CU, f"{units.value} CUs x {LANES_PER_CU}")
    if arch and wave is None and arch.wave_size:
        wave = Fact(arch.wave_size, f"amd_arch.csv: {arch.gfx}")
    if arch and fp8 is None and arch.fp8:
        fp8 = Fact(arch.fp8, f"amd_arch.csv: {arch.gfx}")
    return replace(device, cores=cores, wave_size=wave, fp8=fp8)


def _named_by_shape(device: Device) -> Device:
    """A device that gives no name may still be the only product with its gfx, CU count and memory."""
    if device.name or not (device.arch and device.compute_units and device.memory_bytes):
        return device
    products = [
        row["product"]
        for row in tables.rows("amd_arch.csv")
        if row["gfx_target"] == device.arch.value
        and device.compute_units.value in _unit_counts(row)
        and _same_memory(row, device.memory_bytes.value)
    ]
    if len(products) != 1:
        return device
    shape = f"{device.arch.value}, {device.compute_units.value} CUs, {device.memory_bytes.value / _GIB:.0f} GiB"
    return replace(device, product=Fact(products[0], f"amd_arch.csv: the only product with {shape}"))


def _unit_counts(row: dict[str, str]) -> set[int]:
    per_die = re.search(r"\((\d+)/GCD\)", row["compute_units_detail"])
    return {int(per_die[1])} if per_die else {int(row["compute_units"])}


def _same_memory(row: dict[str, str], size: int) -> bool:
    if not row["vram_gib"].isdigit():
        return False
    dies = 2 if "/GCD" in row["compute_units_detail"] else 1
    return abs(size / _GIB - int(row["vram_gib"]) / dies) <= 0.04 * int(row["vram_gib"]) / dies
