"""``uint2 a[2] = {1, 2, 3, 4}``: CUDA's vectors are plain structures, whose braces C++ lets a list leave out. HIP's have
constructors, and want them. So for a structure of the file's own that has vectors for members."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Replacement
from rewarp.translation.code import stripped
from rewarp.translation.lexing import Lexed

_VECTOR = rb"\b(?:u?(?:char|short|int|long|longlong)|float|double)([234])\b"
_LIST = re.compile(_VECTOR + rb"\s+\w+\s*((?:\[[^\]\[;{}]*\]\s*)+)=?\s*\{([^{}();\"']*)\}")
_NUMBER = re.compile(rb"[-+~]?\s*(?:0[xXbB][\da-fA-F]+|\d[\d.]*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfF]*\Z")

_STRUCT = re.compile(
    rb"\bstruct\s+(?P<name>\w+)?\s*\{(?P<members>[^{}()]*" + _VECTOR + rb"[^{}()]*)\}\s*(?P<alias>\w+)?\s*;"
)
_MEMBERS = re.compile(
    rb"(?:const\s+)?(?P<type>(?:(?:unsigned|signed|long|short)\s+)*\w+)\s+(?P<names>\w+(?:\s*\[\d+\])?(?:\s*,\s*\w+(?:\s*\[\d+\])?)*)"
)
_TYPE = re.compile(
    rb"(?:(?:unsigned|signed|long|short)\s+)*(?:bool|(?:u?(?:char|short|int|long|longlong)|float|double)([234])?|unsigned|size_t|u?int\d+_t)"
)
_LONGEST = 64
_INNER = re.compile(rb"\s*\{([^{}]*)\}\s*(?:,|\Z)")

_MAYBE = re.compile(rb"\]\s*=?\s*\{\s*(?://[^\n]*\s*)?[-+.~\d]")
"""What begins with one plain byte is found several times as fast."""


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    in_structs = b"struct" in view and _STRUCT.search(view) is not None
    return in_structs or (_MAYBE.search(view) is not None and _LIST.search(view) is not None)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Braces around the numbers of each vector. Only numbers: a name could be a whole vector."""
    changes = Changes()
    code = document.code
    for found in _LIST.finditer(code):
        items = [stripped(code, item) for item in _items(code, Span(*found.span(3)))]
        width = int(found[1])
        if found[2].count(b"[") > 1 or not items or not all(_NUMBER.match(code[slice(*item)]) for item in items):
            continue
        changes.replacements += _braced(items, [width] * len(items))
    for found in _STRUCT.finditer(code):
        if widths := _widths(found["members"]):
            for name in {found["name"], found["alias"]} - {None}:
                changes.replacements += _in_structs(code, found.end(), name, widths)
    return changes


def _braced(items: list[Span], widths: list[int], opening: bytes = b"") -> list[Replacement]:
    """Braces around the numbers of each vector, and around all of them if something opens them."""
    texts: dict[int, bytes] = {items[0].start: opening}
    end = items[-1].end
    for width in widths:
        mine, items = items[:width], items[width:]
        if mine and width > 1:
            first, last = mine[0].start, mine[-1].end
            rest = b", 0" * (width - len(mine))  # C++ makes zeros of what a list leaves out
            texts[first] = texts.get(first, b"") + b"{"
            texts[last] = rest + b"}"
    if opening:
        texts[end] = texts.get(end, b"") + b"}"
    return [Replacement(at, at, text) for at, text in sorted(texts.items()) if text]


def _widths(members: bytes) -> list[int]:
    """How many numbers each member of a structure takes; nothing if one is neither a number nor a vector."""
    widths: list[int] = []
    for member in filter(None, map(bytes.strip, members.split(b";"))):
        declared = _MEMBERS.fullmatch(member)
        of_type = _TYPE.fullmatch(declared["type"]) if declared else None
        if not declared or not of_type:
            return []
        for name in declared["names"].split(b","):
            count = re.search(rb"\[(\d+)\]", name)
            widths += [int(of_type[1] or 1)] * min(int(count[1]) if count else 1, _LONGEST)
    return widths


def _in_structs(code: bytes, start: int, name: bytes, widths: list[int]) -> Iterator[Replacement]:
    """The lists of a structure, of an array of it with and without braces around each."""
    lists = re.compile(
        rb"\b" + re.escape(name) + rb"\s+\w+\s*(\[[^\]\[;{}]*\])?\s*=?\s*\{((?:[^{}();\"']|\{[^{}();\"']*\})*)\}\s*;"
    )
    for found in lists.finditer(code, start):
        inside = Span(*found.span(2))
        if b"{" in found[2] and found[1]:
            parts = [Span(inside.start + one.start(1), inside.start + one.end(1)) for one in _INNER.finditer(found[2])]
            if _INNER.sub(b"", found[2]).strip():
                continue  # something is not in braces
        elif b"{" in found[2]:
            continue
        else:
            parts = [inside]
        for part in parts:
            items = [stripped(code, item) for item in _items(code, part)]
            if not items or not all(_NUMBER.match(code[slice(*item)]) for item in items):
                continue
            if part == inside and found[1]:
                for at in range(0, len(items), sum(widths)):
                    yield from _braced(items[at : at + sum(widths)], widths, b"{")
            else:
                yield from _braced(items, widths)


def _items(code: bytes, inside: Span) -> list[Span]:
    places = [
        inside.start - 1,
        *(inside.start + at for at, byte in enumerate(code[slice(*inside)]) if byte == 0x2C),
        inside.end,
    ]
    spans = [Span(start + 1, end) for start, end in zip(places, places[1:])]
    return [span for span in spans if code[slice(*span)].strip()]
