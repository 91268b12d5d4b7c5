"""Another order of the waves: a program that prints something else then has not ordered what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rewarp.run import ProgramResult, Request
from rewarp.run.comparison import differences
from rewarp.verify.checks import Check, Level, Outcome

TOLERANCE = 1e-3
"""What sums of another order may part by."""


def other_order(what: str, path: str, result: ProgramResult, again: Callable[[], ProgramResult]) -> Check | None:
    """Whether it ended and printed the same in a hostile order as in the first. None where it ran in one order only, or not to
    a good end. ``again`` runs it once more as the first time: what differs then as well says nothing about orders."""
    first, *others = result.runs
    if not others or first.incomplete or first.ended.code:
        return None
    cut = next((ran for ran in others if ran.incomplete), None)
    if result.differences:
        words = result.differences[0].words
        if differences((first, again().runs[0]), TOLERANCE):
            return Check(
                Level.MACHINE, what, Outcome.NOT_CHECKED, f"it prints something else every time: {words}", path
            )
        return Check(Level.MACHINE, what, Outcome.FAILED, words, path)
    if cut is not None:
        why = f"in another order: {cut.records.no_room or cut.ended.words}"
        return Check(Level.MACHINE, what, Outcome.NOT_CHECKED, why, path)
    return Check(Level.MACHINE, what, Outcome.PASSED, "", path)


def once(request: Request) -> Request:
    return replace(request, orders=0)
