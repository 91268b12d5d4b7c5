"""Launches written as ``<< <grid, block >> >``: nvcc takes them as it takes ``<<<grid, block>>>``, and HIP's compiler takes
only those. Where that compiler reads the sources themselves, they are written so."""

from __future__ import annotations

from rewarp.edits import Edit, apply
from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Change, PortPhase
from rewarp.source import SourceFile, Span
from rewarp.translation import launches
from rewarp.translation.changes import DEFAULTS

_WHY = "Its launches are written as <<<>>>, which nvcc reads as it reads << <>> >, and the HIP compiler takes only so."


def joined(source: SourceFile) -> Change | None:
    """The source with its launches as every compiler takes them; None where they are."""
    view = source.view
    if b"<< <" not in view and b">> >" not in view:
        return None
    try:
        document = CodeFile(source, kind_of_path(source.path) or Kind.CUDA)
        found = launches.translate(document, {}, DEFAULTS).replacements
    except UnreadableSource:
        return None
    if not found:
        return None
    edits = [Edit(source.original(Span(item.start, item.end)), item.text) for item in found]
    return Change(source.path, apply(source.data, edits), PortPhase.TRANSLATION, _WHY)
