"""From findings to an answer: ``standing`` says which of them count, ``effort`` how much work they are, ``conclusion``
what follows."""

from rewarp.verdict.conclusion import judge, plural
from rewarp.verdict.effort import EFFORT_BASIS, MINUTES, effort_minutes
from rewarp.verdict.model import (
    Approach,
    Conclusion,
    PhaseWork,
    ProjectView,
    Standing,
    Strategy,
    Verdict,
    blocking,
)
from rewarp.verdict.standing import standing

__all__ = [
    "EFFORT_BASIS",
    "MINUTES",
    "Approach",
    "Conclusion",
    "PhaseWork",
    "ProjectView",
    "Standing",
    "Strategy",
    "Verdict",
    "blocking",
    "effort_minutes",
    "judge",
    "plural",
    "standing",
]
