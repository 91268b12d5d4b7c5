"""What the tests of the port share: small repositories, and parts whose changes are known."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from rewarp.port import engine
from rewarp.port.changes import Change, PhaseResult, PortContext, PortPhase
from rewarp.port.parts import Run
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS

UNPROVED = frozenset(PortPhase) - {PortPhase.VERIFICATION}


def git(folder: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    name = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *name, *arguments], cwd=folder, input=stdin, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def repository(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A git repository with one commit."""
    plain(folder, files)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def plain(folder: Path, files: Mapping[str, bytes]) -> Path:
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file and folder but git's own, with its permissions."""
    return {
        file.relative_to(folder).as_posix(): (file.read_bytes() if file.is_file() else b"/", file.stat().st_mode)
        for file in folder.rglob("*")
        if ".git" not in file.relative_to(folder).parts
    }


def part(wanted: Mapping[str, bytes | None], phase: PortPhase = PortPhase.LIBRARIES) -> Run:
    """A part that wants files to hold these contents."""

    def run(tree: Tree, context: PortContext) -> PhaseResult:
        return PhaseResult(
            [Change(path, data, phase, f"{path} must change.", ("X-001",)) for path, data in wanted.items()]
        )

    return run


def ported(root: Path, *parts: Run, original: Tree | None = None) -> Port:
    """The port that these parts make, without proof."""
    before = engine.parts_for
    engine.parts_for = lambda target: {str(number): run for number, run in enumerate(parts)}
    try:
        return engine.port(Tree(root), TARGETS["rocm"], phases=UNPROVED, original=original)
    finally:
        engine.parts_for = before
