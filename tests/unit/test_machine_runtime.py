"""Whole programs against the HIP runtime: what they check themselves, and what is said of what they do wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[1] / "machine" / "runtime"
ARCHES = ("gfx942", "gfx1100")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def rewarp(*arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewarp", *map(str, arguments)]
    environment = {**os.environ, **more}
    return subprocess.run(command, capture_output=True, text=True, timeout=900, env=environment, cwd=PROGRAMS)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", ["memory", "streams", "launches", "modules", "heap"])
def test_programs_that_check_the_runtime(name: str, arch: str) -> None:
    done = rewarp("run", f"{name}.hip", "--arch", arch, "--fast")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{name}: fine"), done.stdout


def test_what_a_library_computes_on_the_host_counts_as_written() -> None:
    done = rewarp("run", "blas.hip")
    assert (done.returncode, done.stdout) == (0, "blas: fine\n"), done.stderr
    assert "computed on the host: hipblasSgemm" in done.stderr


SOURCE = """
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstring>
__global__ void beyond(int *p, int n) { p[threadIdx.x + n] = 1; }
__global__ void wrong(int *p) { assert(p[threadIdx.x] == 1); }
__global__ void endless(volatile int *p) { while (*p == 0) {} }
__global__ void trap(int *p) { if (p[0] == 0) __builtin_trap(); }
int main(int argc, char **argv) {
  int *p;
  printf("before\\n");
  if (hipMalloc(&p, 256) != hipSuccess || hipMemset(p, 0, 256) != hipSuccess) return 3;
  if (!strcmp(argv[1], "beyond")) beyond<<<1, 64>>>(p, 1);
  if (!strcmp(argv[1], "wrong")) wrong<<<1, 64>>>(p);
  if (!strcmp(argv[1], "endless")) endless<<<1, 1>>>(p);
  if (!strcmp(argv[1], "trap")) trap<<<1, 1>>>(p);
  if (!strcmp(argv[1], "missing")) return hipIpcGetMemHandle(nullptr, p) == hipErrorNotSupported ? 0 : 4;
  if (!strcmp(argv[1], "limit")) {
    beyond<<<1, 63>>>(p, 1);
    beyond<<<1, 2000>>>(p, 1);
    return hipGetLastError() == hipErrorInvalidConfiguration ? 0 : 5;
  }
  printf("after\\n");
}
"""


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("faults") / "faults.hip"
    file.write_text(SOURCE)
    return file


def told(done: subprocess.CompletedProcess[str], file: Path) -> list[dict[str, object]]:
    (ran,) = json.loads(file.read_text())["runs"]
    return list(ran["alarms"])


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(
    ("fault", "words", "line"),
    [("beyond", "writes 4 bytes", 6), ("wrong", "an assertion failed", 7), ("trap", "trap", 9)],
)
def test_a_fault_ends_the_program_with_its_place(
    faults: Path, tmp_path: Path, fault: str, words: str, line: int, arch: str
) -> None:
    report = tmp_path / "report.json"
    done = rewarp("run", faults, "--arch", arch, "--fast", "--json", report, "--", fault)
    assert done.returncode == 1
    assert done.stdout == "before\n"
    (alarm,) = told(done, report)
    assert words in str(alarm["text"])
    assert alarm["line"] == line
    assert str(alarm["file"]).endswith("faults.hip")
    assert fault in str(alarm["kernel"])


def test_an_endless_kernel_is_stopped_by_the_limit(faults: Path) -> None:
    done = rewarp("run", faults, "--fast", "--time-limit", "5", "--", "endless")
    assert done.returncode == 3
    assert "time limit" in done.stderr


def test_a_function_that_is_not_made_is_named(faults: Path) -> None:
    done = rewarp("run", faults, "--fast", "--", "missing")
    assert done.returncode == 3
    assert "hipIpcGetMemHandle" in done.stderr


def test_a_limit_of_the_card_is_named(faults: Path) -> None:
    done = rewarp("run", faults, "--fast", "--", "limit")
    assert done.returncode == 0
    assert "asks for 2000 threads in a block; the card gives 1024" in done.stderr


def test_a_process_without_python_translates_and_keeps(faults: Path, tmp_path: Path) -> None:
    """The program alone, with the library path: its code is translated by a child once, then read from the cache."""
    kept = tmp_path / "kept"
    cache = {"REWARP_CACHE_DIR": str(tmp_path / "cache")}
    assert rewarp("run", faults, "--fast", "--keep", kept, "--", "limit", **cache).returncode == 0
    program = kept / "gfx942" / "program"
    plain = {"PATH": os.environ["PATH"]}
    broken = plain | {"REWARP_MACHINE_PYTHON": "/nowhere/python"}
    done = subprocess.run([program, "limit"], env=broken, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "before\n"), "nothing is translated twice"
    images = list((tmp_path / "cache").rglob("images/*"))
    assert images
    for image in images:
        image.unlink()
    done = subprocess.run([program, "limit"], env=broken, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "/nowhere/python" in done.stderr
    done = subprocess.run([program, "limit"], env=plain, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "before\n")
    for functions in (tmp_path / "cache").rglob("64/*.so"):
        if functions.name != "core.so":
            functions.unlink()
    done = subprocess.run([program, "limit"], env=plain, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "before\n"), "what an image needs is gone: it is made again"


WATCHED = """
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
__global__ void sum(const float *x, float *out, bool waits) {
  __shared__ float room[256];
  room[threadIdx.x] = x[threadIdx.x];
  for (int step = 128; step > 0; step /= 2) {
    if (waits) __syncthreads();
    if (threadIdx.x < step) room[threadIdx.x] += room[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *out = room[0];
}
__global__ void copy(const float *from, float *to) { to[threadIdx.x] = from[threadIdx.x]; }
int main(int, char **argv) {
  float *x, *out, *fresh, host[256], result;
  for (int i = 0; i < 256; i++) host[i] = i;
  cudaMalloc(&x, sizeof host); cudaMalloc(&out, sizeof host); cudaMalloc(&fresh, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  if (!strcmp(argv[1], "race")) sum<<<1, 256>>>(x, out, false);
  if (!strcmp(argv[1], "clean")) sum<<<1, 256>>>(x, out, true);
  if (!strcmp(argv[1], "fresh")) copy<<<1, 256>>>(fresh, out);
  if (!strcmp(argv[1], "copied")) { cudaMemcpy(fresh, x, 1024, cudaMemcpyDeviceToDevice); copy<<<1, 256>>>(fresh, out); }
  if (!strcmp(argv[1], "set")) { cudaMemset(fresh, 0, 1024); copy<<<1, 256>>>(fresh, out); }
  if (!strcmp(argv[1], "partly")) { cudaMemset(fresh, 0, 1020); copy<<<1, 256>>>(fresh, out); }
  if (!strcmp(argv[1], "moved")) { cudaMemcpy(x, fresh, 1024, cudaMemcpyDeviceToDevice); copy<<<1, 256>>>(x, out); }
  cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
}
"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("watched") / "watched.cu"
    file.write_text(WATCHED)
    return file


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(
    ("which", "alarms", "lines"),
    [
        ("race", {"lds-race"}, {10}),
        ("clean", set(), set()),
        ("fresh", {"unknown-store"}, {14}),
        ("copied", set(), set()),
        ("set", set(), set()),
        ("partly", {"unknown-store"}, {14}),
        ("moved", {"unknown-store"}, {14}),
    ],
)
def test_what_is_watched_is_told_with_its_line(
    watched: Path, tmp_path: Path, which: str, alarms: set[str], lines: set[int], arch: str
) -> None:
    report = tmp_path / "report.json"
    done = rewarp("run", watched, "--arch", arch, "--json", report, "--", which)
    found = told(done, report)
    assert {alarm["what"] for alarm in found} >= alarms, done.stderr
    assert bool(found) == bool(alarms), done.stderr
    both = [side for alarm in found if alarm["what"] in alarms for side in (alarm, alarm["other"] or {})]
    assert {side.get("line") for side in both} >= lines  # type: ignore[attr-defined]
    assert all(str(alarm["file"]).endswith("watched.cu") for alarm in found)
    assert done.returncode == (1 if alarms else 0)
    (ran,) = json.loads(report.read_text())["runs"]
    assert [(one["line"], one["path"]) for one in ran["findings"]] == [(one["line"], one["file"]) for one in found]
    assert all(one["rule"].startswith("RUN-") and one["message"] and one["fix"] for one in ran["findings"])


def test_numbers_that_are_none_are_not_finite_in_a_ballot(tmp_path: Path) -> None:
    """What a compiler made of HIP's own ballot was wrong, and only running it showed."""
    (tmp_path / "ballot.cu").write_text(
        "#include <cmath>\n#include <cstdio>\n"
        "__global__ void count(const float *x, int *found, int n) {\n"
        "  float value = threadIdx.x < n ? x[threadIdx.x] : NAN;\n"
        "  unsigned good = __ballot_sync(0xffffffff, isfinite(value));\n"
        "  if (threadIdx.x % 32 == 0) atomicAdd(found, __popc(good));\n}\n"
        "int main() {\n  float host[64], *x;\n  int found = 0, *p;\n"
        "  for (int i = 0; i < 64; i++) host[i] = i == 3 ? NAN : i == 5 ? INFINITY : i;\n"
        "  cudaMalloc(&x, 256); cudaMalloc(&p, 4); cudaMemset(p, 0, 4);\n"
        "  cudaMemcpy(x, host, 256, cudaMemcpyHostToDevice);\n  count<<<1, 64>>>(x, p, 50);\n"
        '  cudaMemcpy(&found, p, 4, cudaMemcpyDeviceToHost);\n  printf("%d\\n", found);\n}\n'
    )
    for arch in ARCHES:
        done = rewarp("run", tmp_path / "ballot.cu", "--arch", arch)
        assert (done.returncode, done.stdout) == (0, "48\n"), done.stderr
