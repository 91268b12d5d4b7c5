"""On which platform may this line of Python run: the one place that reads platform gates and availability gates.

``Evaluator`` says what an expression is on one platform, as Python would evaluate it there; ``answer`` says it for the
three platforms that rewarp is about; ``Reach`` says which code a platform never comes to."""

from rewarp.project.gates.bound import Unbound, unbound
from rewarp.project.gates.evaluate import Answer, Evaluator, Modules, answer
from rewarp.project.gates.platforms import GAUDI, NVIDIA, PLATFORMS, ROCM, Platform, platform_for, strict
from rewarp.project.gates.reach import Reach
from rewarp.project.gates.values import UNKNOWN, Value

__all__ = [
    "GAUDI",
    "NVIDIA",
    "PLATFORMS",
    "ROCM",
    "UNKNOWN",
    "Answer",
    "Evaluator",
    "Modules",
    "Platform",
    "Reach",
    "Unbound",
    "Value",
    "answer",
    "platform_for",
    "strict",
    "unbound",
]
