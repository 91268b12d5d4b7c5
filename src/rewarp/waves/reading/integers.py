"""Integer constants of a file: what can be computed from literals, macros and constexpr names."""

from __future__ import annotations

import re
from functools import lru_cache

from rewarp.lang.cpp.conditions import Macro, number
from rewarp.lang.cpp.file import CodeFile

_CONSTANT = re.compile(
    rb"^[ \t]*\#[ \t]*define[ \t]+(\w+)[ \t]+(?=\S)([^\r\n\\]*[^\s\\])[ \t]*$"
    rb"|\b(?:constexpr|const)\s+(?:static\s+)?(?:unsigned\s+|std::)*\w+(?:\s+const)?\s+(\w+)\s*(?:=\s*|\{\s*)(?=\S)([^;{}\r\n]{0,1000}[^;{}\s])\s*(?:\}\s*)?;",
    re.M,
)
_SIZEOF = re.compile(r"sizeof\s*\(\s*(?:unsigned\s+)?(\w+)\s*\)")
_INTEGER = r"(?:int|size_t|unsigned|unsigned int|int32_t|int64_t|uint32_t|uint64_t)"
_CAST = re.compile(rf"\(\s*{_INTEGER}\s*\)|static_cast\s*<[^<>]*>|\b{_INTEGER}\s*(?=\()")
SIZES = {
    **dict.fromkeys(("char", "int8_t", "uint8_t", "bool", "uchar", "signed", "__nv_fp8_e4m3"), 1),
    **dict.fromkeys(("short", "int16_t", "uint16_t", "half", "__half", "nv_bfloat16", "__nv_bfloat16", "ushort"), 2),
    **dict.fromkeys(
        ("int", "unsigned", "uint", "int32_t", "uint32_t", "float", "half2", "__half2", "__nv_bfloat162"), 4
    ),
    **dict.fromkeys(("double", "int64_t", "uint64_t", "size_t", "float2", "int2", "uint2"), 8),
    **dict.fromkeys(("float4", "int4", "uint4", "double2"), 16),
}
_DEPTH = 8


@lru_cache(maxsize=2)
def constants(document: CodeFile) -> dict[str, str]:
    """Names the file gives a value once, with the text of that value."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for match in _CONSTANT.finditer(document.code):
        name, text = (part.decode("utf-8", "replace") for part in (match[1] or match[3], match[2] or match[4]))
        if name in found and found[name] != text:
            twice.add(name)
        found[name] = text
    return {name: text for name, text in found.items() if name not in twice}


def evaluate(text: str, known: dict[str, str], depth: int = 0) -> int | None:
    """The value of an integer expression; None when something in it is not known."""
    if depth > _DEPTH or len(text) > 400:
        return None
    text = _SIZEOF.sub(lambda m: str(SIZES.get(m[1], "unknown_size")), _CAST.sub("", text))

    def look_up(name: str) -> Macro:
        return evaluate(known[name], known, depth + 1) if name in known else None

    return number(text, look_up)
