"""Cargo.toml: the feature ``rocm`` beside ``cuda``, and the layer beside cudarc."""

from __future__ import annotations

import copy
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.fixes.text import edited, newline_of, starts_line
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.port.changes import Change, Manual, PhaseResult, PortPhase
from rewarp.port.rust.renaming import BINDING
from rewarp.port.rust.siblings import Twinless
from rewarp.port.tree import Tree
from rewarp.project.crates import has_amd_feature
from rewarp.registry import fixed_in
from rewarp.source import SourceFile

LAYER = "hiparc"
LAYER_VERSION = "0.1.0"
_TABLES = ("dependencies", "build-dependencies", "dev-dependencies")
_FEATURES = re.compile(rb"^[ \t]*\[[ \t]*features[ \t]*\][^\r\n]*", re.M)
_TARGET = re.compile(rb"^\[\[(?:bin|example|test|bench)\]\][^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.M)
_NEEDED = re.compile(r"required-features\s*=\s*\[([^\]]*)\]")
_OWN_TABLE = re.compile(rb"^\[((?:workspace\.)?(?:build-|dev-)?dependencies\.cudarc)\]", re.M)
_NAME = re.compile(r'^name\s*=\s*"([^"]+)"', re.M)
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
    manifests = {manifest.source.path: manifest for manifest in _manifests(tree)}
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


def wire(chosen: Iterable[Crate], kernels: frozenset[str], twinless: Twinless, result: PhaseResult) -> None:
    """Give the feature to the crates that have a side for AMD now, and the layer to those that use cudarc; programs that
    are built for CUDA get one beside them."""
    chosen = list(chosen)
    names = {crate.name for crate in chosen}
    for crate in chosen:
        if has_amd_feature(crate.manifest):
            continue
        after = _wired(crate, names, kernels, twinless)
        if after is None:
            why = "no place in the file was found where the feature could be added and nothing else change"
            result.manual.append(Manual(crate.path, None, PortPhase.BUILD, "needs the feature rocm", why, _rules()))
        else:
            rules = (*fixed_in("rocm", Kind.CARGO), *fixed_in("rocm", Kind.RUST))
            result.changes.append(Change(crate.path, after, PortPhase.BUILD, _WHY, rules))


def _wired(crate: Crate, names: set[str], kernels: frozenset[str], twinless: Twinless) -> bytes | None:
    """A manifest with the feature rocm. A crate of kernels gets a feature for each platform, so that the other's compiler
    is not asked for; the features that bring it in say so."""
    parts = list(dict.fromkeys(_forwarded(crate, names)))
    after = with_feature(crate, parts)
    if after is None:
        return None
    current = TomlFile(SourceFile(crate.path, after), Kind.CARGO)
    edits: list[tuple[int, int, str]] = []
    if crate.name in kernels and "cuda" not in crate.features:
        key = next(key for key in current.keys if key.path == ("features", "rocm"))
        start = current.source.line_starts[current.source.line_at(key.span.start) - 1]
        edits.append((start, start, "cuda = []" + newline_of(current.source)))
    for name, _, _ in _entries(crate.features.get("cuda", ())):
        asked = f"{name}/cuda"
        if crate.dependencies.get(name) in kernels and asked not in crate.features["cuda"]:
            entry = next(s for s in current.strings if s.path[:2] == ("features", "cuda") and name in s.value)
            edits.append((entry.span.end, entry.span.end, f', "{asked}"'))
    for key in current.keys:
        if (
            key.path[-1] == BINDING
            and key.path[-2:-1]
            and key.path[-2] in _TABLES
            and starts_line(current.source, key.span.start)
            and _asks_for_layer(crate, key.path, parts)
        ):
            edits.append((key.span.start, key.span.start, _layer_entry(current, key.path) + newline_of(current.source)))
    edits += _tables(current)
    edits += _programs(current.source, twinless)
    return edited(current.source, edits)


def _asks_for_layer(crate: Crate, path: tuple[str, ...], parts: Iterable[str]) -> bool:
    """Whether the layer is there in every build, as cudarc is, or the feature brings it in."""
    value: Any = crate.manifest.data
    for name in path:
        value = value[name]
    always = not isinstance(value, dict) or not value.get("optional")
    return always or any(part.removeprefix("dep:").partition("/")[0].rstrip("?") == LAYER for part in parts)


def _tables(manifest: TomlFile) -> Iterator[tuple[int, int, str]]:
    """The layer beside cudarc where that has a table of its own."""
    newline = newline_of(manifest.source)
    for header in _OWN_TABLE.finditer(manifest.source.view):
        name = header[1].decode()
        options = _layer_options(manifest, tuple(name.split(".")))
        yield header.start(), header.start(), newline.join((f"[{name.removesuffix(BINDING)}{LAYER}]", *options, "", ""))


def _programs(source: SourceFile, twinless: Twinless) -> Iterator[tuple[int, int, str]]:
    """A program, example or test for AMD beside each that needs the feature cuda and nothing without a twin."""
    for table in _TARGET.finditer(source.view):
        text = table[0].decode("utf-8", "surrogateescape").rstrip()
        needed = _NEEDED.search(text)
        words = re.findall(r'"([^"]+)"', needed[1]) if needed else []
        twin = re.sub(r"cuda", "rocm", text)
        if "cuda" in words and twinless.features.isdisjoint(words) and _NAME.findall(text) != _NAME.findall(twin):
            if twin not in source.view.decode("utf-8", "surrogateescape"):
                end = table.start() + len(text.encode("utf-8", "surrogateescape"))
                newline = newline_of(source)
                yield end, end, newline * 2 + twin


def _layer_entry(manifest: TomlFile, path: tuple[str, ...]) -> str:
    return f"{LAYER} = {{ {', '.join(_layer_options(manifest, path))} }}"


def _layer_options(manifest: TomlFile, path: tuple[str, ...]) -> list[str]:
    """The layer as a dependency, as cudarc is one: from the workspace, or by its path."""
    value: Any = manifest.data
    for name in path:
        value = value[name]
    options = [] if not isinstance(value, dict) or not value.get("optional") else ["optional = true"]
    if isinstance(value, dict) and value.get("workspace"):
        options.insert(0, "workspace = true")
    else:
        folder = posixpath.relpath(LAYER, posixpath.dirname(manifest.source.path) or ".")
        features = [name for name in ("f16", "f8") if isinstance(value, dict) and name in (value.get("features") or ())]
        options = [f'path = "{folder}"', f'version = "{LAYER_VERSION}"', *options]
        options += [f"features = [{', '.join(map(_quoted, features))}]"] if features else []
    return options


def workspace_layer(tree: Tree, result: PhaseResult) -> None:
    """The layer among the dependencies of a workspace that lists cudarc."""
    for manifest in _manifests(tree):
        key = next((key for key in manifest.keys if key.path == ("workspace", "dependencies", BINDING)), None)
        shared = (manifest.data.get("workspace") or {}).get("dependencies") or {}
        if BINDING in shared and LAYER not in shared:
            edits = list(_tables(manifest))
            if not edits and key is not None:
                line = _layer_entry(manifest, key.path) + newline_of(manifest.source)
                edits = [(key.span.start, key.span.start, line)]
            after = edited(manifest.source, edits)
            rules = fixed_in("rocm", Kind.CARGO)
            result.changes.append(Change(manifest.source.path, after, PortPhase.BUILD, _WHY, rules))


def asked_of_binding(tree: Tree) -> frozenset[str]:
    """The features of cudarc that manifests of a tree ask for."""
    return frozenset(
        string.value
        for manifest in _manifests(tree)
        for string in manifest.strings
        if BINDING in string.path and "features" in string.path
    )


def versions_asked(tree: Tree, names: Iterable[str]) -> dict[str, str]:
    """The versions of some crates that manifests of a tree ask for, the workspace's before its members'."""
    names = set(names)
    found: dict[str, str] = {}
    for manifest in sorted(_manifests(tree), key=lambda one: "workspace" not in one.data):
        for tables in (manifest.data.get("workspace") or {}, manifest.data):
            for name, value in (tables.get("dependencies") or {}).items():
                version = value.get("version") if isinstance(value, dict) else value
                if name in names and isinstance(version, str) and '"' not in version:
                    found.setdefault(name, version)
    return found


def _manifests(tree: Tree) -> Iterator[TomlFile]:
    for path in tree.paths():
        if posixpath.basename(path) == "Cargo.toml":
            try:
                yield TomlFile(SourceFile(path, tree.read(path) or b""), Kind.CARGO)
            except UnreadableSource:
                continue


def _entries(entries: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The parts of a feature: a dependency, a mark where it is weak, the feature asked of it."""
    for entry in entries:
        key, _, feature = entry.partition("/")
        yield key.removeprefix("dep:").removesuffix("?"), "?" if key.endswith("?") else "", feature


def _forwarded(crate: Crate, having: Iterable[str]) -> Iterator[str]:
    """What of the crate's ``cuda`` feature has a twin for AMD."""
    having = set(having)
    outside = {key for kind in _TABLES for key in crate.manifest.data.get(kind) or {} if key not in crate.dependencies}
    for entry, (key, weak, feature) in zip(crate.features.get("cuda", ()), _entries(crate.features.get("cuda", ()))):
        if key == BINDING:
            yield f"dep:{LAYER}" if not feature else f"{LAYER}{weak}/{feature}"
        elif crate.dependencies.get(key) in having:
            if not feature:
                yield entry
            yield f"{key}{weak}/{'rocm' if feature in ('', 'cuda') else feature}"
        elif key not in crate.dependencies and key not in outside:
            yield entry


def _quoted(text: str) -> str:
    return f'"{text}"'


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


def tell_left(crates: dict[str, Crate], chosen: Iterable[Crate], result: PhaseResult) -> None:
    """Crates whose CUDA side leads to nothing that has a twin, and those that ask for CUDA in every build."""
    names = {crate.name for crate in chosen}
    for crate in crates.values():
        if "cuda" in crate.features and crate.name not in names and not has_amd_feature(crate.manifest):
            why = "it leads to no cudarc and no kernels of this tree: what it turns on has no twin"
            result.manual.append(
                Manual(crate.path, None, PortPhase.BUILD, "the feature cuda has no sibling", why, _rules())
            )
        changed = any(change.path == crate.path for change in result.changes)
        for key, value in (crate.manifest.data.get("dependencies") or {}).items():
            asks = isinstance(value, dict) and "cuda" in (value.get("features") or ()) and not changed
            if crate.dependencies.get(key) in names and asks:
                what = f"{crate.name} asks {key} for cuda in every build"
                why = "it needs a version of its own for AMD, or a feature that chooses"
                result.manual.append(Manual(crate.path, None, PortPhase.BUILD, what, why, _rules()))
