"""Arithmetic with ``CUdeviceptr``: a number in CUDA, a ``void*`` in HIP, to which C++ adds nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Replacement
from rewarp.translation.lexing import Lexed

_TYPE = b"CUdeviceptr"
_DECLARED = re.compile(rb"CUdeviceptr(?<!\wCUdeviceptr)\s+(\w+)\s*(?=[;=,){\[])")
_OBJECT = re.compile(rb"(?:\w+\s*(?:\.|->)\s*)+\Z")
_PART_OF_ANOTHER = re.compile(rb"(?:\.|->|::)\s*\Z")
_ADDED = re.compile(rb"\s*(?:\+(?![+=])|-(?![->=]))")
_ASSIGNED = re.compile(rb"\s*(?P<sign>[+-])=(?=[^;?]{0,2000};)\s*")
_REMAINDER = re.compile(rb"\s*%")
_CAST = re.compile(rb"\(\s*[\w:\s]+[*\s]*\)\s*\Z")
_ADDEND = re.compile(rb"[\w)\]]\s*[+-]\s*\Z")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return _TYPE in lexed.names


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Counts in bytes where something is computed with that has the name of a ``CUdeviceptr``. Its namesakes of other
    types lose nothing: what the support header calls then gives them back as they are."""
    changes = Changes()
    code = document.code
    if declared := sorted(set(_DECLARED.findall(code))):
        for match in re.finditer(rb"\b(?:" + b"|".join(declared) + rb")\b", code):
            changes.replacements += _counted(code, *match.span())
    return changes


def _counted(code: bytes, at: int, end: int) -> Iterator[Replacement]:
    owner = _OBJECT.search(code, max(0, at - 200), at)
    start = owner.start() if owner else at
    variable = code[start:end]
    if _PART_OF_ANOTHER.search(code, max(0, start - 40), start):
        return
    if assigned := _ASSIGNED.match(code, end):
        text = b" = rewarp_bytes(" + variable + b") " + assigned["sign"] + b" "
        yield Replacement(end, assigned.end(), text)
    elif _CAST.search(code, max(0, start - 40), start):
        return
    elif _ADDED.match(code, end) or _ADDEND.search(code, max(0, start - 40), start):
        yield Replacement(start, end, b"rewarp_bytes(" + variable + b")")
    elif _REMAINDER.match(code, end):
        yield Replacement(start, end, b"rewarp_address(" + variable + b")")
