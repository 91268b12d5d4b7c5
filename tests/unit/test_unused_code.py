"""C++ that no compiler comes to: templates, functions and macros that nothing names."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.findings import Severity
from rewarp.project.unused_code import UnusedCode
from rewarp.workspace import Folder

TEMPLATE = """template <typename T>
__device__ T sum(T x) {
  return x + __shfl_down_sync(0xffffffff, x, 16);
}
"""
PLAIN = """__device__ float sum(float x) {
  return x + __shfl_down_sync(0xffffffff, x, 16);
}
"""
MACRO = """#define SUM(x) \\
  x += __shfl_down_sync(0xffffffff, x, 16);
"""
KERNEL = '#include "a.cuh"\n__global__ void k(float* x) { x[0] = sum<float>(x[0]); }\n'
OUTER = "template <typename T>\n__device__ T twice(T x) {\n  return sum<T>(x) * 2;\n}\n"


def _around(folder: Path, files: dict[str, str], *, runs: bool = False) -> str | None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    at = (files["a.cuh"]).index("0xffffffff")
    return UnusedCode(Folder(folder, everything=True)).around("a.cuh", at, runs=runs)


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"a.cuh": TEMPLATE}, "sum"),
        ({"a.cuh": TEMPLATE + OUTER}, "sum"),
        ({"a.cuh": TEMPLATE, "b.cu": "// sum<float>(x)\n"}, "sum"),
        ({"a.cuh": TEMPLATE, "b.cu": TEMPLATE + KERNEL.partition("\n")[2]}, "sum"),
        ({"a.cuh": MACRO}, "SUM"),
        ({"a.cuh": MACRO + "template <class T> __device__ void f(T x) { SUM(x) }\n"}, "SUM"),
    ],
)
def test_what_nothing_uses(tmp_path: Path, files: dict[str, str], name: str) -> None:
    assert _around(tmp_path, files) == name


@pytest.mark.parametrize(
    "files",
    [
        {"a.cuh": PLAIN},
        {"a.cuh": TEMPLATE, "b.cu": KERNEL},
        {"a.cuh": TEMPLATE, "b.cu": "template <>\n__device__ float other(float x) { return sum(x); }\n"},
        {"a.cuh": TEMPLATE + "template __device__ float sum<float>(float);\n"},
        {"a.cuh": TEMPLATE + OUTER, "b.cu": "__global__ void k(float* x) { x[0] = twice(x[0]); }\n"},
        {"a.cuh": TEMPLATE, "b.cu": TEMPLATE.replace("16", "8") + KERNEL},
        {"a.cuh": TEMPLATE, "load.py": 'module.get_function("sum<float>")\n'},
        {"a.cuh": MACRO, "b.cu": "__global__ void k(float x) { SUM(x) }\n"},
    ],
)
def test_what_something_may_use(tmp_path: Path, files: dict[str, str]) -> None:
    assert _around(tmp_path, files) is None


def test_a_function_that_nothing_calls_does_not_run(tmp_path: Path) -> None:
    assert _around(tmp_path, {"a.cuh": PLAIN}, runs=True) == "sum"
    assert _around(tmp_path, {"a.cuh": PLAIN, "b.cu": KERNEL}, runs=True) is None


@pytest.mark.parametrize(("files", "severity"), [({}, Severity.INFO), ({"b.cu": KERNEL}, Severity.BUILD)])
def test_a_hazard_of_lanes_that_nobody_compiles_informs(
    tmp_path: Path, files: dict[str, str], severity: Severity
) -> None:
    for path, text in {"a.cuh": TEMPLATE, **files}.items():
        (tmp_path / path).write_text(text)
    found = {f.severity for f in scan(tmp_path, use_cache=False).findings if f.rule == "WAV-001"}
    assert found == {severity}
