"""Conditions of the preprocessor that cannot hold where they are meant to."""

from __future__ import annotations

import pytest

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.verify.conditions import contradictions, limits


def document(text: str) -> CodeFile:
    return CodeFile(SourceFile("a.hip", text.encode()), Kind.CPP)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#if defined(USE_ROCM) && defined(__NVCC__)", ["USE_ROCM and __NVCC__"]),
        ("#  if defined USE_HIP && \\\n  defined(__CUDACC__)", ["USE_HIP and __CUDACC__"]),
        ("#if defined(USE_ROCM) || defined(__NVCC__)", []),
        ("#if defined(USE_ROCM) && !defined(__NVCC__)", []),
        ("#ifdef __NVCC__", []),
        ("#if defined(USE_ROCM) // not defined(__NVCC__)", []),
        ("/* #if defined(USE_ROCM) && defined(__NVCC__)\n*/\n#if 1", []),
    ],
)
def test_amd_and_nvidias_compiler_are_never_together(line: str, words: list[str]) -> None:
    found = list(contradictions(document(f"int a;\n{line}\nint b;\n#endif\n")))
    assert [why.partition(" are ")[0] for _, why in found] == words
    assert all(at == len("int a;\n") for at, _ in found)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#ifdef FP8_FNUZ\nmax = 448.0f;\n#endif\n", 2),
        ("#if USE_FNUZ\n#ifdef A\nx;\n#endif\nmax = 448;\n#endif\n", 5),
        ("#if A\n#elif USE_FNUZ\nmax = 448.;\n#endif\n", 3),
        ("#ifdef FP8_FNUZ\nmax = 240;\n#else\nmax = 448;\n#endif\n", None),
        ("#ifdef FP8_FNUZ\nmax = 240; // not 448\n#endif\n", None),
        ("#ifdef FP8_FNUZ\nmax = 1448;\n#endif\nmax = 448;\n", None),
        ("#ifndef FP8_FNUZ\nmax = 448;\n#endif\n", None),
        ("#if USE_FNUZ == 0\nmax = 448;\n#endif\n", None),
    ],
)
def test_ocps_largest_number_is_not_that_of_fnuz(text: str, line: int | None) -> None:
    found = [document(text).source.line_at(at) for at, _ in limits(document(text))]
    assert found == ([] if line is None else [line])
