"""C++ expressions as far as yes and no go: conditions, comparisons, calls, and paths to what a function was given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

from rewarp.parity.cpp.reading.statements import Expression
from rewarp.parity.cpp.reading.tokens import Tokens

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_CAST_TYPE = re.compile(r"([A-Za-z_]\w*|\*|&|::|<|>)\Z")
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast"})
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*_\w+|k[A-Z]\w*|[A-Z][A-Za-z0-9]*")
_ASSIGNING = frozenset("+-*/%&|^<>!")
_DEEP = 60


@dataclass(frozen=True)
class Junction:
    """`a || b || c`, or the same with `&&`."""

    parts: tuple[Node, ...]
    decisive: bool
    """What one part must be to decide: true for `||`."""


@dataclass(frozen=True)
class Not:
    inner: Node


@dataclass(frozen=True)
class Choice:
    test: Node
    yes: Node
    no: Node


@dataclass(frozen=True)
class Equality:
    left: Expression
    right: Expression
    negated: bool


@dataclass(frozen=True)
class Call:
    name: str
    index: int
    arguments: tuple[Expression, ...]
    of_something: bool
    """`thing.name(…)`: a method."""


@dataclass(frozen=True)
class Other:
    what: Expression


Node = Union[Junction, Not, Choice, Equality, Call, Other]


def is_constant(text: str) -> bool:
    """Whether a name is an enumerator, as far as its shape tells."""
    return bool(_CONSTANT.fullmatch(text))


def last_name(path: str) -> str:
    """`ns::Kind::Half` is `Half`."""
    return path.rpartition("::")[2]


def find(tokens: Tokens, what: Expression, wanted: str) -> int | None:
    """The first place of an operator outside all brackets; `=` is none of `+=`."""
    texts, partner = tokens.list, tokens.partner
    index, end = what
    while index < end:
        text = texts[index]
        if text == wanted:
            return None if wanted == "=" and texts[index - 1] in _ASSIGNING else index
        index = max(partner.get(index, index), index) + 1 if text in ("(", "[", "{") else index + 1
    return None


def split(tokens: Tokens, what: Expression, separator: str) -> tuple[Expression, ...]:
    start, end = what
    if start >= end:
        return ()
    parts: list[Expression] = []
    while (at := find(tokens, (start, end), separator)) is not None:
        parts.append((start, at))
        start = at + 1
    return (*parts, (start, end))


def call_at(tokens: Tokens, index: int, end: int) -> Call | None:
    """The call of the name that stands here, past template arguments."""
    texts = tokens.list
    if not _NAME.match(texts[index]):
        return None
    at = index + 1
    if texts[at] == "<":
        depth = 0
        for at in range(index + 1, min(end, index + 60)):
            text = texts[at]
            depth += (text == "<") - (len(text) if text in (">", ">>>") else 0)
            if depth <= 0:
                break
        at += 1
    if at >= end or texts[at] != "(" or at not in tokens.partner:
        return None
    arguments = split(tokens, (at + 1, tokens.partner[at]), ",")
    return Call(texts[index], index, arguments, texts[index - 1] in ("->", "."))


def end_of(tokens: Tokens, call: Call) -> int:
    """The `)` of a call."""
    at = call.index + 1
    while tokens.list[at] != "(":
        at += 1
    return tokens.partner[at]


def parse_expression(tokens: Tokens, what: Expression, depth: int = 0) -> Node:
    key = ("expression", what)
    node: Node | None = tokens.memory.get(key)
    if node is None:
        node = tokens.memory[key] = _parse(tokens, what, depth)
    return node


def _parse(tokens: Tokens, what: Expression, depth: int) -> Node:
    start, end = what
    if start >= end or depth > _DEEP:
        return Other(what)

    def inner(part: Expression) -> Node:
        return parse_expression(tokens, part, depth + 1)

    question = find(tokens, what, "?")
    if question is not None:
        colon = find(tokens, (question + 1, end), ":")
        if colon is None:
            return Other(what)
        return Choice(inner((start, question)), inner((question + 1, colon)), inner((colon + 1, end)))
    for operator in ("||", "&&"):
        parts = split(tokens, what, operator)
        if len(parts) > 1:
            return Junction(tuple(map(inner, parts)), operator == "||")
    for operator in ("==", "!="):
        at = find(tokens, what, operator)
        if at is not None:
            return Equality((start, at), (at + 1, end), operator == "!=")
    if tokens.list[start] == "!":
        return Not(inner((start + 1, end)))
    if tokens.list[start] == "(" and tokens.partner.get(start) == end - 1:
        return inner((start + 1, end - 1))
    call = call_at(tokens, start, end)
    return call if call and end_of(tokens, call) == end - 1 else Other(what)


def calls(tokens: Tokens, what: Expression) -> tuple[Call, ...]:
    """The calls that an expression makes whatever happens, outermost first; none of those in a lambda."""
    key = ("calls", what)
    found: tuple[Call, ...] | None = tokens.memory.get(key)
    if found is None:
        found = tokens.memory[key] = tuple(_calls(tokens, what))
    return found


def _calls(tokens: Tokens, what: Expression) -> list[Call]:
    if any(find(tokens, what, word) is not None for word in ("?", "&&", "||")):
        return []
    found: list[Call] = []
    index, end = what
    while index < end:
        if tokens.list[index] == "{":
            index = tokens.partner.get(index, index) + 1
            continue
        call = call_at(tokens, index, end)
        if call:
            found.append(call)
        index += 1
    return found


def path(tokens: Tokens, what: Expression, names: Mapping[str, object]) -> str | None:
    """An expression as a path from what the function was given: `src0->type` is `op->src[0]->type`.

    `names` holds the paths that local names stand for; a name that stands for something else has no path."""
    texts, partner = tokens.list, tokens.partner
    start, end = what
    while start < end:
        text = texts[start]
        if text in ("*", "&"):
            start += 1
        elif text == "(":
            close = partner.get(start, end)
            if close == end - 1:
                start, end = start + 1, end - 1
            elif _is_cast(tokens, start, close):
                start = close + 1
            else:
                return None
        elif text in _CASTS:
            call = call_at(tokens, start, end)
            if call is None or end_of(tokens, call) != end - 1 or not call.arguments:
                return None
            start, end = call.arguments[0]
        else:
            break
    if start >= end or not _NAME.match(texts[start]):
        return None
    head = names.get(texts[start], texts[start])
    return _rest_of_path(tokens, head, (start + 1, end), names) if isinstance(head, str) else None


def _is_cast(tokens: Tokens, start: int, close: int) -> bool:
    texts = tokens.list
    after = texts[close + 1]
    is_type = all(_CAST_TYPE.match(texts[index]) for index in range(start + 1, close))
    return is_type and bool(_NAME.match(after) or after in ("(", "*", "&"))


def _rest_of_path(tokens: Tokens, head: str, what: Expression, names: Mapping[str, object]) -> str | None:
    parts = [head]
    at, end = what
    while at < end:
        text = tokens.list[at]
        if text in (".", "->"):
            parts.append("->")
        elif text == "::" or _NAME.match(text):
            parts.append(text)
        elif text in ("(", "["):
            close = tokens.partner.get(at, end)
            inside = split(tokens, (at + 1, close), ",")
            inner = [path(tokens, part, names) or "".join(tokens.list[slice(*part)]) for part in inside]
            parts.append(text + ",".join(inner) + tokens.list[close])
            at = close
        else:
            return None
        at += 1
    return "".join(parts)
