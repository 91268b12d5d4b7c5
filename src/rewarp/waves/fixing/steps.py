"""Steps through shared memory that count on lock step: on AMD a barrier of the wave keeps them in order."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewarp.source import Span
from rewarp.waves.fixing.rewrite import Rewrite
from rewarp.waves.hazards import Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.functions import Function
from rewarp.waves.reading.statements import conditions, statement_end

_STEP = b"REWARP_WARP32_STEP"
_HOW = f"a barrier of the wave behind each step: {_STEP.decode()} of rewarp_waves.h"
_KEPT = "right as it is: the tail keeps its 32 lanes"
_BRACE = re.compile(rb"\s*\{")
_ELSE = re.compile(rb"\s*else\b")
_LOOPS = re.compile(rb"\b(?:for|while|do)\b")
_DONE = re.compile(rb"\s*" + _STEP)
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*", re.M)
_DISTANCE = re.compile(rb"\+\s*\d+\s*\]")
_WRONG = Consequence.WRONG_RESULT
_MARKS = re.compile(rb"[;{}]")


def steps(analysis: Analysis, hazards: Iterable[Hazard]) -> dict[Hazard, Rewrite]:
    """For each step that nothing keeps in order what does; none where its place in the code is not understood."""
    found: dict[Hazard, Rewrite] = {}
    for hazard in hazards:
        if hazard.kind not in (Kind.VOLATILE_TAIL, Kind.IMPLICIT_SYNC) or hazard.consequence is not _WRONG:
            continue
        if hazard.symbol.startswith(">"):  # where the steps with barriers end
            found[hazard] = Rewrite((), _KEPT)
        elif places := _barrier_sites(analysis, hazard):
            missing = (place for place in places if not _has_step(analysis.text, place[0]))
            found[hazard] = Rewrite(tuple((at, at, text) for at, text in missing), _HOW)
    return found


def has_barriers(analysis: Analysis, hazard: Hazard) -> bool:
    """Whether an earlier fix was here."""
    if hazard.kind not in (Kind.VOLATILE_TAIL, Kind.IMPLICIT_SYNC) or _STEP not in analysis.text:
        return False
    places = _barrier_sites(analysis, hazard)
    return bool(places) and all(_has_step(analysis.text, at) for at, _ in places)


def _has_step(text: bytes, at: int) -> bool:
    return _DONE.match(text, at) is not None or text.endswith(_STEP, 0, len(text[:at].rstrip()))


def _barrier_sites(analysis: Analysis, hazard: Hazard) -> list[tuple[int, bytes]]:
    """Where barriers belong, and how each is written there."""
    function = analysis.code.function_at(hazard.where.start)
    if function is None or function.is_macro:
        return []
    text = _DIRECTIVE.sub(lambda line: b" " * len(line[0]), analysis.text[: function.body.end])
    at = hazard.where.start
    if text.startswith(b"for", at):
        brace = _BRACE.match(text, closing(text, text.find(b"(", at)))
        last = len(text[: closing(text, brace.end() - 1, len(text)) - 1].rstrip()) if brace else 0
        return [(last, b" " + _STEP)] if brace else []
    start = _start(text, at, function)
    if start is None:
        return []
    array = hazard.symbol.encode()
    if not re.search(re.escape(array) + rb"[^;]*\+\s*(?:32|16)\s*\]", analysis.code.slice(hazard.where)):
        return [(start, _STEP + b" ")]  # what is read was written just before
    ends = _ends(analysis, text, _end(text, at, function), array)
    return [] if any(_ELSE.match(text, end) for end in ends) else [(end, b" " + _STEP) for end in ends]


def _ends(analysis: Analysis, text: bytes, end: int, array: bytes) -> list[int]:
    """Where this step and those that follow it end."""
    found = [end]
    again = re.compile(re.escape(array) + rb"\s*\[[^;]*\+\s*\d+\s*\]")
    while (following := statement_end(text, end)) > end:
        statement = text[end:following]
        if again.search(statement) and not _LOOPS.search(statement):
            found.append(following)
        elif array in statement or b"sync" not in statement:
            break
        end = following
    return found


def _start(text: bytes, at: int, function: Function) -> int | None:
    """Where the statement begins that a place stands in; None within a loop's head or behind one without braces."""
    marks = list(_MARKS.finditer(text, function.body.start, at))
    start = marks[-1].end() if marks else function.body.start
    before = text[start:at]
    start += len(before) - len(before.lstrip())
    return None if _LOOPS.search(before) or before.count(b")") > before.count(b"(") else start


def _end(text: bytes, at: int, function: Function) -> int:
    """Where the step ends: with all that its condition lets through, where the condition is part of it."""
    for condition in conditions(text, Span(function.body.start, at)):
        within_test = condition.start < at < condition.then.start
        lets_through = condition.then.start <= at < condition.then.end and _DISTANCE.search(condition.test)
        if within_test or lets_through:
            return statement_end(text, condition.start)
    return statement_end(text, at)
