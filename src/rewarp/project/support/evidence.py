"""What shows that a project supports a target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

MOST_SHOWN = 50
"""So much evidence a report lists at most."""


class Way(str, Enum):
    """Where support shows."""

    BUILD = "build"
    """The build has a way for the target: an option, a branch, a makefile of its own."""
    SOURCES = "sources"
    """Device code that branches for the target's compiler, or is written for it."""
    CODE = "code"
    """Code of the package that asks whether it runs on the target."""
    CI = "ci"
    PACKAGING = "packaging"
    """Images, requirement lists and extras for the target."""
    DOCUMENTATION = "documentation"


class Evidence(NamedTuple):
    way: Way
    file: str
    line: int
    text: str


_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl", ".cuh")


@dataclass(frozen=True)
class Support:
    target: str
    evidence: tuple[Evidence, ...] = ()
    device_code: bool = False
    """Whether the project has CUDA sources of its own."""

    def by(self, *ways: Way) -> list[Evidence]:
        return [item for item in self.evidence if item.way in ways]

    @property
    def is_told(self) -> bool:
        """Whether the project says so itself: in its documentation, by CI, by images or packages."""
        return bool(self.by(Way.CI, Way.PACKAGING, Way.DOCUMENTATION))

    @property
    def _is_tried_there(self) -> bool:
        """Whether the project's own CI runs on the target, code asks for it and documentation tells of it, each more than
        once: a compiler, say, whose build names no target."""
        return all(len(self.by(way)) > 1 for way in (Way.CI, Way.CODE, Way.DOCUMENTATION))

    @property
    def is_there(self) -> bool:
        """Device code needs a build that takes it to the target, and sources or words that show that it was done;
        Python alone runs through torch, so that less is enough."""
        if self.device_code:
            builds = bool(self.by(Way.BUILD)) and (bool(self.by(Way.SOURCES)) or self.is_told)
            return builds or self._is_tried_there
        # One question in one file is often copied with the rest of it, and a library of headers as a whole.
        asks = [it for it in self.by(Way.CODE, Way.BUILD, Way.SOURCES) if not it.file.endswith(_HEADERS)]
        return self.is_told or len({it.file for it in asks}) > 1 or len(asks) > 2

    def best(self, most: int = 6) -> list[Evidence]:
        """The best of it: of each way the first, then the rest."""
        return list(_spread(self.evidence))[:most]


def _spread(evidence: Iterable[Evidence]) -> Iterable[Evidence]:
    by_way: dict[Way, list[Evidence]] = {way: [] for way in Way}
    for item in evidence:
        by_way[item.way].append(item)
    longest = max((len(items) for items in by_way.values()), default=0)
    for at in range(longest):
        yield from (items[at] for items in by_way.values() if at < len(items))
