"""The machine level: what it finds to run, what it links, what it compares, and what it does not call passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.run import Limits
from rewarp.verify.checks import Check, Outcome
from rewarp.verify.machine import Wanted, list_programs, verify_machine
from rewarp.verify.machine.programs import find_programs, has_main
from rewarp.verify.machine.said import own_failure

KERNEL = """
#include <cuda_runtime.h>
#include "twice.h"
__global__ void twice_kernel(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
cudaError_t twice(float *p, int n) { twice_kernel<<<(n + 63) / 64, 64>>>(p, n); return cudaGetLastError(); }
"""
MAIN = """
#include <cuda_runtime.h>
#include <cstdio>
#include "twice.h"
int main(int argc, char **argv) {
  float *p, host[100];
  for (int i = 0; i < 100; i++) host[i] = i / 3.0f;
  cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  if (twice(p, 100 + (argc > 1)) != cudaSuccess) return 3;
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  printf("last %.4f\\n", host[99]);
  return 0;
}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "twice.h").write_text("cudaError_t twice(float *p, int n);\n")
    (root / "twice.cu").write_text(KERNEL)
    (root / "program.cu").write_text(MAIN)
    (root / "unrelated.cu").write_text('#include "no_such_header.h"\n__global__ void other() {}\n')
    (root / "notes.cu").write_text('// int main() { }\nconst char *text = "int main() {";\n__global__ void k() {}\n')
    return root


def outcomes(checks: tuple[Check, ...]) -> list[tuple[str, Outcome]]:
    return [(check.what, check.outcome) for check in checks]


def test_programs_have_a_main_function_that_is_code(tree: Path) -> None:
    assert [program.path for program in find_programs(tree).programs] == ["program.cu"]
    assert not has_main(tree / "notes.cu")


def test_nothing_runs_unless_it_is_asked_for(tree: Path) -> None:
    (check,) = list_programs(tree).checks
    assert check.outcome is Outcome.NOT_CHECKED
    assert "program.cu" in check.what
    assert "rewarp verify machine" in check.why


def test_a_program_is_linked_with_the_sources_it_needs_and_compared(tree: Path) -> None:
    (tree / "program.out").write_text("last 66.0001\n")
    evidence = verify_machine(tree, Wanted(arches=("gfx942", "gfx1100")))
    assert outcomes(evidence.checks) == [
        ("program.cu as gfx942 code on an emulator", Outcome.PASSED),
        ("program.cu as gfx942 code in another order of its waves", Outcome.PASSED),
        ("what program.cu prints as gfx942 code", Outcome.PASSED),
        ("program.cu as gfx1100 code on an emulator", Outcome.PASSED),
        ("program.cu as gfx1100 code in another order of its waves", Outcome.PASSED),
        ("what program.cu prints as gfx1100 code", Outcome.PASSED),
    ]
    assert evidence.details["programs"][0]["kernels"][0]["launches"] == 1
    assert sorted(file.name for file in tree.iterdir()) == [
        *("notes.cu", "program.cu", "program.out", "twice.cu", "twice.h", "unrelated.cu")
    ]


def test_other_numbers_fail_and_no_golden_output_is_not_passed(tree: Path) -> None:
    ran, compared = verify_machine(tree, Wanted(orders=0)).checks
    assert (ran.outcome, compared.outcome) == (Outcome.PASSED, Outcome.NOT_CHECKED)
    (tree / "program.out").write_text("last 66.5000\n")
    ran, compared = verify_machine(tree, Wanted(orders=0)).checks
    assert (ran.outcome, compared.outcome) == (Outcome.PASSED, Outcome.FAILED)


def test_an_alarm_fails_with_its_line(tree: Path) -> None:
    checks = verify_machine(tree, Wanted(arguments=("beyond",))).checks
    failed = [check for check in checks if check.outcome is Outcome.FAILED]
    alarm = next(check for check in failed if check.line)
    assert (Path(alarm.path or "").name, alarm.line) == ("twice.cu", 4)


@pytest.mark.parametrize(
    ("main", "why"),
    [
        ("int main() { undefined_here(); }", "was not built"),
        ("__global__ void k() {}\nint main() { return 0; }", "launched no kernel"),
        ("#include <cuda_runtime.h>\n__global__ void k(volatile int *p) { while (*p == 0) {} }\n"
         "int main() { int *p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); }",
         ""),
    ],
)  # fmt: skip
def test_what_did_not_run_to_its_end_is_not_passed(tmp_path: Path, main: str, why: str) -> None:
    (tmp_path / "program.cu").write_text(main)
    checks = verify_machine(tmp_path, Wanted(limits=Limits(seconds=20.0), watch=False)).checks
    assert Outcome.PASSED not in {check.outcome for check in checks}
    assert why in checks[0].why


ENDS = """#include <cuda_runtime.h>
#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
__global__ void k(float *p) { p[0] = 1; }
int main() { float *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); %s }
"""
NO_ROOM = "rlimit most = {64 << 20, 64 << 20}; setrlimit(RLIMIT_DATA, &most);"


@pytest.mark.parametrize(
    ("end", "memory", "outcome", "why"),
    [
        ("raise(SIGKILL);", None, Outcome.NOT_CHECKED, "SIGKILL, from outside"),
        ("abort();", None, Outcome.FAILED, "SIGABRT"),
        ("return 3;", None, Outcome.FAILED, "exit status 3"),
        (f"{NO_ROOM} return cudaMalloc(&p, 1 << 30);", None, Outcome.NOT_CHECKED, "no memory left"),
        ("return cudaMalloc(&p, 1l << 30);", 512 << 20, Outcome.NOT_CHECKED, "--memory-limit"),
        ("return cudaMalloc(&p, 1l << 60);", None, Outcome.FAILED, "the card's memory"),
    ],
)
def test_what_others_ended_is_not_checked_and_what_it_did_itself_failed(
    tmp_path: Path, end: str, memory: int | None, outcome: Outcome, why: str
) -> None:
    (tmp_path / "program.cu").write_text(ENDS % end)
    check = verify_machine(tmp_path, Wanted(limits=Limits(600.0, memory), cores=1)).checks[0]
    assert (check.outcome, why in check.why) == (outcome, True), check.why


def test_a_tree_without_programs_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text("__global__ void k() {}\n")
    (check,) = verify_machine(tmp_path, Wanted()).checks
    assert check.outcome is Outcome.NOT_CHECKED


LAST = """#include <cuda_runtime.h>
#include <cstdio>
#include <unistd.h>
__global__ void last(int *p) { if (threadIdx.x == 0) %s; }
int main() {
  int *p, host = 0;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  last<<<8, 64>>>(p);
  cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost);
  %s
}
"""


def ordered(tmp_path: Path, kernel: str, main: str, orders: int = 1) -> list[Check]:
    (tmp_path / "program.cu").write_text(LAST % (kernel, main))
    checks = verify_machine(tmp_path, Wanted(orders=orders)).checks
    return [check for check in checks if "another order" in check.what]


def test_what_depends_on_the_order_of_waves_fails(tmp_path: Path) -> None:
    (check,) = ordered(tmp_path, "atomicExch(p, blockIdx.x)", 'printf("last %d\\n", host);')
    assert check.outcome is Outcome.FAILED
    assert "last" in check.why


def test_a_sum_does_not_depend_on_it(tmp_path: Path) -> None:
    (check,) = ordered(tmp_path, "atomicAdd(p, blockIdx.x)", 'printf("sum %d\\n", host);')
    assert check.outcome is Outcome.PASSED


def test_what_differs_every_time_says_nothing_about_orders(tmp_path: Path) -> None:
    (check,) = ordered(tmp_path, "atomicAdd(p, 1)", 'printf("process %d\\n", getpid());')
    assert check.outcome is Outcome.NOT_CHECKED
    assert "something else every time" in check.why


def test_without_orders_and_after_a_bad_end_there_is_no_other_order(tmp_path: Path) -> None:
    assert not ordered(tmp_path, "atomicAdd(p, 1)", "return 0;", orders=0)
    assert not ordered(tmp_path, "atomicAdd(p, 1)", "return 2;")


def test_a_program_that_says_it_failed_is_believed(tmp_path: Path) -> None:
    (tmp_path / "program.cu").write_text(LAST % ("atomicAdd(p, 1)", 'puts("Verification: FAILED");'))
    said = verify_machine(tmp_path, Wanted(orders=0)).checks[-1]
    assert (said.outcome, said.why) == (Outcome.FAILED, "it says itself: Verification: FAILED")
    # What was recorded decides: the original may say the same.
    (tmp_path / "program.out").write_text("Verification: FAILED\n")
    assert verify_machine(tmp_path, Wanted(orders=0)).checks[-1].outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ("FAIL", True),
        ("Test FAILED!", True),
        ("Result: FAIL", True),
        ("verification failed at 3", True),
        ("Results are incorrect", True),
        ("x FAILED (3 errors)", True),
        ("1 of 3 FAILED", True),
        ("PASS", False),
        ("0 failed", False),
        ("Failed: 0", False),
        ("FAILED = 0", False),
        ("failures = 0", False),
        ("PASS/FAIL criteria", False),
        ("No test failed", False),
        ("mismatches: 0", False),
        ("Fail-safe on", False),
        ("runs until the test is failed or passed", False),
    ],
)
def test_lines_that_say_so(line: str, failed: bool) -> None:
    assert bool(own_failure(f"begin\n{line}\nend\n".encode())) is failed
