"""Shapes that many library rules share."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit


def imports_of(document: PythonFile, *packages: str, optional: Severity = Severity.INFO) -> Iterator[Hit]:
    """A hit for every import of these packages; one that already has a fallback is milder."""
    for item in document.imports_of(*packages):
        if item.optional:
            yield Hit(
                item.node,
                f"{item.full} is imported inside a try that catches ImportError: the fallback runs",
                item.full,
                severity=optional,
            )
        else:
            when = "when this function runs" if item.deferred else "as soon as this module is imported"
            yield Hit(item.node, f"{item.full} is imported {when}", item.full)
