"""Functions that HIP has and CUDA has not, defined by a project itself."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.changes import Translation
from rewarp.translation.translator import translate

GUARD = "#if !defined(__HIP_PLATFORM_AMD__)\n"


def translated(code: str) -> Translation:
    return translate(SourceFile("atomics.cuh", code.encode()))


@pytest.mark.parametrize(
    "code",
    [
        "__device__ float atomicMax(float* address, float val) { return 0; }",
        "__device__ __forceinline__\ndouble atomicMin(double *a, const double v)\n{\n  while (v) { }\n  return v;\n}",
        "static __inline__ __device__ void atomicMax(double* a, double v) {\n#if X\n  f();\n#endif\n}",
        "__device__ float atomicMin(float*, float);",
    ],
)
def test_what_hip_has_is_left_to_hip_with_a_note(code: str) -> None:
    result = translated(f"int one;\n{code}\nint two;\n")
    assert result.text == f"int one;\n{GUARD}{code}\n#endif\nint two;\n"
    assert [finding.symbol[:7] for finding in result.findings] == ["atomicM"]
    assert translated(result.text).text == result.text


@pytest.mark.parametrize(
    "code",
    [
        "__device__ float atomicMax(volatile float* address, float val) { return 0; }",
        "__device__ float atomicMax(float* address, int val) { return 0; }",
        "__device__ float atomicMaxFloat(float* address, float val) { return 0; }",
        "template <typename T> __device__ T atomicMax(T* address, T val) { return 0; }",
        "__device__ void f(float* p) { atomicMax(p, 1.0f); }",
        "__device__ float atomicMax(float* a, float v) {\n#if X\n  if (v) {\n#else\n  {\n#endif\n  } }",
    ],
)
def test_near_misses_stay(code: str) -> None:
    assert translated(f"{code}\n").text == f"{code}\n"
