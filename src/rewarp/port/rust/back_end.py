"""What a ROCm back end in Rust has to supply, crate by crate, as the rules tell it."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.fixes import CrateFix
from rewarp.fixes.crate import CratePlace
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.port.model import Manual, PhaseResult, PortPhase
from rewarp.port.rust.manifests import Crate
from rewarp.port.tree import Tree
from rewarp.project.crates import speaks_of_amd
from rewarp.registry import fixes_for
from rewarp.source import SourceFile
from rewarp.targets import Target


def report(tree: Tree, crates: dict[str, Crate], target: Target, result: PhaseResult) -> None:
    for crate in crates.values():
        documents = tuple(document for document in _documents(tree, crate) if not speaks_of_amd(document))
        place = CratePlace(crate.name, crate.folder, documents)
        for rule, fix in fixes_for(target.name, CrateFix):
            result.manual += [
                Manual(it.path, it.line, PortPhase.LIBRARIES, it.what, it.why, rule) for it in fix.report(place)
            ]


def _documents(tree: Tree, crate: Crate) -> Iterator[CodeFile]:
    prefix = crate.folder + "/" if crate.folder else ""
    for path in tree.paths():
        data = tree.read(path) if path.endswith(".rs") and path.startswith(prefix) else None
        if data is not None and (b"cudarc" in data or b"Cuda" in data):
            yield CodeFile(SourceFile(path, data), Kind.RUST)
