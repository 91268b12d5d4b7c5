"""What scans found, kept from one scan to the next, as long as rewarp's own code, the question, the tree's listing and the content of each
file that was read for it are the same."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rewarp.cache import decoded, encoded, opened, own_code
from rewarp.findings import DIED, Failed, Outcome
from rewarp.lang.parsers import from_json
from rewarp.project.build.database import databases
from rewarp.workspace import TOO_LARGE, Folder, Listing


class Kept:
    """The answer to one question about one tree. What is broken is no answer."""

    def __init__(
        self, folder: Path, name: str, tree: Folder, question: object, most: int, told: frozenset[str] = frozenset()
    ) -> None:
        """``question``: what decides the answer besides the tree; ``most``: how many answers of this name are kept; ``told``: the
        files whose content the question tells."""
        self._file, self._name, self._tree, self._most = folder / f"{name}.sqlite", name, tree, most
        self._told = told
        digest = hashlib.blake2b(own_code(), digest_size=24)
        listed = [(path, entry.nature, entry.size) for path, entry in tree.entries.items()]
        elsewhere = [item for item in databases(tree) if item[0] not in tree.entries]
        digest.update(repr((question, os.path.abspath(tree.root), listed, elsewhere)).encode("utf-8", "surrogatepass"))
        self._key = digest.digest()

    def get(self) -> Any:
        """What was put, as JSON gives it back; None where that is not to be had."""
        database = opened(self._file, self._name)
        if database is None:
            return None
        try:
            row = database.execute(f"SELECT value FROM {self._name} WHERE key = ?", (self._key,)).fetchone()
            kept = from_json(row[0]) if row else None
            return kept["found"] if kept is not None and kept["content"] == self._content(kept["files"]) else None
        except (sqlite3.Error, ValueError, TypeError, LookupError):
            return None
        finally:
            database.close()

    def put(self, found: Any) -> None:
        read = self._tree.asked - self._told
        files = [at for at, path in enumerate(self._tree.entries) if path in read]
        kept = json.dumps({"files": files, "content": self._content(files), "found": found})
        database = opened(self._file, self._name)
        if database is None:
            return
        with contextlib.closing(database), contextlib.suppress(sqlite3.Error), database:
            database.execute(f"INSERT OR REPLACE INTO {self._name} VALUES (?, ?, ?)", (self._key, kept, time.time()))
            database.execute(
                f"DELETE FROM {self._name} WHERE key NOT IN (SELECT key FROM {self._name} ORDER BY made DESC LIMIT ?)",
                (self._most,),
            )

    def _content(self, files: list[int]) -> str:
        """A digest of files, by their numbers in the listing."""
        paths = list(self._tree.entries)
        digest = hashlib.blake2b(digest_size=24)
        for at in files:
            data = self._tree.read(paths[at])
            digest.update(b"-" if data is None else b"%d:" % len(data))
            digest.update(data or b"")
        return digest.hexdigest()


class Answer(NamedTuple):
    """What a scan for one target says of the files in the end, once it is known what the project comes to."""

    outcomes: tuple[Outcome, ...]
    optional: frozenset[tuple[str, int, int, str]]
    hidden: int = 0
    """Findings that a baseline holds; such an answer is not kept."""


class Answers:
    """Those of one scan for several targets. They depend on the content of all files that rewarp reads."""

    def __init__(self, folder: Path, tree: Folder, listing: Listing, question: object) -> None:
        self._listing, self._content = listing, _content(listing)
        files = [(entry.path, entry.kind.value) for entry in listing.files]
        asked = (question, files, listing.left_out, self._content)
        self._kept = Kept(folder, "answers", tree, asked, _MOST_ANSWERS, frozenset(path for path, _ in files))

    def get(self) -> list[Answer] | None:
        kept = self._kept.get()
        try:
            return [
                Answer(
                    tuple(map(decoded, outcomes)),
                    frozenset((str(a), int(b), int(c), str(d)) for a, b, c, d in optional),
                )
                for outcomes, optional in kept
            ]
        except (ValueError, TypeError, LookupError):
            return None

    def put(self, answers: Sequence[Answer]) -> None:
        died = any(isinstance(found, Failed) and found.reason == DIED for one in answers for found in one.outcomes)
        # Of files that were written meanwhile nobody knows which state the answer is about.
        if not died and _content(self._listing) == self._content:
            self._kept.put([[list(map(encoded, one.outcomes)), sorted(one.optional)] for one in answers])


_MOST_ANSWERS = 50


def _content(listing: Listing) -> str:
    digest = hashlib.blake2b(digest_size=24)
    for entry in listing.files:
        if entry.size > TOO_LARGE:
            continue  # nobody reads it
        try:
            data = entry.read()
        except OSError as error:
            digest.update(repr(error).encode("utf-8", "surrogatepass"))
        else:
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return digest.hexdigest()
