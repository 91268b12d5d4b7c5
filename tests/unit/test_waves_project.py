"""What one header says about a warp's size decides in the files that use its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.project import facts as project_facts
from rewarp.registry import all_rules
from rewarp.source import SourceFile
from rewarp.targets import ROCM, ProjectFacts
from rewarp.translation.reported_rules import OF_HAZARDS
from rewarp.translation.translator import translate
from rewarp.workspace import find_files

COMMON = "#pragma once\n#define WARP_SIZE 32\nconstexpr unsigned FULL_MASK = 0xffffffffu;\n"
KERNEL = """\
#include "common.h"
__global__ void rows(int *x) {
  int lane = threadIdx.x % WARP_SIZE;
  x[lane] = __any_sync(FULL_MASK, x[lane]);
}
"""


def facts(root: Path, files: dict[str, str]) -> ProjectFacts:
    for path, text in files.items():
        (root / path).write_text(text)
    return project_facts.read(find_files(root).files, ROCM, 10**6)


def places(root: Path) -> dict[str, set[str]]:
    """The rules about waves that are loud, by file and line."""
    report = scan(root, config=Config(), use_cache=False)
    found: dict[str, set[str]] = {}
    for finding in report.result.findings:
        if finding.rule.startswith("WAV-") and finding.severity.value != "info":
            found.setdefault(f"{finding.path}:{finding.line}", set()).add(finding.rule)
    return found


def test_names_of_a_header_are_known_in_other_files(tmp_path: Path) -> None:
    known = facts(tmp_path, {"common.h": COMMON, "rows.cu": KERNEL})
    assert known.warp_widths == {"WARP_SIZE"}
    assert "FULL_MASK" in known.lane_masks
    assert places(tmp_path) == {
        "common.h:2": {"WAV-004"},
        "common.h:3": {"WAV-001"},
        "rows.cu:4": {"WAV-001"},
    }


@pytest.mark.parametrize(
    "other",
    [
        "#define WARP_SIZE warpSize\n",
        "#ifdef USE_ROCM\n#define WARP_SIZE 64\n#else\n#define WARP_SIZE 32\n#endif\n",
        "constexpr int WARP_SIZE = 64;\n",
    ],
)
def test_a_width_that_another_file_sets_otherwise_is_a_choice(tmp_path: Path, other: str) -> None:
    assert facts(tmp_path, {"common.h": COMMON, "amd.h": other, "rows.cu": KERNEL}).warp_widths == set()


def test_what_the_target_does_not_see_sets_nothing(tmp_path: Path) -> None:
    header = f"#ifndef __HIP_PLATFORM_AMD__\n{COMMON}#endif\n"
    known = facts(tmp_path, {"common.h": header, "rows.cu": KERNEL})
    assert known.warp_widths == known.lane_masks == set()


def test_constants_inside_functions_are_nobody_elses(tmp_path: Path) -> None:
    local = (
        "__device__ int f() { constexpr int warp_size = 32; const unsigned FULL_MASK = 0xffffffff; return warp_size; }"
    )
    known = facts(tmp_path, {"a.cu": local})
    assert known.warp_widths == known.lane_masks == set()


def test_without_gpu_code_a_warp_is_something_else(tmp_path: Path) -> None:
    assert facts(tmp_path, {"image.h": COMMON, "image.cpp": "int x = WARP_SIZE;\n"}).warp_widths == set()


def test_translation_names_the_rule_that_a_scan_would() -> None:
    lines = {
        "WAV-009": "__device__ int f(int v) { cub::WarpReduce<int> w; return w.Sum(v) + threadIdx.x % C10_WARP_SIZE; }",
        "WAV-003": "template <class... A> __device__ int f(int v) { cub::WarpReduce<A...> w; return w.Sum(v) + threadIdx.x % 32; }",
    }
    for rule, text in lines.items():
        problems = translate(SourceFile("a.cu", text.encode())).problems
        assert [problem.rule for problem in problems if problem.rule.startswith("WAV")] == [rule]
        assert all(problem.kind == "noted" for problem in problems if problem.rule == rule)
    assert set(OF_HAZARDS.values()) <= all_rules().keys()


ALIASES = """\
#include <hip/hip_runtime.h>
#define __any_sync(mask, value) __any(value)
"""
VOTES = """\
#ifdef USE_HIP
#include "aliases.h"
#endif
__global__ void any(int *x) {
#ifndef USE_HIP
  x[1] = __reduce_add_sync(0xffffffff, x[1]);
#endif
  x[0] = __any_sync(0xffffffff, x[0]);
  OTHER
}
"""


def test_what_an_alias_for_hip_drops_the_mask_of(tmp_path: Path) -> None:
    facts(tmp_path, {"aliases.h": ALIASES, "votes.cu": VOTES.replace("OTHER", "x[2] = __all_sync(0xffffffff, x[2]);")})
    assert places(tmp_path) == {"votes.cu:9": {"WAV-001"}}, "the one without an alias"


ROWS_OF_32 = """\
#include "common.h"
__global__ void sums(float *x) {
  float v = x[threadIdx.y * 32 + threadIdx.x];
  for (int i = 16; i > 0; i >>= 1) v += __shfl_xor_sync(MASK, v, i, WARP_SIZE);
  x[threadIdx.y] = v;
}
void run(float *x) {
  dim3 block(32, 8);
  sums<<<1, block>>>(x);
}
"""


def test_a_width_of_32_in_a_header_is_told_in_its_exchanges(tmp_path: Path) -> None:
    facts(tmp_path, {"common.h": "#pragma once\n#define WARP_SIZE 32\n", "sums.cu": ROWS_OF_32})
    assert not [
        place for place, rules in places(tmp_path).items() if place.startswith("sums.cu") and "WAV-007" in rules
    ]
    facts(
        tmp_path,
        {"common.h": "#pragma once\n#ifdef USE_ROCM\n#define WARP_SIZE 64\n#else\n#define WARP_SIZE 32\n#endif\n"},
    )
    assert places(tmp_path)
