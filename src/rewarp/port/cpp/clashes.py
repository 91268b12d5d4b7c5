"""Redefinitions: what HIP's headers define already (operators of ``float2`` and its kin, say) and enumerators that HIP lacks in a
``switch``. Where HIP's compiler reads the sources themselves, they are guarded; other compilers see what they saw before."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from rewarp.edits import Edit, apply
from rewarp.port.changes import Change, PortPhase
from rewarp.source import Span
from rewarp.translation.changes import NOT_ON_AMD, Replacement, Translation
from rewarp.translation.code import line_start

_WHY = "HIP's headers define the same for AMD, or have no such value; other compilers read what they read before."
_CASE = re.compile(rb"case\s+(\w+)\s*:\s*return\s+\"[^\"\\\n]*\"\s*;(?=[ \t]*(?:\r?\n|\Z))")
_Guard = tuple[Replacement, Replacement]


def guarded(translations: Iterable[Translation], built: Container[str]) -> list[Change]:
    """The sources that a build reads with such code behind a guard; none where a definition means something else than
    HIP's, because a caller would silently get the other."""
    every = list(translations)
    if any(problem.symbol.startswith("operator") for translation in every for problem in translation.problems):
        return []
    found = ((translation, _edits(translation)) for translation in every if translation.path in built)
    return [
        Change(translation.path, apply(translation.source.data, edits), PortPhase.TRANSLATION, _WHY)
        for translation, edits in found
        if edits
    ]


def _edits(translation: Translation) -> list[Edit]:
    guards = sorted([*_definitions(translation), *_cases(translation)], key=lambda guard: guard[0].start)
    edits = (item for guard in _joined(guards, translation.source.view) for item in guard)
    return [Edit(translation.source.original(Span(item.start, item.end)), item.text) for item in edits]


def _definitions(translation: Translation) -> Iterable[_Guard]:
    """What the translator keeps off AMD."""
    opened: Replacement | None = None
    for item in sorted(translation.replacements, key=lambda item: (item.start, item.end)):
        if item.start == item.end and item.text.startswith(NOT_ON_AMD):
            opened = item
        elif opened is not None and item.start == item.end and item.text.strip() == b"#endif":
            yield opened, item
            opened = None


def _cases(translation: Translation) -> Iterable[_Guard]:
    """Cases that only give back the name of a value which HIP does not have: nothing on AMD comes to them."""
    unsupported = {problem.where.start for problem in translation.problems if problem.kind == "unsupported"}
    view = translation.source.view
    newline = b"\r\n" if b"\r\n" in view[:4096] else b"\n"
    for match in _CASE.finditer(view) if unsupported else ():
        start, end = line_start(view, match.start()), match.end()
        if match.start(1) in unsupported and not view[start : match.start()].strip():
            yield Replacement(start, start, NOT_ON_AMD + newline), Replacement(end, end, newline + b"#endif")


def _joined(guards: Iterable[_Guard], view: bytes) -> list[_Guard]:
    """One guard for what follows one another."""
    found: list[_Guard] = []
    for guard in guards:
        if found and not view[found[-1][1].end : guard[0].start].strip():
            found[-1] = found[-1][0], guard[1]
        else:
            found.append(guard)
    return found
