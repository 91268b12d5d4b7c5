"""What the demo takes for a success: nothing failed, nothing left out but what PyTorch's headers are missing for."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = Path(__file__).parents[2] / "scripts" / "check_demo.py"
_FOUND = importlib.util.spec_from_file_location("check_demo", _SCRIPT)
assert _FOUND
assert _FOUND.loader
check_demo = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(check_demo)


def level(**binding: str) -> dict[str, Any]:
    """Evidence of one unit that passes, with the example's kernels, and of one that did as it is told."""
    other = {"what": "binding for gfx942", "outcome": "passed", "why": "", **binding}
    checks = [{"what": "kernels for gfx942", "outcome": "passed", "why": ""}, other]
    units = [{"arches": {"gfx942": {"outcome": check["outcome"]}}} for check in checks]
    kernels = [{"arches": {"gfx942": {}}} for _ in range(check_demo.KERNELS)]
    provenance = {"arches": ["gfx942"], "compilers": [{"clang": "clang 22", "kind": "wheels"}]}
    return {"checks": checks, "details": {"units": units, "kernels": kernels}, "provenance": provenance}


def run(launches: int = check_demo.LAUNCHES, why: str = f"exit status 2; it {check_demo.ON_NO_CARD}") -> dict[str, Any]:
    """The example's program, which ends at the launch that no AMD card can do."""
    checks = [{"what": "test_kernels.hip as gfx942 code on an emulator", "outcome": "failed", "why": why}]
    return {"checks": checks, "details": {"programs": [{"kernels": [{"launches": launches}]}]}}


def test_what_may_come_of_the_run() -> None:
    assert not check_demo.troubles_of_the_run(run())
    assert check_demo.troubles_of_the_run(run(launches=3))
    assert check_demo.troubles_of_the_run(run(why="exit status 1"))
    passed = run()
    passed["checks"][0]["outcome"] = "passed"
    assert check_demo.troubles_of_the_run(passed), "a card that does what no card does"


@pytest.mark.parametrize(
    ("outcome", "why", "code"),
    [
        ("passed", "", 0),
        ("not checked", "needs c10/hip/HIPGuard.h, which comes with PyTorch for ROCm: give its folder with -I", 0),
        ("not checked", "the compiler crashed: SIGSEGV", 1),
        ("not checked", "needs hipblas/hipblas.h: it is not here", 1),
        ("failed", "device code uses memcmp", 1),
    ],
)
def test_what_may_be(outcome: str, why: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, machine = tmp_path / "build.json", tmp_path / "machine.json"
    file.write_text(json.dumps({"levels": [level(outcome=outcome, why=why)]}))
    machine.write_text(json.dumps({"levels": [run()]}))
    assert check_demo.main(str(file), str(machine)) == code
    said = capsys.readouterr()
    assert said.out.startswith("2 units for 1 architectures by clang 22 (wheels): ")
    assert f"1 {outcome}" in said.out or outcome == "passed"
    assert ("binding for gfx942" in said.err) == (code == 1)


def test_a_kernel_that_got_lost_is_no_success() -> None:
    found = level()
    found["details"]["kernels"].pop()
    assert check_demo.troubles(found)
    found = level()
    found["provenance"]["arches"].append("gfx950")
    assert check_demo.troubles(found)


def test_the_example_has_that_many_kernels() -> None:
    sources = (_SCRIPT.parents[1] / "examples/nvidia_project").rglob("*.cu")
    assert sum(file.read_text().count("__global__") for file in sources) == check_demo.KERNELS
