"""What each AMD GPU offers a kernel, and how many waves of it fit. The figures and the way they are put together are
LLVM's (AMDGPUBaseInfo.cpp, AMDGPUSubtarget.cpp): what clang prints as occupancy comes out the same here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rewarp.tables import rows
from rewarp.toolchain.metadata import KernelResources


@dataclass(frozen=True)
class Limits:
    """One architecture. From gfx10 on the figures are those of a WGP, two CUs together, which clang compiles for."""

    arch: str
    wave_size: int
    vgprs: int
    """A lane's share of one SIMD's registers; on gfx90a and later accumulation registers come out of the same ones."""
    vgpr_granule: int
    sgpr_limits: tuple[tuple[int, int], ...]
    """(scalar registers, waves): up to so many registers so many waves fit; empty where they do not matter."""
    waves_per_simd: int
    simds: int
    lds_bytes: int
    lds_per_block: int
    barriers: int
    max_block: int
    source: str


@dataclass(frozen=True)
class Occupancy:
    """Waves per SIMD, out of how many, and what keeps it from being more."""

    waves: int
    most: int
    limiter: str
    """``VGPRs``, ``SGPRs``, ``LDS``, ``block size``; empty where all wave slots fill."""

    @property
    def share(self) -> float:
        return self.waves / self.most


@lru_cache(maxsize=1)
def all_limits() -> Mapping[str, Limits]:
    return {row["arch"]: _limits(row) for row in rows("amd_limits.csv")}


def limits_of(arch: str) -> Limits | None:
    """None for an architecture that the table does not have. Features (``gfx90a:xnack+``) make no difference."""
    return all_limits().get(arch.partition(":")[0])


def _limits(row: Mapping[str, str]) -> Limits:
    steps = (step.partition(":") for step in row["sgpr_limits"].split())
    numbers = {name: int(row[name]) for name in row if name not in ("arch", "sgpr_limits", "source")}
    return Limits(
        arch=row["arch"], sgpr_limits=tuple((int(a), int(b)) for a, _, b in steps), source=row["source"], **numbers
    )


def occupancy(kernel: KernelResources, limits: Limits, block: int | None = None, dynamic_lds: int = 0) -> Occupancy:
    """How full a SIMD can get with blocks of one size; without a size, of the best that the kernel allows."""
    wave = kernel.wave_size or limits.wave_size
    # A wave of 64 on a GPU of 32 takes two lanes' worth of every register.
    lanes = wave // limits.wave_size
    sizes = [block] if block else range(wave, max(wave, kernel.max_workgroup) + wave, wave)
    lds = kernel.lds_bytes + dynamic_lds
    room = max(_waves_with_lds(-(-size // wave), lds, limits) for size in sizes)
    found = {
        "block size": max(_waves_with_lds(-(-size // wave), 0, limits) for size in sizes),
        "LDS": room,
        "VGPRs": _waves_with_vgprs(kernel.vgprs, limits, lanes),
        "SGPRs": _waves_with_sgprs(kernel.sgprs, limits),
    }
    waves = min(found.values())
    if waves == limits.waves_per_simd:
        return Occupancy(waves, limits.waves_per_simd, "")
    limiter = next(name for name, count in found.items() if count == waves)
    return Occupancy(waves, limits.waves_per_simd, limiter)


def _waves_with_lds(waves_in_block: int, lds: int, limits: Limits) -> int:
    """Waves per SIMD when blocks of so many waves, each with so much LDS, fill a compute unit."""
    slots = limits.waves_per_simd * limits.simds
    blocks = slots // waves_in_block
    if waves_in_block > 1:  # a single wave needs no barrier
        blocks = min(blocks, limits.barriers)
    if lds:
        blocks = min(blocks, limits.lds_bytes // lds)
    spread = -(-blocks * waves_in_block // limits.simds)
    return min(max(spread, 1), limits.waves_per_simd)


def _waves_with_vgprs(vgprs: int, limits: Limits, lanes: int) -> int:
    granule, total = limits.vgpr_granule // lanes, limits.vgprs // lanes
    if vgprs < granule:
        return limits.waves_per_simd
    taken = -(-vgprs // granule) * granule
    return min(max(total // taken, 1), limits.waves_per_simd)


def _waves_with_sgprs(sgprs: int, limits: Limits) -> int:
    if not limits.sgpr_limits:
        return limits.waves_per_simd
    fitting = (waves for most, waves in limits.sgpr_limits if sgprs <= most)
    return min(next(fitting, limits.sgpr_limits[-1][1]), limits.waves_per_simd)
