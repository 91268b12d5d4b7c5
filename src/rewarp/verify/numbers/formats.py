"""Number formats: how the bits of each dtype are read, and how far two of its numbers lie apart.

numpy knows neither bfloat16 nor the 8-bit floats, so tensors travel as bytes with a dtype's name (torch's spelling).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rewarp.errors import UsageError

Array = Any
"""An array of numpy's, which need not be installed where types are checked."""
FLOAT, COMPLEX, INTEGER, BOOLEAN = "float", "complex", "integer", "boolean"


@dataclass(frozen=True)
class SmallFloat:
    """The layout of an 8-bit float."""

    mantissa: int
    bias: int
    has_infinity: bool = False
    unsigned_zero: bool = False
    """AMD's fnuz formats: the one NaN stands where minus zero would, and nothing else is special."""

    def value(self, bits: int) -> float:
        sign = -1.0 if bits & 0x80 else 1.0
        exponent, fraction = (bits & 0x7F) >> self.mantissa, bits & ((1 << self.mantissa) - 1)
        if self.unsigned_zero:
            if bits == 0x80:
                return float("nan")
        elif exponent == 0x7F >> self.mantissa:
            if self.has_infinity:
                return float("nan") if fraction else sign * float("inf")
            if fraction == (1 << self.mantissa) - 1:
                return float("nan")
        if exponent == 0:
            return sign * fraction * 2.0 ** (1 - self.bias - self.mantissa)
        return sign * (1 + fraction / (1 << self.mantissa)) * 2.0 ** (exponent - self.bias)


@dataclass(frozen=True)
class Format:
    """One dtype."""

    name: str
    kind: str
    bits: str
    """numpy's name for the integer of the same size, or for the dtype itself where numpy has it."""
    size: int
    safetensors: str
    """Its code in a safetensors file; the two parts of a complex number are stored as floats side by side."""
    small: SmallFloat | None = None

    @property
    def is_exact(self) -> bool:
        return self.kind in (INTEGER, BOOLEAN)


_ALL = (
    Format("float64", FLOAT, "<f8", 8, "F64"),
    Format("float32", FLOAT, "<f4", 4, "F32"),
    Format("float16", FLOAT, "<f2", 2, "F16"),
    Format("bfloat16", FLOAT, "<u2", 2, "BF16"),
    Format("float8_e4m3fn", FLOAT, "u1", 1, "F8_E4M3", SmallFloat(3, 7)),
    Format("float8_e5m2", FLOAT, "u1", 1, "F8_E5M2", SmallFloat(2, 15, has_infinity=True)),
    # The file format has no code for these two; their bytes go as integers, and the manifest keeps the name.
    Format("float8_e4m3fnuz", FLOAT, "u1", 1, "U8", SmallFloat(3, 8, unsigned_zero=True)),
    Format("float8_e5m2fnuz", FLOAT, "u1", 1, "U8", SmallFloat(2, 16, unsigned_zero=True)),
    Format("complex64", COMPLEX, "<c8", 8, "F32"),
    Format("complex128", COMPLEX, "<c16", 16, "F64"),
    Format("int64", INTEGER, "<i8", 8, "I64"),
    Format("int32", INTEGER, "<i4", 4, "I32"),
    Format("int16", INTEGER, "<i2", 2, "I16"),
    Format("int8", INTEGER, "i1", 1, "I8"),
    Format("uint64", INTEGER, "<u8", 8, "U64"),
    Format("uint32", INTEGER, "<u4", 4, "U32"),
    Format("uint16", INTEGER, "<u2", 2, "U16"),
    Format("uint8", INTEGER, "u1", 1, "U8"),
    Format("bool", BOOLEAN, "u1", 1, "BOOL"),
)
FORMATS = {item.name: item for item in _ALL}
_ALIASES = {
    short: name
    for name, shorts in {
        "float64": "fp64 double",
        "float32": "fp32 float",
        "float16": "fp16 half",
        "bfloat16": "bf16",
        "float8_e4m3fn": "fp8 e4m3 float8_e4m3",
        "float8_e5m2": "e5m2",
        "float8_e4m3fnuz": "e4m3fnuz",
        "float8_e5m2fnuz": "e5m2fnuz",
    }.items()
    for short in shorts.split()
}


def format_of(name: str) -> Format:
    """The format of that name, in torch's spelling or a usual short one."""
    short = name.removeprefix("torch.")
    found = FORMATS.get(_ALIASES.get(short, short))
    if found is None:
        raise UsageError(f"{name}: not a dtype that can be compared; there are {', '.join(FORMATS)}")
    return found


@lru_cache(maxsize=8)
def _small_values(layout: SmallFloat) -> Array:
    import numpy as np

    return np.array([layout.value(bits) for bits in range(256)], dtype=np.float64)


def values(form: Format, raw: Array) -> Array:
    """The numbers in a row of bytes: float64, complex128, or the integers as they are."""
    import numpy as np

    numbers: Array = raw.view(form.bits)
    if form.small is not None:
        return _small_values(form.small)[numbers]
    if form.is_exact:
        return numbers
    if form.name == "bfloat16":
        numbers = (numbers.astype("<u4") << np.uint32(16)).view("<f4")
    with np.errstate(invalid="ignore"):  # a signalling NaN is one like any other
        return numbers.astype(np.complex128 if form.kind == COMPLEX else np.float64)


def steps_apart(form: Format, one: Array, other: Array) -> Array:
    """How many representable numbers lie between two rows of floats (units in the last place), as uint64. Both zeros
    are one number; a NaN has no place."""
    import numpy as np

    first, second = _ordinals(form, one), _ordinals(form, other)
    return np.where(first > second, first - second, second - first)


def _ordinals(form: Format, raw: Array) -> Array:
    """The number's place in the order of all numbers of its format, counted from a middle so that all are positive."""
    import numpy as np

    bits = raw.view(f"<u{form.size}" if form.size > 1 else "u1").astype(np.uint64)
    middle = np.uint64(1 << (8 * form.size - 1))
    magnitude = bits & (middle - np.uint64(1))
    return np.where(bits & middle, middle - magnitude, middle + magnitude)
