"""Warps of 32 lanes where the hardware's are 64.

A file that passes 32-bit masks to ``__shfl_sync`` and its kin means warps of 32, and so does one that
works in tiles or in matrix fragments. The support header's overloads and fragments keep that meaning on
either width, so ``warpSize`` must mean 32 there too: half a 64-wide wave is then one warp, on both sides of every computation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import blocks_around
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import LAUNCHES_IN_WARPS
from rewarp.translation.waves import sees_waves

_WARP_SIZE = b"warpSize"
LOGICAL_WARP_SIZE = b"rewarp_warp_size"
SYNC_NAMES = frozenset(
    b"__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync "
    b"__match_any_sync __match_all_sync __activemask __reduce_add_sync __reduce_min_sync __reduce_max_sync "
    b"__reduce_and_sync __reduce_or_sync __reduce_xor_sync __ballot __any __all __shfl __shfl_up __shfl_down "
    b"__shfl_xor __syncwarp".split()
)
_PARTS_OF_WARPS = (b"tiled_partition", b"thread_block_tile", b"wmma")
_OWN = b"own_warpSize"
_MEMBER = re.compile(rb"(?:\.|->)\s*\Z")
_INITIALISED = re.compile(rb"\s*[={]")
_DECLARED = re.compile(rb"\b(?:int|unsigned|auto|size_t|uint32_t|define)\s+\Z")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if _WARP_SIZE not in lexed.names or b"hip/hip_runtime" in view:
        return False
    return bool(options.project.own_warp_size) or options.project.logical_warps or means_warps_of_32(lexed, view)


def means_warps_of_32(lexed: Lexed, view: bytes) -> bool:
    """Whether a file works with warps, or with what is held in parts by their lanes: they then have 32 of them."""
    return (
        not SYNC_NAMES.isdisjoint(lexed.names)
        or any(word in view for word in _PARTS_OF_WARPS)
        or sees_waves(lexed, view)
    )


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """``warpSize`` in device code becomes the width that the shuffles work in."""
    if document.source.path in options.project.own_warp_size:
        return _renamed(document, names)
    changes = Changes()
    if options.project.own_warp_size and not options.project.logical_warps:
        return changes
    code = document.code
    for at in names[_WARP_SIZE]:
        before = code[max(0, at - 60) : at]
        if _DECLARED.search(before):
            return Changes()  # the project's own name for something
        if _MEMBER.search(before):
            changes.problems.append(
                Problem(
                    LAUNCHES_IN_WARPS,
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


def declares_globally(document: CodeFile, lexed: Lexed) -> bool:
    """Whether a file has a variable ``warpSize`` of its own outside of everything, where HIP has one too; CUDA's is a word
    of the compiler's."""
    return any(_is_global(document.code, at) for at in lexed.names.get(_WARP_SIZE, ()))


def _is_global(code: bytes, at: int) -> bool:
    before = _DECLARED.search(code[max(0, at - 60) : at])
    if not before or b"define" in before[0] or not _INITIALISED.match(code, at + len(_WARP_SIZE)):
        return False
    return all(b"extern" in head for head in blocks_around(code, at))


def _renamed(document: CodeFile, names: Mapping[bytes, list[int]]) -> Changes:
    """The project's own variable, in all files that see it."""
    changes = Changes()
    code = document.code
    for at in names[_WARP_SIZE]:
        if _MEMBER.search(code[max(0, at - 60) : at]):
            continue
        changes.replacements.append(Replacement(at, at + len(_WARP_SIZE), _OWN))
        if _is_global(code, at):
            message = f"HIP has a warpSize outside of all namespaces: the project's own became {_OWN.decode()}"
            fix = "Check that nothing outside of these files uses it."
            changes.problems.append(
                Problem(LAUNCHES_IN_WARPS, Span(at, at + len(_WARP_SIZE)), "noted", message, fix, "warpSize")
            )
    return changes
