"""Rust workspaces: two back ends side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from rewarp.parity import kernels
from rewarp.parity.backends import backend_of
from rewarp.parity.model import Problem, Unit
from rewarp.parity.rust.arms import match_arms
from rewarp.parity.rust.declared import undeclared
from rewarp.parity.rust.families import kernel_units
from rewarp.parity.rust.features import Features
from rewarp.parity.rust.index import Index
from rewarp.parity.rust.reader import read_file
from rewarp.parity.rust.shown import enum_variants, fields, functions, inherent_methods
from rewarp.parity.rust.traits import operations, shared_traits
from rewarp.parity.rust.workspace import Workspace, backend_of_path
from rewarp.parity.store import facts

__all__ = ["analyse", "read_file", "workspace_of"]

_DEEPEST = 5_000
Analysis = tuple[list[Unit], list[Problem], list[str]]


def analyse(files: Mapping[str, bytes], a: str, b: str) -> Analysis:
    """Every unit of a Rust workspace that both back ends should have, what could not be read, and how pairs were found."""
    with _room_to_recurse():
        return _analysed(workspace_of(files, a, b))


def _analysed(workspace: Workspace) -> Analysis:
    units, problems, found_by = shared_traits(workspace)
    more, _, how = operations(workspace)
    units += more
    units += _interface(functions(workspace), is_all_there_is=not units)
    arms = match_arms(workspace)
    units += [*arms, *(_with_users(unit, arms) for unit in enum_variants(workspace))]
    for look in (fields, inherent_methods):
        units += look(workspace)
    of_kernels, kernel_problems, kernel_how = kernel_units(workspace)
    units += of_kernels
    return units, [*problems, *kernel_problems, *_faults(workspace)], [*found_by, *how, *kernel_how]


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
