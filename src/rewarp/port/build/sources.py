"""How the tree's CUDA sources are to be compiled for HIP: as they are, through a shim, or as translated copies."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from rewarp.port.tree import Tree
from rewarp.translation.shim_text import SHIM_HEADER

_HOST_SUFFIXES = (".c", ".cc", ".cpp", ".cxx")


@dataclass(frozen=True)
class HipSources:
    shim: str | None
    """The folder of the shim's headers."""
    twins: dict[str, str]
    """Translated copies by the path of the source."""

    @classmethod
    def of(cls, tree: Tree) -> HipSources:
        paths = set(tree.paths())
        shims = sorted(posixpath.dirname(path) for path in paths if posixpath.basename(path) == SHIM_HEADER)
        twins = {path: twin for path in paths if (twin := twin_name(path)) and twin in paths}
        return cls(shims[0] if shims else None, twins)

    def for_hip(self, source: str) -> str:
        return self.twins.get(source, source)


def twin_name(path: str) -> str | None:
    """What the translated copy of a source is called: no build for NVIDIA that collects sources takes a ``.hip``."""
    return path.removesuffix(".cu") + ".hip" if path.endswith((".cu", *_HOST_SUFFIXES)) else None


def relative(path: str, folder: str) -> str:
    """A path of the tree as a file in ``folder`` would write it."""
    return posixpath.relpath(path or ".", folder or ".")
