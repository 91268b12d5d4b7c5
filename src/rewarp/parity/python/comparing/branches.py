"""Registries by back end, and functions that end in an error on one platform only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rewarp.parity.names.backends import neutral
from rewarp.parity.python.following.follower import Follower
from rewarp.parity.python.reading.bodies import Body
from rewarp.parity.python.reading.facts import Registered, Registry, owner_of
from rewarp.parity.python.reading.platforms import Branching
from rewarp.parity.units import Place, Side, Status, Unit

_OF_NVIDIA = re.compile(
    r"(^|_)(tma|wgmma|tcgen05|tmem|dsmem|sm_?\d+\w*|volta|turing|ampere|hopper|blackwell|nvfp4|nvls|multimem|multicast|pdl|mig)(_|$)",
    re.I,
)
"""Questions about what only NVIDIA's hardware has, to which no is AMD's right answer."""
_NO_ANSWER = (Status.STUB, Status.ERROR)


def branch_units(follower: Follower, files: Mapping[str, bytes], a: str, b: str) -> Iterable[Unit]:
    """Functions of nobody's own that tell the two platforms apart."""
    for path, module in follower.tree.modules.items():
        if owner_of(path, "") is not None:
            continue  # inside one back end's own code, the other is not missing
        for found in module.branches:
            if not found.asked & {a, b} or owner_of("", found.name) is not None:
                continue
            side_a, side_b = _ends(path, found, a, b), _ends(path, found, b, a)
            # Where only A is asked for and nothing fails for B, A alone may be meant.
            tells = b in found.asked or side_b.status is not Status.IMPLEMENTED
            if side_b.status is Status.IMPLEMENTED and side_a.status is Status.IMPLEMENTED:
                shared = _only_shared(path, found, b, a) or _stands_for_none(follower, path, found, b, a)
                side_b, tells = shared or side_b, tells and (shared is None or shared.status is not Status.UNKNOWN)
            elif found.ends[b].refusal and b not in found.asked:
                of_its_own = _is_asked_only_by(a, path, found.name, files)
                if of_its_own or (a == "cuda" and _OF_NVIDIA.search(found.name)):
                    side_b, tells = _perhaps_not_needed(side_b, a), False
            yield Unit("platform branch", path, found.name, side_a, side_b, scored=tells)


def _perhaps_not_needed(side: Side, other: str) -> Side:
    """A "no" to whoever is not the other may be the right answer to a question about the other's hardware."""
    return replace(side, status=Status.UNKNOWN, why=f"{side.why}; it names {other} alone, whose own it may be about")


def _is_asked_only_by(backend: str, path: str, name: str, files: Mapping[str, bytes]) -> bool:
    """Whether all code that names a function is of one back end's own, but for where it is defined."""
    word = re.compile(rb"\b%s\b" % name.rpartition(".")[2].encode())
    users = [other for other, data in files.items() if other != path and word.search(data)]
    return (
        bool(users) and all(owner_of(other, "") == backend for other in users) and len(word.findall(files[path])) == 1
    )


def _only_shared(path: str, found: Branching, backend: str, other: str) -> Side | None:
    """A function that does for one platform nothing but what it does for both, where it does more for the other."""
    end, beside = found.ends[backend], found.ends[other]
    if not end.finishes or not beside.work - end.work or not end.work <= beside.work or end.looks - beside.looks:
        return None
    here = (Place(path, found.line, found.name),)
    if not end.work and backend in found.asked:
        return Side(Status.NO_OP, f"does nothing on {backend}, which it asks for", here)
    only = "the part that both share" if end.work else "nothing"
    return Side(Status.UNKNOWN, f"does {only} on {backend}; {other} alone may need what it does besides", here)


def _stands_for_none(follower: Follower, path: str, found: Branching, backend: str, other: str) -> Side | None:
    """Calls that are returned and only stand for an answer, or fail, where the other platform's is one."""
    wrong = [body for body, _ in _returned_bodies(follower, path, found, backend) if body.status in _NO_ANSWER]
    returned_calls = found.ends[backend].returned_calls
    if not wrong or len(wrong) < len(returned_calls):
        return None
    if any(body.status in _NO_ANSWER for body, _ in _returned_bodies(follower, path, found, other)):
        return None
    name, line = returned_calls[0]
    places = (Place(path, found.line, found.name), Place(path, line, name))
    return Side(wrong[0].status, f"calls {name} on {backend}, which {wrong[0].why}", places)


def _returned_bodies(follower: Follower, path: str, found: Branching, backend: str) -> Iterable[tuple[Body, int]]:
    for name, line in found.ends[backend].returned_calls:
        body = follower.called(path, name)
        if body is not None:
            yield body, line


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
    if end.cpu[0] and end.cpu != found.ends[other].cpu:
        status = Status.CPU_ONLY if end.cpu[1] else Status.CONDITIONAL_CPU
        why = f"takes its work to the CPU and back on {backend}"
        return Side(status, why, (here, Place(path, end.cpu[0], "to the CPU")))
    left = _left_out(path, found, backend, other)
    if left is not None:
        return left
    if alone and found.ends[other].finishes:
        why = f"raises on {backend} where {alone[0][1]}"
        return Side(Status.PARTIAL, why, (here, *(Place(path, line, condition) for line, condition in alone[:4])))
    return Side(Status.IMPLEMENTED, f"does not end in an error of {backend}'s own", (here,))


def _left_out(path: str, found: Branching, backend: str, other: str) -> Side | None:
    """A function that leaves early on one platform, with nothing done that the other does not do as well."""
    end, beside = found.ends[backend], found.ends[other]
    if not end.leaves or beside.leaves or not beside.finishes:
        return None
    if not end.work <= beside.work or not (beside.work | beside.looks) - end.work - end.looks:
        return None
    places = (Place(path, found.line, found.name), Place(path, end.leaves, "return"))
    if end.work:
        return Side(Status.PARTIAL, f"leaves early on {backend}: the rest is not done", places)
    return Side(Status.NO_OP, f"does nothing on {backend}: it leaves at once", places)


def registry_units(follower: Follower, a: str, b: str) -> Iterable[Unit]:
    for path, module in follower.tree.modules.items():
        for registry in module.registries:
            unit = _registry(path, registry, a, b, follower)
            if unit is not None:
                yield unit
    yield from _registered(follower, a, b)


def _registry(path: str, registry: Registry, a: str, b: str, follower: Follower) -> Unit | None:
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
            if status is Status.IMPLEMENTED:
                status, why = follower.entry(path, text) or (status, why)
            sides.append(Side(status, why, (Place(path, line, text),)))
        else:
            here = Place(path, registry.line, registry.name)
            sides.append(Side(Status.MISSING, f"{registry.name} has no entry for {backend}", (here,)))
    return Unit("registry entry", path, registry.name, sides[0], sides[1])


def _registered(follower: Follower, a: str, b: str) -> Iterable[Unit]:
    """What decorators register, by decorator and by name without the back end."""
    found: dict[str, dict[str, dict[str, Side]]] = defaultdict(lambda: defaultdict(dict))
    by_device: set[tuple[str, str]] = set()
    for path, module in follower.tree.modules.items():
        for item in module.registered:
            for backend in (a, b) if not item.backend else {a, b} & {item.backend}:
                name = neutral(item.name) or item.name
                if backend == a and item.by_device:
                    by_device.add((item.decorator, name))
                side = _registered_side(follower, path, item, backend)
                found[item.decorator + ("" if item.backend else "*")][backend].setdefault(name, side)
    for decorator, by_backend in found.items():
        everywhere = found.get(decorator + "*", {})
        if decorator.endswith("*") or (a not in by_backend and b not in by_backend):
            continue
        if not everywhere and (a not in by_backend or b not in by_backend):
            continue  # nothing tells that the other back end should register here
        for name in dict.fromkeys(name for backend in (a, b) for name in by_backend.get(backend, ())):
            if b == "rocm" and b not in by_backend and (decorator, name) in by_device:
                continue  # torch calls ROCm devices `cuda`: nothing is missing
            sides = []
            for backend in (a, b):
                known = by_backend.get(backend, {}).get(name) or everywhere.get(backend, {}).get(name)
                sides.append(known or Side(Status.MISSING, f"@{decorator} registers no {name} for {backend}"))
            yield Unit("registry entry", f"@{decorator}", name, sides[0], sides[1])


def _registered_side(follower: Follower, path: str, item: Registered, backend: str) -> Side:
    place = Place(path, item.line, item.name)
    body = follower.followed(path, None, item.body) if item.body else None
    if body is None or body.status is Status.IMPLEMENTED:
        return Side(Status.IMPLEMENTED, f"registered for {backend}", (place,))
    return Side(body.status, f"registered for {backend}, and {body.why}", (place, Place(path, body.line, body.why)))
