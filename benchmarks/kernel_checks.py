"""What the checks of projects' kernels share: kinds of numbers, reference functions, how far off is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

erf = np.vectorize(math.erf)


def cdf(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + erf(x / math.sqrt(2)))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def clipped(x: np.ndarray) -> np.ndarray:
    return np.clip((x + 3) / 6, 0, 1)


FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "copy": lambda x: x, "neg": lambda x: -x, "recip": lambda x: 1 / x, "exp": np.exp, "sin": np.sin, "cos": np.cos,
    "log": np.log, "tanh": np.tanh, "erf": erf, "ceil": np.ceil, "floor": np.floor, "normcdf": cdf, "abs": np.abs,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)), "sqr": lambda x: x * x, "sqrt": np.sqrt, "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), "gelu_erf": lambda x: x * cdf(x),
    "silu": lambda x: x * sigmoid(x), "sign": np.sign, "sigmoid": sigmoid, "gelu_quick": lambda x: x * sigmoid(1.702 * x),
    "sgn": np.sign, "step": lambda x: (x > 0).astype(float), "trunc": np.trunc, "expm1": np.expm1, "hardsigmoid": clipped,
    "hardswish": lambda x: x * clipped(x), "softplus": lambda x: np.log1p(np.exp(x)), "relu_sqr": lambda x: np.maximum(x, 0) ** 2,
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
}  # fmt: skip
POSITIVE = ("log", "sqrt")
"""Functions of positive numbers only."""


@dataclass(frozen=True)
class Numbers:
    """A type of numbers as kernels have it: how NumPy holds it, and how far off a result in it may be."""

    dtype: type
    bound: float
    bfloat: bool = False

    def made(self, values: np.ndarray) -> np.ndarray:
        if not self.bfloat:
            return values.astype(self.dtype)
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)

    def read(self, held: np.ndarray) -> np.ndarray:
        if not self.bfloat:
            return held.astype(np.float64)
        return (held.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

    def rounded(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest that there are, as kernels take them and as the reference does."""
        held = self.made(values)
        return held, self.read(held)


F16, F32, BF16 = Numbers(np.float16, 1e-3), Numbers(np.float32, 4e-6), Numbers(np.uint16, 8e-3, bfloat=True)


def error(found: np.ndarray, expected: np.ndarray) -> float:
    """Relative to each number; small ones to a tenth of the largest, for kernels compute in the type that they are for."""
    wide = np.asarray(expected, np.float64)
    scale = np.maximum(np.abs(wide), max(0.1 * float(np.abs(wide).max()), 1e-9))
    return float(np.max(np.abs(found.astype(np.float64) - wide) / scale))


def judged(check: Callable[[], tuple[float, float] | None]) -> tuple[str, float]:
    """What became of a kernel: a check gives its error and the bound of it, or nothing where there is no reference."""
    try:
        found = check()
    except Exception as failure:
        return f"failed: {failure}", 0.0
    if found is None:
        return "not checked", 0.0
    # Not "error > bound": a result that is not a number is wrong.
    return ("right" if found[0] <= found[1] else f"wrong: {found[0]:.2g}"), found[0]


def say(file: str, kernel: str, outcome: tuple[str, float]) -> None:
    print(json.dumps({"file": file, "kernel": kernel, "outcome": outcome[0], "error": outcome[1]}), flush=True)
