"""The data types that a code base knows, as sets in an integer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.rust.reading.facts import Type

_LIKE_A_TYPE = re.compile(r"(?:bf|f|fp|u|i|s|q|iq|tq|int|uint|float|complex)\d+\w*|bool|bfloat16", re.I)
_ABOUT_TYPES = re.compile(r"d_?type|data_?type|scalar_?type", re.I)
_ENOUGH = 3
"""Variants like types that make an enum one of data types."""


class DTypes:
    """Data types by name, whatever its case; a set of them is an integer."""

    def __init__(self, types: Iterable[Type]) -> None:
        self.enums: set[str] = set()
        names: dict[str, None] = {}
        for found in types:
            like = [member.name for member in found.members if _LIKE_A_TYPE.fullmatch(member.name)]
            if not found.is_enum or not like or (len(like) < _ENOUGH and not _ABOUT_TYPES.search(found.name)):
                continue
            self.enums.add(found.name)
            names |= dict.fromkeys(name.lower() for name in like)
        self._bits = {name: 1 << place for place, name in enumerate(names)}
        self.every = (1 << len(names)) - 1 or 1
        """All of them; one nameless type where the code base knows none."""

    def of(self, path: str) -> int:
        """The set that `DType::F32`, `S::F32` or `half::bf16` names; 0 for what is no data type."""
        return self._bits.get(last_segment(path).lower(), 0)

    def names(self, chosen: int) -> Iterator[str]:
        return (name for name, bit in self._bits.items() if bit & chosen)

    def bit(self, name: str) -> int:
        return self._bits.get(name, 0)

    def whose_name_holds(self, part: str) -> int:
        """`contains("f32")` asked of the name of a type."""
        found = 0
        for name, bit in self._bits.items():
            if part.lower() in name:
                found |= bit
        return found


def spellings(name: str) -> tuple[str, ...]:
    """How kernels may write a type, where the code does not say how: `f8e4m3`, `f8_e4m3`, `fp8_e4m3`."""
    apart = re.sub(r"(?<=\d)(?=e\d)", "_", name)
    wide = [re.sub(r"^f(?=\d)", "fp", form) for form in (name, apart)]
    return tuple(dict.fromkeys((name, apart, *wide)))
