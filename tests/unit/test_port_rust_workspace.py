"""The example workspace in Rust, ported: cargo builds it with each platform, with both and with none, offline, and its own
tests run on the machine."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rewarp.machine import runtime
from rewarp.port import rust
from rewarp.port.changes import PortContext
from rewarp.port.tree import Tree
from rewarp.run.execution import Settings
from rewarp.targets import ROCM
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Folder
from tools import present

EXAMPLE = Path(__file__).parents[2] / "examples" / "rust_workspace"
_NVCC = '#!/bin/sh\nwhile [ $# -gt 0 ]; do if [ "$1" = -o ]; then echo "// no PTX" > "$2"; fi; shift; done\n'
"""Writes a file of PTX that nobody loads: what Rust makes of the workspace is asked here."""
_HIPCC = f'#!/bin/sh\nexec {sys.executable} -m rewarp.toolchain.hipcc "$@"\n'


@pytest.fixture(scope="module")
def ported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ported") / "workspace"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    for change in rust.run(Tree(folder), PortContext(ROCM)).changes:
        assert change.after is not None
        file = folder / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(change.after)
    for name, text in {"nvcc": _NVCC, "hipcc": _HIPCC}.items():
        tool = folder.parent / "bin" / name
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(text)
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return folder


_FLASH = """//! Causal attention on ROCm, held against float64.
use tiny_core::{Device, Result};
use tiny_flash::Flash;

fn value(at: usize) -> f32 {
    f32::from_bits((((at * 2654435761) % 1009) as f32 / 504.5 - 1.).to_bits() & 0xffff0000)
}

fn unpacked(words: &[f32]) -> Vec<f64> {
    words.iter().flat_map(|w| [w.to_bits() << 16, w.to_bits() & 0xffff0000]).map(|b| f32::from_bits(b) as f64).collect()
}

fn off_by(flash: &Flash) -> Result<f64> {
    let (of_q, of_k) = flash.words();
    let packed = |at: usize| f32::from_bits(value(2 * at).to_bits() >> 16 | value(2 * at + 1).to_bits());
    let words: Vec<f32> = (0..of_q + 2 * of_k).map(packed).collect();
    let (all, made) = (unpacked(&words), Device::new_rocm(0)?.storage(words)?.apply(flash)?.to_vec()?);
    let (made, mut worst) = (unpacked(&made), 0f64);
    for row in 0..flash.length {
        for head in 0..flash.heads {
            let q = (row * flash.heads + head) * flash.size;
            let of_key = |key: usize| (key * flash.heads_k + head * flash.heads_k / flash.heads) * flash.size;
            let score = |key: usize| (0..flash.size).map(|n| all[q + n] * all[2 * of_q + of_key(key) + n]).sum::<f64>();
            let weights: Vec<f64> = (0..=row).map(|key| (score(key) / (flash.size as f64).sqrt()).exp()).collect();
            for n in 0..flash.size {
                let of_v = |key: usize| all[2 * (of_q + of_k) + of_key(key) + n];
                let sum = (0..=row).map(|key| weights[key] * of_v(key)).sum::<f64>() / weights.iter().sum::<f64>();
                worst = worst.max((made[q + n] - sum).abs() / (sum.abs() / 256. + 1e-5));
            }
        }
    }
    Ok(worst)
}

#[test]
fn it_is_right() -> Result<()> {
    let off = off_by(&Flash { heads: 4, heads_k: 2, size: 64, length: 37 })?;
    assert!(off <= 1., "off by {off}");
    Ok(())
}

#[test]
fn what_the_kernel_lacks_is_an_error() {
    let error = off_by(&Flash { heads: 1, heads_k: 1, size: 512, length: 2 }).unwrap_err();
    assert_eq!(error.to_string(), "attention on ROCm: heads of 512 values are not supported");
}
"""


def _cargo(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ROCM", "HIP"))} | more
    root = folder if folder.name == "workspace" else folder.parent
    environment["PATH"] = f"{root.parent / 'bin'}{os.pathsep}{environment['PATH']}"
    environment |= {"CARGO_TARGET_DIR": str(root.parent / "target"), "RUSTFLAGS": "-D warnings"}
    command = ["cargo", words[0], "--offline", *words[1:]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("features", ["", "rocm", "cuda,rocm", "cuda"])
def test_it_builds_with_each_platform_with_both_and_with_none(ported: Path, features: str) -> None:
    if not present("cargo"):
        return
    done = _cargo(ported, "check", "--workspace", "--all-targets", "--features", features, ROCM_PATH="/nonexistent")
    assert done.returncode == 0, done.stderr
    assert ("no hipcc was found" in done.stderr) == ("rocm" in features)


def test_clippy_has_nothing_to_say(ported: Path) -> None:
    if not present("cargo-clippy"):
        return
    words = ("clippy", "--workspace", "--all-targets", "--features", "rocm")
    done = _cargo(ported, *words, "--", "-D", "warnings", ROCM_PATH="/nonexistent")
    assert done.returncode == 0, done.stderr


def test_without_rocm_a_device_is_an_error_that_says_what_is_missing(ported: Path) -> None:
    if not present("cargo"):
        return
    done = _cargo(
        ported, "test", "-p", "tiny-core", "--features", "rocm", "--", "affine::rocm", ROCM_PATH="/nonexistent"
    )
    assert done.returncode != 0
    assert "libamdhip64.so with hipInit was not found" in done.stdout


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_its_own_tests_run_on_the_machine(ported: Path, arch: str, tmp_path: Path) -> None:
    if not present("cargo"):
        return
    report = tmp_path / "report.jsonl"
    report.touch()
    machine = Settings(arch, report, runtime.folder(), watch=False).environment(os.environ)
    machine = {name: value for name, value in machine.items() if name.startswith(("REWARP", "LD_"))}
    hipcc = str(ported.parent / "bin" / "hipcc")
    words = ("test", "-p", "tiny-core", "--features", "rocm", "--test", "storage_tests", "--", "--test-threads=1")
    done = _cargo(ported, *words, HIPCC=hipcc, ROCM_ARCH="gfx942;gfx1100", **machine)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
    kernels = {
        entry["name"] for line in report.read_text().splitlines() if (entry := json.loads(line))["kind"] == "kernel"
    }
    assert kernels == {"affine_f32", "sum_rows_f32"}


@pytest.mark.parametrize("features", ["rocm", "cuda,rocm", "cuda", ""])
def test_what_asked_for_cuda_in_every_build_builds_with_each_platform(ported: Path, features: str) -> None:
    if not present("cargo"):
        return
    done = _cargo(ported / "tiny-flash", "check", "--no-default-features", "--features", features)
    assert done.returncode == 0, done.stderr


def test_as_before_it_builds_for_cuda(ported: Path) -> None:
    if not present("cargo"):
        return
    done = _cargo(ported / "tiny-flash", "tree", "--depth", "1", "--prefix", "none", "--format", "{lib} {f}")
    assert done.stdout.split("\n")[:2] == ["tiny_flash cuda,default", "tiny_core cuda,default"], done.stderr


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_attention_runs_a_kernel_of_its_own_and_is_right(ported: Path, arch: str, tmp_path: Path) -> None:
    if not present("cargo"):
        return
    checks = ported / "tiny-flash" / "tests" / "on_rocm.rs"
    checks.parent.mkdir(exist_ok=True)
    checks.write_text(_FLASH)
    report = tmp_path / "report.jsonl"
    report.touch()
    machine = Settings(arch, report, runtime.folder(), watch=False).environment(os.environ)
    machine = {name: value for name, value in machine.items() if name.startswith(("REWARP", "LD_"))}
    hipcc = str(ported.parent / "bin" / "hipcc")
    words = ("test", "--no-default-features", "--features", "rocm", "--test", "on_rocm", "--", "--test-threads=1")
    done = _cargo(ported / "tiny-flash", *words, HIPCC=hipcc, ROCM_ARCH="gfx942;gfx1100", **machine)
    checks.unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    kernels = [entry for line in report.read_text().splitlines() if (entry := json.loads(line))["kind"] == "kernel"]
    assert [kernel["name"] for kernel in kernels] == ["attention_bf16_64"]


@pytest.mark.parametrize("arch", ["gfx942"])
def test_the_worker_for_amd_serves(ported: Path, arch: str, tmp_path: Path) -> None:
    if not present("cargo"):
        return
    (tmp_path / "report.jsonl").touch()
    machine = Settings(arch, tmp_path / "report.jsonl", runtime.folder(), watch=False).environment(os.environ)
    machine = {name: value for name, value in machine.items() if name.startswith(("REWARP", "LD_"))}
    hipcc = str(ported.parent / "bin" / "hipcc")
    words = ("run", "-p", "tiny-worker", "--features", "rocm", "--bin", "tiny-worker-rocm")
    done = _cargo(ported, *words, HIPCC=hipcc, ROCM_ARCH="gfx942;gfx1100", **machine)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[3.0, 5.0, 7.0]"
    assert '"affine_f32"' in (tmp_path / "report.jsonl").read_text()


def test_nvidia_is_untouched(ported: Path) -> None:
    trees = Trees(Folder(EXAMPLE), Folder(ported))
    verdicts = {file.path: file.verdict for file in judge(trees)}
    assert "Nobody builds tiny-flash with default-features = false: CUDA is one of them now." in trees.assumed
    rust_files = {path: verdict for path, verdict in verdicts.items() if path.endswith((".rs", ".toml"))}
    assert set(rust_files.values()) == {IsolationVerdict.IDENTICAL}
    assert IsolationVerdict.DIFFERENT not in verdicts.values()


def test_a_second_port_changes_nothing(ported: Path) -> None:
    assert rust.run(Tree(ported), PortContext(ROCM)).changes == []
