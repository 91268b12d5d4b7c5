"""Meson: told, not changed. It has CUDA as a language and HIP not at all."""

from __future__ import annotations

import re

from rewarp.port.model import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree

_CUDA = re.compile(rb"^[ \t]*(?:project|add_languages)[ \t]*\([^)]*'cuda'", re.M)


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    for path in tree.paths():
        data = tree.read(path) or b"" if path.rpartition("/")[2] == "meson.build" else b""
        if found := _CUDA.search(data):
            line = data.count(b"\n", 0, found.start()) + 1
            why = "Meson does not know HIP as a language: the kernels need custom_target() with hipcc, behind an option"
            result.manual.append(Manual(path, line, PortPhase.BUILD, "the CUDA language is asked for", why, "BLD-018"))
    return result
