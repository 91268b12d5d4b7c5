"""Inline PTX in warps of 32: where its form for AMD is written, where not, and that the header's shuffles are PTX's."""

from __future__ import annotations

from pathlib import Path

import pytest

from lane_simulator import Buffer, Call, LaneProgram, Platform, RunOutcome, Waves, Workshop
from rewarp import waves
from rewarp.edits import Safety, apply
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.translation.ptx import hip_form
from rewarp.waves.fixing.plan import Fix, plan
from rewarp.waves.fixing.ptx import WARP_ID
from rewarp.waves.support import portable_header
from rewarp.waves.support.names import OF_TRANSLATION

LANE = 'asm("mov.u32 %0, %%laneid;" : "=r"(x));'


def fixed(text: str) -> tuple[str, list[Fix]]:
    document = CodeFile(SourceFile("kernel.cu", text.encode()), Kind.CUDA)
    files = plan([document], asm_forms=hip_form).files
    edits = [edit for file in files for edit in file.edits]
    return apply(document.source.data, edits).decode(), [fix for file in files for fix in file.fixes]


def function(*statements: str) -> str:
    return "__device__ unsigned f(unsigned x, unsigned m) {\n" + "".join(statements) + "  return x;\n}\n"


@pytest.mark.parametrize(
    ("asm", "form"),
    [
        ("mov.u32 %0, %%laneid;", "x = rewarp_warp32_lane_id();"),
        ("mov.u32 %0, %lanemask_ge;", "x = rewarp_warp32_lanemask_ge();"),
        ("mov.u32 %0, %warpid;", "x = rewarp_warp32_warp_id();"),
        ("activemask.b32 %0;", "x = rewarp_warp32_activemask();"),
    ],
)
def test_the_form_stands_beside_the_statement(asm: str, form: str) -> None:
    statement = f'  asm("{asm}" : "=r"(x));\n'
    after, fixes = fixed(function(statement))
    assert f"#if defined(__HIP_PLATFORM_AMD__)\n  {form}\n#else\n{statement}#endif\n  return x;" in after
    assert [(fix.safety, fix.how) for fix in fixes] == [(Safety.SAFE, f"for AMD, beside it: {form}")]
    assert fixed(after)[0] == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"#define LANE(x) {LANE}\n" + function("  LANE(x);\n"), "A macro cannot hold an #if"),
        (f"#define LANE(x) do {{ \\\n  {LANE} \\\n}} while (0)\n" + function("  LANE(x);\n"), "A macro cannot"),
        (function(f"  WITH(int, [&] {{ {LANE} }});\n"), "A macro cannot hold an #if"),
        (function('  asm("vote.sync.ballot.b32 %0, other, %1;" : "=r"(x) : "r"(m));\n'), "no form"),
        (function('  asm("shfl.sync.sideways.b32 %0, %1, 1;" : "=r"(x) : "r"(m));\n'), "no form"),
        (function('  asm("mov.u32 %0, %%nwarpid;" : "=r"(x));\n'), "slot"),
        (
            function('  asm("mov.u32 %0, %%smid;" : "=r"(m));\n', '  asm("mov.u32 %0, %%warpid;" : "=r"(x));\n'),
            "slot",
        ),
    ],
)
def test_what_has_no_gate_says_why(text: str, why: str) -> None:
    after, fixes = fixed(text)
    assert after == text
    assert fixes
    assert all(fix.safety is Safety.DISPLAY_ONLY and why in fix.how for fix in fixes)


def test_without_forms_nothing_is_written() -> None:
    document = CodeFile(SourceFile("kernel.cu", function(f"  {LANE}\n").encode()), Kind.CUDA)
    (only,) = plan([document]).files
    assert not only.edits
    assert [fix.safety for fix in only.left] == [Safety.DISPLAY_ONLY]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"if (m) {LANE} else x = 0;", "  if (m)\n#if {}\n    {};\n#else\n    {}\n#endif\n    else x = 0;"),
        (f"{LANE}  // own", "#if {}\n  {};\n#else\n  {}  // own\n#endif\n"),
        (f"{LANE} /* own\n */", "#if {}\n  {};\n#else\n  {}\n#endif\n  /* own\n */"),
    ],
)
def test_what_stands_on_the_same_line(before: str, after: str) -> None:
    text, _ = fixed(function(f"  {before}\n"))
    expected = after.replace("{}", "{0}", 1).replace("{};", "{1};").replace("{}", "{2}")
    assert expected.format("defined(__HIP_PLATFORM_AMD__)", "x = rewarp_warp32_lane_id()", LANE) in text


def test_statements_without_a_blank_between() -> None:
    text, _ = fixed(function(f"  {LANE}{LANE}\n"))
    assert text.count("#if defined(") == text.count("#endif") == text.count("asm(") == 2
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index(LANE) + 1] == "#endif"


def test_line_endings() -> None:
    text, _ = fixed(function(f"  {LANE}\n").replace("\n", "\r\n"))
    assert text.count("\n") == text.count("\r\n") == 9


def test_a_group_of_two_widths_keeps_its_statements() -> None:
    text = function(f"  {LANE}\n  x += hipcub::WarpReduce<int>(s).Sum(x);\n")
    assert LANE in fixed(text)[0]
    assert "#if" not in fixed(text)[0]


def test_names_are_those_of_both_headers() -> None:
    header = portable_header().decode()
    assert hip_form('asm("mov.u32 %0, %%warpid;" : "=r"(x))') == f"x = {WARP_ID}"
    for ours in OF_TRANSLATION.values():
        name = ours.replace("shfl_", "shfl_##").removeprefix("rewarp_waves::")
        assert f" {ours}(" in header or f" {name[: name.find('##') + 2]}" in header or f" {name}(" in header


# --- shuffles ---------------------------------------------------------------------------------

MODES = ("up", "down", "bfly", "idx")
OPERANDS = (0, 1, 5, 16, 31, 33)
CONTROLS = (0x1F, 0x0, 0x1C03, 0x181F, 0x100F)


def by_the_isa(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """The lane that is read and whether it is in range, as the PTX ISA writes it down for shfl."""
    b, last, segment = b & 31, c & 31, c >> 8 & 31
    most, least = (lane & segment) | (last & ~segment), lane & segment
    asked = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": least | (b & ~segment)}[mode]
    inside = asked >= most if mode == "up" else asked <= most
    return (asked if inside else lane), inside


@pytest.mark.parametrize("wave", [32, 64])
def test_shuffles_are_those_of_ptx(wave: int, tmp_path: Path) -> None:
    cases = [(mode, b, c) for mode in MODES for b in OPERANDS for c in CONTROLS]
    body = "".join(
        f"  out[{128 * at} + t] = rewarp_warp32_ptx_shfl_{mode}(t, {b}u, {c}u, in);\n  out[{128 * at + 64} + t] = in;\n"
        for at, (mode, b, c) in enumerate(cases)
    )
    text = f'#include "rewarp_waves.h"\n__global__ void k(int* out) {{\n  bool in;\n  const unsigned t = threadIdx.x;\n{body}}}\n'
    unit = LaneProgram("shuffles", text.encode(), Call("k", (Buffer("out", "int", 128 * len(cases)),), "1", "64"))
    include = f"-I{Path(waves.__file__).parent / 'support'}"
    done = Workshop(tmp_path).build([unit], Waves(Platform.AMD, wave), options=(include,)).run()["shuffles"]
    assert done.outcome is RunOutcome.OK, done
    expected: list[int] = []
    for case in cases:
        read = [by_the_isa(case[0], thread % 32, *case[1:]) for thread in range(64)]
        expected += [thread // 32 * 32 + lane for thread, (lane, _) in enumerate(read)]
        expected += [int(inside) for _, inside in read]
    assert list(done.outputs["out"]) == expected
