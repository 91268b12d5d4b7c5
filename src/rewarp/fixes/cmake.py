"""What a fix of CMake commands gets: a command in its file, and what a HIP build of the whole project looks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rewarp.lang.cmake import Argument, CMakeCommand, CMakeFile
from rewarp.tables.libraries import LINK_NAMES, Library, twin
from rewarp.targets import Target

CUDA_TARGET = re.compile(r"CUDA::(\w+)")
LINKS = frozenset({"target_link_libraries", "link_libraries"})
OLD_LINKS = {
    "cuda_add_cublas_to_target": "cublas",
    "cuda_add_cufft_to_target": "cufft",
}
"""FindCUDA's commands that link one library."""
_ANSWER = re.compile(r"CUDA_FOUND|CUDAToolkit_FOUND|CUDATOOLKIT_FOUND")
_VARIABLE = re.compile(r"\$\{(CUDA_(?:(\w+?)_)?LIBRAR(?:Y|IES)|CUDA_\w+_LIBRARIES)\}")


class Instead(NamedTuple):
    """Commands in the stead of one (None: it stays), and commands beside it."""

    commands: list[str] | None
    beside: list[str] = []


@dataclass
class Wanted:
    """What a HIP build of the whole project looks for."""

    targets: dict[str, Library] = field(default_factory=dict)
    """CUDA's imported targets that the files link, and their twins."""
    variables: dict[str, Library] = field(default_factory=dict)
    answers: set[str] = field(default_factory=set)
    """Variables in which a search for CUDA leaves its answer, and which conditions ask for."""
    libraries: set[Library] = field(default_factory=set)
    """Twins of libraries that are linked by their plain names."""
    finds_toolkit: bool = False
    cxx_standards: set[str] = field(default_factory=set)
    """What ``CMAKE_CXX_STANDARD`` is set to: HIP takes it where it has none of its own."""
    cuda_standards: set[str] = field(default_factory=set)
    has_language: bool = False
    """Whether CUDA is a language of the project; FindCUDA compiles without."""
    host_speaks_cuda: bool = False
    """Whether C++ that is no device code is to see HIP's headers under CUDA's names."""
    placed: bool = False
    """Whether a command has looked for them already."""

    @classmethod
    def of(cls, documents: Iterable[CMakeFile], target: Target) -> Wanted:
        self = cls()
        for document in documents:
            for call in document.calls:
                if document.unreachable(call, target):
                    continue
                if call.name == "find_package" and call.texts[:1] and call.texts[0] in ("CUDA", "CUDAToolkit"):
                    self.finds_toolkit = True
                if call.name in ("project", "enable_language") and "CUDA" in call.texts:
                    self.has_language = True
                self._read(call)
        return self

    def _read(self, call: CMakeCommand) -> None:
        if call.name in ("if", "elseif", "cmake_dependent_option"):
            self.answers |= {name for text in call.texts for name in _ANSWER.findall(text)}
        if call.name == "set" and call.texts[:1] == ["CMAKE_CXX_STANDARD"]:
            self.cxx_standards |= set(call.texts[1:2])
        if call.name == "set" and call.texts[:1] == ["CMAKE_CUDA_STANDARD"]:
            self.cuda_standards |= set(call.texts[1:2])
        for argument in call.arguments:
            for match in CUDA_TARGET.finditer(argument.text):
                if (library := twin(match[1])) and library.target:
                    self.targets[match[0]] = library
            for match in _VARIABLE.finditer(argument.text):
                if library := twin((match[2] or "cudart").lower()) or twin("cudart"):
                    self.variables[match[1]] = library
        if call.name in LINKS:
            self.libraries |= {lib for a in call.arguments[1:] if (lib := plain_library(a)) and lib.target}
        if call.name in OLD_LINKS and (library := twin(OLD_LINKS[call.name])):
            self.libraries.add(library)

    @property
    def anything(self) -> bool:
        return bool(self.targets or self.variables or self.libraries)

    def found(self, package: str) -> list[str]:
        """The commands that answer as the search for a package of CUDA's would: HIP takes its place in what follows."""
        names = {f"{package}_FOUND", f"{package.upper()}_FOUND"} & self.answers
        return [f"set({name} TRUE)  # HIP takes the place of CUDA" for name in sorted(names)]

    def lines(self) -> list[str]:
        """The commands that find ROCm's libraries, and give CUDA's names to them where the files link those."""
        libraries = {*self.targets.values(), *self.variables.values(), *self.libraries}
        packages = sorted({p for lib in libraries if (p := _package(lib.target))} | {"hip"})
        packages.sort(key=lambda name: name != "hip")
        lines = [f"find_package({name} REQUIRED)" for name in packages]
        if self.host_speaks_cuda:
            lines.append("link_libraries(hip::host)  # the C++ sources include CUDA's headers, too")
        if self.targets:
            lines.append("# What the files link by CUDA's names is ROCm's.")
        for name, library in sorted(self.targets.items()):
            lines += [
                f"if(NOT TARGET {name})",
                f"  add_library({name} INTERFACE IMPORTED)",
                f"  target_link_libraries({name} INTERFACE {library.target})",
                "endif()",
            ]
        return lines + [f"set({name} {library.target})" for name, library in sorted(self.variables.items())]


def _package(target: str) -> str:
    _, colons, name = target.partition("::")
    return "hip" if target == "hip::host" else (name if colons else "")


def plain_library(argument: Argument) -> Library | None:
    name = argument.text.removeprefix("-l")
    return twin(name) if name in LINK_NAMES and name not in ("toolkit", "cuda_driver") else None


@dataclass
class CMakePlace:
    """A file of a CMake project."""

    document: CMakeFile
    wanted: Wanted
    left: list[tuple[int, str, str]] = field(default_factory=list)
    """What a person has to look at: line, what, why."""
    stops: bool = False
    """Whether a HIP build would stop at something that is left."""

    def libraries(self) -> list[str]:
        """The commands that find ROCm's libraries: once in a tree that never asks for CUDA's toolkit."""
        wanted = self.wanted.anything or self.wanted.host_speaks_cuda
        if self.wanted.finds_toolkit or self.wanted.placed or not wanted:
            return []
        self.wanted.placed = True
        return self.wanted.lines()

    def written(self, call: CMakeCommand, new: dict[str, str], name: str = "") -> str:
        """The command as it is written, on one line, with other words for some arguments."""
        view = self.document.source.view
        texts = [
            new.get(argument.text) or view[argument.where.start : argument.where.end].decode("utf-8", "replace")
            for argument in call.arguments
        ]
        written = view[call.where.start : call.where.start + len(call.name)].decode()
        return f"{name or written}({' '.join(texts)})".replace("( ", "(").replace(" )", ")")

    def leave(self, call: CMakeCommand, what: str, why: str, stops: bool = True) -> None:
        """Leaves a command to a person."""
        self.left.append((self.document.source.line_at(call.where.start), what, why))
        self.stops = self.stops or stops

    def mends(self, call: CMakeCommand, mend: CMakeMender) -> bool:
        """Whether a fix has something in the stead of a command, and leaves nothing of it to a person."""
        before = len(self.left)
        return mend(call, self) is not None and len(self.left) == before


CMakeMender = Callable[[CMakeCommand, CMakePlace], "Instead | None"]
"""None: the command is none of the rule's."""
