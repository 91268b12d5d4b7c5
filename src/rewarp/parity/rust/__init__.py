"""Rust workspaces: two back ends side by side."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from rewarp.parity import kernels
from rewarp.parity.deadline import OutOfTime
from rewarp.parity.kernels.sources import is_asked_by_rust
from rewarp.parity.names.backends import backend_of
from rewarp.parity.reading.store import facts
from rewarp.parity.rust.comparing.arms import match_arms
from rewarp.parity.rust.comparing.constants import asked_of_types, literals
from rewarp.parity.rust.comparing.families import families_of, kernel_units
from rewarp.parity.rust.comparing.members import enum_variants, fields, functions, inherent_methods
from rewarp.parity.rust.comparing.traits import Found, operations, shared_traits
from rewarp.parity.rust.comparing.workspace import Workspace, backend_of_path
from rewarp.parity.rust.reading.declared import undeclared
from rewarp.parity.rust.reading.facts import Function, Impl
from rewarp.parity.rust.reading.features import Features
from rewarp.parity.rust.reading.index import Index
from rewarp.parity.rust.reading.reader import read_file
from rewarp.parity.units import Analysis, Coverage, Problem, Unit, out_of_time

__all__ = ["analyse", "read_file", "workspace_of"]

_DEEPEST = 5_000


def analyse(files: Mapping[str, bytes], a: str, b: str) -> Analysis:
    """Every unit of a Rust workspace that both back ends should have, what could not be read, and how pairs were found."""
    with _room_to_recurse():
        return _analysed(workspace_of(files, a, b))


def _analysed(workspace: Workspace) -> Analysis:
    found = Analysis([], [], [], [])

    def interface() -> Found:
        return _interface(functions(workspace), is_all_there_is=not found.units), [], []

    def choices() -> Found:
        arms = match_arms(workspace)
        return [*arms, *(_with_users(unit, arms) for unit in enum_variants(workspace))], [], []

    parts: dict[str, Callable[[], Found]] = {
        "traits": lambda: shared_traits(workspace),
        "methods that differ by back end": lambda: operations(workspace),
        "functions": interface,
        "choices by device": choices,
        "fields": lambda: (fields(workspace), [], []),
        "methods of types": lambda: (inherent_methods(workspace), [], []),
        "kernels": lambda: kernel_units(workspace),
    }
    for what, part in parts.items():
        try:
            units, problems, found_by = part()
        except OutOfTime:
            found.problems.append(out_of_time(f"{what} in Rust"))
            continue
        found.units.extend(units)
        found.problems.extend(problems)
        found.found_by.extend(found_by)
    found.problems.extend(_faults(workspace))
    return found._replace(coverage=_coverage(workspace, found.units))


def _coverage(workspace: Workspace, units: list[Unit]) -> list[Coverage]:
    """Of A's kernels those that units launch or are, and of its types those that a unit's evidence stands in."""
    launched = {name for unit in units for name in unit.a.kernels}
    launched |= {unit.name for unit in units if "kernel" in unit.kind}
    index = workspace.index
    if any(asked_of_types(index, one) for one in _functions_of(workspace, units)):
        launched |= literals(index, workspace.a)  # one kernel for each type that a function may be called with
    known = workspace.kernels[workspace.a].kernels
    is_asked = is_asked_by_rust(index.files, (workspace.a, workspace.b), known)
    kernels: dict[str, bool] = {}
    for name, family in families_of(workspace, workspace.a).items() if is_asked else ():
        kernels[family] = kernels.get(family, False) or name in launched
    names = " ".join(place.text for unit in units for place in unit.a.evidence) + " ".join(unit.owner for unit in units)
    types = {
        impl.type: impl.type in names
        for impl in workspace.index.impls
        if backend_of(impl.type) == workspace.a and impl.functions and _is_of_all(workspace, impl)
    }
    return [Coverage.of("kernels", kernels), Coverage.of("types", types)]


def _is_of_all(workspace: Workspace, impl: Impl) -> bool:
    """Whether it implements a trait of the tree that no back end owns; errors and handles of a library's own do not."""
    traits = workspace.index.traits.get(impl.trait, ())
    return any(workspace.index.backend(trait) is None for trait in traits)


def _functions_of(workspace: Workspace, units: list[Unit]) -> Iterator[Function]:
    """The functions that units show for A."""
    places = {(place.path, place.line) for unit in units for place in unit.a.evidence}
    for impl in workspace.index.impls:
        yield from (one for one in impl.functions if (one.path, one.line) in places)


def _with_users(variant: Unit, arms: list[Unit]) -> Unit:
    """A variant is reached by those who reach the choices by it."""
    by_it = [arm.users for arm in arms if f"{variant.owner}::" in arm.name]
    return replace(variant, users=max(by_it, default=0))


@contextmanager
def _room_to_recurse() -> Iterator[None]:
    """Bodies are trees and are followed as trees: calls in blocks in arms go deeper than Python's usual limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _interface(of_modules: list[Unit], *, is_all_there_is: bool) -> list[Unit]:
    """Functions of modules: where no trait says what a back end has to do, those that other code calls say it."""
    return [replace(unit, scored=is_all_there_is and unit.users > 0) for unit in of_modules]


def workspace_of(files: Mapping[str, bytes], a: str, b: str) -> Workspace:
    """A tree read: its declarations, and the kernels that exist for each back end."""
    sources = {path: data for path, data in files.items() if path.endswith(".rs")}
    index = Index(facts(read_file, sources), sources, Features.read(files), undeclared(sources))
    return Workspace(index, a, b, {backend: kernels.inventory(files, backend) for backend in (a, b)})


def _faults(workspace: Workspace) -> list[Problem]:
    """What does not parse or cannot be seen through; in code of either back end, or of what they share, no score stands."""
    problems: list[Problem] = []
    index = workspace.index
    scope = _in_scope(workspace)
    for path, found in index.facts.items():
        for fault in found.faults:
            problems.append(Problem(path, fault.line, fault.what, blocks_score=path in scope))
    for function in index.too_deep:
        problems.append(Problem(function.path, function.line, f"{function.title} is nested too deep to be read"))
    for path in sorted(index.undeclared):
        if backend_of_path(index, path) in (workspace.a, workspace.b):
            problems.append(Problem(path, 1, "is never built: no `mod` of its crate names it"))
    for (path, feature), line in index.never_built.items():
        if backend_of_path(index, path) in (workspace.a, workspace.b) or backend_of(feature) in (
            workspace.a,
            workspace.b,
        ):
            problems.append(Problem(path, line, f"is never built: its crate has no feature {feature!r}"))
    for use in index.unseen:
        if backend_of_path(index, use.path) in (workspace.a, workspace.b):
            problems.append(Problem(use.path, use.line, f"what {use.name}! writes cannot be seen"))
    return problems


def _in_scope(workspace: Workspace) -> set[str]:
    """Files of either back end, and those that declare what both share."""
    index = workspace.index
    own = {path for path in index.facts if backend_of_path(index, path) in (workspace.a, workspace.b)}
    named = {
        kind.path
        for kinds in index.types.values()
        for kind in kinds
        if any(backend_of(member.name) in (workspace.a, workspace.b) for member in kind.members)
    }
    shared = {trait.path for traits in index.traits.values() for trait in traits if _has_both(workspace, trait.name)}
    return own | named | shared


def _has_both(workspace: Workspace, trait: str) -> bool:
    return any(impl.trait == trait and backend_of(impl.type) == workspace.a for impl in workspace.index.impls)
