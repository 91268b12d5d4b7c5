"""Operators on vector types that HIP has as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.source import SourceFile
from rewarp.translation import verb
from rewarp.translation.changes import Translation
from rewarp.translation.translator import translate
from rewarp.translation.tree import translate_tree

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
        "double operator*(const double3& a, const double3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }",
        "static __device__ const my::Complex operator/(float2 a, float2 b) { return my::quotient(a, b); }",
    ],
)
def test_another_meaning_is_reported_and_never_dropped(code: str) -> None:
    result = translated(code)
    assert definition(code) == code
    assert [finding.symbol[:8] for finding in result.findings] == ["operator"]
    assert not result.complete


ALIASES = "typedef float4 vec;\nusing colour = vec;\n"


@pytest.mark.parametrize(
    ("types", "told"),
    [
        (ALIASES, ["operator*"]),
        ("using colour = float3;\n", ["operator*"]),
        ("struct colour { float x, y, z; };\n", []),
        ("typedef float3 colour;\n#ifdef CLASSES\nstruct colour { float x, y, z; };\n#endif\n", []),
        ("typedef colour vec;\ntypedef vec colour;\n", []),
        ("", []),
    ],
)
def test_another_name_for_a_vector_is_the_vector(types: str, told: list[str]) -> None:
    code = (
        "colour operator*(colour const& a, colour const& b) { return make_colour(a.x * b.x, a.y * b.y, a.z * b.z); }\n"
    )
    result = verb.translate(types + code + "void f() { cudaFree(0); }\n", path="a.cu")
    assert [finding.symbol for finding in result.findings] == told
    assert code in result.text


def test_another_name_for_a_vector_that_does_what_hip_does() -> None:
    own = "void operator+=(vec& a, vec const& b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }"
    other = "void operator+=(vec const& a, vec const& b);"
    result = verb.translate(f"{ALIASES}{own}\n{other}\nvoid f() {{ cudaFree(0); }}\n", path="a.cu")
    assert f"{GUARD}{own}\n#endif\n{other}" in result.text


def test_twice_is_once() -> None:
    once = definition("inline void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }")
    assert definition(once) == once


def test_a_name_means_what_its_own_part_of_the_project_says(tmp_path: Path) -> None:
    product = "operator*(vec3 const& a, vec3 const& b) { return make(a.x * b.x, a.y * b.y, a.z * b.z); }\n"
    (tmp_path / "gpu").mkdir()
    (tmp_path / "book").mkdir()
    (tmp_path / "gpu" / "vec3.h").write_text(f"#include <cuda_runtime.h>\ntypedef float4 vec3;\ninline vec3 {product}")
    (tmp_path / "book" / "vec3.h").write_text(f"class vec3 {{ double x, y, z; }};\ninline vec3 {product}")
    (tmp_path / "gpu" / "dot.h").write_text('#include "vec3.h"\ninline float operator*(vec3 const& a, vec3 b);\n')
    (tmp_path / "main.cpp").write_text("#include <vec3.h>\n")
    found = translate_tree(tmp_path).translations
    assert {one.path: [finding.symbol for finding in one.findings] for one in found if one.findings} == {
        "gpu/vec3.h": ["operator*"]
    }
    aliases = {b"vec3": b"float4"}
    assert translate_tree(tmp_path).project.vector_aliases == {"gpu/vec3.h": aliases, "gpu/dot.h": aliases}
