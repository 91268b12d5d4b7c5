"""What types have: enum variants, fields, methods of their own. Variants are scored; the rest is shown."""

from __future__ import annotations

import re
from dataclasses import replace

from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.reading.store import counted
from rewarp.parity.rust.comparing.arms import device_enums
from rewarp.parity.rust.comparing.verdict import sides
from rewarp.parity.rust.comparing.workspace import Workspace, backend_of_path, missing, present
from rewarp.parity.rust.reading.cfg import is_built
from rewarp.parity.rust.reading.facts import Function, Member, Type
from rewarp.parity.units import Place, Side, Status, Unit


def enum_variants(workspace: Workspace) -> list[Unit]:
    """Variants for A of enums that belong to no back end, and data types of the back ends' own enums."""
    units: list[Unit] = []
    for kind in device_enums(workspace):
        of_b = [member for member in kind.members if backend_of(member.name) == workspace.b]
        for member in kind.members:
            if backend_of(member.name) == workspace.a:
                twin = next((m for m in of_b if neutral(m.name) == neutral(member.name)), None)
                # What can go wrong on A is nothing that B has to have.
                is_choice = not kind.name.endswith(("Error", "ErrorKind"))
                unit = _member_unit(workspace, "enum variant", kind, member, kind, twin, scored=is_choice)
                if twin is None and any(_is_without_twin(kind, m, workspace.a) for m in of_b):
                    why = f"{kind.name} has a variant of another name for {workspace.b}"
                    unit = replace(unit, b=replace(unit.b, status=Status.UNKNOWN, why=why))
                elif twin is None and workspace.b == "rocm" and _is_of_libtorch(workspace, kind):
                    side = replace(unit.a, why="PyTorch for ROCm answers to CUDA's name")
                    unit = replace(unit, b=side)
                units.append(unit)
    types = [kind for kinds in workspace.index.types.values() for kind in kinds if kind.is_enum]
    for kind, twin_kind in workspace.paired(types):
        names = {_form(member.name): member for member in twin_kind.members} if twin_kind else {}
        is_of_dtypes = kind.name in workspace.index.dtypes.enums
        for member in kind.members if twin_kind else ():
            twin = names.get(_form(member.name))
            assert twin_kind is not None
            units.append(_member_unit(workspace, "enum variant", kind, member, twin_kind, twin, scored=is_of_dtypes))
    return units


def _is_without_twin(kind: Type, member: Member, a: str) -> bool:
    """Whether no variant of A's has the same name but for whose it is."""
    return not any(backend_of(m.name) == a and neutral(m.name) == neutral(member.name) for m in kind.members)


def _is_of_libtorch(workspace: Workspace, kind: Type) -> bool:
    """Whether an enum stands for libtorch's devices, of which CUDA's is ROCm's as well."""
    return re.search(rb"\btch::(\w+::)*Device\b", workspace.index.files[kind.path]) is not None


def fields(workspace: Workspace) -> list[Unit]:
    """Fields of structs that stand beside each other."""
    types = [kind for kinds in workspace.index.types.values() for kind in kinds if not kind.is_enum]
    units: list[Unit] = []
    for kind, twin_kind in workspace.paired(types):
        if twin_kind is None:
            continue
        names = {_form(member.name): member for member in twin_kind.members}
        for member in kind.members:
            twin = names.get(_form(member.name))
            units.append(_member_unit(workspace, "field", kind, member, twin_kind, twin, scored=False))
    return units


def _form(name: str) -> str:
    return neutral(name) or name.lower()


def _member_unit(
    workspace: Workspace, what: str, kind: Type, member: Member, twin_kind: Type, twin: Member | None, *, scored: bool
) -> Unit:
    a = present(f"has it: {member.name}", Place(kind.path, member.line, f"{kind.name}::{member.name}"))
    b: Side = missing(
        f"{twin_kind.name} has none for {workspace.b}", Place(twin_kind.path, twin_kind.line, twin_kind.name)
    )
    if twin is not None:
        b = present(f"has it: {twin.name}", Place(twin_kind.path, twin.line, f"{twin_kind.name}::{twin.name}"))
    return Unit(what, kind.name, member.name, a, b, scored=scored)


def inherent_methods(workspace: Workspace) -> list[Unit]:
    """Public methods of types that stand beside each other, and of neutral types that differ by back end."""
    units: list[Unit] = []
    index = workspace.index
    types = [kind for kinds in index.types.values() for kind in kinds]
    for kind, twin in workspace.paired(types):
        if twin is None:
            continue
        own, other = _methods(workspace, kind.name, workspace.a), _methods(workspace, twin.name, workspace.b)
        for form, functions in counted(own.items()):
            units.append(_method_unit(workspace, kind.name, functions, other.get(form, []), twin))
    for name in sorted(index.types):
        if backend_of(name) is None:
            units += _variants_of_one(workspace, name)
    return units


def functions(workspace: Workspace) -> list[Unit]:
    """Public functions of modules that stand beside each other, with how often other code calls them."""
    index = workspace.index
    by_backend: dict[str, dict[tuple[str, str], list[Function]]] = {workspace.a: {}, workspace.b: {}}
    for function in (f for found in index.free.values() for f in found):
        backend = backend_of_path(index, function.path)
        if backend in by_backend and function.is_public and not index.is_dummy(function):
            key = (_beside(function.path), _form(function.name))
            by_backend[backend].setdefault(key, []).append(function)
    of_a, of_b = by_backend[workspace.a], by_backend[workspace.b]
    folders = {place for place, _ in of_b}
    units: list[Unit] = []
    for (place, form), found in counted(of_a.items()):
        built = [f for f in found if is_built(f.cfg, workspace.a)]
        if place not in folders or not built:
            continue
        twins = [f for f in of_b.get((place, form), []) if is_built(f.cfg, workspace.b)]
        users = workspace.users(built[0].name, place.rpartition("/")[2])
        where = Place(built[0].path, built[0].line, f"fn {built[0].name}")
        lacks = missing(f"no function of this name stands beside it for {workspace.b}", where)
        first = workspace.account(workspace.a, built)
        a, b = sides(index, first, workspace.account(workspace.b, twins) if twins else lacks)
        units.append(Unit("twin function", place, built[0].name, a, b, scored=False, users=users))
    return units


def _beside(path: str) -> str:
    """A path that is the same for files which differ by back end only."""
    parts = path.removesuffix(".rs").removesuffix("/mod").split("/")
    return "/".join((neutral(part) or "*") if backend_of(part) is not None else part for part in parts)


def _methods(workspace: Workspace, owner: str, backend: str) -> dict[str, list[Function]]:
    found: dict[str, list[Function]] = {}
    for impl in workspace.index.impls_of(owner):
        if not impl.trait and not workspace.index.is_dummy(impl):
            for function in impl.functions:
                if function.is_public and is_built(function.cfg, backend):
                    found.setdefault(_form(function.name), []).append(function)
    return found


def _method_unit(workspace: Workspace, owner: str, of_a: list[Function], of_b: list[Function], twin: Type) -> Unit:
    first = workspace.account(workspace.a, of_a)
    place = Place(twin.path, twin.line, twin.name)
    second = workspace.account(workspace.b, of_b) if of_b else missing(f"{twin.name} has no such method", place)
    a, b = sides(workspace.index, first, second)
    users = workspace.users(of_a[0].name, owner, twin.name)
    return Unit("inherent method", owner, of_a[0].name, a, b, scored=False, users=users)


def _variants_of_one(workspace: Workspace, owner: str) -> list[Unit]:
    """`Device::new_cuda` beside `Device::new_metal`."""
    by_form: dict[str, dict[str, list[Function]]] = {}
    for impl in workspace.index.impls_of(owner):
        if impl.trait or workspace.index.is_dummy(impl):
            continue
        for function in impl.functions:
            backend = backend_of(function.name)
            if backend is not None and function.is_public:
                by_form.setdefault(neutral(function.name), {}).setdefault(backend, []).append(function)
    units: list[Unit] = []
    for found in by_form.values():
        if workspace.a not in found or len(found) < 2:
            continue
        of_a = [f for f in found[workspace.a] if is_built(f.cfg, workspace.a)]
        of_b = [f for f in found.get(workspace.b, []) if is_built(f.cfg, workspace.b)]
        if not of_a:
            continue
        first = workspace.account(workspace.a, of_a)
        place = Place(of_a[0].path, of_a[0].line, owner)
        second = workspace.account(workspace.b, of_b) if of_b else missing(f"{owner} has no such method", place)
        a, b = sides(workspace.index, first, second)
        units.append(
            Unit("inherent method", owner, of_a[0].name, a, b, scored=False, users=workspace.users(of_a[0].name, owner))
        )
    return units
