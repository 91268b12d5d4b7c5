"""Rust as the project's own rustfmt leaves it, where the project keeps to that: its CI asks, and would be red otherwise."""

from __future__ import annotations

import posixpath
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.port.changes import Change, Manual, PortPhase
from rewarp.port.tree import Tree
from rewarp.source import SourceFile

_SETTINGS = ("rustfmt.toml", ".rustfmt.toml")
_MANIFEST = "Cargo.toml"
_SECONDS = 60
_FIRST_EDITION = "2015"
"""Of a crate that names none."""


def formatted(tree: Tree, changes: Iterable[Change]) -> tuple[list[Change], list[Manual]]:
    """The changes with Rust in the project's form: new files, and those that were in it before. A line for a person where
    rustfmt is not to be had."""
    changes = list(changes)
    ours = [change for change in changes if change.path.endswith(".rs") and change.after is not None]
    if not ours:
        return changes, []
    program = shutil.which("rustfmt")
    if program is None:
        return changes, [_unformatted(ours[0], "no rustfmt is here: run cargo fmt --all")]
    after = tree.with_changes(changes)
    made, notes = [], []
    for change in changes:
        if change not in ours or change.after is None:
            made.append(change)
            continue
        style, before = _Style(after, change.path), tree.read(change.path)
        kept = before is None or style.applied(program, before) == before
        text = style.applied(program, change.after) if kept else change.after
        made.append(change if text is None else replace(change, after=text))
        if text is None:
            notes.append(_unformatted(change, "rustfmt does not take it"))
    return made, notes


def _unformatted(change: Change, why: str) -> Manual:
    return Manual(change.path, None, PortPhase.LIBRARIES, "Rust was not brought into the form of rustfmt", why)


class _Style:
    """How a file is formatted: its crate's edition, and the settings above it."""

    def __init__(self, tree: Tree, path: str) -> None:
        folders = list(_above(path))
        self._edition = _edition(tree, folders)
        found = (tree.read(posixpath.join(folder, name)) for folder in folders for name in _SETTINGS)
        self._settings = next((data for data in found if data is not None), b"")

    def applied(self, program: str, text: bytes) -> bytes | None:
        """None where rustfmt does not take it. It runs where no file of the project can choose another toolchain."""
        with tempfile.TemporaryDirectory(prefix="rewarp-") as name:
            settings = Path(name, _SETTINGS[0])
            settings.write_bytes(self._settings)
            command = [program, "--edition", self._edition, "--config-path", str(settings), "--emit", "stdout"]
            try:
                done = subprocess.run(command, input=text, capture_output=True, timeout=_SECONDS, cwd=name)
            except (OSError, subprocess.TimeoutExpired):
                return None
        return done.stdout if done.returncode == 0 else None


def _above(path: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield path


def _edition(tree: Tree, folders: Iterable[str]) -> str:
    inherited = False
    for folder in folders:
        data = _manifest(tree, posixpath.join(folder, _MANIFEST))
        edition = _of(data.get("package"), "edition")
        if isinstance(edition, str):
            return edition
        if inherited and isinstance(shared := _of(_of(data.get("workspace"), "package"), "edition"), str):
            return shared
        inherited = inherited or _of(edition, "workspace") is True
        if "package" in data and not inherited:
            break
    return _FIRST_EDITION


def _manifest(tree: Tree, path: str) -> dict[str, Any]:
    text = tree.read(path)
    if text is None:
        return {}
    try:
        return TomlFile(SourceFile(path, text), Kind.CARGO).data
    except UnreadableSource:
        return {}


def _of(table: object, key: str) -> object:
    return table.get(key) if isinstance(table, dict) else None
