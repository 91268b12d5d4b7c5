"""``__launch_bounds__``: the second number means blocks to CUDA and waves to HIP, and HIP has no third."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import call_arguments, skip_space
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import LAUNCHES_IN_WARPS

_NAME = b"__launch_bounds__"


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return _NAME in lexed.names and b"hip/hip_runtime" not in view


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Drops the blocks per cluster, which no AMD GPU has, and tells once that the second number is another one."""
    changes = Changes()
    for at in names[_NAME]:
        call = call_arguments(document.code, skip_space(document.code, at + len(_NAME)))
        if call is None or len(call[0]) < 2:
            continue
        arguments, end = call
        if len(arguments) > 2:
            changes.replacements.append(Replacement(arguments[1].end, end, b""))
        if not changes.problems:
            changes.problems.append(
                Problem(
                    LAUNCHES_IN_WARPS,
                    Span(at, end + 1),
                    "noted",
                    "the second number of __launch_bounds__ is blocks per multiprocessor to CUDA, waves per SIMD to HIP",
                    "For the same effect take blocks × threads / (warp size × 4), or leave the number out.",
                    _NAME.decode(),
                )
            )
    return changes
