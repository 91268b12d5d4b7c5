"""Conditions of the preprocessor that cannot hold where they are meant to, and what they then leave out or let in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.lang.cpp.file import CodeFile
from rewarp.verify.isolation.roles import names_amd

_DEFINED = re.compile(r"(!?)\s*defined\s*\(?\s*(\w+)\s*\)?")
_NVCC = ("__NVCC__", "__CUDACC__", "__CUDA_ARCH__")
_OCP_LIMIT = re.compile(rb"(?<![\w.])448(?:\.0*f?)?(?![\w.])")


def contradictions(document: CodeFile) -> Iterator[tuple[int, str]]:
    """Where code is AMD's and NVIDIA's compiler is asked for: ``#if defined(USE_HIP) && defined(__NVCC__)``."""
    for test in document.directives:
        if test.word not in ("if", "elif") or "||" in test.condition:
            continue
        asked = [name for no, name in _DEFINED.findall(test.condition) if not no]
        amd = [name for name in asked if names_amd(name)]
        nvcc = [name for name in asked if name in _NVCC]
        if amd and nvcc:
            yield test.where.start, f"{amd[0]} and {nvcc[0]} are never defined together: ROCm passes this by"


def limits(document: CodeFile) -> Iterator[tuple[int, str]]:
    """448 in a branch for the fnuz formats, whose largest number is 240."""
    for conditional in document.every_conditional():
        for arm in conditional.arms:
            word, condition = arm.test.word, arm.test.condition
            if word not in ("if", "ifdef", "elif") or "FNUZ" not in condition:
                continue
            if re.search(r"!|\|\||== *0", condition):
                continue
            found = _OCP_LIMIT.search(document.code, arm.body.start, arm.body.end)
            if found:
                yield (
                    found.start(),
                    "448 is the largest number of OCP's e4m3, and this is the branch of the fnuz format",
                )


_ALIAS = re.compile(rb"\busing\s+(\w+)\s*=\s*(__hip_fp8(?:x[24])?_e([45])m[23](_fnuz)?)\s*;")


def aliases(document: CodeFile) -> Iterator[tuple[int, str]]:
    """Types of FP8 by one name that are not one format: ``fp8_type`` beside ``fp8x2_type``, or the two branches of an ``#if``."""
    seen: dict[bytes, re.Match[bytes]] = {}
    beside: dict[tuple[int, bytes], re.Match[bytes]] = {}
    borders = [test.where.start for test in document.directives]
    for match in _ALIAS.finditer(document.code):
        first = seen.setdefault(match[1], match)
        if first[3] != match[3]:
            yield match.start(), f"{match[1].decode()} is {match[2].decode()} here, and {first[2].decode()} elsewhere"
            continue
        stem = (sum(border < match.start() for border in borders), re.sub(rb"x[24]", b"", match[1]))
        other = beside.setdefault(stem, match)
        if (other[3], other[4]) != (match[3], match[4]):
            yield (
                match.start(),
                f"{match[1].decode()} is {match[2].decode()}, and {other[1].decode()} is {other[2].decode()}",
            )
