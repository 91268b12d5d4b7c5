"""Which files of a tree are of a kind that some reader knows, and what is left out, with the reason."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rewarp.errors import UsageError
from rewarp.findings import Failed, Outcome, Skipped
from rewarp.lang.kinds import Kind, kind_of_path, kind_of_shebang, may_have_shebang
from rewarp.workspace.trees import NOT_PLAIN, Entry, Folder, Tree

_SHEBANG = 80
TOO_LARGE = 1_000_000_000
"""Bytes above which nobody reads a file."""
_LOADED = 5_000_000
"""Bytes up to which a file is kept in memory."""


class FileEntry(NamedTuple):
    """A file to read: its path as reported, its kind and size, and where its content is. It can go to another process."""

    path: str
    file: str
    """On disk; empty where ``data`` is given."""
    kind: Kind
    size: int
    data: bytes | None = None

    def read(self) -> bytes:
        """Raises OSError."""
        if self.data is not None:
            return self.data
        with open(self.file, "rb") as stream:
            return stream.read()


@dataclass
class Listing:
    """What a tree holds: files to read, what was left out, and how many files are of no kind we read."""

    files: list[FileEntry] = field(default_factory=list)
    left_out: list[Outcome] = field(default_factory=list)
    other: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)
    """The files of no kind we read."""


def find_files(root: Path, exclude: Sequence[str] = ()) -> Listing:
    """The files below a folder, or the one that ``root`` is. Symbolic links are not followed."""
    if not root.is_file():
        if not root.is_dir():
            what = "is not a file or a folder" if root.exists() else "does not exist"
            raise UsageError(f"{root} {what}")
        return list_tree(Folder(root, exclude=exclude, submodules=True))
    size = os.stat(root).st_size
    kind = _kind(root.name, lambda: _beginning(root))
    if kind is None:
        raise UsageError(f"{root}: not a kind of file that rewarp reads")
    return Listing([FileEntry(root.name, str(root), kind, size)])


def list_tree(tree: Tree, *, loaded: bool = False) -> Listing:
    """The files of a tree. ``loaded``: with their contents, so that who looks at a tree often reads each file once."""
    listing = Listing()
    for path, entry in tree.entries.items():
        _add(listing, tree, path, entry, loaded and entry.size <= _LOADED)
    for path, why in tree.unlisted.items():
        listing.left_out.append(Failed(path, f"folder cannot be read: {why}"))
    return listing


def _add(listing: Listing, tree: Tree, path: str, entry: Entry, loaded: bool) -> None:
    if entry.nature == "symlink":
        if kind_of_path(path):
            listing.left_out.append(Skipped(path, "symbolic link: not followed"))
    elif entry.nature == "unreadable":
        if entry.why != NOT_PLAIN:
            listing.left_out.append(Failed(path, f"cannot be read: {entry.why}"))
    elif entry.nature == "file":
        place = None if loaded else tree.place(path)
        kind = _kind(path, lambda: _beginning(place) if place else tree.read(path) or b"")
        if kind is None:
            listing.other[os.path.splitext(path)[1].lower() or "(none)"] += 1
            listing.unread.append(path)
            return
        if place is None:
            data = tree.read(path)
            if data is None:
                listing.left_out.append(Failed(path, f"cannot be read: {tree.why(path)}"))
                return
            listing.files.append(FileEntry(path, "", kind, entry.size, data))
        else:
            listing.files.append(FileEntry(path, os.fspath(place), kind, entry.size))


def _beginning(file: Path) -> bytes:
    try:
        with open(file, "rb") as stream:
            return stream.read(_SHEBANG)
    except OSError:
        return b""


def _kind(path: str, beginning: Callable[[], bytes]) -> Kind | None:
    """By its name; where that leaves it open, by its first line."""
    return kind_of_path(path) or (kind_of_shebang(beginning()[:_SHEBANG]) if may_have_shebang(path) else None)
