"""NVIDIA's compiler asked about a change: the same path, the same tokens, the same PTX; a unit that does not compile says nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.toolchain.nvcc import Nvcc, find_nvcc
from rewarp.verify.isolation.certificate import certify
from rewarp.verify.isolation.compiled import Compiled
from rewarp.verify.isolation.file_verdict import IsolationVerdict

KERNEL = """#include "helper.h"
namespace { __device__ float twice(float x) { return 2 * x; } }
__global__ void k(float *x, int n) {
  if (n < 0) __trap();
  x[threadIdx.x] = twice(x[0]) + LANES;
}
"""
HELPER = "#define LANES 32\n"


@pytest.fixture(scope="module")
def nvcc() -> Nvcc:
    try:
        return find_nvcc()
    except UsageError:
        pytest.skip("no nvcc: install rewarp[nvidia]")


def sides(root: Path, before: dict[str, str], after: dict[str, str]) -> tuple[Path, Path]:
    for name, files in (("before", before), ("after", after)):
        for path, text in files.items():
            file = root / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return root / "before", root / "after"


def compiled(
    nvcc: Nvcc, tmp_path: Path, before: dict[str, str], after: dict[str, str]
) -> tuple[Compiled, IsolationVerdict]:
    one, other = sides(tmp_path, before, after)
    found = certify(str(one), str(other), tmp_path, nvcc=nvcc)
    assert found.compiled is not None
    return found.compiled, found.verdict


BASE = {"k.cu": KERNEL, "helper.h": HELPER}


def test_a_gate_for_hip_leaves_the_tokens_as_they_are(nvcc: Nvcc, tmp_path: Path) -> None:
    helper = "#if defined(__HIP_PLATFORM_AMD__)\n#define LANES 64\n#else\n#define LANES 32\n#endif\n"
    found, verdict = compiled(nvcc, tmp_path, BASE, BASE | {"helper.h": helper})
    assert [(unit.source, unit.verdict) for unit in found.units] == [("k.cu", IsolationVerdict.IDENTICAL)]
    assert verdict is IsolationVerdict.IDENTICAL


def test_lines_that_move_are_no_difference(nvcc: Nvcc, tmp_path: Path) -> None:
    kernel = KERNEL.replace("if (n < 0) __trap();", "if (n < 0) __trap(), (void)__LINE__;")
    found, _ = compiled(nvcc, tmp_path, BASE | {"k.cu": kernel}, BASE | {"k.cu": "\n\n// moved\n" + kernel})
    assert found.verdict is IsolationVerdict.IDENTICAL
    assert "__LINE__" in found.normalised


def test_a_value_for_everyone_is_seen_in_the_units_that_include_it(nvcc: Nvcc, tmp_path: Path) -> None:
    other = {"other.cu": "__global__ void m() {}\n"}
    found, verdict = compiled(nvcc, tmp_path, BASE | other, BASE | other | {"helper.h": "#define LANES 64\n"})
    assert [(unit.source, unit.verdict) for unit in found.units] == [("k.cu", IsolationVerdict.DIFFERENT)]
    assert "'32" in found.units[0].why
    assert found.out_of_reach == 1
    assert verdict is IsolationVerdict.DIFFERENT


def test_a_macro_that_reading_cannot_decide_is_settled(nvcc: Nvcc, tmp_path: Path) -> None:
    helper = "#if __CUDACC_VER_MAJOR__ < 2\n#define LANES 64\n#else\n#define LANES 32\n#endif\n"
    one, other = sides(tmp_path, BASE, BASE | {"helper.h": helper})
    assert certify(str(one), str(other), tmp_path).verdict is not IsolationVerdict.IDENTICAL
    found = certify(str(one), str(other), tmp_path, nvcc=nvcc)
    assert found.verdict is IsolationVerdict.IDENTICAL
    assert "nvcc" in found.files[0].method


def test_what_does_not_compile_is_not_checked(nvcc: Nvcc, tmp_path: Path) -> None:
    broken = BASE | {"k.cu": '#include "not_here.h"\n' + KERNEL}
    found, verdict = compiled(nvcc, tmp_path, broken, broken | {"helper.h": HELPER + "// more\n"})
    assert [unit.verdict for unit in found.units] == [IsolationVerdict.UNPROVABLE]
    assert "not_here.h" in found.units[0].why
    assert verdict is IsolationVerdict.UNPROVABLE


def test_what_compiles_on_one_side_only_is_different(nvcc: Nvcc, tmp_path: Path) -> None:
    found, verdict = compiled(nvcc, tmp_path, BASE, BASE | {"k.cu": KERNEL.replace("twice(x[0])", "thrice(x[0])")})
    assert [unit.verdict for unit in found.units] == [IsolationVerdict.DIFFERENT]
    assert verdict is IsolationVerdict.DIFFERENT


def test_device_branches_count(nvcc: Nvcc, tmp_path: Path) -> None:
    kernel = KERNEL.replace("+ LANES", "\n#if __CUDA_ARCH__ >= 800\n + 1\n#endif\n")
    found, _ = compiled(nvcc, tmp_path, BASE | {"k.cu": kernel}, BASE | {"k.cu": kernel.replace("+ 1", "+ 2")})
    assert "for the device" in found.units[0].why
    assert "PTX differs" in found.units[0].why


def test_a_header_that_no_unit_reaches_is_not_identical_by_compiling(nvcc: Nvcc, tmp_path: Path) -> None:
    found, verdict = compiled(nvcc, tmp_path, BASE | {"lone.h": "int a;\n"}, BASE | {"lone.h": "int a; // b\n"})
    assert found.units == ()
    assert verdict is IsolationVerdict.UNPROVABLE


def test_the_command(nvcc: Nvcc, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = sides(tmp_path, BASE, BASE | {"helper.h": HELPER + "// more\n"})
    assert main(["verify", "isolation", str(one), str(other), "--compile", "-q"]) == 0
    assert "nvcc" in capsys.readouterr().out
    assert main(["verify", "isolation", str(one), str(other), "--compile", "-q", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["compiled"]["verdict"] == "proved identical"
