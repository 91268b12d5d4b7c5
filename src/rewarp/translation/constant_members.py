"""``static const float x = 1;`` in a class: an extension of gcc's, which nvcc takes with it; to clang only ``constexpr`` may."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Replacement
from rewarp.translation.code import blocks_around
from rewarp.translation.lexing import Lexed

_MEMBER = re.compile(
    rb"static\s+(?P<after>const)\s+(?P<type>float|double|[A-Za-z_]\w*)\s+\w+\s*="
    rb"|(?P<before>const)\s+static\s+(?P<other>float|double|[A-Za-z_]\w*)\s+\w+\s*="
)
_CLASS = re.compile(rb"\b(?:class|struct|union)\s+[\w:]*[^()]*\Z")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return b"static" in view and _MEMBER.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Members of a floating type, and of a type that is a parameter of the class's."""
    changes = Changes()
    for found in _MEMBER.finditer(document.code):
        heads = blocks_around(document.code, found.start())
        kind = found["type"] or found["other"]
        if not heads or not _CLASS.search(heads[-1]):
            continue
        if kind in (b"float", b"double") or any(_is_parameter(kind, head) for head in heads):
            word = "after" if found["after"] else "before"
            changes.replacements.append(Replacement(*found.span(word), b"constexpr"))
    return changes


def _is_parameter(name: bytes, head: bytes) -> bool:
    return re.search(rb"\b(?:typename|class)\s+" + re.escape(name) + rb"\s*[,>=]", head) is not None
