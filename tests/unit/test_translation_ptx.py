"""Inline assembly: what has a twin becomes C++, what is AMD's own is left alone, the rest is reported."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate


def translated(statement: str) -> tuple[str, list[str]]:
    found = translate(SourceFile("x.cuh", f"__device__ void f(float x, float y) {{ {statement} }}\n".encode()))
    body = found.text[found.text.index("{") + 2 : found.text.rindex("}") - 1]
    return body, [problem.rule for problem in found.problems]


@pytest.mark.parametrize(
    ("ptx", "hip"),
    [
        ('asm("tanh.approx.f32 %0, %1;" : "=f"(x) : "f"(y));', "x = tanhf((y));"),
        ('asm volatile("griddepcontrol.wait;" ::: "memory");', "static_cast<void>(0);"),
        ('asm volatile("membar.gl;\\n");', "__threadfence();"),
    ],
)
def test_an_instruction_with_a_twin_becomes_it(ptx: str, hip: str) -> None:
    assert translated(ptx) == (hip, [])


@pytest.mark.parametrize(
    "code",
    [
        'asm volatile("s_waitcnt vmcnt(0)");',
        'int load(int) __asm("llvm.amdgcn.raw.buffer.load.i32");',
    ],
)
def test_what_is_amds_is_left_alone(code: str) -> None:
    assert translated(code) == (code, [])


def test_the_rest_is_reported() -> None:
    code = 'asm("frobnicate.f32 %0, %1;" : "=f"(x) : "f"(y));'
    assert translated(code) == (code, ["CU-005"])
