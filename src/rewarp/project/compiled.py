"""Compiled files that a project ships without their sources: nothing can be read of them, and that has to be said."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.project.role_names import RoleOf, is_of_package
from rewarp.workspace import Tree

_LARGEST = 64_000_000
"""Larger files are data as often as not, and each is read again in every scan."""
_LIBRARY = re.compile(r"(?i).*\.(?:so(?:\.\d+)*|dll|pyd|dylib|a|lib|exe)")
_PYTHON_MODULE = re.compile(r"([\w-]+)(?:\.(?:cpython-\d+|cp\d+|abi3)[\w-]*)\.(?:so|pyd)")
_WRITTEN_IN = ("py", "pyx", "c", "cc", "cpp", "cxx", "cu", "rs", "f90")
_NVIDIA_S = re.compile(r"(?i)(?:lib)?(?:cu(?:da|blas|fft|rand|sparse|solver|dnn|file|pti)|nv|npp|nccl)")
"""NVIDIA's own libraries beside a program: whoever installs it for the target leaves them out."""
_BY_NVCC = (b".nv_fatbin", b".nvFatBin", b"__cudaRegisterFatBinary")
_FORMATS = (b"\x7fELF", b"MZ", b"!<arch>")
_LEFT_OVER = re.compile(r"(?:^|/)(?:build|dist|[Dd]ebug|[Rr]elease|cmake-build-[^/]*|[^/]*\.egg-info)/")


class Compiled(NamedTuple):
    path: str
    device_code: bool
    """For NVIDIA's GPUs; else it is a Python module."""


def without_sources(tree: Tree, roles: Mapping[str, RoleOf]) -> list[Compiled]:
    """The compiled files of the package whose sources are not there."""
    candidates = [path for path in tree.files() if _LIBRARY.fullmatch(path) and is_of_package(path, roles)]
    if not candidates:
        return []
    for_nvidia = list(_device_code(tree, candidates, roles))
    known = {item.path for item in for_nvidia}
    return [*for_nvidia, *_python_modules(tree, [path for path in candidates if path not in known])]


def _device_code(tree: Tree, candidates: list[str], roles: Mapping[str, RoleOf]) -> Iterator[Compiled]:
    # With CUDA sources beside it, it is what they were compiled to.
    if any(kind_of_path(path) is Kind.CUDA and is_of_package(path, roles) for path in tree.files()):
        return
    for path in candidates:
        if _NVIDIA_S.match(posixpath.basename(path)) or tree.entries[path].size > _LARGEST:
            continue
        data = tree.read(path) or b""
        if data.startswith(_FORMATS) and any(mark in data for mark in _BY_NVCC):
            yield Compiled(path, True)


def _python_modules(tree: Tree, candidates: list[str]) -> Iterator[Compiled]:
    modules = {path: found[1] for path in candidates if (found := _PYTHON_MODULE.fullmatch(posixpath.basename(path)))}
    if not modules:
        return
    written = {posixpath.basename(path) for path in tree.files()}
    for path, name in modules.items():
        left_over = _LEFT_OVER.search(path)
        if not left_over and not any(f"{name.lstrip('_')}.{ending}" in written for ending in _WRITTEN_IN):
            yield Compiled(path, False)
