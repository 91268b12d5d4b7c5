"""How the tree's CUDA sources are to be compiled for HIP: as they are, through a shim, or as translated copies."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from rewarp.files import is_below
from rewarp.lang.cpp.includes import IncludeMap, written_includes
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.port.tree import Tree
from rewarp.source import SourceFile
from rewarp.translation.shim_text import SHIM_HEADER

_HOST_SUFFIXES = (".c", ".cc", ".cpp", ".cxx")


@dataclass(frozen=True)
class HipSources:
    shim: str | None
    """The folder of the shim's headers."""
    twins: dict[str, str]
    """Translated copies by the path of the source."""

    host_speaks_cuda: bool = False
    """Whether C++ that is no device code includes a header that the shim has."""

    @classmethod
    def of(cls, tree: Tree) -> HipSources:
        paths = set(tree.paths())
        shims = sorted(posixpath.dirname(path) for path in paths if posixpath.basename(path) == SHIM_HEADER)
        twins = {path: twin for path in paths if (twin := twin_name(path)) and twin in paths}
        shim = shims[0] if shims else None
        return cls(shim, twins, shim is not None and _host_speaks_cuda(tree, shim))

    def for_hip(self, source: str) -> str:
        return self.twins.get(source, source)


def _host_speaks_cuda(tree: Tree, shim: str) -> bool:
    headers = {posixpath.relpath(path, shim) for path in tree.paths() if is_below(path, shim)}
    paths = [path for path in tree.paths() if kind_of_path(path) in CPP_KINDS and not is_below(path, shim)]
    sources = {path: SourceFile(path, tree.read(path) or b"") for path in paths}
    reached = IncludeMap.of(sources.values()).reached(path for path in paths if path.endswith(_HOST_SUFFIXES))
    return any(include.name in headers for path in reached for include in written_includes(sources[path].view))


def twin_name(path: str) -> str | None:
    """What the translated copy of a source is called: no build for NVIDIA that collects sources takes a ``.hip``."""
    return path.removesuffix(".cu") + ".hip" if path.endswith((".cu", *_HOST_SUFFIXES)) else None


def relative(path: str, folder: str) -> str:
    """A path of the tree as a file in ``folder`` would write it."""
    return posixpath.relpath(path or ".", folder or ".")
