"""Conditions on NVIDIA's macros: a function that HIP has must not be defined again."""

from __future__ import annotations

from rewarp.source import SourceFile
from rewarp.translation.translator import translate

OLD_GPUS = "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 600)\n"


def taken(code: str) -> list[str]:
    """The conditions that came out as plain numbers, without the comments behind them."""
    text = translate(SourceFile("x.cuh", code.encode())).text
    return [line.split(" /*")[0] for line in text.splitlines() if line.startswith("#if")]


def test_a_definition_with_lines_of_the_preprocessor_in_its_head_is_seen() -> None:
    head = "__device__ double atomicAdd(double* p, double x)\n#ifdef __clang__\n__attribute__((noinline))\n#endif\n"
    assert taken(f"{OLD_GPUS}{head}{{ return x; }}\n#endif\n")[0] != "#if 1"


def test_a_definition_that_hip_never_sees_is_no_reason_for_another_branch() -> None:
    other = (
        "#elif !defined(__CUDA_ARCH__)\n#if !__HIP__\n__device__ double atomicAdd(double* p, double x) { }\n#endif\n"
    )
    code = f"{OLD_GPUS}__device__ double atomicAdd(double* p, double x) {{ return x; }}\n{other}#endif\n"
    text = translate(SourceFile("x.cuh", code.encode())).text
    assert "0 /* __CUDA_ARCH__ < 600 */" in text or "!defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ < 600 */" in text


def test_conditions_may_nest_deeper_than_the_stack() -> None:
    depth = 1200
    code = b"#if __CUDA_ARCH__ >= 800\n" * depth + b"cudaFree(0);\n" + b"#endif\n" * depth
    done = translate(SourceFile("x.h", code))
    assert b"hipFree(0);" in done.data
    assert b"\n#if __CUDA_ARCH__" not in done.data
