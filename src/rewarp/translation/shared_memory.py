"""Shared memory beyond what a workgroup has on AMD GPUs: a static array is refused by the compiler, a launch fails when it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Problem
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import SHARED_MEMORY

_MARKS = (b"MaxDynamicSharedMemorySize", b"MAX_DYNAMIC_SHARED_SIZE_BYTES", b"__shared__")
_LAUNCH_WITH_A_SIZE = re.compile(rb"<<<[^;]{0,300}?,[^;]{0,300}?,")
_FIX = "Take smaller tiles or fewer stages, and ask the device for its limit (sharedMemPerBlock)."


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return any(mark in view for mark in _MARKS) or _LAUNCH_WITH_A_SIZE.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Says it where the size can be computed."""
    from rewarp.waves.reading.shared_sizes import LIMIT, LIMIT_GFX950, asked_over  # late: it takes a while to load

    changes = Changes()
    for asked in asked_over(document, LIMIT):
        limit = f"{LIMIT // 1024} KiB ({LIMIT_GFX950 // 1024} on gfx950)"
        message = f"{asked.message}: a workgroup has {limit} on AMD GPUs"
        changes.problems.append(Problem(SHARED_MEMORY, asked.where, "unsupported", message, _FIX, "shared memory"))
    return changes
