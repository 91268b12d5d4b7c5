"""Libraries that see the whole wave are held to warps of 32, which the support header's warp functions stand for."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import OF_HAZARDS

_WORDS = (b"coalesced_threads", b"meta_group_")
_LIBRARIES = (b"cub", b"rocprim")
_LIBRARY_WORDS = (b"WarpReduce", b"WarpScan", b"WarpExchange", b"WarpLoad", b"WarpStore", b"WarpMergeSort", b"::warp_")
"""Whatever sees the whole wave in a translated file is one of these."""
_GROUP = b"rewarp_warp_group("
_FIX = "Count with the width of the wave here, or have it work in groups of 32: a tile, a logical width."


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return sees_waves(lexed, view)


def sees_waves(lexed: Lexed, view: bytes) -> bool:
    """Whether a file may use something that is as wide as the wave."""
    if any(word in view for word in _WORDS):
        return True
    by_library = any(word in lexed.vocabulary for word in _LIBRARIES)
    return by_library and any(word in view for word in _LIBRARY_WORDS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Tells CUB's warp classes that they have 32 lanes, cuts groups of threads to one warp, and notes what is left."""
    from rewarp.waves import Consequence, beyond_warps_of_32  # late: few files need it, and it takes a while to load
    from rewarp.waves.reading.cub_warps import DEFAULTS, warp_classes
    from rewarp.waves.reading.groups import scoped_start
    from rewarp.waves.reading.vocabulary import PLATFORM_WIDTHS

    changes = Changes()
    by_hardware = any(word in document.words for word in PLATFORM_WIDTHS if word != b"warpSize")
    classes = {} if by_hardware else {used.where.start: used for used in warp_classes(document.code)}
    for hazard in beyond_warps_of_32(document):
        where = Span(*hazard.where)
        used = classes.get(where.start)
        if used and hazard.kind.name == "GROUPS":
            end = used.given[-1].end
            algorithm = b", hipcub::" + DEFAULTS[used.name] if used.lacks_algorithm else b""
            changes.replacements.append(Replacement(end, end, algorithm + b", 32"))
        elif hazard.symbol == "coalesced_threads":
            start = scoped_start(document.code, where.start)
            changes.replacements += [Replacement(start, start, _GROUP), Replacement(where.end, where.end, b")")]
        elif hazard.consequence is not Consequence.HANG and (rule := OF_HAZARDS.get(hazard.kind.name)):
            message = f"{hazard.message}: {hazard.why}"
            changes.problems.append(Problem(rule, where, "noted", message, _FIX, hazard.symbol))
    return changes
