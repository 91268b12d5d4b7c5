"""A build for AMD beside NVIDIA's own: what it reads in place of what, and what it puts before its sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp import api
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.verdict.answer import Standing

KERNEL = """\
__global__ void k(float *p) { p[threadIdx.x] = 1; }
int main() { float *p; cudaMalloc(&p, 400); k<<<1, 100>>>(p); return 0; }
"""
ALIASES = """\
#if defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#endif
"""
MAKE = "main: main.cu\n\tnvcc -arch=sm_80 -o main main.cu\n"
ROCM = "main: main.cu\n\thipcc -Ihip {} -o main main.cu\n"
CMAKE = """\
project(m LANGUAGES CXX)
option(USE_HIP "AMD" OFF)
if(USE_HIP)
  enable_language(HIP)
  add_compile_options("SHELL:-include \\"${CMAKE_CURRENT_SOURCE_DIR}/hip/aliases.h\\"")
  set_source_files_properties(main.cu PROPERTIES LANGUAGE HIP)
else()
  enable_language(CUDA)
endif()
add_executable(m main.cu)
"""


def stopping(folder: Path, files: dict[str, str]) -> list[str]:
    """The files with findings that count and stop the project."""
    for name, text in {"main.cu": KERNEL, "hip/aliases.h": ALIASES, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    report = api.scan(folder, config=Config(target="rocm"))
    return sorted(
        {
            finding.path
            for finding in report.findings
            if finding.severity.rank >= Severity.BUILD.rank and report.standing(finding) is Standing.COUNTS
        }
    )


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"Makefile": MAKE}, ["Makefile", "main.cu"]),
        ({"Makefile": MAKE, "Makefile.rocm": ROCM.format("-include aliases.h")}, []),
        ({"Makefile": MAKE, "Makefile.rocm": ROCM.format("-include hip/aliases.h")}, []),
        ({"Makefile": MAKE, "Makefile.rocm": ROCM.format("")}, ["main.cu"]),
        ({"Makefile": MAKE, "Makefile.rocm": ROCM.format("-include others.h")}, ["main.cu"]),
        (
            {"Makefile": MAKE, "Makefile.rocm": ROCM.format("-include aliases.h -arch=sm_80")},
            ["Makefile"],
        ),
        ({"Makefile": MAKE, "Makefile.rocm": "clean:\n\trm -f main\n"}, ["Makefile", "main.cu"]),
        ({"CMakeLists.txt": CMAKE}, []),
        ({"CMakeLists.txt": CMAKE.replace("/hip/aliases.h", "/others.h")}, ["main.cu"]),
    ],
    ids=[
        "none",
        "whole",
        "by_path",
        "no_aliases",
        "another_header",
        "nvccs_options",
        "compiles_nothing",
        "cmake",
        "cmake_other",
    ],
)
def test_what_amds_own_build_reads_counts(tmp_path: Path, files: dict[str, str], left: list[str]) -> None:
    assert stopping(tmp_path, files) == left


def test_a_source_that_is_also_compiled_without_the_header_is_told(tmp_path: Path) -> None:
    twice = ROCM.format("-include aliases.h") + "\nplain: main.cu\n\thipcc -o plain main.cu\n"
    assert stopping(tmp_path, {"Makefile": MAKE, "Makefile.rocm": twice}) == ["main.cu"]


def test_the_answer_is_kept_with_the_project(tmp_path: Path) -> None:
    """The second scan takes what the first found out of the cache."""
    files = {"Makefile": MAKE, "Makefile.rocm": ROCM.format("-include aliases.h")}
    assert stopping(tmp_path, files) == stopping(tmp_path, files) == []
