"""Entry points asked for by name: ``dlsym(library, "cuInit")``, ``cuGetProcAddress("cuMemAlloc", ...)``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import call_arguments, skip_space
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import DRIVER_API

_LOOKUP = re.compile(
    rb"\b(?:dlsym|GetProcAddress|cuGetProcAddress(?:_v2)?|cudaGetDriverEntryPoint(?:ByVersion)?|cuModuleGetGlobal"
    rb"|dlopen|LoadLibrary[AW]?)\b"
)
_FUNCTIONS = (b"cuGetProcAddress", b"GetDriverEntryPoint", b"cuModuleGetGlobal")
_ON_WINDOWS = (b"GetProcAddress", b"LoadLibrary")
_NAMES = rb"(cuda|cudart|nvrtc|cublas|cublasLt|cufft|curand|cusparse|cusolver|nccl|cudnn)"
_LIBRARY = re.compile(rb"lib" + _NAMES + rb"\.so[\d.]*|(?:nv)?" + _NAMES + rb"(?:(?:32|64)?(?:_[\d_]+)?)?\.dll")
_HIP_LIBRARY = re.compile(rb"amdhip64|libhip[a-z]+\.so")
_LIBRARIES = {
    b"cuda": b"libamdhip64.so",
    b"cudart": b"libamdhip64.so",
    b"nvrtc": b"libhiprtc.so",
    b"cublas": b"libhipblas.so",
    b"cublasLt": b"libhipblaslt.so",
    b"cufft": b"libhipfft.so",
    b"curand": b"libhiprand.so",
    b"cusparse": b"libhipsparse.so",
    b"cusolver": b"libhipsolver.so",
    b"nccl": b"librccl.so",
    b"cudnn": b"libMIOpen.so",
}
_ON_WINDOWS_LIBRARIES = {
    b"cuda": b"amdhip64.dll",
    b"cudart": b"amdhip64.dll",
    b"nvrtc": b"hiprtc.dll",
    b"cublas": b"libhipblas.dll",
    b"cufft": b"hipfft.dll",
    b"curand": b"hiprand.dll",
    b"cusparse": b"hipsparse.dll",
    b"cusolver": b"libhipsolver.dll",
}
"""As the HIP SDK for Windows names them; later ones carry the version in the runtime's name."""


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if any(word in lexed.vocabulary for word in _FUNCTIONS) or b"dlsym" in view:
        return True
    if b"dlfcn" in lexed.vocabulary and b"dlopen" in view:
        return True
    if b"indows.h" in lexed.vocabulary and any(word in view for word in _ON_WINDOWS):
        return True
    return (b".so" in view or b".dll" in view) and bool(_LIBRARY.search(view))


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Renames the strings that name a function or a library to load, and nothing else in strings."""
    changes = Changes()
    code, view = document.code, document.source.view
    for literal in () if _HIP_LIBRARY.search(view) else document.literals:  # else the file chooses between them itself
        _library(view, Span(literal.where.start + 1, literal.where.end - 1), changes)
    has_library = bool(changes.replacements or changes.problems)
    for match in _LOOKUP.finditer(code):
        call = call_arguments(code, skip_space(code, match.end()))
        if call is None:
            continue
        for literal in document.literals:
            if match.end() <= literal.where.start and literal.where.end <= call[1]:
                _function(view, Span(literal.where.start + 1, literal.where.end - 1), match[0], has_library, changes)
    return changes


def _library(view: bytes, where: Span, changes: Changes) -> None:
    """A library's name, wherever it stands: in the call, in a variable, in a macro."""
    library = _LIBRARY.fullmatch(view, *where)
    if not library:
        return
    new = _LIBRARIES[library[1]] if library[1] else _ON_WINDOWS_LIBRARIES.get(library[2])
    if new:
        changes.replacements.append(Replacement(*where, new))
        return
    message = f'"{library[0].decode()}" is loaded by name and is not part of the HIP SDK for Windows'
    problem = Problem(DRIVER_API, where, "unsupported", message, "Leave it out there, or link it.", library[0].decode())
    changes.problems.append(problem)


def _function(view: bytes, where: Span, lookup: bytes, has_library: bool, changes: Changes) -> None:
    twin = cuda.twin(view[slice(*where)])
    if twin is None:
        return
    if twin.hip and twin.supported:
        changes.replacements.append(Replacement(*where, twin.hip.encode()))
        if not has_library and lookup in (b"dlsym", b"GetProcAddress"):
            message = f'"{twin.cuda}" became "{twin.hip}"; the library that it is looked up in is named elsewhere'
            fix = "Load HIP's library there: libamdhip64.so in place of libcuda.so and libcudart.so."
            changes.problems.append(Problem(DRIVER_API, where, "noted", message, fix, twin.cuda))
    elif twin.status == "unsupported":
        message = f'"{twin.cuda}" is asked for by name and has no HIP twin'
        fix = twin.note or "Leave it out on ROCm, or take another way."
        changes.problems.append(Problem(DRIVER_API, where, "unsupported", message, fix, twin.cuda))
