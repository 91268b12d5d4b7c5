"""``a + b`` of half on the host: HIP has its operators in kernels only, the support header brings them for the host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.translation.code import runs_on_host

_DECLARED = re.compile(
    rb"\b(?:__)?half2?\b(?P<vector>\s*>)?\s*(?:const\b\s*)?(?P<pointer>[*&]*)\s*"
    rb"(?:(?:const|__restrict__|__restrict)\b\s*)*(?P<name>[A-Za-z_]\w*)\s*(?P<array>\[)?(?=[^\w\s(]|\()"
)
_TEMPLATE = re.compile(rb"\btemplate\s*<\s*(?:typename|class)\s+(?P<name>[A-Za-z_]\w*)")
_OF_PARAMETER = rb"\b(?:%s)\b\s*(?:const\b\s*)?(?P<pointer>[*&]*)\s*(?:(?:const|__restrict__)\b\s*)*(?P<name>[A-Za-z_]\w*)\s*(?=[=,;)\[])"
_SIGN = rb"(?:[-+*/]=?(?![-+>/*])|[=!]=|[<>]=?(?![<>]))"
_OPERAND = rb"\w)\]"
"""What may end the left side of a sign that has two."""


def on_host(code: bytes) -> bool:
    """Whether host code calculates with, or compares, what is half as far as declarations in the file tell. Of a template's
    parameter nothing is known: where the file knows half, it may be that."""
    names: dict[bytes, bool] = {}
    for name, is_indexed in _declared(code):
        names[name] = names.get(name, True) and is_indexed
    return any(
        runs_on_host(code, at) for name, is_indexed in names.items() for at in _calculations(code, name, is_indexed)
    )


def _declared(code: bytes) -> Iterator[tuple[bytes, bool]]:
    """Variables and parameters, and whether only their elements are numbers."""
    for match in _DECLARED.finditer(code):
        yield match["name"], bool(match["vector"] or match["array"] or b"*" in match["pointer"])
    parameters = {match["name"] for match in _TEMPLATE.finditer(code)}
    if parameters:
        for match in re.finditer(_OF_PARAMETER % b"|".join(sorted(parameters)), code):
            yield match["name"], b"*" in match["pointer"]


def _calculations(code: bytes, name: bytes, is_indexed: bool) -> Iterator[int]:
    element = rb"\b" + re.escape(name) + (rb"\s*\[[^\[\];{}]*\]" if is_indexed else rb"(?!\s*[\[(.\w])")
    for match in re.finditer(element + rb"\s*" + _SIGN, code):
        if (
            not code[: match.start()][-200:].rstrip().endswith((b")", b"*", b"&", b".", b">"))
        ):  # a cast, or another's member
            yield match.start()
    for match in re.finditer(rb"(?<=[" + _OPERAND + rb"])\s*" + _SIGN + rb"\s*" + element, code):
        yield match.start()
