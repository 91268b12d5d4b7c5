"""Tests for a CUDA device that Gaudi shall pass as well: only where all that they open can be mended too."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping

from rewarp import engine
from rewarp.edits import apply
from rewarp.findings import Finding, Scanned, Severity
from rewarp.lang import python
from rewarp.lang.kinds import Kind
from rewarp.port.python.model import FileView, Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import amd_too, picked
from rewarp.source import SourceFile
from rewarp.targets import TARGETS, Context

_KERNEL = re.compile(r"(?i)triton|(^|[._])_C([._]|$)|kernel|_cuda|cuda_|_ext([._]|$)|^torch\.ops\.")
"""Calls that may be made for CUDA alone, which no scan can tell."""


def menders(others: Mapping[str, Mender]) -> dict[str, Mender]:
    """The menders of questions, which ask the others whether they can mend what a question opens."""
    every: dict[str, Mender] = dict(others)

    def available(place: Place) -> Outcome | None:
        """``torch.cuda.is_available()``"""
        call = place.node(ast.Call)
        if call is None:
            return None
        why = "Gaudi counts as an accelerator that is there."
        return _if_mendable(place, Mend(amd_too(place, call), why), every)

    def on_device(place: Place) -> Outcome | None:
        """``tensor.is_cuda``"""
        node = place.node(ast.Attribute)
        if node is None:
            return None
        if kernel := _kernel(place, node):
            return Refused(f"{kernel} is called in the same function, and may be made for CUDA alone")
        if place.finding.severity is not Severity.CRASH and not _opens_torch_alone(place, node):
            return Refused("which of the two ways is right on Gaudi is not in the code")
        text = f'{place.view.text(node.value)}.device.type == "hpu"'
        why = "A tensor on Gaudi counts as one on the accelerator."
        return _if_mendable(place, Mend(picked(place, node, text), why), every)

    asked: dict[str, Mender] = {"PY-DET-001": available, "HPU-005": on_device}
    every.update(asked)
    return asked


def _if_mendable(place: Place, mend: Mend, others: Mapping[str, Mender]) -> Outcome:
    """The change, unless it lets Gaudi run into something that nobody can mend."""
    source = place.view.source
    data = apply(source.data, mend.edits)
    view = FileView(python.parse(SourceFile(source.path, data)))
    known = Counter(map(_key, _scan(source)))
    for finding in _scan(view.source):
        known[_key(finding)] -= 1
        if known[_key(finding)] >= 0:
            continue
        # To open the way to a library that Gaudi is without is of no use.
        mender = None if finding.rule.startswith(("LIB-", "PY-LIB-")) else others.get(finding.rule)
        outcome = mender(Place(view, finding, place.gate)) if mender else None
        if not isinstance(outcome, Mend):
            return Refused(f"Gaudi would then meet line {finding.line}: {finding.message}")
    return mend


def _kernel(place: Place, node: ast.AST) -> str | None:
    document = place.document
    for call in document.nodes(ast.Call):
        name = document.raw(call.func if not isinstance(call.func, ast.Subscript) else call.func.value)
        launched = isinstance(call.func, ast.Subscript)
        if document.scope(call) is document.scope(node) and (launched or _KERNEL.search(name)):
            return name
    return None


def _opens_torch_alone(place: Place, test: ast.AST) -> bool:
    """Whether what a condition opens calls nothing but torch's own functions."""
    condition = place.document.enclosing(test, ast.If, ast.IfExp)
    if not isinstance(condition, (ast.If, ast.IfExp)):
        return False
    body = condition.body if isinstance(condition.body, list) else [condition.body]
    calls = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Call)]
    return all((place.document.path(call.func) or "").startswith("torch.") for call in calls)


def _scan(source: SourceFile) -> list[Finding]:
    outcome = engine.scan(source, Kind.PYTHON, Context(TARGETS["gaudi"]))
    found = outcome.findings if isinstance(outcome, Scanned) else ()
    return [finding for finding in found if finding.severity.rank > Severity.INFO.rank]


def _key(finding: Finding) -> tuple[str, str | None]:
    return finding.rule, finding.symbol
