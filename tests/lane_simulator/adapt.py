"""CUDA source as C++: the few things that a header cannot give a host compiler are rewritten."""

from __future__ import annotations

import re

from rewarp.edits import splice
from rewarp.errors import UsageError
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.translation import launches
from rewarp.translation.changes import Options
from rewarp.translation.code import call_arguments, skip_space

_DYNAMIC = re.compile(
    rb"\bextern\b([^;{}()]{0,400}(?:\([^()]{0,400}\)[^;{}()]{0,400})?)\b__shared__\b([^;{}\[]{0,400}?)\b(\w+)\s*\[\s*\]\s*;"
)
_ALIGNMENT = re.compile(rb"\b(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*(?:\([^()]*\))?\))*\)")
_BOUNDS = re.compile(rb"\b__launch_bounds__\s*(?=\()")
_SPECIAL_REGISTER = re.compile(
    rb'\b(?:asm|__asm__)(?:\s+(?:volatile|__volatile__))?\s*\(\s*"\s*mov\.u32\s+%0\s*,\s*%%?'
    rb'(laneid|warpid|lanemask_[a-z]{2})\s*(?:;\s*)?"\s*:\s*"=r"\s*\(((?:[^()]|\([^()]*\))*)\)\s*\)'
)

Replacements = list[tuple[int, int, bytes]]


def as_cpp(text: bytes, path: str) -> bytes:
    """The source with launches, dynamic shared memory, launch bounds and lane registers as C++; lines stay in place."""
    document = CodeFile(SourceFile(path, text), Kind.CUDA)
    found = [*_launches(document), *_dynamic_shared(document), *_launch_bounds(document), *_lane_registers(document)]
    return splice(document.source.view, sorted(found))


def _launches(document: CodeFile) -> Replacements:
    changes = launches.translate(document, {}, Options(launch="ggl"))
    if changes.problems:
        line = document.source.line_at(changes.problems[0].where.start)
        raise UsageError(f"{document.source.path}:{line}: this launch cannot be read")
    return [(*edit[:2], edit[2]) for edit in changes.replacements]


def _dynamic_shared(document: CodeFile) -> Replacements:
    found: Replacements = []
    for match in _DYNAMIC.finditer(document.code):
        element = b" ".join(_ALIGNMENT.sub(b" ", match[1] + b" " + match[2]).split())
        pointer = b"%s* %s = static_cast<%s*>(lanes::dynamic_shared());" % (element, match[3], element)
        found.append((*match.span(), pointer + b"\n" * match[0].count(b"\n")))
    return found


def _launch_bounds(document: CodeFile) -> Replacements:
    """The bound becomes the first statement of its kernel, which asks how many threads it was given."""
    found: Replacements = []
    code = document.code
    for match in _BOUNDS.finditer(code):
        call = call_arguments(code, match.end())
        body = _body(code, call[1] + 1) if call else None
        if call and call[0] and body is not None:
            found.append((body + 1, body + 1, b" lanes::require_launch_bound(%s);" % code[slice(*call[0][0])].strip()))
    return found


def _body(code: bytes, at: int) -> int | None:
    """The brace that opens the body of the function whose name comes next; None at a declaration."""
    opening = code.find(b"(", at)
    parameters = call_arguments(code, opening) if opening != -1 else None
    if parameters is None:
        return None
    brace = skip_space(code, parameters[1] + 1)
    return brace if code[brace : brace + 1] == b"{" else None


def _lane_registers(document: CodeFile) -> Replacements:
    view, code = document.source.view, document.code
    return [
        (*match.span(), b'lanes::special_register("%s", %s)' % (match[1], match[2]))
        for match in _SPECIAL_REGISTER.finditer(view)
        if code.startswith(b"asm", match.start()) or code.startswith(b"__asm", match.start())
    ]
