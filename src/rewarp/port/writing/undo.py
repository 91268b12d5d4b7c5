"""Taking a port made in place back, and finishing or taking back one that was interrupted."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from rewarp import git
from rewarp.errors import UsageError
from rewarp.files import NewFile, refuse_links, write_together
from rewarp.port.writing.journal import Entry, Journal, State, Status, digest, on_disk


def undo(root: Path, force: bool = False) -> list[str]:
    """Every file as it was before the port. Gives the paths that changed back."""
    state = State(root)
    journal = state.read()
    if journal is None:
        raise UsageError(
            f"{root} holds no port made in place. A patch is taken back with `git apply -R`, a branch with `git branch -D`."
        )
    entries = journal.entries
    strange = [entry for entry in entries if _now(state, entry) not in journal.expected(entry)]
    if strange and not force:
        raise UsageError(
            f"changed since the port: {git.some([entry.path for entry in strange])}. --force takes them back too; their changes are lost."
        )
    todo = [entry for entry in entries if _now(state, entry) != entry.before]
    refuse_links(root, [entry.path for entry in entries])
    state.write(replace(journal, status=Status.UNDOING))
    restore(state, journal)
    state.forget()
    return [entry.path for entry in todo]


def restore(state: State, journal: Journal) -> None:
    """What the journal's files held before; safe to be repeated."""
    _sweep(state, journal)
    back = [entry for entry in journal.entries if entry.before is not None and _now(state, entry) != entry.before]
    _write(state, journal, [_file(state, entry, entry.before) for entry in back])
    for entry in journal.entries:
        if entry.before is None:
            _remove(state.root / entry.path)
        elif entry.mode is not None:
            (state.root / entry.path).chmod(entry.mode)
    for folder in reversed(journal.folders):
        with contextlib.suppress(OSError):  # somebody put something there
            (state.root / folder).rmdir()


def finish(state: State, journal: Journal) -> None:
    """Go on with a port that was interrupted while it wrote; safe to be repeated."""
    strange = [entry for entry in _pending(journal) if _now(state, entry) not in journal.expected(entry)]
    if strange:
        raise UsageError(
            f"an earlier port was interrupted, and since then somebody changed {git.some([entry.path for entry in strange])}: "
            "take the port back with --undo --force, or bring these files back first"
        )
    write(state, journal)


def write(state: State, journal: Journal) -> None:
    """What the journal's files shall hold, then the word that it is done."""
    _sweep(state, journal)
    pending = [entry for entry in _pending(journal) if entry.after is not None]
    _write(state, journal, [_file(state, entry, entry.after) for entry in pending])
    for entry in _pending(journal):
        if entry.after is None:
            _remove(state.root / entry.path)
    state.write(replace(journal, status=Status.DONE, pending=()))


def _write(state: State, journal: Journal, files: list[NewFile]) -> None:
    refuse_links(state.root, [entry.path for entry in journal.entries])
    write_together(files, journal.temporary)


def _pending(journal: Journal) -> list[Entry]:
    paths = dict(journal.pending)
    return [entry for entry in journal.entries if entry.path in paths]


def _file(state: State, entry: Entry, name: str | None) -> NewFile:
    file = state.root / entry.path
    return NewFile(file, state.content(name or ""), file if file.exists() else None)


def _now(state: State, entry: Entry) -> str | None:
    return digest(on_disk(state.root / entry.path))


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot remove {file}: {error.strerror}") from None


def _sweep(state: State, journal: Journal) -> None:
    """Removes what a killed run left half written."""
    for entry in journal.entries:
        with contextlib.suppress(OSError):
            journal.temporary(state.root / entry.path).unlink()
