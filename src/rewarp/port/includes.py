"""Which sources of a project include which."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from rewarp.source import SourceFile

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\r\n]+)[>"]', re.M)


class IncludeMap:
    """The includes of a set of sources, as far as they lead to one another."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        self._sources = {source.path: source for source in sources}
        self._by_name: Mapping[str, list[str]] = defaultdict(list)
        for path in self._sources:
            self._by_name[posixpath.basename(path)].append(path)
        self._direct: dict[str, frozenset[str]] = {}

    def reached(self, paths: Iterable[str]) -> frozenset[str]:
        """These files and all that they include, by way of others too."""
        found: set[str] = set()
        pending = [path for path in paths if path in self._sources]
        while pending:
            path = pending.pop()
            if path not in found:
                found.add(path)
                pending += self._included_by(path)
        return frozenset(found)

    def _included_by(self, path: str) -> frozenset[str]:
        if path not in self._direct:
            names = (match[1].decode("utf-8", "replace") for match in _INCLUDE.finditer(self._sources[path].view))
            self._direct[path] = frozenset(target for name in names for target in self._meant(name, path))
        return self._direct[path]

    def _meant(self, name: str, includer: str) -> list[str]:
        """The file beside the includer, or any with that ending: an include folder may lead to it."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))
        if beside in self._sources:
            return [beside]
        ending = "/" + posixpath.normpath(name).lstrip("./")
        return [path for path in self._by_name.get(posixpath.basename(name), ()) if ("/" + path).endswith(ending)]
