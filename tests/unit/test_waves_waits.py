"""Warps that wait for one another: what hangs in one wave of 64, and what only looks like it."""

from __future__ import annotations

import pytest

from rewarp.edits import Safety
from rewarp.lang.cfamily import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.waves import Consequence, find
from rewarp.waves.fixes import plan


def waiting(body: str) -> list[tuple[int, str]]:
    """The line and the symbol of each hang in a kernel."""
    document = code(body)
    return [
        (document.source.line_at(hazard.where.start), hazard.symbol)
        for hazard in find(document)
        if hazard.consequence is Consequence.HANG
    ]


def code(body: str) -> CodeFile:
    text = f"__global__ void warps(int* lock, int* out, int n) {{\n{body}\n}}\n"
    return CodeFile(SourceFile("kernel.cu", text.encode()), Kind.CUDA)


LOCK = "while (atomicCAS(lock, 0, 1) != 0);\n ++*out;\n atomicExch(lock, 0);"
FLAG = "__shared__ volatile int ready[2], value;\n"


@pytest.mark.parametrize(
    ("body", "line", "symbol"),
    [
        (f"if (threadIdx.x % 32 == 0) {{\n {LOCK} }}", 3, "atomicCAS"),
        (f"int lane = threadIdx.x & 31;\nif (lane == 0) {{\n {LOCK} }}", 4, "atomicCAS"),
        (f"if ((threadIdx.x & 31) == 0 && n) {{\n {LOCK.replace('CAS', 'Exch')} }}", 3, "atomicExch"),
        (f"if (threadIdx.x % warpSize == 0) {{ if (n) {{\n {LOCK} }} }}", 3, "atomicCAS"),
        (FLAG + "if (threadIdx.x >= 32) {\n while (!ready[0]) {} } else { ready[0] = 1; }", 4, "while"),
        (
            FLAG + "int warp_id = threadIdx.x / 32; if (warp_id == 1) {\n while (ready[1] == 0); } else ready[1] = 1;",
            4,
            "while",
        ),
        ("if (threadIdx.x < 32) {\n __syncthreads(); } else { ++*out; __syncthreads(); }", 3, "__syncthreads"),
    ],
)
def test_hangs(body: str, line: int, symbol: str) -> None:
    assert waiting(body) == [(line, symbol)]


@pytest.mark.parametrize(
    "body",
    [
        f"if (threadIdx.x == 0) {{ {LOCK} }}  // one thread of a block, warps or not",
        "if (threadIdx.x % 32 == 0) { bool done = false; while (!done) { if (!atomicCAS(lock, 0, 1)) { done = true; } } }",
        "int old = *out, seen; do { seen = old; old = atomicCAS(out, seen, seen + 1); } while (seen != old);",
        FLAG + "if (threadIdx.x >= 32) { while (!lock[0]) {} }  // another block writes it; warps do not matter",
        "if (threadIdx.x < 32) { ++*out; } else { --*out; }\n__syncthreads();  // warps",
        "if (n < 32) { __syncthreads(); } else { ++*out; __syncthreads(); }  // the whole block, all warps",
        "#if !defined(__HIP_PLATFORM_AMD__)\nif (threadIdx.x % 32 == 0) {\n" + LOCK + " }\n#endif\n",
    ],
)
def test_what_does_not_hang(body: str) -> None:
    assert waiting(body) == []


def test_every_wait_gets_its_sentence() -> None:
    body = (
        f"if (threadIdx.x % 32 == 0) {{ {LOCK} }}\n{FLAG}"
        "if (threadIdx.x < 32) { while (!ready[0]) {} __syncthreads(); } else { ready[0] = 1; __syncthreads(); }"
    )
    (only,) = plan([code(body)]).files
    hangs = {fix.hazard.symbol: fix for fix in only.fixes if fix.hazard.consequence is Consequence.HANG}
    assert {fix.safety for fix in hangs.values()} == {Safety.DISPLAY_ONLY}
    assert "done = true" in hangs["atomicCAS"].how
    assert "both warps" in hangs["while"].how
    assert "out of the branches" in hangs["__syncthreads"].how
