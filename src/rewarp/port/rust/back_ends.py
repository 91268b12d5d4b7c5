"""A back end for AMD beside CUDA's, in every crate of a workspace that has one or leads to one."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rewarp.port.rust import twins
from rewarp.port.rust.attention import Interface
from rewarp.port.rust.delegating import Delegation
from rewarp.port.rust.manifests import Crate
from rewarp.port.rust.renaming import SUPPLIED, Renaming, kernel_names
from rewarp.port.rust.siblings import Left, Siblings, Twinless, with_siblings
from rewarp.port.rust.twins import Twin
from rewarp.port.tree import Tree

_USES_ABSENT = re.compile(rb"^use cudarc::(?!" + "|".join(sorted(SUPPLIED)).encode() + rb")\w", re.M)
_PROGRAMS = re.compile(r"(^|/)(src/bin|examples)$")
"""Where each file is a program of its own."""
_SOURCES = ("src/", "tests/", "benches/", "examples/")


@dataclass
class BackEnd:
    """What a workspace gets: files by path, and what was left."""

    changed: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)
    left: dict[str, list[Left]] = field(default_factory=dict)
    made: Counter[str] = field(default_factory=Counter)
    widened: list[tuple[str, int, str]] = field(default_factory=list)
    """Public enums with one variant more: path, line, name."""
    touched: set[str] = field(default_factory=set)
    """The crates that hold something for AMD now."""


def generate(
    tree: Tree,
    crates: Iterable[Crate],
    kernels: frozenset[str],
    twinless: Twinless,
    supplied: Mapping[str, Interface],
    delegated: Mapping[str, Delegation],
) -> BackEnd:
    """The back end; ``kernels``: the crates that hold kernels, which are offered as code objects too; ``supplied``: those
    whose library has an implementation of rewarp's own; ``delegated``: those of them that hand over to another."""
    made = BackEnd()
    chosen = list(crates)
    shared = {crate.name: list(_files(tree, crate, chosen, twinless)) for crate in chosen}
    alone = _cudas_own(tree, [path for files in shared.values() for path in files], twinless)
    renaming = Renaming(
        twins.collisions(tree.read(path) or b"" for path in alone)
        | twins.gated_names(tree.read(path) or b"" for files in shared.values() for path in files if path not in alone),
        kernel_names(tree.read(path) or b"" for path in tree.paths() if path.endswith((".cu", ".cuh"))),
    )
    for crate in chosen:
        interface = supplied.get(crate.name)
        if interface and crate.name not in delegated:
            new, data = interface.twin(renaming)
            made.new[new] = data
            made.touched.add(crate.name)
        for path in shared[crate.name]:
            data = tree.read(path) or b""
            if path in alone:
                twin = twins.twin_of(path, alone[path], data, renaming, twinless)
                _keep_twin(made, path, twin)
                made.touched.add(crate.name)
            elif renaming.concern(data):
                call = interface.call if interface else None
                calls = delegated[crate.name].calls.get(path, ()) if crate.name in delegated else None
                found = with_siblings(data, renaming, twinless, gated=crate.name in kernels, call=call, delegated=calls)
                _keep_siblings(made, path, data, found)
                if found.data != data:
                    made.touched.add(crate.name)
    return made


def _keep_twin(made: BackEnd, path: str, twin: Twin) -> None:
    if twin.data:
        made.new[twin.path] = twin.data
        made.made["files"] += 1
    if twin.left:
        made.left[path] = twin.left


def _keep_siblings(made: BackEnd, path: str, before: bytes, found: Siblings) -> None:
    if found.data != before:
        made.changed[path] = found.data
        made.made += found.made
        made.widened += [(path, line, name) for line, name in found.widened]
    if found.left:
        made.left[path] = found.left


def _files(tree: Tree, crate: Crate, others: Iterable[Crate], twinless: Twinless) -> Iterable[str]:
    """The Rust files of a crate, without those of crates within it, and of modules that have no twin."""
    folder = crate.folder + "/" if crate.folder else ""
    inner = [other.folder + "/" for other in others if other.folder.startswith(folder) and other.folder != crate.folder]
    for path in tree.paths():
        if path.endswith(".rs") and path.startswith(tuple(folder + part for part in _SOURCES)):
            module = posixpath.basename(path).removesuffix(".rs")
            if not any(path.startswith(one) for one in inner) and module not in twinless.names:
                if not _USES_ABSENT.search(tree.read(path) or b""):
                    yield path


def _cudas_own(tree: Tree, paths: list[str], twinless: Twinless) -> dict[str, str]:
    """The files that are CUDA's alone, each with the path of its twin: those of modules whose declaration gets a sibling."""
    plain = Renaming()
    found: dict[str, str] = {}
    for path in paths:
        data = tree.read(path) or b""
        if not plain.concern(data):
            continue
        folder, name = posixpath.split(path)
        program = plain.identifier(name.removesuffix(".rs").encode()).decode() + ".rs"
        if _PROGRAMS.search(folder) and program != name and posixpath.join(folder, program) not in tree:
            found[path] = posixpath.join(folder, program)
            continue
        for module in with_siblings(data, plain, twinless).modules:
            file = twins.module_files(path, module, paths)
            if file is None:
                continue
            old, new = module, plain.identifier(module.encode()).decode()
            base = posixpath.dirname(file) if file.endswith("/mod.rs") else file.removesuffix(".rs")
            renamed = base.removesuffix(old) + new
            for inner in twins.whole(file, tree.read, paths, twinless):
                found[inner] = renamed + inner.removeprefix(base)
    return found
