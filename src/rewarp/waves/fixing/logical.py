"""Warps of 32 on any wave: each half of 64 lanes is one warp, so whatever counts on 32 stays right as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.waves.finding import beyond_32_lanes
from rewarp.waves.fixing.include import has_header
from rewarp.waves.fixing.rewrite import Replacement
from rewarp.waves.fixing.uses import Role, Use, takes_mask_for_value, use_width, uses
from rewarp.waves.hazards import Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import operand_before
from rewarp.waves.reading.cub_warps import warp_classes
from rewarp.waves.reading.vocabulary import (
    PLATFORM_WIDTHS,
    SHIFT_NAME,
    SHUFFLE_HELPER,
    WARP_HELPER,
    WAVE_CLASS,
    WIDTH_NAME,
)
from rewarp.waves.support.names import LOGICAL, OURS, PROPERTY, WARP_SIZE

_CURED = frozenset(
    {
        Kind.MASK_32,
        Kind.BALLOT_32,
        Kind.BIT_COUNT,
        Kind.LANE_BIT,
        Kind.FULL_COMPARE,
        Kind.LANE_ARITHMETIC,
        Kind.WIDTH_CONSTANT,
        Kind.SHIFT_CONSTANT,
        Kind.LOOP,
        Kind.SHARED_SIZE,
        Kind.LAUNCH_GEOMETRY,
        Kind.LAUNCH_BOUNDS,
    }
)
_IN_WARPS_OF_32 = re.compile(rb"(?<!\w)(?:rewarp_warp32_|REWARP_WARP32_)\w")
_ASKS_DEVICE = re.compile(
    rb"\b(?:cuda|hip)Dev(?:ice)?Attr(?:ibute)?WarpSize\b|\bCU_DEVICE_ATTRIBUTE_WARP_SIZE\b|\bcuda\s*::\s*warp_size\b"
)
_GROUPS = re.compile(rb"\btiled_partition\s*<\s*(?:warpSize|64)\b|\bthread_block_tile\s*<\s*64\b")
_WAVE_CODE = re.compile(
    rb"\b__builtin_amdgcn_(?:ds_b?permute|ds_swizzle|mov_dpp|update_dpp|mov_dpp8|permlane|readlane|readfirstlane|writelane"
    rb"|mbcnt|ballot|read_exec|[ifu]cmp|wavefrontsize|mfma|wmma|smfmac)\w*\s*\(|"
    rb"\b__lane_id\s*\(|\b__lanemask_\w+\s*\(|\bREWARP_WAVE_\w+\s*\(|\brewarp_wave_\w+\s*\("
)
_HIP_SUFFIXES = (".hip", ".hip.cpp", ".hip.h", "_hip.h", "_hip.cuh")
_OF_64 = re.compile(rb"(?:[%/]\s*64|&\s*(?:63|0[xX]3[fF])|>>\s*6)[uU]?(?![\w.])")
_HIP_ONLY = re.compile(r"(?:^|\W)_*(?:\w*_)?(?:HIP|ROCM|AMD|AMDGPU|HIPCC|GFX|AMDGCN)(?:_\w*)?(?:\W|$)")
_DEVICE_CODE = re.compile(rb"\b__(?:device|global)__\b|\bthreadIdx\b")
_OF_CPUS = re.compile(rb"_mm\d*_\w+|wasm_\w+|v(?:ec|ld|st)\w+|shuffle|random_shuffle")
_CALLED = re.compile(rb"(?<!\.)(?<!->)\w+\s*(?:<[\w\s,:]*>\s*)?\(")
_FIXED = re.compile(rb"\s*(?:=|\{|\s)\s*32[uU]?\b")
_VOTES = frozenset((b"__ballot", b"__ballot_sync", b"__activemask"))
_PRINTS = re.compile(rb"printf|\b(?:cout|cerr|clog)\b")
_WAVES = re.compile(r"(?i)wave_?(?:front)?_?(?:size)?_?(?:64|32)|wave_?size|wavefront|warp_?size")


def renames(analysis: Analysis) -> list[Replacement]:
    """Warp functions, and the width on the device, become those of warps of 32."""
    known = list(uses(analysis))
    own = {use.name for use in known if use.role is Role.OWN}
    return sorted(
        (*use.where, LOGICAL[use.name])
        for use in known
        if use.role is Role.CALL and use.name not in own and not _stays(analysis.text, use)
    )


def can_rewrite(hazard: Hazard) -> bool:
    """Whether a place is right once every warp of the code has 32 lanes."""
    return (hazard.kind in _CURED and "no mask argument" not in hazard.message) or hazard.symbol == "__syncwarp"


def is_done(analysis: Analysis) -> bool:
    """Whether a file was fixed: all of its warp functions are the portable header's, so a 32 in it is right."""
    return has_header(analysis.document) and bool(_IN_WARPS_OF_32.search(analysis.text)) and not renames(analysis)


def properties(analysis: Analysis) -> list[Replacement]:
    """A device's property ``warpSize`` becomes 32 where it is used, and not only shown."""
    code = analysis.text
    found: list[Replacement] = []
    for use in uses(analysis):
        start, end = operand_before(code, use.where.end).start, use.where.end
        if use.role is not Role.MEMBER or use.name != WARP_SIZE or code.endswith(PROPERTY + b"(", 0, start):
            continue
        if not _PRINTS.search(code[slice(*analysis.code.line(start))]):
            found += [(start, start, PROPERTY + b"("), (end, end, b")")]
    return sorted(found)


def _stays(code: bytes, use: Use) -> bool:
    """Without a mask and with a width it is right already; with a mask for a value it is wrong in another way."""
    return not use.name.endswith(b"_sync") and (bool(use_width(code, use)) or takes_mask_for_value(code, use))


def obstacles(analysis: Analysis) -> Iterator[str]:
    """Why a file's warps cannot all have 32 lanes: some of it works on whole waves."""
    if _asks_width(analysis) or _has_width_for_hip(analysis):
        yield "the code has a case of its own for AMD's width"
    if _for_hip_alone(analysis, list(_votes_in_functions(analysis))):
        yield "votes in a branch for AMD alone are those of whole waves"
    for use in uses(analysis):
        if use.name == WARP_SIZE and use.role is Role.OWN and not _FIXED.match(analysis.text, use.where.end):
            yield "warpSize is a name of the project's own here"
    if any(b"64" in use_width(analysis.text, use) for use in uses(analysis)):
        yield "a shuffle works on 64 lanes"
    for roles in analysis.functions if _is_for_hip(analysis) else ():
        if (
            analysis.on_warps(roles)
            and (match := next(roles.finditer(_OF_64), None))
            and analysis.reachable(match.start())
        ):
            yield f"some of the code counts in 64 ({match[0].decode()})"
    if any(next(beyond_32_lanes.reaches(analysis, roles), None) for roles in analysis.functions):
        yield "values are exchanged over more than 32 lanes"
    for used in warp_classes(analysis.text):
        if used.stays_wide and analysis.reachable(used.where.start):
            yield f"{used.scope.decode()}::{used.name.decode()} works on whole waves"
    for pattern, what in (
        (WAVE_CLASS, "{} works on whole waves"),
        (_GROUPS, "{} is as wide as the wave"),
        (_ASKS_DEVICE, "the device is asked for its width ({})"),
        (_WAVE_CODE, "{} sees the whole wave"),
    ):
        if match := next(analysis.each(pattern), None):
            yield what.format(" ".join(match[0].decode("utf-8", "replace").split()))
    for word, places in analysis.names.constants.items():
        if _is_width(word) and any(place.value == 64 for place in places):
            yield f"{word.decode()} is 64"
    for word in PLATFORM_WIDTHS - LOGICAL.keys():
        if any(map(analysis.reachable, analysis.document.words.get(word, ()))):
            yield f"{word.decode()} is the hardware's width"


def doubts(analysis: Analysis, defined: frozenset[bytes]) -> Iterator[str]:
    """Widths and warp helpers that no file at hand defines. ``defined``: the functions and constants of those that do."""
    if not _DEVICE_CODE.search(analysis.text):
        return
    of_library = {at for used in warp_classes(analysis.text) for at in range(*used.where)}
    for word, places in analysis.document.words.items():
        if word in defined or word in LOGICAL or OURS.fullmatch(word):
            continue
        if _is_width(word):
            if word not in PLATFORM_WIDTHS and any(map(analysis.reachable, places)):
                yield f"{word.decode()} comes from elsewhere, and may be the hardware's width"
        elif _is_helper(word) and any(
            _CALLED.match(analysis.text, at) and at not in of_library and analysis.reachable(at) for at in places
        ):
            yield f"{word.decode()} comes from elsewhere, and may work on whole waves"


def _is_for_hip(analysis: Analysis) -> bool:
    """Whether AMD's compiler was meant to see the file: what only NVIDIA's has seen cannot mean waves by its 64."""
    return b"hip/hip_" in analysis.document.source.view or analysis.document.source.path.endswith(_HIP_SUFFIXES)


def _is_helper(word: bytes) -> bool:
    return bool(SHUFFLE_HELPER.fullmatch(word) or WARP_HELPER.fullmatch(word)) and not _OF_CPUS.fullmatch(word)


def _is_width(word: bytes) -> bool:
    return word in PLATFORM_WIDTHS or bool(WIDTH_NAME.fullmatch(word) and not SHIFT_NAME.fullmatch(word))


def _asks_width(analysis: Analysis) -> bool:
    """Whether a condition tells widths apart; ``#ifndef WARP_SIZE`` before its definition does not."""
    return any(
        _WAVES.search(directive.condition) and directive.word != "ifndef" and not directive.condition.startswith("!")
        for directive in analysis.document.directives
    )


def _has_width_for_hip(analysis: Analysis) -> bool:
    """Whether a width stands in a branch that only AMD's compiler sees."""
    words = analysis.document.words
    return _for_hip_alone(analysis, [at for name, found in words.items() if _is_width(name) for at in found])


def _votes_in_functions(analysis: Analysis) -> Iterator[int]:
    """Where votes are taken; in a macro a branch for AMD may only spell what the other has."""
    for use in uses(analysis):
        if use.role is Role.CALL and use.name in _VOTES:
            function = analysis.code.function_at(use.where.start)
            if function and not function.is_macro:
                yield use.where.start


def _for_hip_alone(analysis: Analysis, places: list[int]) -> bool:
    """Whether one of these places stands in a branch that only AMD's compiler sees."""
    return bool(places) and any(
        branch.where.start <= at < branch.where.end
        for branch in analysis.document.branches(analysis.target)
        if branch.compiled is not False and branch.test.word != "else" and _HIP_ONLY.search(branch.test.condition)
        for at in places
    )
