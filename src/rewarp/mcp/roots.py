"""The folders that a server was given. A client may narrow them, and nobody can leave them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rewarp.errors import UsageError


@dataclass(frozen=True)
class Roots:
    """Folders, each as it really is, all links followed."""

    folders: tuple[str, ...]

    @classmethod
    def of(cls, given: Sequence[str]) -> Roots:
        for folder in given:
            if not os.path.isdir(folder):
                raise UsageError(f"--root {folder}: there is no such folder")
        return cls(tuple(dict.fromkeys(os.path.realpath(folder) for folder in given)))

    def narrowed(self, uris: Iterable[str] | None) -> Roots:
        """What a client's own roots leave of these: where one lies in the other, the smaller. None: it named none."""
        if uris is None:
            return self
        wanted = [folder for folder in map(_folder, uris) if folder is not None]
        both = ((ours, theirs) for ours in self.folders for theirs in wanted)
        left = [
            theirs if _is_in(theirs, ours) else ours
            for ours, theirs in both
            if _is_in(theirs, ours) or _is_in(ours, theirs)
        ]
        return Roots(tuple(dict.fromkeys(left)))

    def find(self, path: str) -> str:
        """Where a path really leads. Raises UsageError where that is outside, or nothing is there.

        A relative path starts at the first folder that has it. What lies outside and what does not exist are told
        apart for nobody.
        """
        if "\0" not in path:
            for start in self.folders:
                real = os.path.realpath(os.path.join(start, path))
                if any(_is_in(real, folder) for folder in self.folders) and os.path.exists(real):
                    return real
        raise UsageError("there is nothing of this name in the folders that may be read; the tool `project` with path \".\" "
                         "begins at the first of them")  # fmt: skip


def _folder(uri: str) -> str | None:
    """The folder of a file URI of this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path)
    return os.path.realpath(path) if "\0" not in path and os.path.isdir(path) else None


def _is_in(path: str, folder: str) -> bool:
    return path == folder or Path(folder) in Path(path).parents
