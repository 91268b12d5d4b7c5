"""New HIP versions that do not compile, where no build decides: they are dropped, with the rest of the same program."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.port.changes import Change, Manual, PortPhase
from rewarp.port.cpp.translation import hip_name
from rewarp.port.tree import Tree
from rewarp.verify.checks import Check, Evidence, Level, Outcome

NO_COPY = "a HIP version was not added"
_MAIN = re.compile(rb"\bmain\s*\(")


def is_copy(change: Change) -> bool:
    return change.phase is PortPhase.TRANSLATION and change.path.endswith(".hip")


def tells_of_hip(change: Change) -> bool:
    """Whether a build or a script among the changes speaks of HIP."""
    return kind_of_path(change.path) not in CPP_KINDS and b"hip" in (change.after or b"").lower()


def failed_copies(tree: Tree, changes: list[Change], levels: Iterable[Evidence]) -> dict[Change, Manual]:
    """The new HIP versions to take back, each with why. What a changed build compiles goes, or stays, with that build."""
    copies = {change.path: change for change in changes if is_copy(change) and change.path not in tree}
    if not copies or any(map(tells_of_hip, changes)):
        return {}
    failed = {
        path: check
        for level in levels
        if level.level is Level.BUILD
        for check in level.checks
        if check.outcome is Outcome.FAILED and (path := check.what.rpartition(" for ")[0]) in copies
    }
    originals = {hip_name(path): path for path in tree.paths() if kind_of_path(path) in CPP_KINDS}
    return {
        copies[path]: Manual(
            originals.get(path, path), None, PortPhase.TRANSLATION, NO_COPY, f"{check.what}: {check.why}", stops=True
        )
        for path, check in _with_their_programs(copies, failed).items()
    }


def _with_their_programs(copies: dict[str, Change], failed: dict[str, Check]) -> dict[str, Check]:
    """Those that failed, and of their folders what is no program by itself; where a part failed that is none, all programs
    there may need it."""
    folders: dict[str, Check] = {}
    for path, check in failed.items():
        folders.setdefault(posixpath.dirname(path), check)
    parts = {posixpath.dirname(path) for path in failed if not _is_program(copies[path])}
    found = dict(failed)
    for path, change in copies.items():
        folder = posixpath.dirname(path)
        if folder in parts or (folder in folders and not _is_program(change)):
            found.setdefault(path, folders[folder])
    return found


def _is_program(copy: Change) -> bool:
    return _MAIN.search(copy.after or b"") is not None
