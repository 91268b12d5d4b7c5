"""Names of kernels, and which of them a translation lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_PTX_ENTRY = re.compile(r"^[ \t]*(?:\.visible\s+|\.weak\s+)?\.entry\s+([\w$]+)", re.MULTILINE)
_LENGTH = re.compile(r"(\d+)")

LIBRARY_NAMESPACES = frozenset("cub thrust cuda cuda_cub cooperative_groups hipcub rocprim rocrand_impl std".split())
"""Kernels below these belong to a header library, and the two vendors' libraries have different ones."""


def kernels_in_ptx(text: str) -> tuple[str, ...]:
    """Symbols of the kernels in PTX."""
    return tuple(_PTX_ENTRY.findall(text))


def qualified_name(symbol: str) -> tuple[str, ...]:
    """Namespaces and name, without template and call arguments: `_ZN2ns3fooIfEEvPT_` is `ns`, `foo`.

    A kernel is never a class member, so the name ends at the first thing that is not an identifier.
    """
    if not symbol.startswith("_Z"):
        return (symbol,)
    rest = symbol[2:]
    nested = rest.startswith("N")
    parts: list[str] = []
    rest = rest.removeprefix("N")
    while True:
        if rest.startswith("St"):
            parts.append("std")
            rest = rest[2:]
        rest = rest.removeprefix("L")  # internal linkage
        length = _LENGTH.match(rest)
        if not length:
            break
        end = length.end() + int(length[1])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
        if not nested:
            break
    return tuple(parts) or (symbol,)


def missing_kernels(expected: Iterable[str], present: Iterable[str]) -> tuple[str, ...]:
    """Names of kernels that one build has more often than the other, header libraries' own aside.

    Names are compared without their arguments: these hold types that the two vendors mangle differently.
    """
    short = _own_names(expected) - _own_names(present)
    return tuple(name if count == 1 else f"{name} ×{count}" for name, count in sorted(short.items()))


def _own_names(symbols: Iterable[str]) -> Counter[str]:
    names = (qualified_name(symbol) for symbol in symbols)
    return Counter(name[-1] for name in names if LIBRARY_NAMESPACES.isdisjoint(name[:-1]))
