"""Fixes of warp code: the golden cases of tests/waves, what stays as it is, and what the fixes must not do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes.case import CASES as LANES
from lanes.case import nvidia_side
from rewarp.edits import Safety, apply
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.translation.ptx import hip_form
from rewarp.verify.isolation.certificate import certify
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.waves import find
from rewarp.waves.fixing.plan import FilePlan, Way, fixes, half_of_a_group, plan
from rewarp.waves.support import HEADER, portable_header
from rewarp.waves.support.names import LOGICAL, PROPERTY, WHOLE

CASES = sorted((Path(__file__).parents[1] / "waves").glob("*.cu"))
SUM = b"""__device__ float sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}
"""


def code(text: bytes, path: str = "kernel.cu") -> CodeFile:
    return CodeFile(SourceFile(path, text), Kind.CUDA)


def planned(*texts: bytes, whole_waves: bool = False) -> list[FilePlan]:
    documents = [code(text, f"file{index}.cu") for index, text in enumerate(texts)]
    return list(plan(documents, whole_waves, asm_forms=hip_form).files)


def fixed(text: bytes, *, whole_waves: bool = False, path: str = "kernel.cu") -> bytes:
    found = plan([code(text, path)], whole_waves, asm_forms=hip_form).files
    return apply(text, found[0].edits) if found else text


def parts(file: Path) -> tuple[str, bytes, bytes]:
    """How the fix is graded, the file before, the file after."""
    before, _, after = file.read_bytes().partition(b"// output\n")
    return before.split(b"\n")[0].decode().removeprefix("// fix: "), before, after or before


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_golden(file: Path) -> None:
    grade, before, after = parts(file)
    whole = "whole waves" in grade
    found = plan([code(before, file.name)], whole, asm_forms=hip_form).files
    assert fixed(before, whole_waves=whole, path=file.name) == after
    edited = found[0].safety.value if found and found[0].edits else "none"
    assert edited == grade.partition(",")[0]


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_fixing_twice_changes_nothing(file: Path) -> None:
    grade, _, after = parts(file)
    assert fixed(after, whole_waves="whole waves" in grade, path=file.name) == after


def not_proved(folder: Path, before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, str]:
    """The files that NVIDIA's compiler may see otherwise than before; all that changed are looked at."""
    for side, files in (("before", before), ("after", {**after, HEADER: portable_header()})):
        (folder / side).mkdir()
        for name, text in files.items():
            (folder / side / name).write_bytes(text)
    certificate = certify(str(folder / "before"), str(folder / "after"), folder, lambda done, total: None)
    assert {file.path for file in certificate.files} == {HEADER, *(n for n in before if before[n] != after[n])}
    return {file.path: file.why for file in certificate.files if file.verdict is not IsolationVerdict.IDENTICAL}


def test_nvidia_sees_the_same_tokens(tmp_path: Path) -> None:
    cases = {file.name: parts(file) for file in CASES}
    before, after = ({name: each[side] for name, each in cases.items()} for side in (1, 2))
    assert not_proved(tmp_path, before, after) == {}


def test_lane_cases_are_the_same_for_nvidia(tmp_path: Path) -> None:
    """The kernels that tests/lanes runs: proved, and not changed by a second fix."""
    before = {f"{name}.cu": nvidia_side(case.original) for name, case in LANES.items()}
    after = {name: fixed(text, path=name) for name, text in before.items()}
    assert not_proved(tmp_path, before, after) == {}
    assert {name: fixed(text, path=name) for name, text in after.items()} == after


def test_header_gives_every_name_to_both_compilers() -> None:
    amd, _, nvidia = portable_header().partition(b"#else  // NVIDIA")
    for names in (LOGICAL, WHOLE):
        for cuda, ours in names.items():
            assert b"#define " + ours + b" " + cuda + b"\n" in nvidia
            assert ours in amd or ours.replace(b"warp32_reduce", b"warp32_reduce_##NAME") in amd or b"_reduce_" in ours
    assert b"#define " + PROPERTY + b"(" in nvidia
    assert b"#define " + PROPERTY + b"(" in amd
    assert b"{" not in nvidia, "NVIDIA's compiler gets macros only"


# --- warps of 32 ------------------------------------------------------------------------------


def test_every_hazard_gets_its_fix() -> None:
    document = code(SUM)
    hazards = find(document)
    cures = fixes(document, hazards)
    assert [fix.hazard for fix in cures] == list(hazards)
    assert {fix.safety for fix in cures} == {Safety.SAFE}
    assert any(fix.edits for fix in cures)


@pytest.mark.parametrize(
    "more",
    [
        b"__device__ float more(float v) { return hipcub::WarpReduce<float>(s).Sum(v); }\n",
        b"template <class... A> __device__ float more(float v) { return cub::WarpReduce<A...>(s).Sum(v); }\n",
        b"__device__ float more(float v) { return cub::WarpReduce<float, CUB_PTX_WARP_THREADS>(s).Sum(v); }\n",
        b"__device__ float more(float v) { rocprim::warp_reduce<float> r; return v; }\n",
        b"__device__ int lane() { return threadIdx.x % C10_WARP_SIZE; }\n",
        b"__device__ float more(float v) { return __shfl_xor(v, 32, 64); }\n",
        b"#include <hip/hip_runtime.h>\n__device__ int more(float v) { return __any(v > 0) ? threadIdx.x & 63 : 0; }\n",
        b"__device__ int more(int v) { return __builtin_amdgcn_readfirstlane(v); }\n",
        b"constexpr int WARP_SIZE = 64;\n",
        b"#if WAVE64\n#define LANES 64\n#endif\n",
        b"#ifdef USE_ROCM\nconst int warp_size = get();\n#endif\n",
        b"int lanes() { int w; cudaDeviceGetAttribute(&w, cudaDevAttrWarpSize, 0); return w; }\n",
        b"__device__ int lane(int warpSize) { return threadIdx.x % warpSize; }\n",
        b"__device__ int lane() { return __lane_id(); }\n",
    ],
    ids=lambda text: text.decode()[:40],
)
def test_code_of_two_widths_is_never_safe(more: bytes) -> None:
    for plan_ in planned(SUM + more):
        assert plan_.safety is not Safety.SAFE
        assert plan_.way is not Way.LOGICAL
        assert plan_.why


@pytest.mark.parametrize(
    "more",
    [
        b"__device__ int lane() { const int warpSize = 32; return threadIdx.x % warpSize; }\n",
        b"#ifndef WARP_SIZE\n#define WARP_SIZE 32\n#endif\n",
        b"#ifdef USE_ROCM\n#define ANY(p) __any(p)\n#else\n#define ANY(p) __any_sync(0xffffffff, p)\n#endif\n",
        b"template <int WarpSize> __device__ int lane() { return threadIdx.x % WarpSize; }\n",
        b"__device__ float other(float v) { return sum(v); }\n",
        b"__device__ int size() { return cg::coalesced_threads().size(); }\n",
        b"__device__ int size() { return cg::tiled_partition(cg::coalesced_threads(), 8).size(); }\n",
        b"__device__ float more(float v) { return cub::WarpReduce<float>(s).Sum(v); }\n",
        b"__device__ float more(float v) { return cub::WarpReduce<float, 16>(s).Sum(v); }\n",
        b"typedef cub::WarpReduce<float> WarpReduce;\n__device__ float more(float v) { return WarpReduce(s).Sum(v); }\n",
        b"__device__ int more(float v) { return __any(v > 0) ? threadIdx.x & 63 : 0; }\n",
        b"__device__ int more(int a, int b) { return __builtin_amdgcn_sdot4(a, b, 0, false); }\n",
        b"enum { LOG_WARP_THREADS = 5, WARP_THREADS = 1 << LOG_WARP_THREADS };\n",
        b"__global__ void tile(const half* a) { wmma::load_matrix_sync(f, a, 16); }\n",
    ],
    ids=lambda text: text.decode()[:40],
)
def test_code_of_one_width_is_safe(more: bytes) -> None:
    (only,) = planned(SUM + more)
    assert (only.safety, only.way, only.why) == (Safety.SAFE, Way.LOGICAL, "")


@pytest.mark.parametrize(
    "more",
    [
        b"__device__ int lane() { return threadIdx.x % WARP_SIZE; }\n",
        b"__device__ float more(float v) { return WARP_SHFL_DOWN(v, 16); }\n",
        b"__device__ float more(float v) { return warp_reduce_sum(v); }\n",
    ],
    ids=lambda text: text.decode()[:40],
)
def test_what_other_files_may_define_otherwise_needs_a_look(more: bytes) -> None:
    (only,) = planned(SUM + more)
    assert (only.safety, only.way) == (Safety.UNSAFE, Way.LOGICAL)
    assert "comes from elsewhere" in only.why


PORTABLE = b"""#ifdef USE_ROCM
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
__device__ inline float all_sum(float v) {
  for (int d = WARP_SIZE / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}
"""
FIRST = b"""__global__ void first(float* x) {
  float v = %s(x[threadIdx.x]);
  if (__any_sync(0xffffffff, v > 0) && threadIdx.x %% 32 == 0) x[threadIdx.x / 32] = v;
}
"""


def tree(files: dict[str, bytes]) -> dict[str, FilePlan]:
    found = plan([code(text, path) for path, text in files.items()], asm_forms=hip_form).files
    return {planned.document.source.path: planned for planned in found}


def test_files_that_share_no_warps_with_a_ported_part_are_fixed() -> None:
    files = {
        "warps.h": PORTABLE,
        "sum.h": SUM,
        "alone.cu": b'#include "warps.h"\n#include "sum.h"\n' + FIRST % b"sum",
        "shared.cu": b'#include "warps.h"\n' + FIRST % b"all_sum",
    }
    plans = tree(files)
    assert {path for path, planned in plans.items() if planned.safety is Safety.SAFE} == {"sum.h", "alone.cu"}
    assert {fix.safety for fix in plans["shared.cu"].fixes} == {Safety.DISPLAY_ONLY}


def test_a_helper_that_a_ported_part_calls_stays() -> None:
    files = {
        "warps.h": PORTABLE,
        "sum.h": SUM,
        "both.cu": b'#include "warps.h"\n#include "sum.h"\n'
        b"__global__ void both(float* x) { x[threadIdx.x] = sum(x[threadIdx.x / WARP_SIZE]); }\n",
    }
    assert all(not planned.edits for planned in tree(files).values())


def test_numbers_of_lanes_do_not_stay_behind_masks() -> None:
    """To widen only the masks would let compile what is then wrong."""
    text = (
        PORTABLE
        + b"__global__ void k(int* x) { unsigned m = __ballot_sync(0xffffffff, x[0]); x[threadIdx.x % 32] = m; }\n"
    )
    (only,) = planned(text)
    assert not only.edits


def test_a_file_without_warps_joins_what_it_includes() -> None:
    """``WARP_SIZE`` is not from elsewhere: the file that is compiled brings it."""
    files = {
        "config.h": b"#define WARP_SIZE 32\n",
        "sum.h": SUM.replace(b"16", b"WARP_SIZE / 2"),
        "main.cu": b'#include "config.h"\n#include "sum.h"\nint main() {}\n',
    }
    assert tree(files)["sum.h"].safety is Safety.SAFE
    del files["main.cu"]
    assert tree(files)["sum.h"].safety is Safety.UNSAFE


def test_a_host_that_asks_for_the_width_goes_with_its_kernels() -> None:
    files = {
        "run.h": b"void run(float* x);\n",
        "run.cpp": b'#include "run.h"\nvoid start(P prop, float* x) { int warp_size = prop.warpSize; launch(warp_size, x); }\n',
        "kernel.cu": b'#include "run.h"\n' + SUM + FIRST % b"sum",
    }
    plans = tree(files)
    after = apply(files["run.cpp"], plans["run.cpp"].edits)
    assert b"warp_size = rewarp_warp32_width(prop.warpSize);" in after


COUNTED = b"""__global__ void rows(float* x) {
  __shared__ float s[4][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  s[warp][lane] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[warp ^ 1][31 - lane];
}
constexpr int WARP_SIZE = 32;
void run(float* x) { rows<<<1, 4 * WARP_SIZE>>>(x); }
"""


def test_code_that_only_counts_in_32_is_right_as_it_is() -> None:
    (only,) = planned(COUNTED)
    assert not only.edits
    assert {fix.safety for fix in only.fixes} == {Safety.SAFE}
    (elsewhere,) = planned(COUNTED + b"void more(float* x) { others<<<1, WARP_SIZE>>>(x); }\n")
    assert {fix.safety for fix in elsewhere.fixes} == {Safety.DISPLAY_ONLY}


@pytest.mark.parametrize(
    "body",
    [
        b"unsigned left = __ballot_sync(~0u, x[0]); left &= ~(1u << (lane %% 16 + 16)); x[1] = left;",
        b"x[0] = __any_sync(~0u, x[0]);\n}\n#define WARPS (1024 / 32)\n__device__ void n() {",
        b"unsigned votes = __ballot_sync(~0u, x[threadIdx.y * 32 + threadIdx.x]); x[threadIdx.y] = __popc(votes);",
    ],
)
def test_whole_waves_are_not_half_done(body: bytes) -> None:
    text = b"__global__ void k(int* x) { int lane = threadIdx.x & 31; %s }\n" % body.replace(b"%%", b"%")
    (only,) = planned(text, whole_waves=True)
    assert only.way is Way.LOGICAL


STEPS = b"__device__ void steps(%s float* s, int t) { if (t < 32) { %s } }\n"


@pytest.mark.parametrize(
    ("body", "barriers"),
    [
        (b"s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8];", 3),
        (b"if (t < 16) s[t] += s[t + 16]; s[t] += s[t + 8];", 2),
        (b"if (s[t] > s[t + 16]) { s[t] = s[t + 16]; } if (s[t] > s[t + 8]) s[t] = s[t + 8];", 2),
        (b"for (int o = 16; o > 0; o /= 2) { s[t] += s[t + o]; }", 1),
        (b"if (t < 16) s[t] += s[t + 16]; else s[t] = 0;", 0),
        (b"for (int i = 0; i < 4; ++i) s[t] += s[t + 16];", 0),
        (b"s[t] += s[t + 16]; __syncwarp(); s[t] += s[t + 8]; __syncwarp();", 0),
    ],
)
def test_barriers_behind_steps(body: bytes, barriers: int) -> None:
    after = fixed(SUM + STEPS % (b"volatile", body))
    assert after.count(b"REWARP_WARP32_STEP") == barriers
    assert fixed(after) == after


def test_what_is_left_stays_visible() -> None:
    """A fixed file goes on saying what no fix has cured."""
    tail = STEPS % (b"volatile", b"for (int i = 0; i < n; ++i) s[t] += s[t + 16];")
    value = b"__device__ int one(int v) { return __shfl(0xffffffff, v, 1); }\n"
    before = SUM + tail + value

    def left(text: bytes) -> list[str]:
        return [fix.hazard.message for item in planned(text) for fix in item.fixes if fix.safety is Safety.DISPLAY_ONLY]

    assert len(left(before)) == 2
    assert left(fixed(before)) == left(before)


def test_new_warp_code_in_a_fixed_file_is_seen() -> None:
    once = fixed(SUM)
    more = once + b"__device__ unsigned votes(bool p) { return __ballot_sync(0xffffffff, p); }\n"
    (again,) = planned(more)
    assert again.hazards
    assert apply(more, again.edits).count(b"#include") == 1
    assert b"rewarp_warp32_ballot_sync(0xffffffff, p)" in apply(more, again.edits)


def test_the_host_does_not_change_by_itself() -> None:
    host = b"int threads(const P& prop) { int warp_size = prop.warpSize; return 4 * warp_size; }\n"
    assert fixed(host + b"#define WARP_SIZE 32\n") == host + b"#define WARP_SIZE 32\n"
    once = fixed(SUM + host)
    assert b"= rewarp_warp32_width(prop.warpSize);" in once
    more = once + b"__device__ int any(int p) { return __any_sync(0xffffffff, p); }\n"
    assert fixed(more).count(b"rewarp_warp32_width(") == 1
    launch = b"void run(P prop, float* x) { k<<<1, 4 * prop.warpSize>>>(x); }\n"
    assert b"4 * rewarp_warp32_width(prop.warpSize)>>>" in fixed(SUM + launch)
    shown = b'void show(const P& prop) { printf("%d lanes", prop.warpSize); }\n'
    assert shown in fixed(SUM + shown)


def test_names_of_others_stay() -> None:
    text = (
        SUM
        + b"struct Group { int __shfl(int); };\nint f(Group g) { return g.__shfl(1); }\n#ifdef __shfl_sync\n#endif\n"
    )
    after = fixed(text)
    assert b"g.__shfl(1)" in after
    assert b"#ifdef __shfl_sync" in after
    assert b"rewarp_warp32_shfl_down_sync" in after


SNIPPETS = (
    SUM,
    b"// __shfl_sync(0xffffffff, v, 0)\n",
    b'const char* text = "__ballot_sync(0xffffffff, 1)";\n',
    b"#define VOTE(p) __ballot_sync(0xffffffff, p)\n",
    b"__device__ int lane() { return threadIdx.x % warpSize; }\n",
    b"__device__ unsigned votes(bool p) { unsigned m = __ballot_sync(~0u, p); return __popc(m & ((1u << (threadIdx.x & 31)) - 1)); }\n",
    b"#if defined(USE_ROCM)\n#define ANY(p) __any(p)\n#else\n#define ANY(p) __any_sync(-1, p)\n#endif\n",
    b"#include <vector>\n",
    b"/* \xc3\xa9 */ #pragma unroll\n",
    b"__global__ void k(float* x) { for (int i = 0; i < 5; ++i) *x += __shfl_xor_sync(0xffffffffu, *x, 1 << i); __syncwarp(); }\n",
    b"constexpr int kWarpSize = 32;\n",
    b"void run(float* x) { k<<<1, 4 * kWarpSize>>>(x); }\n",
    b'__device__ unsigned lane() { unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }\n',
    b'__device__ void two(unsigned* m) {\n  asm("activemask.b32 %0;" : "=r"(m[0]));\n  asm("mov.u32 %0, %lanemask_lt;" : "=r"(m[1]));\n}\n',
    b"__device__ int together() { return cooperative_groups::coalesced_threads().thread_rank(); }\n",
    b"__device__ float broken( { __shfl(v, \n",
)
_ADDED = re.compile(rb'#include "rewarp_waves.h"\r?\n')
_MACRO = re.compile(rb"(?:REWARP_WAVE_[A-Z0-9]+|rewarp_warp32_width|rewarp_warp32_group)\(((?:[^()]|\(\))*)\)")
_GATE = re.compile(rb"#if defined\(__HIP_PLATFORM_AMD__\)\r?\n[^#]*#else\r?\n(.*?)#endif\r?\n", re.S)
_BACK = {ours: cuda for names in (LOGICAL, WHOLE) for cuda, ours in names.items()}
_NAME = re.compile(rb"\brewarp_(?:warp32|wave)_\w+")


def as_nvidia_sees_it(text: bytes) -> bytes:
    """A fixed file with the portable header's macros put back to what they stand for there, and without AMD's branches."""
    text = _GATE.sub(lambda gate: gate[1], _ADDED.sub(b"", text))
    return _NAME.sub(lambda name: _BACK[name[0]], _MACRO.sub(lambda macro: macro[1], text))


@given(st.lists(st.sampled_from(SNIPPETS), max_size=8), st.booleans(), st.booleans())
def test_whatever_is_fixed_is_the_same_for_nvidia(snippets: list[bytes], whole_waves: bool, windows: bool) -> None:
    text = b"".join(snippets)
    text = text.replace(b"\n", b"\r\n") if windows else text
    once = fixed(text, whole_waves=whole_waves)
    # Where a statement stands by itself now, the blanks around it are others.
    assert as_nvidia_sees_it(once).split() == text.split()
    assert fixed(once, whole_waves=whole_waves) == once


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return cg::coalesced_threads();", "return rewarp_warp32_group(cg::coalesced_threads());"),
        ("return ::cg :: coalesced_threads ( );", "return rewarp_warp32_group(::cg :: coalesced_threads ( ));"),
        ("f(a, coalesced_threads());", "f(a, rewarp_warp32_group(coalesced_threads()));"),
    ],
)
def test_groups_are_cut_down_with_their_namespaces(before: str, after: str) -> None:
    kernel = "__device__ auto together() {{ {} }}\n"
    once = fixed(kernel.format(before).encode())
    assert kernel.format(after).encode() in once
    assert fixed(once) == once
    assert not find(code(once))


# --- groups of files --------------------------------------------------------------------------


def test_files_that_include_one_another_change_together() -> None:
    header = code(SUM, "csrc/reduce.cuh")
    user = code(
        b'#include "reduce.cuh"\n__global__ void k(float* x) { *x = sum(*x) + __shfl_sync(-1, *x, 0); }\n', "csrc/k.cu"
    )
    both = plan([header, user])
    assert {item.way for item in both.files} == {Way.LOGICAL}
    assert both.header_in == "csrc"
    other = code(b'#include "reduce.cuh"\nint lane() { return threadIdx.x % C10_WARP_SIZE; }\n', "csrc/other.cu")
    together = plan([header, user, other])
    assert all(item.safety is not Safety.SAFE for item in together.files)
    apart = plan([header, user, code(other.source.data.replace(b"reduce.cuh", b"other.cuh"), "csrc/other.cu")])
    assert all(item.safety is Safety.SAFE for item in apart.files if item.edits)


def test_constant_of_another_file_stays_as_it_is() -> None:
    """A file without warp functions of its own is right once those of its group work in 32."""
    width = code(b"#define WARP_SIZE 32\n", "width.h")
    user = code(b'#include "width.h"\n' + SUM.replace(b"16", b"WARP_SIZE / 2"), "user.cu")
    found = {item.document.source.path: item for item in plan([width, user]).files}
    assert found["user.cu"].safety is Safety.SAFE
    assert not found["width.h"].edits
    assert not found["width.h"].left


def test_hazards_without_warp_functions_are_not_called_cured() -> None:
    (only,) = planned(b"#define WARP_SIZE 32\n")
    assert not only.edits
    assert [fix.safety for fix in only.left] == [Safety.DISPLAY_ONLY]
    assert "in none of these files" in only.why


def test_half_of_a_group_is_not_safe() -> None:
    (only,) = planned(SUM)
    half = half_of_a_group(only, "other.cuh")
    assert half.safety is Safety.UNSAFE
    assert {edit.safety for edit in half.edits} == {Safety.UNSAFE}
    assert "other.cuh" in half.why


# --- whole waves ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        SUM + b"__global__ void k(float* x) { *x = sum(*x); }\nvoid run(float* x) { k<<<1, 32>>>(x); }\n",
        SUM
        + b"__device__ int last(int v) { int lane = threadIdx.x % 32; return lane < 24 ? __shfl_sync(0xffffffff, v, 0) : 0; }\n",
        b"__device__ int m(int v) { return __match_any_sync(0xffffffff, v); }\n",
        b"__device__ int m(int v) { return 31 - __clz(__ballot_sync(0xffffffff, v)); }\n",
        b"__device__ int m(int v) { return __shfl_sync(0x0000ffff, v, 0); }\n",
        b"#ifdef A\n#define MASK 0xffffffff\n#else\n#define MASK 0xffffffffu\n#endif\n"
        b"__device__ int m(int v) { return __shfl_sync(MASK, v, 0); }\n",
    ],
    ids=["launch", "three quarters", "match", "clz", "half a mask", "two definitions"],
)
def test_what_is_not_understood_keeps_warps_of_32(text: bytes) -> None:
    (only,) = planned(text, whole_waves=True)
    assert only.way is Way.LOGICAL


def test_whole_waves_have_to_be_asked_for() -> None:
    (by_default,), (asked,) = planned(SUM), planned(SUM, whole_waves=True)
    assert (by_default.way, by_default.safety) == (Way.LOGICAL, Safety.SAFE)
    assert (asked.way, asked.safety) == (Way.WHOLE, Safety.UNSAFE)


def test_a_second_meaning_of_32_stops_whole_waves() -> None:
    text = SUM + b"__global__ void k(float* x) { if (__any_sync(0xffffffff, *x > 0)) x[threadIdx.x * 32] = sum(*x); }\n"
    (only,) = planned(text, whole_waves=True)
    assert only.way is Way.LOGICAL


# --- the line that includes the header --------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"// licence\n" + SUM, 2),
        (b"#pragma once\n" + SUM, 2),
        (b"#ifndef A_H\n#define A_H\n" + SUM + b"#endif\n", 3),
        (b"#include <a>\n#ifdef X\n#include <b>\n#endif\n" + SUM, 2),
        (b"#include <a>\n" + SUM + b"#include <late>\n", 2),
        (b"namespace n {\n#include <inner>\n" + SUM + b"}\n", 1),
        (b"#include <a> /* two\nlines */\n" + SUM, 1),
        (b"/* one\n two */\n" + SUM, 3),
    ],
)
def test_where_the_header_is_included(text: bytes, line: int) -> None:
    lines = fixed(text).split(b"\n")
    assert lines[line - 1] == b'#include "rewarp_waves.h"', lines
    assert sum(b"rewarp_waves.h" in each for each in lines) == 1


def test_line_endings_and_encodings_are_kept() -> None:
    windows = (b"#include <a>\n" + SUM).replace(b"\n", b"\r\n")
    after = fixed(windows)
    assert after.count(b"\r\n") == windows.count(b"\r\n") + 1 == after.count(b"\n")
    latin = b"// \xe9t\xe9\n" + SUM
    assert fixed(latin).startswith(b"// \xe9t\xe9\n#include")
    marked = b"\xef\xbb\xbf" + SUM
    assert fixed(marked).startswith(b"\xef\xbb\xbf#include")
    wide = b"\xff\xfe" + SUM.decode().encode("utf-16-le")
    assert fixed(wide)[2:].decode("utf-16-le") == fixed(SUM).decode()


def test_no_newline_at_the_end() -> None:
    text = b"#include <a>"
    assert fixed(text) == text
    assert fixed(SUM.rstrip()).endswith(b"}")
