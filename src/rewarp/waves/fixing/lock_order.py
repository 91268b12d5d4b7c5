"""Locks: the lanes of a wave take them one after another, each with all that it does until the lock is free again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewarp.source import Span
from rewarp.waves.fixing.rewrite import Rewrite
from rewarp.waves.hazards import Consequence, Hazard
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.spin_locks import Lock, locks

_LANES, _WARPS = b"REWARP_WARP32_LANES_IN_TURN", b"REWARP_WARP32_WARPS_IN_TURN"
_ENDS = b"REWARP_WARP32_TURN_ENDS"
_LEAVES = re.compile(rb"\b(?:return|goto|break|continue|case)\b|\b__syncthreads|\.sync\s*\(|#")
_ACROSS_LANES = re.compile(rb"\b(?:rewarp_warp32_|__)(?:shfl|ballot|any|all|match|reduce|syncwarp|activemask)")
_DECLARED = re.compile(
    rb"(?:\A|[;{}])\s*(?:const\s+)?[A-Za-z_][\w:<>,\s]*?[\s*&]([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?(?=[=;,{])"
)


def taken_in_turn(analysis: Analysis, hazards: Iterable[Hazard]) -> dict[Hazard, Rewrite]:
    """For each lock whose section is seen what makes lanes, or warps, take it in turn."""
    hangs = {hazard.where: hazard for hazard in hazards if hazard.consequence is Consequence.HANG}
    if not hangs:
        return {}
    found = {hangs[lock.where]: lock for lock in locks(analysis) if lock.where in hangs}
    sections = [lock.section for lock in found.values() if lock.section]
    return {
        hazard: _in_turn(analysis, lock.section, lock.by_warp)
        for hazard, lock in found.items()
        if lock.section and _is_closed(analysis, lock, lock.section) and not _overlaps(lock.section, sections)
    }


def _overlaps(section: Span, others: list[Span]) -> bool:
    return sum(other.start < section.end and section.start < other.end for other in others) > 1


def _is_closed(analysis: Analysis, lock: Lock, section: Span) -> bool:
    """Whether a section can stand in a loop: nothing leaves it, and nothing that it declares is used behind it."""
    text = analysis.text[slice(*section)]
    function = analysis.code.function_at(section.start)
    if function is None or _LEAVES.search(text) or (not lock.by_warp and _ACROSS_LANES.search(text)):
        return False
    behind = set(re.findall(rb"[A-Za-z_]\w*", analysis.text[section.end : function.body.end]))
    return behind.isdisjoint(_DECLARED.findall(text))


def _in_turn(analysis: Analysis, section: Span, by_warp: bool) -> Rewrite:
    view = analysis.document.source.view
    line = view.rfind(b"\n", 0, section.start) + 1
    before = view[line : section.start]
    newline = b"\r\n" if b"\r\n" in view else b"\n"
    gap = b" " if before.strip() else newline + before
    macro = _WARPS if by_warp else _LANES
    how = f"{'warps' if by_warp else 'lanes'} take it in turn: {macro.decode()} of rewarp_waves.h"
    return Rewrite(((section.start, section.start, macro + gap), (section.end, section.end, gap + _ENDS)), how)
