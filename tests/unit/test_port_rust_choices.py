"""Features that ask for CUDA and for a crate with a side for AMD: their siblings, and that NVIDIA's builds get what they got."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_parts import write

from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.port.rust import choices
from rewarp.port.rust.manifests import read_crates
from rewarp.port.tree import Tree
from rewarp.source import SourceFile
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Folder

WORKSPACE = '[workspace]\nmembers = ["models", "book"]\n\n[workspace.dependencies]\nflash = { path = "flash", version = "0.1.0" }\n'
FLASH = '[package]\nname = "flash"\n\n[dependencies]\ncore = { path = "../core", features = ["cuda"] }\n'
FLASH_NOW = (
    '[package]\nname = "flash"\n\n[dependencies]\ncore = { path = "../core" }\n\n[features]\ndefault = ["cuda"]\n'
    'cuda = ["core/cuda"]\nrocm = ["core/rocm"]\n'
)
MODELS = """[package]
name = "models"

[dependencies]
flash = { workspace = true, optional = true }

[features]
cuda = []
rocm = []
fast = ["cuda", "dep:flash"]
"""
BOOK = '[package]\nname = "book"\n\n[dependencies]\nflash = { workspace = true, optional = true }\n'
CORE = '[package]\nname = "core"\n[features]\ncuda = []\nrocm = []\n'
SOURCE = '#[cfg(feature = "fast")]\nfn fast() {}\n\n#[cfg(not(feature = "fast"))]\nfn fast() {}\n\nconst NAME: &str = "fast";\n'


def _write(folder: Path) -> Path:
    files = {"Cargo.toml": WORKSPACE, "core/Cargo.toml": CORE, "flash/Cargo.toml": FLASH, "models/Cargo.toml": MODELS}
    files |= {"book/Cargo.toml": BOOK, "models/src/lib.rs": SOURCE}
    write(folder, files)
    return folder


def _ported(folder: Path) -> dict[str, bytes] | None:
    tree = Tree(folder)
    crates = read_crates(tree)
    chosen = choices.choices([crates["models"]], {"flash"})
    made = choices.manifests(crates.values(), chosen, tree, {})
    return None if made is None else made | choices.widened(tree, chosen, {})


def test_the_feature_gets_a_sibling_and_names_cuda(tmp_path: Path) -> None:
    made = _ported(_write(tmp_path))
    assert made is not None
    data = {
        path: TomlFile(SourceFile(path, text), Kind.CARGO).data for path, text in made.items() if path.endswith(".toml")
    }
    features = data["models/Cargo.toml"]["features"]
    assert features["fast"] == ["cuda", "dep:flash", "flash/cuda"]
    assert features["fast-rocm"] == ["rocm", "dep:flash", "flash/rocm"]
    assert data["Cargo.toml"]["workspace"]["dependencies"]["flash"]["default-features"] is False
    assert data["book/Cargo.toml"]["dependencies"]["flash"]["default-features"] is True
    assert made["models/src/lib.rs"].decode() == SOURCE.replace(
        '(feature = "fast")', '(any(feature = "fast", feature = "fast-rocm"))'
    )


@pytest.mark.parametrize(
    "manifest",
    [
        MODELS.replace('["cuda", "dep:flash"]', '["dep:flash"]'),
        MODELS.replace(", optional = true", ""),
        MODELS + 'other = ["dep:flash"]\n',
        MODELS + "fast-rocm = []\n",
    ],
    ids=["without cuda", "in every build", "in another way too", "the name is taken"],
)
def test_other_features_stay(manifest: str, tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / "models/Cargo.toml").write_text(manifest)
    assert _ported(tmp_path) == {}


def test_what_cannot_be_written_is_not_done(tmp_path: Path) -> None:
    table = WORKSPACE.replace('flash = { path = "flash", version = "0.1.0" }', "") + (
        '[workspace.dependencies.flash]\npath = "flash"\n'
    )
    folder = _write(tmp_path)
    (folder / "Cargo.toml").write_text(table)
    assert _ported(folder) is None


def _verdicts(tmp_path: Path, change: tuple[str, str, str] | None = None) -> dict[str, IsolationVerdict]:
    before, after = _write(tmp_path / "before"), _write(tmp_path / "after")
    made = (_ported(after) or {}) | {"flash/Cargo.toml": FLASH_NOW.encode()}
    for path, data in made.items():
        (after / path).write_bytes(data)
    if change:
        file = after / change[0]
        assert change[1] in file.read_text()
        file.write_text(file.read_text().replace(change[1], change[2]))
    return {file.path: file.verdict for file in judge(Trees(Folder(before), Folder(after)))}


def test_nvidia_gets_what_it_got(tmp_path: Path) -> None:
    verdicts = _verdicts(tmp_path)
    assert set(verdicts) == {
        "Cargo.toml",
        "book/Cargo.toml",
        "flash/Cargo.toml",
        "models/Cargo.toml",
        "models/src/lib.rs",
    }
    assert set(verdicts.values()) == {IsolationVerdict.IDENTICAL}


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (("models/Cargo.toml", ', "flash/cuda"', ""), "Cargo.toml"),
        (("book/Cargo.toml", ", default-features = true", ""), "Cargo.toml"),
        (("models/Cargo.toml", '"flash/cuda"', '"flash/fast"'), "models/Cargo.toml"),
        (("models/src/lib.rs", '#[cfg(any(feature = "fast", feature = "fast-rocm"))]', '#[cfg(feature = "fast-rocm")]'),
         "models/src/lib.rs"),
        (("models/src/lib.rs", '#[cfg(any(feature = "fast", feature = "fast-rocm"))]',
          '#[cfg(any(feature = "fast", feature = "slow"))]'), "models/src/lib.rs"),
    ],
    ids=["no longer asked", "without defaults", "asked for more", "amd alone", "another feature"],
)  # fmt: skip
def test_what_nvidia_would_notice_is_not_proved(change: tuple[str, str, str], seen: str, tmp_path: Path) -> None:
    assert _verdicts(tmp_path, change)[seen] is not IsolationVerdict.IDENTICAL
