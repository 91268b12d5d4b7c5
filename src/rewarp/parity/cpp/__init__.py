"""Parity of C++, CUDA and HIP: interfaces, tables of functions, operations, kernels."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.parity.model import Problem, Unit


def analyse(files: Mapping[str, bytes], a: str, b: str) -> tuple[list[Unit], list[Problem], list[str]]:
    """Units, problems, and how the pairs were found."""
    from rewarp.parity.cpp import interfaces, operations
    from rewarp.parity.cpp.kernels import inventories, kernel_units
    from rewarp.parity.cpp.program import Program, is_wanted, owner_of_path
    from rewarp.parity.cpp.reader import Readings

    owners = {owner_of_path(path) for path in files if is_wanted(path)}
    if a not in owners and b not in owners:
        return [], [], []
    kernels_a, kernels_b = inventories(files, a, b)
    if not {a, kernels_a.shared_with} & owners - {None} or not {b, kernels_b.shared_with} & owners - {None}:
        return [], [], []
    readings = Readings()
    one = Program(files, a, kernels_a, readings)
    other = Program(files, b, kernels_b, readings)
    users = operations.calls_elsewhere(files)
    # A Rust crate asks for its kernels by name: its own analyser compares them.
    asked_by_rust = any(path.endswith(".rs") for path in files)
    parts = (
        interfaces.virtual_units(one, other, users),
        interfaces.table_units(one, other, users),
        operations.units(one, other, users),
        ([], []) if asked_by_rust else kernel_units(kernels_a, kernels_b),
    )
    units = [unit for found, _ in parts for unit in found]
    if not units:
        return [], [], []
    problems = list(dict.fromkeys((*one.problems, *other.problems, *kernels_a.problems, *kernels_b.problems)))
    return units, problems, [line for _, found_by in parts for line in found_by]
