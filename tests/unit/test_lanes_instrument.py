"""The instrument itself: lanes against rules that are spelt out here, and every way in which a run can go wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lane_simulator import (
    Argument,
    Buffer,
    Call,
    LaneProgram,
    LaneRun,
    Platform,
    Program,
    RunOutcome,
    Scalar,
    Waves,
    Workshop,
    run,
)
from lane_simulator.adapt import as_cpp
from rewarp.errors import UsageError

NVIDIA = Waves(Platform.NVIDIA, 32)
CDNA = Waves(Platform.AMD, 64)
WIDTHS, OPERANDS = (2, 8, 32, 64), (0, 1, 5, 31, 40)
OUT = Buffer("out", "int", 64)

SHUFFLES = """
__global__ void shuffles(int* out) {
  const int widths[] = {2, 8, 32, 64}, operands[] = {0, 1, 5, 31, 40};
  int* to = out + threadIdx.x;
  for (int width : widths) {
    if (width > warpSize) break;
    for (int operand : operands) {
      const int v = 1000 + threadIdx.x;
#if defined(__HIP_PLATFORM_AMD__)
      const int got[] = {__shfl(v, operand, width), __shfl_up(v, operand, width), __shfl_down(v, operand, width),
                         __shfl_xor(v, operand, width)};
#else
      const int got[] = {__shfl_sync(0xffffffff, v, operand, width), __shfl_up_sync(0xffffffff, v, operand, width),
                         __shfl_down_sync(0xffffffff, v, operand, width), __shfl_xor_sync(0xffffffff, v, operand, width)};
#endif
      for (int one : got) {
        *to = one;
        to += 64;
      }
    }
  }
}
"""
SOURCES: dict[str, tuple[str, str, Call]] = {}


def kernel(name: str, source: str, *arguments: Argument, block: str = "64", shared: str = "0") -> None:
    text = source if "__global__" in source else f"__global__ void {name}(int* out) {{{source}}}"
    SOURCES[name] = (name, text, Call(name, arguments or (OUT,), "1", block, shared))


kernel("shuffles", SHUFFLES, Buffer("out", "int", 64 * 4 * len(WIDTHS) * len(OPERANDS), "-1"))
kernel("past_the_end", "out[threadIdx.x + 1] = 1;")
kernel("before_the_start", "out[(int)threadIdx.x - 1] = 1;")
kernel("shared_past_the_end", "__shared__ int s[64]; __shared__ int t[64]; t[0] = 0; s[threadIdx.x * 2] = 1;")
kernel("dynamic_past_the_end", "extern __shared__ int s[]; s[threadIdx.x] = 1;", shared="63 * sizeof(int)")
kernel(
    "dynamic_to_the_end",
    "extern __shared__ int s[]; s[threadIdx.x] = 5; out[threadIdx.x] = s[threadIdx.x];",
    shared="256",
)
kernel("atomic_past_the_end", "atomicAdd(&out[64], 1);")
kernel("no_memory", "int* p = nullptr; if (threadIdx.x == 3) *p = 1;")
kernel("stops_itself", "if (threadIdx.x == 9) __trap();")
kernel("too_much_of_its_own", "volatile char own[1 << 20]; own[0] = own[threadIdx.x];")
kernel("prints", 'if (threadIdx.x == 0) printf("{"); out[threadIdx.x] = 1;')
kernel("barrier_in_a_branch", "if (threadIdx.x % 2) __syncthreads(); else __syncthreads();")
kernel("barrier_after_exit", "if (threadIdx.x > 40) return; __syncthreads(); out[threadIdx.x] = 1;")
kernel("too_many_threads", "out[0] = 1;", block="1025")
kernel(
    "different_barriers_in_warps",
    "__shared__ int s[2]; if (threadIdx.x / warpSize == 0) { s[0] = 3; __syncthreads(); }"
    " else { s[1] = 4; __syncthreads(); } out[threadIdx.x] = s[0];",
)
kernel(
    "votes_at_barriers",
    "out[0] = __syncthreads_count(threadIdx.x % 3 == 0); out[1] = __syncthreads_and(threadIdx.x < 64);"
    " out[2] = __syncthreads_and(threadIdx.x < 63); out[3] = __syncthreads_or(threadIdx.x == 63);"
    " out[4] = __syncthreads_or(threadIdx.x == 64);",
)
kernel(
    "lanes_of_a_branch",
    "if (threadIdx.x % 3 == 0) out[threadIdx.x] = __popcll(__activemask()); else out[threadIdx.x] = 0;",
)
kernel(
    "together_after_the_branch",
    """
__device__ int later() { return __popcll(__activemask()); }
__device__ int sooner() { return __popcll(__activemask()); }
__global__ void together_after_the_branch(int* out) {
  int n = 0;
  if (threadIdx.x % 4 == 0) n = 100 * sooner();
  out[threadIdx.x] = n + later();
}
""",
)
kernel(
    "together_after_the_loop",
    "for (int i = 0; i < threadIdx.x % 7; ++i) if (i == 3) continue; out[threadIdx.x] = __popcll(__activemask());",
)
kernel(
    "together_in_each_turn",
    "int n = 0; for (int i = 0; i < 4; ++i) { if (threadIdx.x % 4 == i) n += __popcll(__activemask());"
    " else n += 100 * __popcll(__activemask()); } out[threadIdx.x] = n;",
)
kernel(
    "threads_in_three_dimensions",
    "int id = threadIdx.x + 4 * (threadIdx.y + 4 * threadIdx.z); out[id] = __activemask() >> (id % warpSize) & 1;",
    block="4, 4, 4",
)
kernel(
    "exchange_without_barrier",
    "__shared__ volatile int s[64]; s[threadIdx.x] = threadIdx.x; out[threadIdx.x] = s[threadIdx.x ^ 1];",
)
kernel(
    "exchange_with_barrier",
    "__shared__ volatile int s[64]; s[threadIdx.x] = threadIdx.x; __syncwarp(); out[threadIdx.x] = s[threadIdx.x ^ 1];",
)
kernel(
    "total_of_atomics",
    "atomicAdd(&out[0], (int)threadIdx.x); atomicMax(&out[1], (int)threadIdx.x); atomicCAS(&out[2], 0, 9);",
)
kernel(
    "works_long",
    "int n = 0; for (int i = 0; i < 3000; ++i) n += out[(threadIdx.x + i) % 64]; out[threadIdx.x] = n + 1;",
)
kernel("counts_long", "int n = 0; for (int i = 0; i < 30000; ++i) n += i & 1; out[threadIdx.x] = n;", block="2")
kernel("spins_on_two", "volatile int* v = out; while (!v[0] && !v[1]) { } out[threadIdx.x] = 1;")
kernel("not_in_its_mask", "out[threadIdx.x] = __shfl_sync(0x0000ffffull, 1, 0);")
kernel(
    "waits_for_lanes_elsewhere",
    "if (threadIdx.x % 32 < 16) __syncwarp(0xffffffffull); else __syncthreads(); out[threadIdx.x] = 1;",
)
kernel("reads_a_lane_that_left", "if (threadIdx.x % 2) return; out[threadIdx.x] = __shfl_down(7, 1);")
kernel(
    "scalar_argument",
    "__global__ void scalar_argument(int* out, float factor) { out[threadIdx.x] = threadIdx.x * factor; }",
    OUT,
    Scalar("factor", "float", "2.5f"),
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Platform, Program]:
    workshop = Workshop(tmp_path_factory.mktemp("lanes"))
    units = [LaneProgram(name, text.encode(), call) for name, text, call in SOURCES.values()]
    return {waves.platform: workshop.build(units, waves) for waves in (NVIDIA, CDNA)}


@pytest.fixture(scope="module")
def runs(programs: Mapping[Platform, Program]) -> Callable[[str, Platform], LaneRun]:
    done = {platform: program.run() for platform, program in programs.items()}
    return lambda name, platform: done[platform][name]


Runs = Callable[[str, Platform], LaneRun]
on_both = pytest.mark.parametrize("platform", Platform)


def out_of(run: LaneRun) -> list[float]:
    assert run.outcome is RunOutcome.OK, run
    return list(run.outputs["out"])


def source_lane(kind: int, lane: int, operand: int, width: int) -> int:
    """CUDA's rule in words: lanes work in groups of `width`; a read past the group gives one's own value."""
    start = lane // width * width
    asked = (start + operand % width, lane - operand, lane + operand, lane ^ operand)[kind]
    past = asked >= start + width or (kind == 1 and asked < start)
    return lane if past else asked


@on_both
def test_shuffles_follow_the_rule(runs: Runs, platform: Platform) -> None:
    out = out_of(runs("shuffles", platform))
    wave = 32 if platform is Platform.NVIDIA else 64
    expected = [
        1000 + thread // wave * wave + source_lane(kind, thread % wave, operand, width)
        for width in WIDTHS
        if width <= wave
        for operand in OPERANDS
        for kind in range(4)
        for thread in range(64)
    ]
    assert out[: len(expected)] == expected
    assert set(out[len(expected) :]) <= {-1}


@on_both
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("past_the_end", "lane 31 of wave 1: an access 0 bytes past the end of out (256 bytes)"),
        ("before_the_start", "an access 4 bytes before out"),
        ("shared_past_the_end", "past the end of s (256 bytes)"),
        ("dynamic_past_the_end", "past the end of dynamic shared memory (252 bytes)"),
        ("atomic_past_the_end", "past the end of out"),
        ("no_memory", "memory that is not there"),
    ],
)
def test_out_of_bounds(runs: Runs, platform: Platform, name: str, words: str) -> None:
    run = runs(name, platform)
    assert run.outcome is RunOutcome.OUT_OF_BOUNDS
    assert not run.outputs
    expected = words.replace("lane 31 of wave 1", "lane 63 of wave 0") if platform is Platform.AMD else words
    assert expected in run.detail


@on_both
def test_memory_up_to_the_end_is_fine(runs: Runs, platform: Platform) -> None:
    assert out_of(runs("dynamic_to_the_end", platform)) == [5] * 64


@on_both
def test_ends_that_are_no_access(runs: Runs, platform: Platform) -> None:
    assert runs("stops_itself", platform).outcome is RunOutcome.TRAP
    assert runs("too_much_of_its_own", platform).outcome is RunOutcome.NOT_RUN
    assert out_of(runs("prints", platform)) == [1] * 64


@on_both
def test_barriers(runs: Runs, platform: Platform) -> None:
    assert runs("barrier_in_a_branch", platform).outcome is RunOutcome.DIVERGENT
    assert out_of(runs("barrier_after_exit", platform)) == [1] * 41 + [0] * 23
    assert out_of(runs("votes_at_barriers", platform))[:5] == [22, 1, 0, 1, 0]


def test_warps_may_use_different_barriers(runs: Runs) -> None:
    assert out_of(runs("different_barriers_in_warps", Platform.NVIDIA)) == [3] * 64


@on_both
def test_launch_that_no_gpu_takes(runs: Runs, platform: Platform) -> None:
    assert runs("too_many_threads", platform).outcome is RunOutcome.LAUNCH_FAILURE


@on_both
def test_lanes_part_and_meet(runs: Runs, platform: Platform) -> None:
    wave = 32 if platform is Platform.NVIDIA else 64
    firsts = [sum(i % 3 == 0 for i in range(start, start + wave)) for start in range(0, 64, wave)]
    branch = out_of(runs("lanes_of_a_branch", platform))
    assert branch == [firsts[i // wave] if i % 3 == 0 else 0 for i in range(64)]
    after = out_of(runs("together_after_the_branch", platform))
    assert after == [(100 * wave // 4 if i % 4 == 0 else 0) + wave for i in range(64)]
    assert out_of(runs("together_after_the_loop", platform)) == [wave] * 64
    assert out_of(runs("together_in_each_turn", platform)) == [wave // 4 + 300 * (wave * 3 // 4)] * 64


@on_both
def test_lanes_are_numbered_along_x_first(runs: Runs, platform: Platform) -> None:
    assert out_of(runs("threads_in_three_dimensions", platform)) == [1] * 64


@on_both
def test_long_work_is_no_hang(runs: Runs, platform: Platform) -> None:
    assert min(out_of(runs("works_long", platform))) == 1
    assert out_of(runs("counts_long", platform)) == [15000] * 2 + [0] * 62
    spinning = runs("spins_on_two", platform)
    assert spinning.outcome is RunOutcome.HANG
    assert "spins at a memory access" in spinning.detail


@on_both
def test_atomics(runs: Runs, platform: Platform) -> None:
    assert out_of(runs("total_of_atomics", platform))[:3] == [2016, 63, 9]


@on_both
def test_scalars_are_passed(runs: Runs, platform: Platform) -> None:
    assert out_of(runs("scalar_argument", platform)) == [int(2.5 * i) for i in range(64)]


def test_masks_of_cuda(runs: Runs) -> None:
    outside = runs("not_in_its_mask", Platform.NVIDIA)
    assert outside.outcome is RunOutcome.DIVERGENT
    assert "lane 16 of wave 0" in outside.detail
    waiting = runs("waits_for_lanes_elsewhere", Platform.NVIDIA)
    assert waiting.outcome is RunOutcome.HANG
    assert "__syncwarp" in waiting.detail


def test_a_lane_that_left_gives_nothing(runs: Runs) -> None:
    run = runs("reads_a_lane_that_left", Platform.AMD)
    assert out_of(run) == [0] * 64
    assert run.reads_from_absent_lanes == 32


def test_shuffled_order_finds_the_race_on_nvidia(programs: Mapping[Platform, Program]) -> None:
    swapped = [i ^ 1 for i in range(64)]
    names = ("exchange_without_barrier", "exchange_with_barrier")
    seen = [programs[Platform.NVIDIA].run(names, seed=seed) for seed in range(4)]
    without, with_barrier = ([out_of(run[name]) for run in seen] for name in names)
    assert without[0] == swapped, "in lockstep the race does not show"
    assert any(out != swapped for out in without[1:])
    assert with_barrier == [swapped] * 4
    assert out_of(programs[Platform.NVIDIA].run(names, seed=2)[names[0]]) == without[2], "a seed is an order"


def test_waves_that_no_gpu_has() -> None:
    with pytest.raises(ValueError, match="no nvidia GPU has waves of 64"):
        Waves(Platform.NVIDIA, 64)
    with pytest.raises(ValueError, match="waves of 16"):
        Waves(Platform.AMD, 16)


def test_name_that_is_no_name() -> None:
    with pytest.raises(ValueError, match="name of a namespace"):
        LaneProgram("a-b", b"", Call("k", ()))


# ---------------------------------------------------------------- one file


def test_one_file(tmp_path: Path) -> None:
    source = tmp_path / "sum.cu"
    source.write_text(
        "#include <cuda_runtime.h>\n__global__ void sum(const float* in, float* out) {\n"
        "  float v = in[threadIdx.x];\n"
        "  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);\n  out[threadIdx.x] = v;\n}\n"
    )
    arguments = [Buffer("in", "float", 32, [0.5] * 32), Buffer("out", "float", 32)]
    assert out_of(run(source, "sum", 1, 32, arguments, platform=Platform.NVIDIA, wave=32)) == [16] * 32
    refused = run(source, "sum", 1, 32, arguments)
    assert refused.outcome is RunOutcome.COMPILE_ERROR
    assert "64-bit" in refused.detail
    source.write_text("__global__ void sum(int* out) {\n  out[0] = nothing;\n}\n")
    broken = run(source, "sum", 1, 1, [OUT])
    assert broken.outcome is RunOutcome.NOT_RUN, "nobody asked HIP's compiler"
    assert f"{source}:2" in broken.detail
    with pytest.raises(UsageError, match="cannot be read"):
        run(tmp_path / "none.cu", "sum", 1, 1, [OUT])


# ---------------------------------------------------------------- source as C++


@pytest.mark.parametrize(
    ("cuda", "cpp"),
    [
        ("k<<<g, b>>>(x);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x);"),
        ("extern __shared__ float s[];", "float* s = static_cast<float*>(lanes::dynamic_shared());"),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "unsigned char* s = static_cast<unsigned char*>(lanes::dynamic_shared());",
        ),
        (
            "extern volatile __shared__ int s[];",
            "volatile int* s = static_cast<volatile int*>(lanes::dynamic_shared());",
        ),
        ("__shared__ int s[4];", "__shared__ int s[4];"),
        (
            "__global__ void __launch_bounds__(4 * N, 2) k(int n) { f(); }",
            "__global__ void __launch_bounds__(4 * N, 2) k(int n) { lanes::require_launch_bound(4 * N); f(); }",
        ),
        ("__global__ void __launch_bounds__(64) k();", "__global__ void __launch_bounds__(64) k();"),
        ('asm("mov.u32 %0, %laneid;" : "=r"(x));', 'lanes::special_register("laneid", x);'),
        (
            'asm volatile ("mov.u32 %0, %%lanemask_lt;" : "=r"(m[i]));',
            'lanes::special_register("lanemask_lt", m[i]);',
        ),
        ('// asm("mov.u32 %0, %laneid;" : "=r"(x));', '// asm("mov.u32 %0, %laneid;" : "=r"(x));'),
    ],
)
def test_source_as_cpp(cuda: str, cpp: str) -> None:
    assert as_cpp(cuda.encode(), "k.cu").decode() == cpp


def test_launch_that_cannot_be_read() -> None:
    with pytest.raises(UsageError, match=r"k\.cu:2: this launch"):
        as_cpp(b"void f() {\n  k<<<g>>>(x);\n}", "k.cu")
