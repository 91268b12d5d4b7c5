"""Calls of the runtime in device code."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.changes import Translation
from rewarp.translation.translator import translate

SUPPORT = '#include "rewarp_hip.h"\n'


def translated(code: str) -> Translation:
    return translate(SourceFile("nested.cuh", code.encode()))


def test_an_error_has_a_text_in_device_code_too() -> None:
    code = '__device__ void check(cudaError_t e) { if (e) { printf("%s", cudaGetErrorString(e)); } }\n'
    expected = '__device__ void check(hipError_t e) { if (e) { printf("%s", rewarp_error_text(e)); } }\n'
    assert translated(code).text == SUPPORT + expected
    assert not translated(code).findings


@pytest.mark.parametrize("head", ["__device__ void f", "__global__ void f", "static __device__ __forceinline__ void f"])
def test_other_calls_are_reported(head: str) -> None:
    result = translated(f"{head}(void** p) {{ cudaMalloc(p, 4); }}\n")
    assert [finding.symbol for finding in result.findings] == ["cudaMalloc"]
    assert not result.complete


@pytest.mark.parametrize(
    "code",
    [
        "void f(void** p) { cudaMalloc(p, 4); cudaGetErrorString(cudaSuccess); }\n",
        "__global__ void k() {}\nvoid f(void** p) { cudaMalloc(p, 4); }\n",
        "__host__ __device__ void f(void** p) { cudaMalloc(p, 4); }\n",
        "__device__ int d;\nvoid f() { cudaGetErrorString(cudaSuccess); }\n",
    ],
)
def test_the_host_calls_as_it_did(code: str) -> None:
    result = translated(code)
    assert result.text == code.replace("cuda", "hip")
    assert not result.findings
