"""Registries by back end, and functions that end in an error on one platform only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rewarp.parity.backends import neutral
from rewarp.parity.model import Place, Side, Status, Unit
from rewarp.parity.python.facts import ModuleFacts, Registry, owner_of
from rewarp.parity.python.platforms import Branching


def branch_units(modules: Mapping[str, ModuleFacts], a: str, b: str) -> Iterable[Unit]:
    """Functions of nobody's own that tell the two platforms apart."""
    for path, module in modules.items():
        if owner_of(path, "") is not None:
            continue  # inside one back end's own code, the other is not missing
        for found in module.branches:
            if found.asked & {a, b} and owner_of("", found.name) is None:
                side_a, side_b = _ends(path, found, a, b), _ends(path, found, b, a)
                yield Unit("platform branch", path, found.name, side_a, side_b)


def _ends(path: str, found: Branching, backend: str, other: str) -> Side:
    end = found.ends[backend]
    here = Place(path, found.line, found.name)
    elsewhere = {line for line, _ in found.ends[other].raises}
    alone = [(line, condition) for line, condition in end.raises if line not in elsewhere]
    if not end.finishes:
        line, condition = (alone or end.raises or [(found.line, "")])[0]
        why = f"always raises on {backend}" + (f": {condition}" if condition else "")
        return Side(Status.ERROR, why, (here, Place(path, line, condition or "raise")))
    if end.refusal:
        why = f"answers no on {backend}, always"
        return Side(Status.MISSING, why, (here, Place(path, end.refusal, "the answer is no")))
    if alone and found.ends[other].finishes:
        why = f"raises on {backend} where {alone[0][1]}"
        return Side(Status.PARTIAL, why, (here, *(Place(path, line, condition) for line, condition in alone[:4])))
    return Side(Status.IMPLEMENTED, f"does not end in an error of {backend}'s own", (here,))


def registry_units(modules: Mapping[str, ModuleFacts], a: str, b: str) -> Iterable[Unit]:
    for path, module in modules.items():
        for registry in module.registries:
            unit = _registry(path, registry, a, b)
            if unit is not None:
                yield unit
    yield from _registered(modules, a, b)


def _registry(path: str, registry: Registry, a: str, b: str) -> Unit | None:
    entries = {backend: (line, status, text) for backend, line, status, text in registry.entries}
    if a not in entries:
        return None
    if b == "rocm" and b not in entries and registry.by_device:
        return None  # torch calls ROCm devices `cuda`: nothing is missing
    sides = []
    for backend in (a, b):
        if backend in entries:
            line, status, text = entries[backend]
            why = f"registered: {text}" if status is Status.IMPLEMENTED else f"registered with nothing: {text}"
            sides.append(Side(status, why, (Place(path, line, text),)))
        else:
            here = Place(path, registry.line, registry.name)
            sides.append(Side(Status.MISSING, f"{registry.name} has no entry for {backend}", (here,)))
    return Unit("registry entry", path, registry.name, sides[0], sides[1])


def _registered(modules: Mapping[str, ModuleFacts], a: str, b: str) -> Iterable[Unit]:
    """What decorators register, by decorator and by name without the back end."""
    found: dict[str, dict[str, dict[str, Place]]] = defaultdict(lambda: defaultdict(dict))
    for path, module in modules.items():
        for item in module.registered:
            if item.backend in (a, b):
                places = found[item.decorator][item.backend]
                places.setdefault(neutral(item.name) or item.name, Place(path, item.line, item.name))
    for decorator, by_backend in found.items():
        if a not in by_backend or b not in by_backend:
            continue
        for name in dict.fromkeys((*by_backend[a], *by_backend[b])):
            sides = []
            for backend in (a, b):
                place = by_backend[backend].get(name)
                if place:
                    sides.append(Side(Status.IMPLEMENTED, f"registered for {backend}", (place,)))
                else:
                    sides.append(Side(Status.MISSING, f"@{decorator} registers no {name} for {backend}"))
            yield Unit("registry entry", f"@{decorator}", name, sides[0], sides[1])
