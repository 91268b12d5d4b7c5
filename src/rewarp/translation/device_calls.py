"""Calls of the runtime in device code. CUDA has a part of its runtime there; HIP's is for the host only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from rewarp.lang.cpp.device_code import device_bodies
from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.device_launches import may_stand_in_device_code
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import NO_TWIN
from rewarp.translation.span_set import Places

_TEXTS = (b"cudaGetErrorString", b"cudaGetErrorName")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return may_stand_in_device_code(lexed, view, (at for _, at in _calls(lexed.names, view)))


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Takes the support header's text for an error, and reports the other calls."""
    changes = Changes()
    bodies = Places(device_bodies(document.code))
    for name, at in _calls(names, document.code):
        if at not in bodies:
            continue
        where = Span(at, at + len(name))
        if name in _TEXTS:
            changes.replacements.append(Replacement(*where, b"rewarp_error_text"))
        else:
            text = name.decode()
            message = f"{text} called from device code: HIP's runtime is for the host only"
            fix = "Call it from the host, before or after the kernel."
            changes.problems.append(Problem(NO_TWIN, where, "unsupported", message, fix, text))
    return changes


def _calls(names: Mapping[bytes, list[int]], code: bytes) -> Iterator[tuple[bytes, int]]:
    """Functions of the runtime, and where they are called."""
    for name, places in names.items():
        if name.startswith(b"cuda") and _is_runtime_function(name):
            yield from ((name, at) for at in places if code[at + len(name) : at + len(name) + 1] == b"(")


@cache
def _is_runtime_function(name: bytes) -> bool:
    return cuda.renames().get(name, b"").startswith(b"hip") and b"\tfunction\t" in cuda.names()[name]
