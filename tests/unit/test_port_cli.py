"""``rewarp port``, run as a person runs it: on a project with a CUDA kernel, a Makefile and Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from port_trees import contents, git, plain, repository

from rewarp.cli import main

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "port-1.json").read_text("utf-8"))
KERNEL = b"""#include <cuda_runtime.h>
#include "warp.cuh"
__global__ void k(float *x) { x[threadIdx.x] = warp_sum(x[threadIdx.x]); }
int run(float *x) { k<<<1, 64>>>(x); return cudaDeviceSynchronize(); }
"""
WARP = b"""#pragma once
__device__ inline float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffff, v, offset);
  return v;
}
"""
PROJECT = {
    "kernels/k.cu": KERNEL,
    "kernels/warp.cuh": WARP,
    "README.md": b"# p\n",
}
CLEAN = {"pkg/__init__.py": b"", "pkg/a.py": b"import torch\nx = torch.zeros(1)\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "r", PROJECT)


def run(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str | Path) -> tuple[int, bytes, bytes]:
    beside = (
        () if {"--undo", "gaudi"}.intersection(map(str, arguments)) else ("--sources", "beside")
    )  # no build takes them
    code = main(["port", *map(str, arguments), *beside, "--jobs", "1", "--no-cache"])
    out, err = capfdbinary.readouterr()
    return code, out, err


def test_patch_on_standard_output_applies(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = contents(repo)
    code, patch, said = run(capfdbinary, repo, "--skip", "4")
    assert code == 0, said.decode()
    assert contents(repo) == before
    assert b"NVIDIA: proved identical" in said
    git(repo, "apply", "-", stdin=patch)
    assert (repo / "kernels/k.cu").read_bytes() == KERNEL
    hip = (repo / "kernels/k.hip").read_bytes()
    assert b"hipDeviceSynchronize" in hip
    assert b"warp_hip.cuh" in hip, "the header that is right for AMD, not NVIDIA's"
    assert (repo / "kernels/warp.cuh").read_bytes() == WARP
    assert b"rewarp_warp32_shfl_xor" in (repo / "kernels/warp_hip.cuh").read_bytes()
    git(repo, "add", "-A")
    code, patch, said = run(capfdbinary, repo, "--skip", "4")
    assert patch == b"", "a second port changes nothing"


def test_in_place_twice_then_undo(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = contents(repo)
    run(capfdbinary, repo, "--in-place")
    ported = contents(repo)
    assert ported.keys() > before.keys()
    _, out, _ = run(capfdbinary, repo, "--in-place")
    assert contents(repo) == ported
    assert b"nothing to change" in out
    assert b"proved identical" in out, "the proof still covers the first run"
    code, out, _ = run(capfdbinary, repo, "--undo")
    assert code == 0
    assert contents(repo) == before
    code, _, err = run(capfdbinary, repo, "--undo")
    assert code == 2
    assert b"no port made in place" in err


def test_phases_one_by_one_make_the_whole_port(
    repo: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    whole = repository(tmp_path / "whole", PROJECT)
    run(capfdbinary, whole, "--in-place", "--skip", "verification")
    for phase in range(8):
        run(capfdbinary, repo, "--in-place", "--phase", str(phase))
    assert contents(repo) == contents(whole)


def test_reports(repo: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    _, out, _ = run(capfdbinary, repo, "--json", "-o", tmp_path / "p.patch", "--pr-body", tmp_path / "pr.md")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert document["way"] == "patch"
    assert document["unproved"] == []
    translation = next(phase for phase in document["phases"] if phase["number"] == 2)
    assert {change["path"] for change in translation["changes"]} >= {"kernels/k.hip", "kernels/warp_hip.cuh"}
    assert document["findings"]["before"]["count"] > document["findings"]["after"]["count"]
    levels = {level["level"]: level["outcome"] for level in document["verification"]}
    assert levels["isolation"] == "passed"
    assert levels["run"] == "not checked"
    body = (tmp_path / "pr.md").read_text("utf-8")
    for words in (
        "## Why",
        "kernels/k.hip",
        "proved identical",
        "Nothing was run on a GPU",
        "## How to try it",
        "HIP versions",
        "Digest",
    ):
        assert words in body, words
    assert "import torch" not in body, "a project without Python is not told to import torch"
    page = re.sub(r"(?s)<details>.*?</details>", "", body)
    assert len(page.splitlines()) < 60, "one page, the rest folded"
    git(repo, "apply", "--check", str(tmp_path / "p.patch"))


def test_branch(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    _, out, _ = run(capfdbinary, repo, "--branch", "rocm", "--author", "A <a@b>", "--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    log = git(repo, "log", "--format=%H %s", "main..rocm").decode().splitlines()
    assert [line.split()[0] for line in reversed(log)] == document["commits"]
    assert len(log) == len([phase for phase in document["phases"] if phase["changes"]])
    assert git(repo, "status", "--porcelain") == b""


def test_a_project_that_needs_nothing(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    root = repository(tmp_path, CLEAN)
    code, out, err = run(capfdbinary, root)
    assert (code, out) == (0, b"")
    assert b"nothing to change" in err


def test_without_proof_it_is_not_done(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    root = repository(tmp_path, CLEAN)
    code, out, err = run(capfdbinary, root, "--skip", "verification", "--json")
    assert code == 1
    assert json.loads(out)["verification"] is None
    assert b"NVIDIA: not checked" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none"], b"does not exist"),
        (["README.md"], b"is not a folder"),
        ([".", "--phase", "9"], b"none of 0 to 8"),
        ([".", "--phase", "3", "--skip", "3"], b"no phase to do"),
        ([".", "--branch", "main"], b"exists already"),
        ([".", "--branch", "x", "--author", "me"], b"--author"),
        ([".", "--undo"], b"no port made in place"),
        ([".", "--json", "-", "--pr-body", "-"], b"only one format"),
        ([".", "--arch", "sm_90"], b"no AMD architecture"),
    ],
)
def test_what_cannot_be_done(
    repo: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    arguments: list[str],
    says: bytes,
) -> None:
    monkeypatch.chdir(repo)
    before = contents(repo)
    code, _, err = run(capfdbinary, *arguments)
    assert code == 2
    assert says in err
    assert b"Traceback" not in err
    assert contents(repo) == before


def test_dirty_tree(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (repo / "README.md").write_bytes(b"mine\n")
    before = contents(repo)
    code, _, err = run(capfdbinary, repo, "--in-place")
    assert code == 2
    assert b"not committed: README.md" in err
    code, _, err = run(capfdbinary, repo, "--branch", "x")
    assert code == 2
    assert contents(repo) == before
    code, patch, _ = run(capfdbinary, repo, "--skip", "4")
    assert patch


def test_interrupted_port_is_told_and_finished(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run(capfdbinary, repo, "--in-place")
    ported = contents(repo)
    journal = repo / ".git/rewarp/port/journal.json"
    document = json.loads(journal.read_bytes())
    document["status"] = "writing"
    document["pending"] = [[entry["path"], entry["before"]] for entry in document["entries"]]
    journal.write_text(json.dumps(document))
    (repo / "kernels/k.hip").unlink()
    code, _, err = run(capfdbinary, repo)
    assert code == 2
    assert b"--in-place finishes it, --undo takes it back" in err
    _, _, err = run(capfdbinary, repo, "--in-place")
    assert b"finished a port that was interrupted" in err
    assert contents(repo) == ported


def test_odd_files_do_no_harm(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    odd = {
        "bad.cu": b"\xff\xfe\x00cudaMalloc(",
        "bin.py": b"\x00\x01\x02",
        "latin.py": b"# -*- coding: latin-1 -*-\nimport torch\nx = '\xe4'\n",
        "empty.cu": b"",
        "half.cu": b"__global__ void k() { if (",
        "CMakeLists.txt": b"project(x CUDA\n",
        "setup.py": b"import torch.utils.cpp_extension\nsetup(",
        "Cargo.toml": b"[package\n",
    }
    root = plain(tmp_path, odd)
    (root / "loop").symlink_to(root)
    (root / "dangling.py").symlink_to("nowhere")
    before = {path: (root / path).read_bytes() for path in odd}
    code, _, err = run(capfdbinary, root)
    assert code in (0, 1, 2)
    assert b"Traceback" not in err
    assert {path: (root / path).read_bytes() for path in odd} == before


def test_gaudi_is_another_target(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    root = repository(tmp_path, PROJECT)
    _, out, _ = run(capfdbinary, root, "--target", "gaudi", "--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert document["target"] == "gaudi"
    assert not any(change["path"].endswith(".hip") for phase in document["phases"] for change in phase["changes"])


def test_it_is_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "rewarp", "port", "--help"], capture_output=True, timeout=300)
    assert done.returncode == 0
    assert b"exit codes" in done.stdout
