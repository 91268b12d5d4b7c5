"""Constants that a type brings with it: `K::SHADER` in a function for any `K` is one shader for each operation.

What such a function launches stands in the constants. Where these are notes that something is to be written
(`b"TODO"`), the function does nothing for those operations, however whole its body looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rewarp.parity.rust.comparing.workspace import Workspace, backend_of_path
from rewarp.parity.rust.reading.facts import Function
from rewarp.parity.rust.reading.index import Index
from rewarp.parity.units import Place, Side, Status

_OF_A_TYPE = re.compile(rb"\b([A-Z]\w*)::([A-Z][A-Z0-9_]+)\b")
_CONSTANT = re.compile(rb"\bconst[ \t]+\w+[ \t]*:[^=;{}\n]{1,200}=\s*(b?\"[^\"\n]*\"|[^;\n]{1,200});")
_TO_BE_WRITTEN = re.compile(rb"b?\"(?:TODO|FIXME|XXX|unimplemented|not implemented)!?\"", re.I)
_LITERAL = re.compile(rb"\"([A-Za-z_]\w*)\"")


def asked_of_types(index: Index, function: Function) -> str:
    """The first constant that a function takes from one of its type parameters; empty for none."""
    text = function.source or index.files[function.path][slice(*function.span)]
    found = (match for match in _OF_A_TYPE.finditer(text) if match[1].decode() in function.generics)
    first = next(found, None)
    return first[0].decode() if first else ""


def with_placeholders(workspace: Workspace, side: Side, functions: Iterable[Function]) -> Side:
    """A side of B that asks types for constants some of which are still to be written: a part of it is not done."""
    if side.status is not Status.IMPLEMENTED:
        return side
    asked = next((name for one in functions if (name := asked_of_types(workspace.index, one))), "")
    unwritten = _unwritten(workspace.index, workspace.b) if asked else []
    if not unwritten:
        return side
    why = f"takes {asked}, and {len(unwritten)} such constants of {workspace.b} are still to be written"
    return replace(side, status=Status.PARTIAL, why=why, evidence=(*side.evidence, unwritten[0]))


def _unwritten(index: Index, backend: str) -> list[Place]:
    found = []
    for path, data in sorted(index.files.items()):
        if path in index.facts and backend_of_path(index, path) == backend:
            for match in _CONSTANT.finditer(data):
                if _TO_BE_WRITTEN.fullmatch(match[1]):
                    line = data.count(b"\n", 0, match.start()) + 1
                    found.append(Place(path, line, match[0].decode("utf-8", "replace")))
    return found


def literals(index: Index, backend: str) -> set[str]:
    """The words that stand in quotes in a back end's own files."""
    return {
        name.decode()
        for path, data in index.files.items()
        if path in index.facts and backend_of_path(index, path) == backend
        for name in _LITERAL.findall(data)
    }
