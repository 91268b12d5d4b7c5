"""What the isolation certificate says of each file, and what a comparer may ask of the two trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

Side = Literal["before", "after"]


class IsolationVerdict(Enum):
    """Only the first is a proof; in doubt a file is not provable."""

    IDENTICAL = "proved identical"
    UNPROVABLE = "not provable"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Place:
    """A spot in either version of a file, with what stands there or what is wrong with it."""

    line_before: int | None
    line_after: int | None
    text: str


@dataclass(frozen=True)
class FileVerdict:
    """What is known of one changed file, for an NVIDIA user."""

    path: str
    verdict: IsolationVerdict
    method: str
    """How it was proved, or looked at."""
    why: str
    places: tuple[Place, ...]
    sha256_before: str | None
    sha256_after: str | None


class TreeView(Protocol):
    """The two trees, as far as a comparer needs the files around its own."""

    def read(self, path: str, side: Side) -> bytes | None:
        """The bytes of a file; None where there is none."""

    def paths(self, side: Side) -> Sequence[str]:
        """Every file of one side."""
