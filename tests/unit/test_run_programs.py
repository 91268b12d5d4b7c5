"""Whole programs, from a source to its output: translated, compiled, linked and run as AMD machine code."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from rewarp.report.documents.schemas import SCHEMAS
from rewarp.run.results import NotBuilt, Request, Step
from rewarp.run.verb import run_program

SCHEMA = json.loads((SCHEMAS / "run-1.json").read_text("utf-8"))
SAXPY = """#include <cstdio>
#include <cstdlib>
#include "axpy.cuh"
int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; i++) { x[i] = i; y[i] = 1; }
  axpy<<<(n + 127) / 128, 128>>>(n, 2.0f, x, y);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i];
  printf("%s: %.0f\\n", __FILE__, sum);
  return argc > 2 ? atoi(argv[2]) : 0;
}
"""
# Without an include of the runtime: nvcc needs none.
AXPY = """__global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""


def rewarp(*words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewarp", "run", "--fast", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("saxpy")
    (folder / "saxpy.cu").write_text(SAXPY)
    (folder / "axpy.cuh").write_text(AXPY)
    return folder, rewarp("saxpy.cu", "--keep", "kept", "--json", "report.json", "--", "2000", "0", folder=folder)


def test_cuda_runs_as_amd_code(built: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = built
    assert done.stdout == f"{folder}/saxpy.cu: {2 * 1999 * 1000 + 2000}\n", done.stderr
    assert done.returncode == 0
    assert "ran as gfx942 code on an emulator: 1 kernel, 1 launch;" in done.stderr
    assert "MI300" not in done.stderr
    report = json.loads((folder / "report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    (run,) = report["runs"]
    assert (run["arch"], run["exit_status"], run["complete"], report["watched"]) == ("gfx942", 0, True, False)
    assert [(kernel["launches"], kernel["waves"]) for kernel in run["kernels"]] == [(1, 32)]
    assert sorted(file.name for file in folder.iterdir()) == ["axpy.cuh", "kept", "report.json", "saxpy.cu"]


def test_a_program_that_is_there_already(built: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = built
    done = rewarp(folder / "kept/gfx942/program", "--", "1000", "5", folder=folder)
    assert done.stdout.endswith(f"saxpy.cu: {2 * 999 * 500 + 1000}\n")
    assert done.returncode == 1
    assert "exit status 5" in done.stderr


@pytest.mark.parametrize("relocatable", [(), ("--option=-fgpu-rdc",)])
def test_device_functions_and_variables_across_files(tmp_path: Path, relocatable: tuple[str, ...]) -> None:
    """Also where nobody said so: what one file leaves open and another defines is linked."""
    (tmp_path / "square.hip").write_text(
        "#include <hip/hip_runtime.h>\n__device__ int calls;\n"
        "__device__ int square(int x) { atomicAdd(&calls, 1); return x * x; }\n"
    )
    (tmp_path / "main.hip").write_text(
        """#include <hip/hip_runtime.h>
#include <cstdio>
extern __device__ int calls;
__device__ int square(int);
extern "C" int halved(int);
static __global__ void squares(int *x) { x[threadIdx.x] = square(threadIdx.x); }
int main() {
  int *x, host[64], count = 0;
  (void)hipMalloc(&x, sizeof host);
  squares<<<1, 64>>>(x);
  (void)hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
  (void)hipMemcpyFromSymbol(&count, HIP_SYMBOL(calls), sizeof count);
  printf("%d %d %d\\n", host[9], count, halved(host[63]));
}
"""
    )
    (tmp_path / "halved.c").write_text("int halved(int new) { return new / 2; }\n")
    done = rewarp("main.hip", "square.hip", "halved.c", "-std=c++17", *relocatable, folder=tmp_path)
    assert (done.stdout, done.returncode) == ("81 64 1984\n", 0), done.stderr


def test_both_wave_widths(tmp_path: Path) -> None:
    (tmp_path / "width.hip").write_text(
        """#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void width(int *x) { if (threadIdx.x == 0) *x = warpSize; }
int main() {
  int *x, host;
  (void)hipMalloc(&x, 4);
  width<<<1, 64>>>(x);
  (void)hipMemcpy(&host, x, 4, hipMemcpyDeviceToHost);
  printf("begin\\n%d lanes\\n", host);
}
"""
    )
    done = rewarp("--compare", "gfx942,gfx1100", "width.hip", "--json", "-", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    (difference,) = report["differences"]
    assert (difference["first"], difference["second"]) == ("gfx942", "gfx1100")
    assert difference["words"].endswith("line 2: `32 lanes`, and in the first run `64 lanes`")
    assert "begin\n64 lanes\n" in done.stderr


def test_host_code_wraps_as_kernels_do(tmp_path: Path) -> None:
    """Optimised without that, the check finds a difference at 65536."""
    (tmp_path / "a.cpp").write_text(
        """#include <cstdio>
int main() {
  const int n = 1 << 17;
  int *squares = new int[n];
  for (unsigned i = 0; i < n; i++) squares[i] = i * i;
  for (int i = 0; i < n; i++)
    if (squares[i] != i * i) { printf("%d differs\\n", i); return 1; }
  printf("all the same\\n");
}
"""
    )
    assert rewarp("a.cpp", folder=tmp_path).stdout == "all the same\n"


def test_what_does_not_build_is_said_with_its_step_and_place(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"

    def failure(text: str) -> NotBuilt:
        source.write_text(text)
        with pytest.raises(NotBuilt) as caught:
            run_program(Request((source,), watch=False))
        return caught.value

    shuffles = "__global__ void k(int *x) { *x = __shfl_down_sync(0xffffffff, *x, 1); }\n"
    error = failure(f"#include <cuda_runtime.h>\n{shuffles}int main() {{ cudaNope(); cudaFree(0); }}\n")
    assert (error.diagnostics[0].file, error.diagnostics[0].line) == (str(source), 3)
    assert [finding.symbol for finding in error.findings] == ["cudaNope"]
    error = failure("#include <cuda_runtime.h>\nint later(int);\nint main() { cudaFree(0); return later(1); }\n")
    assert (error.step, error.reason) == (Step.LINK, "nothing defines later(int)")
    error = failure("#include <cuda_runtime.h>\n__device__ int f(int);\n__global__ void k(int *x) { *x = f(*x); }\nint main() { cudaFree(0); }\n")  # fmt: skip
    assert error.step is Step.DEVICE
    assert "nothing defines" in error.reason


def test_functions_that_the_runtime_lacks_end_the_program_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        """#include <cstdio>
extern "C" int hipOfNextYear(int);
int main(int argc, char **) { printf("before\\n"); return argc > 1 ? hipOfNextYear(1) : 0; }
"""
    )
    done = rewarp("a.cpp", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "before\n"), done.stderr
    assert "no kernel ran" in done.stderr
    done = rewarp("a.cpp", "--", "x", folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, "before\n")
    assert "not in the runtime: hipOfNextYear" in done.stderr


def test_a_program_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include <stdio.h>\nint main(void) { puts("on"); fflush(stdout); for (;;); }\n')
    done = rewarp("a.c", "--time-limit", "2", folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, "on\n")
    assert "stopped by the time limit" in done.stderr


def test_ctrl_c_ends_it_with_what_was_seen(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include <stdio.h>\nint main(void) { puts("on"); fflush(stdout); for (;;); }\n')
    command = [sys.executable, "-m", "rewarp", "run", "--fast", "a.c"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "on\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
    assert process.returncode == 3
    assert "interrupted" in said
    assert "Traceback" not in said


def test_a_program_goes_with_whoever_ran_it(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("%d\\n", getpid()); fflush(stdout); for (;;); }\n'
    )
    command = [sys.executable, "-m", "rewarp", "run", "--fast", "a.c"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        program = int(process.stdout.readline())
        process.kill()
        assert process.stdout.read() == "", "nobody holds the pipe any more"
    assert not Path(f"/proc/{program}/cmdline").exists() or Path(f"/proc/{program}/cmdline").read_bytes() == b""
