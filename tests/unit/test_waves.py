"""The wave pass: what counts on 32 lanes is found by what values mean, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import CASES, Case
from rewarp.engine import scan
from rewarp.findings import Finding, Scanned, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind as FileKind
from rewarp.lang.kinds import kind_of_path
from rewarp.registry import all_rules
from rewarp.source import SourceFile
from rewarp.targets import TARGETS, Context, Versions
from rewarp.waves import Confidence, Consequence, Hazard, Kind, WaveFacts, find
from rewarp.waves.reading.brackets import arguments, closing, operand_before
from rewarp.waves.reading.names import Names
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.syntax import Code

WANTED = 150
FILES = sorted(CASES.glob("WAV-*/*"))


def document(text: str, path: str = "kernel.cu") -> CodeFile:
    return CodeFile(SourceFile(path, text.encode()), FileKind.CUDA)


def hazards(text: str, facts: WaveFacts | None = None) -> list[Hazard]:
    return list(find(document(text), facts) if facts else find(document(text)))


def kinds(text: str) -> set[Kind]:
    return {hazard.kind for hazard in hazards(text)}


def everything(case: Case) -> list[Finding]:
    """What all rules about waves find in a case, not only its own."""
    path = case.options.get("path", case.file.name)
    kind = kind_of_path(path)
    assert kind
    outcome = scan(
        SourceFile(path, case.source), kind, Context(TARGETS["rocm"], Versions(arch=case.options.get("arch")))
    )
    assert isinstance(outcome, Scanned)
    return [finding for finding in outcome.findings if finding.rule.startswith("WAV-")]


def kernels(beginning: str) -> Iterator[tuple[Path, str, bool]]:
    """(file, function, whether something is found in it) of the cases with such names."""
    for file in FILES:
        if file.name.startswith(beginning):
            case = Case.read(file)
            found = everything(case)
            for function in Code(document(case.source.decode())).functions:
                if not function.is_macro:
                    yield file, function.name, any(function.holds(finding.start) for finding in found)


def test_the_corpus_is_large_enough() -> None:
    assert sum(hit for _, _, hit in kernels("hit_")) >= WANTED
    assert sum(1 for _ in kernels("miss_")) >= WANTED


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.name.startswith("miss_")], ids=lambda f: f"{f.parent.name}/{f.name}"
)
def test_no_rule_of_the_family_raises_an_alarm_on_a_look_alike(file: Path) -> None:
    loud = [f"{f.line} {f.rule} {f.message}" for f in everything(Case.read(file)) if f.severity is not Severity.INFO]
    assert loud == []


def test_every_kind_is_found_in_the_corpus() -> None:
    found = {hazard.kind for file in FILES for hazard in find(document(Case.read(file).source.decode()))}
    assert found == set(Kind)


def test_every_kind_has_a_rule() -> None:
    rules = [rule for rule in all_rules().values() if rule.family == "waves"]
    shown = {finding.rule for file in FILES for finding in everything(Case.read(file))}
    assert shown == {rule.id for rule in rules}


def test_a_hazard_says_what_happens() -> None:
    [hazard] = hazards("__device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 1, 32); }")
    assert (hazard.kind, hazard.consequence) == (Kind.MASK_32, Consequence.COMPILE_ERROR)
    assert (hazard.confidence, hazard.on_any_width) == (Confidence.CERTAIN, True)
    assert (hazard.function, hazard.symbol) == ("f", "__shfl_xor_sync")
    assert "64-bit" in hazard.why


def test_a_use_of_a_named_mask_points_at_its_definition() -> None:
    text = "#define ALL 0xffffffff\n__device__ int f(int p) { return __any_sync(ALL, p); }\n"
    definition, use = hazards(text)
    assert use.partners == (definition.where,)
    assert use.confidence is Confidence.LIKELY


@pytest.mark.parametrize(
    "gate",
    ["#ifndef __HIP_PLATFORM_AMD__", "#if !defined(USE_ROCM)", "#if WARP_SIZE == 32", "#ifdef WAVE32"],
)
def test_what_is_not_compiled_for_the_target_or_chosen_by_width_is_left_alone(gate: str) -> None:
    body = "__device__ float f(float v) { for (int o = 16; o; o /= 2) v += __shfl_down(v, o); return v; }"
    assert kinds(body) == {Kind.LOOP}
    assert kinds(f"{gate}\n{body}\n#endif\n") == set()


def test_two_values_for_one_name_are_a_choice() -> None:
    both = "#if SOMETHING\n#define WARP_SIZE 64\n#else\n#define WARP_SIZE 32\n#endif\n"
    assert kinds(both) == set()
    assert kinds("#if SOMETHING\n#define WARP_SIZE 32\n#endif\n") == {Kind.WIDTH_CONSTANT}


def test_what_other_files_say_is_used() -> None:
    text = "__device__ int f(int v) { return __any(v) + threadIdx.x % LANES; }"
    assert hazards(text) == []
    assert [h.kind for h in hazards(text, WaveFacts(widths=frozenset({"LANES"})))] == [Kind.LANE_ARITHMETIC]
    masked = "__device__ int f(int v) { return __any_sync(0xffffffff, v); }"
    assert hazards(masked, WaveFacts(supplied=frozenset({"__any_sync"}))) == []


def test_a_helper_of_the_file_is_known_better_than_by_its_name() -> None:
    caller = "__device__ float g(float v) { return threadIdx.x % 32 ? warp_sum(v) : 0; }"
    wide = "__device__ float warp_sum(float v) { return v + __shfl_down(v, 1); }"
    narrow = "__device__ float warp_sum(float v) { return v + __shfl_down(v, 1, 32); }"
    assert kinds(caller) == kinds(f"{wide}\n{caller}") == {Kind.LANE_ARITHMETIC}
    assert kinds(f"{narrow}\n{caller}") == set()


def test_kernels_decide_what_a_launch_means() -> None:
    launch = "void f(float *x) { rows<<<8, 32>>>(x); }"
    warps = "__global__ void rows(float *x) { x[0] = __shfl(x[threadIdx.x], 0); }"
    plain = "__global__ void rows(float *x) { x[threadIdx.x] = 1; } // warp"
    assert kinds(f"{warps}\n{launch}") == {Kind.LAUNCH_GEOMETRY}
    assert kinds(f"{plain}\n{launch}") == set()


@pytest.mark.parametrize(("arch", "rules"), [("gfx1100", {"WAV-001"}), ("gfx942", {"WAV-001", "WAV-005"})])
def test_on_32_lanes_only_what_is_wrong_there_too_is_told(arch: str, rules: set[str]) -> None:
    text = b"__device__ float f(float v) { for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o); return v; }"
    outcome = scan(SourceFile("a.cu", text), FileKind.CUDA, Context(TARGETS["rocm"], Versions(arch=arch)))
    assert isinstance(outcome, Scanned)
    assert {finding.rule for finding in outcome.findings if finding.rule.startswith("WAV-")} == rules


def test_a_file_written_for_amd_is_told_of_quietly() -> None:
    text = b"__device__ float f(float v) { for (int o = 16; o; o /= 2) v += __shfl_down(v, o); return __shfl(v, 0); }"
    for path, severity in (("csrc/sum.cu", Severity.WRONG), ("csrc/rocm/sum.cu", Severity.INFO)):
        outcome = scan(SourceFile(path, text), FileKind.CUDA, Context(TARGETS["rocm"]))
        assert isinstance(outcome, Scanned)
        assert [finding.severity for finding in outcome.findings if finding.rule == "WAV-005"] == [severity]


def test_one_exchange_is_no_reduction() -> None:
    steps = "v += __shfl_xor(v, 8); v += __shfl_xor(v, 4);"
    assert kinds("__device__ float f(float v) { return v + __shfl_xor(v, 16); }") == set()
    assert kinds(f"__device__ float f(float v) {{ {steps} return v + __shfl_xor(v, 16); }}") == {Kind.LOOP}


def test_functions_are_told_by_their_braces() -> None:
    text = (
        "namespace n {\nstruct S {\n  int f() const { return 1; }\n  template <int N>\n  void g(int a,\n         int b) {\n"
        "    if (a) { b++; }\n  }\n};\n__global__ void __launch_bounds__(128) k(int *x) {\n  x[0] = 1;\n}\n}\n"
        "#define M(x) { x; }\nint table[] = {1, 2};\nenum E { A = f(1) };\n"
    )
    functions = Code(document(text)).functions
    assert [(function.name, function.is_macro) for function in functions] == [
        ("f", False),
        ("g", False),
        ("k", False),
        ("M", True),
    ]
    assert text.encode()[slice(*functions[1].body)].endswith(b"b++; }\n  }")


def test_arguments_and_operands() -> None:
    code = b"f(a, (b, c), d[1, 2]) + g(x).y % 32"
    assert [code[slice(*span)] for span in arguments(code, 1)] == [b"a", b"(b, c)", b"d[1, 2]"]
    assert arguments(b"f()", 1) == []
    assert closing(code, 1) == code.index(b" + ")
    assert code[slice(*operand_before(b"(a + b) % 32", 8))] != b""
    assert b"(a + b) % 32"[slice(*operand_before(b"(a + b) % 32", 8))] == b"(a + b)"
    assert b"x = threadIdx.x & 31"[slice(*operand_before(b"x = threadIdx.x & 31", 16))] == b"threadIdx.x"


PIECES = st.sampled_from(
    "__shfl_xor_sync( __ballot( 0xffffffff , v ) ; { } [ ] ( 32 & 31 % / threadIdx.x lane warp_id = int unsigned for if "
    "#define #if #else #endif \n <<< >>> __shared__ __global__ void f WARP_SIZE asm \" ' // /* */ \\ dim3 block volatile "
    "s[tid] += s[tid+32] tiled_partition<32> __launch_bounds__( sizeof(float) << >> -1 ~0u return static_assert".split(
        " "
    )
)


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=60))
def test_no_text_breaks_the_pass(pieces: list[str]) -> None:
    text = " ".join(["warp", *pieces])
    for hazard in hazards(text):
        assert 0 <= hazard.where.start < hazard.where.end <= len(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "warp " + "(" * 20000,
        "__ballot(" * 3000,
        "int lane = " + "a[" * 5000,
        "__global__ void f(int *x) { int lane = threadIdx.x & 31; " + "x[0] = (x[1]" * 4000,
        "{" * 10000 + " warp",
        "#define WARP(x) \\\n" * 5000,
        "unsigned mask = " * 5000 + "__any_sync(mask, 1)",
    ],
    ids=["brackets", "calls", "indices", "statements", "braces", "macros", "assignments"],
)
def test_deep_and_long_text_comes_to_an_end(text: str) -> None:
    assert isinstance(hazards(text), list)


@pytest.mark.parametrize(
    ("body", "consequence"),
    [
        ("bool d = false; while (!d) { auto m = __ballot(1); d = lane == __ffs(m) - 1; }", Consequence.HANG),
        ("do { auto m = __ballot(1); if (lane == __ffs(m) - 1) break; } while (true);", Consequence.HANG),
        ("auto m = __ballot(1); while (m) { x[__ffs(m) - 1] = 1; m &= m - 1; }", Consequence.WRONG_RESULT),
        ("while (__ballot(x[lane]) != 0xffffffff) x[0]++;", Consequence.HANG),
        ("while (__ballot(x[lane]) == 0xffffffff) x[0]++;", Consequence.WRONG_RESULT),
        ("if (__ballot(x[lane]) != 0xffffffff) x[0]++;", Consequence.WRONG_RESULT),
    ],
)
def test_a_loop_that_waits_for_lanes_that_are_not_counted_hangs(body: str, consequence: Consequence) -> None:
    text = f"__global__ void f(int *x) {{ int lane = threadIdx.x % warpSize; {body} }}"
    found = [hazard for hazard in hazards(text) if hazard.kind in (Kind.BIT_COUNT, Kind.FULL_COMPARE)]
    assert [hazard.consequence for hazard in found] == [consequence]


def test_a_ballot_is_followed_into_the_function_that_gets_it() -> None:
    callee = "__device__ int count(unsigned set, unsigned other) { return __popc(set) + __popc(other); }"
    text = f"{callee}\n__device__ int f(int p) {{ return count(__ballot(p), p); }}"
    found = {(hazard.kind, hazard.symbol) for hazard in hazards(text)}
    assert found == {(Kind.BALLOT_32, "set"), (Kind.BIT_COUNT, "__popc")}
    assert len(hazards(text)) == 2
    assert hazards(f"{callee}\n__device__ int f(int p) {{ return count(p, p) + __any(p); }}") == []


def test_masks_of_other_files_are_known_by_name() -> None:
    text = "__device__ int f(int v) { return __any_sync(EVERYBODY, v); }"
    assert hazards(text) == []
    [hazard] = hazards(text, WaveFacts(masks=frozenset({"EVERYBODY"})))
    assert (hazard.kind, hazard.confidence) == (Kind.MASK_32, Confidence.LIKELY)


def test_a_lane_number_below_32_shares_slots_and_does_not_leave_them() -> None:
    kernel = (
        "__global__ void f(float *x) {{ __shared__ float s[32]; int lane = {lane}; s[lane] = __shfl_down(x[0], 1); }}"
    )
    for lane, consequence in (
        ("threadIdx.x % warpSize", Consequence.OUT_OF_BOUNDS),
        ("threadIdx.x % 32", Consequence.WRONG_RESULT),
        ("threadIdx.x & 31", Consequence.WRONG_RESULT),
    ):
        [slots] = [h for h in hazards(kernel.format(lane=lane)) if h.kind is Kind.SHARED_SIZE]
        assert slots.consequence is consequence


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("template <int N, int M = parts_of(N)> __global__ void kernel(int *x)", "kernel"),
        ("template <typename T, bool B = (sizeof(T) > 4)> static __device__ T helper(T x)", "helper"),
        ("template <template <int> class C> template <int N = f(2)> void C<N>::run(int x)", "run"),
        ("LAUNCH_BOUNDS(512) __global__ void kernel(int *x)", "kernel"),
        ("__global__ void __launch_bounds__(512) kernel(int *x)", "kernel"),
        ("__global__ void LAUNCH_BOUNDS(512) kernel(int *x)", "kernel"),
        ("Thing(int a) : first(a), second(a)", "Thing"),
        ("void wait(int x) GUARDED_BY(mutex)", "wait"),
    ],
)
def test_a_function_is_named_by_its_own_head(head: str, name: str) -> None:
    assert [function.name for function in Code(document(head + " { x = 1; }")).functions] == [name]


def test_barriers_in_ptx_are_found_in_both_spellings() -> None:
    for barrier in ("bar.sync 1, 64;", "barrier.sync 1, 64;", "barrier.cta.arrive 1, 64;"):
        assert kinds(f'__device__ void meet(int warp) {{ asm volatile("{barrier}"); }}') == {Kind.PTX_LANE}
    assert kinds('__device__ void meet(int warp) { asm volatile("mbarrier.init.shared.b64 [%0], 1;"); }') == set()


def test_a_thread_number_goes_through_several_calls_and_no_further_than_the_call() -> None:
    """What a function is handed by one caller says nothing about a function of another name."""
    code = """
__device__ int inner(const int *x, int n) { return __any_sync(~0ull, x[n >> 5]); }
__device__ int other(const int *x, int n) { return __any_sync(~0ull, x[n >> 5]); }
__device__ int outer(const int *x, int k) { return inner(x, k) + other(x, 7); }
__global__ void kernel(int *x) { x[0] = outer(x, threadIdx.x); }
"""
    found = [hazard for hazard in hazards(code) if hazard.kind is Kind.LANE_ARITHMETIC]
    assert [hazard.function for hazard in found] == ["inner"]


def test_helpers_of_a_tile_do_not_make_the_host_count_in_waves() -> None:
    code = """
__global__ void rows(float *x) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = warpReduceSum(warp, x[1]);
}
void run(float *x, int block_size) {
  assert(block_size % 32 == 0);
  rows<<<1, block_size>>>(x);
}
"""
    assert hazards(code) == []
    assert hazards(code.replace("auto warp = cg::tiled_partition<32>(cg::this_thread_block());", "int warp = 0;")) != []


def test_words_are_found_with_and_without_marks_around_them() -> None:
    code = Code(document("int a = x / 32 + y/32; b += 132; c <<= 5;"))
    text = code.text
    for word in (b"/ 32", b"/32", b"+= ", b"<<", b"<<= 5", b"/ 33", b"x / 32 +", b"132"):
        assert code.offsets_of(word) == [at for at in range(len(text)) if text.startswith(word, at)]


def test_numbers_are_found_where_they_stand_for_themselves() -> None:
    code = Code(document("uint32_t a = 132 + 0x32 + 320 + 1.32f; b = 32u; c = 32.0f; f32(x[32])"))
    assert [code.text[at - 2 : at + 3] for at in code.offsets_of(b"32")] == [b"= 32u", b"= 32.", b"x[32]"]


def test_what_is_assigned_is_found_in_every_spelling() -> None:
    text = """__global__ void k(S *s, int *a) {
  int t = threadIdx.x; int u{threadIdx.x}; a[t] = 1; a[t] |= 2; t <<= 3; s->m = 4; s[0].n = 5; if (t == 6 || t <= 7 || t != 8) t += 9;
  a[t][u] = 10; for (int i = 11; i >= 12; i -= 13) { }
  auto f = [=](int x) { return x; };
}"""
    code = Code(document(text))
    roles = Roles(code, code.functions[0], Names(code, TARGETS["rocm"]))
    assert [(name.decode(), code.slice(value).decode().strip()) for name, _, value in roles.assigned] == [
        ("t", "threadIdx.x"),
        ("u", "threadIdx.x"),
        ("a", "1"),
        ("a", "2"),
        ("t", "3"),
        ("t", "9"),
        ("i", "11"),
        ("i", "13"),
        ("f", "[=](int x) { return x; }"),
    ]
