"""CMake files, compared as an NVIDIA build goes through them."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging.cmake import Command, NotRead, parse, residue

_SHOWN = 6
_WIDTH = 120


def compare_cmake(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    said = Says(path, before, after, "commands with AMD's switches off")
    try:
        old = residue(parse(before), context.switches["before"].is_off)
        new = residue(parse(after), context.switches["after"].is_off)
    except NotRead as error:
        return said(IsolationVerdict.UNPROVABLE, f"cannot be read with certainty: {error}")
    new = [command for command in new if not _is_new_switch(command, context)]
    if [_key(command) for command in old] == [_key(command) for command in new]:
        return said(IsolationVerdict.IDENTICAL, "the same commands run where AMD's switches are off")
    places = []
    for one, other in _hunks(old, new)[:_SHOWN]:
        text = " → ".join((_abbreviated(one) or "nothing", _abbreviated(other) or "nothing"))
        places.append(Place(one[0].line if one else None, other[0].line if other else None, text))
    shown = " ".join(place.text for place in places)
    doubts = {**context.switches["before"].doubts, **context.switches["after"].doubts}
    for name, why in doubts.items():
        if re.search(rf"\b{name}\b", shown):
            return said(IsolationVerdict.UNPROVABLE, f"{name} may be on for NVIDIA: {why}", places)
    if re.search(r"\b(else)?if\(", shown):
        return said(IsolationVerdict.UNPROVABLE, "what a condition comes to for NVIDIA could not be told", places)
    return said(IsolationVerdict.DIFFERENT, "an NVIDIA build runs other commands", places)


def _key(command: Command) -> tuple[str, tuple[str, ...]]:
    return command.name, command.arguments


def _is_new_switch(command: Command, context: Context) -> bool:
    """A switch that nobody had heard of, and that is off unless asked for."""
    if command.name != "option" or not command.arguments:
        return False
    name = command.arguments[0]
    return context.switches["after"].is_off(name) and not context.trees.containing(name, "before")


def _hunks(old: list[Command], new: list[Command]) -> list[tuple[list[Command], list[Command]]]:
    matcher = SequenceMatcher(None, [_key(c) for c in old], [_key(c) for c in new], autojunk=False)
    return [(old[a:b], new[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _abbreviated(commands: list[Command]) -> str:
    text = " ".join(f"{command.name}({' '.join(command.arguments)})" for command in commands)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
