"""What is changed for one hazard, where it stands."""

from __future__ import annotations

from typing import NamedTuple

Replacement = tuple[int, int, bytes]


class Rewrite(NamedTuple):
    replacements: tuple[Replacement, ...]
    how: str
