"""Sources of which a HIP version would lie idle, because no build for AMD would take it."""

from __future__ import annotations

from rewarp.port.build import cmake
from rewarp.port.rust import kernels, manifests
from rewarp.port.tree import Tree


def idle(tree: Tree) -> dict[str, str]:
    """Folders whose sources get no HIP versions, each with the reason."""
    own = (
        "the project's own build for HIP takes the sources as they are; what they use beyond that has to be told there"
    )
    found = dict.fromkeys(cmake.hip_roots(tree), own)
    crates = manifests.read_crates(tree)
    return found | {
        folder: f"build.rs cannot be made to compile them: {why}" for folder, why in kernels.unread(tree, crates)
    }
