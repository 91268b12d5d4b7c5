"""Conditions on NVIDIA's macros: how they look, by which names, and the numbers that they hold one against."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from rewarp.lang.cpp.conditions import Macro, number
from rewarp.lang.cpp.file import Directive
from rewarp.translation import nvidia_equivalent
from rewarp.translation.changes import Project
from rewarp.translation.lexing import Lexed

ARCH = "__CUDA_ARCH__"
_VERSIONS = ("CUDART_VERSION", "CUDA_VERSION", "__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__", "__CUDACC_VER_BUILD__")
TESTED = frozenset(name.encode() for name in (ARCH, *_VERSIONS))
"""The macros whose conditions are decided here."""
NAMES_CUDA = re.compile(r"\b(?:__CUDA_ARCH__|CUDART_VERSION|CUDA_VERSION|__CUDACC_VER_(?:MAJOR|MINOR|BUILD)__)\b")
_OPERATOR = rb"(?:[<>=!]=|[<>])"
MACRO = rb"(?:__CUDA_ARCH__|CUDART_VERSION|CUDA_VERSION|__CUDACC_VER_(?:MAJOR|MINOR|BUILD)__)"
_VALUE = rb"(?:\(\s*" + MACRO + rb"\s*\)|" + MACRO + rb")(?:\s*[/%*+-]\s*\d+)*"
_ATOM = re.compile(
    rb"\bdefined\s*\(\s*" + MACRO + rb"\s*\)|\bdefined\s+" + MACRO + rb"\b"
    rb"|(?<![\w)])" + _VALUE + rb"\s*" + _OPERATOR + rb"\s*\w+(?!\s*[(*/%+-])"
    rb"|(?<![\w)*/%+-])\w+\s*" + _OPERATOR + rb"\s*" + _VALUE + rb"(?![\w(])"
    rb"|(?<!\w)" + MACRO + rb"(?!\w)"
)
_ARCH_ALIAS = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?[ \t]*__CUDA_ARCH__[ \t]*\)?[ \t]*\r?$", re.M
)
_WORD = re.compile(rb"[A-Za-z_]\w*")


class _Words(NamedTuple):
    """What conditions on NVIDIA's macros look like, where a project has further names for the architecture."""

    named: re.Pattern[str]
    atom: re.Pattern[bytes]


@cache
def words(aliases: frozenset[bytes]) -> _Words:
    if not aliases:
        return _Words(NAMES_CUDA, _ATOM)
    names = b"|".join(sorted(map(re.escape, aliases)))
    atom = _ATOM.pattern.replace(b"(?:__CUDA_ARCH__|", b"(?:" + names + b"|__CUDA_ARCH__|")
    named = NAMES_CUDA.pattern.replace("(?:__CUDA_ARCH__|", f"(?:{names.decode()}|__CUDA_ARCH__|")
    return _Words(re.compile(named), re.compile(atom))


def arch_aliases(code: bytes) -> set[bytes]:
    """Macros that a file defines as ``__CUDA_ARCH__``."""
    return {match[1] for match in _ARCH_ALIAS.finditer(code)} if ARCH.encode() in code else set()


def asks_for_arch(lexed: Lexed, view: bytes, aliases: Collection[bytes]) -> bool:
    """Whether a file names one of the macros whose conditions are decided here, by its own name or by the project's."""
    return not TESTED.isdisjoint(lexed.names) or any(name in view for name in aliases)


class Candidate(NamedTuple):
    arch: Macro
    version: int

    def macros(self) -> dict[str, Macro]:
        return nvidia_equivalent.macros(self.arch, self.version)


def candidates(tests: list[Directive], project: Project) -> Iterator[Candidate]:
    """What to pretend, what AMD GPUs come closest to first: each number that the conditions name, and its neighbours."""
    arches, versions = {nvidia_equivalent.ARCH}, {nvidia_equivalent.CUDA}
    for test in tests:
        for atom in words(project.arch_aliases).atom.finditer(test.condition.encode()):
            into = arches if _is_arch(atom[0], project) else versions
            major = b"MAJOR" in atom[0] or b"MINOR" in atom[0]
            for value in _numbers(atom[0], project):
                at = value * (1000 if b"MAJOR" in atom[0] else 10) if major else value
                into.update((at, at - 10) if major else (at, at - 1, at + 1))
    yield from (
        Candidate(arch, version)
        for arch, version in product(
            (*_nearest(arches, nvidia_equivalent.ARCH), False), _nearest(versions, nvidia_equivalent.CUDA)
        )
    )


def _numbers(atom: bytes, project: Project) -> Iterator[int]:
    scale = 1
    for match in re.finditer(rb"/\s*(\d+)", atom):
        scale *= int(match[1]) or 1
    atom = re.sub(rb"[/%*+-]\s*\d+", b"", atom)
    for word in re.findall(rb"\w+", atom):
        value = number(word.decode(), lambda name: project.numbers.get(name.encode()))
        if value is not None and word.decode() not in (
            ARCH,
            *_VERSIONS,
            *(name.decode() for name in project.arch_aliases),
        ):
            yield value * scale


def _is_arch(atom: bytes, project: Project) -> bool:
    return any(word == ARCH.encode() or word in project.arch_aliases for word in _WORD.findall(atom))


def _nearest(values: set[int], first: int) -> list[int]:
    """The first one, then older ones, newest first, then newer ones, oldest first."""
    older = sorted((value for value in values if value < first), reverse=True)
    return [first, *older, *sorted(value for value in values if value > first)]
