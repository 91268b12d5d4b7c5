"""Where a port goes: a patch, or the tree itself. See ``branch`` for the third way."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from rewarp import git
from rewarp.edits import Edit
from rewarp.errors import UsageError
from rewarp.files import refuse_links
from rewarp.port.differences import differences
from rewarp.port.engine import Port
from rewarp.port.state import Entry, Journal, State, Status, digest, merged, on_disk
from rewarp.port.tree import Tree
from rewarp.port.undo import restore, write
from rewarp.source import Span
from rewarp.translation import patch

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


# --- a patch --------------------------------------------------------------------------------


def as_patch(tree: Tree) -> bytes:
    """What differs from the disk, for ``git apply``."""
    return b"".join(_file_patch(path, tree) for path in sorted(tree.changes()))


def _file_patch(path: str, tree: Tree) -> bytes:
    before, after = tree.on_disk(path), tree.read(path)
    header = b"diff --git %s %s\n" % (_quoted(f"a/{path}"), _quoted(f"b/{path}"))
    if before is None:
        header += b"new file mode 100%o\n" % tree.mode(path)
        return header + (patch.new_file(path, after) if after else b"")
    if after is None:
        header += b"deleted file mode 100%o\n" % tree.mode(path)
        body = patch.changed_file(path, path, before, [Edit(Span(0, len(before)), b"")])
        return header + body.replace(b"\n+++ " + patch._name(f"b/{path}"), b"\n+++ /dev/null\n", 1)
    return header + patch.changed_file(path, path, before, _edits(before, after))


def _quoted(path: str) -> bytes:
    return patch._name(path).rstrip(b"\t\n")


def _edits(before: bytes, after: bytes) -> Iterator[Edit]:
    """Edits of whole lines that turn one text into another."""
    old, new = _LINE.findall(before), _LINE.findall(after)
    starts = [0, *accumulate(map(len, old))]
    for first, last, begin, end in differences(old, new):
        yield Edit(Span(starts[first], starts[last]), b"".join(new[begin:end]))


# --- in place -------------------------------------------------------------------------------


def write_in_place(port: Port, force: bool = False, say: Callable[[str], None] = lambda note: None) -> list[str]:
    """Write the port over the tree. Gives the paths that were written or removed."""
    root = port.after.root
    changes = port.after.changes()
    if not changes:
        return []
    state = State(root)
    journal = state.read()
    refuse_links(root, changes)
    git.refuse_filtered(root, changes)
    note = None if force else _refuse_unsaved(root, changes, journal)
    if note:
        say(note)
    new: Journal | None = None
    try:
        entries = [_entry(state, path, data) for path, data in sorted(changes.items())]
        folders = (*(journal.folders if journal else ()), *_new_folders(root, changes))
        every = merged(journal, entries)
        pending = tuple((entry.path, entry.before) for entry in entries)
        new = Journal(Status.WRITING, port.target.name, every, tuple(dict.fromkeys(folders)), pending)
        state.write(new)
        write(state, new)
    except BaseException:
        # Whatever went wrong, the tree is as it was: the disk was full, a folder is read-only, somebody pressed Ctrl-C.
        if new:
            restore(state, replace(new, entries=tuple(entries)))
        if journal:
            state.write(journal)
        else:
            state.forget()
        raise
    return sorted(changes)


def _entry(state: State, path: str, data: bytes | None) -> Entry:
    file = state.root / path
    before = on_disk(file)
    mode = file.stat().st_mode & 0o7777 if before is not None else None
    return Entry(path, None if before is None else state.keep(before), None if data is None else state.keep(data), mode)


def _new_folders(root: Path, changes: Mapping[str, bytes | None]) -> list[str]:
    found: set[str] = set()
    for path, data in changes.items():
        folder = os.path.dirname(path) if data is not None else ""
        while folder and not (root / folder).exists():
            found.add(folder)
            folder = os.path.dirname(folder)
    return sorted(found)


def _refuse_unsaved(root: Path, changes: Mapping[str, bytes | None], journal: Journal | None) -> str | None:
    """Raises UsageError where git could not bring a file back; gives what else is to be said. What an earlier port left is
    kept in its journal."""
    unsaved = git.uncommitted(root, [root / path for path in changes])
    if unsaved is None:
        raise UsageError(
            f"{root} is no git repository with a commit, so nothing but rewarp's own --undo could bring files back: "
            "--force goes on, or leave --in-place away for a patch"
        )
    ours = {entry.path: entry.after for entry in journal.entries} if journal else {}
    paths = [os.path.relpath(path, root) if os.path.isabs(path) else path for path in unsaved.paths]
    left = [path for path in paths if path not in ours or digest(on_disk(root / path)) != ours[path]]
    if left:
        raise UsageError(
            f"not committed: {git.some(left)}. Commit or stash first, or --force; "
            "a patch (without --in-place) needs neither"
        )
    return unsaved.note
