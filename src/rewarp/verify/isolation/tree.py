"""The two trees of a change, side by side."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rewarp import git
from rewarp.errors import UsageError
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.roles import Role, role_of, suffix
from rewarp.workspace.trees import Blobs, Commit, Entry, Folder, Tree, commit_of, edited

LIMIT = 16 << 20
"""A file larger than this is not read: it is not source that a person wrote."""
_SNIFFED = 8192
_ASIDE = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT)
_LARGE_DATA = 1 << 18
_DATA = frozenset(".json .jsonl .txt .csv .tsv .html .js .mjs .css .svg .inp .out .ipynb .lock .vocab .xml".split())
"""Text of these kinds is data once it is large: nobody gives a compiler its flags there."""
_INCLUDE = re.compile(rb"#[ \t]*include[ \t]*[<\"]([^<>\"\n]+)[>\"]")
_GIVES = (b"-D", b"/D")
"""What stands right before the name of a macro on a command line."""
_WORDS = frozenset(bytes([code]) for code in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


class Trees:
    """Before and after; the TreeView that every comparer gets."""

    def __init__(self, before: Tree, after: Tree) -> None:
        self.before, self.after = before, after
        self.assumed: dict[str, None] = {}
        """What a comparer had to take for granted, in the order it did."""
        self._texts: dict[Side, _Text] = {}
        self._asked: dict[str, str] = {}
        self._loaded: set[tuple[Side, str]] = set()
        self.containing = lru_cache(maxsize=None)(self._containing)

    def side(self, side: Side) -> Tree:
        return self.before if side == "before" else self.after

    def read(self, path: str, side: Side) -> bytes | None:
        """What a file holds, or where a link leads; None where that is not known, or too much to be source."""
        snapshot, end = self.side(side), suffix(path)
        if (side, end) not in self._loaded and path not in self._asked:
            # Who reads a second file of a kind soon reads them all.
            self._asked[path] = end
            if sum(one == end for one in self._asked.values()) > 2:
                self._loaded.add((side, end))
                _load(snapshot, (other for other in snapshot.entries if suffix(other) == end))
        return _read(snapshot, path)

    def paths(self, side: Side) -> Sequence[str]:
        return list(self.side(side).entries)

    def text(self, path: str, side: Side) -> bytes | None:
        """What a file holds, where a person wrote it: no binary, no large data."""
        data = self.read(path, side)
        return None if data is None or not _is_written(path, data) else data

    def assume(self, text: str) -> None:
        self.assumed[text] = None

    def changed(self) -> list[str]:
        """Paths whose content, nature or mode is not the same on both sides."""
        before, after = self.before.entries, self.after.entries
        touched = edited(self.before, self.after)
        common = before.keys() & (after.keys() if touched is None else after.keys() & touched)
        both = [path for path in common if not _same_blob(before[path], after[path])]
        _load(self.before, both)
        _load(self.after, both)
        changed = [path for path in both if not self._equal(path, before[path], after[path])]
        return sorted([*changed, *(before.keys() ^ after.keys())])

    def _equal(self, path: str, before: Entry, after: Entry) -> bool:
        if (before.nature, before.executable) != (after.nature, after.executable):
            return False
        one, other = self.read(path, "before"), self.read(path, "after")
        return one is not None and one == other

    def _containing(self, word: str, side: Side) -> tuple[str, ...]:
        """Files in which a word stands, and those that could not be searched; documentation left out."""
        text, starts, paths, unread = self._text(side)
        found, plain = list(unread), os.fsencode(word)
        at = text.find(plain)
        while at >= 0:
            end = at + len(plain)
            starts_word = text[max(at - 1, 0) : at] not in _WORDS or text[max(at - 2, 0) : at] in _GIVES
            if starts_word and text[end : end + 1] not in _WORDS:
                index = bisect_right(starts, at) - 1
                found.append(paths[index])
                end = starts[index + 1] if index + 1 < len(starts) else len(text)
            at = text.find(plain, end)
        return tuple(found)

    def _text(self, side: Side) -> _Text:
        if side not in self._texts:
            self._texts[side] = _joined_text(self.side(side))
        return self._texts[side]


class _Text(NamedTuple):
    """All files of one side in one piece: to search it once is far cheaper than to search each."""

    text: bytes
    starts: list[int]
    paths: list[str]
    unread: list[str]


def _joined_text(snapshot: Tree) -> _Text:
    _load(snapshot, snapshot.entries)
    parts: list[bytes] = []
    starts, paths, unread, at = [], [], [], 0
    included = _included_names(snapshot)
    for path, entry in list(snapshot.entries.items()):
        aside = role_of(path) in _ASIDE and path.rpartition("/")[2] not in included
        if entry.nature in ("submodule", "symlink") or aside:
            continue
        data = _read(snapshot, path)
        if data is None:
            unread += [path] if role_of(path) is not Role.OTHER else []
        elif _is_written(path, data):
            if role_of(path) is Role.C:
                data = data.replace(b"\\\r\n", b"").replace(b"\\\n", b"")  # a name may be broken across lines
            parts += (data, b"\0")
            starts.append(at)
            paths.append(path)
            at += len(data) + 1
    return _Text(b"".join(parts), starts, paths, unread)


def _included_names(snapshot: Tree) -> set[str]:
    """Names of files that C includes: with a README there, a README is code."""
    sources = (_read(snapshot, path) for path in list(snapshot.entries) if role_of(path) is Role.C)
    found = (match[1] for data in sources for match in _INCLUDE.finditer(data or b""))
    return {os.fsdecode(name).rpartition("/")[2] for name in found}


def _is_written(path: str, data: bytes) -> bool:
    return b"\0" not in data[:_SNIFFED] and not (len(data) > _LARGE_DATA and suffix(path) in _DATA)


def _same_blob(before: Entry, after: Entry) -> bool:
    return bool(before.blob) and before == after


def _read(tree: Tree, path: str) -> bytes | None:
    entry = tree.entries.get(path)
    return None if entry is None or entry.size > LIMIT else tree.read(path)


def _load(tree: Tree, paths: Iterable[str]) -> None:
    tree.load([path for path in paths if (entry := tree.entries.get(path)) and entry.size <= LIMIT])


def open_trees(base: str, head: str | None, path: Path) -> tuple[Trees, str]:
    """The trees that two revisions, a revision and the working tree, or two folders name; and the folder below the
    top that the question is limited to."""
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder")
    top = _top(path)
    commit = commit_of(path, base) if top else None
    if commit is None or top is None:
        return _folders(base, head, path), ""
    blobs = Blobs(top)
    before = Commit(top, base, blobs=blobs)
    after: Tree
    if head is None:
        if git.is_bare(top):
            raise UsageError("a bare repository has no working tree: give HEAD as a second revision")
        after = Folder(top, "the working tree")
    else:
        other = commit_of(path, head)
        if other is None:
            raise UsageError(f"{head!r} is not a revision of the git repository at {path}")
        after = Commit(top, head, blobs=blobs)
    inside = "" if git.is_bare(top) else path.resolve().relative_to(top.resolve()).as_posix()
    return Trees(before, after), "" if inside == "." else inside


def _folders(base: str, head: str | None, path: Path) -> Trees:
    one = Path(base)
    if not one.is_dir():
        raise UsageError(f"{base!r} is neither a revision of a git repository at {path} nor a folder")
    if head is None:
        raise UsageError("two folders are needed: BASE and HEAD")
    other = Path(head)
    if not other.is_dir():
        raise UsageError(f"{head!r} is not a folder, and BASE is one")
    return Trees(Folder(one, base, everything=True), Folder(other, head, everything=True))


def _top(path: Path) -> Path | None:
    done = git.run(path, "rev-parse", "--show-toplevel")
    if done is not None and done.returncode == 0:
        return Path(done.stdout.decode(errors="surrogateescape").rstrip("\n"))
    return path if git.is_bare(path) else None
