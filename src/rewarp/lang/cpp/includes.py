"""Which file an ``#include`` means: as the compiler looks for it where its folders are known; else the file beside, or
those whose paths end as the include is written."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from rewarp.source import SourceFile

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include(?:_next)?[ \t]*([<\"])([^>\"\r\n]+)[>\"]", re.M)


class Written(NamedTuple):
    """An include as it is written."""

    name: str
    quoted: bool


def written_includes(data: bytes) -> list[Written]:
    """The includes of a file, those in comments and in branches that nobody compiles among them."""
    return [Written(os.fsdecode(name).strip(), quote == b'"') for quote, name in _INCLUDE.findall(data)]


def look_up(include: Written, includer: str, folders: Iterable[str], exists: Callable[[str], bool]) -> str | None:
    """The file that a compiler takes: beside the includer if it is written in quotes, then from each folder in turn."""
    places = [posixpath.dirname(includer), *folders] if include.quoted else folders
    paths = (posixpath.normpath(posixpath.join(place, include.name)) for place in places)
    return next((path for path in paths if exists(path)), None)


class Headers:
    """The files of a project, by the names that includes may give them; nobody knows the folders that the build passes."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            self._by_name.setdefault(posixpath.basename(path), []).append(path)

    def beside(self, name: str, includer: str) -> str | None:
        """The file that the include means from the folder of its includer."""
        candidates = self._by_name.get(posixpath.basename(name))
        if not candidates:
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))
        return path if path in candidates else None

    def ending_with(self, path: str) -> list[str]:
        """The files whose paths end so, part by part."""
        ending = "/" + path
        return [one for one in self._by_name.get(posixpath.basename(path), ()) if ("/" + one).endswith(ending)]

    def namesakes(self, name: str) -> list[str]:
        """The files that some include folder makes of an include, wherever that folder is."""
        if posixpath.basename(name) not in self._by_name:
            return []
        path = posixpath.normpath(name)
        while path.startswith("../"):
            path = path[3:]
        return self.ending_with(path.lstrip("/"))

    def meant(self, name: str, includer: str) -> list[str]:
        """The file beside the includer, or any that an include folder may lead to."""
        beside = self.beside(name, includer)
        return [beside] if beside else self.namesakes(name)


class IncludeMap:
    """Which files of a project include which."""

    def __init__(self, includes: Mapping[str, Iterable[str]]) -> None:
        """``includes``: for each file the names that it includes."""
        self._names = includes
        self._headers = Headers(includes)
        self._included: dict[str, frozenset[str]] = {}

    @classmethod
    def of(cls, sources: Iterable[SourceFile]) -> IncludeMap:
        return cls({source.path: [include.name for include in written_includes(source.view)] for source in sources})

    def __iter__(self) -> Iterator[str]:
        """The files of the project."""
        return iter(self._names)

    def included_by(self, path: str) -> frozenset[str]:
        """The files that one includes itself."""
        if path not in self._included:
            self._included[path] = frozenset(
                target for name in self._names[path] for target in self._headers.meant(name, path)
            )
        return self._included[path]

    @cached_property
    def includers(self) -> dict[str, set[str]]:
        """For each file that is included, those that do so themselves."""
        found: dict[str, set[str]] = {}
        for path in self._names:
            for target in self.included_by(path):
                found.setdefault(target, set()).add(path)
        return found

    def reached(self, paths: Iterable[str]) -> frozenset[str]:
        """These files and all that they include, by way of others too."""
        return _closure((path for path in paths if path in self._names), self.included_by)

    def reaching(self, paths: Iterable[str]) -> frozenset[str]:
        """These files and all that include one of them, by way of others too."""
        return _closure(paths, lambda path: self.includers.get(path, frozenset()))


def _closure(paths: Iterable[str], next_of: Callable[[str], Iterable[str]]) -> frozenset[str]:
    found: set[str] = set()
    pending = [*paths]
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += next_of(path)
    return frozenset(found)
