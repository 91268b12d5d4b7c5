"""Strings that a program builds: kernel names above all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.rust.following.values import ANYTHING, HOLE, UNKNOWN, Value, either
from rewarp.parity.rust.reading.facts import Constant
from rewarp.parity.rust.reading.lowering import expressions_of
from rewarp.parity.rust.reading.tree import MacroCall

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame

MACROS = frozenset(("format", "concat", "stringify", "include_str", "include_bytes"))
_HOLE = re.compile(r"\{\{|\}\}|\{([^{}:]*)(?::[^{}]*)?\}")
_MOST = 600


def macro(frame: Frame, name: str, node: MacroCall) -> Value:
    """`format!`, `concat!`, `stringify!`."""
    every = frame.dtypes.every
    if name == "stringify":
        return Value(type="str", strings=((node.arguments.strip(), every),))
    if name.startswith("include"):
        return UNKNOWN
    arguments = expressions_of(node.arguments, node.line)
    # Written in a macro's arguments, `name = value` gives a name that the text can use.
    values = [frame.expression(argument, {0: every})[0] for argument in arguments]
    if name == "concat":
        return _joined(frame, values)
    if not values or len(values[0].strings) != 1:
        return UNKNOWN
    return _joined(frame, _pieces(frame, values[0].strings[0][0], values[1:]))


def _pieces(frame: Frame, template: str, given: list[Value]) -> list[Value]:
    every = frame.dtypes.every
    pieces: list[Value] = []
    at = following = 0
    for hole in _HOLE.finditer(template):
        pieces.append(Value(strings=((template[at : hole.start()], every),)))
        at = hole.end()
        if hole[0] in ("{{", "}}"):
            pieces.append(Value(strings=((hole[0][0], every),)))
            continue
        name = hole[1].strip()
        if name.isdigit():
            value = given[int(name)] if int(name) < len(given) else UNKNOWN
        elif name:
            value = frame.path(name)
        else:
            value = given[following] if following < len(given) else UNKNOWN
            following += 1
        pieces.append(value)
    pieces.append(Value(strings=((template[at:], every),)))
    return pieces


def options(frame: Frame, value: Value) -> tuple[tuple[str, int], ...]:
    """What a value may read inside a string."""
    if value.strings:
        return value.strings
    every = frame.dtypes.every
    return ((HOLE if value.subject == frame.axis != "" else ANYTHING, every),)


def _joined(frame: Frame, pieces: list[Value]) -> Value:
    found: list[tuple[str, int]] = [("", frame.dtypes.every)]
    for piece in pieces:
        more = options(frame, piece)
        if len(found) * len(more) > _MOST:
            more = ((ANYTHING, frame.dtypes.every),)
        found = [(text + added, mask & other) for text, mask in found for added, other in more if mask & other]
    return Value(type="str", strings=tuple(dict.fromkeys(found)))


def constant(frame: Frame, path: str) -> Value:
    """A constant of the project: a string, or a struct around one."""
    found = frame.index.constant(path, frame.function.path)
    return _value(frame, found) if found is not None else UNKNOWN


def associated(frame: Frame, generic: str, name: str) -> Value:
    """`U::KERNEL` of a type parameter: what every type that it can be has there."""
    written = " + ".join(bounds.lstrip(": ") for own, bounds in frame.function.bounds if own == generic)
    traits = {last_segment(part) for part in written.split("+")} - {""}
    found = frame.index.associated(name, traits)
    values = [_value(frame, constant) for constant in found]
    return either(values) if values and all(value.strings for value in values) else UNKNOWN


def _value(frame: Frame, constant: Constant) -> Value:
    key = f"{constant.path}:{constant.line}:{constant.name}:{constant.owner}"
    if key in frame.open_constants:
        return UNKNOWN
    values = expressions_of(constant.value.decode("utf-8", "replace"), constant.line)
    if len(values) != 1:
        return UNKNOWN
    frame.open_constants.add(key)
    value, _ = frame.expression(values[0], {0: frame.dtypes.every})
    frame.open_constants.discard(key)
    return value if value.strings or value.fields or value.holds else Value(type=last_segment(value.type))
