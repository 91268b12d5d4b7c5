"""Two crates that call a library for attention: on AMD the one hands over to the other, which has all of its functions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rewarp.port import rust
from rewarp.port.changes import PortContext, PortPhase
from rewarp.port.rust.formatting import formatted
from rewarp.port.tree import Tree
from rewarp.targets import ROCM
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Folder
from tools import present

EXAMPLE = Path(__file__).parents[2] / "examples" / "rust_workspace"
_TENSOR = """
use tiny_core::Device;

pub struct Tensor(Device);

impl Tensor {
    pub fn device(&self) -> &Device {
        &self.0
    }
}
"""
_OFFERED = """
/// Attention, as a function of tensors.
pub fn attend(q: &Tensor, heads: usize, causal: bool) -> Result<()> {
    let _ = (q, heads, causal);
    Ok(())
}
"""
_MORE = """
/// The same with a cap.
pub fn attend_capped(q: &Tensor, heads: usize, causal: bool, cap: f32) -> Result<()> {
    let _ = cap;
    attend(q, heads, causal)
}
"""
_NEXT = """
/// Attention, as a function of tensors.
pub fn attend(q: &Tensor, heads: usize, causal: bool, packing: bool) -> Result<()> {
    let _ = (q, heads, causal, packing);
    Ok(())
}
"""


def _workspace(folder: Path, more: str = _MORE, following: str = _NEXT) -> Path:
    """The example, with a crate for the next GPUs beside tiny-flash."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    shutil.copytree(folder / "tiny-flash", folder / "tiny-flash-next")
    core = folder / "tiny-core/src/lib.rs"
    core.write_text(core.read_text() + "\npub mod tensor;\n")
    (folder / "tiny-core/src/tensor.rs").write_text(_TENSOR.replace("tiny_core", "crate"))
    for name, offered in {"tiny-flash": _OFFERED + more, "tiny-flash-next": following}.items():
        file = folder / name / "src/lib.rs"
        file.write_text(file.read_text() + "use tiny_core::tensor::Tensor;\n" + offered)
        manifest = folder / name / "Cargo.toml"
        manifest.write_text(manifest.read_text().replace('"tiny-flash"', f'"{name}"'))
    workspace = folder / "Cargo.toml"
    workspace.write_text(workspace.read_text().replace('"tiny-flash", ', '"tiny-flash", "tiny-flash-next", '))
    return folder


def _changed(folder: Path) -> dict[str, str]:
    return {change.path: (change.after or b"").decode() for change in rust.run(Tree(folder), PortContext(ROCM)).changes}


def test_each_function_hands_over_what_the_other_takes(tmp_path: Path) -> None:
    folder = _workspace(tmp_path / "workspace")
    changed = _changed(folder)
    code = changed["tiny-flash-next/src/lib.rs"]
    assert "    if q.device().is_rocm() {\n        return tiny_flash::attend(q, heads, causal);\n    }" in code
    assert "rocm_fwd" not in code
    assert "tiny-flash-next/src/rocm_ffi.rs" not in changed
    assert "tiny-flash/src/rocm_ffi.rs" in changed
    assert code.index("#![cfg_attr(feature") < code.index("mod ffi;")
    manifest = changed["tiny-flash-next/Cargo.toml"]
    assert (
        'tiny-flash = { path = "../tiny-flash", version = "0.1.0", default-features = false, optional = true }'
        in manifest
    )
    assert 'rocm = ["tiny-core/rocm", "dep:tiny-flash", "tiny-flash/rocm"]' in manifest
    assert 'cuda = ["tiny-core/cuda"]' in manifest


def test_it_is_told(tmp_path: Path) -> None:
    manual = rust.run(Tree(_workspace(tmp_path / "workspace")), PortContext(ROCM)).manual
    told = [one for one in manual if one.phase is PortPhase.LIBRARIES and "hands over" in one.what]
    assert [(one.path, one.what) for one in told] == [
        (
            "tiny-flash-next/src/ffi.rs",
            "on AMD tiny-flash-next hands over to tiny-flash, which runs a kernel of rewarp's own",
        )
    ]


@pytest.mark.parametrize(
    ("more", "following"),
    [
        (_MORE, _NEXT.replace("heads: usize", "heads: u32")),
        (_MORE, _NEXT.replace("heads: usize, ", "")),
        (_MORE, _NEXT.replace("Result<()>", "Result<Tensor>").replace("Ok(())", "todo!()")),
        (_MORE, _NEXT.replace("fn attend(", "fn attend_paged(")),
        (_MORE, _NEXT + _NEXT.replace("fn attend(", "fn attend_paged(")),
        (_MORE, _NEXT.replace("q: &Tensor", "q: &[f32]")),
        (_MORE, ""),
        ("", _OFFERED),
    ],
    ids=[
        "another type", "a parameter less", "another result", "another name", "one more", "no tensor", "no function", "the same",
    ],
)  # fmt: skip
def test_else_each_has_a_side_of_its_own(more: str, following: str, tmp_path: Path) -> None:
    changed = _changed(_workspace(tmp_path / "workspace", more, following))
    assert "tiny-flash-next/src/rocm_ffi.rs" in changed
    assert "rocm_fwd" in changed["tiny-flash-next/src/lib.rs"]
    assert "tiny_flash::" not in changed["tiny-flash-next/src/lib.rs"]


def test_a_crate_that_it_is_built_on_does_not_hand_over(tmp_path: Path) -> None:
    folder = _workspace(tmp_path / "workspace")
    manifest = folder / "tiny-flash/Cargo.toml"
    manifest.write_text(
        re.sub(r"(\[dependencies\]\n)", r'\1tiny-flash-next = { path = "../tiny-flash-next" }\n', manifest.read_text())
    )
    assert "tiny_flash::" not in _changed(folder)["tiny-flash-next/src/lib.rs"]


def test_cargo_builds_it_and_nvidia_is_untouched(tmp_path: Path) -> None:
    folder = _workspace(tmp_path / "workspace")
    if not present("cargo"):
        return
    old = tmp_path / "before"
    shutil.copytree(folder, old)
    tree = Tree(folder)
    changes, _ = formatted(tree, rust.run(tree, PortContext(ROCM)).changes)
    for change in changes:
        assert change.after is not None
        (folder / change.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / change.path).write_bytes(change.after)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ROCM", "HIP"))}
    environment |= {
        "CARGO_TARGET_DIR": str(tmp_path / "target"),
        "RUSTFLAGS": "-D warnings",
        "ROCM_PATH": "/nonexistent",
    }
    command = ["cargo", "check", "--offline", "--no-default-features", "--features", "rocm"]
    done = subprocess.run(command, cwd=folder / "tiny-flash-next", env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = judge(Trees(Folder(old), Folder(folder)))
    changed = {change.path for change in changes if change.path.startswith("tiny-flash")}
    own = {file.path: file.verdict for file in found if file.path in changed}
    assert {f"tiny-flash-next/{name}" for name in ("Cargo.toml", "build.rs", "src/lib.rs")} < own.keys()
    assert set(own.values()) == {IsolationVerdict.IDENTICAL}
