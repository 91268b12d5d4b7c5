"""All 256 codes of each 8-bit float against torch and ml_dtypes; what becomes of a code on another platform."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.bridge.formats import ENCODINGS, Counts, Encoding, encoding_of, family_of, member, recoding, scale_ratio
from rewarp.bridge.scales import e8m0_value
from rewarp.errors import UsageError

TORCH = {name: f"float8_{name}" for name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")}
ML_DTYPES = {**TORCH, "e4m3-gaudi2": "float8_e4m3", "e5m2-gaudi2": "float8_e5m2"}
PAIRS = [
    (one, other, ratio)
    for one in ENCODINGS.values()
    for other in ENCODINGS.values()
    for ratio in {1.0, scale_ratio(one, other)}
    if one.kind == other.kind
]


def same(one: float, other: float) -> bool:
    """The same number: minus zero is not zero, NaN is NaN."""
    return (math.isnan(one) and math.isnan(other)) or (
        one == other and math.copysign(1, one) == math.copysign(1, other)
    )


@pytest.mark.parametrize("name", ML_DTYPES)
def test_every_code_has_ml_dtypes_value(name: str) -> None:
    import ml_dtypes
    import numpy as np

    codes = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, ML_DTYPES[name]))
    theirs = codes.astype(np.float64).tolist()
    assert all(map(same, ENCODINGS[name].values, theirs))


@pytest.mark.parametrize("name", TORCH)
def test_every_code_has_torchs_value(name: str) -> None:
    torch = pytest.importorskip("torch")
    codes = torch.arange(256, dtype=torch.uint8).view(getattr(torch, TORCH[name]))
    assert all(map(same, ENCODINGS[name].values, codes.to(torch.float64).tolist()))


def test_exponents_of_blocks_have_their_values() -> None:
    import ml_dtypes
    import numpy as np

    theirs = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu).astype(np.float64).tolist()
    assert all(map(same, map(e8m0_value, range(256)), theirs))


@pytest.mark.parametrize(
    ("name", "largest", "smallest", "finite"),
    [
        ("e4m3fn", 448, 2**-9, 254),
        ("e4m3fnuz", 240, 2**-10, 255),
        ("e5m2", 57344, 2**-16, 248),
        ("e5m2fnuz", 57344, 2**-17, 255),
        ("e4m3-gaudi2", 240, 2**-9, 240),
    ],
)
def test_ranges(name: str, largest: float, smallest: float, finite: int) -> None:
    numbers = [value for value in ENCODINGS[name].values if math.isfinite(value)]
    assert (max(numbers), min(it for it in numbers if it > 0), len(numbers)) == (largest, smallest, finite)
    assert ENCODINGS[name].largest == largest


@pytest.mark.parametrize(("source", "target", "ratio"), PAIRS, ids=lambda it: getattr(it, "name", str(it)))
def test_each_code_becomes_the_nearest(source: Encoding, target: Encoding, ratio: float) -> None:
    """Against a second way of finding it: all distances, and ml_dtypes' own rounding where it neither saturates nor
    overflows."""
    import ml_dtypes
    import numpy as np

    table = recoding(source, target, ratio)
    cast = np.array(source.values, dtype=np.float64) / ratio
    with np.errstate(invalid="ignore", over="ignore"):
        theirs = cast.astype(getattr(ml_dtypes, ML_DTYPES[target.name])).view(np.uint8).tolist()
    finite = [value for value in target.values if math.isfinite(value)]
    for code, value in enumerate(source.values):
        wanted, got = value / ratio, target.values[table.table[code]]
        if math.isnan(value):
            assert math.isnan(got)
            assert code in table.nan
        elif math.isinf(value):
            assert math.isinf(got) or (math.isnan(got) and code in table.infinite)
        else:
            assert abs(got - wanted) == min(abs(it - wanted) for it in finite)
            assert (code in table.rounded | table.saturated) == (got != wanted)
            assert (code in table.saturated) == (abs(wanted) > target.largest)
            if code not in table.saturated:
                assert table.table[code] == theirs[code]


def test_the_numbers_of_the_rules() -> None:
    """What a port of FP8 data must know by heart, counted."""
    fn, fnuz, gaudi2 = encoding_of("e4m3fn"), encoding_of("float8_e4m3fnuz"), encoding_of("e4m3-gaudi2")
    forth = recoding(fn, fnuz, 2.0)
    assert [code for code in range(256) if forth.table[code] != code] == [0x7F, 0x80, 0xFF]
    assert [forth.table[code] for code in (0x7F, 0x80, 0xFF)] == [0x80, 0x00, 0x80]
    assert not forth.rounded | forth.saturated
    back = recoding(fnuz, fn, 0.5)
    assert [(code, back.table[code]) for code in range(256) if back.table[code] != code] == [
        (0x7F, 0x7E),
        (0x80, 0x7F),
        (0xFF, 0xFE),
    ]
    assert back.saturated == {0x7F, 0xFF}
    assert len(recoding(fn, fnuz).saturated) == 14
    assert len(recoding(fnuz, fn).rounded) == 16
    assert len(recoding(fn, gaudi2).saturated) == 14
    assert len(recoding(fn, gaudi2, 2.0).rounded) == 16
    wide = recoding(encoding_of("e5m2"), encoding_of("e5m2fnuz"), 2.0)
    assert [code for code in range(256) if wide.table[code] != code] == [*range(0x7C, 0x81), *range(0xFC, 0x100)]
    assert wide.infinite == {0x7C, 0xFC}


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_there_and_back_is_the_same_number(kind: str) -> None:
    one, other = member(kind, "ocp"), member(kind, "fnuz")
    there, back = recoding(one, other, 2.0), recoding(other, one, 0.5)
    for code, value in enumerate(one.values):
        again = one.values[back.table[there.table[code]]]
        assert again == value or (math.isnan(again) and not math.isfinite(value))


@given(st.binary(max_size=2000), st.sampled_from(PAIRS))
def test_counts_are_those_of_the_codes(data: bytes, pair: tuple[Encoding, Encoding, float]) -> None:
    table = recoding(*pair)
    assert table.count(data) == Counts(
        len(data),
        sum(table.table[code] != code for code in data),
        *(sum(code in codes for code in data) for codes in (table.rounded, table.saturated, table.nan, table.infinite)),
    )
    assert table.apply(data) == bytes(table.table[code] for code in data)


def test_counts_of_all_codes() -> None:
    codes = bytes(range(256)) * 3
    shuffled = bytes(random.Random(1).sample(codes, len(codes)))
    table = recoding(encoding_of("e4m3fn"), encoding_of("e4m3fnuz"))
    assert table.count(shuffled) == Counts(768, 765, 0, 42, 6, 0)


def test_names() -> None:
    assert family_of("MI300X") == family_of("e4m3fnuz") == family_of("fnuz") == "fnuz"
    assert family_of("gaudi2") == "gaudi2"
    with pytest.raises(UsageError, match="did you mean 'mi300x'"):
        family_of("mi300")
    with pytest.raises(UsageError, match="no encoding"):
        encoding_of("e3m4")
    with pytest.raises(UsageError, match="exponent bits"):
        recoding(encoding_of("e4m3fn"), encoding_of("e5m2"))
