"""Rust crates: golden cases, what is read from build scripts, and the ported crate through cargo."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import tomli
import tree_sitter_rust
from port_parts import cases, check, write
from tree_sitter import Language, Parser

from rewarp import runtime
from rewarp.port import rust
from rewarp.port.changes import PhaseResult, PortContext
from rewarp.port.rust.manifests import LAYER
from rewarp.port.tree import Tree
from rewarp.project.build.build_script import NotRead, read_kernels
from rewarp.targets import ROCM
from tools import present


@pytest.mark.parametrize("case", cases("rust"), ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    check(case, _without_the_layer, tmp_path)


def _without_the_layer(tree: Tree, context: PortContext) -> PhaseResult:
    """The layer comes as it is shipped, whatever the case."""
    result = rust.run(tree, context)
    shipped = Path(runtime.__file__).parent
    of_layer = [change for change in result.changes if change.path.startswith(f"{LAYER}/")]
    for change in of_layer:
        if change.path.endswith(".rs"):
            text = (shipped / change.path).read_bytes()
            assert change.after in (text, text.replace(b"pub mod attention;\n", b""))
    result.changes = [change for change in result.changes if change not in of_layer]
    return result


NVCC = 'Command::new("nvcc")'
PATHS = ["k/src/a.cu", "k/src/moe/moe_b.cu", "k/other/c.cu", "elsewhere/d.cu"]


@pytest.mark.parametrize(
    ("code", "modules", "libraries"),
    [
        ("bindgen_cuda::Builder::default().build_ptx()", ["src/a.cu", "src/moe/moe_b.cu"], {}),
        ('KernelBuilder::new().source_dir("src").exclude(&["moe_*.cu"]).build_ptx()?', ["src/a.cu"], {}),
        ('KernelBuilder::new().source_glob("other/*.cu").build_ptx()', ["other/c.cu"], {}),
        ('KernelBuilder::new().source_files(vec!["src/a.cu"]).build_lib(d.join("libx.a"))', [], {"x": ["src/a.cu"]}),
        ('const F: &[&str] = &["src/a.cu"];\nKernelBuilder::new().source_files(F).build_ptx()', ["src/a.cu"], {}),
        ('// .build_lib("liby.a")\nKernelBuilder::new().source_dir("other").build_ptx()', ["other/c.cu"], {}),
        (
            "let mut b = bindgen_cuda::Builder::default();\nb.build_ptx().unwrap();\n"
            'let b = b.kernel_paths(vec!["src/moe/moe_b.cu"]);\nb.build_lib("libmoe.a");',
            ["src/a.cu"],
            {"moe": ["src/moe/moe_b.cu"]},
        ),
        (f'{NVCC}.arg("-ptx").arg(p); glob("src/**/*.cu")', ["src/a.cu", "src/moe/moe_b.cu"], {}),
        (f'{NVCC}.arg("--version"); {NVCC}.args(["--ptx", "src/a.cu"])', ["src/a.cu"], {}),
    ],
)
def test_kernels_are_read(code: str, modules: list[str], libraries: dict[str, list[str]]) -> None:
    found = read_kernels(code, "k", PATHS)
    assert (found.modules, found.libraries) == (modules, libraries)


@pytest.mark.parametrize(
    "code",
    [
        "fn main() {}",
        "KernelBuilder::new().source_files(files()).build_ptx()",
        'KernelBuilder::new().source_files(vec!["src/missing.cu"]).build_ptx()',
        "KernelBuilder::new().build_lib(name)",
        f'{NVCC}.arg("--version"); glob("src/**/*.cu")',
        f'{NVCC}.arg("--ptx").arg(format!("src/{{name}}.cu"))',
        f'{NVCC}.arg("--ptx"); glob("none/*.cu")',
    ],
)
def test_what_cannot_be_read_is_not_guessed(code: str) -> None:
    with pytest.raises(NotRead):
        read_kernels(code, "k", PATHS)


def test_options_of_nvcc_called_by_hand() -> None:
    code = f'{NVCC}.arg("--ptx").args(["--use_fast_math", "-o", &out]).arg(format!("-arch=sm_{{cap}}")); glob("src/*.cu"); ".cuh"'
    found = read_kernels(code, "k", [*PATHS, "k/src/moe/tools.cuh"])
    assert found.options == ["-Isrc/moe"]


def test_options_under_a_condition_are_left_out() -> None:
    code = """
    let mut b = KernelBuilder::new().arg("--use_fast_math").arg("-DA");
    if old { b = b.arg("-DOLD"); }
    b = b.arg("-Xcompiler").arg("-fPIC");
    b.build_ptx()?;
    """
    assert read_kernels(code, "k", PATHS).options == ["-DA", "-fPIC"]


_STAND_IN = """
pub struct Builder;
pub struct Bindings;
impl Builder {
    pub fn default() -> Self { Builder }
    pub fn arg(self, _: &str) -> Self { self }
    pub fn build_ptx(self) -> Result<Bindings, String> { Err("nvcc is not here".into()) }
}
impl Bindings { pub fn write(&self, _: &str) -> Result<(), String> { Ok(()) } }
"""
_HIPCC = """#!/bin/sh
echo "$@" >> "$HIPCC_LOG"
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo code > "$2"; fi
  shift
done
"""


def test_the_ported_crate_builds_with_hipcc(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "k/Cargo.toml": '[package]\nname = "k"\nversion = "1.0.0"\nedition = "2021"\n'
            '[build-dependencies]\nbindgen_cuda = { path = "../bindgen_cuda" }\n',
            "k/build.rs": 'fn main() {\n    let b = bindgen_cuda::Builder::default().arg("-O3");\n'
            '    b.build_ptx().unwrap().write("x").unwrap();\n}\n',
            "k/src/lib.rs": '#[cfg(feature = "rocm")]\npub const SIZE: usize = hsaco::ADD.len();\n',
            "k/src/add.cu": 'extern "C" __global__ void add() {}\n',
            "bindgen_cuda/Cargo.toml": '[package]\nname = "bindgen_cuda"\nversion = "0.1.0"\nedition = "2021"\n',
            "bindgen_cuda/src/lib.rs": _STAND_IN,
            "hipcc": _HIPCC,
        },
    )
    (tmp_path / "hipcc").chmod(0o755)
    tree = Tree(tmp_path / "k")
    for change in rust.run(tree, PortContext(ROCM)).changes:
        (tmp_path / "k" / change.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "k" / change.path).write_bytes(change.after or b"")
    manifest = tomli.loads((tmp_path / "k" / "Cargo.toml").read_text())
    assert "rocm" in manifest["features"]
    script = Parser(Language(tree_sitter_rust.language())).parse((tmp_path / "k" / "build.rs").read_bytes())
    assert not script.root_node.has_error
    if not present("cargo"):
        return
    environment = {**os.environ, "HIPCC": str(tmp_path / "hipcc"), "HIPCC_LOG": str(tmp_path / "log")}
    command = ["cargo", "check", "--offline", "--manifest-path", str(tmp_path / "k" / "Cargo.toml")]
    for_nvidia = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert for_nvidia.returncode != 0
    assert "nvcc is not here" in for_nvidia.stderr
    nowhere = {**environment, "HIPCC": "", "ROCM_PATH": "/nonexistent"}
    del nowhere["HIPCC"]
    without = subprocess.run([*command, "--features", "rocm"], env=nowhere, capture_output=True, text=True)
    assert without.returncode == 0, without.stderr
    assert "no hipcc was found" in without.stderr
    unasked = subprocess.run([*command, "--features", "rocm"], env=environment, capture_output=True, text=True)
    assert unasked.returncode != 0
    assert "ROCM_ARCH=gfx942" in unasked.stderr
    environment["ROCM_ARCH"] = "gfx942;gfx1100"
    built = subprocess.run([*command, "--features", "rocm"], env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    words = (tmp_path / "log").read_text().split()
    assert "--offload-arch=gfx942" in words
    assert "--offload-arch=gfx1100" in words
    assert "src/add.cu" in words


def test_the_layer_is_of_the_workspaces_own_versions(tmp_path: Path) -> None:
    """Otherwise types of the same name are not the same."""
    shared = '[workspace]\nmembers = ["a"]\n[workspace.dependencies]\nfloat8 = { version = "0.5.0" }\nhalf = "2.3"\n'
    manifest = (
        '[package]\nname = "a"\nversion = "0.1.0"\n[features]\ncuda = ["dep:cudarc"]\n[dependencies]\nhalf = "1"\n'
    )
    manifest += 'cudarc = { version = "0.19", optional = true, features = ["f16", "f8"] }\n'
    code = "use cudarc::driver::CudaSlice;\npub fn cuda_sum(x: &CudaSlice<f32>) {}\n"
    write(tmp_path, {"Cargo.toml": shared, "a/Cargo.toml": manifest, "a/src/lib.rs": code})
    made = {change.path: change.after or b"" for change in rust.run(Tree(tmp_path), PortContext(ROCM)).changes}
    assert b'half = { version = "2.3", optional = true }\n' in made[f"{LAYER}/Cargo.toml"]
    assert b'float8 = { version = "0.5.0", optional = true }\n' in made[f"{LAYER}/Cargo.toml"]
    assert b'\nversion = "0.1.0"\n' in made[f"{LAYER}/Cargo.toml"]
