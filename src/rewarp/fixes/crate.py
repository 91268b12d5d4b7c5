"""What a fix of a Rust crate gets: its name, its folder, its sources that know nothing of AMD."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rewarp.lang.cpp.file import CodeFile


@dataclass(frozen=True)
class CratePlace:
    name: str
    folder: str
    documents: tuple[CodeFile, ...]

    @property
    def manifest(self) -> str:
        return posixpath.join(self.folder, "Cargo.toml")


@dataclass(frozen=True)
class Wanting:
    """Something that a back end for the target has to supply."""

    path: str
    line: int | None
    what: str
    why: str


CrateReport = Callable[[CratePlace], Iterator[Wanting]]
