"""Kernels of C++ projects, side by side, where the names of the two back ends correspond."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.parity.backends import neutral
from rewarp.parity.kernels import Inventory, Kernel
from rewarp.parity.kernels.sharing import DONOR, TAKERS
from rewarp.parity.kernels.sources import names_backend
from rewarp.parity.model import Side, Status, Unit

ONE_LANGUAGE = {DONOR, *TAKERS}
"""Back ends whose kernels are the same text, so that what has no namesake is not there."""
_ENOUGH = 0.3
"""Of A's kernels so many must have a namesake: else the two name their kernels by different rules."""


def kernel_units(a: Inventory, b: Inventory) -> tuple[list[Unit], list[str]]:
    """One unit for each kernel of A."""
    if not a.kernels:
        return [], []
    namesakes = {_plain(name): kernel for name, kernel in b.kernels.items()}
    found = {name: b.kernels.get(name) or namesakes.get(_plain(name)) for name in a.kernels}
    if b.shared_with == a.backend:
        where = f" ({b.shared_by[0].path}:{b.shared_by[0].line})" if b.shared_by else ""
        units = [_unit(kernel, found[name], b) for name, kernel in a.kernels.items()]
        return units, [f"kernels: {b.backend} compiles the sources of {a.backend}{where}"]
    common = sum(kernel is not None for kernel in found.values())
    if not b.kernels or common < _ENOUGH * len(a.kernels):
        note = f"{common} of {len(a.kernels)} kernels of {a.backend} have a namesake in {b.backend}"
        return [], [f"kernels: not compared by name: {note}"]
    return [_unit(kernel, found[name], b) for name, kernel in a.kernels.items()], ["kernels: by name"]


def _plain(name: str) -> str:
    """`kernel_scale_f32` and `scale_f32_kernel` are `scale_f32`."""
    return re.sub(r"^kernel_|_kernel$|^k_", "", neutral(name) or name)


def _unit(kernel: Kernel, other: Kernel | None, b: Inventory) -> Unit:
    condition = f", where {kernel.condition}" if kernel.condition else ""
    side = Side(Status.IMPLEMENTED, f"defined ({kernel.how.value}){condition}", (kernel.place,))
    if other is not None:
        status, why = Status.IMPLEMENTED, f"defined ({other.how.value})"
        if other.condition and other.condition != kernel.condition:
            why += f", where {other.condition}"
        return Unit("kernel", kernel.path, kernel.name, side, Side(status, why, (other.place,)))
    if why := b.why_unknown(kernel):
        places = [b.untold.get(kernel.path.rpartition("/")[0]), b.elsewhere.get(kernel.name)]
        side_b = Side(Status.UNKNOWN, why, tuple(place for place in places if place)[:1])
        return Unit("kernel", kernel.path, kernel.name, side, side_b)
    if names_backend(kernel.condition, b.backend):
        why = f"its condition names {b.backend}, and no build was found that compiles it for {b.backend}"
        return Unit("kernel", kernel.path, kernel.name, side, Side(Status.UNKNOWN, why, (kernel.place,)))
    if b.backend not in ONE_LANGUAGE:
        why = f"{b.backend} has none of this name, in a language of its own: it may go by another"
        return Unit("kernel", kernel.path, kernel.name, side, Side(Status.UNKNOWN, why))
    return Unit("kernel", kernel.path, kernel.name, side, Side(Status.MISSING, f"no source of {b.backend} defines it"))


def inventories(files: Mapping[str, bytes], a: str, b: str) -> tuple[Inventory, Inventory]:
    from rewarp.parity.kernels import inventory

    return inventory(files, a), inventory(files, b)
