"""Programs in languages that rewarp has no reader for: where they speak of NVIDIA's GPUs, what stands there is not known."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from rewarp.lang.kinds import CPP_KINDS, PYTHON_KINDS, Kind, kind_of_path
from rewarp.project.role_names import RoleOf, is_of_package
from rewarp.workspace import Tree

_LANGUAGES = {
    ".jl": "Julia",
    ".go": "Go",
    ".java": "Java",
    ".kt": "Kotlin",
    ".scala": "Scala",
    ".cs": "C#",
    ".f": "Fortran",
    ".f90": "Fortran",
    ".cuf": "CUDA Fortran",
    ".swift": "Swift",
    ".m": "MATLAB or Objective-C",
    ".lua": "Lua",
    ".r": "R",
    ".nim": "Nim",
    ".zig": "Zig",
    ".ex": "Elixir",
    ".hs": "Haskell",
    ".ml": "OCaml",
    ".d": "D",
}
_OF_NVIDIA = re.compile(rb"(?i)cuda|nvidia|cudnn|cublas")
_READ = (*CPP_KINDS, *PYTHON_KINDS, Kind.RUST)
_SHARE = 0.5
"""Of the package's programs: where more than half is in such a language, the rest does not tell what the whole does."""
_LARGEST = 2_000_000


def unread_language(tree: Tree, roles: Mapping[str, RoleOf]) -> tuple[str, int]:
    """The language that most of the package is written in and nobody here reads, if it speaks of NVIDIA's GPUs there, and in how
    many files; else nothing."""
    own = [path for path in tree.files() if is_of_package(path, roles)]
    by_language: dict[str, list[str]] = {}
    for path in own:
        language = _LANGUAGES.get(posixpath.splitext(path)[1].lower())
        if language:
            by_language.setdefault(language, []).append(path)
    if not by_language:
        return "", 0
    language, paths = max(by_language.items(), key=lambda item: (len(item[1]), item[0]))
    read = sum(kind_of_path(path) in _READ for path in own)
    if len(paths) <= _SHARE * (len(paths) + read) or not any(_speaks(tree, path) for path in paths):
        return "", 0
    return language, len(paths)


def _speaks(tree: Tree, path: str) -> bool:
    return tree.entries[path].size <= _LARGEST and _OF_NVIDIA.search(tree.read(path) or b"") is not None
