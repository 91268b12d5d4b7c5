"""The functions that AMD's pseudocode calls by name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from machine.values import EXPONENTS, Value, fields, fused, integer, is_nan, is_signalling, real

CONSTANTS: dict[str, Value] = {
    "INF": real(64, math.inf),
    "NAN": Value("f", 64, 0x7FF8000000000000),
    "PI": real(64, math.pi),
    "UNDERFLOW_F32": real(32, 0.0),
    "UNDERFLOW_F64": real(64, 0.0),
    "OVERFLOW_F32": real(32, math.inf),
    "OVERFLOW_F64": real(64, math.inf),
    "MAX_FLOAT_F32": Value("f", 32, 0x7F7FFFFF),
    "ROUND_MODE": Value("u", 2, 0),
    "ROUND_NEAREST_EVEN": Value("u", 2, 0),
    "ROUND_TOWARD_ZERO": Value("u", 2, 3),
    "BYTE1": Value("u", 3, 1),
    "BYTE2": Value("u", 3, 2),
    "BYTE3": Value("u", 3, 3),
}


def times(x: float, y: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(x) * np.float64(y))


def power(base: Value, exponent: Value) -> Value:
    """2.0 ** n, kept exact: what it is multiplied with decides how far it may go."""
    number = exponent.number
    if exponent.is_float:
        return real(base.width, _power_of_two(float(number)))
    return Scale("f", base.width, 0, int(number))


class Scale(Value):
    """A power of two that no format needs to hold."""

    def __new__(cls, kind: str, width: int, bits: int, exponent: int) -> Scale:
        made = super().__new__(cls, kind, width, bits)
        made.exponent = exponent  # type: ignore[attr-defined]
        return made

    @property
    def number(self) -> float:
        return math.ldexp(1.0, max(min(self.exponent, 1023), -1074))  # type: ignore[attr-defined]


def scaled(value: Value, exponent: int) -> Value:
    number = value.number
    if not math.isfinite(number) or number == 0:
        return value if not is_nan(value) else real(value.width, math.nan)
    return real(value.width, Fraction(number) * Fraction(2) ** max(min(exponent, 5000), -5000))


def _power_of_two(x: float) -> float:
    if math.isnan(x):
        return x
    if x > 1100:
        return math.inf
    return 0.0 if x < -1100 else math.pow(2.0, x) if x < 1024 else math.inf


def to_float(value: Value, width: int, kind: str = "f") -> Value:
    """From one format to another. A NaN keeps what of it there is room for, and becomes quiet."""
    if isinstance(value, Scale):
        return Scale("f", width, 0, value.exponent)  # type: ignore[attr-defined]
    if not is_nan(value):
        return real(width, float(value.number), kind)
    if (value.kind, value.width) == (kind, width):
        return value
    sign, _, mantissa = fields(value)
    have, (exponents, room) = EXPONENTS[value.kind, value.width][1], EXPONENTS[kind, width]
    mantissa = mantissa << (room - have) if room > have else mantissa >> (have - room)
    # A widened signalling NaN still tests as one; a narrowed one must stay a NaN.
    mantissa |= 0 if room > have else 1 << (room - 1)
    return Value(kind, width, sign << (exponents + room) | ((1 << exponents) - 1) << room | mantissa)


def half_toward_zero(value: Value) -> Value:
    near = to_float(value, 16)
    if math.isfinite(value.number) and abs(near.number) > abs(value.number):
        return Value("f", 16, near.bits - 1)
    return near


def _to_integer(value: Value, kind: str, width: int) -> Value:
    """Toward zero; held at the ends of the range."""
    number = float(value.number)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind == "i" else (0, (1 << width) - 1)
    if math.isnan(number):
        return integer(kind, width, 0)
    if math.isinf(number):
        return integer(kind, width, high if number > 0 else low)
    return integer(kind, width, max(min(math.trunc(number), high), low))


def _conversion(name: str) -> Callable[..., Value] | None:
    match = re.fullmatch(r"([uif]|bf)(\d+)_to_([uif]|bf)(\d+)", name)
    if not match:
        return None
    _, _, kind, width = match[1], match[2], match[3], int(match[4])

    def convert(value: Value) -> Value:
        if kind in ("f", "bf"):
            return to_float(value, width, kind) if value.is_float else real(width, float(value.number), kind)
        if value.is_float:
            return _to_integer(value, kind, width)
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind == "i" else (0, (1 << width) - 1)
        return integer(kind, width, max(min(int(value.number), high), low))

    return convert


def _normal(low: float, top: int, kind: str) -> Callable[[Value], Value]:
    def convert(value: Value) -> Value:
        number = float(value.number)
        number = 0.0 if math.isnan(number) else max(min(number, 1.0), low)
        return integer(kind, 16, round(number * top))

    return convert


def _on_number(compute: Callable[[float], float]) -> Callable[[Value], Value]:
    def apply(value: Value) -> Value:
        number = float(value.number)
        return real(value.width, compute(number) if math.isfinite(number) else number)

    return apply


def _signed_whole(compute: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: math.copysign(float(compute(x)), x)


def _root(value: Value) -> Value:
    number = float(value.number)
    return real(value.width, math.nan if math.isnan(number) or number < 0 else math.sqrt(number))


def _logarithm(value: Value) -> Value:
    number = float(value.number)
    if math.isnan(number) or number < 0:
        return real(value.width, math.nan)
    return real(value.width, -math.inf if number == 0 else math.inf if math.isinf(number) else math.log2(number))


def _sign_extended(value: Value) -> Value:
    return integer("i", 64, value.signed)


def _sign_from(value: Value, count: Value) -> Value:
    """A field of so many bits as a signed number."""
    width = int(count.number)
    if width == 0 or width > value.width:
        return integer("i", value.width, 0 if width == 0 else value.signed)
    part = value.bits & ((1 << width) - 1)
    return integer("i", value.width, part - (1 << width) if part >> (width - 1) & 1 else part)


def _mantissa(value: Value) -> Value:
    number = float(value.number)
    return value if number == 0 else real(value.width, math.frexp(number)[0])


def _exponent(value: Value) -> Value:
    return integer("i", 32, fields(value)[1])


def _quiet(value: Value) -> Value:
    return Value(value.kind, value.width, value.bits | 1 << (EXPONENTS[value.kind, value.width][1] - 1))


def _flag(test: Callable[[Value], Any]) -> Callable[[Value], Value]:
    return lambda value: Value("u", 1, int(bool(test(value))))


def _first_one(value: Value) -> Value:
    return integer("i", 32, (value.bits & -value.bits).bit_length() - 1)


def _fraction(value: Value) -> Value:
    number = float(value.number)
    return real(value.width, number - math.floor(number) if math.isfinite(number) else math.nan)


def _even(value: Value) -> bool:
    number = float(value.number)
    return math.isfinite(number) and math.fmod(number, 2.0) == 0


def _round_even(value: Value) -> Value:
    number = float(value.number)
    return real(value.width, math.copysign(float(round(number)), number) if math.isfinite(number) else number)


def _below_one(value: Value) -> Value:
    """x - floor(x), which never rounds up to one."""
    number = float(value.number)
    if not math.isfinite(number):
        return real(value.width, math.nan)
    found = real(value.width, Fraction(number) - math.floor(number))
    return Value("f", value.width, found.bits - 1) if found.number == 1.0 else found


def _frexp_exponent(value: Value) -> Value:
    number = float(value.number)
    return integer("i", 32, math.frexp(number)[1] if math.isfinite(number) else 0)


def _two_over_pi() -> int:
    """The first 1,201 bits behind the point of 2/pi, and as many as are ever shifted in behind them."""
    bits = 2400

    def inverse_tangent(divisor: int) -> int:
        total = term = (1 << bits + 64) // divisor
        number, sign = 3, -1
        while term:
            term //= divisor * divisor
            total += sign * (term // number)
            number, sign = number + 2, -sign
        return total

    pi = 4 * (4 * inverse_tangent(5) - inverse_tangent(239))
    return (2 << (2 * bits + 64)) // pi & ((1 << bits) - 1)


_DIGITS = _two_over_pi()


def _trig_preop(value: Value, segment: Value) -> Value:
    exponent = fields(value)[1]
    shift = int(segment.number & 31) * 53 + max(exponent - 1077, 0)
    kept = (_DIGITS >> (2400 - 1201)) << shift & ((1 << 1201) - 1)
    return scaled(real(64, float(kept >> (1201 - 53))), -53 - shift + (128 if exponent >= 1968 else 0))


KNOWN: dict[str, Callable[..., Any]] = {
    "fma": fused,
    "round_even": _round_even,
    "below_one": _below_one,
    "frexp_exponent": _frexp_exponent,
    "trig_preop": _trig_preop,
    "floor": _on_number(_signed_whole(math.floor)),
    "trunc": _on_number(_signed_whole(math.trunc)),
    "fract": _fraction,
    "sqrt": _root,
    "log2": _logarithm,
    "pow": lambda base, value: real(value.width, _power_of_two(float(value.number))),
    "ldexp": lambda value, by: scaled(value, int(by.number)),
    "abs": lambda value: Value(value.kind, value.width, value.bits & ~(1 << (value.width - 1))),
    "sign": _flag(lambda value: fields(value)[0]),
    "exponent": _exponent,
    "mantissa": _mantissa,
    "isNAN": _flag(is_nan),
    "isSignalNAN": _flag(is_signalling),
    "isQuietNAN": _flag(lambda value: is_nan(value) and not is_signalling(value)),
    "isEven": _flag(_even),
    "cvtToQuietNAN": _quiet,
    "signext": _sign_extended,
    "signext_from_bit": _sign_from,
    "s_ff1_i32_b64": _first_one,
    "s_ff1_i32_b32": _first_one,
    "bitCount": lambda value: integer("u", 32, bin(value.bits).count("1")),
    "countbits": lambda value: integer("u", 32, bin(value.bits).count("1")),
    "f16_to_snorm": _normal(-1.0, 32767, "i"),
    "f32_to_snorm": _normal(-1.0, 32767, "i"),
    "f16_to_unorm": _normal(0.0, 65535, "u"),
    "f32_to_unorm": _normal(0.0, 65535, "u"),
    "LT_NEG_ZERO": lambda a, b: Value("u", 1, int(_before(a, b))),
    "GT_NEG_ZERO": lambda a, b: Value("u", 1, int(_before(b, a))),
}


def _before(a: Value, b: Value) -> bool:
    """Less, where -0 is less than +0."""
    x, y = float(a.number), float(b.number)
    return x < y or (x == y == 0 and math.copysign(1, x) < math.copysign(1, y))


for _from in ("u4", "u8", "u16", "u32", "i4", "i8", "i16", "i32", "f16", "f32", "f64", "bf16"):
    for _to in ("u8", "u16", "u32", "i16", "i32", "f16", "f32", "f64", "bf16"):
        _made = _conversion(f"{_from}_to_{_to}")
        if _made:
            KNOWN[f"{_from}_to_{_to}"] = _made
KNOWN["v_cvt_i16_f32"] = lambda value: _to_integer(value, "i", 16)
KNOWN["v_cvt_u16_f32"] = lambda value: _to_integer(value, "u", 16)
for _space in ("Ds", "Flat", "Global", "Buffer", "Scratch", "ScalarGlobal", "ScalarBuffer"):
    KNOWN[f"Calc{_space}Addr"] = lambda address, *_: address  # offsets are in it already
