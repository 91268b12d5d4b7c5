"""What is seen while a program runs reaches its report: with the lines of the CUDA source, also where it was translated."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rewarp.report.documents.schemas import SCHEMAS

SCHEMA = json.loads((SCHEMAS / "run-1.json").read_text("utf-8"))
SUM = """#include <cstdio>
__global__ void sum(const float *x, float *y) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[t];
  for (int half = 128; half > 0; half /= 2) {
    BARRIER
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) *y = part[0] + 0 * __shfl_sync(0xffffffff, x[t], 0);
}
int main() {
  float *x, *y;
  cudaMallocManaged(&x, 256 * sizeof(float));
  cudaMallocManaged(&y, sizeof(float));
  for (int i = 0; i < 256; i++) x[i] = 1;
  sum<<<1, 256>>>(x, y);
  cudaDeviceSynchronize();
  printf("%.0f\\n", *y);
}
"""


def ran(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    command = [sys.executable, "-m", "rewarp", "run", "sum.cu", "--json", "report.json", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    report = json.loads((folder / "report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    return done, report


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_a_race_is_told_with_both_of_its_lines(tmp_path: Path, arch: str) -> None:
    (tmp_path / "sum.cu").write_text(SUM.replace("BARRIER", ""))
    done, report = ran(tmp_path, "--arch", arch)
    assert done.returncode == 1, done.stderr
    assert report["exit_code"] == 1
    races = [alarm for alarm in report["runs"][0]["alarms"] if "race" in alarm["what"]]
    assert races
    assert {Path(race["file"]).name for race in races} == {"sum.cu"}
    lines = {line for race in races for line in (race["line"], race["other"]["line"])}
    assert lines <= {5, 8, 10}
    assert {5, 8} <= lines
    assert "sum.cu:5: alarm" in done.stderr


def test_the_same_with_its_barrier_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "sum.cu").write_text(SUM.replace("BARRIER", "__syncthreads();"))
    done, report = ran(tmp_path, "--orders", "2")
    assert (done.stdout, done.returncode) == ("256\n", 0), done.stderr
    assert [(run["order"], run["alarms"]) for run in report["runs"]] == [(None, []), (1, []), (2, [])]
    assert "the same output in 3 runs" in done.stderr


BESIDE = """#include <cstdio>
__device__ int first[64], second[64];
__global__ void last(int *out) {
  first[threadIdx.x] = threadIdx.x;
  second[3] = blockIdx.x / 2;
  if (threadIdx.x == 0) out[blockIdx.x] = first[0];
}
int main() {
  int *out;
  int zeros[64] = {};
  cudaMemcpyToSymbol(first, zeros, sizeof zeros);
  cudaMemcpyToSymbol(second, zeros, sizeof zeros);
  cudaMalloc(&out, 4 * sizeof(int));
  last<<<4, 64>>>(out);
  cudaDeviceSynchronize();
}
"""


def test_a_race_names_the_variable_and_what_stores_of_the_same_value_did(tmp_path: Path) -> None:
    (tmp_path / "sum.cu").write_text(BESIDE)
    _, report = ran(tmp_path)
    races = [alarm for alarm in report["runs"][0]["alarms"] if "race" in alarm["what"] and alarm["line"] == 5]
    assert races
    for race in races:
        assert "4 bytes at 12 of second (256 bytes)" in race["text"], race["text"]
        assert "store" in race["other"]["instruction"]
        assert race["other"]["does"] == "wrote"
