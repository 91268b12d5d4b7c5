"""Operators on vector types that HIP has as well."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.model import Translation
from rewarp.translation.translator import translate

GUARD = "#if !defined(__HIP_PLATFORM_AMD__)\n"


def translated(code: str) -> Translation:
    return translate(SourceFile("math.h", ("// cudaFree\n" + code + "\ncudaFree(0);").encode()))


def definition(code: str) -> str:
    return translated(code).text.removeprefix("// cudaFree\n").removesuffix("\nhipFree(0);")


@pytest.mark.parametrize(
    "code",
    [
        "inline __host__ __device__ void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }",
        "__device__ float4& operator*=(float4& v, const float s) { v.x *= s; v.y *= s; v.z *= s; v.w *= s; return v; }",
        "inline void operator-=(int2 &a, int2 b) { a = a - b; }",
        "inline void operator/=(float3 &a, float s) { float inv = 1.0f / s; a *= inv; }",
        "inline float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }",
        "inline float2 operator/(const float2 &a, const float2 &b)\n{\n  return {a.x / b.x, a.y / b.y};\n}",
        "inline float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }",
    ],
)
def test_what_hip_does_too_is_left_to_hip(code: str) -> None:
    assert definition(code) == f"{GUARD}{code}\n#endif"


@pytest.mark.parametrize(
    "code",
    [
        "inline float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }",
        "inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }",
        "inline float3 operator*(Matrix m, float3 v) { return m.times(v); }",
        "inline float2 operator*(float2 a, double2 b) { return make_float2(a.x * b.x, a.y * b.y); }",
    ],
)
def test_what_hip_has_as_a_template_or_not_at_all_stays(code: str) -> None:
    result = translated(code)
    assert definition(code) == code
    assert not result.findings


@pytest.mark.parametrize(
    "code",
    [
        "inline float2 operator*(float2 a, float2 b) { return make_float2(a.x*b.x - a.y*b.y, a.x*b.y + a.y*b.x); }",
        "inline float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.x * b.y); }",
        "inline void operator*=(float2 &a, float2 b) { float s = a.x; a.x = s*b.x - a.y*b.y; a.y = a.y*b.x + s*b.y; }",
        "inline float2 operator-(float2 a) { return make_float2(a.x, -a.y); }",
    ],
)
def test_another_meaning_is_reported_and_never_dropped(code: str) -> None:
    result = translated(code)
    assert definition(code) == code
    assert [finding.symbol[:8] for finding in result.findings] == ["operator"]
    assert not result.complete


def test_twice_is_once() -> None:
    once = definition("inline void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }")
    assert definition(once) == once
