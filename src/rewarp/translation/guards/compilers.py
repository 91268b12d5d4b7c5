"""What compilers have defined, and what they make of a condition: HIP's, torch's for AMD, others."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import Conditional
from rewarp.translation.changes import Project
from rewarp.translation.guards.conditions import ARCH
from rewarp.translation.guards.decision import Decision

_COMPILER_MACROS = re.compile(r"__HIP(CC|_PLATFORM_(AMD|HCC))?__|__AMDGCN__|__AMDGPU__")
_TORCH_MACRO = "USE_ROCM"
"""What torch defines when it builds an extension for AMD. Other builds need not, so both branches are translated."""
NAMES_HIP = re.compile(r"\b(?:__(?:HIP|AMDG)|USE_ROCM\b)")
NAMES_TORCH = re.compile(_TORCH_MACRO)
_NOT_HIP_MACROS = re.compile(r"__HIP_PLATFORM_NV(CC|IDIA)__|__NVCOMPILER")
DEVICE = "__HIP_DEVICE_COMPILE__"


@lru_cache(maxsize=4096)
def settled_by_hip(word: str, condition: str) -> bool | None:
    return fold_directive(word, condition, hip_macro)


def hip_macro(name: str) -> Macro:
    """What HIP's compiler itself defines; None for what only a build could say."""
    if _COMPILER_MACROS.fullmatch(name):
        return True
    return False if _NOT_HIP_MACROS.fullmatch(name) else None


def _torch_macro(name: str) -> Macro:
    """The same in a build of torch's for AMD."""
    return True if name == _TORCH_MACRO else hip_macro(name)


def _no_hip_macro(name: str) -> Macro:
    """The same on another compiler."""
    return False if _torch_macro(name) else None


class World(NamedTuple):
    """A compiler and what it has defined; the name tells it from others."""

    name: tuple[object, ...]
    macro: Callable[[str], Macro]


ON_HIP = World(("hip",), hip_macro)
IN_TORCH = World(("torch",), _torch_macro)
ELSEWHERE = World(("elsewhere",), _no_hip_macro)


class Compilers:
    """What the project's files and a pretended GPU make of conditions."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.aliases = frozenset(name.decode() for name in project.arch_aliases)

    def on_device(self, conditional: Conditional, decision: Decision) -> list[bool | None]:
        """For each arm whether the compiler takes it by what was decided."""
        return self.compiled(conditional, self.pretending(decision.pretended))

    def on_host(self, conditional: Conditional, decision: Decision) -> list[bool | None]:
        return self.compiled(conditional, self.pretending(decision.on_host, on_device=False))

    def pretending(self, pretended: dict[str, Macro], *, on_device: bool = True) -> World:
        """HIP's compiler with these macros of NVIDIA's."""

        def macro(name: str) -> Macro:
            if name in pretended:
                return pretended[name]
            if name in self.aliases and pretended:
                return pretended[ARCH]
            if name == DEVICE:
                return on_device
            if name.encode() in self.project.unportable_macros:
                return False
            known = hip_macro(name)
            return known if known is not None else self.project.numbers.get(name.encode())

        return World((pretended.get(ARCH), pretended.get("CUDART_VERSION"), on_device), macro)

    def fold(self, word: str, condition: str, world: World) -> bool | None:
        """The truth of a condition there. A project asks the same few over and over."""
        key = (word, condition, world.name)
        folds = self.project.folds
        if key not in folds:
            folds[key] = fold_directive(word, condition, world.macro)
        return folds[key]

    def compiled(self, conditional: Conditional, world: World) -> list[bool | None]:
        """For each arm whether the compiler takes it."""
        return conditional.compiled(lambda test: self.fold(test.word, test.condition, world))
