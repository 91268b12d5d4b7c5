"""Which state of which project something was said about: the commit, and a hash of everything that rewarp reads."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rewarp import git
from rewarp.files import is_below
from rewarp.workspace.listing import FileEntry, list_tree
from rewarp.workspace.trees import Folder, Tree

STATE_FOLDER = ".rewarp"
"""Where a port keeps its state when there is no git; no part of the project."""
_SCP = re.compile(r"(?:[\w.+-]+@)?([\w.-]+):(?!/)(.+)")
_URL = re.compile(r"(?:https?|ssh|git)://(?:[^/@]*@)?([\w.-]+)(?::\d+)?/(.+)")
_PLAIN = re.compile(r"[\w.~+/-]+")


@dataclass(frozen=True)
class Identity:
    """A state of a project."""

    root: str
    """Where it lay."""
    tree: str
    """The hash of its files that rewarp reads, whether they are committed or not."""
    commit: str | None = None
    clean: bool | None = None
    """Whether the files are as the commit has them; None where that cannot be told."""
    prefix: str = ""
    """The root's place in its repository, with a slash at its end."""
    remote: str | None = None
    """The repository's page, ``https://host/owner/name``, without anybody's credentials."""


def identify(root: Path, without: Path | None = None) -> Identity:
    """The state that a folder, or a single file, is in now. ``without``: a folder inside it that is no part of it."""
    where = os.path.realpath(root)
    if not root.is_dir():
        return Identity(where, _digest([(root.name, root.read_bytes())]))
    left_out = inside(root, without)
    tree = tree_hash(project(root), left_out)
    commit = git.head(root)
    tracked = git.run(root, "ls-files", "-z", "--cached")
    if commit is None or tracked is None or not tracked.stdout:
        return Identity(where, tree)  # a folder that the repository around it ignores is in none of its commits
    prefix = git.run(root, "rev-parse", "--show-prefix")
    unsaved = git.uncommitted(root, [root / entry.path for entry in _read(project(root), left_out)])
    clean = None if unsaved is None or unsaved.not_compared else not unsaved.paths
    return Identity(where, tree, commit, clean, os.fsdecode(prefix.stdout).strip() if prefix else "", _remote(root))


def project(root: Path) -> Folder:
    """All of a project's files, those of other repositories inside it too."""
    return Folder(root, submodules=True)


def inside(root: Path, folder: Path | None) -> str | None:
    """A folder's path below the root; None where it lies elsewhere."""
    if folder is None:
        return None
    below = os.path.relpath(os.path.realpath(folder), os.path.realpath(root)).replace(os.sep, "/")
    return None if below in (".", "..") or below.startswith("../") else below


def tree_hash(tree: Tree, without: str | None = None) -> str:
    """One hash for the paths and contents of all files that rewarp reads. Reports and logs beside them change nothing."""
    return _digest((entry.path, _content(entry)) for entry in _read(tree, without))


def _read(tree: Tree, without: str | None) -> list[FileEntry]:
    left_out = [STATE_FOLDER, *([without] if without else [])]
    found = (e for e in list_tree(tree).files if not any(is_below(e.path, folder) for folder in left_out))
    return sorted(found, key=lambda entry: entry.path)


def _content(entry: FileEntry) -> bytes:
    try:
        return entry.read()
    except OSError as error:
        return f"cannot be read: {error.strerror}".encode()


def _digest(files: Iterable[tuple[str, bytes]]) -> str:
    whole = hashlib.sha256()
    for path, data in files:
        whole.update(os.fsencode(path) + b"\0" + hashlib.sha256(data).digest())
    return whole.hexdigest()


def _remote(root: Path) -> str | None:
    done = git.run(root, "config", "--get", "remote.origin.url")
    return web_page(os.fsdecode(done.stdout).strip()) if done and done.returncode == 0 else None


def web_page(url: str) -> str | None:
    """The page of a repository that is fetched from there; None where it has none, or the name is no plain one."""
    found = _URL.fullmatch(url) or _SCP.fullmatch(url)
    if not found:
        return None
    path = found[2].strip("/").removesuffix(".git")
    return f"https://{found[1]}/{path}" if _PLAIN.fullmatch(path) and ".." not in path else None
