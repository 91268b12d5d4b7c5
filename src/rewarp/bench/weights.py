"""How many steps a line stands for: programs print every tenth step, or every step at first and every hundredth later."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, islice
from operator import sub

_ENOUGH = 0.75
"""Of the usual number of steps: the last line before a pause may stand for fewer."""


def gaps(steps: Sequence[int]) -> Sequence[int]:
    """Steps since the line before, for every line but the first."""
    return list(map(sub, islice(steps, 1, None), steps))


def line_weights(steps: Sequence[int]) -> list[float] | None:
    """What each line counts in a mean; None where all count the same.

    A gap that is wider than both its neighbours is lines that were lost, not steps that one line stands for.
    """
    if len(steps) < 2:
        return None
    between = gaps(steps)
    if len(set(between)) < 2 or min(between) < 1:
        return None
    # The first line has none before it, and counts as the second does.
    padded = [0, between[0], *between, 0]
    return [float(min(gap, max(before, after)) or gap) for before, gap, after in zip(padded, padded[1:], padded[2:])]


def evened(values: Sequence[float], weights: Sequence[float] | None) -> tuple[Sequence[float], Sequence[int]]:
    """Values that stand for about as many steps each, and behind how many lines each of them ends.

    A mean over a hundred steps is not to be held against the time of one: lines that stand for few steps are gathered.
    """
    if weights is None:
        return values, range(1, len(values) + 1)
    usual = _ENOUGH * _middle(weights)
    found: list[float] = []
    ends: list[int] = []
    total = steps = 0.0
    for place, (value, weight) in enumerate(zip(values, weights), 1):
        total, steps = total + value * weight, steps + weight
        if steps >= usual:
            found.append(total / steps)
            ends.append(place)
            total = steps = 0.0
    # What is left over at the end is too short to be held against the others.
    return found, ends


def _middle(weights: Sequence[float]) -> float:
    """The weight on both sides of which half of all steps lie."""
    ordered = sorted(weights)
    return ordered[bisect_left(list(accumulate(ordered)), sum(ordered) / 2)]


def normalised(weights: Sequence[float] | None) -> list[float] | None:
    """With a mean of 1; None where all are the same."""
    if weights is None or len(set(weights)) < 2:
        return None
    mean = sum(weights) / len(weights)
    return [weight / mean for weight in weights]
