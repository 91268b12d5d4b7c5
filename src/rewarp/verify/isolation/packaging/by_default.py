"""Crates that asked others for CUDA in every build and ask for it now through a feature which is on by default."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.source import SourceFile
from rewarp.verify.isolation.context import Context

_KINDS = ("dependencies", "dev-dependencies", "build-dependencies")
FEATURE = "cuda"


def explained(old: dict[str, Any], new: dict[str, Any]) -> frozenset[tuple[str, ...]]:
    """The places of a manifest that changed by this alone; none where it was not done, or not whole."""
    was, now = _features(old), _features(new)
    asks = now.get(FEATURE)
    if FEATURE in was or not isinstance(asks, list) or now.get("default") != [FEATURE, *was.get("default", [])]:
        return frozenset()
    gone = {(kind, key): _gone(old, new, kind, key) for kind in _KINDS for key in old.get(kind) or {}}
    gone = {place: features for place, features in gone.items() if features}
    if {f"{key}/{feature}" for (_, key), features in gone.items() for feature in features} != set(asks):
        return frozenset()
    # Where the crate had no features, the whole table is what is new.
    own = {("features", "default"), ("features", FEATURE)} if was else {("features",)}
    return frozenset({(*place, "features") for place in gone} | own)


def in_every_build(path: str, context: Context) -> bool:
    """Whether a file's crate has the feature since then, and nobody in this tree leaves it out. It is assumed of others."""
    manifest = _manifest(path, context)
    if manifest is None:
        return False
    old, new = (_read(manifest, context.trees.read(manifest, side)) for side in ("before", "after"))
    name = str(new.get("package", {}).get("name"))
    if not explained(old, new) or _left_out(name, list(_manifests(context))):
        return False
    context.trees.assume(f"Nobody builds {name} with default-features = false: CUDA is one of them now.")
    return True


def still_asked(where: tuple[str, ...], old: Any, new: Any, now: dict[str, Any], context: Context) -> bool:
    """Whether this alone changed in a manifest: a crate whose defaults ask for CUDA since then is asked for without its defaults
    and for CUDA by name, or for its defaults by name."""
    if where[:1] == ("features",) and isinstance(old, list) and isinstance(new, list):
        added = [entry for entry in new if entry not in old]
        keys = [entry.removesuffix(f"/{FEATURE}") for entry in added if entry.endswith(f"/{FEATURE}")]
        kept = [entry for entry in new if entry in old] == old
        return kept and len(keys) == len(added) > 0 and all(_chooses(_package(now, key), context) for key in keys)
    if where[-1] != "default-features" or isinstance(old, (bool, dict)) or where[-3:-2] != ("dependencies",):
        return False
    return _chooses(_package(now, where[-2]), context)


def _chooses(name: str, context: Context) -> bool:
    """Whether a crate of this tree has CUDA among its defaults since then, and nobody in the tree is without it now."""
    for path in context.trees.paths("after"):
        if posixpath.basename(path) == "Cargo.toml":
            was, now = (_read(path, context.trees.read(path, side)) for side in ("before", "after"))
            if now.get("package", {}).get("name") == name:
                return bool(explained(was, now)) and not _left_out(name, list(_manifests(context)))
    return False


def _package(data: dict[str, Any], key: str) -> str:
    for part in (data, data.get("workspace") or {}):
        value = (part.get("dependencies") or {}).get(key)
        if isinstance(value, dict) and "package" in value:
            return str(value["package"])
    return key


def _gone(old: dict[str, Any], new: dict[str, Any], kind: str, key: str) -> list[str]:
    was, now = (table.get(kind, {}).get(key) for table in (old, new))
    if not isinstance(was, dict) or not isinstance(now, dict) or was.get("optional"):
        return []
    return [feature for feature in was.get("features") or () if feature not in (now.get("features") or ())]


def _features(data: dict[str, Any]) -> dict[str, Any]:
    found = data.get("features")
    return found if isinstance(found, dict) else {}


def _left_out(name: str, manifests: list[dict[str, Any]]) -> bool:
    """Whether some crate of a tree gets another one without CUDA where it got it with CUDA before."""
    shared = {
        key: value
        for data in manifests
        for key, value in ((data.get("workspace") or {}).get("dependencies") or {}).items()
    }
    return any(_leaves_out(data, name, shared) for data in manifests)


def _leaves_out(data: dict[str, Any], name: str, shared: dict[str, Any]) -> bool:
    for part in (data, *(data.get("target") or {}).values()):
        for kind in _KINDS if isinstance(part, dict) else ():
            for key, value in (part.get(kind) or {}).items():
                inherited = shared.get(key) if isinstance(value, dict) and value.get("workspace") else None
                asked = {**inherited, **value} if isinstance(inherited, dict) else value
                if isinstance(asked, dict) and asked.get("package", key) == name:
                    off = asked.get("default-features") is False or asked.get("default_features") is False
                    if off and not (asked.get("optional") and _asks_by_name(_features(data), key)):
                        return True
    return False


def _asks_by_name(features: dict[str, Any], key: str) -> bool:
    """Whether all features that bring a dependency in ask it for CUDA; those that are named for AMD need not."""
    bringing = {name: entries for name, entries in features.items() if {key, f"dep:{key}"} & set(entries)}
    # Without `dep:` anywhere the dependency is a feature of its own, which asks for nothing.
    named = any(f"dep:{key}" in entries for entries in features.values())
    amds = re.compile(r"(?:.+-)?rocm")
    return named and all(amds.fullmatch(name) or f"{key}/{FEATURE}" in entries for name, entries in bringing.items())


def _manifests(context: Context) -> Iterator[dict[str, Any]]:
    for path in context.trees.paths("after"):
        if posixpath.basename(path) == "Cargo.toml":
            yield _read(path, context.trees.read(path, "after"))


def _manifest(path: str, context: Context) -> str | None:
    folder = posixpath.dirname(path)
    while (candidate := posixpath.join(folder, "Cargo.toml")) not in context.trees.after.entries:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return candidate


def _read(path: str, data: bytes | None) -> dict[str, Any]:
    try:
        return TomlFile(SourceFile(path, data or b""), Kind.CARGO).data
    except UnreadableSource:
        return {}
