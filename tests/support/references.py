"""What the plain functions of rewarp_hip.h must give, worked out in Python's exact integers and fractions."""

from __future__ import annotations

import math
import re
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
