"""One side of a change: the files of a git revision, of a working tree, or of a folder; nothing is checked out."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from rewarp import git
from rewarp.errors import UsageError

LIMIT = 16 << 20
"""A file larger than this is not read: it is not source that a person wrote."""

Nature = Literal["file", "symlink", "submodule", "unreadable", "huge"]


@dataclass(frozen=True)
class Entry:
    """One path of a tree: what it is, and how to get at its bytes."""

    nature: Nature
    executable: bool = False
    blob: str = ""
    """The id of its content where git knows one."""
    why: str = ""
    """Why it cannot be read."""


class Snapshot(Protocol):
    """A tree that does not change while it is looked at."""

    name: str
    """How it was asked for."""

    @property
    def revision(self) -> str | None:
        """The commit, where it is one."""

    @property
    def entries(self) -> dict[str, Entry]: ...

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or the target of a symbolic link; None where there is nothing to read."""

    def load(self, paths: Iterable[str]) -> None:
        """Have these read soon: reading many at once is cheaper than one by one."""


class Revision:
    """A commit of a git repository."""

    def __init__(self, root: Path, name: str, commit: str, blobs: Blobs) -> None:
        self.root, self.name, self.revision = root, name, commit
        self._blobs = blobs

    @cached_property
    def entries(self) -> dict[str, Entry]:
        done = run_git(self.root, "ls-tree", "-r", "-l", "-z", "--full-tree", self.revision)
        found: dict[str, Entry] = {}
        for record in done.split(b"\0"):
            if record:
                fields, _, path = record.partition(b"\t")
                mode, kind, blob, size = fields.split()
                found[os.fsdecode(path)] = _git_entry(mode, kind, blob.decode(), size)
        return found

    def read(self, path: str) -> bytes | None:
        entry = self.entries.get(path)
        if entry is None or entry.nature not in ("file", "symlink"):
            return None
        return self._blobs.read(entry.blob)

    def load(self, paths: Iterable[str]) -> None:
        entries = (self.entries[path] for path in paths if path in self.entries)
        self._blobs.load(entry.blob for entry in entries if entry.nature in ("file", "symlink"))


def _git_entry(mode: bytes, kind: bytes, blob: str, size: bytes) -> Entry:
    if kind == b"commit":
        return Entry("submodule", blob=blob)
    if mode == b"120000":
        return Entry("symlink", blob=blob)
    if not size.isdigit():
        return Entry("unreadable", blob=blob, why="its content is not in the repository")
    if int(size) > LIMIT:
        return Entry("huge", mode == b"100755", blob)
    return Entry("file", mode == b"100755", blob)


class Folder:
    """A folder as it is on disk: all of it, or what git would list of a working tree."""

    revision = None

    def __init__(self, root: Path, name: str, listed: list[str] | None = None) -> None:
        self.root, self.name = root, name
        self._listed = listed
        self._read: dict[str, bytes] = {}

    @cached_property
    def entries(self) -> dict[str, Entry]:
        paths = _walk(self.root) if self._listed is None else self._listed
        found = {path: _disk_entry(self.root / path) for path in paths}
        return {path: entry for path, entry in sorted(found.items()) if entry}

    def read(self, path: str) -> bytes | None:
        entry = self.entries.get(path)
        if entry is None or entry.nature not in ("file", "symlink"):
            return None
        if path not in self._read:
            try:
                file = self.root / path
                data = os.fsencode(os.readlink(file)) if entry.nature == "symlink" else file.read_bytes()
            except OSError as error:
                self.entries[path] = Entry("unreadable", why=error.strerror or "cannot be read")
                return None
            self._read[path] = data
        return self._read[path]

    def load(self, paths: Iterable[str]) -> None:
        pass


def _walk(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(name for name in folders if name != ".git" and name not in links)
        for name in (*names, *links):
            if name != ".git":
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def _disk_entry(file: Path) -> Entry | None:
    try:
        status = file.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return Entry("unreadable", why=error.strerror or "cannot be read")
    if stat.S_ISLNK(status.st_mode):
        return Entry("symlink")
    if stat.S_ISDIR(status.st_mode):
        return Entry("submodule")  # git lists a folder only where it is another repository
    if not stat.S_ISREG(status.st_mode):
        return Entry("unreadable", why="it is not a plain file")
    if not os.access(file, os.R_OK):
        return Entry("unreadable", why="no permission to read it")
    return Entry("huge" if status.st_size > LIMIT else "file", bool(status.st_mode & 0o100))


# --- git ------------------------------------------------------------------------------------


def run_git(root: Path, *arguments: str) -> bytes:
    """What git answers; a UsageError where it cannot."""
    done = git.run(root, *arguments)
    if done is None:
        raise UsageError("git could not be run, or did not answer in time")
    if done.returncode != 0:
        raise UsageError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


class Blobs:
    """Contents by git's id, fetched many at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, bytes] = {}

    def read(self, blob: str) -> bytes | None:
        self.load([blob])
        return self._known.get(blob)

    def load(self, blobs: Iterable[str]) -> None:
        wanted = sorted({blob for blob in blobs if blob not in self._known})
        if not wanted:
            return
        done = git.run(self._root, "cat-file", "--batch", input="\n".join(wanted).encode() + b"\n")
        if done is None:
            raise UsageError("git could not be run, or did not answer in time")
        at = 0
        while header := re.match(rb"([0-9a-f]+) (?:blob (\d+)|\w+.*)\n", done.stdout[at : at + 200]):
            at += header.end()
            if header[2] is not None:
                size = int(header[2])
                self._known[header[1].decode()] = done.stdout[at : at + size]
                at += size + 1


def commit_of(root: Path, name: str) -> str | None:
    """The commit that a revision means; None where it means none."""
    if name.startswith("-"):
        raise UsageError(f"{name!r} is not a git revision")
    done = git.run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    if done is None:
        raise UsageError("git could not be run")
    return done.stdout.decode().strip() if done.returncode == 0 else None
