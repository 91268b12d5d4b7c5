"""Rust in the project's own form: what rustfmt is asked for, and where it is left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from port_parts import write

from rewarp.port.changes import Change, PortPhase
from rewarp.port.rust.formatting import formatted
from rewarp.port.tree import Tree
from tools import present

MANIFEST = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
TIDY = "use crate::{Cpu, Cuda, Metal};\n\nfn f() {}\n"
WITH_ROCM = "use crate::{Cpu, Cuda, Rocm, Metal};\n\nfn f() {}\n"
LONG = "pub fn a_name_of_some_length(first: usize, second: usize) -> usize { first + second }\n"


def made(folder: Path, before: dict[str, str], after: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    write(folder, before)
    changes = [Change(path, text.encode(), PortPhase.LIBRARIES, "Why.") for path, text in after.items()]
    found, notes = formatted(Tree(folder), changes)
    return {change.path: (change.after or b"").decode() for change in found}, [note.why for note in notes]


def test_what_was_in_the_form_stays_in_it(tmp_path: Path) -> None:
    if not present("rustfmt"):
        return
    found, notes = made(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": TIDY}, {"src/lib.rs": WITH_ROCM})
    assert (found, notes) == ({"src/lib.rs": "use crate::{Cpu, Cuda, Metal, Rocm};\n\nfn f() {}\n"}, [])


def test_what_was_not_is_left_as_the_port_made_it(tmp_path: Path) -> None:
    if not present("rustfmt"):
        return
    other = WITH_ROCM.replace("fn f() {}", "fn  f( ) { }")
    before = {"Cargo.toml": MANIFEST, "src/lib.rs": other.replace(", Rocm", "")}
    assert made(tmp_path, before, {"src/lib.rs": other}) == ({"src/lib.rs": other}, [])


def test_new_files_follow_the_settings_and_nothing_else_is_touched(tmp_path: Path) -> None:
    if not present("rustfmt"):
        return
    before = {
        "Cargo.toml": MANIFEST,
        "rustfmt.toml": "tab_spaces = 2\n",
        "rust-toolchain.toml": "[toolchain]\nchannel = '0.1'\n",
    }
    found, notes = made(tmp_path, before, {"src/new.rs": "fn f(){g()}\n", "src/k.cu": "int  a;\n"})
    assert (found, notes) == ({"src/new.rs": "fn f() {\n  g()\n}\n", "src/k.cu": "int  a;\n"}, [])


def test_the_edition_is_the_crates_or_the_workspaces(tmp_path: Path) -> None:
    if not present("rustfmt"):
        return
    # `async` is a name until 2018, and rustfmt of 2015 refuses the function.
    text = "async  fn f() {}\n"
    inherited = '[package]\nname = "b"\nedition.workspace = true\n'
    before = {"Cargo.toml": '[workspace.package]\nedition = "2021"\n', "b/Cargo.toml": inherited}
    found, notes = made(tmp_path, before, {"b/src/lib.rs": text})
    assert (found, notes) == ({"b/src/lib.rs": "async fn f() {}\n"}, [])
    found, notes = made(tmp_path / "old", {"Cargo.toml": '[package]\nname = "a"\n'}, {"src/lib.rs": text})
    assert (found, notes) == ({"src/lib.rs": text}, ["rustfmt does not take it"])


def test_without_rustfmt_a_person_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found, notes = made(tmp_path, {"Cargo.toml": MANIFEST}, {"src/lib.rs": LONG})
    assert (found, notes) == ({"src/lib.rs": LONG}, ["no rustfmt is here: run cargo fmt --all"])
    assert made(tmp_path, {}, {"a.cu": "int a;\n"}) == ({"a.cu": "int a;\n"}, [])
