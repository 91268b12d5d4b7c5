"""Warps of 32 lanes where the hardware's are 64.

A file that passes 32-bit masks to ``__shfl_sync`` and its kin means warps of 32. The support
header's overloads for such masks keep that meaning on either width, so ``warpSize`` must mean 32
there too: half a 64-wide wave is then one warp, on both sides of every computation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Changes, Options, Problem, Replacement
from rewarp.translation.waves import sees_waves

_RULE = "WAV-007"
_WARP_SIZE = b"warpSize"
LOGICAL_WARP_SIZE = b"rewarp_warp_size"
SYNC_NAMES = frozenset(
    b"__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync "
    b"__match_any_sync __match_all_sync __activemask __reduce_add_sync __reduce_min_sync __reduce_max_sync "
    b"__reduce_and_sync __reduce_or_sync __reduce_xor_sync __ballot __any __all __shfl __shfl_up __shfl_down "
    b"__shfl_xor".split()
)
_MEMBER = re.compile(rb"(?:\.|->)\s*\Z")
_DECLARED = re.compile(rb"\b(?:int|unsigned|auto|size_t|uint32_t|define)\s+\Z")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if _WARP_SIZE not in lexed.names or b"hip/hip_runtime" in view:
        return False
    return options.project.logical_warps or means_warps_of_32(lexed, view)


def means_warps_of_32(lexed: Lexed, view: bytes) -> bool:
    """Whether a file works with warps, which then have 32 lanes."""
    return not SYNC_NAMES.isdisjoint(lexed.names) or sees_waves(lexed, view)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """``warpSize`` in device code becomes the width that the shuffles work in."""
    changes = Changes()
    code = document.code
    for at in names[_WARP_SIZE]:
        before = code[max(0, at - 60) : at]
        if _DECLARED.search(before):
            return Changes()  # the project's own name for something
        if _MEMBER.search(before):
            changes.problems.append(
                Problem(
                    _RULE,
                    Span(at, at + len(_WARP_SIZE)),
                    "noted",
                    "the device property warpSize is 64 on CDNA GPUs, while the device code works in warps of 32",
                    "Where it sets the shape of a launch, use 32 like the kernel does.",
                    "warpSize",
                )
            )
        else:
            changes.replacements.append(Replacement(at, at + len(_WARP_SIZE), LOGICAL_WARP_SIZE))
    return changes
