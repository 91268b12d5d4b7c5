"""A tree of files to read, in a folder or in a commit: what parity looks at, and what it could not get."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from rewarp import git
from rewarp.errors import UsageError

_LARGEST = 4_000_000
"""Bytes; larger sources are generated or data."""
_SKIPPED_FOLDERS = {".git", "target", "node_modules", "__pycache__", ".venv", "venv"}


class TreeView(Protocol):
    """Files by their path with forward slashes, relative to the root."""

    name: str

    def paths(self) -> list[str]: ...

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], dict[str, str]]:
        """Contents by path, and for those that could not be had, the reason."""
        ...


class FolderView:
    """What lies in a folder now: what git tracks or does not ignore, else every file."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UsageError(f"{root} is not a folder" if root.exists() else f"{root} does not exist")
        self.root = root
        self.name = str(root)

    def paths(self) -> list[str]:
        listed = git.listed_files(self.root)
        return listed if listed is not None else sorted(self._walk())

    def _walk(self) -> Iterable[str]:
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS]
            for name in files:
                yield Path(folder, name).relative_to(self.root).as_posix()

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], dict[str, str]]:
        found: dict[str, bytes] = {}
        unread: dict[str, str] = {}
        for path in paths:
            file = self.root / path
            try:
                if not file.is_file():
                    # A listed file that is not there, a link to nowhere or into a loop, a device.
                    unread[path] = "not a readable file"
                elif file.stat().st_size > _LARGEST:
                    unread[path] = f"larger than {_LARGEST // 1_000_000} MB"
                else:
                    found[path] = file.read_bytes()
            except OSError as error:
                unread[path] = error.strerror or str(error)
        return found, unread


class CommitView:
    """What a commit holds, read through git without a checkout. Objects that are not in the repository stay unread."""

    def __init__(self, repository: Path, revision: str, folder: str = "") -> None:
        self.repository, self.revision = repository, revision
        self.name = revision
        # A revision of a bare repository, or one below which a folder was asked for.
        tree = f"{revision}^{{tree}}" if not folder else f"{revision}:{folder}"
        if revision.startswith("-"):
            raise UsageError(f"{revision!r} is not a git revision")
        done = git.run(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", tree)
        if done is None or done.returncode != 0:
            raise UsageError(f"{revision!r} is not a revision of the git repository at {repository}")
        self.blobs: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        for entry in done.stdout.split(b"\0"):
            head, _, path = entry.partition(b"\t")
            mode_type_object_size = head.split()
            if len(mode_type_object_size) == 4 and mode_type_object_size[1] == b"blob":
                name = os.fsdecode(path)
                self.blobs[name] = mode_type_object_size[2].decode()
                # Of a blob that a partial clone left out, git cannot say the size.
                size = mode_type_object_size[3]
                self._sizes[name] = int(size) if size.isdigit() else -1

    def paths(self) -> list[str]:
        return sorted(self.blobs)

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], dict[str, str]]:
        unread: dict[str, str] = {}
        wanted: list[str] = []
        for path in paths:
            if path not in self.blobs:
                unread[path] = "not in the commit"
            elif self._sizes[path] > _LARGEST:
                unread[path] = f"larger than {_LARGEST // 1_000_000} MB"
            else:
                wanted.append(path)
        contents = _blobs(self.repository, {self.blobs[path] for path in wanted})
        found = {path: contents[self.blobs[path]] for path in wanted if self.blobs[path] in contents}
        unread.update({path: "missing from the repository" for path in wanted if path not in found})
        return found, unread


def _blobs(repository: Path, names: set[str]) -> Mapping[str, bytes]:
    """Objects by name; those that are not there are left out."""
    if not names:
        return {}
    done = git.run(repository, "cat-file", "--batch", input="\n".join(sorted(names)).encode() + b"\n")
    if done is None:
        raise UsageError(f"git could not be asked for the files of {repository}")
    found: dict[str, bytes] = {}
    answer, at = done.stdout, 0
    while at < len(answer):
        end = answer.find(b"\n", at)
        if end < 0:
            break
        head = answer[at:end].split()
        at = end + 1
        if len(head) != 3 or head[1] == b"missing":
            continue
        size = int(head[2])
        found[head[0].decode()] = answer[at : at + size]
        at += size + 1
    return found
