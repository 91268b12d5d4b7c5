"""Tiles of cooperative groups that are larger than a wave: CUDA makes them of several warps, HIP refuses them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import NO_TWIN

_WAVE = 64
_TILE = re.compile(rb"\b(?:tiled_partition|thread_block_tile)\s*<\s*(?P<size>\w+)\s*[,>]")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return _TILE.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Tells them where the size is a number, or a macro that is one."""
    changes = Changes()
    for match in _TILE.finditer(document.code):
        size = int(match["size"]) if match["size"].isdigit() else options.project.numbers.get(match["size"], 0)
        if size > _WAVE:
            message = (
                f"a tile of {size} threads is more than a wave of {_WAVE}, which HIP's cooperative groups do not have"
            )
            fix = f"Use the thread block, or tiles of {_WAVE} threads or fewer with the rest in shared memory."
            where = Span(*match.span("size"))
            changes.problems.append(Problem(NO_TWIN, where, "unsupported", message, fix, "tiled_partition"))
    return changes
