"""Which files build something, and whether they build for AMD already."""

from __future__ import annotations

import re
from functools import lru_cache

from rewarp.lang.cmake import CMakeFile
from rewarp.lang.python import PythonFile
from rewarp.project.role_names import Role, names_role

EXTENSION = "torch.utils.cpp_extension"
_NVCC_LISTS = re.compile(rb"\b(nvcc_args|nvcc_flags|NVCC_ARGS|NVCC_FLAGS|extra_cuda_cflags)\b")
_OTHER_FOLDER = re.compile(r"(^|/)(xpu|npu|hpu|mlu|supa|sdaa|mps|musa|ascend)/")
_LOADERS = {f"{EXTENSION}.load", f"{EXTENSION}.load_inline"}
_PACKAGERS = {f"{EXTENSION}.{name}" for name in ("CUDAExtension", "CppExtension", "BuildExtension")}
_HIP_ARGUMENT = re.compile(r"CMAKE_HIP_\w+|\bhip::\w+|\broc::\w+|\bhipcc\b")


def is_build_file(document: PythonFile) -> bool:
    """Whether a Python file builds or packages something: setup.py, op builders, run-time extension loaders."""
    path = document.source.path
    if path.rpartition("/")[2] == "setup.py":
        return True
    if _OTHER_FOLDER.search(path):
        return False
    if names_role(path.rpartition("/")[2], Role.TESTS):  # a test speaks of options and paths without using them
        return any(document.imports_of(EXTENSION))
    if _NVCC_LISTS.search(document.source.view):
        return True
    return any(document.imports_of("setuptools", "distutils", "skbuild", EXTENSION))


def builds_at_run_time(document: PythonFile) -> bool:
    """Whether the file only compiles through ``load`` or ``load_inline``, never as a package."""
    imported = {item.full for item in document.imports}
    if imported & _PACKAGERS or any(document.refs(*_PACKAGERS, "setuptools.setup", "distutils.core.setup")):
        return False
    return bool(imported & _LOADERS) or any(document.calls(*_LOADERS))


@lru_cache(maxsize=2)  # asked for each command of a file
def knows_hip(document: CMakeFile) -> bool:
    """Whether a CMake file already has an AMD side."""
    return document.has_hip or any(_HIP_ARGUMENT.search(text) for call in document.calls for text in call.texts)
