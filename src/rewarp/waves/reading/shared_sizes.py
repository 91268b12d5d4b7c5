"""How much shared memory a file asks for, as far as that can be computed from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.waves.reading.brackets import arguments
from rewarp.waves.reading.integers import SIZES, constants, evaluate

LIMIT = 64 * 1024
LIMIT_GFX950 = 160 * 1024
_SET = re.compile(rb"\b(?:cudaFuncSetAttribute|cuFuncSetAttribute|cudaFuncSetAttributes?)\s*(?:<[^;()]*>)?\(")
_ATTRIBUTE = re.compile(rb"cudaFuncAttributeMaxDynamicSharedMemorySize|CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")
_ARRAY = re.compile(
    rb"\b__shared__\s+(?:(?:volatile|alignas\s*\([^()]*\)|__align__\s*\([^()]*\))\s*)*(?:unsigned\s+|signed\s+)?(\w+)\s+(\w+)"
    rb"\s*((?:\[[^\][;]+\]\s*)+);"
)
_LAUNCH = re.compile(rb"<<<")
_LONGEST_LAUNCH = 600


class Asked(NamedTuple):
    where: Span
    size: int
    array: bytes = b""
    """The name of a static array; none for what is asked for at launch."""

    @property
    def message(self) -> str:
        kib = self.size // 1024
        if self.array:
            return f"the shared array {self.array.decode()} takes {kib} KiB"
        return f"{kib} KiB of dynamic shared memory are requested"


def asked_over(document: CodeFile, limit: int) -> Iterator[Asked]:
    """Where more than that is asked for, by attributes of kernels, by launches and by static arrays."""
    return (asked for asked in _asked(document) if asked.size > limit)


def _asked(document: CodeFile) -> Iterator[Asked]:
    code = document.code
    for found in _SET.finditer(code):
        given = arguments(code, found.end() - 1)
        if len(given) == 3 and _ATTRIBUTE.search(code[slice(*given[1])]):
            yield Asked(Span(found.start(), found.end() - 1), _value(document, code[slice(*given[2])]))
    for found in _LAUNCH.finditer(code):
        end = code.find(b">>>", found.end(), found.end() + _LONGEST_LAUNCH)
        places = arguments(b"(" + code[found.end() : end] + b")", 0) if end > 0 else []
        if len(places) >= 3:
            at = found.end() - 1  # the offset of the bracket put before the first argument
            where = Span(places[2].start + at, places[2].end + at)
            yield Asked(where, _value(document, code[slice(*where)]))
    for found in _ARRAY.finditer(code):
        size = SIZES.get(found[1].decode(), 0)
        for dimension in re.findall(rb"\[([^\]]+)\]", found[3]):
            size *= _value(document, dimension)
        yield Asked(Span(*found.span(2)), size, found[2])


def _value(document: CodeFile, expression: bytes) -> int:
    """0 where it is not known."""
    return evaluate(expression.decode("utf-8", "replace"), constants(document)) or 0
