"""The machine level: what it finds to run, what it links, what it compares, and what it does not call passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.run import Limits
from rewarp.verify.machine import Wanted, list_programs, verify_machine
from rewarp.verify.machine.programs import find_programs, has_main
from rewarp.verify.model import Check, Outcome

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
        ("what program.cu prints as gfx942 code", Outcome.PASSED),
        ("program.cu as gfx1100 code on an emulator", Outcome.PASSED),
        ("what program.cu prints as gfx1100 code", Outcome.PASSED),
    ]
    assert evidence.details["programs"][0]["kernels"][0]["launches"] == 1
    assert sorted(file.name for file in tree.iterdir()) == [
        *("notes.cu", "program.cu", "program.out", "twice.cu", "twice.h", "unrelated.cu")
    ]


def test_other_numbers_fail_and_no_golden_output_is_not_passed(tree: Path) -> None:
    ran, compared = verify_machine(tree, Wanted()).checks
    assert (ran.outcome, compared.outcome) == (Outcome.PASSED, Outcome.NOT_CHECKED)
    (tree / "program.out").write_text("last 66.5000\n")
    ran, compared = verify_machine(tree, Wanted()).checks
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


def test_a_tree_without_programs_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text("__global__ void k() {}\n")
    (check,) = verify_machine(tmp_path, Wanted()).checks
    assert check.outcome is Outcome.NOT_CHECKED
