"""From findings to an answer: ``standing`` says which of them count, ``effort`` how much work they are, ``conclusion``
what follows."""

from rewarp.verdict.answer import (
    Approach,
    Conclusion,
    PhaseWork,
    ProjectView,
    Standing,
    Strategy,
    Verdict,
    Work,
    blocking,
)
from rewarp.verdict.conclusion import judge, plural
from rewarp.verdict.effort import EFFORT_BASIS, MEDIAN_ERROR, cost, left_work, minutes
from rewarp.verdict.standing import apart_in, standing

__all__ = [
    "EFFORT_BASIS",
    "MEDIAN_ERROR",
    "Approach",
    "Conclusion",
    "PhaseWork",
    "ProjectView",
    "Standing",
    "Strategy",
    "Verdict",
    "Work",
    "apart_in",
    "blocking",
    "cost",
    "judge",
    "left_work",
    "minutes",
    "plural",
    "standing",
]
