"""Where a file names warp functions and the width of a warp, as far as AMD's compiler gets to see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from rewarp.lang.cpp.file import is_declaration
from rewarp.source import Span
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import arguments, closing
from rewarp.waves.support.names import LOGICAL, WARP_SIZE

_MEMBER = re.compile(rb"(?:\.|->)\s*\Z")
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(\w+)")
_DEFINED = re.compile(rb"#[ \t]*define[ \t]+\Z")
_OPENS = re.compile(rb"\s*\(")
_FIELD = re.compile(rb"\s*;")
_BODY = re.compile(rb"\s*(?:const\s*)?\{")
_MASK_FIRST = re.compile(rb"0[xX][fF]{8,16}[uUlL]*|\w*(?:FULL|WARP)\w*MASK\w*")


class Role(Enum):
    """What a name does where it stands."""

    CALL = "is called, or handed on"
    OWN = "is defined here"
    FIELD = "is a field of a type"
    MEMBER = "is a property of something"
    ASKED = "is only asked for by the preprocessor"


class Use(NamedTuple):
    name: bytes
    where: Span
    role: Role


def uses(analysis: Analysis) -> Iterator[Use]:
    """Every warp function and ``warpSize``, in no order; what AMD's compiler does not see is left out."""
    words = analysis.document.words
    for name in LOGICAL.keys() & words.keys():
        for at in words[name]:
            if analysis.reachable(at):
                yield Use(name, Span(at, at + len(name)), _role(analysis.text, name, at))


def _role(code: bytes, name: bytes, at: int) -> Role:
    line = code.rfind(b"\n", 0, at) + 1
    directive = _DIRECTIVE.match(code, line)
    if _DEFINED.search(code, max(line, at - 200), at):
        return Role.OWN
    if directive and directive[1] not in (b"define", b"pragma"):
        return Role.ASKED
    if _MEMBER.search(code, max(0, at - 20), at):
        return Role.MEMBER
    if not directive and is_declaration(code, at):
        if name == WARP_SIZE:
            return Role.FIELD if _FIELD.match(code, at + len(name)) else Role.OWN
        opens = _OPENS.match(code, at + len(name))
        if opens and _BODY.match(code, closing(code, opens.end() - 1)):
            return Role.OWN
    return Role.CALL


def use_width(code: bytes, use: Use) -> bytes:
    """How many lanes a shuffle is told to work on; empty where it is not."""
    given = _given(code, use)[3 if use.name.endswith(b"_sync") else 2 :]
    return code[slice(*given[0])] if given and b"shfl" in use.name else b""


def takes_mask_for_value(code: bytes, use: Use) -> bool:
    """``__shfl(0xffffffff, v, 1)``: no mask is asked for, so the mask itself goes from lane to lane."""
    given = _given(code, use)
    return (
        not use.name.endswith((b"_sync", b"__activemask", b"__syncwarp"))
        and len(given) > 1
        and bool(_MASK_FIRST.fullmatch(code[slice(*given[0])]))
    )


def _given(code: bytes, use: Use) -> list[Span]:
    opens = _OPENS.match(code, use.where.end)
    return arguments(code, opens.end() - 1) if opens else []
