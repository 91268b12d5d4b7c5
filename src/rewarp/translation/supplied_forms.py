"""Functions that HIP has, but not in every form that CUDA has them in: the support header brings the others."""

from __future__ import annotations

import re
from collections.abc import Callable

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation import half_operators
from rewarp.translation.code import blocks_around, runs_on_host
from rewarp.translation.lexing import Lexed

_SUPPLIED_ATOMICS = ((b"atomicCAS", b"short"), (b"atomicAdd", b"half"), (b"atomicAdd", b"bfloat16"))
# A block's dimensions and a thread's place in them are unsigned; what they are compared with mostly is not.
_MIXED_SIGNS = re.compile(
    rb"m(?<![\w:.]m)(?:in|ax)\s*\((?:[^;{}()]|\([^;{}()]*\))*?\b(?:threadIdx|blockIdx|blockDim|gridDim)\."
)
# CUDA takes a pointer to a pointer of any type there, HIP only one to void.
_ANY_POINTER = re.compile(
    rb"cuda(?:HostAlloc|HostGetDevicePointer|MallocPitch)\s{0,99}\(\s{0,99}(?!\s|\(\s{0,9}void\s{0,9}\*\s{0,9}\*\s{0,9}\)|reinterpret_cast)"
)
_ANY_POINTER_NAMES = {b"cudaHostAlloc", b"cudaHostGetDevicePointer", b"cudaMallocPitch"}
_SUPPLIED_OVERLOADS = {
    b"cudaMemAdvise": b"cudaMemLocation",
    b"cudaMemPrefetchAsync": b"cudaMemLocation",
    b"cuMemAdvise": b"CUmemLocation",
    b"cuMemPrefetchAsync": b"CUmemLocation",
}
# Mathematics that CUDA has on the host too; HIP has it in kernels only.
_HOST_MATH_WORDS = (b"rsqrt", b"rcbrt", b"normcdf", b"__h")
_HOST_MATH = re.compile(rb"\b(?:(?:rsqrt|rcbrt|normcdf)f?|__h(?:add|sub|mul|div|max|min|eq|ne|lt|le|gt|ge))(?=\s*\()")

_CLASSIFICATION_WORDS = (b"isnan", b"isinf", b"isfinite", b"isnormal", b"signbit")
_CLASSIFICATION = re.compile(rb"(?<![\w:.>])(?:isnan|isinf|isfinite|isnormal|signbit)(?=\s*\()")
# Limits of floats, which Thrust, CUB and libcu++ bring along: theirs include <cfloat>, ROCm's do not.
_FLOAT_LIMITS = re.compile(rb"\b(?:FLT|DBL)_(?:MIN|MAX|EPSILON|TRUE_MIN|DIG|MANT_DIG|DECIMAL_DIG)\b")
_BRING_LIMITS = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*<(?:thrust|cub|cuda/std)/", re.M)
_FLOAT_HEADER = re.compile(rb"#[ \t]*include[ \t]*[<\"](?:float\.h|cfloat)[>\"]|#[ \t]*define[ \t]+(?:FLT|DBL)_")
# Bits of one type read as another, which no constant can come of: nvcc takes that in a constexpr function all the same.
_CONSTEXPR_CAST = re.compile(
    rb"\bconstexpr\b[^;{}=]*\)[^;{}=]*\{[^{}]*(?:\breinterpret_cast\s*<|\*\s*\(\s*(?:const\s+)?\w+(?:\s+const)?\s*\*\s*\)\s*[(&\w])"
)
CONSTEXPR_PRAGMA = b'#pragma clang diagnostic ignored "-Winvalid-constexpr"'
_MATH_HEADER = re.compile(rb"#[ \t]*include[ \t]*[<\"]math\.h[>\"]")


def forms_hip_lacks(lexed: Lexed, view: bytes, code: Callable[[], bytes]) -> bool:
    """Whether a file calls something with types, on a side or in a way that HIP has not. ``code`` is asked for late."""
    if b"atomic" in view and any(name in view and kind in view for name, kind in _SUPPLIED_ATOMICS):
        return True
    if any(_SUPPLIED_OVERLOADS[name] in view for name in _SUPPLIED_OVERLOADS.keys() & lexed.names):
        return True
    if lexed.names.keys() & _ANY_POINTER_NAMES and _ANY_POINTER.search(view):
        return True
    if (
        (b"Dim." in view or b"Idx." in view)
        and (b"min(" in view or b"max(" in view)
        and _mixes_signs(view)
        and _mixes_signs(code())
    ):
        return True
    if any(word in view for word in _HOST_MATH_WORDS) and any(
        runs_on_host(code(), match.start()) for match in _HOST_MATH.finditer(code())
    ):
        return True
    return b"half" in view and half_operators.on_host(code())


def wants_math_header(view: bytes, code: Callable[[], bytes]) -> bool:
    """Whether host code asks ``isnan`` and its like without a namespace: nvcc has <math.h> before the first line, and only
    that declares them there for all types."""
    if not any(word in view for word in _CLASSIFICATION_WORDS) or _MATH_HEADER.search(view):
        return False
    return any(runs_on_host(code(), match.start()) for match in _CLASSIFICATION.finditer(code()))


def wants_float_header(view: bytes) -> bool:
    """Whether a file has FLT_MAX and its like from nothing but NVIDIA's libraries."""
    if b"FLT_" not in view and b"DBL_" not in view:
        return False
    return bool(_FLOAT_LIMITS.search(view) and _BRING_LIMITS.search(view) and not _FLOAT_HEADER.search(view))


def wants_constexpr_pragma(view: bytes, code: Callable[[], bytes]) -> bool:
    """Whether a constexpr function can never be a constant: to HIP's compiler that is an error unless it is told otherwise."""
    if b"constexpr" not in view or CONSTEXPR_PRAGMA in view:
        return False
    return b"__device__" in view and _CONSTEXPR_CAST.search(code()) is not None


def includes_in_namespace(document: CodeFile, lexed: Lexed) -> bool:
    """Whether a file includes another inside a namespace: HIP's headers, and the support header, have to come before."""
    view = document.source.view
    quoted = [line.start for line in lexed.lines if line.path and view[line.path.start : line.path.start + 1] == b'"']
    if not quoted or view.find(b"namespace", 0, quoted[-1]) < 0:
        return False
    return any(any(b"namespace" in head for head in blocks_around(document.code, at)) for at in quoted)


def _mixes_signs(text: bytes) -> bool:
    """Plain bytes are found many times as fast as a pattern that may begin at any ``m``."""
    for word in (b"min", b"max"):
        at = text.find(word)
        while at >= 0:
            if _MIXED_SIGNS.match(text, at):
                return True
            at = text.find(word, at + 3)
    return False
