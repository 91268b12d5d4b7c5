"""What a scan has to know of a project as a whole, kept from one scan to the next (see ``kept``)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rewarp.lang.cpp.includes import IncludeMap
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
from rewarp.verdict.kept import Kept
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
    kept = Kept(kept_in, "projects", tree, target.name, _MOST_KEPT) if kept_in is not None else None
    found = _checked(kept.get()) if kept else None
    if found is None:
        found = _look(tree, target)
        if kept:
            kept.put(asdict(found))
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


def _checked(kept: Any) -> _Found | None:
    """What was kept, if it is what this module keeps."""
    try:
        found = _read(kept) if kept is not None else None
    except (ValueError, TypeError, LookupError, OverflowError):
        return None
    return found if found is not None and json.dumps(asdict(found)) == json.dumps(kept) else None


def _read(kept: dict[str, Any]) -> _Found:
    return _Found(
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
