"""A compiler's command line: what it compiles, as which language, with what."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from rewarp.project.build.units import Given

_SOURCES = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c", ".C", ".c++")
_LANGUAGES = {".cu": "CUDA", ".hip": "HIP", ".c": "C"}
_COMPILER = re.compile(
    r"(?:ccache|sccache|mpi(?:cc|cxx|c\+\+)|(?:[\w.-]*-)?(?:nvcc|hipcc|amdclang(?:\+\+)?|clang(?:\+\+)?|gcc|g\+\+|cc|c\+\+|icpx|icpc|nvc\+\+))"
    r"(?:-?\d[\d.]*)?"
)
_TAKE_VALUE = frozenset(
    "-o -x -gencode --generate-code -arch --gpu-architecture -code --gpu-code -Xcompiler --compiler-options -Xptxas "
    "--ptxas-options -Xcudafe -Xlinker -Xfatbin -Xnvlink -Xclang -ccbin --compiler-bindir -maxrregcount -MF -MT -MQ -L -l "
    "-diag-suppress -target -mllvm -isysroot -rdc --relocatable-device-code -std --std -odir -t --threads -include "
    "--pre-include -imacros -U".split()
)
_INCLUDES = ("-I", "-isystem", "-iquote", "-idirafter")


class CommandLine(NamedTuple):
    compiler: str
    sources: tuple[str, ...]
    defines: tuple[Given, ...]
    flags: tuple[Given, ...]
    includes: tuple[Given, ...]
    forced: str
    """The language that ``-x`` says; empty where it says none."""

    def language(self, source: str) -> str:
        if self.forced:
            return {"cu": "CUDA", "cuda": "CUDA", "hip": "HIP", "c": "C"}.get(self.forced, "CXX")
        suffix = posixpath.splitext(source)[1]
        if self.compiler.startswith(("hipcc", "amdclang")) and suffix != ".c":
            return "HIP"
        return _LANGUAGES.get(suffix, "CXX")


def split_words(text: str) -> list[str]:
    """The words of a command; where its quotes do not close, its words by blanks."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def read_words(words: Sequence[str], folder: str) -> CommandLine | None:
    """None where no compiler is called. Paths begin at a folder of the tree."""
    at = next((at for at, word in enumerate(words) if _COMPILER.fullmatch(posixpath.basename(word))), None)
    if at is None:
        return None
    name = posixpath.basename(words[at])
    while name in ("ccache", "sccache") and at + 1 < len(words):
        at += 1
        name = posixpath.basename(words[at])
    sources: list[str] = []
    given: dict[str, list[Given]] = {"defines": [], "flags": [], "includes": []}
    forced = ""
    waiting = iter(words[at + 1 :])
    for word in waiting:
        include = next((option for option in _INCLUDES if word.startswith(option)), None)
        if word.startswith("-D"):
            given["defines"].append(Given(word[2:] or next(waiting, "")))
        elif include:
            place = word[len(include) :].lstrip("=") or next(waiting, "")
            given["includes"].append(Given(_placed(folder, place)))
        elif word in _TAKE_VALUE:
            value = next(waiting, "")
            forced = value if word == "-x" else forced
            given["flags"] += [Given(word), Given(value)] if word not in ("-o", "-MF", "-MT", "-MQ", "-x") else []
        elif word.startswith("-"):
            given["flags"].append(Given(word))
        elif word.endswith(_SOURCES):
            sources.append(_placed(folder, word))
    defines, flags, includes = (tuple(given[kind]) for kind in ("defines", "flags", "includes"))
    return CommandLine(name, tuple(sources), defines, flags, includes, forced)


def _placed(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if path else path
