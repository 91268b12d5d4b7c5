"""What an image starts, followed through the project's own scripts: one that builds for CUDA there needs another on AMD."""

from __future__ import annotations

import os
import posixpath
import re

from rewarp.lang.dockerfile import Dockerfile
from rewarp.port.tree import Tree

_STARTS = ("ENTRYPOINT", "CMD", "RUN")
_SCRIPTS = (".sh", ".bash", ".py")
_MOST = 40
_NVCC = re.compile(rb"(?<![\w./-])nvcc(?![\w.-])")
_MAKE = re.compile(rb"(?<![\w./-])make(?=[\s'\"]|$)", re.M)
_COMMENT = re.compile(rb"(?m)(?:^|(?<=[ \t]))#.*$")


def builds_for_cuda(document: Dockerfile, tree: Tree) -> str | None:
    """The script of the project that an image runs, itself or by another, and that calls nvcc, or make for CUDA."""
    said = b"\n".join(os.fsencode(item.value) for item in document.instructions if item.name in _STARTS)
    scripts = {path: os.fsencode(posixpath.basename(path)) for path in tree.paths() if path.endswith(_SCRIPTS)}
    makes = any(
        posixpath.basename(path) in ("Makefile", "makefile", "GNUmakefile") and _NVCC.search(tree.read(path) or b"")
        for path in tree.paths()
    )
    waiting = [path for path in scripts if os.fsencode(path) in said]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST:
        path = waiting.pop()
        seen.add(path)
        text = _COMMENT.sub(b"", tree.read(path) or b"")
        if _NVCC.search(text) or (makes and _MAKE.search(text)):
            return path
        waiting += [other for other, name in scripts.items() if name in text and other not in seen]
    return None
