"""Operators on vector types. HIP's ``float4`` and its kin bring some, all of them lane by lane; a project's own clash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import NOT_ON_AMD, Changes, Options, Problem, Replacement
from rewarp.translation.code import definition_end, line_start
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import NO_TWIN

_VECTOR = rb"(?:u?(?:char|short|int|long|longlong)|float|double)[234]"
_TYPEDEF = re.compile(rb"\btypedef\s+(?P<meant>\w+)\s+(?P<name>\w+)\s*;|\busing\s+(?P<alias>\w+)\s*=\s*(?P<of>\w+)\s*;")
_CLASS = re.compile(rb"\b(?:struct|class|union)\s+(?:__\w+__\s*(?:\([^()]*\)\s*)?)?(?P<name>\w+)\s*(?:final\s*)?[:{]")
_LONGEST = 400
_PARAMETER = re.compile(
    rb"\s*(?P<const>const\s+)?(?P<type>\w+(?:\s+\w+)*?)\s*(?P<after>\bconst\s*)?(?P<reference>&?)\s*(?P<name>\b\w+)?\s*"
)


class _Parameter(NamedTuple):
    type: bytes
    name: bytes
    changeable: bool

    @property
    def is_vector(self) -> bool:
        return re.fullmatch(_VECTOR, self.type) is not None


def types_declared(code: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names for other types with what they stand for, and classes, which stand for themselves."""
    for match in _TYPEDEF.finditer(code):
        yield match["name"] or match["alias"], match["meant"] or match["of"]
    for match in _CLASS.finditer(code):
        yield match["name"], match["name"]


def may_be_vectors(declared: Iterable[tuple[bytes, bytes]]) -> set[bytes]:
    """The names that mean a vector type somewhere in a project."""
    found: set[bytes] = set()
    known = -1
    while len(found) > known:
        known = len(found)
        found |= {name for name, meant in declared if meant in found or re.fullmatch(_VECTOR, meant)}
    return found


def vector_aliases(declared: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Those of the names that one file sees that mean a vector type, and nothing else as well."""
    meanings: dict[bytes, set[bytes]] = {}
    for name, meant in declared:
        meanings.setdefault(name, set()).add(meant)
    found: dict[bytes, bytes] = {}
    for name in meanings:
        at, seen = name, {name}
        while len(meant_here := meanings.get(at, set())) == 1 and (at := next(iter(meant_here))) not in seen:
            seen.add(at)
        if name != at and at not in meanings and re.fullmatch(_VECTOR, at):
            found[name] = at
    return found


@lru_cache
def _patterns(aliases: frozenset[bytes]) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """A definition of an operator, and what may be the beginning of one that is about a vector."""
    vector = rb"(?:%b)" % rb"|".join([_VECTOR, *(re.escape(alias) + rb"\b" for alias in sorted(aliases))])
    definition = (
        rb"(?:^|(?<=[;}\n]))[ \t]*(?:template\s*<[^;{}]*>\s*)?(?:(?:inline|static|constexpr|extern|__host__|__device__"
        rb"|__forceinline__|__inline__|__noinline__|[A-Z][A-Z0-9_]*(?:\([^()]*\))?|__\w+__)\s+)*"
        rb"(?:const\s+)?(?:"
        + vector
        + rb"|(?!operator\b)[\w:]+)\s*&?\s*operator\s*(?P<operator>(?:[-+*/&|^%]|<<|>>)=|[-~*/])"
        rb"\s*\((?P<parameters>[^;{}()]*)\)\s*(?=[{;])"
    )
    operator = rb"operator\s*(?:[-+*/&|^%]=|<<=|>>=|[-~*/]\s*\()[^;{}]{0,1000}?" + vector
    return re.compile(definition), re.compile(operator)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if b"operator" not in view:
        return False
    aliases = options.project.vector_aliases.values()
    return _patterns(frozenset())[1].search(view) is not None or any(one in view for some in aliases for one in some)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Keeps the project's definitions of what HIP has too for other compilers, if they do the same."""
    changes = Changes()
    code = document.code
    newline = b"\r\n" if b"\r\n" in document.source.view[:4096] else b"\n"
    aliases = options.project.vector_aliases.get(document.source.path, {})
    definition, operators = _patterns(frozenset(aliases))
    for found in operators.finditer(code):
        begin = max(code.rfind(b";", 0, found.start()), code.rfind(b"}", 0, found.start()), 0)
        match = definition.search(code, begin, found.start() + _LONGEST)
        if not match or match.start("operator") < found.start():
            continue
        operator, parameters = match["operator"], _parameters(match["parameters"], aliases)
        if not _clashes(operator, parameters):
            continue
        start = line_start(code, match.start() + len(match[0]) - len(match[0].lstrip()))
        end = definition_end(code, match.end())
        if end is None or b"\\" in code[start:end] or code[start : match.start()].strip():
            continue
        if code[:start].rstrip().endswith(NOT_ON_AMD):
            continue
        body = code[match.end() : end]
        if body.startswith(b"{") and not _is_lane_by_lane(operator, parameters, body):
            changes.problems.append(_other_meaning(Span(match.start("operator"), match.end()), operator, parameters[0]))
            continue
        changes.replacements += [
            Replacement(start, start, NOT_ON_AMD + newline),
            Replacement(end, end, newline + b"#endif"),
        ]
    return changes


def _parameters(text: bytes, aliases: Mapping[bytes, bytes]) -> list[_Parameter]:
    found = [_PARAMETER.fullmatch(part) for part in text.split(b",")]
    return [
        _Parameter(
            aliases.get(match["type"], match["type"]),
            match["name"] or b"",
            bool(match["reference"]) and not (match["const"] or match["after"]),
        )
        for match in found
        if match
    ]


def _clashes(operator: bytes, parameters: Sequence[_Parameter]) -> bool:
    """Whether a call could mean HIP's operator as well: its members, and the products that are no templates."""
    if not parameters or not parameters[0].is_vector:
        return False
    if operator.endswith(b"="):
        return len(parameters) == 2 and parameters[0].changeable
    if len(parameters) == 2:
        return operator in (b"*", b"/") and parameters[0].type == parameters[1].type
    return operator in (b"-", b"~")


def _is_lane_by_lane(operator: bytes, parameters: Sequence[_Parameter], body: bytes) -> bool:
    """Whether a definition does what HIP's does. A product of complex numbers in a ``float2`` does not."""
    vector, left, right = parameters[0].type, parameters[0].name, parameters[-1].name
    sign = re.escape(operator.rstrip(b"="))
    lanes = [lane.encode() for lane in "xyzw"[: int(vector[-1:])]]
    if len(parameters) == 1:
        each = [rb"%b%b\.%b" % (sign, left, lane) for lane in lanes]
        whole = rb"(?!)"
    else:
        each = [rb"%b\.%b(?:=%b\.%b)?%b=?%b(?:\.%b)?" % (left, lane, left, lane, sign, right, lane) for lane in lanes]
        whole = rb"%b=%b%b%b" % (left, left, sign, right)
    if operator == b"/=":
        whole += rb"|(?:const)?%b(\w+)=1(?:\.0*)?f?/%b;%b\*=\1" % (vector[:-1], right, left)
    made = rb"(?:return)?(?:make_)?(?:%b)?[({]?(?:%b)[)}]*" % (vector, rb"[;,]".join(each))
    pattern = rb"\{(?:%b|(?:return)?(?:%b));(?:return%b;)?\}" % (made, whole, left)
    return re.fullmatch(pattern, b"".join(body.split())) is not None


def _other_meaning(where: Span, operator: bytes, parameter: _Parameter) -> Problem:
    name, vector = "operator" + operator.decode(), parameter.type.decode()
    return Problem(
        NO_TWIN,
        where,
        "unsupported",
        f"HIP's {vector} has an {name} of its own, lane by lane; a call cannot tell it from this one",
        "Make it a function with a name of its own, and call that where the operator is used.",
        name,
    )
