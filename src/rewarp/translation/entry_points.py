"""Entry points asked for by name: ``dlsym(library, "cuInit")``, ``cuGetProcAddress("cuMemAlloc", ...)``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.code import call_arguments, skip_space
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Changes, Options, Problem, Replacement

_RULE = "CU-002"
_LOOKUP = re.compile(
    rb"\b(?:dlsym|GetProcAddress|cuGetProcAddress(?:_v2)?|cudaGetDriverEntryPoint(?:ByVersion)?|cuModuleGetGlobal"
    rb"|dlopen|LoadLibrary[AW]?)\b"
)
_FUNCTIONS = (b"cuGetProcAddress", b"GetDriverEntryPoint", b"cuModuleGetGlobal")
_ON_WINDOWS = (b"GetProcAddress", b"LoadLibrary")
_LIBRARY = re.compile(rb"lib(cuda|cudart|nvrtc|cublas|cublasLt|cufft|curand|cusparse|cusolver|nccl|cudnn)\.so[\d.]*")
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


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if any(word in lexed.vocabulary for word in _FUNCTIONS) or b"dlsym" in view:
        return True
    if b"dlfcn" in lexed.vocabulary and b"dlopen" in view:
        return True
    return b"indows.h" in lexed.vocabulary and any(word in view for word in _ON_WINDOWS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Renames the strings that name a function or a library to load, and nothing else in strings."""
    changes = Changes()
    code, view = document.code, document.source.view
    for match in _LOOKUP.finditer(code):
        call = call_arguments(code, skip_space(code, match.end()))
        if call is None:
            continue
        for literal in document.literals:
            if match.end() <= literal.where.start and literal.where.end <= call[1]:
                _one_string(view, Span(literal.where.start + 1, literal.where.end - 1), changes)
    return changes


def _one_string(view: bytes, where: Span, changes: Changes) -> None:
    text = view[slice(*where)]
    if library := _LIBRARY.fullmatch(text):
        changes.replacements.append(Replacement(*where, _LIBRARIES[library[1]]))
    elif twin := cuda.twin(text):
        if twin.hip and twin.supported:
            changes.replacements.append(Replacement(*where, twin.hip.encode()))
        elif twin.status == "unsupported":
            message = f'"{twin.cuda}" is asked for by name and has no HIP twin'
            fix = twin.note or "Leave it out on ROCm, or take another way."
            changes.problems.append(Problem(_RULE, where, "unsupported", message, fix, twin.cuda))
