"""How much of a back end's C++ the units stand for: its kernels, and its functions, followed from the units by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rewarp.parity import deadline
from rewarp.parity.cpp.comparing.kernels import may_be_elsewhere
from rewarp.parity.cpp.reading.declarations import Function
from rewarp.parity.cpp.reading.program import Program
from rewarp.parity.kernels import Inventory
from rewarp.parity.units import Coverage, Unit
from rewarp.project.role_names import is_aside

_HOLE = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t)?[diouxXsc]|\{[^{}]*\}")
_PLAIN = re.compile(r"\w+")
_TELLING = 5
"""Letters that a name with holes must spell out, so that it means no other kernel."""
_DEVICE = frozenset({"__device__", "__global__", "kernel", "__kernel"})


def coverage(program: Program, inventory: Inventory, units: Iterable[Unit], other: Program) -> list[Coverage]:
    """Of the leading back end; what the other compiles from the very same file it has."""
    found = list(units)
    named = {unit.name for unit in found if unit.kind == "kernel"} | {name for unit in found for name in unit.a.kernels}
    functions, words = _reached(program, found, named)
    put_together = _put_together(words)
    kernels: dict[str, bool] = {}
    for name, kernel in inventory.kernels.items():
        if not is_aside(kernel.path):
            template = name.partition("<")[0]  # its instances are one kernel
            seen = name in named or template in words or put_together.fullmatch(template) is not None
            kernels[template] = kernels.get(template, False) or seen
    own: dict[str, tuple[str, bool]] = {}
    for function in program.functions:
        if program.owns(function.path) and not function.flags & _DEVICE and not function.name.startswith("~"):
            place, seen = own.get(function.qualified, (f"{function.path}:{function.line}", False))
            own[function.qualified] = place, seen or id(function) in functions or other.owns(function.path)
    hosts = {f"{name} ({place})": seen for name, (place, seen) in own.items()}
    return [Coverage.of("kernels", kernels), Coverage.of("host functions", hosts)]


def _put_together(words: Iterable[str]) -> re.Pattern[str]:
    """The names that code puts together when it runs: `"reduce_%s_%u"` asks for `reduce_add_32`."""
    forms = {tuple(_HOLE.split(word)) for word in words if "%" in word or "{" in word}
    telling = [parts for parts in forms if _PLAIN.fullmatch("".join(parts)) and len("".join(parts)) >= _TELLING]
    return re.compile("|".join(r"\w+".join(parts) for parts in sorted(telling)) or r"(?!)")


def without_doubles(program: Program, units: list[Unit], other: str) -> list[Unit]:
    """Of kernels that may go by another name in B's own language, or that B may do otherwise, those are no units of their own that the code of another
    unit launches: what B does there was told with that unit."""
    doubtful = {unit.key for unit in units if unit.kind == "kernel" and may_be_elsewhere(unit.b, other)}
    others = [unit for unit in units if unit.kind != "kernel" and unit.scored]
    if not doubtful or not others:
        return units
    _, words = _reached(program, others, set())
    return [
        replace(unit, scored=False) if unit.key in doubtful and unit.name.partition("<")[0] in words else unit
        for unit in units
    ]


def _reached(program: Program, units: list[Unit], kernels: set[str]) -> tuple[set[int], set[str]]:
    """The functions that the units' own lead to, those that launch kernels that are units, and the names in all these."""
    places = {(place.path, place.line) for unit in units for place in unit.a.evidence}
    files = {unit.a.evidence[-1].path for unit in units if unit.a.evidence and unit.kind == "registered operation"}
    classes = {unit.name for unit in units if unit.kind == "specialisation"}
    waiting = [one for one in program.functions if _stands_for(one, places, files)]
    for name, items in program.classes.items():
        if any((item.path, item.line) in places for item in items) or name in classes:
            waiting += [one for one in program.functions if one.owner == name]
    for one in program.functions if kernels else ():
        if one.body and kernels.intersection(one.tokens.list[slice(*one.body)]):
            waiting.append(one)
    seen: set[int] = set()
    words: set[str] = set()
    while waiting:
        deadline.check()
        function = waiting.pop()
        if id(function) in seen or function.body is None:
            continue
        seen.add(id(function))
        start, end = function.body
        for index in range(start, end):
            text = function.tokens.list[index]
            if text.startswith('"'):
                words.add(function.tokens.literal(index))
            elif text not in words or text in program.by_name:
                words.add(text)
                waiting += [one for one in program.by_name.get(text, ()) if id(one) not in seen]
    return seen, words


def _stands_for(function: Function, places: set[tuple[str, int]], files: set[str]) -> bool:
    return (function.path, function.line) in places or function.path in files
