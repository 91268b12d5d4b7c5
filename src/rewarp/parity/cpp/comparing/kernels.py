"""Kernels of C++ projects, side by side, where the names of the two back ends correspond."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.parity import deadline
from rewarp.parity.cpp.reading.program import owner_of_path
from rewarp.parity.kernels import Inventory, Kernel
from rewarp.parity.kernels.inventory import MACRO_DECIDES
from rewarp.parity.kernels.sharing import DONOR, TAKERS
from rewarp.parity.kernels.sources import names_backend
from rewarp.parity.names.backends import neutral
from rewarp.parity.units import Side, Status, Unit

ONE_LANGUAGE = {DONOR, *TAKERS}
"""Back ends whose kernels are the same text, so that what has no namesake is not there."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".cuh")
_ELSEWHERE = "what it does may be done elsewhere"
_SHARE = 0.25
"""Of the time that is left, what counting one back end's kernels may take."""
_TELLING = 6
"""Letters of a name that is not found in others by chance."""
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
    if like := _alike(kernel.name, b):
        why = f"{b.backend} has {like}, which may be the same by another name"
        return Unit("kernel", kernel.path, kernel.name, side, Side(Status.UNKNOWN, why, (b.kernels[like].place,)))
    if b.backend not in ONE_LANGUAGE:
        why = f"{b.backend} has none of this name, in a language of its own: it may go by another"
        return Unit("kernel", kernel.path, kernel.name, side, Side(Status.UNKNOWN, why))
    if kernel.path.lower().endswith(_HEADERS) and owner_of_path(kernel.path) is None:
        why = f"its header is in nobody's folder, and whether {b.backend} compiles it when it runs is not known"
        return Unit("kernel", kernel.path, kernel.name, side, Side(Status.UNKNOWN, why, (kernel.place,)))
    if b.shared_with is None and not any(_place(other.path) == _place(kernel.path) for other in b.kernels.values()):
        why = f"no file of {b.backend} with kernels corresponds to {kernel.path}: {_ELSEWHERE}"
        return Unit("kernel", kernel.path, kernel.name, side, Side(Status.UNKNOWN, why))
    return Unit("kernel", kernel.path, kernel.name, side, Side(Status.MISSING, f"no source of {b.backend} defines it"))


def may_be_elsewhere(side: Side, backend: str) -> bool:
    """Whether a kernel that B has none of may be B's by another name, or what it does be done by other means."""
    return side.status is Status.UNKNOWN and (
        backend not in ONE_LANGUAGE or side.why.endswith((_ELSEWHERE, MACRO_DECIDES))
    )


def _place(path: str) -> str:
    """The name of a file without whose it is and in which language."""
    name = path.rpartition("/")[2].split(".")[0]
    return neutral(name) or name


def _alike(name: str, b: Inventory) -> str:
    """A kernel whose name holds this one, or stands in it: `hipkernel_scale` for `kernel_scale`."""
    plain = _plain(name)
    if len(plain) < _TELLING:
        return ""
    return next((other for other in b.kernels if plain in other or (len(other) >= _TELLING and other in name)), "")


def inventories(files: Mapping[str, bytes], a: str, b: str) -> tuple[Inventory, Inventory]:
    from rewarp.parity.kernels import inventory

    found = []
    for backend in (a, b):
        left = deadline.left()
        with deadline.limited(None if left is None else _SHARE * left):
            found.append(inventory(files, backend))
    return found[0], found[1]
