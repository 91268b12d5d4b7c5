"""What of a workspace's CUDA side has no twin for AMD: crates, cargo features, modules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from rewarp.lang.rust_groups import groups
from rewarp.lang.rust_tree import parse, text
from rewarp.port.rust import unconditional
from rewarp.port.rust.manifests import Crate
from rewarp.port.rust.renaming import BINDING, SUPPLIED, Renaming
from rewarp.port.rust.siblings import Twinless
from rewarp.port.tree import Tree

_OF_BINDING = frozenset({*SUPPLIED, "std", "f16", "f8", "dynamic-loading", "dynamic-linking", "cublaslt"})


@dataclass(frozen=True)
class Reach:
    """The crates whose feature ``cuda`` leads to cudarc or to kernels that are compiled for AMD, and what does not."""

    crates: tuple[Crate, ...]
    twinless: Twinless


def reach(tree: Tree, crates: dict[str, Crate], kernels: frozenset[str], supplied: Collection[str]) -> Reach:
    """``supplied``: the crates that ask for CUDA in every build and get a feature that chooses."""
    alone = {crate.name for crate in crates.values() if _always_cuda(crate)} - set(supplied)
    own = on_binding(crates)
    chosen = leading(crates, own | kernels, supplied)
    found = {crate.name for crate in chosen}
    others = {c.name for c in crates.values() if c.name not in found and ("cuda" in c.features or c.name in alone)}
    features = {name for crate in chosen for name in _twinless_features(crate, others)}
    names = {name.replace("-", "_") for name in others} | set(_twinless_modules(tree, chosen))
    names |= set(_made_for_cuda(tree, [crate for crate in chosen if crate.name not in kernels]))
    return Reach(chosen, Twinless(frozenset(features), frozenset(names)))


def outside(tree: Tree, crates: dict[str, Crate]) -> dict[str, str]:
    """The crates whose CUDA side is written in the types of a crate that is not in this tree: what that one has for AMD, if
    anything, is not known here."""
    found: dict[str, str] = {}
    for crate in crates.values():
        asked = {key for key, feature in _cuda_parts(crate) if feature == "cuda" and key not in crate.dependencies}
        prefix = crate.folder + "/src/" if crate.folder else "src/"
        paths = (path for path in tree.paths() if asked and path.startswith(prefix) and path.endswith(".rs"))
        code = b"\n".join(tree.read(path) or b"" for path in paths)
        for key in sorted(asked - {BINDING}):
            name = key.replace("-", "_").encode()
            names = {name, *re.findall(rb"\b(?:use|extern crate)\s+" + name + rb"\s+as\s+(\w+)", code)}
            if re.search(rb"\b(?:" + b"|".join(names) + rb")::(?:\w+::)*(?:\{[^}]*)?\w*[Cc]uda", code):
                found.setdefault(crate.name, key)
    return found


def on_binding(crates: dict[str, Crate]) -> set[str]:
    """The crates whose feature ``cuda`` brings cudarc in."""
    return {crate.name for crate in crates.values() if any(key == BINDING for key, _ in _cuda_parts(crate))}


def leading(crates: dict[str, Crate], to: Iterable[str], supplied: Collection[str]) -> tuple[Crate, ...]:
    """Some crates, and all whose feature ``cuda`` leads to one of them; without those that ask for CUDA in every build."""
    found = set(to)
    while True:
        new = {
            crate.name
            for crate in crates.values()
            if crate.name not in found and any(crate.dependencies.get(key) in found for key, _ in _cuda_parts(crate))
        }
        if not new:
            return tuple(c for c in crates.values() if c.name in found and (c.name in supplied or not _always_cuda(c)))
        found |= new


def _cuda_parts(crate: Crate) -> Iterator[tuple[str, str]]:
    return _parts(crate.features.get("cuda", ()))


def _parts(entries: Iterable[str]) -> Iterator[tuple[str, str]]:
    """A dependency and the feature that is asked of it, or nothing: ``dep:x``, ``x``, ``x/y``, ``x?/y``."""
    for entry in entries:
        key, _, feature = entry.removeprefix("dep:").partition("/")
        yield key.removesuffix("?"), feature


def _always_cuda(crate: Crate) -> bool:
    """Whether every build of a crate asks another one for CUDA."""
    return any(unconditional.asking(crate, "dependencies"))


def _twinless_features(crate: Crate, others: set[str]) -> Iterator[str]:
    for name in crate.features:
        if name == "cuda":
            continue
        waiting, seen = [name], set[str]()
        while waiting:
            strong = (entry for entry in crate.features.get(waiting.pop(), ()) if "?/" not in entry)
            for key, feature in _parts(strong):
                if crate.dependencies.get(key) in others or (key == BINDING and feature and feature not in _OF_BINDING):
                    yield name
                if key in crate.features and key not in seen and key != "cuda" and not feature:
                    seen.add(key)
                    waiting.append(key)


def _made_for_cuda(tree: Tree, crates: Iterable[Crate]) -> Iterator[str]:
    """Modules that hold what a build script makes for CUDA, in crates whose script makes nothing for AMD."""
    for crate in crates:
        prefix = crate.folder + "/" if crate.folder else ""
        for path in tree.paths():
            data = tree.read(path) if path.startswith(prefix) and path.endswith(".rs") else None
            if data is None or not (b"include!" in data and b"OUT_DIR" in data):
                continue
            for group in groups(parse(data)[0].root_node):
                body = text(group.node.child_by_field_name("body")) if group.node.type == "mod_item" else ""
                if group.for_cuda and "include!" in body and "OUT_DIR" in body:
                    yield text(group.node.child_by_field_name("name"))


def _twinless_modules(tree: Tree, crates: Iterable[Crate]) -> Iterator[str]:
    """Modules that are built for CUDA only and whose names do not say so: kernels that are called as C functions, say."""
    renaming = Renaming()
    for crate in crates:
        prefix = crate.folder + "/src/" if crate.folder else "src/"
        for path in tree.paths():
            data = tree.read(path) if path.startswith(prefix) and path.endswith(".rs") else None
            if data is None or b'"cuda"' not in data:
                continue
            gated = [g for g in groups(parse(data)[0].root_node) if g.node.type == "mod_item" and g.for_cuda]
            names = [text(group.node.child_by_field_name("name")) for group in gated]
            for name in names:
                if names.count(name) == 1 and not renaming.changes(name.encode()):
                    yield name
