"""FlashAttention's function for AMD: which declarations it is made for, and its kernel against float64."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from port_parts import write

from rewarp import runtime
from rewarp.port import rust
from rewarp.port.changes import PortContext
from rewarp.port.rust import attention, unconditional
from rewarp.port.rust.manifests import read_crates
from rewarp.port.tree import Tree
from rewarp.targets import ROCM

EXAMPLE = Path(__file__).parents[2] / "examples" / "rust_workspace"
CHECK = Path(__file__).parents[1] / "support" / "attention_against_float64.hip"
FFI = (EXAMPLE / "tiny-flash/src/ffi.rs").read_text()


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_kernel_is_as_near_to_float64_as_its_types_allow(arch: str, wrong: bool, tmp_path: Path) -> None:
    """And where the reference sees one key too many, no case passes."""
    option = f"--option=-I{Path(runtime.__file__).parent / 'attention'}"
    command = [sys.executable, "-m", "rewarp", "run", "--fast", "--arch", arch, option, CHECK, *(["--", "x"] * wrong)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert f"ran as {arch} code on an emulator" in done.stderr, done.stderr
    assert done.returncode == wrong
    assert re.findall(r": (\w+)$", done.stdout, re.M) == ["WRONG" if wrong else "right"] * 9


def _interfaces(folder: Path, ffi: str, library: str = "use cudarc::driver::DevicePtr;\nmod ffi;\n") -> list[str]:
    manifest = '[package]\nname = "f"\nversion = "0.1.0"\n'
    write(folder, {"Cargo.toml": manifest, "src/ffi.rs": ffi, "src/lib.rs": library})
    tree = Tree(folder)
    return list(attention.interfaces(tree, read_crates(tree)))


def test_a_declaration_is_known_by_its_parameters(tmp_path: Path) -> None:
    assert _interfaces(tmp_path, FFI.replace("run_mha", "attend")) == ["f"]


@pytest.mark.parametrize(
    "ffi",
    [
        FFI.replace("is_causal: c_int,", ""),
        FFI.replace("is_causal: c_int,", "is_causal: c_int, dropout: f32,"),
        FFI.replace("    );\n}", "    );\n    pub fn other();\n}"),
        FFI.replace("    );\n}", "    ) -> c_int;\n}"),
        FFI + FFI,
    ],
    ids=["one is missing", "one is not known", "two functions", "it returns something", "declared twice"],
)
def test_other_declarations_are_left_alone(ffi: str, tmp_path: Path) -> None:
    assert _interfaces(tmp_path, ffi) == []


def test_without_cudarc_there_is_nothing_to_call_it_from(tmp_path: Path) -> None:
    assert _interfaces(tmp_path, FFI, "mod ffi;\n") == []


def test_the_layout_is_the_kernels() -> None:
    """Both sides say the same fields in the same order."""
    kernel = attention.kernel().decode()
    (inside,) = re.findall(r"struct Attention \{(.*?)\};", kernel, re.S)
    fields = re.findall(r"\w+(?=[,;])", re.sub(r"//[^\n]*", "", inside))
    text = (Path(runtime.__file__).parent / "hiparc/src/attention.rs").read_text()
    (inside,) = re.findall(r"struct Attention \{(.*?)\n\}", text, re.S)
    sizes = [int(found or 1) for found in re.findall(r": (?:\[[^;]+; (\d)\]|[^\[\n]+),", inside)]
    assert (len(fields), sum(sizes)) == (31, 31)
    for name in ("ROWS", "THREADS"):
        (value,) = re.findall(rf"const {name}: u32 = (\d+);", text)
        assert f"{name} = {value}" in kernel or (name, value) == ("THREADS", str(32 * 4))


def test_the_kernel_stands_in_the_crate_of_kernels_that_is_passed_on(tmp_path: Path) -> None:
    changed = {change.path: change.after or b"" for change in rust.run(Tree(EXAMPLE), PortContext(ROCM)).changes}
    assert [path for path in changed if path.endswith("attention.hip")] == ["tiny-kernels/hip/attention.hip"]
    assert b"hip/attention.hip" in changed["tiny-kernels/build_rocm.rs"]
    assert b"use tiny_core::rocm_backend::kernels::ATTENTION;" in changed["tiny-flash/src/rocm_ffi.rs"]
    assert "tiny-flash/build_rocm.rs" not in changed


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tiny-core/src/cuda_backend/mod.rs", "pub use tiny_kernels as kernels;", "use tiny_kernels as kernels;"),
        ("tiny-kernels/src/lib.rs", 'module!(AFFINE, "affine");', 'module!(AFFINE, "affine");\npub const ATTENTION: u8 = 0;'),
        ("tiny-kernels/build.rs", "fn main() {", "#[cfg(unix)]\nfn main() {"),
    ],
    ids=["not passed on", "the name is taken", "a build script that is not understood"],
)  # fmt: skip
def test_else_it_stands_in_the_crate_that_calls_it(file: str, old: str, new: str, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    changed = {change.path: change.after or b"" for change in rust.run(Tree(folder), PortContext(ROCM)).changes}
    assert [path for path in changed if path.endswith("attention.hip")] == ["tiny-flash/hip/attention.hip"]
    assert b"use crate::hsaco::ATTENTION;" in changed["tiny-flash/src/rocm_ffi.rs"]
    assert "tiny-flash/build_rocm.rs" in changed


MANIFEST = """[package]
name = "f"

[dependencies]
core = { path = "../core", %s }
"""


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ('features = ["cuda"]', 'core = { path = "../core" }'),
        ('features = ["cuda", "fast"]', 'core = { path = "../core", features = ["fast"] }'),
        ('features = ["fast", "cuda"]', 'core = { path = "../core", features = ["fast"] }'),
        ('features = ["cuda"], version = "1"', 'core = { path = "../core", version = "1" }'),
    ],
)
def test_cuda_becomes_a_feature_that_is_on_by_default(asked: str, after: str, tmp_path: Path) -> None:
    crate = _crate(tmp_path, MANIFEST % asked)
    made = unconditional.by_feature(crate, {"core"})
    assert made is not None
    assert after in made.decode()
    assert made.decode().endswith('[features]\ndefault = ["cuda"]\ncuda = ["core/cuda"]\nrocm = ["core/rocm"]\n')
    assert unconditional.by_feature(crate, set()) is None


@pytest.mark.parametrize(
    "manifest",
    [
        MANIFEST % 'features = ["cuda"], optional = true',
        MANIFEST % 'features = ["fast"]',
        MANIFEST % 'features = ["cuda"]' + "\n[features]\ncuda = []\n",
        MANIFEST % 'features = ["cuda"]' + "\n[features]\nother = []\n",
    ],
    ids=["optional", "something else", "a feature of that name", "no default to add to"],
)
def test_other_manifests_stay(manifest: str, tmp_path: Path) -> None:
    assert unconditional.by_feature(_crate(tmp_path, manifest), {"core"}) is None


def _crate(folder: Path, manifest: str) -> rust.manifests.Crate:
    write(folder, {"f/Cargo.toml": manifest, "core/Cargo.toml": '[package]\nname = "core"\n[features]\ncuda = []\n'})
    return read_crates(Tree(folder))["f"]


def test_the_report_says_which_attention_runs() -> None:
    told = [manual for manual in rust.run(Tree(EXAMPLE), PortContext(ROCM)).manual if "run_mha" in manual.what]
    assert [manual.path for manual in told] == ["tiny-flash/src/ffi.rs"]
    assert "unfused" in told[0].why
