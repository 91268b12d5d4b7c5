"""Parity of C++, CUDA and HIP: interfaces, tables of functions, operations, registrations, twins, kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rewarp.parity.deadline import OutOfTime
from rewarp.parity.units import Analysis, Unit, out_of_time

if TYPE_CHECKING:
    from rewarp.parity.cpp.reading.program import Program
    from rewarp.parity.cpp.reading.reader import Readings

_Found = tuple[list[Unit], list[str]]


def analyse(files: Mapping[str, bytes], a: str, b: str) -> Analysis:
    from rewarp.parity.cpp.comparing.coverage import coverage, without_doubles
    from rewarp.parity.cpp.comparing.kernels import inventories, kernel_units
    from rewarp.parity.cpp.comparing.preprocessor_branches import candidates
    from rewarp.parity.cpp.reading.program import Program, is_wanted, owner_of_path
    from rewarp.parity.cpp.reading.reader import Readings
    from rewarp.parity.kernels.sources import is_asked_by_rust

    owners = {owner_of_path(path) for path in files if is_wanted(path)}
    is_chosen = bool(candidates(files, a, b))
    if a not in owners and b not in owners and not is_chosen:
        return Analysis([], [], [], [])
    kernels_a, kernels_b = inventories(files, a, b)
    both = {a, kernels_a.shared_with} & owners - {None} and {b, kernels_b.shared_with} & owners - {None}
    if not both and not is_chosen:
        return Analysis([], [], [], [])
    # A Rust crate asks for its kernels by name: its own analyser compares them.
    asked_by_rust = is_asked_by_rust(files, (a, b), kernels_a.kernels)
    units, found_by = ([], []) if asked_by_rust else kernel_units(kernels_a, kernels_b)
    found = Analysis(units, [*kernels_a.problems, *kernels_b.problems], found_by, [])
    try:
        readings = Readings()
        one = Program(files, a, kernels_a, readings)
        other = Program(files, b, kernels_b, readings)
        found.problems.extend((*one.problems, *other.problems))
        _compare(files, one, other, readings, found)
        found = found._replace(units=without_doubles(one, found.units, b))
        if found.units and not asked_by_rust:
            found.coverage.extend(coverage(one, kernels_a, found.units, other))
    except OutOfTime:
        found.problems.append(out_of_time("the C++ sources"))
    if not found.units and not any(problem.is_time for problem in found.problems):
        return Analysis([], [], [], [])
    return found._replace(problems=list(dict.fromkeys(found.problems)))


def _compare(files: Mapping[str, bytes], one: Program, other: Program, readings: Readings, found: Analysis) -> None:
    """Part after part, as far as the time goes."""
    from rewarp.parity.cpp.comparing import headers, interfaces, operations, preprocessor_branches, registrations, twins

    users = operations.calls_elsewhere(files)

    def registered() -> _Found:
        units, found_by, seen = registrations.units(one, other, files)
        found.coverage.extend(seen)
        return units, found_by

    parts: dict[str, Callable[[], _Found]] = {
        "registrations": registered,
        "functions": lambda: twins.units(one, other, users),
        "headers": lambda: headers.units(one, other, users),
        "interfaces": lambda: interfaces.virtual_units(one, other, users),
        "tables": lambda: interfaces.table_units(one, other, users),
        "functions that the preprocessor chooses": lambda: preprocessor_branches.units(
            files, one, other, readings, users
        ),
        "operations": lambda: operations.units(one, other, users),
    }
    for what, part in parts.items():
        try:
            units, found_by = part()
        except OutOfTime:
            found.problems.append(out_of_time(what))
            continue
        found.units.extend(units)
        found.found_by.extend(found_by)
