"""Build files that nothing here parses: reported, not changed."""

from __future__ import annotations

import posixpath

from rewarp.fixes import TextNote
from rewarp.port.changes import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import fixes_for


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    for rule, note in fixes_for(context.target.name, TextNote):
        for path in tree.paths():
            data = tree.read(path) or b"" if posixpath.basename(path) == note.file else b""
            if found := note.pattern.search(data):
                line = data.count(b"\n", 0, found.start()) + 1
                result.manual.append(Manual(path, line, PortPhase.BUILD, note.what, note.why, rule))
    return result
