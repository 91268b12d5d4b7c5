"""The text of the shim's headers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from rewarp.tables import cuda
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.translation.global_names import THEIRS

SHIM_HEADER = "cuda_to_hip.h"
_RUNTIME = "hip/hip_runtime.h"
# Headers that only HIP's compiler takes; a project's plain C++ files get along without them.
_DEVICE_ONLY = (
    "hipcub/",
    "rocprim/",
    "rocwmma/",
    "thrust/",
    "hip/hip_cooperative_groups.h",
    "hiprand/hiprand_kernel.h",
)
_OPENING = f"""\
// {SHIM_HEADER}: the CUDA names of this project as HIP's. Written by `rewarp translate --shim`: run it again
// rather than edit this. On NVIDIA it is empty.
//
//     hipcc -I FOLDER_OF_THIS_FILE -include {SHIM_HEADER} -c kernels.cu
#ifndef CUDA_TO_HIP_H
#define CUDA_TO_HIP_H
#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
"""


class Alias(NamedTuple):
    """A namespace that goes by CUDA's name too, and the header that has it."""

    header: str
    text: str


@dataclass(frozen=True)
class Shim:
    """What the shim of a project holds."""

    defines: Mapping[bytes, bytes]
    macros: Iterable[bytes]
    """What follows ``#define`` for functions that take other arguments."""
    aliases: Iterable[Alias]
    headers: Iterable[str]
    support: bool
    arch: int | None
    """What ``__CUDA_ARCH__`` is in device code; None where it stays undefined."""
    versions: Mapping[bytes, int]
    own_names: Iterable[bytes] = ()
    """Of the project, and in HIP's headers too."""


def shim_header(shim: Shim) -> bytes:
    """The text of ``cuda_to_hip.h``."""
    parts = [_OPENING]
    parts.append("// ROCm's headers come before the names, which are not to be changed in them.")
    parts += _includes(shim)
    if shim.arch is not None or shim.versions:
        parts += _pretended(shim)
    parts += _names(shim.defines)
    if shim.macros:
        parts += ["", "// calls that take other arguments", *(f"#define {macro.decode()}" for macro in shim.macros)]
    for alias in shim.aliases:
        parts += ["", f"#if defined(__HIP__) && __has_include(<{alias.header}>)", alias.text, "#endif"]
    parts += ["", "#endif", "#endif", ""]
    return "\n".join(parts).encode()


def shadow(path: str, headers: Iterable[str]) -> bytes:
    """The text of a header in place of one of the toolkit's. With another compiler, the real one is used."""
    upward = posixpath.relpath(SHIM_HEADER, posixpath.dirname(path) or ".")
    lines = [
        f"// In place of CUDA's {path}. Written by `rewarp translate --shim`.",
        "#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)",
        f'#include "{upward}"',
        *_guarded(headers, missing_is_fatal=True),
        "#else",
        f"#include_next <{path}>",
        "#endif",
        "",
    ]
    return "\n".join(lines).encode()


def _includes(shim: Shim) -> Iterator[str]:
    own = [name.decode() for name in shim.own_names]
    yield from (f"#define {name} {THEIRS.decode()}{name}" for name in own)
    if shim.support:
        yield f'#include "{SUPPORT_HEADER}"'
    yield f"#include <{_RUNTIME}>"
    yield from _guarded(shim.headers, missing_is_fatal=False)
    yield from (f"#undef {name}" for name in own)


def _guarded(headers: Iterable[str], missing_is_fatal: bool) -> Iterator[str]:
    """A library that a file does not use may be missing; one that it includes may not."""
    for header in headers:
        if header == _RUNTIME:
            continue
        tests = ["defined(__HIP__)"] if header.startswith(_DEVICE_ONLY) else []
        if not missing_is_fatal:
            tests.append(f"__has_include(<{header}>)")
        include = f"#include <{header}>"
        yield from (f"#if {' && '.join(tests)}", include, "#endif") if tests else (include,)


def _pretended(shim: Shim) -> Iterator[str]:
    yield ""
    yield "// What conditions on NVIDIA's macros are to see: the answer that suits most of them."
    if shim.arch is not None:
        yield from ("#if defined(__HIP_DEVICE_COMPILE__)", f"#define __CUDA_ARCH__ {shim.arch}", "#endif")
    for name, value in shim.versions.items():
        yield f"#define {name.decode()} {value}"


_GUARD = re.compile(rb"_*[A-Z][A-Z0-9_]*_H(?:PP)?_*|CU[A-Z]+API")


def _names(defines: Mapping[bytes, bytes]) -> Iterator[str]:
    """The names, library by library. What tells the compiler apart is only defined for HIP's."""
    ordered = sorted(defines, key=lambda name: (_library(name), name))
    for library, names in groupby(ordered, key=_library):
        yield ""
        yield f"// {library}"
        for name in names:
            new = defines[name].decode()
            line = f"#define {name.decode()} {new}"
            told = "__HIP__" if new.startswith("__HIPCC") else new if _is_guard(name) else ""
            yield from (f"#if defined({told})", line, "#endif") if told else (line,)


def _is_guard(name: bytes) -> bool:
    """Whether a macro says that a header was included: then it is defined where HIP's was."""
    twin = cuda.twin(name)
    return twin is not None and twin.kind == "macro" and _GUARD.fullmatch(name) is not None


def _library(name: bytes) -> str:
    twin = cuda.twin(name) or cuda.namespaces().get(name)
    return twin.library if twin else "other"
