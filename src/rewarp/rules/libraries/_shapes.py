"""Shapes that many library rules share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.findings import Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import Import, PythonFile
from rewarp.registry import Hit

PYTHON = (Kind.PYTHON, Kind.NOTEBOOK)
_NVIDIA_FOLDER = re.compile(r"(?i)nvidia|cuda|cutlass|cute|cute_?dsl|cutile|hopper|blackwell|sm_?\d{2,3}a?")


def imports_of(
    document: PythonFile,
    *packages: str,
    optional: Severity = Severity.INFO,
    deferred: Severity | None = None,
    folders: bool = False,
) -> Iterator[Hit]:
    """A hit for every import of these packages; one that already has a fallback is milder.

    ``deferred`` is the severity inside a function, if it differs. With ``folders`` an import in
    a folder that is named for NVIDIA's hardware only informs: what counts is who imports it.
    """
    for item in document.imports_of(*packages):
        yield import_hit(document, item, optional=optional, deferred=deferred, folders=folders)


def import_hit(
    document: PythonFile,
    item: Import,
    *,
    what: str = "",
    optional: Severity = Severity.INFO,
    deferred: Severity | None = None,
    folders: bool = False,
) -> Hit:
    """The hit for one import; ``what`` is added to its message."""
    added = f"; {what}" if what else ""
    if item.optional:
        message = f"{item.full} is imported inside a try that catches ImportError: the fallback runs{added}"
        return Hit(item.node, message, item.full, severity=optional)
    if folders and in_nvidia_folder(document):
        message = f"{item.full} is imported in a folder for NVIDIA code{added}"
        return Hit(item.node, message, item.full, severity=Severity.INFO)
    when = "when this function runs" if item.deferred else "as soon as this module is imported"
    message = f"{item.full} is imported {when}{added}"
    return Hit(item.node, message, item.full, severity=deferred if item.deferred else None)


def in_nvidia_folder(document: PythonFile) -> bool:
    return any(_NVIDIA_FOLDER.fullmatch(part) for part in document.source.path.split("/")[:-1])


def uses_of(document: PythonFile, *paths: str) -> Iterator[tuple[str, ast.expr]]:
    """References to these paths, without variables that merely hold one (reported where they got it)."""
    for path, node in document.refs(*paths):
        if path.endswith(document.raw(node).rpartition(".")[2]) or not isinstance(node, ast.Name):
            yield path, node
