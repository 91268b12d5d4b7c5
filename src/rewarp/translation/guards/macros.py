"""The macros that are defined under a file's ``#if`` conditions, and those that ask for them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.translation.guards.conditions import NAMES_CUDA, TESTED
from rewarp.translation.span_set import Places

_DECLARES = re.compile(rb"\b(?:__device__|inline|template|struct|class|static)\b")
DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)")


def unportable_macros(document: CodeFile, bad_places: list[int]) -> set[bytes]:
    """Macros that switch on code without a meaning on AMD."""
    found: set[bytes] = set()
    places = sorted(bad_places)
    for conditional in document.every_conditional() if places else ():
        for arm in conditional.arms:
            if arm.test.word == "else" or arm.test.word.endswith("ndef"):
                continue
            first, last = (bisect_left(places, at) for at in arm.body)
            if first < last:
                found.update(_required(arm.test))
    return found


def declares_under_conditions(document: CodeFile, places: list[int]) -> bool:
    """Whether a branch that holds one of the places may declare something that other code needs."""
    ordered = sorted(places)
    for conditional in document.every_conditional():
        if not any(NAMES_CUDA.search(arm.test.condition) for arm in conditional.arms):
            continue
        for arm in conditional.arms:
            first, last = (bisect_left(ordered, at) for at in arm.body)
            if first < last and _DECLARES.search(document.code, *arm.body):
                return True
    return False


def macros_by_guard(document: CodeFile) -> tuple[set[bytes], set[bytes]]:
    """Macros that are defined under a test of NVIDIA's macros, and those defined elsewhere."""
    guarded = Places(
        arm.body
        for conditional in document.every_conditional()
        if any(word in TESTED for arm in conditional.arms for word in re.findall(rb"\w+", arm.test.condition.encode()))
        for arm in conditional.arms
    )
    under: set[bytes] = set()
    elsewhere: set[bytes] = set()
    for match in DEFINE.finditer(document.code):
        (under if match.start() in guarded else elsewhere).add(match[1])
    return under, elsewhere


def _required(test: Directive) -> Iterator[bytes]:
    """The macros that a condition needs defined."""
    for word in set(re.findall(r"[A-Za-z_]\w*", test.condition)) - {"defined"}:

        def without(name: str, word: str = word) -> Macro:
            return False if name == word else None

        if fold_directive(test.word, test.condition, without) is False and word.encode() not in TESTED:
            yield word.encode()
