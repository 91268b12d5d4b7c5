"""What a scan has to know of a project as a whole, kept from one scan to the next.

What is kept was found by reading files. It holds as long as rewarp's own code, the tree's listing and the content of each
of those files are the same; else, and where what is kept is broken, the project is looked at again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rewarp.cache import opened, own_code
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.parsers import from_json
from rewarp.project.build.database import databases
from rewarp.project.build.losses import Losses, find_losses
from rewarp.project.compiled import without_sources
from rewarp.project.conditional_imports import conditionally_imported
from rewarp.project.gate_names import gate_names
from rewarp.project.gates import platform_for
from rewarp.project.overview import include_map, look
from rewarp.project.role_names import Role
from rewarp.project.submodules import unread_submodules
from rewarp.project.support import MOST_SHOWN, Evidence, Support, Way
from rewarp.project.unread_languages import unread_language
from rewarp.registry import all_rules
from rewarp.targets import Target
from rewarp.verdict.answer import ProjectView
from rewarp.workspace import Folder

_MOST_KEPT = 500
_Place = tuple[str, int, str]


@dataclass(frozen=True)
class _Found:
    """What there is to keep."""

    roles: dict[str, str]
    not_built: dict[str, str]
    evidence: list[tuple[str, str, int, str]]
    device_code: bool
    translated: bool
    device_units: list[str]
    left_out: list[_Place]
    refused: list[_Place]
    hipified: list[str]
    extensions: list[str]
    device_extensions: list[str]
    undefined: list[str]
    off: list[str]
    put_before: list[tuple[str, str]]
    asked_for: list[str]
    gate_names: list[tuple[str, str, bool]]
    unread: list[tuple[str, str]]
    compiled: list[tuple[str, bool]]
    unread_language: tuple[str, int]
    skipped: dict[str, list[tuple[int, int]]]
    built_there: list[str]


def read_project(tree: Folder, target: Target, kept_in: Path | None = None) -> tuple[ProjectView, Losses]:
    """``kept_in``: the folder of what earlier scans found; None to look anew."""
    store = _Store(kept_in, tree, target.name) if kept_in is not None else None
    found = store.get() if store else None
    if found is None:
        found = _look(tree, target)
        if store:
            store.put(found)
    evidence = tuple(Evidence(Way(way), file, line, text) for way, file, line, text in found.evidence)
    support = Support(target.name, evidence, found.device_code)
    needing = _Needing(tree, found).count
    view = ProjectView(
        found.roles,
        found.not_built,
        found.skipped,
        frozenset(found.off),
        support,
        frozenset(found.asked_for),
        gate_names=frozenset(found.gate_names),
        unread=dict(found.unread),
        compiled=dict(found.compiled),
        unread_language=found.unread_language,
        torch_translates=found.translated,
        needing=needing,
        built_there=frozenset(found.built_there),
    )
    places = frozenset(found.left_out), frozenset(found.refused)
    names = frozenset(found.hipified), frozenset(found.extensions), frozenset(found.device_extensions)
    return view, Losses(*places, *names, frozenset(found.undefined), put_before=frozenset(found.put_before))


def _look(tree: Folder, target: Target) -> _Found:
    project = look(tree, target.name, MOST_SHOWN)
    losses = find_losses(tree, platform_for(target))
    roles = {path: found.role.value for path, found in project.roles.items() if found.role is not Role.PACKAGE}
    left = roles.keys() | project.not_built.keys()
    return _Found(
        roles,
        project.not_built,
        [(item.way.value, item.file, item.line, item.text) for item in project.support.evidence],
        project.support.device_code,
        any(unit.hipified and unit.source not in left for unit in project.there.units),
        sorted(project.device_units),
        sorted(losses.left_out),
        sorted(losses.refused),
        sorted(losses.hipified),
        sorted(losses.extensions),
        sorted(losses.device_extensions),
        sorted(losses.undefined),
        sorted(losses.off),
        sorted(losses.put_before),
        sorted(conditionally_imported(tree, project.roles, _libraries(), _EXTENSIONS)),
        sorted(gate_names(tree, platform_for(target))),
        [(item.path, item.imported) for item in unread_submodules(tree, sorted(set(project.roles) - left))],
        [(item.path, item.device_code) for item in without_sources(tree, project.roles)],
        unread_language(tree, project.roles),
        {path: list(ranges) for path, ranges in project.skipped.items()},
        sorted(project.built_there),
    )


_EXTENSIONS = b"cpp_extension"
"""What builds device code when its module is imported."""


def _libraries() -> frozenset[str]:
    """The packages that rules know as NVIDIA's."""
    rules = (rule for rule in all_rules().values() if rule.family == "libraries")
    return frozenset(word.decode() for rule in rules for anchor in rule.anchors for word in anchor.words)


class _Needing:
    def __init__(self, tree: Folder, found: _Found) -> None:
        self._tree, self._found = tree, found

    @cached_property
    def _includes(self) -> IncludeMap:
        return include_map(self._tree, {path: Role(role) for path, role in self._found.roles.items()})

    def count(self, paths: Iterable[str]) -> tuple[int, int]:
        """How many of the device's units take in one of these files, and how many there are."""
        wanted, units = frozenset(paths), self._found.device_units
        reaching = self._includes.reaching(wanted) if wanted and units else frozenset()
        return len(reaching.intersection(units)), len(units)


# --- from one scan to the next --------------------------------------------------------------


class _Store:
    """What was found last of trees with the same listing."""

    def __init__(self, folder: Path, tree: Folder, target: str) -> None:
        self._file, self._tree = folder / "projects.sqlite", tree
        digest = hashlib.blake2b(own_code(), digest_size=24)
        listed = [(path, entry.nature, entry.size) for path, entry in tree.entries.items()]
        elsewhere = [item for item in databases(tree) if item[0] not in tree.entries]
        digest.update(repr((target, os.path.abspath(tree.root), listed, elsewhere)).encode("utf-8", "surrogatepass"))
        self._key = digest.digest()

    def get(self) -> _Found | None:
        database = opened(self._file, "projects")
        if database is None:
            return None
        try:
            row = database.execute("SELECT value FROM projects WHERE key = ?", (self._key,)).fetchone()
            kept = from_json(row[0]) if row else None
            if kept is None or kept["content"] != self._content(kept["files"]):
                return None
            return _checked(kept["found"])
        except (sqlite3.Error, ValueError, TypeError, LookupError, OverflowError):
            return None
        finally:
            database.close()

    def put(self, found: _Found) -> None:
        paths = list(self._tree.entries)
        files = [at for at, path in enumerate(paths) if path in self._tree.asked]
        kept = json.dumps({"files": files, "content": self._content(files), "found": asdict(found)})
        database = opened(self._file, "projects")
        if database is None:
            return
        with contextlib.closing(database), contextlib.suppress(sqlite3.Error), database:
            database.execute("INSERT OR REPLACE INTO projects VALUES (?, ?, ?)", (self._key, kept, time.time()))
            database.execute(
                "DELETE FROM projects WHERE key NOT IN (SELECT key FROM projects ORDER BY made DESC LIMIT ?)",
                (_MOST_KEPT,),
            )

    def _content(self, files: list[int]) -> str:
        """A digest of files, by their numbers in the listing."""
        paths = list(self._tree.entries)
        digest = hashlib.blake2b(digest_size=24)
        for at in files:
            data = self._tree.read(paths[at])
            digest.update(b"-" if data is None else b"%d:" % len(data) + data)
        return digest.hexdigest()


def _checked(kept: dict[str, Any]) -> _Found:
    """What was kept, if it is what this module keeps. Raises ValueError, TypeError, KeyError, OverflowError."""
    found = _Found(
        {str(path): Role(role).value for path, role in dict(kept["roles"]).items()},
        {str(path): str(why) for path, why in dict(kept["not_built"]).items()},
        [(Way(way).value, str(file), int(line), str(text)) for way, file, line, text in kept["evidence"]],
        bool(kept["device_code"]),
        bool(kept["translated"]),
        [str(path) for path in kept["device_units"]],
        [(str(file), int(line), str(text)) for file, line, text in kept["left_out"]],
        [(str(file), int(line), str(text)) for file, line, text in kept["refused"]],
        [str(path) for path in kept["hipified"]],
        [str(name) for name in kept["extensions"]],
        [str(name) for name in kept["device_extensions"]],
        [str(name) for name in kept["undefined"]],
        [str(name) for name in kept["off"]],
        [(str(source), str(header)) for source, header in kept["put_before"]],
        [str(path) for path in kept["asked_for"]],
        [(str(file), str(name), bool(truth)) for file, name, truth in kept["gate_names"]],
        [(str(path), str(file)) for path, file in kept["unread"]],
        [(str(path), bool(device_code)) for path, device_code in kept["compiled"]],
        (str(kept["unread_language"][0]), int(kept["unread_language"][1])),
        {
            str(path): [(int(first), int(last)) for first, last in ranges]
            for path, ranges in dict(kept["skipped"]).items()
        },
        [str(path) for path in kept["built_there"]],
    )
    if json.dumps(asdict(found)) != json.dumps(kept):
        raise ValueError("not what was kept")
    return found
