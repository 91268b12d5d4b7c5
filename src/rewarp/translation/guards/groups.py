"""The conditional compilation of a file as groups of branches, and the macros that are defined in them or ask for them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.source import Span
from rewarp.translation.guards.conditions import NAMES_CUDA, TESTED
from rewarp.translation.span_set import Places

_DECLARES = re.compile(rb"\b(?:__device__|inline|template|struct|class|static)\b")
DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)")


class Branch(NamedTuple):
    """What lies between two directives of one ``#if``."""

    test: Directive
    body: Span
    nested: list[Group]


@dataclass
class Group:
    """An ``#if`` with its ``#elif`` and ``#else``."""

    branches: list[Branch] = field(default_factory=list)
    decided: dict[str, Macro] = field(default_factory=dict)
    """What was pretended for it; empty when it tests no macro of NVIDIA's."""
    on_host: dict[str, Macro] = field(default_factory=dict)
    """The same where the host's code is compiled."""
    portable: bool = True

    @property
    def end(self) -> int:
        return self.branches[-1].body.end


def groups(document: CodeFile) -> list[Group]:
    """The file's conditional compilation, with room for what is decided about it."""
    every = list(document.every_conditional())
    made = {id(one): Group() for one in every}
    for one in every:
        made[id(one)].branches = [
            Branch(arm.test, arm.body, [made[id(inner)] for inner in arm.nested]) for arm in one.arms
        ]
    return [made[id(one)] for one in document.conditionals]


def every(found: list[Group]) -> Iterator[Group]:
    """Groups and those inside them, each before what it holds. They may nest deeper than Python's stack."""
    pending = [*reversed(found)]
    while pending:
        group = pending.pop()
        yield group
        pending += (inner for branch in reversed(group.branches) for inner in reversed(branch.nested))


def unportable_macros(tree: list[Group], bad_places: list[int]) -> set[bytes]:
    """Macros that switch on code without a meaning on AMD."""
    found: set[bytes] = set()
    places = sorted(bad_places)
    for group in every(tree) if places else ():
        for branch in group.branches:
            if branch.test.word == "else" or branch.test.word.endswith("ndef"):
                continue
            first, last = (bisect_left(places, at) for at in branch.body)
            if first < last:
                found.update(_required(branch.test))
    return found


def declares_under_conditions(tree: list[Group], code: bytes, places: list[int]) -> bool:
    """Whether a branch that holds one of the places may declare something that other code needs."""
    ordered = sorted(places)
    for group in every(tree):
        if not any(NAMES_CUDA.search(branch.test.condition) for branch in group.branches):
            continue
        for branch in group.branches:
            first, last = (bisect_left(ordered, at) for at in branch.body)
            if first < last and _DECLARES.search(code, *branch.body):
                return True
    return False


def macros_by_guard(tree: list[Group], code: bytes) -> tuple[set[bytes], set[bytes]]:
    """Macros that are defined under a test of NVIDIA's macros, and those defined elsewhere."""
    guarded = Places(
        branch.body
        for group in every(tree)
        if any(
            word in TESTED for branch in group.branches for word in re.findall(rb"\w+", branch.test.condition.encode())
        )
        for branch in group.branches
    )
    under: set[bytes] = set()
    elsewhere: set[bytes] = set()
    for match in DEFINE.finditer(code):
        (under if match.start() in guarded else elsewhere).add(match[1])
    return under, elsewhere


def _required(test: Directive) -> Iterator[bytes]:
    """The macros that a condition needs defined."""
    for word in set(re.findall(r"[A-Za-z_]\w*", test.condition)) - {"defined"}:

        def without(name: str, word: str = word) -> Macro:
            return False if name == word else None

        if fold_directive(test.word, test.condition, without) is False and word.encode() not in TESTED:
            yield word.encode()
