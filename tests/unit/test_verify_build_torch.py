"""Extensions of torch, checked with the headers that the installed torch brings."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from rewarp import toolchain as toolchains
from rewarp.cli import main
from rewarp.toolchain.torch_headers import TorchHeaders
from rewarp.verify.build import staging, verify_build
from rewarp.verify.checks import Check, Outcome

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
KERNEL = """#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
void run(float *x) {
  twice<<<1, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(x);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""
HIP = KERNEL.replace("c10/cuda/CUDA", "c10/hip/HIP")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    try:
        toolchains.find()
    except toolchains.UsageError:
        pytest.fail("no HIP compiler: the wheels of the extra `compile` are missing")


def verified(tmp_path: Path, text: str, name: str = "a.cu", *options: str) -> Check:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / name).write_text(text)
    return verify_build(folder, arches=["gfx942"], jobs=1, options=options).checks[0]


@needs_torch
@pytest.mark.parametrize(("name", "text"), [("a.cu", KERNEL), ("a.hip", HIP)])
def test_a_unit_is_compiled_with_torchs_headers(name: str, text: str, tmp_path: Path) -> None:
    check = verified(tmp_path, text, name)
    assert check.outcome is Outcome.PASSED
    assert "checked against the headers of torch" in check.why
    assert "c10/hip" in check.why
    assert check.evidence["torch"]


@needs_torch
def test_the_report_names_the_torch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    assert main(["verify", "build", str(tmp_path / "a.cu"), "--arch", "gfx942", "--jobs", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "the headers of torch" in said
    assert "its c10/hip and ATen/hip made of c10/cuda and ATen/cuda; nothing was run" in said


@needs_torch
def test_its_own_errors_fail_at_their_lines(tmp_path: Path) -> None:
    check = verified(tmp_path, KERNEL.replace("x[threadIdx.x] *= 2", "x[0] = nobody(x[1])"))
    assert (check.outcome, check.path, check.line) == (Outcome.FAILED, "a.cu", 3)
    assert "nobody" in check.why


@needs_torch
def test_hip_that_asks_for_cudas_headers_finds_none(tmp_path: Path) -> None:
    check = verified(tmp_path, f"#include <hip/hip_runtime.h>\n{KERNEL}", "a.hip")
    assert check.outcome is Outcome.NOT_CHECKED
    assert "cuda_runtime" in check.why


@needs_torch
def test_a_header_that_this_torch_does_not_bring(tmp_path: Path) -> None:
    check = verified(tmp_path, f"#include <THC/THC.h>\n{KERNEL}")
    assert check.outcome is Outcome.NOT_CHECKED
    assert "needs THC/THC.h, which torch " in check.why
    assert "does not bring" in check.why


@needs_torch
def test_an_older_standard_is_raised_and_told(tmp_path: Path) -> None:
    check = verified(tmp_path, KERNEL, "a.cu", "-std=c++14")
    assert check.outcome is Outcome.PASSED
    assert "-std=c++14 of its build is older than torch" in check.why


def test_without_torch_it_is_not_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "installed", lambda: None)
    check = verified(tmp_path, KERNEL)
    assert check.outcome is Outcome.NOT_CHECKED
    assert "which comes with PyTorch for ROCm" in check.why


def test_what_torchs_own_headers_mind_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    include = tmp_path / "torch/include"
    (include / "c10").mkdir(parents=True)
    (include / "c10/broken.h").write_text("nonsense;\n")
    monkeypatch.setattr(staging, "installed", lambda: TorchHeaders(include, "9.9", 17, None))
    check = verified(tmp_path, "#include <c10/broken.h>\n__global__ void k() {}\n")
    assert check.outcome is Outcome.NOT_CHECKED
    assert "not decided with the headers of torch 9.9" in check.why


@needs_torch
def test_torchs_builder_forbids_arithmetic_on_half(tmp_path: Path) -> None:
    # As it does on a card: -U__CUDA_NO_HALF_OPERATORS__ says nothing to AMD's compiler.
    text = KERNEL.replace(
        "__global__", "#include <cuda_fp16.h>\n__global__ void add(__half *x) { x[0] = x[1] + x[2]; }\n__global__", 1
    )
    assert verified(tmp_path, text).outcome is Outcome.FAILED
