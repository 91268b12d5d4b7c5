"""Trees: a folder, a commit, an overlay of planned edits. A tree does not change while it is looked at."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from rewarp import git
from rewarp.errors import UsageError

Nature = Literal["file", "symlink", "submodule", "unreadable"]
NOT_PLAIN = "it is not a plain file"
"""A pipe, a socket, a device."""
_KEPT = 256 << 20
"""Bytes of contents that a tree keeps in memory; beyond that, what was read first is read again when asked for."""
SKIPPED_FOLDERS = frozenset(
    ".git .hg .svn .tox .nox .venv venv node_modules __pycache__ .mypy_cache .ruff_cache .pytest_cache .eggs".split()
)
"""Where git cannot say what belongs to a project, these do not."""


class Entry(NamedTuple):
    """One path of a tree: what it is, before anything of it is read."""

    nature: Nature
    size: int = 0
    executable: bool = False
    blob: str = ""
    """The id of its content where git knows one."""
    why: str = ""
    """Why it cannot be read."""


class Tree(ABC):
    """Files by their path, with forward slashes, relative to the root."""

    name: str
    """How it was asked for."""
    revision: str | None = None
    """The commit, where it is one."""

    @cached_property
    def unlisted(self) -> dict[str, str]:
        """Folders that could not be listed, with the reason."""
        return {}

    @cached_property
    @abstractmethod
    def entries(self) -> dict[str, Entry]:
        """Every path, in order."""

    @abstractmethod
    def _content(self, path: str, entry: Entry) -> bytes | str:
        """What a file holds, or where a link leads; a string says why that cannot be had."""

    def load(self, paths: Iterable[str]) -> None:  # noqa: B027 - most trees have nothing to gain
        """Have these read soon: where reading many at once is cheaper than one by one, they are."""

    def place(self, path: str) -> Path | None:
        """Where a file of this content lies on disk, if it does."""
        return None

    @cached_property
    def _contents(self) -> _Contents:
        return _Contents()

    @cached_property
    def asked(self) -> set[str]:
        """The files whose content was read."""
        return set()

    @cached_property
    def _failures(self) -> dict[str, str]:
        return {}

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or the target of a symbolic link; None where there is nothing to read (see ``why``)."""
        data = self._contents.get(path)
        if data is None:
            self.asked.add(path)
            entry = self.entries.get(path)
            if entry is None or entry.nature not in ("file", "symlink") or path in self._failures:
                return None
            found = self._content(path, entry)
            if isinstance(found, str):
                self._failures[path] = found
                return None
            data = self._contents.keep(path, found)
        return data

    def why(self, path: str) -> str:
        """Why ``read`` gave nothing."""
        if path in self._failures:
            return self._failures[path]
        entry = self.entries.get(path)
        if entry is None:
            return "there is no such file"
        return entry.why or {"submodule": "it is another repository"}.get(entry.nature, "cannot be read")

    def files(self) -> list[str]:
        """The paths of plain files."""
        return [path for path, entry in self.entries.items() if entry.nature == "file"]

    def __contains__(self, path: str) -> bool:
        return path in self.entries

    def holding(self, edits: Mapping[str, bytes | None]) -> Tree:
        """This tree with other contents of some files; None takes one away."""
        return Overlay(self, edits) if edits else self


class _Contents(dict[str, bytes]):
    """What was read, as far as there is room for it."""

    def __init__(self) -> None:
        super().__init__()
        self._size = 0

    def keep(self, path: str, data: bytes) -> bytes:
        self[path] = data
        self._size += len(data)
        while self._size > _KEPT and len(self) > 1:
            self._size -= len(self.pop(next(iter(self))))
        return data


# --- on disk --------------------------------------------------------------------------------


class Folder(Tree):
    """A folder as it is on disk: what git tracks or does not ignore, else every file but those of tools."""

    def __init__(
        self,
        root: Path,
        name: str | None = None,
        *,
        exclude: Sequence[str] = (),
        everything: bool = False,
        submodules: bool = False,
    ) -> None:
        """``exclude``: patterns of paths, of folders above them, or of bare names. ``everything``: what git ignores too; two
        folders that are compared may differ there. ``submodules``: what other repositories inside this one hold as well;
        the build may take it, but it is changed there."""
        if not root.is_dir():
            raise UsageError(f"{root} is not a folder" if root.exists() else f"{root} does not exist")
        self.root, self.name = root, name or str(root)
        self._everything, self._submodules = everything, submodules
        self._exclude = [re.compile(fnmatch.translate(pattern.rstrip("/"))) for pattern in exclude]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        listed = None if self._everything else git.listed_files(self.root)
        if listed is None:
            skipped = frozenset({".git"}) if self._everything else SKIPPED_FOLDERS
            self._add(found, self._walk(self.root, "", skipped))
        else:
            self._add(found, listed)
        return dict(sorted(found.items()))

    def _add(self, found: dict[str, Entry], paths: Iterable[str]) -> None:
        for path in paths:
            path = path.rstrip("/")
            if self._exclude and self._excluded(path):
                continue
            entry = _disk_entry(os.path.join(self.root, path))
            if entry is None:
                continue  # git knows it, the working tree does not
            found[path] = entry
            if entry.nature == "submodule" and self._submodules:
                self._add(found, self._walk(self.root / path, path + "/", SKIPPED_FOLDERS))

    def _excluded(self, path: str) -> bool:
        parts = path.split("/")
        prefixes = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        return any(pattern.match(name) for pattern in self._exclude for name in (*prefixes, *parts))

    def _walk(self, folder: Path, prefix: str, skipped: frozenset[str]) -> Iterator[str]:
        pending = [(str(folder), prefix)]
        while pending:
            place, prefix = pending.pop()
            try:
                entries = list(os.scandir(place))
            except OSError as error:
                self.unlisted[prefix.rstrip("/") or "."] = error.strerror or "cannot be listed"
                continue
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":  # of a submodule, it says where its repository is
                        yield prefix + entry.name
                elif entry.name not in skipped:
                    pending.append((entry.path, f"{prefix}{entry.name}/"))

    def place(self, path: str) -> Path | None:
        return self.root / path

    def _content(self, path: str, entry: Entry) -> bytes | str:
        file = os.path.join(self.root, path)
        try:
            if entry.nature == "symlink":
                return os.fsencode(os.readlink(file))
            with open(file, "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            return "it vanished while it was looked at"
        except OSError as error:
            return error.strerror or "cannot be read"


def _disk_entry(file: str) -> Entry | None:
    try:
        status = os.lstat(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Entry("unreadable", why=error.strerror or "cannot be read")
    if stat.S_ISREG(status.st_mode):
        return Entry("file", status.st_size, bool(status.st_mode & stat.S_IXUSR))
    if stat.S_ISLNK(status.st_mode):
        return Entry("symlink")
    if stat.S_ISDIR(status.st_mode):
        return Entry("submodule")  # git lists a folder only where it is another repository
    return Entry("unreadable", why=NOT_PLAIN)


# --- in git ---------------------------------------------------------------------------------


class Commit(Tree):
    """What a commit holds, read through git without a checkout; of a bare repository too."""

    def __init__(self, repository: Path, revision: str, folder: str = "", blobs: Blobs | None = None) -> None:
        """``folder``: the part of the commit's tree that is looked at."""
        commit = commit_of(repository, revision)
        if commit is None:
            raise UsageError(f"{revision!r} is not a revision of the git repository at {repository}")
        self.repository, self.name, self.revision = repository, revision, commit
        self._folder = folder
        self._blobs = blobs or Blobs(repository)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        tree = f"{self.revision}:{self._folder}" if self._folder else str(self.revision)
        listed = git.answer(self.repository, "ls-tree", "-r", "-l", "-z", "--full-tree", tree)
        found: dict[str, Entry] = {}
        for record in listed.split(b"\0"):
            if record:
                fields, _, path = record.partition(b"\t")
                mode, kind, blob, size = fields.split()
                found[os.fsdecode(path)] = _git_entry(mode, kind, blob.decode(), size)
        return dict(sorted(found.items()))

    def _content(self, path: str, entry: Entry) -> bytes | str:
        data = self._blobs.read(entry.blob)
        return "its content is not in the repository" if data is None else data

    def load(self, paths: Iterable[str]) -> None:
        entries = (self.entries[path] for path in paths if path in self.entries)
        self._blobs.load(entry.blob for entry in entries if entry.nature in ("file", "symlink"))


def _git_entry(mode: bytes, kind: bytes, blob: str, size: bytes) -> Entry:
    if kind == b"commit":
        return Entry("submodule", blob=blob)
    if mode == b"120000":
        return Entry("symlink", blob=blob)
    if not size.isdigit():  # left out by a partial clone
        return Entry("unreadable", blob=blob, why="its content is not in the repository")
    return Entry("file", int(size), mode == b"100755", blob)


class Blobs:
    """Contents by git's id, fetched many at a time; commits of one repository share them."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._known: dict[str, bytes] = {}

    def read(self, blob: str) -> bytes | None:
        self.load([blob])
        return self._known.get(blob)

    def load(self, blobs: Iterable[str]) -> None:
        wanted = sorted({blob for blob in blobs if blob not in self._known})
        if not wanted:
            return
        done = git.run(self._repository, "cat-file", "--batch", input="\n".join(wanted).encode() + b"\n")
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


# --- under edits ----------------------------------------------------------------------------


class Overlay(Tree):
    """A tree under edits that nobody has written: new contents by path, None for a file that goes."""

    def __init__(self, base: Tree, edits: Mapping[str, bytes | None]) -> None:
        below = base if isinstance(base, Overlay) else None
        self.base: Tree = below.base if below else base
        self.edits: Mapping[str, bytes | None] = {**below.edits, **edits} if below else edits
        self.name = base.name

    @cached_property
    def entries(self) -> dict[str, Entry]:
        found = dict(self.base.entries)
        for path, data in self.edits.items():
            before = found.pop(path, None)
            if data is not None:
                found[path] = Entry("file", len(data), bool(before and before.executable))
        return dict(sorted(found.items()))

    def read(self, path: str) -> bytes | None:
        return self.edits[path] if path in self.edits else self.base.read(path)

    def why(self, path: str) -> str:
        return super().why(path) if path in self.edits else self.base.why(path)

    def _content(self, path: str, entry: Entry) -> bytes | str:
        raise AssertionError("the base or the edits hold it")

    def load(self, paths: Iterable[str]) -> None:
        self.base.load(path for path in paths if path not in self.edits)

    def place(self, path: str) -> Path | None:
        return None if path in self.edits else self.base.place(path)

    def changes(self) -> dict[str, bytes | None]:
        """The edits that differ from what was there."""
        return {path: data for path, data in self.edits.items() if data != self.base.read(path)}


def edited(before: Tree, after: Tree) -> set[str] | None:
    """The paths at which two states of one tree can differ; None where they are not states of one tree."""
    bases = [tree.base if isinstance(tree, Overlay) else tree for tree in (before, after)]
    if bases[0] is not bases[1]:
        return None
    return {path for tree in (before, after) if isinstance(tree, Overlay) for path in tree.edits}


# --- which of them --------------------------------------------------------------------------


def open_tree(path: Path, revision: str | None = None) -> Tree:
    """What to look at: a folder as it is, a commit of the repository that it belongs to, or the last of a bare one."""
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder" if path.exists() else f"{path} does not exist")
    if git.is_bare(path):
        return Commit(path, revision or "HEAD")
    if revision is None:
        return Folder(path)
    below = git.run(path, "rev-parse", "--show-prefix")
    if below is None or below.returncode != 0:
        raise UsageError(f"{path} is not in a git repository, and {revision!r} was asked for")
    return Commit(path, revision, os.fsdecode(below.stdout).strip().rstrip("/"))
