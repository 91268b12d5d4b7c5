"""A crate on the cudarc of the registry, ported: both bindings as they are, at pinned versions. A registry that is not there is a
failure."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rewarp.machine import runtime
from rewarp.machine.runtime import libraries
from rewarp.port import rust
from rewarp.port.changes import PortContext
from rewarp.port.tree import Tree
from rewarp.run.execution import Settings
from rewarp.targets import ROCM
from tools import present

EXAMPLE = Path(__file__).parents[2] / "examples" / "rust_cudarc"
CHECKS = """use matrices::rocm_backend::RocmDevice;

#[test]
fn products_rows_and_random_numbers() {
    let device = RocmDevice::new(0).unwrap();
    let a = device.matrix(2, 3, &[1., 2., 3., 4., 5., 6.]).unwrap();
    let b = device.matrix(3, 2, &[1., 0., 0., 1., 2., -1.]).unwrap();
    assert_eq!(a.row_values(1).unwrap(), [4., 5., 6.]);
    assert_eq!(a.product(&b).unwrap().values().unwrap(), [7., -1., 16., -1.]);
    let some = device.random(3, 5, 7).unwrap().values().unwrap();
    assert!(some.iter().all(|x| (0. ..=1.).contains(x)) && some[0] != some[1], "{some:?}");
}
"""


@pytest.fixture(scope="module")
def ported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cudarc") / "crate"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("target"))
    result = rust.run(Tree(folder), PortContext(ROCM))
    told = [manual.what for manual in result.manual if manual.path != "src/cuda_backend.rs"]
    assert told == ["public enums have one more variant: Error"]
    for change in result.changes:
        assert change.after is not None
        (folder / change.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / change.path).write_bytes(change.after)
    return folder


def _cargo(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CARGO_TARGET_DIR": str(folder.parent / "target"), "RUSTFLAGS": "-D warnings"} | more
    return subprocess.run(["cargo", *words], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("features", ["", "rocm", "cuda", "cuda,rocm"])
def test_it_is_right_for_both_bindings(ported: Path, features: str) -> None:
    if not present("cargo"):
        return
    done = _cargo(ported, "check", "--features", features)
    assert done.returncode == 0, done.stderr


def test_the_versions_are_pinned(ported: Path) -> None:
    assert 'version = "=0.19.10"' in (ported / "Cargo.toml").read_text()
    own = '[dependencies.hiparc]\npath = "hiparc"\nversion = "0.1.0"\noptional = true\n\n[dependencies.cudarc]\n'
    assert own in (ported / "Cargo.toml").read_text()


def test_the_libraries_for_amd_are_called_as_they_want(ported: Path, tmp_path: Path) -> None:
    if not present("cargo"):
        return
    (ported / "tests").mkdir(exist_ok=True)
    (ported / "tests" / "on_rocm.rs").write_text(CHECKS)
    report = tmp_path / "report.jsonl"
    report.touch()
    machine = Settings("gfx942", report, runtime.folder(), watch=False).environment(os.environ)
    machine["LD_LIBRARY_PATH"] += os.pathsep + str(libraries.folder())
    machine = {name: value for name, value in machine.items() if name.startswith(("REWARP", "LD_"))}
    done = _cargo(ported, "test", "--features", "rocm", "--test", "on_rocm", **machine)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "rocblas_" in report.read_text()
    assert "rocrand_" in report.read_text()
