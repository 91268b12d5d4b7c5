"""Thrust's headers."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate

VECTOR = "#include <thrust/device_vector.h>\n"


def translated(code: str) -> str:
    return translate(SourceFile("sums.cuh", code.encode())).text


def test_what_is_used_is_included() -> None:
    code = "thrust::device_vector<int> v(4);\nvoid f() { thrust::sort(a, b); thrust::sequence(v.begin(), v.end()); }\n"
    expected = VECTOR + "#include <thrust/sequence.h>\n#include <thrust/sort.h>\n" + code
    assert translated(VECTOR + code) == expected
    assert translated(expected) == expected


@pytest.mark.parametrize(
    "code",
    [
        VECTOR + "#include <thrust/sort.h>\nvoid f() { thrust::sort(a, b); }\n",
        VECTOR + "// thrust::sort(a, b)\nvoid f() { std::sort(a, b); thrust::device_vector<int> v; }\n",
        "void f() { thrust::sort(a, b); }\n",
    ],
)
def test_near_misses_stay(code: str) -> None:
    assert translated(code) == code
