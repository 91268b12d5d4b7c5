"""Masks of lanes that functions get from their callers in 32 bits: a project's own shuffle, and whoever hands one on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

from rewarp.source import Span
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import ALL_LANES, SHUFFLE_HELPER, TAKES_MASK

NARROW_TYPE = rb"(?:unsigned(?:\s+int)?|uint32_t|uint|int|int32_t)"
XOR_NAMES = (b"lane_mask", b"laneMask", b"lanemask")
"""What CUDA's manual calls the offset of a shuffle by xor."""
_PARAMETER = re.compile(
    rb"[(,]\s*(?:const\s+)?(?P<declared>" + NARROW_TYPE + rb"\s+(?:const\s+)?(?P<name>\w*[mM]ask\w*|MASK))\s*(?=[,)=])"
)
_CALL = rb"\b%s\s*(?:<[\w\s,:]*>\s*)?\("
_ANY_CALL = re.compile(_CALL % rb"([A-Za-z_]\w*)")
_ROUNDS = 3


class Parameter(NamedTuple):
    """A parameter that is a mask of lanes in 32 bits."""

    where: Span
    """Its type and name."""
    name: bytes
    function: str


class Given(NamedTuple):
    """A mask of all 32 lanes that is written out for such a parameter."""

    where: Span
    function: str


def narrow_mask_parameters(analysis: Analysis) -> tuple[list[Parameter], list[Given]]:
    """The masks that functions of this file get in 32 bits, and those that callers write out for them."""
    found: list[Parameter] = []
    waiting: list[tuple[Roles, re.Match[bytes]]] = []
    taking: dict[str, set[int]] = {}
    for roles in analysis.functions:
        if roles.function.is_macro or b"ask" not in analysis.code.slice(roles.function.head).lower():
            continue
        for match in _PARAMETER.finditer(analysis.text, *roles.function.head):
            if not analysis.reachable(match.start()):
                continue
            if _is_for_warps(roles, match["name"]):
                found.append(_found(roles, match, taking))
            else:
                waiting.append((roles, match))
    for _ in range(_ROUNDS):
        hands_on = [_hands_on(analysis, roles, match["name"], taking) for roles, match in waiting]
        found += [_found(*item, taking) for item in compress(waiting, hands_on)]
        waiting = [item for item, hands in zip(waiting, hands_on) if not hands]
        if not any(hands_on):
            break
    return found, list(_given(analysis, taking))


def _given(analysis: Analysis, taking: dict[str, set[int]]) -> Iterator[Given]:
    """``total(v, 0xffffffff)``"""
    for callee, places in taking.items():
        for call in analysis.at_name(callee.encode(), _ANY_CALL):
            given = analysis.code.arguments(call.end() - 1)
            for place in places:
                if place < len(given) and ALL_LANES.fullmatch(analysis.code.slice(given[place])):
                    yield Given(given[place], callee)


def _found(roles: Roles, match: re.Match[bytes], taking: dict[str, set[int]]) -> Parameter:
    name = roles.function.name
    if match["name"] in roles.parameters:
        taking.setdefault(name, set()).add(roles.parameters.index(match["name"]))
    return Parameter(Span(*match.span("declared")), match["name"], name)


def _is_for_warps(roles: Roles, word: bytes) -> bool:
    """Whether a function is a shuffle itself, or hands the mask to one."""
    name = roles.function.name.encode()
    narrow_mask_parameters = re.search(
        rb"_sync\s*\(\s*" + word + rb"\b|\b\w*(?i:shfl|ballot|shuffle)\w*\s*\(\s*" + word + rb"\b", roles.text
    )
    is_shuffle = TAKES_MASK.fullmatch(name) or SHUFFLE_HELPER.fullmatch(name)
    return bool(narrow_mask_parameters or (is_shuffle and word not in XOR_NAMES))


def _hands_on(analysis: Analysis, roles: Roles, word: bytes, taking: dict[str, set[int]]) -> bool:
    """Whether a function gives its mask to one of this file that takes a mask there."""
    for call in _ANY_CALL.finditer(analysis.text, *roles.function.body):
        if places := taking.get(call[1].decode()):
            given = [analysis.code.slice(span) for span in analysis.code.arguments(call.end() - 1)]
            if any(place < len(given) and given[place] == word for place in places):
                return True
    return False
