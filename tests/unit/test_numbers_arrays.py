"""Arrays compared number by number: formats, distances, tolerances. No torch."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.errors import UsageError
from rewarp.tables import rows
from rewarp.verify.checks import Outcome
from rewarp.verify.numbers import compare_arrays
from rewarp.verify.numbers.comparison import compare_stored, top1_agreement, typical_size
from rewarp.verify.numbers.formats import FLOAT, FORMATS, format_of, steps_apart, values
from rewarp.verify.numbers.tensors import from_array
from rewarp.verify.numbers.tolerance import Tolerance, overridden, standard

PASSED, FAILED, NOT_CHECKED = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_CHECKED


def bits(name: str, *numbers: int) -> Any:
    size = FORMATS[name].size
    return np.frombuffer(b"".join(n.to_bytes(size, "little") for n in numbers), dtype=np.uint8)


@pytest.mark.parametrize(
    ("name", "pattern", "value"),
    [
        ("bfloat16", 0x3F80, 1.0),
        ("bfloat16", 0xC049, -3.140625),
        ("bfloat16", 0x7F80, math.inf),
        ("float16", 0x7BFF, 65504.0),
        ("float8_e4m3fn", 0x7E, 448.0),
        ("float8_e4m3fn", 0x01, 2.0**-9),
        ("float8_e4m3fn", 0xB8, -1.0),
        ("float8_e4m3fnuz", 0x7F, 240.0),
        ("float8_e4m3fnuz", 0x40, 1.0),
        ("float8_e5m2", 0x7B, 57344.0),
        ("float8_e5m2", 0xFC, -math.inf),
        ("float8_e5m2", 0x01, 2.0**-16),
        ("float8_e5m2fnuz", 0x7F, 57344.0),
        ("float8_e5m2fnuz", 0x01, 2.0**-17),
    ],
)
def test_bits_become_numbers(name: str, pattern: int, value: float) -> None:
    assert values(FORMATS[name], bits(name, pattern))[0] == value


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("float8_e4m3fn", 0x7F), ("float8_e4m3fn", 0xFF), ("float8_e5m2", 0x7D), ("float8_e4m3fnuz", 0x80)]
    + [("float8_e5m2fnuz", 0x80), ("bfloat16", 0x7FC0)],
)
def test_nan_of_each_format(name: str, pattern: int) -> None:
    assert np.isnan(values(FORMATS[name], bits(name, pattern))[0])


def test_one_byte_is_twice_as_much_in_the_other_fp8() -> None:
    """The known trap between MI300 (fnuz) and the OCP format."""
    same = bytes([0x40] * 64)
    ocp, fnuz = (values(FORMATS[n], np.frombuffer(same, np.uint8)) for n in ("float8_e4m3fn", "float8_e4m3fnuz"))
    assert (ocp == 2 * fnuz).all()


@pytest.mark.parametrize("name", [n for n, form in FORMATS.items() if form.kind == FLOAT])
def test_places_follow_the_order_of_numbers(name: str) -> None:
    form = FORMATS[name]
    top = 1 << (8 * form.size - 1)
    samples = sorted({*range(min(top, 128)), *(top * k // 97 for k in range(97))})
    raw = bits(name, *samples)
    numbers = values(form, raw)
    fine = np.isfinite(numbers)
    assert (np.diff(numbers[fine]) > 0).all()
    zero = bits(name, *[0] * len(samples))
    assert steps_apart(form, raw, zero)[fine].tolist() == [n for n, ok in zip(samples, fine) if ok]
    if not name.endswith("fnuz"):
        assert steps_apart(form, bits(name, top), bits(name, 0)).tolist() == [0], "both zeros are one number"
        assert steps_apart(form, bits(name, top | 3), bits(name, 2)).tolist() == [5]


def test_ulp_histogram() -> None:
    golden = np.ones(7, dtype=np.float32)
    steps = [0, 1, 2, 3, 4, 5, 10**7]
    actual = (golden.view(np.int32) + np.array(steps, dtype=np.int32)).view(np.float32)
    assert compare_arrays(golden, actual).ulp == {"0": 1, "1": 1, "2": 1, "3..4": 2, "5..8": 1, "more": 1}


def test_figures() -> None:
    golden = np.array([[1.0, -2.0], [4.0, 0.0]])
    actual = np.array([[1.5, -2.0], [4.0, 0.25]])
    found = compare_arrays(golden, actual, tolerance=Tolerance(0.0, 0.2))
    assert found.outcome is FAILED
    assert (found.max_abs, found.mean_abs) == (0.5, 0.1875)
    assert (found.max_rel, found.mean_rel) == (0.5, pytest.approx(0.5 / 3))
    assert found.scale == 2.0, "the median of what is not zero"
    assert found.error == 0.25, "0.5 against the typical size 2"
    assert found.outside == 0.25
    assert found.worst == {"index": [0, 0], "golden": "1.0", "actual": "1.5"}
    assert found.cosine == pytest.approx((1.5 + 4 + 16) / math.sqrt(21 * (2.25 + 4 + 16 + 0.0625)))
    assert found.compared == 4


def test_near_zero_is_judged_by_its_neighbours_but_outliers_hide_nothing() -> None:
    golden = np.array([1.0] * 50 + [1e-9] + [1e6])
    near_zero, small = golden.copy(), golden.copy()
    near_zero[50] = 1e-5
    small[3] = 1.01
    allowed = Tolerance(0.0, 1e-4)
    assert compare_arrays(golden, near_zero, tolerance=allowed).outcome is PASSED
    assert compare_arrays(golden, small, tolerance=allowed).outcome is FAILED


@pytest.mark.parametrize(
    ("golden", "actual", "outcome"),
    [
        ([1.0, math.nan], [1.0, math.nan], PASSED),
        ([1.0, 2.0], [1.0, math.nan], FAILED),
        ([1.0, math.nan], [1.0, 2.0], FAILED),
        ([1.0, math.inf], [1.0, math.inf], PASSED),
        ([1.0, math.inf], [1.0, -math.inf], FAILED),
        ([1.0, math.inf], [1.0, math.nan], FAILED),
        ([1.0, 3e38], [1.0, math.inf], FAILED),
        ([-math.inf, -math.inf], [-math.inf, -math.inf], PASSED),
        ([math.nan, math.nan], [math.nan, math.nan], NOT_CHECKED),
        ([], [], PASSED),
        ([0.0, 0.0], [0.0, -0.0], PASSED),
        ([0.0, 0.0], [0.0, 1e-3], FAILED),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_what_is_not_finite(golden: list[float], actual: list[float], outcome: Outcome, dtype: Any) -> None:
    found = compare_arrays(np.array(golden, dtype=dtype), np.array(actual, dtype=dtype))
    assert found.outcome is outcome
    assert bool(found.why) is (outcome is not PASSED)
    assert found.outside == (0.5 if outcome is FAILED else 0.0)


def test_shape_and_dtype_are_named() -> None:
    found = compare_arrays(np.zeros((2, 3)), np.zeros((3, 2)))
    assert (found.outcome, found.why) == (FAILED, "shape [3, 2], golden [2, 3]")
    one = from_array(np.zeros(2, dtype=np.float32))
    two = from_array(np.zeros(2, dtype=np.float16))
    assert compare_stored(one, two, Tolerance(1, 1)).why == "dtype float16, golden float32"
    assert compare_stored(one, two, Tolerance(1, 1), other_dtype=True).outcome is PASSED
    numbers = from_array(np.zeros(2, dtype=np.int32))
    assert compare_stored(one, numbers, Tolerance(1, 1), other_dtype=True).outcome is FAILED


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "bool"])
def test_integers_are_exact(dtype: str) -> None:
    golden = np.array([0, 1, 1], dtype=dtype)
    assert compare_arrays(golden, golden.copy()).outcome is PASSED
    found = compare_arrays(golden, np.array([0, 0, 1], dtype=dtype), tolerance=Tolerance(9, 9))
    assert found.outcome is FAILED
    assert "1 of 3 differ, the first at [1]" in found.why


def test_raw_bytes() -> None:
    golden = struct.pack("<4H", 0x3F80, 0x4000, 0x4040, 0x4080)
    one_step = struct.pack("<4H", 0x3F81, 0x4000, 0x4040, 0x4080)
    assert compare_arrays(golden, one_step, "bf16").ulp == {"0": 3, "1": 1}
    assert compare_arrays(golden, golden[:4], "bf16").outcome is FAILED, "another length is another shape"
    for bad in (b"\0\0\0", golden[:3]):
        with pytest.raises(UsageError, match="whole number"):
            compare_arrays(golden, bad, "bf16")
    with pytest.raises(UsageError, match="dtype"):
        compare_arrays(golden, golden)
    with pytest.raises(UsageError, match="not a dtype"):
        compare_arrays(golden, golden, "float7")


def test_big_endian_arrays_are_numbers_too() -> None:
    golden = np.array([1.0, 2.0], dtype="<f4")
    assert compare_arrays(golden, golden.astype(">f4")).max_abs == 0.0


def test_many_elements_go_by_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    golden = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    actual = golden.copy()
    actual[777] *= 1.5
    whole = compare_arrays(golden, actual)
    monkeypatch.setattr("rewarp.verify.numbers.comparison._CHUNK", 64)
    parts = compare_arrays(golden, actual)
    assert parts.worst == whole.worst
    assert parts.worst["index"] == [777]
    assert (parts.ulp, parts.outside, parts.max_abs) == (whole.ulp, whole.outside, whole.max_abs)
    assert parts.cosine == pytest.approx(whole.cosine)


floats = st.lists(st.floats(width=32, allow_nan=True, allow_infinity=True), max_size=20)


@given(floats)
@settings(max_examples=60)
def test_equal_arrays_never_fail(numbers: list[float]) -> None:
    array = np.array(numbers, dtype=np.float32)
    found = compare_arrays(array, array.copy(), tolerance=Tolerance(0.0, 0.0))
    only_nan = len(array) > 0 and bool(np.isnan(array).all())
    assert found.outcome is (NOT_CHECKED if only_nan else PASSED)
    assert set(found.ulp) <= {"0"}


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=20), st.data())
@settings(max_examples=60)
def test_one_wrong_element_always_fails(numbers: list[float], data: st.DataObject) -> None:
    golden = np.array(numbers, dtype=np.float64)
    place = data.draw(st.integers(0, len(numbers) - 1))
    actual = golden.copy()
    actual[place] += max(1e-3, 0.01 * max(abs(golden[place]), typical_size(from_array(golden))))
    found = compare_arrays(golden, actual)
    assert found.outcome is FAILED
    assert found.worst["index"] == [place]


def test_sample_is_compared_with_the_same_sample() -> None:
    golden = from_array(np.arange(10, dtype=np.float32).reshape(2, 5)).sampled(3)
    assert golden.raw.view(np.float32).tolist() == [0, 3, 6, 9]
    actual = np.arange(10, dtype=np.float32).reshape(2, 5)
    actual[0, 1] = 99  # not in the sample
    assert compare_stored(golden, from_array(actual), Tolerance(0, 0)).outcome is PASSED
    actual[1, 4] = 99
    found = compare_stored(golden, from_array(actual), Tolerance(0, 0))
    assert (found.outcome, found.worst["index"], found.compared) == (FAILED, [1, 4], 4)


def test_top1() -> None:
    golden = np.array([[1.0, 2.0], [3.0, 1.0]])
    actual = np.array([[2.0, 1.0], [3.0, 1.0]])
    assert top1_agreement(from_array(golden), from_array(actual)) == 0.5
    assert top1_agreement(from_array(golden[:, :1]), from_array(actual[:, :1])) is None


# --- tolerances ------------------------------------------------------------------------------


def test_table_is_whole() -> None:
    table = {row["dtype"]: row for row in rows("tolerances.csv")}
    inexact = {name for name, form in FORMATS.items() if not form.is_exact}
    assert set(table) == inexact | {"tf32", "layers"}
    assert all(row["why"] and row["source"] for row in table.values())
    order = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
    rtol = [float(table[name]["rtol"]) for name in order]
    assert rtol == sorted(rtol)
    for name, bits_of_mantissa in {"float16": 10, "bfloat16": 7, "float8_e4m3fn": 3, "float8_e5m2": 2}.items():
        assert 2 <= float(table[name]["rtol"]) / 2.0 ** -(bits_of_mantissa + 1) <= 20, "some unit roundoffs"


def test_tolerance_grows_with_depth() -> None:
    form = FORMATS["bfloat16"]
    assert standard().at(form, 16).rtol == pytest.approx(4 * standard().at(form, 1).rtol)
    assert standard().at(form, 0) == standard().at(form, 1)
    flat = overridden(["layers=0"])
    assert flat.at(form, 100) == flat.at(form, 1)


def test_tf32_is_only_for_float32() -> None:
    tolerances = standard()
    assert tolerances.at(FORMATS["float32"], 1, uses_tf32=True).rtol == tolerances.by_dtype["tf32"].rtol
    assert tolerances.at(FORMATS["float64"], 1, uses_tf32=True) == tolerances.at(FORMATS["float64"], 1)


def test_wishes() -> None:
    found = overridden(["bf16=0.5,0.25", "tf32=0,1"])
    assert found.at(FORMATS["bfloat16"]) == Tolerance(0.5, 0.25)
    assert found.by_dtype["tf32"] == Tolerance(0, 1)
    assert standard().at(FORMATS["bfloat16"]) != Tolerance(0.5, 0.25), "the table itself stays as it is"


@pytest.mark.parametrize(
    "wish",
    ["bf16", "bf16=1", "bf16=1,2,3", "bf16=a,b", "bf16=-1,0", "bf16=nan,0", "x=1,1", "int32=1,1", "layers=1,2", ""],
)
def test_bad_wishes(wish: str) -> None:
    with pytest.raises(UsageError):
        overridden([wish])


def test_short_names() -> None:
    assert format_of("torch.bfloat16") is format_of("bf16") is FORMATS["bfloat16"]
    assert format_of("half") is FORMATS["float16"]
