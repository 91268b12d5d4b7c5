"""What the classes of two back ends return for each operation, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.parity.python.following.follower import Follower
from rewarp.parity.python.reading.facts import ClassFacts, Method
from rewarp.parity.python.reading.operation_choices import Choice, Table
from rewarp.parity.units import Place, Side, Status, Unit

_FEWEST = 3
_NOTHING = (Status.STUB, Status.ERROR, Status.NO_OP)


def chosen_units(follower: Follower, owner: str, one: ClassFacts, other: ClassFacts, name: str) -> Iterator[Unit]:
    """One unit for each operation that A's method answers with something that has a name, where there are several."""
    member = _member(one, name)
    own = member.choices.found if member else ()
    labels = dict.fromkeys(choice.label for choice in own if choice.target or choice.status is Status.IMPLEMENTED)
    for label in labels if len(labels) >= _FEWEST else ():
        yield Unit(
            "chosen operation",
            f"{owner}.{name}",
            label,
            _side(follower, one, name, label),
            _side(follower, other, name, label),
        )


def _side(follower: Follower, leaf: ClassFacts, name: str, label: str) -> Side:
    here = Place(leaf.path, leaf.line, f"class {leaf.name}")
    for item in (leaf, *follower.tree.ancestors(leaf)):
        member = _member(item, name)
        if member is None or (isinstance(member, Method) and member.body.to_super):
            continue
        choices = member.choices
        choice = next((one for one in choices.found if one.label == label), None)
        if choice is not None:
            return _answer(follower, item, choice, here)
        place = Place(item.path, member.line, f"{item.name}.{name}")
        if not choices.found and isinstance(member, Method) and (member.abstract or member.body.status in _NOTHING):
            break
        if choices.is_open or not (choices.found or choices.hands_on):
            return Side(Status.UNKNOWN, f"{place.text} may have {label} in another way", (here, place))
        if not choices.hands_on and isinstance(member, Table):
            why = f"{place.text} has no {label}: it may be made of others"
            return Side(Status.UNKNOWN, why, (here, place))
        if not choices.hands_on:
            return Side(Status.MISSING, f"{place.text} has no branch for {label}", (here, place))
    return Side(Status.MISSING, f"neither {leaf.name} nor a class above has {label}", (here,))


def _member(item: ClassFacts, name: str) -> Method | Table | None:
    """What a class itself binds to a name."""
    return item.method(name) or next((table for table in item.tables if table.name == name), None)


def _answer(follower: Follower, item: ClassFacts, choice: Choice, here: Place) -> Side:
    place = Place(item.path, choice.line, choice.label)
    if choice.status is Status.IMPLEMENTED:
        return Side(choice.status, f"{item.name} computes {choice.label} in place", (here, place))
    if choice.status is not Status.UNKNOWN:
        does = "fails" if choice.status is Status.ERROR else "answers nothing"
        return Side(choice.status, f"the branch for {choice.label} {does}", (here, place))
    target = _class(follower, item.path, choice.target)
    name = choice.target.rpartition(":")[2]
    if target is None:
        body = follower.called(item.path, name) if name else None
        if body is None:
            return Side(Status.UNKNOWN, f"what {item.name} answers for {choice.label} was not found", (here, place))
        return Side(body.status, f"{name} {body.why}", (here, place))
    there = Place(target.path, target.line, f"class {target.name}")
    bodies = [
        follower.followed(target.path, target, one.body) for one in target.methods if not one.name.startswith("__")
    ]
    if not bodies:
        return Side(Status.UNKNOWN, f"{target.name} has no method of its own", (here, place, there))
    if all(body.status in _NOTHING for body in bodies):
        return Side(bodies[0].status, f"{target.name}: {bodies[0].why}", (here, place, there))
    return Side(
        Status.IMPLEMENTED, f"{item.name} answers {target.name}, which has methods that do work", (here, place, there)
    )


def _class(follower: Follower, path: str, target: str) -> ClassFacts | None:
    source, _, name = target.rpartition(":")
    if not source:
        return follower.tree.resolve(path, name) if name else None
    files = follower.tree.files(path, source, name)
    return next((found for file in files if (found := follower.tree.resolve(file, name))), None)
