"""Typed bits, as AMD's pseudocode computes with them: integers of any width, and floats that are rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

_FLOATS = {16: (np.uint16, np.float16), 32: (np.uint32, np.float32), 64: (np.uint64, np.float64)}
EXPONENTS = {("f", 16): (5, 10), ("f", 32): (8, 23), ("f", 64): (11, 52), ("bf", 16): (8, 7)}


class Value(NamedTuple):
    """``u``, ``i``, ``b`` integers, ``f`` and ``bf`` floats; the bits decide."""

    kind: str
    width: int
    bits: int

    @property
    def is_float(self) -> bool:
        return self.kind in ("f", "bf")

    @property
    def number(self) -> int | float:
        """What the bits stand for."""
        if self.kind == "f":
            whole, real = _FLOATS[self.width]
            return float(whole(self.bits).view(real))
        if self.kind == "bf":
            return float(np.uint32(self.bits << 16).view(np.float32))
        return self.signed if self.kind == "i" else self.bits

    @property
    def signed(self) -> int:
        return self.bits - (1 << self.width) if self.bits >> (self.width - 1) & 1 else self.bits


def integer(kind: str, width: int, number: int) -> Value:
    return Value(kind, width, number & ((1 << width) - 1))


def real(width: int, number: float | Fraction, kind: str = "f") -> Value:
    """Rounded to the nearest number, once."""
    if isinstance(number, Fraction):
        return Value(kind, width, _rounded(number, *EXPONENTS[kind, width]))
    if kind == "bf":
        if math.isnan(number):
            return Value("bf", 16, 0x7FC0)
        if math.isinf(number) or number == 0:
            return Value("bf", 16, (0x7F80 if number else 0) | (0x8000 if math.copysign(1, number) < 0 else 0))
        return Value("bf", 16, _rounded(Fraction(number), 8, 7))
    whole, form = _FLOATS[width]
    with np.errstate(all="ignore"):
        return Value("f", width, int(form(number).view(whole)))


def _rounded(number: Fraction, exponents: int, mantissas: int) -> int:
    sign = 1 << (exponents + mantissas) if number < 0 else 0
    size = abs(number)
    if not size:
        return sign
    bias = (1 << (exponents - 1)) - 1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    exponent = max(exponent, 1 - bias)
    steps = size / Fraction(2) ** (exponent - mantissas)
    whole = steps.numerator // steps.denominator
    rest = steps - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1 == 1)
    bits = whole + ((exponent + bias - 1) << mantissas)
    return sign | min(bits, ((1 << exponents) - 1) << mantissas)


def fused(a: Value, b: Value, c: Value) -> Value:
    """a * b + c, rounded once."""
    x, y, z = a.number, b.number, c.number
    if not all(math.isfinite(part) for part in (x, y, z)):
        if math.isfinite(x) and math.isfinite(y):
            return real(a.width, z)  # whatever the product is, it is finite before it is rounded
        return real(a.width, _times(x, y) + z)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact:
        return real(a.width, exact)
    return real(a.width, math.copysign(0.0, x) * math.copysign(1.0, y) + z if Fraction(x) * Fraction(y) == 0 else 0.0)


def _times(x: float, y: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(x) * np.float64(y))


def divided(x: float, y: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(x) / np.float64(y))


def is_nan(value: Value) -> bool:
    return value.is_float and value.number != value.number


def fields(value: Value) -> tuple[int, int, int]:
    """Sign, exponent with its bias, mantissa."""
    exponents, mantissas = EXPONENTS[value.kind, value.width]
    return (
        value.bits >> (exponents + mantissas) & 1,
        value.bits >> mantissas & ((1 << exponents) - 1),
        value.bits & ((1 << mantissas) - 1),
    )


def is_denormal(value: Value) -> bool:
    _, exponent, mantissa = fields(value)
    return exponent == 0 and mantissa != 0


def is_signalling(value: Value) -> bool:
    return is_nan(value) and not fields(value)[2] >> (EXPONENTS[value.kind, value.width][1] - 1) & 1
