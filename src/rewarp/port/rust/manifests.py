"""Cargo.toml: the feature ``rocm``, from the crates that compile kernels up to those that ask for them."""

from __future__ import annotations

import copy
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.fixes.text import edited, newline_of
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.port.model import Change, Manual, PhaseResult, PortPhase
from rewarp.port.tree import Tree
from rewarp.project.crates import has_amd_feature
from rewarp.registry import fixed_in
from rewarp.source import SourceFile

_FORWARD = re.compile(r"([\w-]+)(\??)/cuda")
_TABLES = ("dependencies", "build-dependencies", "dev-dependencies")
_FEATURES = re.compile(rb"^[ \t]*\[[ \t]*features[ \t]*\][^\r\n]*", re.M)
_WHY = "The feature rocm stands beside cuda and builds the kernels for AMD; nobody gets it without asking."


@dataclass(frozen=True)
class Crate:
    name: str
    folder: str
    manifest: TomlFile
    dependencies: dict[str, str]
    """Crates of this tree by the name they are asked for under: their own names."""

    @property
    def path(self) -> str:
        return posixpath.join(self.folder, "Cargo.toml")

    @property
    def features(self) -> dict[str, list[str]]:
        found = self.manifest.data.get("features")
        return found if isinstance(found, dict) else {}


def _rules() -> str:
    """The rules that the feature answers."""
    return ", ".join(fixed_in("rocm", Kind.CARGO))


def read_crates(tree: Tree) -> dict[str, Crate]:
    """The crates of a tree by name."""
    manifests: dict[str, TomlFile] = {}
    for path in tree.paths():
        if posixpath.basename(path) == "Cargo.toml":
            try:
                manifests[path] = TomlFile(SourceFile(path, tree.read(path) or b""), Kind.CARGO)
            except UnreadableSource:
                continue
    names = {posixpath.dirname(path): _name(manifest) for path, manifest in manifests.items() if _name(manifest)}
    shared: dict[str, str] = {}
    for path, manifest in manifests.items():
        shared |= _own(manifest.data.get("workspace"), posixpath.dirname(path), names, {})
    return {
        name: Crate(name, folder, manifests[path], _own(manifests[path].data, folder, names, shared))
        for folder, name in names.items()
        if (path := posixpath.join(folder, "Cargo.toml")) in manifests
    }


def _name(manifest: TomlFile) -> str:
    package = manifest.data.get("package")
    name = package.get("name") if isinstance(package, dict) else None
    return name if isinstance(name, str) else ""


def _own(data: Any, folder: str, names: dict[str, str], shared: dict[str, str]) -> dict[str, str]:
    """Dependencies that are crates of this tree."""
    tables = [data, *data.get("target", {}).values()] if isinstance(data, dict) else []
    found: dict[str, str] = {}
    for table in tables:
        for kind in _TABLES:
            for key, value in (table.get(kind) or {}).items() if isinstance(table, dict) else ():
                if not isinstance(value, dict):
                    continue
                if isinstance(value.get("path"), str):
                    name = names.get(posixpath.normpath(posixpath.join(folder, value["path"])))
                    found |= {key: name} if name else {}
                elif value.get("workspace") and key in shared:
                    found[key] = shared[key]
    return found


def wire(tree: Tree, crates: dict[str, Crate], ported: set[str], result: PhaseResult) -> None:
    """Give the feature to crates whose kernels are ported, and to all whose ``cuda`` feature leads to one of them."""
    parts: dict[str, list[str]] = {name: [] for name in ported}
    has_feature = {name for name, crate in crates.items() if "rocm" in crate.features}
    while True:
        found = {
            name: list(_forwarded(crate, {*parts, *has_feature}))
            for name, crate in crates.items()
            if name not in ported and "cuda" in crate.features
        }
        new = {name: wanted for name, wanted in found.items() if wanted and parts.get(name) != wanted}
        if not new:
            break
        parts |= new
    for name, wanted in sorted(parts.items()):
        crate = crates[name]
        if has_amd_feature(crate.manifest):
            continue
        after = with_feature(crate, wanted)
        if after is None:
            why = "no place in the file was found where the feature could be added and nothing else change"
            result.manual.append(Manual(crate.path, None, PortPhase.BUILD, "needs the feature rocm", why, _rules()))
        else:
            result.changes.append(
                Change(
                    crate.path,
                    after,
                    PortPhase.BUILD,
                    _WHY,
                    (*fixed_in("rocm", Kind.CARGO), *fixed_in("rocm", Kind.RUST)),
                )
            )
    for crate in crates.values():
        if "cuda" in crate.features and crate.name not in parts and not has_amd_feature(crate.manifest):
            why = "it leads to no kernels of this tree: what it turns on has to be written for AMD first"
            result.manual.append(
                Manual(crate.path, None, PortPhase.BUILD, "the feature cuda has no sibling", why, _rules())
            )
    _tell_always_cuda(crates, parts, result)


def _forwarded(crate: Crate, having: Iterable[str]) -> Iterator[str]:
    """What of the crate's ``cuda`` feature has a twin for AMD."""
    having = set(having)
    for part in crate.features.get("cuda", ()):
        match = _FORWARD.fullmatch(part)
        key = match[1] if match else part.removeprefix("dep:")
        if crate.dependencies.get(key) not in having:
            continue
        if match:
            yield f"{key}{match[2]}/rocm"
        else:
            yield part
            yield f"{key}/rocm"


def with_feature(crate: Crate, parts: list[str]) -> bytes | None:
    """The manifest with the feature; None where something else would change with it."""
    source = crate.manifest.source
    line = "rocm = [" + ", ".join(f'"{part}"' for part in parts) + "]"
    newline = newline_of(source)
    table = _FEATURES.search(source.view)
    cuda = next((key for key in crate.manifest.keys if key.path == ("features", "cuda")), None)
    if cuda and table:
        start = source.line_starts[source.line_at(cuda.span.start) - 1]
        after = edited(source, [(start, start, line + newline)])
    elif table:
        after = edited(source, [(table.end(), table.end(), newline + line)])
    elif "features" not in crate.manifest.data:
        size = len(source.view)
        gap = newline if source.view.endswith(b"\n") else newline * 2
        after = edited(source, [(size, size, f"{gap}[features]{newline}{line}{newline}")])
    else:
        return None
    expected = copy.deepcopy(crate.manifest.data)
    expected.setdefault("features", {})["rocm"] = parts
    try:
        same = TomlFile(SourceFile(source.path, after), Kind.CARGO).data == expected
    except UnreadableSource:
        return None
    return after if same else None


def _tell_always_cuda(crates: dict[str, Crate], parts: dict[str, list[str]], result: PhaseResult) -> None:
    """A crate that asks for CUDA in every build cannot be reached by a feature."""
    for crate in crates.values():
        for key, value in (crate.manifest.data.get("dependencies") or {}).items():
            if (
                crate.dependencies.get(key) in parts
                and isinstance(value, dict)
                and "cuda" in (value.get("features") or ())
            ):
                what = f"{crate.name} asks {key} for cuda in every build"
                why = "it needs a version of its own for AMD, or a feature that chooses"
                result.manual.append(Manual(crate.path, None, PortPhase.BUILD, what, why, _rules()))
