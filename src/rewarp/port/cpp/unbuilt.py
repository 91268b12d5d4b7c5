"""Sources that get no HIP version, because no build for AMD would compile it."""

from __future__ import annotations

from rewarp.port.build import cmake, makefile
from rewarp.port.rust import kernels, manifests
from rewarp.port.tree import Tree


def of_crates(tree: Tree) -> list[str]:
    """The folders of Rust crates whose kernels the port has compiled from the CUDA sources themselves."""
    crates = manifests.read_crates(tree)
    unread = {folder for folder, _ in kernels.unread(tree, crates)}
    return [crate.folder for crate, _ in kernels.kernel_crates(tree, crates) if crate.folder not in unread]


def idle(tree: Tree) -> dict[str, str]:
    """Folders whose sources get no HIP versions, each with the reason."""
    own = (
        "the project's own build for HIP takes the sources as they are; what they use beyond that has to be told there"
    )
    found = dict.fromkeys([*cmake.hip_roots(tree), *makefile.hip_folders(tree)], own)
    crates = manifests.read_crates(tree)
    return found | {
        folder: f"build.rs cannot be made to compile them: {why}" for folder, why in kernels.unread(tree, crates)
    }
