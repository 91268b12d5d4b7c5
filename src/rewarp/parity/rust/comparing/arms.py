"""A choice by device or storage in code that belongs to no back end: is there a way for B where A has one?"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.names.backends import backend_of, words
from rewarp.parity.reading.store import counted
from rewarp.parity.rust.comparing.workspace import Workspace
from rewarp.parity.rust.following.follow import Frame
from rewarp.parity.rust.following.paths import is_cpu, reach
from rewarp.parity.rust.following.values import UNKNOWN, Value
from rewarp.parity.rust.reading.cfg import is_built
from rewarp.parity.rust.reading.device_choices import ASKED, MATCHES, TEST, Choice, choices_in, is_test
from rewarp.parity.rust.reading.facts import Function, Type
from rewarp.parity.rust.reading.tree import (
    AnyOf,
    Anything,
    Arm,
    Expression,
    Literal,
    Match,
    Pattern,
    Several,
    Variant,
    alternatives,
    takes_all,
)
from rewarp.parity.units import Place, Side, Status, Unit

_LANGUAGES = re.compile(r"(Lang|Language|Dialect|Syntax|SourceKind|SourceType|FileType|FileKind)$")
"""Enums that tell in which language sources are written."""
_ONE_LANGUAGE = frozenset(("cuda", "rocm"))


def match_arms(workspace: Workspace) -> list[Unit]:
    """One unit for each arm of A in each `match`, `if let`, `matches!` and `is_cuda()` outside the back ends' own code."""
    enums = {kind.name: kind for kind in device_enums(workspace)}
    variants = {f"::{v.name}" for kind in enums.values() for v in kind.members if backend_of(v.name) == workspace.a}
    tests = {rf"\.{TEST}{word}" for word, backend in words().items() if backend == workspace.a}
    named = re.compile("|".join(rf"{text}\b" for text in sorted(variants | tests)).encode())
    units: list[Unit] = []
    for function in counted(_neutral_functions(workspace, named)):
        seen: Counter[str] = Counter()
        choices = list(choices_in(workspace.index.body(function)))
        taken = _inside_own_arms(workspace, function, choices, enums)
        for choice in choices:
            if id(choice.origin) in taken:
                continue
            for unit in _of_choice(workspace, function, choice, enums):
                unit = _only_if_it_can_be_named(workspace, unit, enums)
                seen[unit.name] += 1
                name = unit.name if seen[unit.name] == 1 else f"{unit.name} ({seen[unit.name]})"
                units.append(dataclasses.replace(unit, name=name))
    return units


def _inside_own_arms(
    workspace: Workspace, function: Function, choices: list[Choice], enums: dict[str, Type]
) -> set[int]:
    """Choices that stand in an arm for one back end: what they say of others, nobody asks."""
    found: set[int] = set()
    for choice in choices:
        for arm in choice.node.arms:
            if choice.how not in (MATCHES, ASKED) and _backends(workspace, function, arm, enums) == {workspace.a}:
                found |= {id(node) for node in _nodes(arm.value)}
    return found


def _nodes(node: object) -> Iterator[object]:
    """A piece of code and everything in it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, (tuple, list)):
            waiting += one
        elif dataclasses.is_dataclass(one):
            waiting += vars(one).values()


def device_enums(workspace: Workspace) -> list[Type]:
    """Enums that belong to no back end and have a variant for A beside others."""
    found = []
    for kinds in workspace.index.types.values():
        for kind in kinds:
            backends = {backend_of(member.name) for member in kind.members} - {None}
            if (
                workspace.b not in backends
                and _LANGUAGES.search(kind.name)
                and {workspace.a, workspace.b} == _ONE_LANGUAGE
            ):
                continue  # what is written in CUDA's language is built for both
            if kind.is_enum and workspace.a in backends and len(backends) > 1 and workspace.index.backend(kind) is None:
                found.append(kind)
    return found


def _neutral_functions(workspace: Workspace, named: re.Pattern[bytes]) -> Iterator[Function]:
    index = workspace.index
    everything = [f for fs in index.free.values() for f in fs] + [f for i in index.impls for f in i.functions]
    everything += [f for ts in index.traits.values() for t in ts for f in t.functions]
    for function in sorted(everything, key=lambda f: (f.path, f.line)):
        source = function.source or index.files[function.path][slice(*function.span)]
        if named.search(source) and index.backend(function) is None and backend_of(function.name) is None:
            yield function


def _of_choice(workspace: Workspace, function: Function, choice: Choice, enums: dict[str, Type]) -> Iterator[Unit]:
    """The units of a choice. That A alone is named may be because only A needs it: such units are shown, not scored."""
    if choice.how in (MATCHES, ASKED):
        yield from _of_list(workspace, function, choice, enums)
        return
    for unit in _of_match(workspace, function, choice.node, enums):
        if choice.how:
            named = {backend for arm in choice.node.arms for backend in _backends(workspace, function, arm, enums)}
            ends = unit.b.status in (Status.ERROR, Status.STUB)
            unit = dataclasses.replace(unit, name=f"{unit.name} ({choice.how})", scored=len(named) > 1 or ends)
        yield unit


def _only_if_it_can_be_named(workspace: Workspace, unit: Unit, enums: dict[str, Type]) -> Unit:
    """An arm for what the enum does not have cannot be written: the enum lacks it, once, not each choice by it."""
    owners = [enums[name] for name in re.findall(rf"(\w+)::{workspace.a}\b", unit.name) if name in enums]
    can_be = not owners or any(backend_of(member.name) == workspace.b for kind in owners for member in kind.members)
    return unit if can_be else dataclasses.replace(unit, scored=False)


def _backends(workspace: Workspace, function: Function, arm: Arm, enums: dict[str, Type]) -> set[str]:
    """The back ends, the CPU left out, that a pattern names."""
    forms = (_form(workspace, function, one, enums) for one in alternatives(arm.pattern))
    return {name for form in forms for name in re.findall(r"@(\w+)", form)} - {"cpu"}


def _of_list(workspace: Workspace, function: Function, choice: Choice, enums: dict[str, Type]) -> Iterator[Unit]:
    """`matches!(device, Device::Cuda(_) | Device::Metal(_))`: is B in a list that holds A?"""
    arm = choice.node.arms[0]
    forms = [_form(workspace, function, one, enums) for one in alternatives(arm.pattern)]
    named = _backends(workspace, function, arm, enums)
    for form in dict.fromkeys(form for form in forms if re.findall(r"@(\w+)", form) == [workspace.a]):
        place = Place(function.path, choice.node.line, choice.how)
        is_there = form.replace(f"@{workspace.a}", f"@{workspace.b}") in forms
        a = Side(Status.IMPLEMENTED, "is in the list", (place,))
        b = a if is_there else Side(Status.MISSING, f"the list names {', '.join(sorted(named))} only", (place,))
        name = f"{form.replace(f'@{workspace.a}', workspace.a)} ({choice.how})"
        owner = f"{function.title} ({function.path})"
        yield Unit(
            "match arm", owner, name, a, b, scored=len(named) > 1, users=workspace.users(function.name, function.owner)
        )


def _of_match(workspace: Workspace, function: Function, node: Match, enums: dict[str, Type]) -> Iterator[Unit]:
    of_a, of_b = (_forms(workspace, function, node, enums, backend) for backend in (workspace.a, workspace.b))
    others = next((arm for arm in node.arms if takes_all(arm.pattern) and arm.guard is None), None)
    for form, arm in of_a.items():
        if set(re.findall(r"@(\w+)", form)) != {workspace.a}:
            continue
        twin = of_b.get(form.replace(f"@{workspace.a}", f"@{workspace.b}"))
        a = _arm_side(workspace, workspace.a, function, arm)
        if twin is not None:
            b = _arm_side(workspace, workspace.b, function, twin)
        elif others is not None and others is not arm:
            b = _other_side(workspace, function, others)
        else:
            place = Place(function.path, node.line, "match")
            b = Side(
                Status.MISSING,
                f"has an arm for {workspace.a}, none for {workspace.b} and none for all others",
                (place,),
            )
        name = form.replace(f"@{workspace.a}", workspace.a)
        users = workspace.users(function.name, function.owner)
        # A way for all others that works may be all that B needs; one that the project calls impossible is none.
        is_told = b.status is not Status.DEFAULT and not (twin is None and _is_impossible(b))
        yield Unit("match arm", f"{function.title} ({function.path})", name, a, b, is_told, users)


def _is_impossible(side: Side) -> bool:
    return bool(side.evidence) and "unreachable!" in side.evidence[-1].text


def _forms(
    workspace: Workspace, function: Function, node: Match, enums: dict[str, Type], backend: str
) -> dict[str, Arm]:
    """The arms that are in a back end's build, by the form of what they take."""
    forms: dict[str, Arm] = {}
    for arm in node.arms:
        if is_built(arm.cfg, backend):
            for one in alternatives(arm.pattern):
                forms.setdefault(_form(workspace, function, one, enums), arm)
    return forms


def _form(workspace: Workspace, function: Function, pattern: Pattern, enums: dict[str, Type]) -> str:
    """A pattern in a form that is the same for both back ends but for `@backend`."""
    if isinstance(pattern, Several):
        return "(" + ", ".join(_form(workspace, function, item, enums) for item in pattern.items) + ")"
    if isinstance(pattern, AnyOf):
        return " | ".join(sorted(_form(workspace, function, item, enums) for item in pattern.items))
    if isinstance(pattern, Literal):
        return pattern.value
    if isinstance(pattern, Anything):
        return "_"
    assert isinstance(pattern, Variant)
    if is_test(pattern):
        return f"{TEST}@{backend_of(pattern.path)}()"
    written = last_segment(pattern.path.rpartition("::")[0])
    owner = function.owner if written == "Self" else workspace.index.alias(written, function.path)
    backend = backend_of(last_segment(pattern.path))
    if owner in enums and backend is not None:
        return f"{owner}::@{backend}"
    inner = [_form(workspace, function, item, enums) for item in pattern.inner]
    wrapped = f"({', '.join(inner)})" if any("@" in item for item in inner) else ""
    return f"{pattern.path}{wrapped}"


def _arm_side(workspace: Workspace, backend: str, function: Function, arm: Arm) -> Side:
    place = Place(function.path, arm.line, f"the arm for {backend}")
    ways, todo, chain = _followed(workspace, backend, function, arm.value)
    if not ways:
        status = Status.STUB if todo else Status.ERROR
        return Side(status, "the arm ends in an error", (place, *chain))
    if all(map(is_cpu, ways)) and not _is_transfer(arm):
        return Side(Status.CPU_ONLY, "the arm goes through the CPU", (place, *chain))
    return Side(Status.IMPLEMENTED, "has an arm", (place,))


def _is_transfer(arm: Arm) -> bool:
    """Whether the arm is about moving data to or from the CPU, so that doing so is its work."""
    return "cpu" in str(arm.pattern).lower() or "to_cpu_storage" in str(arm.value)


def _other_side(workspace: Workspace, function: Function, arm: Arm) -> Side:
    place = Place(function.path, arm.line, "the arm for all others")
    ways, todo, chain = _followed(workspace, workspace.b, function, arm.value)
    if not ways:
        status = Status.STUB if todo else Status.ERROR
        return Side(status, f"{workspace.b} falls into the arm for all others, which ends in an error", (place, *chain))
    return Side(Status.DEFAULT, f"{workspace.b} falls into the arm for all others", (place,))


def _followed(
    workspace: Workspace, backend: str, function: Function, value: Expression
) -> tuple[list[int], bool, tuple[Place, ...]]:
    """The ways out of one arm; what it calls is judged elsewhere."""
    follower = dataclasses.replace(workspace.follower(backend), deepest=0, unit="", _known={}, _open=[], _cut=set())
    arguments = tuple(Value() for _ in function.parameters)
    frame = Frame(follower, function, UNKNOWN, arguments, "", frozenset())
    _, live = frame.expression(value, {0: workspace.index.dtypes.every})
    ways = [*live, *(done for returned in frame.record.returned for done in returned if reach(returned))]
    exits = frame.record.exits
    return ways, bool(exits) and all(e.is_todo for e in exits), exits[0].chain if exits else ()
