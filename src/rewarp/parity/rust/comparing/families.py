"""Kernels of A, family by family, against those of B; and kernels that host code asks for in vain."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from rewarp.parity.kernels import Inventory, Kernel
from rewarp.parity.kernels.sources import is_asked_by_rust
from rewarp.parity.names.backends import neutral
from rewarp.parity.rust.comparing.workspace import Workspace
from rewarp.parity.rust.reading.cfg import folder_backend
from rewarp.parity.rust.reading.dtypes import spellings
from rewarp.parity.units import Place, Problem, Side, Status, Unit

Families = Mapping[str, Mapping[str, Kernel]]
"""Kernels by family and data types: `affine` has `f32`, `f16` …"""
_ENOUGH_IN_COMMON = 0.5
"""The share of B's names that must be names of A for a missing name to mean a missing kernel."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".cuh")
_MORE_TYPES = ("float", "half", "bfloat", "double")


def kernel_units(workspace: Workspace) -> tuple[list[Unit], list[Problem], list[str]]:
    """One unit for each family of kernels that A has."""
    first, second = (workspace.kernels[backend] for backend in (workspace.a, workspace.b))
    if not is_asked_by_rust(workspace.index.files, (workspace.a, workspace.b), first.kernels):
        return [], [], []
    problems = [*first.problems, *second.problems]
    if not first.kernels or not second.kernels:
        return [], problems, []
    types = _type_words(workspace)
    of_a, of_b = _families(first, types), _families(second, types)
    if second.shared_with == workspace.a:
        how = f"kernels: {workspace.b} compiles the sources of {workspace.a}"
        found = [_unit(workspace, name, kernels, of_b.get(name, {}), second, True) for name, kernels in of_a.items()]
        return found, problems, [how]
    common = sum(name in of_a for name in of_b) / len(of_b)
    scored = common >= _ENOUGH_IN_COMMON
    how = f"kernels: of {len(of_b)} families of {workspace.b}, {common:.0%} have the name of one of {workspace.a}"
    how += " (by name)" if scored else ": names differ too much, so kernels are shown and not scored"
    found = [_unit(workspace, name, kernels, of_b.get(name, {}), second, scored) for name, kernels in of_a.items()]
    return found, problems, [how]


def _type_words(workspace: Workspace) -> dict[str, str]:
    """How kernels write data types, each with the type it means; the longest first, so that `bf16` is no `f16`."""
    names = workspace.index.dtypes.names(workspace.index.dtypes.every)
    found = {form: name for name in names for form in spellings(name)}
    found |= {word: word for word in _MORE_TYPES}
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _families(inventory: Inventory, types: Mapping[str, str]) -> Families:
    word = re.compile(r"(?:^|_)(" + "|".join(map(re.escape, types)) + r")(?=_|$)") if types else re.compile(r"(?!)")
    found: dict[str, dict[str, Kernel]] = defaultdict(dict)
    for name, kernel in sorted(inventory.kernels.items()):
        dtypes = [types[match] for match in word.findall(name)]
        stem = neutral(word.sub("", name).strip("_")) or name
        found[stem].setdefault(" ".join(dtypes), kernel)
    return found


def families_of(workspace: Workspace, backend: str) -> Mapping[str, str]:
    """The family of each kernel: one for each data type is one kernel."""
    found = _families(workspace.kernels[backend], _type_words(workspace))
    return {kernel.name: stem for stem, kernels in found.items() for kernel in kernels.values()}


def _unit(
    workspace: Workspace,
    name: str,
    of_a: Mapping[str, Kernel],
    of_b: Mapping[str, Kernel],
    second: Inventory,
    scored: bool,
) -> Unit:
    some = next(iter(of_a.values()))
    a = Side(Status.IMPLEMENTED, _counted(of_a), (some.place,), dict.fromkeys(filter(None, of_a), Status.IMPLEMENTED))
    row = {dtype: _cell(second, of_b.get(dtype)) for dtype in of_a if dtype}
    lacking = [dtype for dtype in of_a if dtype not in of_b]
    doubts = {dtype: doubt for dtype, kernel in of_b.items() if dtype in of_a and (doubt := second.doubt(kernel.name))}
    if not of_b:
        unknown = next(filter(None, map(second.why_unknown, of_a.values())), "") or _of_nobody(some.path, workspace.b)
        status = Status.UNKNOWN if unknown else Status.MISSING
        why = unknown or f"{workspace.b} has no kernel of this name"
        b = Side(status, why, (Place(some.path, some.line, f"{workspace.a}'s {some.name}"),), row)
    else:
        whole = Status.UNKNOWN if len(doubts) == len(of_a) else Status.PARTIAL
        status = whole if lacking or doubts else Status.IMPLEMENTED
        parts = [f"none for {', '.join(lacking[:6])}"] if lacking else []
        parts += [f"{dtype or 'it'} only where {doubt}" for dtype, doubt in list(doubts.items())[:6]]
        why = "; ".join(parts) or _counted(of_b)
        b = Side(status, why, (next(iter(of_b.values())).place,), row)
    return Unit("kernel", _file(some.path), name, a, b, scored=scored)


def _of_nobody(path: str, b: str) -> str:
    """A header that no back end owns may be what B compiles, too, when it runs: no build names such a source."""
    if path.endswith(_HEADERS) and folder_backend(path) is None:
        return f"its header is in nobody's folder, and whether {b} compiles it when it runs is not known"
    return ""


def _cell(second: Inventory, kernel: Kernel | None) -> Status:
    if kernel is None:
        return Status.MISSING
    return Status.UNKNOWN if second.doubt(kernel.name) else Status.IMPLEMENTED


def _counted(kernels: Mapping[str, Kernel]) -> str:
    return f"{len(kernels)} kernel{'s' if len(kernels) != 1 else ''}"


def _file(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
