"""Kernels launched by kernels, which HIP's compiler refuses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping

from rewarp.lang.cpp.device_code import launches_on_device
from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Problem
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import NO_TWIN

_CHEVRONS = re.compile(rb"<<<")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return may_stand_in_device_code(lexed, view, (match.start() for match in _CHEVRONS.finditer(view)))


def may_stand_in_device_code(lexed: Lexed, view: bytes, places: Iterable[int]) -> bool:
    """Whether some place follows the word for a device function with no function ending between the two."""
    words = sorted(lexed.names.get(b"__global__", []) + lexed.names.get(b"__device__", []))
    for at in places if words else ():
        index = bisect_right(words, at) - 1
        if index >= 0 and view.find(b"\n}", words[index], at) == -1:
            return True
    return False


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Reports launches inside the bodies of device functions."""
    changes = Changes()
    for launch in launches_on_device(document.code):
        changes.problems.append(
            Problem(
                NO_TWIN,
                launch,
                "unsupported",
                "a kernel launched from device code: HIP has no dynamic parallelism",
                "Launch it from the host after this kernel, or do its work here with a device function.",
                "<<<",
            )
        )
    return changes
