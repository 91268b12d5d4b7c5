"""Inline PTX that speaks of lanes: AMD's compiler gets its form in warps of 32, NVIDIA's the statement as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from rewarp.source import Span
from rewarp.waves.fixing.rewrite import Replacement, Rewrite
from rewarp.waves.hazards import Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing
from rewarp.waves.support.names import LOGICAL, OF_TRANSLATION

AsmForms = Callable[[str], "str | None"]
"""An ``asm`` statement in HIP, with the names of the translation's header; None where it has no form."""

_KEYWORD = re.compile(rb"\b(?:asm|__asm__|__asm)\b(?:\s|volatile\b|__volatile__\b)*\(")
_LONGEST = 4000
_ENDS = re.compile(rb"\s*;")
_REST = re.compile(rb"[ \t]*(?://(?:[^\r\n\\]|\\(?!\s))*)?(?=\r?\n|\Z)")
"""What may stay behind a statement on its line: nothing, or a comment."""
_CONTINUED = re.compile(rb"\\[ \t]*\r?\n")
_WORD = re.compile(r"(?<![\w:])(?:rewarp_ptx::)?\w+")
_NOT_OURS = re.compile(r"\brewarp(?:_ptx)?::|\brewarp_(?!warp32_|waves::)|__builtin_amdgcn_")
WARP_ID = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u"
"""The translation's form of ``%warpid``."""
_GATE = b"#if defined(__HIP_PLATFORM_AMD__)"

_NO_FORM = "It has no form in warps of 32 here: write one for AMD beside it, under #if defined(__HIP_PLATFORM_AMD__)."
_IN_A_MACRO = (
    "A macro cannot hold an #if: give it a second definition for AMD, under #if defined(__HIP_PLATFORM_AMD__)."
)
_SLOTS = "AMD has no number for a warp's slot in its compute unit: number the warps of the grid instead (blockIdx, threadIdx)."


def gates(analysis: Analysis, hazards: Iterable[Hazard], forms: AsmForms) -> dict[Hazard, Rewrite | str]:
    """For each hazard in PTX how it is rewritten, or why it is not."""
    return {hazard: _gate(analysis, hazard, forms) for hazard in hazards if hazard.kind is Kind.PTX_LANE}


def _gate(analysis: Analysis, hazard: Hazard, forms: AsmForms) -> Rewrite | str:
    statement = _statement(analysis.text, hazard.where.start)
    if statement is None:
        return _NO_FORM
    if not _takes_directives(analysis, statement):
        return _IN_A_MACRO
    text = analysis.document.source.view[slice(*statement)].decode("utf-8", "surrogateescape")
    if "nwarpid" in text or ("warpid" in text and b"smid" in analysis.document.source.view):
        return _SLOTS
    form = _in_warps_of_32(forms(text.rstrip("; \t\r\n")))
    return Rewrite(_around(analysis, statement, form), f"for AMD, beside it: {form};") if form else _NO_FORM


def _statement(code: bytes, inside: int) -> Span | None:
    """From ``asm`` to its ``;``."""
    for keyword in _KEYWORD.finditer(code, max(0, inside - _LONGEST), inside):
        end = _ENDS.match(code, closing(code, keyword.end() - 1, _LONGEST))
        if end and inside < end.end():
            return Span(keyword.start(), end.end())
    return None


def _takes_directives(analysis: Analysis, statement: Span) -> bool:
    """Whether lines of the preprocessor may stand around it: not in a macro, and not in what may be one's argument."""
    function = analysis.code.function_at(statement.start)
    if function is None or function.is_macro or _CONTINUED.search(analysis.text, statement.start, statement.end):
        return False
    before = analysis.text[function.body.start : statement.start]
    return before.count(b"(") == before.count(b")")


def _in_warps_of_32(form: str | None) -> str | None:
    """The form with the names of the portable header; None where it has no such name."""
    if form is None:
        return None
    form = _WORD.sub(lambda word: _named(word[0]), form.replace(WARP_ID, "rewarp_warp32_warp_id()"))
    return None if _NOT_OURS.search(form) or "\n" in form else form


def _named(word: str) -> str:
    logical = LOGICAL.get(word.encode("utf-8", "surrogateescape"))
    return logical.decode() if logical else OF_TRANSLATION.get(word, word)


def _around(analysis: Analysis, statement: Span, form: str) -> tuple[Replacement, Replacement]:
    """The lines before and after a statement, which itself stays."""
    view = analysis.document.source.view
    start, end = statement
    line = view.rfind(b"\n", 0, start) + 1
    before = view[line:start]
    indent = before[: len(before) - len(before.lstrip())]
    alone = not before.strip()
    indent += b"" if alone else b"  "
    newline = b"\r\n" if b"\r\n" in view else b"\n"
    branch = [_GATE, indent + form.encode("utf-8", "surrogateescape") + b";", b"#else", indent]
    opening = newline.join(branch if alone else [b"", *branch])
    first = line + len(before.rstrip()) if not alone else line
    if rest := _REST.match(view, end):
        return (first, start, opening), (rest.end(), rest.end(), newline + b"#endif")
    while view[end : end + 1] in (b" ", b"\t"):
        end += 1
    return (first, start, opening), (statement.end - 1, end, b";" + newline + b"#endif" + newline + indent)
