"""What the plain functions of rewarp_hip.h must give, worked out in Python's exact integers and fractions."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def lanes(word: int, bits: int, is_signed: bool) -> list[int]:
    cut = [word >> shift & ((1 << bits) - 1) for shift in range(0, 32, bits)]
    return [signed(lane, bits) for lane in cut] if is_signed else cut


def joined(values: Sequence[int], bits: int) -> int:
    return sum((value & ((1 << bits) - 1)) << (bits * i) for i, value in enumerate(values))


def saturated(value: int, bits: int, is_signed: bool) -> int:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(value, low), high)


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "ge": lambda x, y: x >= y,
    "gt": lambda x, y: x > y,
    "le": lambda x, y: x <= y,
    "lt": lambda x, y: x < y,
}
LANE_OPERATIONS: dict[str, tuple[bool, Callable[[int, int, int], int]]] = {
    # operation: are lanes signed, what becomes of x and y (the third argument is the lane's width)
    "abs": (True, lambda x, y, bits: abs(x)),
    "absss": (True, lambda x, y, bits: saturated(abs(x), bits, True)),
    "neg": (True, lambda x, y, bits: -x),
    "negss": (True, lambda x, y, bits: saturated(-x, bits, True)),
    "add": (True, lambda x, y, bits: x + y),
    "addss": (True, lambda x, y, bits: saturated(x + y, bits, True)),
    "addus": (False, lambda x, y, bits: saturated(x + y, bits, False)),
    "sub": (True, lambda x, y, bits: x - y),
    "subss": (True, lambda x, y, bits: saturated(x - y, bits, True)),
    "subus": (False, lambda x, y, bits: saturated(x - y, bits, False)),
    "absdiffs": (True, lambda x, y, bits: abs(x - y)),
    "absdiffu": (False, lambda x, y, bits: abs(x - y)),
    "avgs": (True, lambda x, y, bits: math.floor(Fraction(x + y, 2) + (Fraction(1, 2) if x + y >= 0 else 0))),
    "avgu": (False, lambda x, y, bits: (x + y + 1) // 2),
    "haddu": (False, lambda x, y, bits: (x + y) // 2),
    "maxs": (True, lambda x, y, bits: max(x, y)),
    "maxu": (False, lambda x, y, bits: max(x, y)),
    "mins": (True, lambda x, y, bits: min(x, y)),
    "minu": (False, lambda x, y, bits: min(x, y)),
}


def simd_reference(name: str) -> Callable[[int, int, int], int]:
    """What a function of the `__v…2`, `__v…4` family gives, from its name."""
    operation, bits = name.removeprefix("__v")[:-1], 16 if name.endswith("2") else 8
    if operation in ("sads", "sadu"):
        is_signed = operation == "sads"
        return lambda a, b, c: sum(
            abs(x - y) for x, y in zip(lanes(a, bits, is_signed), lanes(b, bits, is_signed), strict=True)
        )
    if compared := re.fullmatch("(cmp|set)(eq|ne|ge|gt|le|lt)([su]?)", operation):
        holds, true = COMPARISONS[compared[2]], -1 if compared[1] == "cmp" else 1
        is_signed = compared[3] == "s"
        return lambda a, b, c: joined(
            [true * holds(x, y) for x, y in zip(lanes(a, bits, is_signed), lanes(b, bits, is_signed), strict=True)],
            bits,
        )
    is_signed, function = LANE_OPERATIONS[operation]
    return lambda a, b, c: joined(
        [function(x, y, bits) for x, y in zip(lanes(a, bits, is_signed), lanes(b, bits, is_signed), strict=True)], bits
    )


def minmax_reference(name: str) -> Callable[[int, int, int], int]:
    """What a function of the `__vimax3_s16x2_relu` family gives, from its name."""
    shape = re.fullmatch(r"__vi(add)?(max|min)(3?)_([su])(32|16x2)(_relu)?", name)
    assert shape, name
    pick = max if shape[2] == "max" else min
    is_signed, bits = shape[4] == "s", 32 if shape[5] == "32" else 16

    def wrap(value: int) -> int:
        return signed(value, bits) if is_signed else value & ((1 << bits) - 1)

    def one(x: int, y: int, z: int) -> int:
        if shape[1]:
            result = pick(wrap(x + y), z)
        else:
            result = pick(x, y, z) if shape[3] else pick(x, y)
        return max(result, 0) if shape[6] else result

    return lambda a, b, c: joined(
        [one(x, y, z) for x, y, z in zip(*(lanes(word, bits, is_signed) for word in (a, b, c)), strict=True)], bits
    )


NEAREST, TOWARD_ZERO, DOWN, UP = range(4)


def rounded(value: Fraction, mode: int) -> int:
    if mode == NEAREST:
        return round(value)
    if mode == TOWARD_ZERO:
        return math.trunc(value)
    return math.floor(value) if mode == DOWN else math.ceil(value)


def bf16_of(value: Fraction, mode: int) -> int:
    """The bits of the bf16 number that a value (below 2**65) rounds to; no subnormals."""
    if value == 0:
        return 0
    exponent = math.floor(math.log2(abs(value)))
    exponent += (abs(value) >= Fraction(2) ** (exponent + 1)) - (abs(value) < Fraction(2) ** exponent)
    scaled = rounded(value / Fraction(2) ** (exponent - 7), mode)
    return (abs(scaled) - 128) + ((exponent + 127) << 7) | (0x8000 if value < 0 else 0)


E4M3, E5M2 = range(2)


def fp8_value(code: int, layout: int) -> float:
    """The number that a code of an 8-bit format means."""
    fraction_bits, bias = (3, 7) if layout == E4M3 else (2, 15)
    exponent, fraction = code >> fraction_bits & (15 if layout == E4M3 else 31), code & ((1 << fraction_bits) - 1)
    if code & 0x7F == 0x7F or (layout == E5M2 and exponent == 31 and fraction):
        return math.nan
    if layout == E5M2 and exponent == 31:
        magnitude = math.inf
    else:
        significand = fraction + (1 << fraction_bits if exponent else 0)
        magnitude = math.ldexp(significand, max(exponent, 1) - bias - fraction_bits)
    return math.copysign(magnitude, -1 if code & 0x80 else 1)


_FP8_FINITE = {
    E4M3: [fp8_value(code, E4M3) for code in range(0x7F)],
    E5M2: [fp8_value(code, E5M2) for code in range(0x7C)],
}
# What would follow the largest number, were there one more exponent: it decides what is too large.
FP8_STEPS = {E4M3: [*_FP8_FINITE[E4M3], 480.0], E5M2: [*_FP8_FINITE[E5M2], 65536.0]}


def fp8_of(value: float, layout: int, saturates: bool) -> int:
    """The code of the nearest number, the even one of two. Searched for among all there are."""
    if math.isnan(value):
        return 0x7F
    steps, magnitude = FP8_STEPS[layout], abs(value)
    above = bisect_left(steps, magnitude)
    if above == len(steps):
        code = above - 1
    elif steps[above] == magnitude:
        code = above
    else:
        to_below, to_above = magnitude - steps[above - 1], steps[above] - magnitude
        code = above if to_above < to_below or (to_above == to_below and above % 2 == 0) else above - 1
    if code == len(steps) - 1:
        code = code - 1 if saturates else 0x7F if layout == E4M3 else 0x7C
    return code | (0x80 if math.copysign(1, value) < 0 else 0)


def e8m0_of(value: float, up: bool, saturates: bool) -> int:
    """The code of the power of two next to a magnitude, from above or from below."""
    if math.isnan(value):
        return 0xFF
    powers = [math.ldexp(1, code - 127) for code in range(255)]
    at = bisect_left(powers, abs(value))
    exact = at < 255 and powers[at] == abs(value)
    if math.isinf(value) or (up and at == 255):
        return 0xFE if saturates else 0xFF
    return at if up or exact else max(at - 1, 0)
