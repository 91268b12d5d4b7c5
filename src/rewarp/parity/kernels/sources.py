"""Which files can hold whose kernels."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from rewarp.parity.names.backends import backend_of, words
from rewarp.project.role_names import Role, names_role

C_FAMILY = frozenset(".cu .cuh .hip .h .hh .hpp .hxx .inl .inc .cpp .cc .cxx .c .ipp .tpp .def .mu .cui".split())
_OWN_LANGUAGE = {
    ".cu": "cuda",
    ".cuh": "cuda",
    ".hip": "rocm",
    ".metal": "metal",
    ".wgsl": "webgpu",
    ".comp": "vulkan",
    ".cl": "opencl",
    ".ptx": "cuda",
    ".cubin": "cuda",
    ".fatbin": "cuda",
    ".hsaco": "rocm",
    ".co": "rocm",
    ".metallib": "metal",
    ".mu": "musa",
}
"""Whose language a file is written in, where its name says so."""
BINARIES = frozenset({".cubin", ".fatbin", ".hsaco", ".co", ".metallib"})
WITH_STRINGS = frozenset({".rs", ".py", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".mm", ".swift"})
"""Files whose string literals may be compiled at run time."""
_BUILD_FILES = re.compile(r"(?:CMakeLists\.txt|.*\.cmake|build\.rs|setup\.py|meson\.build|(?:.*\.)?[Mm]akefile|.*\.mk)")
_WORD = re.compile(r"[A-Za-z]+")
_NAME = re.compile(rb"[A-Za-z_]\w{5,}")


def suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def is_build_file(path: str) -> bool:
    return bool(_BUILD_FILES.fullmatch(PurePosixPath(path).name))


def is_wanted(path: str) -> bool:
    """Whether a file can hold kernels, or say which ones are built."""
    end = suffix(path)
    return end in C_FAMILY or end in _OWN_LANGUAGE or end in WITH_STRINGS or is_build_file(path)


def is_test(path: str) -> bool:
    """Kernels of tests and examples are not the back end's."""
    return names_role(path, Role.TESTS, Role.EXAMPLES, Role.DOCS)


@lru_cache(maxsize=100_000)
def owner(path: str) -> str | None:
    """The back end that a path names, the last folder that names one first; without one, its language's."""
    parts = PurePosixPath(path).parts
    if suffix(path) in (".hip", ".metal", ".wgsl"):
        return _OWN_LANGUAGE[suffix(path)]
    for part in reversed((*parts[:-1], PurePosixPath(parts[-1]).stem) if parts else ()):
        if (found := backend_of(part)) and found != "cpu":
            return found
    return _OWN_LANGUAGE.get(suffix(path))


def is_asked_by_rust(files: Mapping[str, bytes], backends: Container[str], names: Container[str]) -> bool:
    """Whether Rust code has to do with a tree's kernels: a back end's own, a build of CUDA sources, or one that names some.
    Else it is a tool beside them, as a profiler's viewer."""
    for path, data in files.items():
        if path.endswith(".rs") and not is_test(path):
            if owner(path) in backends or b".cu" in data:
                return True
            if any(word.decode() in names for word in _NAME.findall(data)):
                return True
    return False


def language_of(path: str) -> str | None:
    return _OWN_LANGUAGE.get(suffix(path))


@lru_cache(maxsize=100_000)
def names_backend(text: str, backend: str) -> bool:
    """Whether an identifier or a path names a back end, maybe beside others: `common/cuda_hip/x.hpp`."""
    table = words()
    return any(table.get(part.lower()) == backend for part in _WORD.findall(text))
