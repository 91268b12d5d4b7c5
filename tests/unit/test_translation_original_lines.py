"""The way back: which line of the source a line of the translation was made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate

CASES = sorted((Path(__file__).parents[1] / "translation").glob("*.cu"))
ASSEMBLY = """__global__ void k(unsigned* x) {
  asm volatile("{ .reg .u32 t;"
               "mov.u32 t, %1;"
               "add.u32 %0, t, 1; }"
               : "=r"(x[0]) : "r"(x[1]));
  x[2] = __vadd2(x[3], x[4]);
}
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_line_that_stayed_as_it_was_leads_to_itself(case: Path) -> None:
    text = case.read_bytes().partition(b"// ---- HIP ----")[0]
    done = translate(SourceFile("x.cu", text))
    before, after = done.source.view.split(b"\n"), done.source.view
    for start, end, new in reversed(done.replacements):
        after = after[:start] + new + after[end:]
    moved = b"\n".join(new for _, _, new in done.replacements)
    last = 0
    for number, line in enumerate(after.split(b"\n"), 1):
        original = done.original_line(number)
        assert last <= original <= len(before)
        last = original
        if line.strip() and line not in moved and before.count(line) == 1 and after.split(b"\n").count(line) == 1:
            assert before[original - 1] == line


def test_code_that_became_shorter_or_longer() -> None:
    done = translate(SourceFile("x.cu", ASSEMBLY.encode()))
    lines = done.text.split("\n")
    first = next(number for number, line in enumerate(lines, 1) if "__vadd2" in line)
    assert done.original_line(first) == 6
    assert {done.original_line(number) for number, line in enumerate(lines, 1) if "asm" in line} <= {2}
    assert done.original_line(1) == 1
    assert done.original_line(len(lines) + 9) == 8
