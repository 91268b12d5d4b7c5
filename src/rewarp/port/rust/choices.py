"""Features that ask for CUDA and for a crate which needed CUDA in every build and has a side for AMD now: each gets a sibling for
AMD. That crate's defaults ask for CUDA, so that they go off where it is asked for, and the feature that was there names CUDA."""

from __future__ import annotations

import copy
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.fixes.text import edited, newline_of
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile, TomlKey
from rewarp.port.rust.manifests import Crate
from rewarp.port.tree import Tree
from rewarp.source import SourceFile

_INLINE = re.compile(rb"[ \t]*=[ \t]*\{[^{}\n]*?(?=[ \t]*\})")
_SOURCES = ("src/", "tests/", "benches/", "examples/")


@dataclass(frozen=True)
class Choice:
    """A feature of a crate, and the name under which it asks for the other."""

    crate: Crate
    feature: str
    key: str

    @property
    def sibling(self) -> str:
        return f"{self.feature}-rocm"


def choices(crates: Iterable[Crate], supplied: Collection[str]) -> list[Choice]:
    """``crates``: those that have the feature rocm now; ``supplied``: those that have a side for AMD and CUDA by default. None
    where a crate gets one of these in another way too: it would have to be told apart by hand."""
    found: list[Choice] = []
    for crate in crates:
        keys = [key for key, name in crate.dependencies.items() if name in supplied and crate.name not in supplied]
        for key in keys:
            asking = [name for name, entries in crate.features.items() if key in map(_dependency, entries)]
            optional = (crate.manifest.data.get("dependencies") or {}).get(key)
            if isinstance(optional, dict) and optional.get("optional") and optional.get("default-features") is None:
                chosen = [Choice(crate, name, key) for name in asking]
                if all("cuda" in crate.features[one.feature] and one.sibling not in crate.features for one in chosen):
                    found += chosen
    return found


def _dependency(entry: str) -> str:
    return entry.partition("/")[0].removeprefix("dep:").removesuffix("?")


def manifests(
    crates: Iterable[Crate], chosen: list[Choice], tree: Tree, now: dict[str, bytes]
) -> dict[str, bytes] | None:
    """The manifests that change, from what they are now; None where one could not be written so that nothing else changes."""
    made: dict[str, bytes] = {}
    asking = {(one.crate.name, one.key) for one in chosen}
    shared: set[str] = set()
    for crate in crates:
        for key, name in crate.dependencies.items():
            if name not in {one.crate.dependencies[one.key] for one in chosen}:
                continue
            table = next(
                (t for t in ("dependencies", "dev-dependencies") if key in (crate.manifest.data.get(t) or {})), ""
            )
            value = (crate.manifest.data.get(table) or {}).get(key)
            if not isinstance(value, dict) or ("default-features" in value):
                return None
            inherited = value.get("workspace") is True
            edits = _Edits(crate.path, now.get(crate.path) or tree.read(crate.path) or b"")
            if inherited:
                shared.add(key)
            if (crate.name, key) not in asking:
                if inherited and not edits.option((table, key), True):
                    return None
            elif not inherited and not edits.option((table, key), False):
                return None
            for one in chosen:
                if (one.crate.name, one.key) == (crate.name, key) and not edits.feature(one, chosen):
                    return None
            made[crate.path] = edits.data
    for path in [path for path in tree.paths() if posixpath.basename(path) == "Cargo.toml"] if shared else ():
        edits = _Edits(path, made.get(path) or now.get(path) or tree.read(path) or b"")
        of_workspace = (
            ((edits.manifest.data.get("workspace") or {}).get("dependencies") or {}) if edits.manifest else {}
        )
        for key in sorted(shared & set(of_workspace)):
            if not edits.option(("workspace", "dependencies", key), False):
                return None
            made[path] = edits.data
    return made


class _Edits:
    """A manifest, changed a step at a time; each step is refused where more would change than is meant."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data = path, data

    @property
    def manifest(self) -> TomlFile | None:
        try:
            return TomlFile(SourceFile(self.path, self.data), Kind.CARGO)
        except UnreadableSource:
            return None

    def option(self, place: tuple[str, ...], value: bool) -> bool:
        """The default features of a dependency, on or off."""
        manifest, key = self._found(place)
        at = _INLINE.match(manifest.source.view, key.span.end) if manifest and key else None
        if manifest is None or at is None:
            return False
        expected = copy.deepcopy(manifest.data)
        _inner(expected, place)["default-features"] = value
        return self._put(manifest, [(at.end(), at.end(), f", default-features = {str(value).lower()}")], expected)

    def feature(self, one: Choice, chosen: list[Choice]) -> bool:
        """The sibling of a feature; and the one that was there asks for CUDA by name."""
        manifest, key = self._found(("features", one.feature))
        entries = one.crate.features[one.feature]
        asked = next((entry for entry in entries if _dependency(entry) == one.key), None)
        if manifest is None or key is None or asked is None:
            return False
        string = next(s for s in manifest.strings if s.path[:2] == ("features", one.feature) and s.value == asked)
        start = manifest.source.line_starts[manifest.source.line_at(key.span.start) - 1]
        sibling = [*_siblings(one, entries, chosen), f"{one.key}/rocm"]
        line = f"{one.sibling} = [" + ", ".join(f'"{entry}"' for entry in sibling) + "]" + newline_of(manifest.source)
        expected = copy.deepcopy(manifest.data)
        at = entries.index(asked) + 1
        expected["features"][one.feature] = [*entries[:at], f"{one.key}/cuda", *entries[at:]]
        expected["features"][one.sibling] = sibling
        return self._put(
            manifest, [(start, start, line), (string.span.end, string.span.end, f', "{one.key}/cuda"')], expected
        )

    def _found(self, place: tuple[str, ...]) -> tuple[TomlFile | None, TomlKey | None]:
        manifest = self.manifest
        return manifest, next((key for key in manifest.keys if key.path == place), None) if manifest else None

    def _put(self, manifest: TomlFile, edits: list[tuple[int, int, str]], expected: dict[str, Any]) -> bool:
        before, self.data = self.data, edited(manifest.source, edits)
        after = self.manifest
        if after is None or after.data != expected:
            self.data = before
            return False
        return True


def _inner(data: dict[str, Any], place: tuple[str, ...]) -> dict[str, Any]:
    for name in place:
        data = data[name]
    return data


def _siblings(one: Choice, entries: Iterable[str], chosen: list[Choice]) -> Iterator[str]:
    known = {(other.crate.name, other.feature): other.sibling for other in chosen}
    for entry in entries:
        key, mark, feature = entry.partition("/")
        name = one.crate.dependencies.get(key.removesuffix("?"), "")
        yield "rocm" if entry == "cuda" else f"{key}{mark}{known.get((name, feature), feature)}"


def widened(tree: Tree, chosen: Iterable[Choice], now: dict[str, bytes]) -> dict[str, bytes]:
    """The sources whose conditions ask for such a feature: they ask for either."""
    made: dict[str, bytes] = {}
    for one in chosen:
        asked = re.compile(rb'^([^\n]*\bcfg[^\n]*?)(feature\s*=\s*"' + re.escape(one.feature.encode()) + rb'")', re.M)
        either = rb'\1any(\2, feature = "' + one.sibling.encode() + rb'")'
        folder = one.crate.folder + "/" if one.crate.folder else ""
        for path in tree.paths():
            if path.endswith(".rs") and path.startswith(tuple(folder + part for part in _SOURCES)):
                data = made.get(path) or now.get(path) or tree.read(path) or b""
                if (after := asked.sub(either, data)) != data:
                    made[path] = after
    return made
