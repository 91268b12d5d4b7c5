"""A loss that is summed up over an epoch and never divided: no loss of any step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewarp.bench.result import Warn

_GROWS = 1.5
_FALLS = 0.6
_ENOUGH = 5
"""Lines of a single stretch that tell."""
_FEW_STRETCHES = 2
RUNNING_SUM = Warn(
    "running-sum",
    "what is called loss only grows with the steps, and begins anew with them: it is a running sum, and is not used",
    "info",
)


def is_running_sum(steps: Sequence[float], values: Sequence[float]) -> bool:
    """Whether values grow with the steps of an epoch as a sum does, in every epoch."""
    stretches = _stretches(steps, values)
    told = [stretch for stretch in stretches if len(stretch) > 1]
    if not told or not all(_grows(stretch) for stretch in told):
        return False
    falls = all(after[0][1] < _FALLS * before[-1][1] for before, after in pairwise(stretches))
    if len(told) >= _FEW_STRETCHES:
        return falls
    return len(told[0]) >= _ENOUGH and falls and _is_even(told[0])


def _stretches(steps: Sequence[float], values: Sequence[float]) -> list[list[tuple[float, float]]]:
    found: list[list[tuple[float, float]]] = []
    for step, value in zip(steps, values):
        if not found or step <= found[-1][-1][0]:
            found.append([])
        found[-1].append((step, value))
    return found


def _grows(stretch: Sequence[tuple[float, float]]) -> bool:
    (_, first), (_, last) = stretch[0], stretch[-1]
    return all(one < two for (_, one), (_, two) in pairwise(stretch)) and first > 0 and last >= _GROWS * first


def _is_even(stretch: Sequence[tuple[float, float]]) -> bool:
    """Whether a value is about as many times larger as its step is."""
    (one, first), (two, last) = stretch[0], stretch[-1]
    return one > 0 and two >= 2 * one and abs((last / first) / (two / one) - 1) < 1 - _FALLS
