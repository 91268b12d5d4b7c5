"""The 8-bit floats of rewarp_hip.h against a search through all numbers of the format, in Python."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Sequence

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate
from support.compiled import Library
from support.references import E4M3, E5M2, FP8_STEPS, e8m0_of, fp8_of, fp8_value, saturated

each_layout = pytest.mark.parametrize("layout", [E4M3, E5M2], ids=["e4m3", "e5m2"])
saturating_or_not = pytest.mark.parametrize("saturates", [False, True], ids=["nosat", "satfinite"])
CODES = range(256)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("fp8"))


def half_of(bits: int) -> float:
    return float(struct.unpack("<e", struct.pack("<H", bits))[0])


def float_of(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def double_of(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def float_bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def double_bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def wrong(
    inputs: Sequence[int], got: Sequence[int], value: Callable[[int], float], expected: Callable[[float], int]
) -> list[str]:
    pairs = zip(inputs, got, strict=True)
    return [f"{bits:#x} ({value(bits)}): {code:#x}" for bits, code in pairs if code != expected(value(bits))][:5]


def turning_points(layout: int) -> list[float]:
    """The numbers of the format and the points half way between two of them, with either sign."""
    steps = FP8_STEPS[layout]
    points = [*steps, *((x + y) / 2 for x, y in zip(steps, steps[1:], strict=False))]
    return [sign * point for point in points for sign in (1.0, -1.0)]


SPECIAL_FLOATS = (0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001, 0x7FFFFFFF, 0, 0x80000000, 1, 0x80000001, 0x7F7FFFFF)


# ---------------------------------------------------------------- to 8 bits


@each_layout
@saturating_or_not
@pytest.mark.parametrize(("source", "value"), [("half", half_of), ("bf16", lambda bits: float_of(bits << 16))])
def test_every_16_bit_number(
    library: Library, source: str, value: Callable[[int], float], layout: int, saturates: bool
) -> None:
    inputs = range(1 << 16)
    got = library.call(f"{source}_to_fp8", inputs, [saturates | layout << 1] * len(inputs))
    assert not wrong(inputs, got, value, lambda x: fp8_of(x, layout, saturates))


@each_layout
@saturating_or_not
def test_floats_at_and_around_every_turning_point(library: Library, layout: int, saturates: bool) -> None:
    chance = random.Random(1)
    inputs = [*SPECIAL_FLOATS, *(chance.getrandbits(32) for _ in range(20000))]
    inputs += [float_bits(chance.gauss(0, scale)) for scale in (1e-5, 1e-2, 1, 100, 1e5) for _ in range(4000)]
    inputs += [float_bits(point) + step & 0xFFFFFFFF for point in turning_points(layout) for step in (-1, 0, 1)]
    got = library.call("float_to_fp8", inputs, [saturates | layout << 1] * len(inputs))
    assert not wrong(inputs, got, float_of, lambda x: fp8_of(x, layout, saturates))


@each_layout
@saturating_or_not
def test_doubles_round_once(library: Library, layout: int, saturates: bool) -> None:
    """A bit far below a float's last one still tips the balance."""
    chance = random.Random(2)
    inputs = [double_bits(chance.gauss(0, scale)) for scale in (1e-5, 1, 1e5, 1e300) for _ in range(2000)]
    inputs += [double_bits(point) + step & ~0 for point in turning_points(layout) if point for step in (-1, 0, 1)]
    inputs += [double_bits(x) for x in (0.0, -0.0, math.inf, -math.inf, 5e-324)]
    options = [saturates | layout << 1] * len(inputs)
    got = library.call("double_to_fp8", [bits >> 32 for bits in inputs], options, inputs)
    assert not wrong(inputs, got, double_of, lambda x: fp8_of(x, layout, saturates))


def test_a_double_keeps_the_sign_of_nan_and_in_e5m2_leading_bits(library: Library) -> None:
    high = [0x7FF80000, 0xFFF80000, 0x7FFC0000, 0x7FF40000, 0x7FF00000]
    assert library.call("double_to_fp8", high, [0] * 5, [1] * 5) == [0x7F, 0xFF, 0x7F, 0x7F, 0x7F]
    assert library.call("double_to_fp8", high, [2] * 5, [1] * 5) == [0x7E, 0xFE, 0x7F, 0x7F, 0x7E]


# ---------------------------------------------------------------- from 8 bits


@each_layout
def test_every_code_means_its_number(library: Library, layout: int) -> None:
    for target, value in (("float", float_of), ("half", half_of), ("bf16", lambda bits: float_of(bits << 16))):
        for code, bits in zip(CODES, library.call(f"fp8_to_{target}", CODES, [layout << 1] * 256), strict=True):
            expected = fp8_value(code, layout)
            if math.isnan(expected):
                assert bits == (0x7FFFFFFF if target == "float" else 0x7FFF), (target, code)
            else:
                assert (value(bits), math.copysign(1, value(bits))) == (expected, math.copysign(1, expected))


@each_layout
@pytest.mark.parametrize("kind", ["char", "uchar", "short", "ushort", "int", "uint", "ll", "ull"])
def test_codes_as_integers(library: Library, kind: str, layout: int) -> None:
    is_signed, bits = not kind.startswith("u"), {"char": 8, "hort": 16, "int": 32, "ll": 64}[kind.lstrip("us")]
    options = [layout << 1] * 256
    if bits == 64:
        high, low = (library.call(f"fp8_as_{kind}_{part}", CODES, options) for part in ("high", "low"))
        got = [x << 32 | y for x, y in zip(high, low, strict=True)]
    else:
        got = library.call(f"fp8_as_{kind}", CODES, options)
    for code, result in zip(CODES, got, strict=True):
        value = fp8_value(code, layout)
        if math.isnan(value):
            expected = 1 << 63 if bits == 64 else 0
        else:
            expected = saturated(int(math.copysign(1 << 70, value) if math.isinf(value) else value), bits, is_signed)
        assert result == expected & ((1 << max(bits, 32)) - 1), code


@each_layout
def test_truth(library: Library, layout: int) -> None:
    assert library.call("fp8_as_bool", CODES, [layout << 1] * 256) == [int(code & 0x7F != 0) for code in CODES]


@each_layout
def test_integers_and_doubles_become_the_type(library: Library, layout: int) -> None:
    chance = random.Random(4)
    numbers = [*range(-600, 600), *(chance.randrange(-(1 << 31), 1 << 31) for _ in range(500)), 57344, 61440, 65535]
    options = [layout << 1] * len(numbers)
    cut: dict[str, Callable[[int], float]] = {
        "short": lambda x: (x + 0x8000) % 0x10000 - 0x8000,
        "ushort": lambda x: x % 0x10000,
        "int": lambda x: x,
        "uint": lambda x: x % (1 << 32),
    }
    for kind, value in cut.items():
        got = library.call(f"fp8_from_{kind}", numbers, options)
        assert not wrong(numbers, got, value, lambda x: fp8_of(x, layout, True)), kind
    assert library.call("fp8_from_ll", [x >> 32 for x in numbers], options, numbers) == [
        fp8_of(x, layout, True) for x in numbers
    ]
    doubles = [double_bits(x / 3) for x in numbers]
    got = library.call("fp8_from_double", [bits >> 32 for bits in doubles], options, doubles)
    assert not wrong(doubles, got, double_of, lambda x: fp8_of(x, layout, True))


# ---------------------------------------------------------------- powers of two (E8M0)


@saturating_or_not
@pytest.mark.parametrize("up", [False, True], ids=["toward_zero", "up"])
def test_e8m0(library: Library, up: bool, saturates: bool) -> None:
    def expected(value: float) -> int:
        return e8m0_of(value, up, saturates)

    option = saturates | up << 1
    short = range(1 << 16)
    got = library.call("bf16_to_e8m0", short, [option] * len(short))
    assert not wrong(short, got, lambda bits: float_of(bits << 16), expected)
    chance = random.Random(6)
    powers = [code << 23 for code in range(255)] + [1 << bit for bit in range(23)]
    floats = [*SPECIAL_FLOATS, *(chance.getrandbits(32) for _ in range(5000))]
    floats += [power + step & 0x7FFFFFFF for power in powers for step in (-1, 0, 1)]
    assert not wrong(floats, library.call("float_to_e8m0", floats, [option] * len(floats)), float_of, expected)
    doubles = [double_bits(math.ldexp(1, power)) + step for power in range(-160, 160) for step in (-1, 0, 1)]
    doubles += [double_bits(x) for x in (0.0, math.inf, math.nan, 1e300, -3.0, 5e-324)]
    got = library.call("double_to_e8m0", [bits >> 32 for bits in doubles], [option] * len(doubles), doubles)
    assert not wrong(doubles, got, double_of, expected)


def test_e8m0_means_a_power_of_two(library: Library) -> None:
    got = library.call("e8m0_to_bf16", CODES)
    assert [float_of(bits << 16) for bits in got[:255]] == [math.ldexp(1, code - 127) for code in range(255)]
    assert got[255] == 0x7FFF


# ---------------------------------------------------------------- what translated code says


def test_translated_code_takes_these_types() -> None:
    code = (
        "#include <cuda_fp8.h>\n"
        "__device__ __nv_fp8_e4m3 twice(const __nv_fp8_e4m3 x) { return __nv_fp8_e4m3(2 * float(x)); }\n"
        "__nv_fp8_storage_t f(float x) { return __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2); }\n"
    )
    text = translate(SourceFile("x.h", code.encode())).text
    assert text == (
        '#include "rewarp_hip.h"\n'
        "__device__ rewarp_fp8_e4m3 twice(const rewarp_fp8_e4m3 x) { return rewarp_fp8_e4m3(2 * float(x)); }\n"
        "rewarp_fp8_storage_t f(float x) { return rewarp_cvt_float_to_fp8(x, REWARP_NOSAT, REWARP_E5M2); }\n"
    )


def test_a_type_of_the_project_stays() -> None:
    code = "struct __nv_fp8_e4m3 {\n  unsigned char bits;\n};\n__nv_fp8_e4m3 x;\n"
    assert translate(SourceFile("x.h", code.encode())).text == code
