"""The cards whose figures the runtime gives, from the tables."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import NamedTuple

from rewarp.tables import rows


class _Board(NamedTuple):
    """What the tables of chips do not hold: as ROCm's device queries report it."""

    product: str
    memory_mhz: int
    bus_width: int
    l2_kib: int


_BOARDS = {
    "gfx942": _Board("MI300X", 1300, 8192, 4096),
    "gfx1100": _Board("RX 7900 XTX", 1249, 384, 6144),
    "gfx90a": _Board("MI250X (per GCD)", 1600, 4096, 8192),
    "gfx950": _Board("MI350X", 2000, 8192, 4096),
}


@lru_cache(maxsize=1)
def cards_source() -> str:
    """A table in C; the first card is the one that is taken where none is named."""
    specs, limits = _table("gpu_specs.csv", "name"), _table("amd_limits.csv", "arch")
    lines = []
    for arch, board in _BOARDS.items():
        spec, limit = specs[board.product], limits[arch]
        maker = "AMD Radeon " if board.product.startswith("RX") else "AMD Instinct "
        name = maker + board.product.partition(" (")[0]
        figures = (
            *(int(limit["wave_size"]), int(spec["compute_units"]), round(float(spec["clock_ghz"]) * 1000)),
            *(board.memory_mhz, board.bus_width, board.l2_kib, int(spec["memory_gb"]) << 30),
            *(int(limit[key]) for key in ("vgprs", "vgpr_granule", "waves_per_simd", "simds", "lds_bytes")),
            *(int(limit["lds_per_block"]), int(limit["barriers"])),
        )
        lines.append(f"    {{{json.dumps(arch)}, {json.dumps(name)}, {', '.join(map(str, figures))}}},\n")
    return '#include "state.h"\nconst Card CARDS[] = {\n' + "".join(lines) + "    {0},\n};\n"


def _table(name: str, key: str) -> dict[str, dict[str, str]]:
    return {row[key]: row for row in rows(name)}
