"""A port written over the tree itself, with a journal by which it can be taken back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from rewarp import git
from rewarp.errors import UsageError
from rewarp.files import refuse_links
from rewarp.port.result import Port
from rewarp.port.writing.journal import Entry, Journal, State, Status, digest, merged, on_disk
from rewarp.port.writing.undo import restore, write


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
