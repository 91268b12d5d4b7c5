"""JSON Schema, made of the types that views declare for what they write: mypy holds a view to its type, and so to its schema.

A document is a TypedDict, or one of several. What a type of Python cannot say stands beside it: ``Annotated[int, "in characters", AtLeast(1)]``,
``Annotated[str, OneOf(Severity)]``. Objects are closed, unless they are ``opened``; what may be missing stands in a base with
``total=False``.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_WIDTH = 140
_opened: set[Any] = set()


class OneOf:
    """The values of an enum, or some words; None among them where the type has it."""

    def __init__(self, *values: type[Enum] | str) -> None:
        self.values = [word for one in values for word in ([one] if isinstance(one, str) else [it.value for it in one])]


@dataclass(frozen=True)
class AtLeast:
    number: int


@dataclass(frozen=True)
class AtMost:
    number: int


@dataclass(frozen=True)
class Items:
    """How many a list has at least and at most, and whether one may stand there twice."""

    least: int
    unique: bool = False
    most: int | None = None

    def schema(self) -> dict[str, Any]:
        most = {} if self.most is None else {"maxItems": self.most}
        return {"minItems": self.least, **most, **({"uniqueItems": True} if self.unique else {})}


@dataclass(frozen=True)
class EachOf:
    """A table with an entry for each value of an enum."""

    values: type[Enum]


@dataclass(frozen=True)
class Keys:
    """What the keys of a table are."""

    type: Any


class Needs:
    """Keys that a table always has."""

    def __init__(self, *keys: str) -> None:
        self.keys = list(keys)


@dataclass(frozen=True)
class Text:
    """A text of some form: a regular expression, or a format that JSON Schema has a name for."""

    pattern: str = ""
    format: str = ""


Document = TypeVar("Document", bound=type)


def opened(document: Document) -> Document:
    """A type to which others may add."""
    _opened.add(document)
    return document


def schema(document: Any, name: str, description: str) -> dict[str, Any]:
    """The schema of a document. A type that occurs more than once has a definition."""
    writer = _Writer(_repeated(document))
    body = writer.object(document) if is_typeddict(document) else writer.of(document)
    found = {"$schema": _DIALECT, "title": name, "description": description, **body}
    if writer.definitions:
        found["$defs"] = dict(sorted(writer.definitions.items()))
    return found


def text(schema: dict[str, Any]) -> str:
    """As JSON that can be read: what fits in a line stands in one."""
    return "\n".join(_lines(schema, "")) + "\n"


class _Writer:
    def __init__(self, repeated: frozenset[str]) -> None:
        self.definitions: dict[str, Any] = {}
        self._repeated = repeated

    def of(self, given: Any) -> dict[str, Any]:
        origin = get_origin(given)
        if origin is Annotated:
            return self._annotated(given)
        if given in _PLAIN:
            return {"type": _PLAIN[given]}
        if given is Any:
            return {}
        if is_typeddict(given):
            return self._named(given)
        if origin is Literal:
            words = list(get_args(given))
            return {"const": words[0]} if len(words) == 1 else {"enum": words}
        if origin is list:
            inner = get_args(given)[0]
            return {"type": "array", **({} if inner is Any else {"items": self.of(inner)})}
        if origin is tuple:
            members = get_args(given)
            count = {"items": False, "minItems": len(members)}
            return {"type": "array", "prefixItems": [self.of(one) for one in members], **count}
        if origin is dict:
            inner = get_args(given)[1]
            return {"type": "object", **({} if inner is Any else {"additionalProperties": self.of(inner)})}
        if origin in (Union, types.UnionType):
            return self._union(get_args(given))
        raise TypeError(f"JSON has no {given}")

    def _union(self, members: tuple[Any, ...]) -> dict[str, Any]:
        found = [self.of(member) for member in members]
        if all(set(one) == {"type"} for one in found):
            return {"type": [one["type"] for one in found]}
        return {"anyOf": found}

    def _annotated(self, given: Any) -> dict[str, Any]:
        inner, *notes = get_args(given)
        found = self.of(inner)
        for note in notes:
            if isinstance(note, str):
                found = {**found, "description": note}
            elif isinstance(note, OneOf):
                may_miss = isinstance(found.get("type"), list) and "null" in found["type"]
                rest = {key: value for key, value in found.items() if key != "type"}
                found = {"enum": [*note.values, *([None] if may_miss else [])], **rest}
            elif isinstance(note, Keys):
                found = {**found, "propertyNames": self.of(note.type)}
            elif isinstance(note, Needs):
                found = {**found, "required": note.keys}
            elif isinstance(note, Items):
                found = {**found, **note.schema()}
            elif isinstance(note, EachOf):
                names = [str(one.value) for one in note.values]
                entry = found["additionalProperties"]
                properties = dict.fromkeys(names, entry)
                found = {"type": "object", "additionalProperties": False, "required": names, "properties": properties}
            elif isinstance(note, AtLeast):
                found = {**found, "minimum": note.number}
            elif isinstance(note, AtMost):
                found = {**found, "maximum": note.number}
            elif isinstance(note, Text):
                found = {**found, **{key: value for key, value in vars(note).items() if value}}
        return found

    def _named(self, given: Any) -> dict[str, Any]:
        name = _name(given)
        if name not in self._repeated:
            return self.object(given)
        if name not in self.definitions:
            self.definitions[name] = {}  # for a type that holds itself
            self.definitions[name] = self.object(given)
        return {"$ref": f"#/$defs/{name}"}

    def object(self, given: Any) -> dict[str, Any]:
        hints = get_type_hints(given, include_extras=True)
        needed = [name for name in hints if name in given.__required_keys__]
        found: dict[str, Any] = {"type": "object"}
        if given not in _opened:
            found["additionalProperties"] = False
        if needed:
            found["required"] = needed
        return {**found, "properties": {name: self.of(hint) for name, hint in hints.items()}}


def _name(given: Any) -> str:
    return str(given.__name__)


def _repeated(document: Any) -> frozenset[str]:
    """Types that occur in more than one place."""
    seen: list[str] = []
    open_ones: list[Any] = [document]
    while open_ones:
        given = open_ones.pop()
        if is_typeddict(given):
            seen.append(_name(given))
            if seen.count(_name(given)) == 1:
                open_ones += get_type_hints(given, include_extras=True).values()
        else:
            open_ones += [one for one in get_args(given) if get_origin(given) is not Literal]
    return frozenset(name for name in seen if seen.count(name) > 1)


def _lines(value: Any, indent: str, before: str = "") -> Iterable[str]:
    import json  # late: views declare their documents here, and most write none

    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(indent) + len(before) + len(flat) < _WIDTH:
        return [f"{indent}{before}{flat}"]
    items = value.items() if isinstance(value, dict) else [("", one) for one in value]
    inner = [
        list(_lines(one, indent + " ", f"{json.dumps(key)}: " if isinstance(value, dict) else "")) for key, one in items
    ]
    for block in inner[:-1]:
        block[-1] += ","
    ends = "{}" if isinstance(value, dict) else "[]"
    return [f"{indent}{before}{ends[0]}", *(line for block in inner for line in block), f"{indent}{ends[1]}"]
