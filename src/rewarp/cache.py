"""Outcomes by content: an unchanged file is not scanned twice.

The key covers the file's path and bytes, the target and versions, what the project's other
files tell about it, and rewarp's own code and tables, so nothing stale can come back. A cache that cannot be opened, read or written
is no cache: the scan goes on without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import rewarp
from rewarp import plugins
from rewarp.edits import Edit, Safety
from rewarp.findings import Effort, Failed, Finding, Outcome, Phase, Scanned, Severity, Skipped
from rewarp.source import Span
from rewarp.targets.base import Context

_MAX_ROWS = 200_000
_BATCH = 400
_DECIDE = (".py", ".csv", ".tsv", ".json", ".toml", ".h", ".c", ".cpp")
"""Files of rewarp that decide its answers: code, tables, and the headers that ports carry along."""


@lru_cache(maxsize=1)
def own_code() -> bytes:
    """A digest of the code and tables of rewarp and of plugins, and of the Python that parses with it."""
    digest = hashlib.blake2b(repr((rewarp.__version__, sys.version_info[:3])).encode())
    root = Path(rewarp.__file__).parent
    for file in sorted(root.rglob("*")):
        if file.suffix in _DECIDE and file.is_file():
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    digest.update(plugins.code(plugins.RULES))
    return digest.digest()


def context_digest(context: Context) -> bytes:
    """What besides the file decides an outcome."""
    versions, project = context.versions, context.project
    facts = [sorted(getattr(project, field.name)) for field in fields(project)]
    text = repr((context.target.name, versions.torch, versions.rocm, versions.arch, facts, context.ported))
    return hashlib.blake2b(text.encode() + own_code(), digest_size=32).digest()


def key_of(path: str, kind: str, data: bytes, context: bytes) -> bytes:
    digest = hashlib.blake2b(context, digest_size=24)
    digest.update(f"{path}\0{kind}\0".encode("utf-8", "surrogatepass"))
    digest.update(data)
    return digest.digest()


def opened(file: Path, table: str) -> sqlite3.Connection | None:
    """A small database with one table of values by key; None where it cannot be had."""
    with contextlib.suppress(OSError, sqlite3.Error):
        file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(file, timeout=5)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=OFF")
        database.execute(f"CREATE TABLE IF NOT EXISTS {table} (key BLOB PRIMARY KEY, value TEXT, made REAL)")
        return database
    return None


class Cache:
    """A small SQLite file of outcomes. Used from one process."""

    def __init__(self, folder: Path | None) -> None:
        self._db: sqlite3.Connection | None = None
        if folder is None:
            return
        self._db = opened(folder / "scan.sqlite", "outcomes")

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Outcome]:
        found: dict[bytes, Outcome] = {}
        wanted = list(keys)
        if self._db is None:
            return found
        with contextlib.suppress(sqlite3.Error, ValueError, TypeError, KeyError, IndexError):
            for at in range(0, len(wanted), _BATCH):
                batch = wanted[at : at + _BATCH]
                marks = ",".join("?" * len(batch))
                for key, value in self._db.execute(f"SELECT key, value FROM outcomes WHERE key IN ({marks})", batch):
                    found[key] = decoded(json.loads(value))
        return found

    def put(self, outcomes: Mapping[bytes, Outcome]) -> None:
        if self._db is None or not outcomes:
            return
        now = time.time()
        with contextlib.suppress(sqlite3.Error), self._db:
            rows = [(key, json.dumps(encoded(outcome)), now) for key, outcome in outcomes.items()]
            self._db.executemany("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)", rows)
            (count,) = self._db.execute("SELECT count(*) FROM outcomes").fetchone()
            if count > _MAX_ROWS:
                self._db.execute(
                    "DELETE FROM outcomes WHERE key IN (SELECT key FROM outcomes ORDER BY made LIMIT ?)",
                    (count - _MAX_ROWS // 2,),
                )

    def close(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()


_FINDING = [field.name for field in fields(Finding)]


def encoded(outcome: Outcome) -> list[Any]:
    if isinstance(outcome, Scanned):
        findings = [
            [[[*e.span, e.text.hex(), e.safety.value] for e in f.edits] if name == "edits" else getattr(f, name)
             for name in _FINDING]
            for f in outcome.findings
        ]  # fmt: skip
        return [
            "scanned",
            outcome.path,
            outcome.kind,
            outcome.lines,
            findings,
            outcome.suppressed,
            outcome.gated,
            outcome.parsed,
            outcome.unread,
        ]
    return [type(outcome).__name__.lower(), *astuple(outcome)]


_CONVERT = {"severity": Severity, "phase": Phase, "effort": Effort, "safety": Safety}


def decoded(row: list[Any]) -> Outcome:
    name, *rest = row
    if name == "skipped":
        return Skipped(*rest)
    if name == "failed":
        return Failed(*rest)
    path, kind, lines, findings, suppressed, gated, parsed, unread = rest
    decoded = []
    for values in findings:
        item = dict(zip(_FINDING, values))
        for field, convert in _CONVERT.items():
            item[field] = convert(item[field])
        item["edits"] = tuple(Edit(Span(a, b), bytes.fromhex(t), Safety(s)) for a, b, t, s in item["edits"])
        decoded.append(Finding(**item))
    return Scanned(path, kind, lines, tuple(decoded), suppressed, gated, parsed, tuple(unread))
