"""Memory that a program must not rely on: beyond its end, freed, misaligned, never written. What a card forgives does not
end the run, and is told all the same."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SOURCE = """#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void moved(const int *x, int *y, int ahead) { y[threadIdx.x] = x[threadIdx.x + ahead]; }
__global__ void uniform(const int *x, int *y) { y[threadIdx.x] = *x; }
__global__ void quad(const int4 *x, int *y) { int4 q = x[threadIdx.x]; y[threadIdx.x] = q.x + q.y; }
__global__ void on_and_on(int *y) {
  for (long i = 0; i < 1l << 50; i++) y[threadIdx.x] = y[threadIdx.x] * 3 + i;
}
int main(int argc, char **argv) {
  int *x, *y, seen[100], size = 100 * sizeof(int);
  const char *what = argv[1];
  bool is_large = argc > 2;
  if (hipMalloc(&x, is_large ? 4 << 20 : size) || hipMalloc(&y, size) || hipMemset(y, 0, size)) return 2;
  for (int i = 0; i < 100; i++) seen[i] = i;
  if (strcmp(what, "fresh") && hipMemcpy(x, seen, size, hipMemcpyHostToDevice)) return 2;
  if (!strcmp(what, "freed") && hipFree(x)) return 2;
  if (!strcmp(what, "freed")) for (int i = 0; i < 20; i++) { void *p; if (hipMalloc(&p, is_large ? 4 << 20 : size)) return 2; }
  if (!strcmp(what, "one") || !strcmp(what, "fresh") || !strcmp(what, "freed")) moved<<<1, 100>>>(x, y, !strcmp(what, "one"));
  if (!strcmp(what, "full")) { (void)hipMalloc(&x, 1l << 60); moved<<<1, 100>>>(x, y, 0); }
  if (!strcmp(what, "right")) moved<<<1, 100>>>(x, y, 0);
  if (!strcmp(what, "before")) moved<<<1, 100>>>(x, y, -1);
  if (!strcmp(what, "far")) moved<<<1, 100>>>(x, y, 1 << 24);
  if (!strcmp(what, "zero")) moved<<<1, 100>>>((int *)16, y, 0);
  if (!strcmp(what, "uniform")) uniform<<<1, 100>>>(x + 100, y);
  if (!strcmp(what, "odd")) uniform<<<1, 100>>>((int *)((char *)(x + 7) + 2), y);
  if (!strcmp(what, "across")) quad<<<1, 25>>>((int4 *)(x + 2), y);
  if (!strcmp(what, "long")) moved<<<1, 100>>>(x, y, 1), on_and_on<<<1, 100>>>(y);
  if (hipMemcpy(seen, y, size, hipMemcpyDeviceToHost)) return 2;
  printf("%d %d %d\\n", seen[0], seen[24], seen[98]);
}
"""


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "memory.hip").write_text(SOURCE)
    command = ["run", "memory.hip", "--arch", request.param, "--keep", "kept", "--", "right"]
    subprocess.run([sys.executable, "-m", "rewarp", *command], cwd=folder, check=True, capture_output=True)
    return folder / "kept" / request.param / "program", request.param


def ran(
    program: tuple[Path, str], *words: str, fast: bool = False, before: Callable[[], None] | None = None
) -> tuple[str, int, list[dict[str, Any]]]:
    file, arch = program
    report = file.with_name("report.json")
    options = ["--arch", arch, "--json", str(report), *(["--fast"] if fast else [])]
    command = [sys.executable, "-m", "rewarp", "run", str(file), *options, "--", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, preexec_fn=before)
    (run,) = json.loads(report.read_text())["runs"]
    assert done.returncode == (1 if run["alarms"] else 0), done.stderr
    return done.stdout, run["exit_status"], run["alarms"]


def kinds(alarms: list[dict[str, Any]]) -> list[str]:
    return [alarm["what"] for alarm in alarms]


def test_a_read_in_the_last_block_is_told_and_the_program_goes_on(program: tuple[Path, str]) -> None:
    output, status, alarms = ran(program, "one")
    assert (output, status) == ("1 25 99\n", 0)
    assert kinds(alarms) == ["beyond-end", "unknown-store"]
    assert "(4 bytes at 400 of allocation 1 (hipMalloc of 400 bytes))" in alarms[0]["text"]
    assert (alarms[0]["line"], alarms[0]["count"]) == (5, 1)


def test_it_is_told_also_where_nobody_watches(program: tuple[Path, str]) -> None:
    output, status, alarms = ran(program, "one", fast=True)
    assert (output, status, kinds(alarms)) == ("1 25 99\n", 0, ["beyond-end"])


def test_one_value_for_all_lanes(program: tuple[Path, str]) -> None:
    _, status, alarms = ran(program, "uniform")
    assert (status, kinds(alarms)) == (0, ["beyond-end", "unknown-store"])


def test_what_lies_before_the_end_is_read_as_it_is(program: tuple[Path, str]) -> None:
    """Two of four words are beyond it, and those that are used are not: the read is told, the result is whole."""
    output, status, alarms = ran(program, "across")
    assert (output.split()[:2], status) == (["5", str(98 + 99)], 0)
    assert set(kinds(alarms)) <= {"beyond-end"}


@pytest.mark.parametrize("what", ["before", "far", "zero", "full"])
@pytest.mark.parametrize("fast", [False, True])
def test_where_a_card_faults_the_program_ends(program: tuple[Path, str], what: str, fast: bool) -> None:
    output, status, alarms = ran(program, what, fast=fast)
    assert (output, status) == ("", 134)
    assert "out-of-bounds" in kinds(alarms)
    report = json.loads(program[0].with_name("report.json").read_text())
    limits = report["runs"][0]["limits"]
    assert [text.partition(":")[0] for text in limits] == ([f"hipMalloc of {1 << 60} bytes"] if what == "full" else [])


@pytest.mark.parametrize("large", [(), ("large",)])
def test_freed_memory_is_named_and_nothing_else_lies_there(program: tuple[Path, str], large: tuple[str, ...]) -> None:
    output, status, alarms = ran(program, "freed", *large)
    assert (output, status, kinds(alarms)) == ("", 134, ["out-of-bounds"])
    size = 4 << 20 if large else 400
    expected = f"inside allocation 1 (hipMalloc of {size} bytes), which hipFree freed when 0 kernels had been launched"
    assert alarms[0]["text"].endswith(expected)


def test_memory_that_nobody_wrote_reaches_what_others_see(program: tuple[Path, str]) -> None:
    output, status, alarms = ran(program, "fresh")
    assert (output, status, kinds(alarms)) == ("0 0 0\n", 0, ["unknown-store"])
    assert alarms[0]["count"] == 100


def test_an_address_whose_last_bits_are_left_out(program: tuple[Path, str]) -> None:
    """One value for all lanes comes through scalar loads, which know no bytes: what is read is not what was asked for."""
    output, status, alarms = ran(program, "odd")
    assert (output, status, kinds(alarms)) == ("7 7 7\n", 0, ["misaligned"])
    assert "(4 bytes at 30 of allocation 1 (hipMalloc of 400 bytes))" in alarms[0]["text"]


def test_code_for_another_card_is_no_run(program: tuple[Path, str]) -> None:
    """The program goes on without its kernels, if it looks at no error: that is not a run."""
    file, arch = program
    other = "gfx1100" if arch == "gfx942" else "gfx942"
    command = [sys.executable, "-m", "rewarp", "run", str(file), "--arch", other, "--", "right"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 3
    assert f"the program's code for {other} cannot be read, or it has none" in done.stderr


def test_a_limit_of_the_processors_time_leaves_what_was_seen(program: tuple[Path, str]) -> None:
    _, status, alarms = ran(program, "long", before=lambda: resource.setrlimit(resource.RLIMIT_CPU, (8, 20)))
    assert (status, kinds(alarms)[0]) == (-signal.SIGXCPU, "beyond-end")
