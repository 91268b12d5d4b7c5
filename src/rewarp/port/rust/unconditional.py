"""Crates that enable CUDA in their dependencies unconditionally: their manifests get the feature ``cuda``, on by default, and
``rocm`` beside it."""

from __future__ import annotations

import copy
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.fixes.text import edited, newline_of, starts_line
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.port.rust.manifests import Crate
from rewarp.source import SourceFile

_KINDS = ("dependencies", "dev-dependencies")
_ALONE = re.compile(rb'features\s*=\s*\[\s*"cuda"\s*\]\s*,?[ \t]*|,\s*features\s*=\s*\[\s*"cuda"\s*\](?=\s*\})')
_AMONG = re.compile(rb'"cuda"\s*,\s*|,\s*"cuda"(?=\s*\])')
_DEFAULT = re.compile(rb"^default\s*=\s*\[\s*", re.M)


def asking(crate: Crate, kind: str) -> Iterator[str]:
    """The dependencies that a crate asks for CUDA in every build."""
    for key, value in (crate.manifest.data.get(kind) or {}).items():
        if isinstance(value, dict) and "cuda" in (value.get("features") or ()) and not value.get("optional"):
            yield key


def by_feature(crate: Crate, having: Collection[str], to: Crate | None = None) -> bytes | None:
    """The manifest, where all that is asked for CUDA has a side for AMD now and nothing else would change. ``to``: the crate
    that does on AMD what this one does for CUDA."""
    asked = [(kind, key) for kind in _KINDS for key in asking(crate, kind)]
    if not asked or "cuda" in crate.features or any(crate.dependencies.get(key) not in having for _, key in asked):
        return None
    source = crate.manifest.source
    edits = [edit for kind, key in asked if (edit := _no_longer(crate.manifest, kind, key))]
    edits += _features(crate, list(dict.fromkeys(key for _, key in asked)), to)
    edits += _dependency(crate, to) if to is not None else ()
    after = edited(source, edits)
    try:
        same = TomlFile(SourceFile(source.path, after), Kind.CARGO).data == _expected(crate, asked, to)
    except UnreadableSource:
        return None
    return after if same else None


def _no_longer(manifest: TomlFile, kind: str, key: str) -> tuple[int, int, str] | None:
    string = next((s for s in manifest.strings if s.path[:3] == (kind, key, "features") and s.value == "cuda"), None)
    if string is None:
        return None
    source = manifest.source
    line = source.line_at(string.span.start)
    start = source.line_starts[line - 1]
    end = source.line_starts[line] if line < len(source.line_starts) else len(source.view)
    found = _ALONE.search(source.view, start, end) or _AMONG.search(source.view, start, end)
    return (found.start(), found.end(), "") if found else None


def _dependency(crate: Crate, to: Crate) -> Iterator[tuple[int, int, str]]:
    manifest = crate.manifest
    first = next((key for key in manifest.keys if key.path[:1] == ("dependencies",) and len(key.path) == 2), None)
    if first is not None and starts_line(manifest.source, first.span.start):
        options = ", ".join(f"{name} = {_toml(value)}" for name, value in _asked(crate, to).items())
        at = first.span.start
        yield at, at, f"{to.name} = {{ {options} }}" + newline_of(manifest.source)


def _asked(crate: Crate, to: Crate) -> dict[str, Any]:
    """Another crate as a dependency that AMD's feature brings in."""
    package = to.manifest.data.get("package")
    version = package.get("version") if isinstance(package, dict) else None
    options = {"path": posixpath.relpath(to.folder, crate.folder or "."), "version": version}
    return {name: value for name, value in options.items() if isinstance(value, str)} | {
        "default-features": False,
        "optional": True,
    }


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _sides(keys: Iterable[str], to: Crate | None) -> dict[str, list[str]]:
    """The features that choose, and what they ask for."""
    sides = {side: [f"{key}/{side}" for key in keys] for side in ("cuda", "rocm")}
    sides["rocm"] += [f"dep:{to.name}", f"{to.name}/rocm"] if to is not None else []
    return sides


def _features(crate: Crate, keys: list[str], to: Crate | None) -> Iterator[tuple[int, int, str]]:
    source = crate.manifest.source
    newline = newline_of(source)
    asked = _sides(keys, to).items()
    sides = [f"{side} = [" + ", ".join(f'"{entry}"' for entry in entries) + "]" for side, entries in asked]
    default = _DEFAULT.search(source.view) if "default" in crate.features else None
    if default:
        yield default.end(), default.end(), '"cuda"' + (", " if crate.features["default"] else "")
        end = source.view.find(b"\n", source.view.find(b"]", default.end())) + 1
        yield end or len(source.view), end or len(source.view), ("" if end else newline) + newline.join(sides) + newline
    elif "features" not in crate.manifest.data:
        gap = newline if source.view.endswith(b"\n") else newline * 2
        size = len(source.view)
        yield size, size, gap + newline.join(("[features]", 'default = ["cuda"]', *sides)) + newline


def _expected(crate: Crate, asked: list[tuple[str, str]], to: Crate | None) -> dict[str, Any]:
    made = copy.deepcopy(crate.manifest.data)
    for kind, key in asked:
        value = made[kind][key]
        value["features"] = [feature for feature in value["features"] if feature != "cuda"]
        if not value["features"]:
            del value["features"]
    features = made.setdefault("features", {})
    features["default"] = ["cuda", *features.get("default", [])]
    features |= _sides(dict.fromkeys(key for _, key in asked), to)
    if to is not None:
        made["dependencies"][to.name] = _asked(crate, to)
    return made
