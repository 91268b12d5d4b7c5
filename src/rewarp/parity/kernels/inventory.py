"""Kernels that a back end's sources define, by the names that host code asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from rewarp.parity.units import Place, Problem

ONLY_CUDA = re.compile(r"__CUDACC\w*__|__CUDA_ARCH__|__CUDA_ARCH_\w+|CUDART_VERSION|CUDA_VERSION|__NVCC__")
"""Macros that only compilers for CUDA set."""
_WITHOUT = re.compile(r"!|<")
MACRO_DECIDES = "whose it is, a macro of the project's own decides"
_HOLE = re.compile(r"\{[^{}]*\}|\*")


class How(Enum):
    """How a kernel comes to be."""

    PLAIN = "plain"
    MACRO = "macro"
    """A macro of the project wrote its definition or its name."""
    TEMPLATE = "template"
    """A template: every instance that the code asks for comes to be."""
    INSTANCE = "template instance"
    """Instantiated or specialised explicitly."""
    STRING = "string"
    """In a string that is compiled at run time."""
    BINARY = "binary"
    """An entry of PTX text."""


@dataclass(frozen=True)
class Kernel:
    """One kernel symbol."""

    name: str
    path: str
    line: int
    how: How
    condition: str = ""
    """The `#if` conditions that decide whether it exists; empty where it always does."""
    arguments: str = ""
    """Template arguments of an instance, as written."""
    is_symbol: bool = True
    """Whether a driver finds it by this very name: `extern "C"`, a Metal function; not a C++ template or overload."""

    @property
    def place(self) -> Place:
        return Place(self.path, self.line, f"{self.name} ({self.how.value})")


@dataclass(frozen=True)
class Inventory:
    """Every kernel of one back end."""

    backend: str
    kernels: Mapping[str, Kernel]
    problems: tuple[Problem, ...] = ()
    """What could not be seen through: names from there are unknown, not missing."""
    shared_with: str | None = None
    """The back end whose sources this one compiles."""
    shared_by: tuple[Place, ...] = ()
    """The lines that show it: build script, alias header, `.hip` that includes a `.cu`."""
    shared_files: frozenset[str] = frozenset()
    """The sources of the other back end that this one compiles."""
    untold: Mapping[str, Place] = field(default_factory=dict)
    """By folder: sources of the other back end that PyTorch would translate, though no build file names this one."""
    elsewhere: Mapping[str, Place] = field(default_factory=dict)
    """Kernels of sources that no back end owns, behind a macro of the project's own (`KERNEL void f(`): whose, nobody says."""
    opaque: frozenset[str] = field(default_factory=frozenset)
    """Words that stand in names built where nothing can be seen; `*` where every name could be."""

    def has(self, name: str) -> bool:
        """Whether sources define a kernel of that name, a C++ template included."""
        return name in self.kernels

    def has_symbol(self, name: str) -> bool:
        """Whether host code that asks a driver for a name in a string would find it."""
        return name in self.kernels and self.kernels[name].is_symbol

    def is_unknown(self, name: str) -> bool:
        """Whether a name that is not here may exist all the same: what makes it could not be seen through."""
        return name not in self.kernels and ("*" in self.opaque or any(word in name for word in self.opaque))

    def why_unknown(self, kernel: Kernel) -> str:
        """Why a kernel of another back end, which is not here, may exist for this one all the same; empty where it may not."""
        if self.is_unknown(kernel.name):
            return "what makes such names could not be seen through"
        if kernel.path.rpartition("/")[0] in self.untold:
            return f"PyTorch would translate it for {self.backend}; the build names {self.backend} nowhere"
        if kernel.name in self.elsewhere:
            return f"a source that no back end owns has it; {MACRO_DECIDES}"
        return ""

    def doubt(self, name: str) -> str:
        """The condition under which a kernel exists, where it asks for what the compiler of this back end never sets."""
        kernel = self.kernels.get(name)
        if kernel is None or self.backend == "cuda" or not ONLY_CUDA.search(kernel.condition):
            return ""
        # What holds without the macro, such as `__CUDA_ARCH__ < 530`, is no reason for doubt.
        return "" if _WITHOUT.search(kernel.condition) else kernel.condition

    def matching(self, pattern: str) -> list[Kernel]:
        """The symbols that a pattern such as `badd_{}`, `{}_{}` or `badd_*` may mean."""
        wanted = _compiled(pattern)
        return [kernel for name, kernel in self.kernels.items() if kernel.is_symbol and wanted.fullmatch(name)]

    def places(self, names: Iterable[str]) -> list[Place]:
        return [self.kernels[name].place for name in names if name in self.kernels]


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(r"\w*".join(re.escape(part) for part in _HOLE.split(pattern)))
