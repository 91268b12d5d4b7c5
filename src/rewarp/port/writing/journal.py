"""The journal of ports made in place: what each file held before, kept before anything is written.

It lies in git's own folder, or in ``.rewarp`` where there is no git. The order makes it safe to be killed at any
point: contents first, then the journal that says ``writing``, then the files, then ``done``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path

from rewarp import git
from rewarp.errors import UsageError
from rewarp.files import refuse_links, replacing
from rewarp.lang import parsers
from rewarp.workspace.identity import STATE_FOLDER

SCHEMA = "rewarp.port-state/1"
_JOURNAL = "journal.json"
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Status(str, Enum):
    WRITING = "writing"
    DONE = "done"
    UNDOING = "undoing"


@dataclass(frozen=True)
class Entry:
    """One file: digests of what it held before and holds after; None where it was not, or is no more."""

    path: str
    before: str | None
    after: str | None
    mode: int | None
    """Its permissions before."""

    def check(self) -> None:
        """Raises ValueError for what rewarp never wrote: a journal may come with a stranger's folder."""
        _check_path(self.path)
        for name in (self.before, self.after):
            if name is not None and not _DIGEST.fullmatch(name):
                raise ValueError(f"{name!r} is no digest")
        if self.mode is not None and not 0 <= self.mode <= 0o7777:
            raise ValueError(f"{self.mode!r} are no permissions")


def _check_path(path: str) -> None:
    if not path or os.path.isabs(path) or os.path.normpath(path) != path or path.split("/")[0] in ("..", ".git"):
        raise ValueError(f"{path!r} is no path of the tree")


@dataclass(frozen=True)
class Journal:
    status: Status
    target: str
    entries: tuple[Entry, ...]
    folders: tuple[str, ...] = ()
    """Folders that the port made, the outer ones first."""
    pending: tuple[tuple[str, str | None], ...] = ()
    """The files that are being written, with the digests of what they hold until then."""
    mark: str = field(default_factory=lambda: os.urandom(12).hex())
    """What the names of temporary files begin with, so that those of a killed run are found, and nothing else."""

    def temporary(self, file: Path) -> Path:
        """Where what will replace a file is written."""
        return file.with_name(f".rewarp-{self.mark}-{hashlib.sha256(os.fsencode(file.name)).hexdigest()[:12]}.tmp")

    def expected(self, entry: Entry) -> set[str | None]:
        """What a file may hold that nobody else has touched."""
        return {entry.before, entry.after, dict(self.pending).get(entry.path, entry.before)}


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def on_disk(file: Path) -> bytes | None:
    """What a file holds now; None where there is none."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None


class State:
    """The journal of one tree, and the contents it speaks of."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._home, self.folder = _state_folder(root)

    # --- the journal ----------------------------------------------------------------------

    def read(self) -> Journal | None:
        file = self.folder / _JOURNAL
        data = on_disk(file)
        if data is None:
            return None
        try:
            document = parsers.from_json(data)
            if document["schema"] != SCHEMA:
                raise ValueError(f"its schema is {document['schema']!r}")
            entries = tuple(Entry(**entry) for entry in document["entries"])
            folders = tuple(document["folders"])
            pending = tuple((path, name) for path, name in document["pending"])
            for entry in entries:
                entry.check()
            for folder in folders:
                _check_path(folder)
            mark = document.get("mark", "")
            if not re.fullmatch("[0-9a-f]*", mark):
                raise ValueError(f"{mark!r} is no mark")
            return Journal(Status(document["status"]), document["target"], entries, folders, pending, mark)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(f"{file}, the journal of an earlier port, cannot be read: {error}") from None

    def write(self, journal: Journal) -> None:
        document = {
            "schema": SCHEMA,
            "status": journal.status.value,
            "target": journal.target,
            "entries": [asdict(entry) for entry in journal.entries],
            "folders": list(journal.folders),
            "pending": [list(item) for item in journal.pending],
            "mark": journal.mark,
        }
        self._put(self.folder / _JOURNAL, json.dumps(document, indent=1).encode())

    def forget(self) -> None:
        """The port is undone. The journal goes first: without it the rest means nothing."""
        (self.folder / _JOURNAL).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # something else is kept there
            self.folder.parent.rmdir()

    # --- contents -------------------------------------------------------------------------

    def keep(self, data: bytes) -> str:
        """Keep a content; gives its digest."""
        name = digest(data) or ""
        file = self._content(name)
        if not file.exists():
            self._put(file, zlib.compress(data, 6))
        return name

    def content(self, name: str) -> bytes:
        file = self._content(name)
        try:
            data = zlib.decompress(file.read_bytes())
        except (OSError, zlib.error) as error:
            raise UsageError(f"{file}, which a port kept, cannot be read: {error}") from None
        if digest(data) != name:
            raise UsageError(f"{file}, which a port kept, is damaged")
        return data

    def _content(self, name: str) -> Path:
        return self.folder / "contents" / f"{name}.z"

    def _put(self, file: Path, data: bytes) -> None:
        refuse_links(self._home, [os.path.relpath(file, self._home)])
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file, durable=True) as stream:
                stream.write(data)
        except (OSError, UsageError) as error:
            raise UsageError(f"cannot keep the state of the port: {error}") from None


def _state_folder(root: Path) -> tuple[Path, Path]:
    """The folder that is there already, and the one of ours below it."""
    done = git.run(root, "rev-parse", "--absolute-git-dir", "--show-prefix")
    if done is None or done.returncode != 0:
        return root, root / STATE_FOLDER / "port"
    folder, prefix = os.fsdecode(done.stdout).split("\n")[:2]
    name = "port" if not prefix else f"port-{hashlib.sha256(os.fsencode(prefix)).hexdigest()[:12]}"
    return Path(folder), Path(folder) / "rewarp" / name


def merged(journal: Journal | None, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries of a further port joined to those of earlier ones.

    A file that is still as the earlier port left it was, before, what it was before that; one that somebody has worked
    on since was what they made of it.
    """
    known = {entry.path: entry for entry in journal.entries} if journal else {}
    for entry in entries:
        earlier = known.get(entry.path)
        if earlier is not None and earlier.after == entry.before:
            entry = replace(earlier, after=entry.after)
        known[entry.path] = entry
    return tuple(entry for _, entry in sorted(known.items()))


def originals(state: State, journal: Journal | None) -> Mapping[str, bytes | None]:
    """What the files that a port changed, and nobody since, held before it."""
    found: dict[str, bytes | None] = {}
    for entry in journal.entries if journal else ():
        if digest(on_disk(state.root / entry.path)) == entry.after:
            found[entry.path] = None if entry.before is None else state.content(entry.before)
    return found
