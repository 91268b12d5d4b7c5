"""What projects of Visual Studio compile: the sources that a ``.vcxproj`` names.

Nothing of the conditions and settings is followed: such a project says that a source is built, and for NVIDIA alone."""

from __future__ import annotations

import posixpath
import re

from rewarp.workspace import Tree

_COMPILED = re.compile(r"<\s*(?:CudaCompile|ClCompile)\s+Include\s*=\s*\"([^\"<>]+)\"")


def in_visual_studio(tree: Tree) -> frozenset[str]:
    """The sources of the tree that its projects of Visual Studio name."""
    found: set[str] = set()
    for path in tree.files():
        if path.endswith(".vcxproj"):
            text = (tree.read(path) or b"").decode("utf-8", "replace")
            named = (name.replace("\\", "/") for name in _COMPILED.findall(text))
            found.update(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for name in named)
    return frozenset(found & tree.entries.keys())
