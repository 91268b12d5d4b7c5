"""Which files a unit reads, by its ``#include`` lines: to know what is no unit of its own, and where a header lies
whose folder no build file gave away."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.lang.cpp.includes import Headers, Written, look_up, written_includes
from rewarp.tables import cuda

_MOST_FILES = 5000
_STANDARD = frozenset(
    f"{name}.h"
    for name in "assert complex ctype errno fenv float inttypes limits locale math memory setjmp signal stdarg stdbool "
    "stddef stdint stdio stdlib string strings tgmath time uchar unistd wchar wctype".split()
)
"""Headers of C: those of C++ have no suffix, and no project's header is without one."""


@dataclass(frozen=True)
class Reach:
    """What a unit includes, and what that includes."""

    files: frozenset[Path]
    guessed: tuple[Path, ...]
    """Folders of the project that make an include work which the known folders do not."""
    outside: frozenset[str] = frozenset()
    """Names of headers that are left to the compiler."""


class IncludeGraph:
    """The files of a project and what they include. Works on plain strings: there are many."""

    def __init__(self, files: Iterable[Path], closed: Iterable[Path] = ()) -> None:
        """What lies in ``closed`` folders is not looked into: whole libraries."""
        self._closed = tuple(f"{folder}/" for folder in closed)
        self._files = frozenset(map(str, files))
        self._headers = Headers(sorted(self._files))
        self._lines: dict[str, list[Written]] = {}
        self._outside: dict[str, bool] = {}

    def reach(self, unit: Path, folders: Sequence[Path], forced: Sequence[Path] = ()) -> Reach:
        seen: set[str] = set()
        known = list(map(str, folders))
        given = len(known)
        outside: set[str] = set()
        waiting = [str(unit), *map(str, forced)]
        while waiting and len(seen) < _MOST_FILES:
            file = waiting.pop()
            if file in seen:
                continue
            seen.add(file)
            for include in self._included(file):
                found = look_up(include, file, known, self._exists)
                if found is None and (folder := self._guess(include.name, str(unit))):
                    known.append(folder)
                    found = look_up(include._replace(quoted=False), file, [folder], self._exists)
                if found and not found.startswith(self._closed):
                    waiting.append(found)
                else:
                    outside.add(include.name)
        return Reach(frozenset(map(Path, seen)), tuple(map(Path, known[given:])), frozenset(outside))

    def _exists(self, path: str) -> bool:
        if path in self._files:
            return True
        if path not in self._outside:
            self._outside[path] = os.path.isfile(path)
        return self._outside[path]

    def _included(self, file: str) -> list[Written]:
        lines = self._lines.get(file)
        if lines is None:
            try:
                data = Path(file).read_bytes()
            except OSError:
                data = b""
            lines = self._lines[file] = [include for include in written_includes(data) if "\0" not in include.name]
        return lines

    def _guess(self, name: str, unit: str) -> str | None:
        """The folder to search so that an include means a file of the project: the nearest to the unit that has one.

        A header of the toolkit or of the language is never meant, even where the project has a namesake.
        """
        parts = [part for part in name.split("/") if part not in (".", "..")]
        if not parts or name in _STANDARD or cuda.header(os.fsencode(name)) is not None:
            return None
        ending = "/" + "/".join(parts)
        namesakes = self._headers.ending_with("/".join(parts))
        ranked = sorted(((-len(os.path.commonpath([file, unit])), file.count("/")), file) for file in namesakes)
        if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
            return None
        return ranked[0][1][: -len(ending)]
