"""Kernels launched by kernels are reported; launches from the host are not."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate


def reported_lines(code: str) -> list[int]:
    findings = translate(SourceFile("x.cu", code.encode())).findings
    return [finding.line for finding in findings if "dynamic parallelism" in finding.message]


@pytest.mark.parametrize(
    "head",
    ["__global__ void outer(int n)", "__global__ void __launch_bounds__(64) outer(int n)", "__device__ void f()"],
)
def test_a_launch_in_device_code_is_reported(head: str) -> None:
    code = f"__global__ void inner();\n{head} {{\n  if (n > 1) {{\n    inner<<<1, 64>>>();\n  }}\n}}\n"
    assert reported_lines(code) == [4]


@pytest.mark.parametrize(
    "code",
    [
        "__global__ void inner() {}\nvoid launch() { inner<<<1, 64>>>(); }\n",
        "__global__ void inner(int n = f(1));\nvoid launch() { inner<<<1, 64>>>(); }\n",
        "__global__ void inner();\n__host__ __device__ void launch() { inner<<<1, 64>>>(); }\n",
        "__device__ int table[] = {1, 2};\n__global__ void inner();\nvoid launch() { inner<<<1, 64>>>(); }\n",
        "__global__ void k(int* p) { *p = 1 <<< 2; }\n",
    ],
)
def test_other_launches_are_not(code: str) -> None:
    assert not reported_lines(code)
