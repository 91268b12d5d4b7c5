"""Results of compilations by content: what has not changed is not compiled again.

A result is kept under the compiler, the options and the place of the unit, together with every file that was read and
its digest; it counts as long as all of them are still the same. A store that cannot be opened or read is no store.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from rewarp.cache import opened
from rewarp.toolchain import KernelResources
from rewarp.verify.checks import Outcome

_FORMAT = 2
_MAX_ROWS = 50_000
_INSIDE = "@/"
"""Stands for the folder that translations lie in, which is another each time."""


@dataclass(frozen=True)
class Refusal:
    """One error of the compiler, at the place in the tree that it comes from."""

    path: str
    line: int | None
    message: str


@dataclass(frozen=True)
class Result:
    """What one unit came to for one architecture."""

    outcome: Outcome
    why: str = ""
    cause: str | None = None
    subject: str | None = None
    path: str | None = None
    line: int | None = None
    kernels: tuple[str, ...] = ()
    resources: tuple[KernelResources, ...] = ()
    undefined: tuple[str, ...] = ()
    """Device functions that other units must define."""
    refusals: tuple[Refusal, ...] = ()
    """All that the compiler minds; the first is what ``why`` tells."""
    derived: tuple[str, ...] = ()
    """Headers of libraries that were not here, and what stood for them."""
    seconds: float = 0.0


class Files:
    """Digests of files, each read once."""

    def __init__(self, base: Path) -> None:
        self._base = str(base) + "/"
        self._digests: dict[str, str | None] = {}

    def name(self, path: str) -> str:
        return _INSIDE + path[len(self._base) :] if path.startswith(self._base) else path

    def place(self, name: str) -> Path:
        return Path(self._base + name[len(_INSIDE) :] if name.startswith(_INSIDE) else name)

    def digest(self, name: str) -> str | None:
        """None for a file that is not there."""
        if name not in self._digests:
            try:
                data = self.place(name).read_bytes()
                self._digests[name] = hashlib.blake2b(data, digest_size=20).hexdigest()
            except OSError:
                self._digests[name] = None
        return self._digests[name]


class Store:
    """A small SQLite file of results. Used from one thread."""

    def __init__(self, folder: Path | None, files: Files) -> None:
        self._files = files
        self._db: sqlite3.Connection | None = None
        if folder is None:
            return
        self._db = opened(folder / "build.sqlite", "results")

    def key(self, setting: Iterable[str], arch: str, source: str, options: Iterable[str]) -> bytes:
        words = [self._files.name(word) for word in (arch, source, *options)]
        return hashlib.blake2b(json.dumps([_FORMAT, list(setting), words]).encode(), digest_size=24).digest()

    def get(self, key: bytes) -> Result | None:
        if self._db is None:
            return None
        with contextlib.suppress(sqlite3.Error, ValueError, TypeError, KeyError):
            row = self._db.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
            if row:
                value = json.loads(row[0])
                if all(self._files.digest(name) == digest for name, digest in value["read"]):
                    return _decode(value["result"])
        return None

    def put(self, key: bytes, read: Iterable[str], result: Result, started: float) -> None:
        """``read``: the files that decided the result, and those whose absence did."""
        if self._db is None:
            return
        names = sorted({self._files.name(path) for path in read})
        digests = [(name, self._files.digest(name)) for name in names]
        if any(self._changed_since(name, started) for name, digest in digests if digest):
            return
        value = json.dumps({"read": digests, "result": _encode(result)})
        with contextlib.suppress(sqlite3.Error), self._db:
            self._db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", (key, value, time.time()))

    def _changed_since(self, name: str, started: float) -> bool:
        """Whether the compiler may have read something else than we do now; translations are nobody's to change."""
        if name.startswith(_INSIDE):
            return False
        with contextlib.suppress(OSError):
            return self._files.place(name).stat().st_mtime >= started
        return True

    def close(self) -> None:
        if self._db is None:
            return
        with contextlib.suppress(sqlite3.Error), self._db:
            (count,) = self._db.execute("SELECT count(*) FROM results").fetchone()
            if count > _MAX_ROWS:
                oldest = "SELECT key FROM results ORDER BY made LIMIT ?"
                self._db.execute(f"DELETE FROM results WHERE key IN ({oldest})", (count - _MAX_ROWS // 2,))
        with contextlib.suppress(sqlite3.Error):
            self._db.close()


def _encode(result: Result) -> dict[str, Any]:
    return {**asdict(result), "outcome": result.outcome.value}


def _decode(value: dict[str, Any]) -> Result:
    names = [field.name for field in fields(Result)]
    found: dict[str, Any] = {
        name: tuple(value[name]) if isinstance(value[name], list) else value[name] for name in names
    }
    found["outcome"] = Outcome(value["outcome"])
    found["refusals"] = tuple(Refusal(**refusal) for refusal in value["refusals"])
    found["resources"] = tuple(KernelResources(**kernel) for kernel in value["resources"])
    return Result(**found)
