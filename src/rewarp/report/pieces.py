"""What commands leave in a folder of results, a piece each, and which of the pieces are about the same state of a project.

A piece is the command's own JSON in an envelope (schema ``rewarp.piece/1``, docs/report.md) that says which commit, which
files and which rewarp it comes from. Pieces that do not match are never put together.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from rewarp import __version__
from rewarp.errors import UsageError
from rewarp.files import write_whole
from rewarp.workspace.identity import Identity

SCHEMA = "rewarp.piece/1"
_LARGEST = 512 << 20
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Piece:
    """What one command said."""

    kind: str
    """Of the document: ``scan``, ``port``, ``verify``, ``run``, ``parity``, ``bench``, ``isolation`` …"""
    about: str
    """What tells it from others of its kind: the target, the levels, the program."""
    rewarp: str
    made: str
    """When, in UTC."""
    command: str
    identity: Identity
    document: Mapping[str, Any]
    becomes: str | None = None
    """The hash of the files as a port leaves them."""
    patch: str | None = None

    @property
    def file_name(self) -> str:
        """The same for the same question, which so has one answer; two programs of one name keep apart."""
        told = _NAME.sub("-", self.about).strip("-.")[:60]
        mark = hashlib.sha256(self.about.encode("utf-8", "backslashreplace")).hexdigest()[:6]
        return "-".join(filter(None, (self.kind, told, mark if told != self.about else ""))) + ".json"


class Unusable(NamedTuple):
    """A file among the results that is no piece, or one that does not belong to the others."""

    name: str
    why: str


class Results(NamedTuple):
    """Pieces of one state of a project, and what lies beside them."""

    current: list[Piece]
    stale: list[tuple[Piece, str]]
    """With what does not match."""
    unreadable: list[Unusable]


# --- writing --------------------------------------------------------------------------------


def write(
    folder: Path,
    identity: Identity,
    command: str,
    document: Mapping[str, Any],
    *,
    about: str | None = None,
    becomes: str | None = None,
    patch: str | None = None,
) -> Path:
    """Leave a piece, in place of an earlier answer to the same question: ``about`` says which, where the document does not."""
    schema = document.get("schema")
    kind = str(schema).removeprefix("rewarp.").partition("/")[0] if schema else "other"
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    piece = Piece(kind, about or _about(kind, document), __version__, now, command, identity, document, becomes, patch)
    file = folder / piece.file_name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--results {folder}: {error.strerror or error}") from None
    write_whole(file, json.dumps({"schema": SCHEMA, **asdict(piece)}, allow_nan=False) + "\n")
    return file


def _about(kind: str, document: Mapping[str, Any]) -> str:
    if kind == "verify":
        return "-".join(str(level["level"]) for level in document["levels"])
    if kind == "bench":
        return "-".join(str(result.get("name")) for result in document.get("results") or ())
    if kind == "parity":
        return f"{document.get('a')}-{document.get('b')}"
    return str(document.get("target") or "")


# --- reading --------------------------------------------------------------------------------


def read(folder: Path) -> tuple[list[Piece], list[Unusable]]:
    """All pieces of a folder, the newest first, and the JSON files in it that are none."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of results" if folder.exists() else f"{folder} does not exist")
    pieces, unreadable = [], []
    for file in sorted(folder.glob("*.json")):
        try:
            if file.stat().st_size > _LARGEST:
                raise ValueError("it is too large")
            piece = _piece(json.loads(file.read_bytes()))
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            unreadable.append(Unusable(file.name, f"it is no piece of a report: {error}"))
            continue
        pieces.append(piece)
    return sorted(pieces, key=lambda piece: piece.made, reverse=True), unreadable


def _piece(data: Any) -> Piece:
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"its schema is not {SCHEMA}")
    given = {field.name: data[field.name] for field in fields(Piece)}
    given["identity"] = Identity(**data["identity"])
    piece = Piece(**given)
    texts = [piece.kind, piece.about, piece.rewarp, piece.made, piece.command, piece.identity.tree, piece.identity.root]
    optional = [piece.becomes, piece.patch, piece.identity.commit, piece.identity.remote, piece.identity.prefix]
    if not all(isinstance(text, str) for text in texts) or not isinstance(piece.document, dict):
        raise ValueError("its fields have other types")
    if not all(text is None or isinstance(text, str) for text in optional):
        raise ValueError("its fields have other types")
    return piece


# --- what belongs together ------------------------------------------------------------------


def gather(folder: Path, now: Identity | None = None) -> Results:
    """The pieces about one state of the project: ``now``, or what the newest piece is about. A port joins the state that
    it found and the one that it leaves: what is said of either belongs to it."""
    pieces, unreadable = read(folder)
    if not pieces:
        return Results([], [], unreadable)
    version = pieces[0].rewarp
    family = _family(now.tree if now else pieces[0].identity.tree, [p for p in pieces if p.rewarp == version])
    current, stale = [], []
    for piece in pieces:
        why = _mismatch(piece, family, version)
        if why:
            stale.append((piece, why))
        else:
            current.append(piece)
    return Results(current, stale, unreadable)


def _family(tree: str, pieces: Iterable[Piece]) -> frozenset[str]:
    """The states that belong to one report: a tree, what a port made of it, or what a port made it from."""
    ports = [(piece.identity.tree, piece.becomes) for piece in pieces if piece.becomes]
    found = {tree}
    for before, after in ports:
        if tree in (before, after):
            found |= {before, after}
    return frozenset(found)


def _mismatch(piece: Piece, family: frozenset[str], version: str) -> str | None:
    reasons = []
    if piece.identity.tree not in family:
        reasons.append(f"it is about other files (tree {piece.identity.tree[:12]}…)")
    if piece.rewarp != version:
        reasons.append(f"it was made by rewarp {piece.rewarp}, the others by {version}")
    return "; ".join(reasons) or None
