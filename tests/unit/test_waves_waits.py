"""Warps that wait for one another: what hangs in one wave of 64, and what only looks like it."""

from __future__ import annotations

import pytest

from rewarp.edits import Safety, apply
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.waves import Consequence, find
from rewarp.waves.fixing.plan import plan


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
        (
            "bool done = false;\nwhile (!done) {\n if (!atomicCAS(lock, 0, 1)) { ++*out; atomicExch(lock, 0); done = true; } }",
            4,
            "atomicCAS",
        ),
        (
            "bool go = true;\ndo {\n if (atomicExch(lock, 1) == 0) { ++*out; *lock = 0; go = false; } } while (go);",
            4,
            "atomicExch",
        ),
        ("while (true) {\n if (atomicCAS(lock, 0, 1) == 0) { ++*out; atomicExch(lock, 0); return; } }", 3, "atomicCAS"),
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
        "bool on = n; while (on) { if (!atomicCAS(lock, 0, 1)) { ++*out; atomicExch(lock, 0); } on = *out < n; }",
        "for (int i = 0; i < n; ++i) if (!atomicCAS(lock, 0, 1)) { ++*out; atomicExch(lock, 0); break; }",
        "if (threadIdx.x == 0) { while (true) if (!atomicCAS(lock, 0, 1)) { ++*out; atomicExch(lock, 0); break; } }",
        "if (threadIdx.x % 32 == 0) { bool done = false; while (!done) { if (!atomicCAS(lock, 0, 1)) { done = true; } } }",
        "int s = n; while (atomicCAS(&out[s], -1, n) != -1) { s = (s + 1) % 32; }  // another place each time",
        "if (threadIdx.x) return;\n" + LOCK,
        "if (blockIdx.x * blockDim.x + threadIdx.x == 0) {" + LOCK + "}",
        "int old = *out, seen; do { seen = old; old = atomicCAS(out, seen, seen + 1); } while (seen != old);",
        FLAG + "if (threadIdx.x >= 32) { while (!lock[0]) {} }  // another block writes it; warps do not matter",
        "if (threadIdx.x < 32) { ++*out; } else { --*out; }\n__syncthreads();  // warps",
        "if (n < 32) { __syncthreads(); } else { ++*out; __syncthreads(); }  // the whole block, all warps",
        "#if !defined(__HIP_PLATFORM_AMD__)\nif (threadIdx.x % 32 == 0) {\n" + LOCK + " }\n#endif\n",
    ],
)
def test_what_does_not_hang(body: str) -> None:
    assert waiting(body) == []


TAKE = "struct M { int* s; __device__ void lock() { while (atomicCAS(s, 0, 1)); } __device__ void unlock() { *s = 0; } };\n"


@pytest.mark.parametrize(
    "body",
    [
        LOCK,
        "do { } while (atomicExch(lock, 1) == 1);\n ++*out;\n __threadfence(); *lock = 0;",
        "while (atomicCAS(&lock[n], 0, 1) == 1) { __nanosleep(100); }\n int old = *out; *out = old + 1;\n lock[n] = 0;",
        "int lane = threadIdx.x % 32;\nif (lane != 0) return;\n" + LOCK,
        "int lane = threadIdx.x % 32;\nif (lane == 0) while (atomicCAS(lock, 0, 1)) { }\n"
        "out[lane] += n;\nif (lane == 0) atomicExch(lock, 0);",
    ],
)
def test_lanes_take_a_lock_in_turn(body: str) -> None:
    (only,) = plan([code(body)]).files
    assert {fix.safety for fix in only.fixes} == {Safety.SAFE}
    after = apply(only.document.source.data, only.edits)
    assert after.count(b"_IN_TURN") == after.count(b"REWARP_WARP32_TURN_ENDS") == 1
    assert plan([CodeFile(SourceFile("kernel.cu", after), Kind.CUDA)]).files == ()


@pytest.mark.parametrize(
    "body",
    [
        "if (n) while (atomicCAS(lock, 0, 1)); ++*out; atomicExch(lock, 0);  // the second half is everybody's",
        "while (atomicCAS(lock, 0, 1)); int old = *out; *out = n; atomicExch(lock, 0); out[1] = old;",
        "while (atomicCAS(lock, 0, 1)); *out += __shfl_sync(0xffffffff, n, 0); atomicExch(lock, 0);",
        "while (atomicCAS(lock, 0, 1)); ++*out; __syncthreads(); atomicExch(lock, 0);",
        "while (atomicCAS(lock, 0, 1)); if (n) { atomicExch(lock, 0); return; } atomicExch(lock, 0);",
        "while (atomicCAS(lock, 0, 1)); while (atomicCAS(out, 0, 1)); ++n; atomicExch(lock, 0); atomicExch(out, 0);",
        "while (atomicCAS(lock, 0, 1)); ++*out;  // who frees it is not seen",
    ],
)
def test_a_lock_that_is_not_understood_stays(body: str) -> None:
    (only,) = plan([code(body)]).files
    hangs = [fix for fix in only.fixes if fix.hazard.consequence is Consequence.HANG]
    assert hangs
    assert {fix.safety for fix in hangs} == {Safety.DISPLAY_ONLY}
    assert b"IN_TURN" not in apply(only.document.source.data, only.edits)


def test_a_lock_in_a_function_is_taken_by_who_calls_it() -> None:
    def hangs(body: str) -> int:
        text = TAKE + f"__global__ void k(M m, int* out) {{ {body} }}\n"
        found = find(CodeFile(SourceFile("kernel.cu", text.encode()), Kind.CUDA))
        return sum(hazard.consequence is Consequence.HANG for hazard in found)

    assert hangs("m.lock(); ++*out; m.unlock();") == 1
    assert hangs("if (threadIdx.x == 0) { m.lock(); ++*out; m.unlock(); }") == 0
    assert hangs("++*out;") == 0


def test_every_wait_without_a_fix_gets_its_sentence() -> None:
    body = (
        f"if (threadIdx.x % 32 == 0) {{ while (atomicCAS(lock, 0, 1)); if (n) return; atomicExch(lock, 0); }}\n{FLAG}"
        "if (threadIdx.x < 32) { while (!ready[0]) {} __syncthreads(); } else { ready[0] = 1; __syncthreads(); }"
    )
    (only,) = plan([code(body)]).files
    hangs = {fix.hazard.symbol: fix for fix in only.fixes if fix.hazard.consequence is Consequence.HANG}
    assert {fix.safety for fix in hangs.values()} == {Safety.DISPLAY_ONLY}
    assert "done = true" in hangs["atomicCAS"].how
    assert "both warps" in hangs["while"].how
    assert "out of the branches" in hangs["__syncthreads"].how
