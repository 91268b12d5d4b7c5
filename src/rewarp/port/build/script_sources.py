"""Sources in a build script that have a translated copy: on ROCm the copy is compiled, so that torch need not make one
of its own over it."""

from __future__ import annotations

import ast

from rewarp.fixes.script import ScriptGate
from rewarp.lang.python import PythonFile
from rewarp.port.build.script_lists import Replacement, replaced_in
from rewarp.port.build.sources import HipSources, twin_name
from rewarp.targets import Target


def copies_in(document: PythonFile, sources: HipSources, gate: ScriptGate, target: Target) -> list[Replacement]:
    edits: list[Replacement] = []
    for items in document.nodes(ast.List, ast.Tuple):
        copies: dict[ast.expr, str] = {
            item: copy
            for item in items.elts
            if isinstance(item, ast.Constant)
            and (copy := _copy(document.string(item) or "", sources))
            and document.span(item).start >= gate.since
            and not document.unreachable(item, target)
        }
        if copies:
            edits += replaced_in(document, items, copies, gate)
    return edits


def _copy(text: str, sources: HipSources) -> str | None:
    """What the copy of a source is called where the source is called ``text``, from whatever folder."""
    has_copy = any(path == text or path.endswith("/" + text.removeprefix("./")) for path in sources.twins)
    return twin_name(text) if text and has_copy else None
