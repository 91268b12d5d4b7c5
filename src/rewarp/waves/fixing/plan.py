"""What to change so that warp code is right on waves of 32 and of 64 lanes, and the same as before for NVIDIA.

A group of files that include one another is changed in one way, or not at all:

- *warps of 32*: every warp function becomes one of the portable header's, which keep CUDA's meaning on either
  width. Masks, lane numbers, shared arrays and launches are then right as they are. Safe, unless a part of the
  code works on whole waves already.
- *whole waves*: every 32 that means the width follows the hardware, masks get 64 bits. Only where every such number
  is understood and no launch depends on it; unsafe, because results per warp become results per wave.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain
from operator import itemgetter

from rewarp.edits import Edit, Safety
from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.targets import TARGETS
from rewarp.waves import find
from rewarp.waves.fixing import coalesced, library, lock_order, logical, ptx, steps, whole
from rewarp.waves.fixing.advice import advice
from rewarp.waves.fixing.groups import apart, defined, facts_of, together
from rewarp.waves.fixing.include import has_header, inclusion
from rewarp.waves.fixing.rewrite import Replacement, Rewrite
from rewarp.waves.hazards import Hazard, WaveFacts
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.support.names import OURS

_ASKED_FOR = "asked for: what was a result per warp of 32 is then one per wave"
_ELSEWHERE = "the warp functions that it goes with are in none of these files"
_RIGHT = "right as it is: nothing in these files works on the hardware's warps"
_LAUNCHED = re.compile(rb"([A-Za-z_]\w*)\s*(?:<[^;<>]*>\s*)?<<<")
_KEPT = "right as it is, once the warp functions around it are those of warps of 32 (rewarp_warp32_…)"

_Found = dict[int, tuple[Hazard, ...]]
"""By the id of an analysis: the hazards of its file."""
_Cures = dict[Hazard, "Rewrite | str"]
_Own = dict[int, _Cures]
"""By the same: how a hazard is rewritten by itself, or why it is not."""


class Way(str, Enum):
    """How the warp code of a group of files is made right."""

    LOGICAL = "warps of 32"
    WHOLE = "whole waves"
    NONE = "none"


@dataclass(frozen=True)
class Fix:
    """How one hazard is rewritten."""

    hazard: Hazard
    edits: tuple[Edit, ...]
    """Empty where the place itself stays as it is, or where only a person can tell."""
    safety: Safety
    how: str


@dataclass(frozen=True)
class FilePlan:
    """One file: its hazards, each with its fix, and all edits together."""

    document: CodeFile
    fixes: tuple[Fix, ...]
    edits: tuple[Edit, ...]
    safety: Safety
    way: Way
    why: str = ""
    """Why the way is not safe, or why there is none."""
    first: int = 0
    """Where the first change is; the header must be included before."""

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        return tuple(fix.hazard for fix in self.fixes)

    @cached_property
    def left(self) -> tuple[Fix, ...]:
        """What no edit rewrites."""
        return tuple(fix for fix in self.fixes if fix.safety is Safety.DISPLAY_ONLY)


@dataclass(frozen=True)
class Plan:
    """What to do in a tree."""

    files: tuple[FilePlan, ...]
    """The files that have hazards, or must change with one that has."""
    header_in: str
    """The folder that the portable header is included from."""


def _no_form(asm_statement: str) -> str | None:
    return None


def plan(
    documents: Sequence[CodeFile],
    whole_waves: bool = False,
    header_in: str | None = None,
    asm_forms: ptx.AsmForms = _no_form,
) -> Plan:
    """Plans for the files of a tree. Where no portable header lies in it yet, it goes as deep as all can share it.
    ``asm_forms``: how inline PTX is written in HIP."""
    target = TARGETS["rocm"]
    plans: list[FilePlan] = []
    for files in together(documents):
        facts = facts_of(Analysis(document, WaveFacts(), target) for document in files)
        group = [Analysis(document, facts, target) for document in files]
        found = _open(group, facts)
        if any(found.values()):
            plans += _group(group, found, whole_waves, asm_forms)
    plans.sort(key=lambda plan: plan.document.source.path)
    if header_in is None:
        folders = [posixpath.dirname("/" + plan.document.source.path) for plan in plans if plan.edits]
        header_in = posixpath.commonpath(folders).strip("/") if folders else ""
    return Plan(tuple(_with_header(plan, header_in) for plan in plans), header_in)


def _with_header(plan: FilePlan, header_in: str) -> FilePlan:
    if not plan.edits or has_header(plan.document):
        return plan
    line = inclusion(plan.document, plan.first, header_in)
    return replace(plan, edits=(_edit(plan.document, *line, plan.safety), *plan.edits))


def fixes(
    document: CodeFile,
    hazards: Iterable[Hazard],
    facts: WaveFacts | None = None,
    asm_forms: ptx.AsmForms = _no_form,
) -> tuple[Fix, ...]:
    """A fix for each hazard of a file that stands alone."""
    analysis = Analysis(document, facts or WaveFacts(), TARGETS["rocm"])
    found = {id(analysis): tuple(hazards)}
    return tuple(fix for planned in _group([analysis], found, False, asm_forms) for fix in planned.fixes)


def half_of_a_group(plan: FilePlan, other: str) -> FilePlan:
    """A plan whose group is not all at hand: to change one side only would set two widths against one another."""
    fixes = tuple(replace(fix, safety=Safety.UNSAFE) if fix.safety is Safety.SAFE else fix for fix in plan.fixes)
    edits = tuple(replace(edit, safety=Safety.UNSAFE) for edit in plan.edits)
    why = f"{other} must change with it: give the folder that holds both"
    return replace(plan, fixes=fixes, edits=edits, safety=Safety.UNSAFE if edits else plan.safety, why=why)


def _open(group: Sequence[Analysis], facts: WaveFacts) -> _Found:
    """The hazards of each file that no earlier fix has settled."""
    settled = _is_settled(group)
    return {
        id(analysis): tuple(
            hazard
            for hazard in find(analysis.document, facts)
            if not (settled and logical.can_rewrite(hazard)) and not OURS.search(analysis.code.slice(hazard.where))
        )
        for analysis in group
    }


def _is_settled(group: Sequence[Analysis]) -> bool:
    """Whether an earlier fix was here for all of the files, and nothing came after it."""
    return (
        any(map(logical.is_done, group))
        and not any(_in_warps_of_32(group, {}).values())
        and not any(why for analysis in group for why in logical.obstacles(analysis))
    )


def _group(group: Sequence[Analysis], found: _Found, whole_waves: bool, asm_forms: ptx.AsmForms) -> Iterator[FilePlan]:
    names = defined(group)
    against = next((why for analysis in group for why in logical.obstacles(analysis)), "")
    doubt = next((why for analysis in group for why in logical.doubts(analysis, names)), "")
    if not against and not whole_waves:
        return _in_logical_warps(group, found, asm_forms, doubt)
    troubles = (whole.obstacles(analysis, found[id(analysis)], is_for_waves=bool(against)) for analysis in group)
    trouble = next(chain.from_iterable(troubles), "")
    if not trouble:
        return _in_whole_waves(group, found, against or _ASKED_FOR)
    if not against:
        return _in_logical_warps(group, found, asm_forms, doubt)
    return _of_two_widths(group, found, asm_forms, f"{against}; {trouble}")


def _of_two_widths(group: Sequence[Analysis], found: _Found, asm_forms: ptx.AsmForms, why: str) -> Iterator[FilePlan]:
    """A group that neither way is for as a whole. Numbers of lanes change in all of the files that share them or in none;
    some may share none, and others be wrong only in types that are too narrow."""
    own = apart(
        group, lambda analysis, names: not any((*logical.obstacles(analysis), *logical.doubts(analysis, names)))
    )
    if own:
        yield from _in_logical_warps(own, found, asm_forms, "")
    for analysis in group:
        hazards = found[id(analysis)]
        if not hazards or analysis in own:
            continue
        if all(map(whole.is_only_narrow, hazards)) and not any(whole.obstacles(analysis, hazards, is_for_waves=True)):
            yield from _in_whole_waves([analysis], found, why)
        else:
            yield _unplanned(analysis, hazards, why)


def _in_logical_warps(
    group: Sequence[Analysis], found: _Found, asm_forms: ptx.AsmForms, doubt: str
) -> Iterator[FilePlan]:
    own: _Own = {id(a): _own_cures(a, found[id(a)], asm_forms) for a in group}
    return _planned(group, found, Way.LOGICAL, doubt, _in_warps_of_32(group, own), own)


def _own_cures(analysis: Analysis, hazards: tuple[Hazard, ...], asm_forms: ptx.AsmForms) -> _Cures:
    return {
        **ptx.gates(analysis, hazards, asm_forms),
        **coalesced.groups(analysis, hazards),
        **library.classes(analysis, hazards),
        **lock_order.taken_in_turn(analysis, hazards),
        **steps.steps(analysis, hazards),
    }


def _in_whole_waves(group: Sequence[Analysis], found: _Found, why: str) -> Iterator[FilePlan]:
    changes = {id(analysis): whole.replacements(analysis, found[id(analysis)]) for analysis in group}
    return _planned(group, found, Way.WHOLE, why, changes, {id(analysis): {} for analysis in group})


def _planned(
    group: Sequence[Analysis],
    found: _Found,
    way: Way,
    why: str,
    changes: dict[int, list[Replacement]],
    own: _Own,
) -> Iterator[FilePlan]:
    safety = Safety.UNSAFE if why else Safety.SAFE
    for analysis in group:
        key, document = id(analysis), analysis.document
        hazards, replacements = found[key], changes[key]
        if not any(changes.values()):
            if hazards and way is Way.LOGICAL and not why and _is_right(group, found):
                kept = tuple(Fix(hazard, (), Safety.SAFE, _RIGHT) for hazard in hazards)
                yield FilePlan(document, kept, (), Safety.NONE, Way.NONE)
            elif hazards:
                elsewhere = _ELSEWHERE if any(map(logical.can_rewrite, hazards)) else ""
                yield _unplanned(analysis, hazards, elsewhere, own[key])
            continue
        if not replacements and not hazards:
            continue
        edits = tuple(_edit(document, *item, safety) for item in replacements)
        in_order = sorted(replacements, key=itemgetter(0))
        fixes = tuple(
            _by_itself(document, hazard, own[key][hazard], safety)
            if hazard in own[key]
            else _fix(analysis, hazard, in_order, way, safety)
            for hazard in hazards
        )
        first = replacements[0][0] if replacements else 0
        grade, done = (safety, way) if edits else (Safety.NONE, Way.NONE)
        yield FilePlan(document, fixes, edits, grade, done, why, first)


def _is_right(group: Sequence[Analysis], found: _Found) -> bool:
    """Whether files that count in 32 have nothing between them that works on the hardware's warps."""
    kernels = {function.name.encode() for analysis in group for function in analysis.code.functions}
    launched = {match[1] for analysis in group for match in _LAUNCHED.finditer(analysis.text)}
    return (
        any(b"__global__" in analysis.text for analysis in group)
        and launched <= kernels
        and all(map(logical.can_rewrite, chain.from_iterable(found[id(analysis)] for analysis in group)))
    )


def _in_warps_of_32(group: Sequence[Analysis], own: _Own) -> dict[int, list[Replacement]]:
    """The host counts in warps of 32 where the device comes to, and not by itself."""
    changes = {id(a): [*logical.renames(a), *_in_place(own.get(id(a), {}).values())] for a in group}
    if any(changes.values()) or any(OURS.search(analysis.text) for analysis in group):
        changes = {id(a): [*changes[id(a)], *logical.properties(a)] for a in group}
    return {key: sorted(items) for key, items in changes.items()}


def _in_place(rewrites: Iterable[Rewrite | str]) -> set[Replacement]:
    """Two hazards of one statement have one rewrite."""
    return {item for rewrite in rewrites if isinstance(rewrite, Rewrite) for item in rewrite.replacements}


def _by_itself(document: CodeFile, hazard: Hazard, rewrite: Rewrite | str, safety: Safety) -> Fix:
    if isinstance(rewrite, str):
        return Fix(hazard, (), Safety.DISPLAY_ONLY, rewrite)
    return Fix(hazard, tuple(_edit(document, *item, safety) for item in rewrite.replacements), safety, rewrite.how)


def _unplanned(analysis: Analysis, hazards: tuple[Hazard, ...], why: str, own: _Cures | None = None) -> FilePlan:
    rewrites = own or {}
    shown = tuple(
        Fix(hazard, (), Safety.DISPLAY_ONLY, str(rewrites[hazard]) if hazard in rewrites else advice(hazard))
        for hazard in hazards
    )
    return FilePlan(analysis.document, shown, (), Safety.DISPLAY_ONLY, Way.NONE, why)


def _fix(analysis: Analysis, hazard: Hazard, replacements: Sequence[Replacement], way: Way, safety: Safety) -> Fix:
    if not (logical.can_rewrite(hazard) if way is Way.LOGICAL else whole.can_rewrite(hazard)):
        return Fix(hazard, (), Safety.DISPLAY_ONLY, advice(hazard))
    first, last = (bisect_left(replacements, (at,)) for at in hazard.where)
    inside = replacements[first:last]
    edits = tuple(_edit(analysis.document, *item, safety) for item in inside)
    if not inside:
        return Fix(
            hazard, (), safety, _KEPT if way is Way.LOGICAL else "right once what it is made of follows the wave"
        )
    shown = ", ".join(dict.fromkeys(text.decode().strip("(") for _, _, text in inside if text.strip(b")")))
    return Fix(hazard, edits, safety, f"use {shown} of rewarp_waves.h")


def _edit(document: CodeFile, start: int, end: int, text: bytes, safety: Safety) -> Edit:
    source = document.source
    return Edit(source.original(Span(start, end)), source.encoded(text), safety)
