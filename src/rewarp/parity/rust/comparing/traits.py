"""Traits that several back ends implement, method by method; and methods of one trait that differ by back end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewarp.parity.deadline import OutOfTime
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.reading.store import counted
from rewarp.parity.rust.comparing.constants import with_placeholders
from rewarp.parity.rust.comparing.verdict import Account, sides
from rewarp.parity.rust.comparing.workspace import Workspace, missing
from rewarp.parity.rust.reading.cfg import is_built
from rewarp.parity.rust.reading.facts import Function, Impl, Trait
from rewarp.parity.rust.reading.index import crate_of
from rewarp.parity.units import Place, Problem, Side, Status, Unit, out_of_time

_MANY = 10
"""Traits of which a back end may lack some and still be one."""
Found = tuple[list[Unit], list[Problem], list[str]]


def shared_traits(workspace: Workspace) -> Found:
    """One unit for each method of each trait that A and some other back end implement."""
    units: list[Unit] = []
    problems: list[Problem] = []
    found_by: list[str] = []
    without: list[Problem] = []
    shared = 0
    for trait, impls in _implemented(workspace):
        by_backend = _by_backend(workspace, impls)
        # What a third back end declares, or a folder that is called like one (`wgpu-hal`), both may stand behind.
        if workspace.a not in by_backend or workspace.index.backend(trait) in (workspace.a, workspace.b):
            continue
        is_shared = len(by_backend) > 1
        for type_a, type_b in _pairs(by_backend[workspace.a], by_backend.get(workspace.b, [])):
            of_a = [i for i in by_backend[workspace.a] if i.type == type_a]
            of_b = [i for i in by_backend.get(workspace.b, []) if i.type == type_b]
            is_expected = is_shared or _has_a_counterpart(workspace, type_a)
            if not of_b and not (is_expected and _is_for_back_ends(impls, type_a)):
                continue
            found_by.append(f"trait {trait.name}: {type_a}, {type_b or 'none of ' + workspace.b} (by name)")
            if not of_b:
                what = f"the trait {trait.name}, which {type_a} implements, has no implementation for {workspace.b}"
                without.append(Problem(trait.path, trait.line, what))
            shared += bool(of_b)
            try:
                units += _methods(workspace, trait, of_a, of_b)
            except OutOfTime:
                problems.append(out_of_time(f"the trait {trait.name} and what comes after it"))
                return units, problems, found_by
    # Of a few traits each is what a back end is made of; among many, one that B lacks is so many gaps.
    problems += [replace(one, blocks_score=shared < _MANY) for one in without]
    return units, problems, found_by


def _is_for_back_ends(impls: Iterable[Impl], type_a: str) -> bool:
    """Whether a trait is what a back end is made of: nothing but back ends, by their names, implement it."""
    return backend_of(type_a) is not None and all(backend_of(impl.type) is not None for impl in impls)


def _has_a_counterpart(workspace: Workspace, type_a: str) -> bool:
    """Whether B has a type that stands beside one of A, whatever it implements."""
    names = (name for name in workspace.index.types if backend_of(name) == workspace.b)
    return any(neutral(name) == neutral(type_a) for name in names)


def _implemented(workspace: Workspace) -> Iterator[tuple[Trait, list[Impl]]]:
    index = workspace.index
    by_trait: dict[int, list[Impl]] = defaultdict(list)
    traits: dict[int, Trait] = {}
    for impl in index.impls:
        declared = index.traits.get(impl.trait, ())
        if not impl.trait or impl.is_blanket or not declared:
            continue
        trait = max(declared, key=lambda t: crate_of(t.path) == crate_of(impl.path))
        traits[id(trait)] = trait
        by_trait[id(trait)].append(impl)
    for key, impls in by_trait.items():
        yield traits[key], impls


def _by_backend(workspace: Workspace, impls: Iterable[Impl]) -> dict[str, list[Impl]]:
    """Implementations by the back end of their type; those that only stand in for one are none."""
    found: dict[str, list[Impl]] = defaultdict(list)
    for impl in impls:
        backend = backend_of(impl.type) or (workspace.index.backend(impl) if _is_local(workspace, impl) else None)
        if backend is not None and not workspace.index.is_dummy(impl):
            found[backend].append(impl)
    for backend, own in found.items():
        found[backend] = [i for i in own if not _is_stand_in(workspace, i, own, backend)]
    return found


def _is_local(workspace: Workspace, impl: Impl) -> bool:
    """Whether the type is declared where the back end lives, so that its file tells whose it is."""
    return any(
        kind.path.rpartition("/")[0] == impl.path.rpartition("/")[0]
        for kind in workspace.index.types.get(impl.type, ())
    )


def _is_stand_in(workspace: Workspace, impl: Impl, all_of_it: list[Impl], backend: str) -> bool:
    """One of two implementations for a type, all of whose methods only fail: there for builds without the back end."""
    same = [i for i in all_of_it if i.type == impl.type and i.path != impl.path]
    return (
        bool(same)
        and _only_fails(workspace, impl, backend)
        and not all(_only_fails(workspace, i, backend) for i in same)
    )


def _only_fails(workspace: Workspace, impl: Impl, backend: str) -> bool:
    return all(not workspace.account(backend, [f]).whole.live for f in impl.functions)


def _pairs(of_a: Iterable[Impl], of_b: Iterable[Impl]) -> list[tuple[str, str]]:
    """The types of A, each with the one of B that stands beside it."""
    types_a, types_b = list(dict.fromkeys(i.type for i in of_a)), list(dict.fromkeys(i.type for i in of_b))
    by_name = {neutral(name): name for name in types_b}
    if len(types_a) == 1 and len(types_b) == 1:
        return [(types_a[0], types_b[0])]
    return [(name, by_name.get(neutral(name), "")) for name in types_a]


def _methods(workspace: Workspace, trait: Trait, of_a: list[Impl], of_b: list[Impl]) -> list[Unit]:
    shared = frozenset(function.name for function in trait.functions)
    units: list[Unit] = []
    for function in counted(trait.functions):
        first = _definition(workspace, workspace.a, trait, of_a, function, shared)
        second = _definition(workspace, workspace.b, trait, of_b, function, shared)
        a, b = sides(workspace.index, first, second)
        of_type = [one for impl in of_b for one in impl.functions if one.name == function.name]
        b = with_placeholders(workspace, with_working_default(a, b), of_type)
        users = workspace.users(function.name, trait.name, *(impl.type for impl in (*of_a, *of_b)))
        units.append(Unit("trait method", trait.name, function.name, a, b, users=users))
    return units


def _definition(
    workspace: Workspace, backend: str, trait: Trait, impls: list[Impl], function: Function, shared: frozenset[str]
) -> Account | Side:
    """A back end's own definitions of a method, or what stands there instead."""
    place = Place(trait.path, trait.line, f"trait {trait.name}")
    if not impls:
        return missing(f"no type of {backend} implements {trait.name}", place)
    own = [f for impl in impls for f in impl.functions if f.name == function.name and is_built(f.cfg, backend)]
    if own:
        return workspace.account(backend, own, shared)
    where = Place(impls[0].path, impls[0].line, f"impl {trait.name} for {impls[0].type}")
    if not function.has_body:
        return missing("the implementation lacks it", where, Place(function.path, function.line, f"fn {function.name}"))
    return default_of(workspace, backend, function, where)


def default_of(workspace: Workspace, backend: str, function: Function, *places: Place) -> Side:
    """What a trait brings by itself: an error, or something that knows no back end."""
    side, _ = sides(workspace.index, workspace.account(backend, [function]), missing(""))
    evidence = (*places, *side.evidence)
    if side.status in (Status.ERROR, Status.STUB, Status.UNKNOWN):
        return replace(side, why=f"not overridden; of the trait's default, {side.why}", evidence=evidence)
    return Side(Status.DEFAULT, "not overridden: only what the trait brings", evidence, edges=side.edges)


def with_working_default(a: Side, b: Side) -> Side:
    """B's side where A has its own: what a trait brings counts where it leads on into code of the project."""
    if a.status.does_something and b.status is Status.DEFAULT and b.edges.resolved:
        return replace(b, status=Status.IMPLEMENTED, why="not overridden: what the trait brings does work")
    return b


def operations(workspace: Workspace) -> Found:
    """Methods of one trait that differ by back end: `cuda_fwd` beside `metal_fwd`, for every type that has them."""
    units: list[Unit] = []
    found_by: list[str] = []
    for trait, impls in _implemented(workspace):
        families = _families(trait)
        for stem, by_backend in families.items():
            method_a, method_b = by_backend.get(workspace.a), by_backend.get(workspace.b)
            if method_a is None:
                continue
            other = method_b.name if method_b else f"none of {workspace.b}"
            found_by.append(f"methods of {trait.name}: {method_a.name}, {other} (by name)")
            for impl in counted(impls):
                a = _of_family(workspace, workspace.a, impl, method_a)
                b = _of_family(workspace, workspace.b, impl, method_b) if method_b else None
                if isinstance(a, Account) or isinstance(b, Account):
                    first, second = sides(workspace.index, a, b or _no_method(trait, workspace.b, stem))
                    second = with_working_default(first, second)
                    owner = f"{trait.name} for {impl.type}"
                    if sum(other.type == impl.type for other in impls) > 1:
                        owner += f" ({crate_of(impl.path)})"
                    units.append(Unit("operation", owner, stem, first, second, users=workspace.users(stem)))
    return units, [], found_by


def _families(trait: Trait) -> dict[str, dict[str, Function]]:
    found: dict[str, dict[str, Function]] = defaultdict(dict)
    for function in trait.functions:
        backend = backend_of(function.name)
        if backend is not None and neutral(function.name):
            found[neutral(function.name)].setdefault(backend, function)
    return {stem: by_backend for stem, by_backend in found.items() if len(by_backend) > 1}


def _of_family(workspace: Workspace, backend: str, impl: Impl, declared: Function) -> Account | Side:
    own = [f for f in impl.functions if f.name == declared.name and is_built(f.cfg, backend)]
    if own:
        return workspace.account(backend, own)
    where = Place(impl.path, impl.line, f"impl {impl.trait} for {impl.type}")
    if not declared.has_body:
        return missing("the implementation lacks it", where)
    return default_of(workspace, backend, declared, where)


def _no_method(trait: Trait, backend: str, stem: str) -> Side:
    return missing(f"the trait has no {stem} for {backend}", Place(trait.path, trait.line, f"trait {trait.name}"))
